"""The log of a run inside a note, for a tool whose file asks for it with ``log:``."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from paperagents.definitions.tool import ToolDefinition
from paperagents.errors import PaperError
from paperagents.records.record import RunRecord

HEADING = "## Execution log"


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
        before = read(path)
        start = "" if before is None else "\n" if before.endswith("\n") else "\n\n"
        heading = "" if before is not None and f"\n{HEADING}\n" in f"\n{before}" else f"{HEADING}\n\n"
        log = yaml_log(record)
        # A fence longer than any run of backticks inside cannot be closed by what a step printed.
        fence = "`" * max(3, 1 + max(map(len, re.findall("`+", log)), default=0))
        title = f"{record.started} {record.run_id} {record.status}"
        append(path, f"{start}{heading}{title}\n\n{fence}yaml\n{log}{fence}\n")
    except PaperError:
        return
