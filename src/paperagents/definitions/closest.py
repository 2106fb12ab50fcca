"""Did you mean …?"""

from __future__ import annotations

from collections.abc import Iterable


def closest(name: str, names: Iterable[str], *, count: int = 3) -> list[str]:
    """The names most like this one, best first; none that is merely a little alike."""
    from difflib import get_close_matches  # noqa: PLC0415  only needed once something is wrong

    by_folded = {each.casefold(): each for each in names}
    return [by_folded[found] for found in get_close_matches(name.casefold(), by_folded, n=count, cutoff=0.6)]


def misspelt(name: str, names: Iterable[str]) -> str | None:
    """The known name this one is most likely a slip of the finger for, or None."""
    for known in names:
        if _is_slip(name.casefold(), known.casefold()):
            return known
    return None


def _is_slip(name: str, known: str) -> bool:
    """One wrong, missing, extra or swapped letter; two in a name of seven letters or more."""
    if name == known or name.replace("-", "_") == known:
        return True
    return len(known) >= 4 and _edits(name, known) <= (2 if len(known) >= 7 else 1)


def _edits(one: str, other: str) -> int:
    """The number of letters to change, add, drop or swap with the neighbour."""
    if abs(len(one) - len(other)) > 2:
        return 3
    before_last: list[int] = []
    last = list(range(len(other) + 1))
    for row, letter in enumerate(one, 1):
        current = [row]
        for column, wanted in enumerate(other, 1):
            cost = min(last[column] + 1, current[-1] + 1, last[column - 1] + (letter != wanted))
            swapped = row > 1 and column > 1 and letter == other[column - 2] and one[row - 2] == wanted
            current.append(min(cost, before_last[column - 2] + 1) if swapped else cost)
        before_last, last = last, current
    return last[-1]
