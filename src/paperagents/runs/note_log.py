"""The log of a run inside a note or another file, for a tool whose file asks for it with ``log:``."""

from __future__ import annotations

import json
import logging
import re
import secrets
import threading
from collections.abc import Callable, Iterable

from paperagents.approval.question import Effect, Scope
from paperagents.approval.rules import Rule, RuleBook, narrowest_rule
from paperagents.definitions.change import Change
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.definitions.tool import ToolDefinition
from paperagents.errors import FileChangedError, PaperError, ToolError
from paperagents.files.folder import VaultFolder
from paperagents.files.reading import ABSENT
from paperagents.files.safe_open import join_path, split_path
from paperagents.messages import text
from paperagents.patterns import late_pattern
from paperagents.reading.execution_log import HEADING
from paperagents.runs.changes import Cause, ChangeLog
from paperagents.runs.record import NOTE_LOG, RunRecord

RULE = "log"
"""What a rule calls the appending of a log: no tool, so that it allows nothing else."""
_TRIES = 20
_LOGGER = logging.getLogger("paper")
_SHOWN = ("block", "name", "status", "message")
_HEADING = late_pattern(r"#{1,2}(?:[ \t]|$)")
"""Of the same level or above it."""
_PROBE = "\ue000end of the note\ue000"
"""Nobody writes this; where it ends up tells whether a note stops inside a block."""


def format_yaml_log(record: RunRecord) -> str:
    """``execution_log:`` with step, block, name, status and message; a JSON text is a YAML text."""
    if not record.execution_log:
        return "execution_log: []\n"
    lines = ["execution_log:"]
    for entry in record.execution_log:
        lines.append(f"  - step: {entry['step']}")
        lines += [f"    {key}: {to_json(entry[key])}" for key in _SHOWN]
    return "\n".join(lines) + "\n"


class NoteLog:
    """Appends logs to the tool's own file (``log: file``) or to another one (``log: PATH``) of a vault.

    Only ever adds to the end of a file, and only where somebody has agreed that this tool's file may. One that cannot
    be written is a warning, and no reason to fail.
    """

    def __init__(
        self,
        folder: VaultFolder,
        rules: RuleBook,
        changes: ChangeLog,
        tool_files: Callable[[], Iterable[str | None]],
    ) -> None:
        self._folder = folder
        self._rules = rules
        self._changes = changes
        self._tool_files = tool_files
        # What was added last to each file: where a note still ends with it, it need not be read as Markdown again.
        self._ends: dict[str, str] = {}
        # What is added depends on how the file ends: one after the other, also where steps run side by side.
        self._lock = threading.Lock()

    def path_to_agree_on(self, tool: ToolDefinition) -> str | None:
        """Where the tool wants its logs; None where it wants none, or somebody has agreed already."""
        path = _path_of(tool)
        return None if path is None or self._find_rule(tool, path) is not None else path

    def prepare(self, tool: ToolDefinition, arguments: JsonObject) -> Effect:
        """Agreeing that this tool may add its logs to this file from now on: a rule of the user's."""
        path = _path_of(tool) or ""

        def agree() -> JsonValue:
            if self._find_rule(tool, path) is None:
                self._rules.allow(narrowest_rule(RULE, _scope(path), tool))
            return True

        return Effect(
            tool=tool.key,
            arguments=arguments,
            perform=agree,
            needs_approval=True,
            preview=text("run.log-question", tool=tool.id, file=tool.file, path=path),
            after="agreed",
            answer=True,
            current=lambda: "agreed" if self._find_rule(tool, path) is not None else "",
            runs_in_plan=False,
        )

    def append(self, tool: ToolDefinition, record: RunRecord, *, step: int | None = None) -> None:
        """Add the log of a run, where its tool asks for that and may; of one below another, after this step of it."""
        path = _path_of(tool)
        if path is None or (rule := self._find_rule(tool, path)) is None:
            return
        step = step or max((int(str(each["step"])) for each in record.execution_log), default=1)
        # A run that is resumed may be logged more than once.
        name = f"{NOTE_LOG}/{secrets.token_hex(4)}"
        cause = Cause(run_id=record.run_id, step_path=name, step=step, approved_by=rule.allowed_by)
        try:
            with self._lock:
                self._append(path, tool, record, cause)
        except PaperError as error:
            _LOGGER.warning("%s", text("run.log-not-written", tool=tool.id, reason=error.message))

    def _find_rule(self, tool: ToolDefinition, path: str) -> Rule | None:
        return self._rules.find_allowing(RULE, _scope(path), tool)

    def _append(self, path: str, tool: ToolDefinition, record: RunRecord, cause: Cause) -> None:
        if path in {*self._tool_files()} - {tool.file}:
            # It would be another tool afterwards.
            raise ToolError("invalid-log", path=path, case="tool")
        for is_last in (*[False] * _TRIES, True):
            found = self._folder.find_text(path)
            before, last = found.content if found is not None else None, self._ends.get(path)
            follows = last is not None and before is not None and before.endswith(last)
            added = self._ends[path] = text_to_append(path, before, record, follows=follows)
            change = Change(path=path, before=before, after=(before or "") + added)
            expected = found.digest if found is not None else ABSENT
            try:
                with self._changes.recording(change, cause):
                    self._folder.write_text(path, added, append=True, expected_digest=expected)
            except FileChangedError:
                # Another process was faster.
                if is_last:
                    raise
            else:
                return


