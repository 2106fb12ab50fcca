"""The loop of an agent: ask the model, perform its calls, tell it the results, until it has an answer.

Every turn and every call has its place in the journal of the run. A resumed run replays them: no turn is asked for
again, nothing is performed twice.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Protocol

from paperagents.agents.calls import AT_ONCE, ParsedTurn, RequestedCall, TurnReader, parse_turn
from paperagents.agents.conversation import Conversation
from paperagents.agents.dialogue import CallResult, Dialogue, result_text
from paperagents.agents.limits import Repetition, RetryPolicy, Spending
from paperagents.agents.model import LanguageModel, ModelRequest, ModelTurn, read_turn
from paperagents.agents.quotations import Quotations
from paperagents.agents.toolbox import Toolbox, is_read_only
from paperagents.calls.arguments import ToolCall
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.definitions.tool import AgentDefinition
from paperagents.errors import (
    CancelledError,
    DeniedError,
    ModelBusyError,
    ModelRefusedError,
    PaperError,
    PlanEndsError,
    StorageError,
    ToolError,
    WaitingError,
)
from paperagents.messages import text
from paperagents.runs.log import RunContext
from paperagents.runs.record import Place, StepPath, child_run_id
from paperagents.runs.session import Services, Session
from paperagents.runs.tag_calls import final_text
from paperagents.secrets.redaction import RedactedStream
from paperagents.tags import TagReading, TagRegistry, read_tags

NO_MODEL = "default"
"""The name that is sent where nobody has chosen a model."""
_NO_NATIVE_CALLS = (400, 404, 422, 500, 501)
"""How servers say that a model knows no native calls."""


class StepRunner(Protocol):
    """The pipeline, as far as an agent needs it."""

    services: Services
    session: Session

    def step(self, call: ToolCall, place: Place, frame: RunContext) -> JsonValue:
        """Perform one call."""


@dataclass(frozen=True, kw_only=True)
class AgentRun:
    """Everything one run of an agent needs."""

    agent: AgentDefinition
    pipeline: StepRunner
    frame: RunContext
    """In which failures are results, and only the agent's own tools can be called."""
    model: LanguageModel
    model_name: str
    toolbox: Toolbox
    tags: TagRegistry
    dialogue: Callable[[bool], Dialogue]
    """The messages so far; with what a model must know that writes tags, or without."""
    spending: Spending
    conversation: Conversation | None = None
    retries: RetryPolicy = field(default_factory=RetryPolicy)


def run_agent(run: AgentRun) -> JsonValue:
    """The final answer. Raises ToolError where a limit is reached before there is one."""
    return _AgentLoop(run).run()


