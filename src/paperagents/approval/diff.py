"""What a write changes, as a unified diff made from the real differences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import takewhile
from typing import TypeAlias

from paperagents.approval.invisible import escape_invisible

_CONTEXT = 3
_MOST_LINES = 4000
"""Beyond this a line-by-line comparison takes longer than anybody would read."""
_MOST_PAIRS = 20_000
"""So many equal lines can be compared at once; where all are alike there are millions, each looked at many times."""
_Part: TypeAlias = tuple[str, int, int, int, int]
"""As difflib has them: a kind, and the range of lines in the old and in the new text."""


def unified_diff(before: str | None, after: str, path: str) -> str:
    """The diff of a file; ``before`` is None where the file is new. Invisible characters are made visible."""
    old, new = split_lines(before or ""), split_lines(after)
    # A line end in a name would begin a line of its own.
    name = path.replace("\n", "\\n")
    diff = [f"--- {'/dev/null' if before is None else f'a/{name}'}", f"+++ b/{name}"]
    for group in group_parts([*compare(old, new)]):
        first, last = group[0], group[-1]
        diff.append(f"@@ -{format_range(first[1], last[2])} +{format_range(first[3], last[4])} @@")
        for kind, start, end, new_start, new_end in group:
            if kind == "equal":
                diff += [" " + line for line in old[start:end]]
            else:
                diff += ["-" + line for line in old[start:end]]
                diff += ["+" + line for line in new[new_start:new_end]]
    return escape_invisible("\n".join(diff), in_diff=True)


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


def compare(old: list[str], new: list[str]) -> Iterator[_Part]:
    """What is equal and what is not, in order; lines that both begin and end with need no comparison."""
    start = count_common(old, new)
    same_end = count_common(old[start:][::-1], new[start:][::-1])
    end, new_end = len(old) - same_end, len(new) - same_end
    if start:
        yield "equal", 0, start, 0, start
    for kind, first, last, new_first, new_last in compare_middle(old[start:end], new[start:new_end]):
        yield kind, first + start, last + start, new_first + start, new_last + start
    if same_end:
        yield "equal", end, len(old), new_end, len(new)


def compare_middle(old: list[str], new: list[str]) -> list[_Part]:
    """Line by line where that is quick; lines that are everywhere are no guide where it is not."""
    counts = Counter(new)
    for most in (len(new), len(new) // 100 + 1) if len(old) + len(new) <= _MOST_LINES else ():
        everywhere = {line for line, count in counts.items() if count > most}
        if sum(counts[line] for line in old if line not in everywhere) <= _MOST_PAIRS:
            return [*SequenceMatcher(everywhere.__contains__, old, new, autojunk=False).get_opcodes()]
    return [("replace", 0, len(old), 0, len(new))]


def count_common(one: list[str], other: list[str]) -> int:
    """How many lines two texts both begin with."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def format_range(start: int, end: int) -> str:
    """A range of lines in the head of a hunk; an empty one stands after the line before it."""
    return f"{start + 1 if end > start else start},{end - start}"
