"""Vault paths: which places of the vault a text may name.

``/`` is the vault; ``notes/a.md`` and ``/notes/a.md`` are the same. Paths are compared by whole segments.
The texts come from language models and from strangers' tools, so everything unusual is refused by name.
"""

from __future__ import annotations

import unicodedata

from paperagents.errors import ToolError

PRIVATE_FOLDER = ".paper"
_LONGEST_PATH = 4000  # bytes; systems stop at 4096 and say so in different ways
_LONGEST_SHOWN = 200
# Invisible to people and ignored by some file systems, so ".pa\u200dper" would open ".paper" there.
_IGNORED_CATEGORIES = ("Cf", "Cc", "Mn")


def split_path(path: str) -> tuple[str, ...]:
    """The segments of a vault path, without those that say nothing (``/``, ``./``)."""
    require_valid_path(path)
    segments = tuple(segment for segment in path.split("/") if segment not in ("", "."))
    if ".." in segments:
        raise ToolError("path-outside-vault", path=path)
    require_allowed(segments)
    return segments


def split_file_path(path: str) -> tuple[str, ...]:
    """The segments of a path that means a file: not the vault itself, not ``notes/``."""
    segments = split_path(path)
    if not segments or path.endswith(("/", "/.")):
        raise ToolError("not-a-file", path=path)
    return segments


def split_writable_path(path: str) -> tuple[str, ...]:
    """The segments of a file that may be written.

    Hidden files and folders belong to other programs: a line in ``.git/hooks``, ``.obsidian/plugins``,
    ``.vscode`` or ``.bashrc`` is code that they run, so a tool never writes there.
    """
    segments = split_file_path(path)
    if any(segment.startswith(".") for segment in segments):
        raise ToolError("path-hidden", path=path)
    if any(unicodedata.category(character) == "Cc" for character in path):
        raise ToolError("path-invalid", path=ascii(path))
    return segments


def join_path(segments: tuple[str, ...]) -> str:
    """The one written form of a vault path in answers: no slash in front, none at the end."""
    return "/".join(segments)


def require_valid_path(path: str) -> None:
    """Refuse what no file can be called."""
    try:
        encoded = path.encode("utf-8")
    except UnicodeEncodeError:
        raise ToolError("path-invalid", path=ascii(path)) from None
    if b"\0" in encoded or len(encoded) > _LONGEST_PATH:
        raise ToolError("path-invalid", path=ascii(path[:_LONGEST_SHOWN]))


def require_allowed(segments: tuple[str, ...]) -> None:
    """Refuse the program's own folder, in this vault or in one inside it, however it is spelt."""
    if any(normalize_name(segment) == PRIVATE_FOLDER for segment in segments):
        raise ToolError("path-forbidden", path=join_path(segments))


def normalize_name(segment: str) -> str:
    """The name that a lenient file system could take this one for: case, width, invisible letters, end dots."""
    folded = unicodedata.normalize("NFKC", segment).casefold()
    visible = "".join(letter for letter in folded if unicodedata.category(letter) not in _IGNORED_CATEGORIES)
    return visible.rstrip(". ")
