"""What a write changes, as a unified diff made from the real differences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import TypeAlias

_CONTEXT = 3
_MOST_LINES = 4000
"""Beyond this a line-by-line comparison takes longer than anybody would read."""
_MOST_PAIRS = 20_000
"""So many equal lines can be compared at once; where all are alike there are millions, each looked at many times."""
_Part: TypeAlias = tuple[str, int, int, int, int]


def unified_diff(before: str | None, after: str, path: str) -> str:
    """The diff of a file; ``before`` is None where the file is new. Invisible characters are made visible."""
    old = [] if before is None else _lines(before)
    new = _lines(after)
    header = [f"--- {'/dev/null' if before is None else 'a/' + visible(path)}", f"+++ b/{visible(path)}"]
    return "\n".join([*header, *_hunks(old, new)])


def visible(text: str) -> str:
    """Control and bidirectional characters as escapes; line ends and tabs stay."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(each if each in "\n\t" or each.isprintable() else _escaped(each) for each in text)


def _escaped(character: str) -> str:
    return f"\\u{ord(character):04x}" if ord(character) > 0xFF else f"\\x{ord(character):02x}"


def _lines(text: str) -> list[str]:
    lines = text.split("\n")
    if lines[-1] == "":
        return lines[:-1]
    return [*lines[:-1], lines[-1] + "\n\\ No newline at end of file"]


def _hunks(old: list[str], new: list[str]) -> Iterator[str]:
    for group in _groups(old, new):
        first, last = group[0], group[-1]
        yield f"@@ -{_range(first[1], last[2])} +{_range(first[3], last[4])} @@"
        for kind, start, end, new_start, new_end in group:
            if kind == "equal":
                yield from (" " + visible(line) for line in old[start:end])
            else:
                yield from ("-" + visible(line) for line in old[start:end])
                yield from ("+" + visible(line) for line in new[new_start:new_end])


def _groups(old: list[str], new: list[str]) -> Iterator[list[_Part]]:
    """The parts that differ, each with the equal lines around it; what lies far between two is left out."""
    group: list[_Part] = []
    parts = [*_parts(old, new)]
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


def _parts(old: list[str], new: list[str]) -> Iterator[_Part]:
    """What is equal and what is not, in order; lines that both begin and end with need no comparison."""
    start = _common(old, new)
    same_end = _common(old[start:][::-1], new[start:][::-1])
    end, new_end = len(old) - same_end, len(new) - same_end
    if start:
        yield "equal", 0, start, 0, start
    for kind, first, last, new_first, new_last in _middle(old[start:end], new[start:new_end]):
        yield kind, first + start, last + start, new_first + start, new_last + start
    if same_end:
        yield "equal", end, len(old), new_end, len(new)


def _middle(old: list[str], new: list[str]) -> list[_Part]:
    """Line by line where that is quick; lines that are everywhere are no guide where it is not."""
    counts = Counter(new)
    for most in (len(new), len(new) // 100 + 1) if len(old) + len(new) <= _MOST_LINES else ():
        everywhere = {line for line, count in counts.items() if count > most}
        if sum(counts[line] for line in old if line not in everywhere) <= _MOST_PAIRS:
            return [*SequenceMatcher(everywhere.__contains__, old, new, autojunk=False).get_opcodes()]
    return [("replace", 0, len(old), 0, len(new))]


def _common(one: list[str], other: list[str]) -> int:
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count


def _range(start: int, end: int) -> str:
    length = end - start
    return f"{start + 1 if length else start},{length}"
