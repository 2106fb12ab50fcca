"""What a write changes, as a unified diff made from the real differences."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher

_CONTEXT = 3
_MOST_LINES = 4000
"""Beyond this a line-by-line comparison takes longer than anybody would read."""


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


def _groups(old: list[str], new: list[str]) -> list[list[tuple[str, int, int, int, int]]]:
    same_start = _common(old, new)
    same_end = _common(old[same_start:][::-1], new[same_start:][::-1])
    if len(old) + len(new) - 2 * (same_start + same_end) <= _MOST_LINES:
        matcher = SequenceMatcher(None, old, new, autojunk=False)
        return [list(group) for group in matcher.get_grouped_opcodes(_CONTEXT)]
    before = max(same_start - _CONTEXT, 0)
    replaced = ("replace", same_start, len(old) - same_end, same_start, len(new) - same_end)
    return [[("equal", before, same_start, before, same_start), replaced]]


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