def _path_of(tool: ToolDefinition) -> str | None:
    if tool.log is None or tool.log == "store" or tool.file is None:
        return None
    return tool.file if tool.log == "file" else join_path(split_path(tool.log))


def _scope(path: str) -> Scope:
    """What a rule names: this very path, and appending to it or beginning it."""
    return Scope(mode="append", path=path)


def text_to_append(path: str, before: str | None, record: RunRecord, *, follows: bool) -> str:
    """What is added to the end of a file, with the line ends that it has; None is one that is not there yet.

    What ``follows`` another log stands under the same heading.
    """
    lines = (before or "").replace("\r\n", "\n")
    line_end = "" if not lines or lines.endswith("\n") else "\n"
    about = {"started": record.started, "run_id": record.run_id, "status": record.status}
    if path.endswith((".yaml", ".yml")):
        head = "".join(f"{key}: {to_json(value)}\n" for key, value in about.items())
        added = f"{line_end}---\n{head}{format_yaml_log(record)}"
    elif path.endswith((".json", ".jsonl")):
        log = [{key: entry[key] for key in ("step", *_SHOWN)} for entry in record.execution_log]
        added = f"{line_end}{to_json({**about, 'execution_log': log})}\n"
    elif follows:
        added = f"\n{format_block(record)}"
    elif before is None:
        added = f"{HEADING}\n\n{format_block(record)}"
    else:
        heading = "" if ends_under_heading(lines) else f"{HEADING}\n\n"
        added = f"{end_of_block(lines)}\n{heading}{format_block(record)}"
    return added.replace("\n", "\r\n") if "\r\n" in (before or "") else added


def to_json(value: object) -> str:
    """JSON, which is YAML, too."""
    return json.dumps(value, ensure_ascii=False)


def format_block(record: RunRecord) -> str:
    """The log as a fenced block of a note."""
    log = format_yaml_log(record)
    # A fence longer than any run of backticks inside cannot be closed by what a step printed.
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", log)), default=0))
    return f"{record.started} {record.run_id} {record.status}\n\n{fence}yaml\n{log}{fence}\n"


def end_of_block(lines: str) -> str:
    """What ends the last line, and the fenced block where a note stops inside one."""
    from paperagents.reading.markdown import find_fences, split_note  # noqa: PLC0415  its libraries are slow to load

    end = "" if lines.endswith("\n") else "\n"
    blocks = find_fences(split_note(f"{lines}{end}{_PROBE}", "").body)
    if not blocks or not blocks[-1].content.text.rstrip("\n").endswith(_PROBE):
        return end
    opening = lines.split("\n")[blocks[-1].content.line - 2].lstrip()
    return f"{end}{opening[: len(opening) - len(opening.lstrip(opening[0]))]}\n"


def ends_under_heading(lines: str) -> bool:
    """Whether what is added to the end of a note stands under the heading, and under no other after it."""
    from paperagents.reading.markdown import find_fences, split_note  # noqa: PLC0415  as above

    note = split_note(lines, "")
    body = note.frontmatter if note.unclosed and note.frontmatter is not None else note.body
    shown = [fence.content for fence in find_fences(body)]
    in_fences = {each.line + number for each in shown for number in range(each.text.count("\n") + 1)}
    numbered = enumerate(body.text.split("\n"), body.line)
    headings = [line for number, line in numbered if _HEADING.match(line) and number not in in_fences]
    return headings[-1:] == [HEADING]
