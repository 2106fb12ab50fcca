"""The log that a run adds to the end of a note: where it begins, and the digest of the note without it."""

from __future__ import annotations

import re
from hashlib import sha256

from paperagents.patterns import late_pattern

HEADING = "## Execution log"
_BETWEEN = late_pattern(r"|\d{4}-[\d:.T+-]{1,40} [0-9a-f]{16} [a-z]{1,20}")
_FENCE = late_pattern(r"`{3,}(?:yaml)?")
_INSIDE = late_pattern(r"execution_log:(?: \[\])?|  - step: \d+|    (?:block|name|status|message): .*")


def digest_without_log(content: bytes) -> str:
    """Names a note whatever its log says: a run that adds to it makes no other tool of it."""
    lines = content.split(b"\n")
    return sha256(b"\n".join(lines[: find_log(content)]).rstrip()).hexdigest()


def find_log(content: bytes) -> int | None:
    """How many lines stand before the log at the end; None where there is none.

    Only what the program itself would write counts as a log: under a heading of the same name somebody could hide
    steps, or instructions for an agent, that the digest must cover.
    """
    if HEADING.encode() not in content:
        return None
    from paperagents.reading.markdown import find_fences, split_note  # noqa: PLC0415  its libraries are slow to load

    text = content.decode("utf-8", "replace").replace("\r\n", "\n")
    lines, body = text.split("\n"), split_note(text, "").body
    inside: dict[int, re.Pattern[str]] = {}
    for fence in find_fences(body):
        first, count = fence.content.line, fence.content.text.rstrip("\n").count("\n") + 1
        inside |= dict.fromkeys(range(first, first + count), _INSIDE)
        inside |= dict.fromkeys((first - 1, first + count), _FENCE)
    found = None
    for number in range(len(lines), body.line - 1, -1):
        line = lines[number - 1]
        if number not in inside and line == HEADING:
            found = number - 1
        elif not inside.get(number, _BETWEEN).fullmatch(line):
            break
    return found
