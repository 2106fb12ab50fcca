"""The log of a run inside a note, for a tool whose file asks for it with ``log:``."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from paperagents.definitions.source import Excerpt
from paperagents.definitions.tool import ToolDefinition
from paperagents.errors import PaperError
from paperagents.reading.markdown_sections import fences, split_note
from paperagents.records.record import RunRecord

HEADING = "## Execution log"
_HEADING = re.compile(r"#{1,2}(?:[ \t]|$)")
"""Of the same level or above it."""
_PROBE = "\ue000end of the note\ue000"
"""Nobody writes this; where it ends up tells whether a note stops inside a block."""


def yaml_log(record: RunRecord) -> str:
    """``execution_log:`` with step, block, name, status and message; a JSON text is a YAML text."""
    if not record.execution_log:
        return "execution_log: []\n"
    lines = ["execution_log:"]
    for entry in record.execution_log:
        lines.append(f"  - step: {entry['step']}")
        shown = {key: json.dumps(entry[key], ensure_ascii=False) for key in ("block", "name", "status", "message")}
        lines += [f"    {key}: {value}" for key, value in shown.items()]
    return "\n".join(lines) + "\n"


def append_log(
    tool: ToolDefinition, record: RunRecord, read: Callable[[str], str | None], append: Callable[[str, str], object]
) -> None:
    """Add the log to the tool's own file (``log: file``) or to another note (``log: PATH``).

    Only ever adds to the end of a note of the vault. A note that cannot be written is no reason to fail.
    """
    if tool.log is None or tool.log == "store":
        return
    path = (tool.file or "") if tool.log == "file" else tool.log
    try:
        append(path, _addition(read(path), record))
    except PaperError:
        return


def _addition(note: str | None, record: RunRecord) -> str:
    """What is added to the end of a note, with the line ends that it has; None is a note that is not there yet."""
    if note is None:
        return f"{HEADING}\n\n{_shown(record)}"
    lines = note.replace("\r\n", "\n")
    heading = "" if _ends_under_heading(lines) else f"{HEADING}\n\n"
    added = f"{_end_of_block(lines)}\n{heading}{_shown(record)}"
    return added.replace("\n", "\r\n") if "\r\n" in note else added


def _shown(record: RunRecord) -> str:
    log = yaml_log(record)
    # A fence longer than any run of backticks inside cannot be closed by what a step printed.
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", log)), default=0))
    return f"{record.started} {record.run_id} {record.status}\n\n{fence}yaml\n{log}{fence}\n"


def _end_of_block(lines: str) -> str:
    """What ends the last line, and the fenced block where a note stops inside one."""
    end = "" if lines.endswith("\n") else "\n"
    blocks = fences(split_note(f"{lines}{end}{_PROBE}", "").body)
    if not blocks or not blocks[-1].content.text.rstrip("\n").endswith(_PROBE):
        return end
    opening = lines.split("\n")[blocks[-1].content.line - 2].lstrip()
    return f"{end}{opening[: len(opening) - len(opening.lstrip(opening[0]))]}\n"


def _ends_under_heading(lines: str) -> bool:
    """Whether what is added to the end of a note stands under the heading, and under no other after it."""
    _, heading, after = f"\n{lines}".rpartition(f"\n{HEADING}\n")
    if not heading:
        return False
    shown = [fence.content for fence in fences(Excerpt(text=after))]
    in_fences = {each.line + number for each in shown for number in range(each.text.count("\n") + 1)}
    headings = (number for number, line in enumerate(after.split("\n"), 1) if _HEADING.match(line))
    return all(number in in_fences for number in headings)
