"""Lone surrogates: halves of characters. JavaScript, JSON and file names can bring them; UTF-8 has no bytes for them.

Whatever is written, sent or shown goes through here. Everything else may hold them.
"""

from __future__ import annotations

import json
import re
import sys
import unicodedata
from collections.abc import Iterable
from typing import Literal, TypeVar, get_args

from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.patterns import late_pattern

Value = TypeVar("Value", bound=JsonValue)
_SURROGATE = late_pattern("[\ud800-\udfff]")


def has_surrogates(text: str) -> bool:
    """Whether UTF-8 has no bytes for some of the text."""
    return not text.isascii() and _SURROGATE.search(text) is not None


def without_surrogates(text: str) -> str:
    """The text with a replacement mark for each lone half; two halves that belong together become their character."""
    if not has_surrogates(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def value_without_surrogates(value: Value) -> Value:
    """The same for every text and key inside a value."""
    written = json.dumps(value, ensure_ascii=False)
    cleaned: Value = json.loads(without_surrogates(written)) if has_surrogates(written) else value
    return cleaned


def utf8(text: str) -> bytes:
    """The text as a file, a database or a client takes it."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return without_surrogates(text).encode()


def lossless_bytes(text: str) -> bytes:
    """For digests and sizes: two texts that differ in any half have different bytes."""
    return text.encode("utf-8", "surrogatepass")


# --- regular expressions that never go back, and are right under every release of Python


_SET_ESCAPE_OR_GROUP = late_pattern(r"\[\^?\]?(?:[^\]\\]|\\.)*\]|\\.|\)([*+?]|\{\d+(?:,\d*)?\})\+", re.DOTALL)
_ERRS = sys.version_info < (3, 11, 5)


def compile_regex(expression: str, flags: int = 0) -> re.Pattern[str]:
    """The expression, compiled."""
    return re.compile(_SET_ESCAPE_OR_GROUP.sub(_going_back, expression) if _ERRS else expression, flags)


def _going_back(part: re.Match[str]) -> str:
    """A repeated group that may go back; everything else as it is."""
    return f"){part[1]}" if part[1] else part[0]


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


# --- did you mean …?


_LONGEST = 200
"""Nobody mistypes a longer name; comparing two of them letter by letter would only cost time."""


def closest(name: str, names: Iterable[str], *, count: int = 3) -> list[str]:
    """The names most like this one, best first; none that is merely a little alike."""
    from difflib import get_close_matches  # noqa: PLC0415  only needed once something is wrong

    if len(name) > _LONGEST:
        return []
    by_folded = {each.casefold(): each for each in names if len(each) <= _LONGEST}
    return [by_folded[found] for found in get_close_matches(name.casefold(), by_folded, n=count, cutoff=0.6)]


def guess_name(name: str, names: Iterable[str]) -> str | None:
    """The known name this one is most likely a slip of the finger for, or None."""
    for known in names:
        if _is_slip(name.casefold(), known.casefold()):
            return known
    return None


def _is_slip(name: str, known: str) -> bool:
    """One wrong, missing, extra or swapped letter; two in a name of seven letters or more that begins the same."""
    if name == known or name.replace("-", "_") == known:
        return True
    # In a short name two edits make another word.
    edits = 2 if len(known) >= 7 and name[:1] == known[:1] else 1
    return 4 <= len(known) <= _LONGEST and _differ_by(name, known, edits)


def _differ_by(one: str, other: str, edits: int) -> bool:
    """Whether so many letters changed, added, dropped or swapped with the neighbour make them the same."""
    if abs(len(one) - len(other)) > edits:
        return False
    # What both begin with cannot differ; the rest is short, since few edits are allowed.
    same = next((place for place, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), len(one))
    one, other = one[same:], other[same:]
    if not (one and other and edits):
        return len(one) + len(other) <= edits
    return (
        _differ_by(one[1:], other[1:], edits - 1)
        or _differ_by(one[1:], other, edits - 1)
        or _differ_by(one, other[1:], edits - 1)
        or (one[:2] == other[1::-1] and _differ_by(one[2:], other[2:], edits - 1))
    )


# --- what a package of npm may be called, and which versions of it may be asked for


_LONGEST_PACKAGE_NAME = 214
_NAME = late_pattern(r"(@[a-z0-9~-][a-z0-9._~-]*/)?[A-Za-z0-9~-][A-Za-z0-9._~-]*")
_RANGE = late_pattern(r"[0-9A-Za-z.^~<>=|*+ -]{0,200}")


def is_registry_package(name: str, wanted: str) -> bool:
    """Whether this is a name and a range of versions of the registry: no address, no path, no repository."""
    return len(name) <= _LONGEST_PACKAGE_NAME and bool(_NAME.fullmatch(name) and _RANGE.fullmatch(wanted))


# --- which names JavaScript takes for variables


_RESERVED = frozenset({
    "arguments", "await", "break", "case", "catch", "class", "const", "continue", "debugger", "default", "delete",
    "do", "else", "enum", "eval", "export", "extends", "false", "finally", "for", "function", "if", "implements",
    "import", "in", "instanceof", "interface", "let", "new", "null", "package", "private", "protected", "public",
    "return", "static", "super", "switch", "this", "throw", "true", "try", "typeof", "undefined", "var", "void",
    "while", "with", "yield",
})  # fmt: skip


def is_javascript_variable(name: str) -> bool:
    """Whether a value can be given to a script under this name."""
    return name.replace("$", "_").isidentifier() and name not in _RESERVED


# --- the kinds of entries that the store keeps


EntryKind = Literal["memory", "task", "goal", "datavault"]
ENTRY_KINDS: tuple[EntryKind, ...] = get_args(EntryKind)
"""Each is a tool, a tag and a word of ``paper store`` by the same name."""


def identifying_argument(kind: str, identifier: str) -> JsonObject:
    """The argument by which the tool of this kind is told which entry is meant."""
    return {"id" if kind == "datavault" else "identifier": identifier}
