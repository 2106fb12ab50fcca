"""A short name for machines made from a name for people."""

from __future__ import annotations

import re
import unicodedata

_GERMAN = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})
MAX_LENGTH = 64


def slug(name: str) -> str:
    """Lower-case letters, digits, ``_`` and ``-``; empty where nothing of the name can be kept.

    >>> slug("Über Nacht: Backup!")
    'ueber-nacht-backup'
    >>> slug("chain_beispiel")
    'chain_beispiel'
    """
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFC", name).lower().translate(_GERMAN))
    ascii_only = plain.encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9_]+", "-", ascii_only).strip("-")[:MAX_LENGTH].strip("-")


def stem_of(file: str) -> str:
    """The name of a file without its folders and its ending.

    >>> stem_of("notes/My Tool.md"), stem_of("upper.tool.js")
    ('My Tool', 'upper')
    """
    name = file.rsplit("/", 1)[-1]
    return name[: -len(".tool.js")] if name.lower().endswith(".tool.js") else name.rsplit(".", 1)[0]
