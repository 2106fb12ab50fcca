"""The paths of the vault that come closest to one that is not there."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from itertools import islice

from paperagents.builtin_tools.file_listing import ListedFile

_MOST_COMPARED = 5000
_LONGEST_COMPARED = 300
_MOST_ANSWERS = 3


def closest_paths(wanted: str, files: Iterable[ListedFile], *, folders: bool = False) -> list[str]:
    """At most three: first those of the same name elsewhere, then those that are spelt alike.

    Comparing spellings is slow, so a large vault is only compared in part.
    """
    wanted = wanted[:_LONGEST_COMPARED]
    paths = _folders_of(files) if folders else [file.path for file in files]
    same_name = [path for path in paths if _name(path) == _name(wanted)]
    compared = {path.casefold(): path for path in islice(paths, _MOST_COMPARED)}
    alike = get_close_matches(wanted.casefold(), compared, n=_MOST_ANSWERS, cutoff=0.6)
    found = dict.fromkeys([*same_name[:_MOST_ANSWERS], *(compared[path] for path in alike)])
    return list(found)[:_MOST_ANSWERS]


def _name(path: str) -> str:
    """The last segment without case and ending: what people and models remember of a note."""
    return path.rpartition("/")[2].casefold().removesuffix(".md")


def _folders_of(files: Iterable[ListedFile]) -> list[str]:
    found: dict[str, None] = {}
    for file in files:
        folder = file.path.rpartition("/")[0]
        while folder and folder not in found:
            found[folder] = None
            folder = folder.rpartition("/")[0]
    return list(found)
