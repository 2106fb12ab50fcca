"""The journey of one call: found, validated, preprocessed, approved, carried out, postprocessed, recorded.

Every call takes this path, whoever makes it: a person, a step of a chain, a tag, an agent, an MCP client.
There is one gate before everything that has an effect (``gate.py``), and one place where an error becomes a
result (``endings.py``).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from hashlib import sha256

from paperagents.approval.effect import Effect
from paperagents.calls.arguments import convert_arguments, validate_arguments
from paperagents.calls.call import ToolCall
from paperagents.calls.conversion import split_json
from paperagents.calls.references import Names
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.definitions.tool import Block, ToolDefinition
from paperagents.errors import BrokenFileError, InvalidArgumentsError, PaperError, ToolError, UsageError
from paperagents.runs.chain import run_steps
from paperagents.runs.ending import Endings, without_secrets
from paperagents.runs.gate import Gate
from paperagents.runs.history import StoredRun, new_run, require_complete
from paperagents.runs.log import Frame, OpenEntry, Place, RunLog
from paperagents.runs.record import RunRecord
from paperagents.runs.scripts import Scripts
from paperagents.runs.session import Services, Session


class Pipeline:
    """Carries out calls for one session."""

    def __init__(self, services: Services, session: Session) -> None:
        self.services = services
        self.session = session
        self.gate = Gate(services, session)
        self._endings = Endings(services, session)
        self.scripts = Scripts(services, session, self.step)

    # --- three ways in: a new call, a run that goes on, a step of a run

    def run(self, call: ToolCall, run_id: str | None = None) -> RunRecord:
        """Carry out a call that somebody made; the answer is its record, whatever happens."""
        tool = self._looked_up(call.tool)
        name = self._name(tool) if tool is not None else self.services.masking.text(_as_kept(call.tool))
        arguments, refused = split_json(_arguments(call, tool))
        run = new_run(name, arguments, self.services.clock(), run_id=run_id)
        log = self._log(run)
        with self._held(run.run_id):
            if run_id is not None:
                self._require_new(run_id)
            record = self._endings.of(run, log, lambda: self._carry_out(self._begin(run, tool, log, refused))).record
        return self._noted(record, tool)

    def later(self, call: ToolCall, *, approved: JsonObject | None = None) -> RunRecord:
        """Write a call down for a worker to carry out, now checked as far as that is possible."""
        tool, store = self.services.find_tool(call.tool), self.services.store
        assert store is not None
        arguments, refused = split_json(_arguments(call, tool))
        run = new_run(self._name(tool), arguments, self.services.clock())
        validate_arguments(tool, run.arguments, refused=refused)
        run = replace(run, status="queued", definition=tool.digest if tool.file is not None else None)
        content = self._content(tool.file, tool.digest) if tool.file is not None else None
        store.enqueue(run, file=tool.file, content=content, approved=approved)
        return RunRecord(run_id=run.run_id, tool=run.tool, status="queued", started=run.started, duration_ms=0.0)

    def resume(self, run_id: str, *, unfinished_only: bool = False) -> RunRecord:
        """Go on with a run that waits or was interrupted; what has a result is not done again."""
        with self._held(run_id):
            run = self._standing_still(run_id, unfinished_only=unfinished_only)
            log = self._log_again(run)
            record = self._endings.of(run, log, lambda: self._carry_out(self._begin_again(run, log))).record
        return self._noted(record, self._looked_up(run.tool))

    def step(self, call: ToolCall, place: Place, frame: Frame) -> JsonValue:
        """Carry out a call inside a run. A step is a call like any other; the answer is its output."""
        if (done := frame.log.replayed(place)) is not None:
            return done["output"]
        if (asked := frame.log.asked_with(place)) is not None:
            call = replace(call, arguments=asked)
        with frame.log.block(place, dict(call.arguments), forgives=lambda: self._forgives(frame)) as entry:
            entry.output = self._answered(call, place, frame, entry)
            return entry.output

    # --- beginning

    def _held(self, run_id: str) -> AbstractContextManager[None]:
        """Nobody else works on the run meanwhile."""
        return self.services.store.held(run_id) if self.services.store is not None else nullcontext()

    def _require_new(self, run_id: str) -> None:
        known = self.services.store.stored(run_id) if self.services.store is not None else None
        if known is not None:
            raise UsageError("run-is-over", id=run_id, status=known.status)

    def _standing_still(self, run_id: str, *, unfinished_only: bool) -> StoredRun:
        store = self.services.store
        run = store.stored(run_id) if store is not None else None
        if run is None or run.parent_run is not None:
            # A run below another goes on with the one that somebody started.
            raise UsageError("unknown-run", id=run_id)
        if run.status in ("succeeded", "denied", *(("failed", "cancelled") if unfinished_only else ())):
            raise UsageError("run-is-over", id=run_id, status=run.status)
        return require_complete(run)

    def _looked_up(self, name: str) -> ToolDefinition | None:
        """The tool, where it can be used; what is wrong otherwise is told when the run begins."""
        try:
            return self.services.find_tool(name)
        except PaperError:
            return None

    def _name(self, tool: ToolDefinition) -> str:
        """What a run calls its tool: the id, but for an agent whose id leads to a tool of the vault."""
        if tool.kind != "agent":
            return tool.id
        found = self._looked_up(tool.id)
        return tool.id if found is not None and found.key == tool.key else tool.key

    def _begin(self, run: StoredRun, tool: ToolDefinition | None, log: RunLog, refused: Sequence[str]) -> Frame:
        """Write down that the run has begun, and check the arguments."""
        self._write_down(run, tool)
        if tool is None:
            tool = self._told_what_is_wrong(run.tool, log)
        return self._checked(run, tool, log, refused)

    def _told_what_is_wrong(self, name: str, log: RunLog) -> ToolDefinition:
        try:
            return self.services.find_tool(name)
        except PaperError as error:
            error.is_the_callers = True
            block: Block = error.in_block if isinstance(error, BrokenFileError) else "tool"
            with log.block(Place(path="arguments", step=1, block=block, name=name), {}):
                raise

    def _begin_again(self, run: StoredRun, log: RunLog) -> Frame:
        """The same for a run that goes on: with the tool as it was when it began."""
        return self._checked(run, self._pinned(run) or self.services.find_tool(run.tool), log)

    def _checked(self, run: StoredRun, tool: ToolDefinition, log: RunLog, refused: Sequence[str] = ()) -> Frame:
        try:
            arguments = validate_arguments(tool, run.arguments, refused=refused)
        except PaperError as error:
            error.is_the_callers = True
            with log.block(Place(path="arguments", step=1, block="tool", name=tool.id), run.arguments):
                raise
        try:
            self.services.environment(tool)
        except PaperError:
            with log.block(Place(path="environment", step=1, block="tool", name=tool.id), arguments):
                raise
        return Frame(
            run_id=run.run_id, root_run=run.run_id, depth=1, tool=tool, arguments=arguments, clock=run.clock, log=log,
            replays=log.goes_on,
        )  # fmt: skip

    # --- the journey

    def _carry_out(self, frame: Frame) -> JsonValue:
        """Arguments, preprocess, then tool or function or steps, postprocess: in this order, for every tool."""
        tool = frame.tool
        if tool.kind in ("builtin", "mcp"):
            return self._built_in(tool, frame)
        if tool.approval == "always":
            frame = replace(frame, arguments=self._agreed_arguments(frame))
        if tool.kind == "agent":
            return self.services.agent(self, frame)
        names = self._preprocess(frame, self._names(frame))
        first = 1 if tool.preprocess is None else 2
        if tool.custom_function is not None:
            output = self.scripts.block(
                tool.custom_function, names, frame, _place(frame, "fn", first, "custom_function")
            )
        elif tool.module is not None:
            output = self.scripts.module(names, frame, _place(frame, "fn", first, "custom_function"))
        elif tool.steps:
            names = run_steps(self, frame, names, first)
            output = names.previous
        else:
            output = dict(names.input)
        has_function = tool.custom_function is not None or tool.module is not None
        return self._postprocess(frame, names, output, first + len(tool.steps) + has_function)

    def _built_in(self, tool: ToolDefinition, frame: Frame) -> JsonValue:
        """One that was called directly: what it finds wrong with its arguments is the caller's, too."""
        place = Place(path="1", step=1, block="tool", name=tool.id)
        try:
            return self.step(ToolCall(tool=tool.id, arguments=frame.arguments), place, frame)
        except InvalidArgumentsError as error:
            error.is_the_callers = True
            raise

    def _names(self, frame: Frame) -> Names:
        """A declared argument that was not given is null."""
        declared: JsonObject = {each.name: None for each in frame.tool.parameters}
        return Names(
            arguments={**declared, **frame.arguments},
            declared=frozenset(declared),
            input=frame.arguments,
            built_in=frame.clock,
            environment=self.services.environment(frame.tool),
        )

    def _preprocess(self, frame: Frame, names: Names) -> Names:
        script = frame.tool.preprocess
        if script is None:
            return names
        result = self.scripts.block(script, names, frame, _place(frame, "pre", 1, "preprocess"))
        assert isinstance(result, dict)
        return replace(names, input=result)

    def _postprocess(self, frame: Frame, names: Names, output: JsonValue, step: int) -> JsonValue:
        script = frame.tool.postprocess
        if script is None:
            return output
        after = replace(names, previous=output, has_previous=True)
        return self.scripts.block(script, after, frame, _place(frame, "post", step, "postprocess"))

    def _answered(self, call: ToolCall, place: Place, frame: Frame, entry: OpenEntry) -> JsonValue:
        """Find the tool, bring the arguments to its types, and let it answer."""
        canned = self._canned(call, place)
        if canned is not None and self._looked_up(call.tool) is None:
            return canned[0]
        tool = self.services.find_tool(call.tool)
        if frame.granted is not None and tool.key not in frame.granted:
            raise ToolError("tool-not-given", tool=tool.id)
        entry.tool = tool.id
        arguments = validate_arguments(tool, call.arguments, convert=True)
        entry.parameters = arguments
        if canned is not None:
            return canned[0]
        if tool.id == "js_execute":
            self.gate.note_in_plan(frame, place, tool.id, arguments)
            return self.scripts.written(str(arguments["code"]), place, frame, entry)
        if tool.kind in ("builtin", "mcp"):
            return self.gate.carry_out(self.services.built_in[tool.id], arguments, place, frame, entry)
        return self._nested(tool, arguments, place, frame, entry)

    def _nested(
        self, tool: ToolDefinition, arguments: JsonObject, place: Place, frame: Frame, entry: OpenEntry
    ) -> JsonValue:
        """A step that is itself a tool of the vault: a run of its own below this one."""
        if frame.depth >= self.services.max_depth:
            raise ToolError("too-deep", limit=self.services.max_depth, tool=tool.id)
        store = self.services.store
        run = new_run(self._name(tool), arguments, frame.clock, run_id=f"{frame.run_id}.{place.path}",
                      parent_run=frame.run_id)  # fmt: skip
        before = store.stored(run.run_id) if store is not None else None
        if before is not None:
            log = self._log_again(before)
            tool = self._pinned(before) or tool
        else:
            self._write_down(run, tool)
            log = self._log(run)
        below = replace(
            frame, run_id=run.run_id, root_step=frame.root_step or place.step, depth=frame.depth + 1, tool=tool,
            arguments=arguments, log=log, forgives=False, granted=None, replays=frame.replays or log.goes_on,
            in_script=frame.in_script or frame.tool.module is not None,
        )  # fmt: skip
        entry.repeatable = store is not None
        run = replace(before, arguments=arguments) if before is not None else run
        ending = self._endings.of(run, log, lambda: self._carry_out(below))
        if before is None or before.status in ("running", "waiting"):
            self._noted(ending.record, tool)
        entry.take_over_approvals(run.run_id, log.entries)
        if tool.kind != "agent" and all(each["block"] != "tool" for each in log.entries):
            # It called nothing else that a plan could name.
            self.gate.note_in_plan(frame, place, tool.id, arguments)
        if ending.failure is not None:
            raise ending.failure
        return ending.data

    def _agreed_arguments(self, frame: Frame) -> JsonObject:
        """``approval: always`` in a tool's file: the whole tool is one question, before anything of it runs."""
        place = Place(path="ask", step=1, block="tool", name=frame.tool.id)
        done = frame.log.replayed(place)
        if done is not None:
            agreed = self.services.masking.restore(done["output"], frame.arguments)
            assert isinstance(agreed, dict)
            return agreed

        def prepare(arguments: JsonObject) -> Effect:
            preview = json.dumps(arguments, ensure_ascii=False, indent=2)
            return Effect(tool=frame.tool.key, arguments=arguments, perform=lambda: arguments, needs_approval=True,
                          preview=preview, before=frame.tool.digest, after=frame.tool.digest)  # fmt: skip

        with frame.log.block(place, frame.arguments) as entry:
            entry.output = self.gate.carry_out(prepare, frame.arguments, place, frame, entry)
            assert isinstance(entry.output, dict)
            return entry.output

    def _forgives(self, frame: Frame) -> bool:
        """Whether a failure is a result; one that comes of stopping is none."""
        return frame.forgives and not self.session.cancellation.cancelled

    def _noted(self, record: RunRecord, tool: ToolDefinition | None) -> RunRecord:
        """A tool that asks for it gets its log into a note."""
        if tool is not None and tool.log is not None and record.status not in ("waiting", "planned"):
            self.services.write_log(tool, record)
        return record

    # --- small things

    def _canned(self, call: ToolCall, place: Place) -> tuple[JsonValue] | None:
        """The answer an example gives in the place of a tool: by the label of the step, by the tool's id or name."""
        responses = self.session.responses
        if not responses:
            return None
        tool = self._looked_up(call.tool)
        names = (place.name, call.tool, *((tool.id, tool.name) if tool is not None else ()))
        return next(((responses[name],) for name in names if name in responses), None)

    def _log(
        self,
        run: StoredRun,
        results: dict[str, JsonObject] | None = None,
        asked: dict[str, JsonObject] | None = None,
    ) -> RunLog:
        return RunLog(run.run_id, self.services.store, self.services.masking, self.session.on_event, results,
                      asked=asked, reason=self.session.reason)  # fmt: skip

    def _log_again(self, run: StoredRun) -> RunLog:
        """The log of a run that goes on, with what is known from before."""
        store = self.services.store
        assert store is not None
        asked = store.asked(run.run_id)
        store.go_on(run.run_id)
        return self._log(run, None if run.status == "queued" else store.results(run.run_id), asked)

    def _write_down(self, run: StoredRun, tool: ToolDefinition | None) -> None:
        """Keep the run, pinned to the very file it began with; secrets are kept only where it has to wait."""
        store = self.services.store
        if store is None:
            return
        run = without_secrets(run, self.services.masking)
        if tool is None or tool.file is None:
            store.start(run, file=None, content=None)
        else:
            content = None if store.keeps(tool.digest) else self._content(tool.file, tool.digest)
            store.start(replace(run, definition=tool.digest), file=tool.file, content=content)

    def _content(self, file: str, digest: str) -> bytes | None:
        """The file as it was read: None where it has been edited since, or broken, and an older state serves."""
        content = self.services.file_content(file)
        return content if sha256(content).hexdigest() == digest else None

    def _pinned(self, run: StoredRun) -> ToolDefinition | None:
        store = self.services.store
        kept = store.content(run.definition) if store is not None and run.definition is not None else None
        return self.services.read_pinned(*kept) if kept is not None else None


def _as_kept(name: str) -> str:
    """A name that somebody called, without the halves of characters that no database takes."""
    return name.encode("utf-8", "replace").decode("utf-8")


def _arguments(call: ToolCall, tool: ToolDefinition | None) -> JsonObject:
    """Arguments of a tag are texts; those that cannot be brought to their type are refused later, by name."""
    if tool is None or not call.as_text:
        return dict(call.arguments)
    return convert_arguments(tool, call.arguments)


def _place(frame: Frame, path: str, step: int, block: Block) -> Place:
    return Place(path=path, step=step, block=block, name=frame.tool.id)