class _AgentLoop:
    def __init__(self, run: AgentRun) -> None:
        self._run = run
        self._log = run.frame.log
        self._services = run.pipeline.services
        self._session = run.pipeline.session
        self._native = run.agent.protocol != "tags"
        self._dialogue = run.dialogue(not self._native)
        self._spending = run.spending
        self._repetition = Repetition()
        self._quotations = Quotations()
        for section in run.conversation.history if run.conversation is not None else ():
            if section.role == "tools":
                self._quotations.add(section.text)
        self._calls_natively = run.agent.protocol == "native"
        self._was_damaged = False
        self._stream = RedactedStream(self._services.redaction)

    def run(self) -> JsonValue:
        step, last = 2, ""
        for number in range(1, self._run.agent.max_iterations + 1):
            turn, reading, reader = self.next_turn(number, step)
            self._calls_natively = self._calls_natively or bool(turn.calls)
            answer = parse_turn(
                turn,
                reading,
                self._run.toolbox,
                self.registry,
                strict=not self._native,
                quotations=self._quotations,
            )
            if self._run.conversation is not None and turn.text.strip():
                self._run.conversation.add("agent", turn.text)
            results = self.perform_calls(answer, StepPath(f"turn/{number}").model_calls(), step, reader)
            insists = bool(answer.damage) and self._was_damaged and not answer.calls
            if answer.final is not None or insists or not (answer.calls or answer.damage):
                # Who insists on a tag that there is not has meant it as text.
                final = answer.text if answer.final is None else answer.final
                return final_text(final, self._services.vault_content)
            self._was_damaged = bool(answer.damage)
            damage = text("damaged-tags", problems=answer.damage) if answer.damage else ""
            remarks = [damage, self._repetition.remark(answer, results)]
            self._dialogue.add(turn, results, "\n\n".join(filter(None, remarks)))
            for result in results:
                self._quotations.add([result.text, result.output])
            step, last = step + 1 + len(answer.calls), answer.text
        raise ToolError("agent-iterations", limit=self._run.agent.max_iterations, details={"text": last})

    # --- the model

    def next_turn(self, number: int, step: int) -> tuple[ModelTurn, TagReading, TurnReader | None]:
        """One answer of the model, from the journal or asked for, and its tags."""
        place = Place(path=StepPath(f"turn/{number}"), step=step, block="tool", name="model")
        reader = None
        if (done := self._log.replay(place)) is not None:
            parameters = done["parameters"]
            assert isinstance(parameters, dict)
            self.switch_protocol(native=parameters.get("protocol") == "native")
            turn = read_turn(done["output"])
            reading = read_tags(turn.text, self.registry)
        else:
            self._spending.require_budget()
            # Calls that were started for an answer that was never finished belong to nothing.
            self._log.forget(f"turn/{number}/")
            turn, reader = self.ask_model(number, place)
            reading = reader.finish(turn.text)
        self._spending.add(turn.usage, self._dialogue.messages(), turn.text)
        return turn, reading, reader

    def ask_model(self, number: int, place: Place) -> tuple[ModelTurn, TurnReader]:
        reader = self.turn_reader(place)
        try:
            with self._log.block(place, self.journal_parameters()) as entry:
                try:
                    turn = self.send_request(number, reader)
                except ToolError as error:
                    if not self.needs_tags(error):
                        raise self.explain_refusal(error) from None
                    self.switch_protocol(native=False)
                    reader = self.turn_reader(place)
                    entry.parameters = self.journal_parameters()
                    turn = self.send_request(number, reader)
                # What a person should know about an answer that is taken as it is.
                is_cut_off, has_no_cost = turn.finish == "length", self._spending.lacks_cost(turn.usage)
                remarks = {"model.cut-off": is_cut_off, "model.no-cost": has_no_cost}
                entry.output = turn.as_json()
                entry.warning = " ".join(text(code) for code, applies in remarks.items() if applies)
        finally:
            reader.close()
        # An answer costs time and money: it is journaled before any of its calls is performed.
        self._services.journal.flush(self._run.frame.run_id)
        return turn, reader

    def send_request(self, number: int, reader: TurnReader) -> ModelTurn:
        run, messages = self._run, []
        for message in self._dialogue.messages():
            masked = self._services.redaction.value({**message})
            assert isinstance(masked, dict)
            messages.append(masked)
        request = ModelRequest(
            agent=run.agent.id,
            turn=number,
            model=run.model_name,
            messages=tuple(messages),
            tools=run.toolbox.native() if self._native else (),
            temperature=run.agent.temperature,
        )
        turn = run.retries.answer(run.model, request, reader, self._session.cancellation, self.report_wait)
        self.report_text(self._stream.rest())
        return turn

    def journal_parameters(self) -> JsonObject:
        protocol = "native" if self._native else "tags"
        return {"model": self._run.model_name, "protocol": protocol, "messages": len(self._dialogue.messages())}

    def explain_refusal(self, error: ToolError) -> ToolError:
        """A server that refuses a model nobody has chosen wants one to be chosen."""
        is_unchosen = isinstance(error, ModelRefusedError) and self._run.model_name == NO_MODEL
        return ToolError("model-missing", details={"refusal": error.message}) if is_unchosen else error

    def needs_tags(self, error: ToolError) -> bool:
        """Whether the server said that this model knows no native calls, and the agent leaves it open."""
        reason = str(error.values.get("reason", "")).lower()
        names_calls = error.details.get("status") in _NO_NATIVE_CALLS and ("tool" in reason or "function" in reason)
        was_refused = isinstance(error, ModelRefusedError | ModelBusyError)
        return was_refused and names_calls and self._run.agent.protocol == "auto" and self._native

    def switch_protocol(self, *, native: bool) -> None:
        if native != self._native:
            self._native = native
            self._dialogue.replace_prompt(self._run.dialogue(not native))

    @property
    def registry(self) -> TagRegistry | None:
        """The tags that count; none once the model calls natively: then what looks like a tag is text."""
        return None if self._calls_natively else self._run.tags

    def turn_reader(self, place: Place) -> TurnReader:
        def perform(call: RequestedCall, number: int) -> CallResult:
            at = Place(
                path=place.path.model_calls().branch(number), step=place.step + number, block="tool", name=call.name
            )
            return self.perform(call, at)

        return TurnReader(
            self.registry,
            lambda piece: self.report_text(self._stream.feed(piece)),
            self.may_start_early,
            perform,
            self._quotations,
        )

    def report_text(self, said: str) -> None:
        if said:
            self._session.on_event({"type": "model-text", "run_id": self._run.frame.run_id, "text": said})

    def report_wait(self, seconds: float, error: ToolError) -> None:
        event: JsonObject = {"type": "model-waits", "seconds": seconds, "message": error.message}
        self._session.on_event({**event, "run_id": self._run.frame.run_id})

    # --- the calls

    def perform_calls(
        self, answer: ParsedTurn, path: StepPath, step: int, reader: TurnReader | None
    ) -> list[CallResult]:
        """All calls in their order; those that only read and follow each other, side by side."""
        tasks = [
            (call, Place(path=path.branch(number), step=step + number, block="tool", name=call.name))
            for number, call in enumerate(answer.calls, 1)
        ]
        results: list[CallResult] = []
        for reads, group in groupby(tasks, key=lambda task: self.only_reads(task[0])):
            several = list(group)
            if reads and len(several) > 1:
                with ThreadPoolExecutor(max_workers=AT_ONCE) as pool:
                    futures = [
                        pool.submit(copy_context().run, self.result_of, call, place, reader) for call, place in several
                    ]
                results += [self.note_result(future.result()) for future in futures]
                continue
            for call, place in several:
                if self._session.cancellation.cancelled:
                    raise CancelledError
                results.append(self.note_result(self.result_of(call, place, reader)))
        return results

    def result_of(self, call: RequestedCall, place: Place, reader: TurnReader | None) -> CallResult:
        started = reader.result(call) if reader is not None else None
        return started.result() if started is not None else self.perform(call, place)

    def note_result(self, result: CallResult) -> CallResult:
        if self._run.conversation is not None:
            self._run.conversation.add_result(result.tool, result.status, result.text)
        return result

    def perform(self, call: RequestedCall, place: Place) -> CallResult:
        """One call; a failure is told to the model. What ends or suspends the whole run goes on up."""
        arguments = dict(call.call.arguments) if call.call is not None else None
        result = CallResult(tool=call.name, status="success", text="", native=call.native, arguments=arguments)
        if self._log.has_result(place):
            # An agent that was asked here before the interruption is not asked again; its cost counts again.
            self._spending.add_run(self._services.history, child_run_id(self._run.frame.run_id, place.path))
        if (entry := self._log.replay_failure(place)) is not None:
            return replace(result, status=str(entry["status"]), text=f"Error: {entry['message']}")
        try:
            output = self.output_of(call, place)
            return replace(result, text=result_text(output), output=output)
        except (WaitingError, CancelledError, PlanEndsError, StorageError):
            raise
        except PaperError as error:
            if self._session.cancellation.cancelled:
                raise
            status = "denied" if isinstance(error, DeniedError) else "error"
            return replace(result, status=status, text=f"Error: {error}")

    def output_of(self, call: RequestedCall, place: Place) -> JsonValue:
        if call.call is not None:
            return self._run.pipeline.step(call.call, place, self._run.frame)
        if (done := self._log.replay(place)) is not None:
            return done["output"]
        tag = call.tag if call.failure is None else None
        with self._log.block(place, tag.values if tag is not None else {}, failures_are_results=lambda: True) as entry:
            if call.failure is not None:
                raise call.failure
            assert tag is not None
            entry.output = tag.answer(self._services.entries)
            return entry.output

    def only_reads(self, call: RequestedCall) -> bool:
        find = self._services.find_tool
        try:
            return call.call is not None and is_read_only(find(call.call.tool), call.call.arguments, find)
        except PaperError:
            return False

    def may_start_early(self, call: RequestedCall) -> bool:
        """Only what is built in: a tool of the vault would be a run of its own, for an answer not yet journaled.

        Nor where the same answer may still call natively: its tags would be text.
        """
        if self._native:
            return False
        tool = self._run.toolbox.tools.get(call.call.tool) if call.call is not None else None
        return tool is not None and tool.kind == "builtin" and self.only_reads(call)
