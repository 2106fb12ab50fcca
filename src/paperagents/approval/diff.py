"""What a write changes, as a unified diff made from the real differences."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator
from difflib import SequenceMatcher
from itertools import takewhile
from typing import TypeAlias

from paperagents.approval.invisible import escape_invisible

_CONTEXT = 3
_MOST_LINES = 4000
"""Beyond this a line-by-line comparison takes longer than anybody would read."""
_MOST_PAIRS = 20_000
"""So many equal lines can be compared at once; where all are alike there are millions, each looked at many times."""
_DEEPEST = 8
"""So often a text is cut at lines that are in both once; each time may take as long as the text is."""
Redact: TypeAlias = Callable[[str], str]
"""Takes out the secrets, before anything else is made of a text: what hides in one would hide it."""
_Part: TypeAlias = tuple[str, int, int, int, int]
"""As difflib has them: a kind, and the range of lines in the old and in the new text."""


def unified_diff(before: str | None, after: str | None, path: str) -> str:
    """The diff of a file; None where the file is new, or deleted. Invisible characters are made visible."""
    return "\n".join([diff_head(before, after, path), *unified_hunks(before, after)])


def diff_head(before: str | None, after: str | None, path: str) -> str:
    """The two lines above the hunks."""
    # A line end in a name would begin a line of its own.
    name = path.replace("\n", "\\n")
    head = f"--- {'/dev/null' if before is None else f'a/{name}'}\n+++ {'/dev/null' if after is None else f'b/{name}'}"
    return escape_invisible(head, in_diff=True)


def unified_hunks(before: str | None, after: str | None, redact: Redact = str) -> list[str]:
    """The hunks of the diff, each with its header as the first line, counted from 1 wherever one is named."""
    old, new = split_lines(before or ""), split_lines(after or "")
    hunks = []
    for group in group_parts([*compare(old, new)]):
        first, last = group[0], group[-1]
        hunk = [f"@@ -{format_range(first[1], last[2])} +{format_range(first[3], last[4])} @@"]
        for kind, start, end, new_start, new_end in group:
            hunk += [f"{' ' if kind == 'equal' else '-'}{line}" for line in old[start:end]]
            hunk += [f"+{line}" for line in (new[new_start:new_end] if kind != "equal" else ())]
        hunks.append(escape_invisible(redact("\n".join(hunk)), in_diff=True))
    return hunks


def split_lines(text: str) -> list[str]:
    """The lines of a text; one that does not end says so."""
    *lines, rest = text.split("\n")
    return [*lines, rest + "\n\\ No newline at end of file"] if rest else lines


def group_parts(parts: list[_Part]) -> Iterator[list[_Part]]:
    """The parts that differ, each with the equal lines around it; what lies far between two is left out."""
    group: list[_Part] = []
    for part in parts:
        kind, start, end, new_start, new_end = part
        length = end - start
        if kind != "equal" or (group and length <= 2 * _CONTEXT and part is not parts[-1]):
            group.append(part)
            continue
        around = min(length, _CONTEXT)
        if group:
            yield [*group, ("equal", start, start + around, new_start, new_start + around)]
        group = [("equal", end - around, end, new_end - around, new_end)]
    if any(kind != "equal" for kind, *_ in group):
        yield group


def compare(old: list[str], new: list[str], *, depth: int = 0) -> Iterator[_Part]:
    """What is equal and what is not, in order; lines that both begin and end with need no comparison."""
    start = count_common(old, new)
    same_end = count_common(old[start:][::-1], new[start:][::-1])
    end, new_end = len(old) - same_end, len(new) - same_end
    if start:
        yield "equal", 0, start, 0, start
    for kind, first, last, new_first, new_last in compare_middle(old[start:end], new[start:new_end], depth):
        yield kind, first + start, last + start, new_first + start, new_last + start
    if same_end:
        yield "equal", end, len(old), new_end, len(new)


def compare_middle(old: list[str], new: list[str], depth: int) -> list[_Part]:
    """Line by line where that is quick; else between lines that are in both texts once."""
    if not old or not new:
        return [("delete" if old else "insert", 0, len(old), 0, len(new))] if old or new else []
    counts = Counter(new)
    for most in (len(new), len(new) // 100 + 1) if len(old) + len(new) <= _MOST_LINES else ():
        # Lines that are everywhere are no guide.
        everywhere = {line for line, count in counts.items() if count > most}
        if sum(counts[line] for line in old if line not in everywhere) <= _MOST_PAIRS:
            return [*SequenceMatcher(everywhere.__contains__, old, new, autojunk=False).get_opcodes()]
    anchors = find_anchors(old, new) if depth < _DEEPEST else []
    if not anchors:
        return [("replace", 0, len(old), 0, len(new))]
    return join_equal(compare_between(old, new, anchors, depth + 1))


def compare_between(old: list[str], new: list[str], anchors: list[tuple[int, int]], depth: int) -> Iterator[_Part]:
    """The parts between pairs of lines that belong together, and these lines."""
    start = new_start = 0
    for end, new_end in (*anchors, (len(old), len(new))):
        if start < end or new_start < new_end:
            for kind, first, last, new_first, new_last in compare(old[start:end], new[new_start:new_end], depth=depth):
                yield kind, first + start, last + start, new_first + new_start, new_last + new_start
        if end < len(old):
            yield "equal", end, end + 1, new_end, new_end + 1
        start, new_start = end + 1, new_end + 1


def find_anchors(old: list[str], new: list[str]) -> list[tuple[int, int]]:
    """Pairs of lines that are in each text once: as many as there are in the same order."""
    counts, new_counts = Counter(old), Counter(new)
    places = {line: place for place, line in enumerate(new) if new_counts[line] == 1}
    pairs = [(place, places[line]) for place, line in enumerate(old) if counts[line] == 1 and line in places]
    # The longest increasing row: for each length, the pair with the lowest end, and the pair before it.
    ends: list[int] = []
    rows: list[int] = []
    before: list[int | None] = []
    for number, (_, place) in enumerate(pairs):
        length = bisect_left(ends, place)
        ends[length : length + 1], rows[length : length + 1] = [place], [number]
        before.append(rows[length - 1] if length else None)
    row: list[tuple[int, int]] = []
    last = rows[-1] if rows else None
    while last is not None:
        row.append(pairs[last])
        last = before[last]
    return row[::-1]


def join_equal(parts: Iterator[_Part]) -> list[_Part]:
    """The parts with equal ones that follow each other as one."""
    joined: list[_Part] = []
    for part in parts:
        if joined and joined[-1][0] == part[0] == "equal":
            _, start, _, new_start, _ = joined.pop()
            part = ("equal", start, part[2], new_start, part[4])  # noqa: PLW2901  it grows
        joined.append(part)
    return joined


def count_common(one: list[str], other: list[str]) -> int:
    """How many lines two texts both begin with."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def format_range(start: int, end: int) -> str:
    """A range of lines in the head of a hunk; an empty one stands after the line before it."""
    return f"{start + 1 if end > start else start},{end - start}"
