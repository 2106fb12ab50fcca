"""The journey of one call: found, validated, preprocessed, approved, carried out, postprocessed, recorded.

Every call takes this path, whoever makes it: a person, a step of a chain, a tag, an agent, an MCP client.
There is one gate before everything that has an effect (``gate.py``), and one place where an error becomes a
result (``ending.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256

from paperagents.approval.question import Approved, Decision
from paperagents.calls.answers import check_answer
from paperagents.calls.arguments import ToolCall, convert_arguments, find_slips, validate_arguments
from paperagents.calls.conversion import split_json
from paperagents.calls.references import Names
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.definitions.text import without_surrogates
from paperagents.definitions.tool import Block, ToolDefinition
from paperagents.errors import (
    BrokenFileError,
    EnvironmentChangedError,
    InvalidArgumentsError,
    PaperError,
    QuerySyntaxError,
    RunOverError,
    ToolError,
    UnknownRunError,
    UsageError,
)
from paperagents.runs.chain import run_steps
from paperagents.runs.ending import finish_run, redact_arguments
from paperagents.runs.gate import Gate
from paperagents.runs.log import OpenEntry, Replay, RunContext, RunLog
from paperagents.runs.record import (
    ANSWER,
    ARGUMENTS,
    ENVIRONMENT,
    FUNCTION,
    POSTPROCESS,
    PREPROCESS,
    Place,
    RunRecord,
    StepPath,
    StoredRun,
    child_run_id,
    new_run,
)
from paperagents.runs.scripts import Scripts
from paperagents.runs.session import Services, Session
from paperagents.runs.together import Collector
from paperagents.runs.tracing import caller_trace
from paperagents.runs.whole_tool import agree_on_arguments, agree_on_log


class Runner:
    """Carries out calls for one session."""

    def __init__(self, services: Services, session: Session) -> None:
        self.services = services
        self.session = session
        self.gate = Gate(services, session)
        self.collector = Collector(services, session, self.gate)
        self.scripts = Scripts(services, session, self.step)

    # --- three ways in: a new call, a run that is resumed, a step of a run

    def run(self, call: ToolCall, run_id: str | None = None, *, together: bool = False) -> RunRecord:
        """Carry out a call that somebody made, with one question for all changes if ``together``; gives its record."""
        return self._with_overlay()._run(call, run_id, together=together)  # noqa: SLF001  of its own kind

    def _with_overlay(self) -> Runner:
        """For a run of its own: what it changes without a yes nobody else sees."""
        return Runner(self.services.on_overlay(), self.session)

    def _run(self, call: ToolCall, run_id: str | None, *, together: bool) -> RunRecord:
        tool = self.find_tool_or_none(call.tool)
        name = self._name(tool) if tool is not None else self.services.redaction.text(without_surrogates(call.tool))
        arguments, refused = split_json(_typed_arguments(call, tool))
        run = new_run(name, arguments, self.services.clock(), run_id=run_id, trace=caller_trace.get())
        log = self._open_log(run)
        with self.services.journal.lock_run(run.run_id):
            known = self.services.history.run(run_id) if run_id is not None else None
            if known is not None:
                raise RunOverError(known.run_id, known.status)
            return self._finish(run, tool, log, lambda: self._begin(run, tool, log, refused, together=together))

    def resume(self, run_id: str, *, unfinished_only: bool = False) -> RunRecord:
        """Resume a run that waits or was interrupted; what has a result is not done again."""
        return self._with_overlay()._resume(run_id, unfinished_only=unfinished_only)  # noqa: SLF001  of its own kind

    def _resume(self, run_id: str, *, unfinished_only: bool) -> RunRecord:
        with self.services.journal.lock_run(run_id):
            run = self.services.history.run(run_id)
            if run is None or run.parent_run is not None:
                # A run below another is resumed with the one that somebody started.
                raise UnknownRunError(run_id)
            if run.status in ("succeeded", "denied", *(("failed", "cancelled") if unfinished_only else ())):
                raise RunOverError(run_id, run.status)
            if run.status in ("failed", "cancelled") and self.services.pending_rows.has_dropped(run_id):
                raise UsageError("changes-dropped", id=run_id)
            found = run.require_complete()
            log = self._reopen_log(found)

            def begin() -> RunContext:
                # With the tool as it was when the run began.
                return self._check(found, self._pinned_tool(found) or self.services.find_tool(found.tool), log)

            return self._finish(found, self.find_tool_or_none(found.tool), log, begin)

    def step(self, call: ToolCall, place: Place, run: RunContext) -> JsonValue:
        """Carry out a call inside a run. A step is a call like any other; the answer is its output."""
        if (done := run.log.replay(place)) is not None:
            return done["output"]
        if (shown := run.log.arguments_shown(place)) is not None:
            call = replace(call, arguments=shown)

        def failures_are_results() -> bool:
            # A failure that comes of stopping is no result.
            return run.failures_are_results and not self.session.cancellation.cancelled

        with run.log.block(place, dict(call.arguments), failures_are_results=failures_are_results) as entry:
            entry.output = self._dispatch(call, place, run, entry)
            return entry.output

    def enqueue(self, call: ToolCall, *, approved: Decision | None = None, together: bool = False) -> RunRecord:
        """Write a call down for a worker to carry out, checked as far as that is possible now."""
        tool = self.services.find_tool(call.tool)
        arguments, refused = split_json(_typed_arguments(call, tool))
        run = new_run(self._name(tool), arguments, self.services.clock(), trace=caller_trace.get())
        validate_arguments(tool, run.arguments, refused=refused)
        definition = tool.digest if tool.file is not None else None
        run = replace(run, status="queued", definition=definition, warnings=tuple(find_slips(tool, run.arguments)))
        content = self._file_content(tool.file, tool.digest) if tool.file is not None else None
        with self.services.journal.database.transaction(durable=True):
            if approved is not None:
                self.services.questions.allow_everything(run.run_id, approved)
            self.services.journal.enqueue(run, file=tool.file, content=content)
            if together:
                self.services.questions.collect_changes(run.run_id, Approved())
        return RunRecord(
            run_id=run.run_id, tool=run.tool, status="queued", started=run.started, duration_ms=0.0,
            warnings=run.warnings,
        )  # fmt: skip

    # --- beginning

    def find_tool_or_none(self, name: str) -> ToolDefinition | None:
        """The tool, where it can be used; what is wrong otherwise is told when the run begins."""
        try:
            return self.services.find_tool(name)
        except PaperError:
            return None

    def _name(self, tool: ToolDefinition) -> str:
        """What a run calls its tool: the id, but for an agent or store whose id leads to a tool of the vault."""
        if tool.key == tool.id:
            return tool.id
        found = self.find_tool_or_none(tool.id)
        return tool.id if found is not None and found.key == tool.key else tool.key

    def _begin(
        self, run: StoredRun, tool: ToolDefinition | None, log: RunLog, refused: Sequence[str], *, together: bool
    ) -> RunContext:
        """Journal that the run has begun, and check the arguments."""
        self._start(run, tool)
        if together and self.session.plan is None:
            self.session.collecting.add(run.run_id)
            self.services.questions.collect_changes(run.run_id, Approved())
        if tool is None:
            try:
                tool = self.services.find_tool(run.tool)
            except PaperError as error:
                error.is_the_callers = True
                block: Block = error.in_block if isinstance(error, BrokenFileError) else "tool"
                with log.block(Place(path=ARGUMENTS, step=1, block=block, name=run.tool), {}):
                    raise
        return self._check(run, tool, log, refused)

    def _check(self, run: StoredRun, tool: ToolDefinition, log: RunLog, refused: Sequence[str] = ()) -> RunContext:
        """Validate arguments and environment; what is wrong with them is logged as the tool's."""
        try:
            arguments = validate_arguments(tool, run.arguments, refused=refused)
        except PaperError as error:
            error.is_the_callers = True
            with log.block(Place(path=ARGUMENTS, step=1, block="tool", name=tool.id), run.arguments):
                raise
        for slip in find_slips(tool, run.arguments):
            log.warn(slip)
        try:
            self._read_environment(tool)
        except PaperError:
            with log.block(Place(path=ENVIRONMENT, step=1, block="tool", name=tool.id), arguments):
                raise
        return RunContext(
            run_id=run.run_id, root_run=run.run_id, depth=1, outermost=tool, tool=tool, arguments=arguments,
            clock=run.clock, log=log, replays=log.is_resumed,
        )  # fmt: skip

    def _start(self, run: StoredRun, tool: ToolDefinition | None) -> None:
        """Journal the run, pinned to the very file it began with; secrets are kept only where it has to wait."""
        journal, run = self.services.journal, redact_arguments(run, self.services.redaction)
        if tool is None or tool.file is None:
            journal.start(run, file=None, content=None)
        else:
            content = None if journal.has_definition(tool.digest) else self._file_content(tool.file, tool.digest)
            journal.start(replace(run, definition=tool.digest), file=tool.file, content=content)

    def _finish(
        self, run: StoredRun, tool: ToolDefinition | None, log: RunLog, begin: Callable[[], RunContext]
    ) -> RunRecord:
        """Take a run from its beginning to its record, and to its log in a note where its tool asks for one."""
        record = finish_run(self.services, self.session, run, log, lambda: self.collect_and_settle(begin())).record
        self._append_note_log(record, tool)
        return record

    # --- the journey

    def collect_and_settle(self, run: RunContext) -> JsonValue:
        """Carry out a run; what it has collected is asked about at its end."""
        with self.collector.collecting(run):
            output = self._carry_out(run)
            settled = self.collector.settle(run)
            if settled is not None and settled.failure is not None:
                settled.failure.answer = output if run.tool.kind == "agent" else None
                raise settled.failure
            return output

    def _carry_out(self, run: RunContext) -> JsonValue:
        """The answer of a tool, checked against what its file says it returns."""
        answer = self._find_answer(run)
        # In a plan nothing has really answered.
        if run.tool.kind in ("markdown", "javascript") and run.tool.answer and self.session.plan is None:
            try:
                check_answer(run.tool, answer)
            except PaperError:
                place = Place(path=ANSWER, step=len(run.log.entries) + 1, block="tool", name=run.tool.id)
                with run.log.block(place, {}):
                    raise
        return answer

    def _find_answer(self, run: RunContext) -> JsonValue:
        """Arguments, preprocess, then tool or function or steps, postprocess: in this order, for every tool."""
        tool = run.tool
        if tool.kind in ("builtin", "mcp", "store"):
            return self._call_builtin(tool, run)
        if tool.approval == "always":
            run = replace(run, arguments=agree_on_arguments(self.gate, run))
        agree_on_log(self.gate, run)
        if tool.kind == "agent":
            return self.services.agent(self, run)
        names = self._preprocess(run, self._names(run))
        first = 1 if tool.preprocess is None else 2
        place = Place(path=FUNCTION, step=first, block="custom_function", name=tool.id)
        if tool.custom_function is not None:
            output = self.scripts.block(tool.custom_function, names, run, place)
        elif tool.module is not None:
            output = self.scripts.module(names, run, place)
        elif tool.steps:
            names = run_steps(self, run, names, first)
            output = names.previous
        else:
            output = dict(names.input)
        if tool.postprocess is None:
            return output
        has_function = tool.custom_function is not None or tool.module is not None
        last = Place(path=POSTPROCESS, step=first + len(tool.steps) + has_function, block="postprocess", name=tool.id)
        return self.scripts.block(tool.postprocess, replace(names, previous=output, has_previous=True), run, last)

    def _call_builtin(self, tool: ToolDefinition, run: RunContext) -> JsonValue:
        """One that was called directly: what it finds wrong with its arguments is the caller's, too."""
        place = Place(path=StepPath("1"), step=1, block="tool", name=tool.id)
        try:
            return self.step(ToolCall(tool=tool.key, arguments=run.arguments), place, run)
        except (InvalidArgumentsError, QuerySyntaxError) as error:
            error.is_the_callers = True
            raise

    def _names(self, run: RunContext) -> Names:
        """A declared argument that was not given is null."""
        declared: JsonObject = {each.name: None for each in run.tool.parameters}
        return Names(
            arguments={**declared, **run.arguments},
            declared=frozenset(declared),
            input=run.arguments,
            built_in=run.clock,
            environment=self._read_environment(run.tool),
        )

    def _read_environment(self, tool: ToolDefinition) -> Mapping[str, str]:
        """What a person has set for a tool; where its file has changed since, the person is asked once more."""
        try:
            return self.services.environment(tool)
        except EnvironmentChangedError as changed:
            if not self.session.approver.confirm_environment(changed):
                raise
            self.services.confirm_environment(tool)
            return self.services.environment(tool)

    def _preprocess(self, run: RunContext, names: Names) -> Names:
        if run.tool.preprocess is None:
            return names
        place = Place(path=PREPROCESS, step=1, block="preprocess", name=run.tool.id)
        result = self.scripts.block(run.tool.preprocess, names, run, place)
        assert isinstance(result, dict)
        return replace(names, input=result)

    # --- a step

    def _dispatch(self, call: ToolCall, place: Place, run: RunContext, entry: OpenEntry) -> JsonValue:
        """Find the tool, bring the arguments to its types, and let it answer."""
        response = self._example_response(call, place)
        if response is not None and self.find_tool_or_none(call.tool) is None:
            return response[0]
        tool = self.services.find_tool(call.tool)
        if run.granted is not None and tool.key not in run.granted:
            raise ToolError("tool-not-given", tool=tool.id)
        entry.tool = tool.id
        arguments = entry.parameters = validate_arguments(tool, call.arguments, convert=True)
        for slip in find_slips(tool, call.arguments):
            run.log.warn(slip)
        if response is not None:
            return response[0]
        if tool.id == "js_execute":
            self.gate.add_to_plan(run, place, tool.id, arguments)
            return self.scripts.written(str(arguments["code"]), place, run, entry)
        if tool.kind in ("builtin", "mcp", "store"):
            return self.gate.call_tool(tool.key, arguments, place, run, entry)
        return self._run_below(tool, arguments, place, run, entry)

    def _example_response(self, call: ToolCall, place: Place) -> tuple[JsonValue] | None:
        """The answer an example gives in the place of a tool: by the label of the step, by the tool's id or name."""
        responses = self.session.responses
        if not responses:
            return None
        tool = self.find_tool_or_none(call.tool)
        names = (place.name, call.tool, *((tool.id, tool.name) if tool is not None else ()))
        return next(((responses[name],) for name in names if name in responses), None)

    def _run_below(
        self, tool: ToolDefinition, arguments: JsonObject, place: Place, above: RunContext, entry: OpenEntry
    ) -> JsonValue:
        """A step that is itself a tool of the vault: a run of its own below this one."""
        if above.depth >= self.services.max_depth:
            raise ToolError("too-deep", limit=self.services.max_depth, tool=tool.id)
        run = new_run(self._name(tool), arguments, above.clock, run_id=child_run_id(above.run_id, place.path),
                      parent_run=above.run_id)  # fmt: skip
        before = self.services.history.run(run.run_id) if above.log.is_resumed else None
        if before is not None:
            tool = self._pinned_tool(before) or tool
            log, run = self._reopen_log(before), replace(before, arguments=arguments)
        else:
            self._start(run, tool)
            log = self._open_log(run)
        context = replace(
            above, run_id=run.run_id, root_step=above.root_step or place.step, depth=above.depth + 1, tool=tool,
            arguments=arguments, log=log, failures_are_results=False, granted=None,
            replays=above.replays or log.is_resumed, in_script=above.in_script or above.tool.module is not None,
        )  # fmt: skip
        # It has a journal of its own: going through it again does nothing twice.
        entry.is_idempotent = self.session.plan is None
        # One that collects has an overlay of its own, unless it is part of a run that does.
        runner = self._with_overlay() if tool.approval == "together" and not self.services.pending.owner else self
        ending = finish_run(self.services, self.session, run, log, lambda: runner.collect_and_settle(context))
        if before is None or before.status in ("running", "waiting"):
            self._append_note_log(ending.record, tool, context.root_step)
        entry.note_approvals(run.run_id, log.entries)
        above.log.add_usage(run.run_id, log.usage)
        for warning in log.warnings:
            above.log.warn(warning)
        if tool.kind != "agent" and all(each["block"] != "tool" for each in log.entries):
            # It called nothing else that a plan could name.
            self.gate.add_to_plan(above, place, tool.id, arguments)
        if ending.failure is not None:
            raise ending.failure
        return ending.data

    # --- logs and pinned files

    def _open_log(self, run: StoredRun, replay: Replay | None = None) -> RunLog:
        return RunLog(run.run_id, self.services.journal, self.services.redaction, self.session.on_event,
                      replay=replay, warnings=run.warnings, reason=self.session.reason)  # fmt: skip

    def _reopen_log(self, run: StoredRun) -> RunLog:
        """The log of a run that is resumed, with what is known from before."""
        journal = self.services.journal
        waiting = journal.reopen(run.run_id)
        if run.status == "queued":
            return self._open_log(run)
        results, superseded = journal.results(run.run_id), journal.superseded(run.run_id)
        log = self._open_log(run, Replay(results=results, superseded=superseded, waiting=waiting))
        for below, usage in self.services.history.usages_below(run.run_id).items():
            log.add_usage(below, usage)
        return log

    def _append_note_log(self, record: RunRecord, tool: ToolDefinition | None, step: int | None = None) -> None:
        """Write the log into a note, for a tool that asks for it."""
        if tool is not None and self.session.plan is None and record.status != "waiting":
            self.services.note_log.append(tool, record, step=step)

    def _file_content(self, file: str, digest: str) -> bytes | None:
        """The file as it was read: None where it has been edited since, or broken, and an older state serves."""
        content = self.services.file_content(file)
        return content if sha256(content).hexdigest() == digest else None

    def _pinned_tool(self, run: StoredRun) -> ToolDefinition | None:
        """The tool as its file was when the run began; an edit must not strand or change a run that waits."""
        from paperagents.reading.files import read_pinned_tool  # noqa: PLC0415  its libraries are slow to load

        kept = self.services.history.definition(run.definition) if run.definition is not None else None
        return read_pinned_tool(*kept) if kept is not None else None


def _typed_arguments(call: ToolCall, tool: ToolDefinition | None) -> JsonObject:
    """Arguments of a tag are texts; those that cannot be brought to their type are refused later, by name."""
    if tool is None or not call.as_text:
        return dict(call.arguments)
    return convert_arguments(tool, call.arguments)
