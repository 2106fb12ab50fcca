"""Did you mean …?"""

from __future__ import annotations

from collections.abc import Iterable

_LONGEST = 200
"""Nobody mistypes a longer name; comparing two of them letter by letter would only cost time."""


def closest(name: str, names: Iterable[str], *, count: int = 3) -> list[str]:
    """The names most like this one, best first; none that is merely a little alike."""
    from difflib import get_close_matches  # noqa: PLC0415  only needed once something is wrong

    if len(name) > _LONGEST:
        return []
    by_folded = {each.casefold(): each for each in names if len(each) <= _LONGEST}
    return [by_folded[found] for found in get_close_matches(name.casefold(), by_folded, n=count, cutoff=0.6)]


def misspelt(name: str, names: Iterable[str]) -> str | None:
    """The known name this one is most likely a slip of the finger for, or None."""
    for known in names:
        if _is_slip(name.casefold(), known.casefold()):
            return known
    return None


def _is_slip(name: str, known: str) -> bool:
    """One wrong, missing, extra or swapped letter; two in a name of seven letters or more that begins the same."""
    if name == known or name.replace("-", "_") == known:
        return True
    edits = 2 if len(known) >= 7 and name[:1] == known[:1] else 1
    return 4 <= len(known) <= _LONGEST and _differ_by(name, known, edits)


def _differ_by(one: str, other: str, edits: int) -> bool:
    """Whether so many letters changed, added, dropped or swapped with the neighbour make them the same."""
    if abs(len(one) - len(other)) > edits:
        return False
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
