"""The loop of an agent: ask the model, carry out its calls, tell it what they gave, until it has an answer.

Every turn and every call has its place in the journal of the run. A run that goes on replays them: no turn is asked
for again, nothing is done twice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby
from typing import Protocol

from paperagents.agents.calls import AT_ONCE, ParsedTurn, RequestedCall, TurnReader, parse_turn
from paperagents.agents.conversation import Conversation
from paperagents.agents.dialogue import CallResult, Dialogue, shown
from paperagents.agents.limits import Patience, Repetition, Spending
from paperagents.agents.model import LanguageModel, ModelRequest, ModelTurn, turn_of_record
from paperagents.agents.toolbox import Toolbox, is_read_only
from paperagents.calls.call import ToolCall
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
from paperagents.runs.log import Frame, Place
from paperagents.runs.session import Services, Session
from paperagents.runs.tag_calls import final_text
from paperagents.secrets.redaction import RedactedStream
from paperagents.tags import TagReading, TagRegistry, read_tags

NO_MODEL = "default"
"""The name that is sent where nobody has chosen a model."""
_NO_NATIVE_CALLS = (400, 404, 422, 500, 501)
"""How servers say that a model knows no native calls."""


class Calls(Protocol):
    """The pipeline, as far as an agent needs it."""

    services: Services
    session: Session

    def step(self, call: ToolCall, place: Place, frame: Frame) -> JsonValue:
        """Carry out one call."""


@dataclass(frozen=True, kw_only=True)
class AgentRun:
    """Everything one run of an agent stands on."""

    agent: AgentDefinition
    calls: Calls
    frame: Frame
    """In which failures are results, and only the agent's own tools can be called."""
    model: LanguageModel
    model_name: str
    toolbox: Toolbox
    tags: TagRegistry
    dialogue: Callable[[bool], Dialogue]
    """The messages so far; with what a model must know that writes tags, or without."""
    spending: Spending
    conversation: Conversation | None = None
    patience: Patience = field(default_factory=Patience)


class AgentLoop:
    """One run of an agent."""

    def __init__(self, run: AgentRun) -> None:
        self._run = run
        self._log = run.frame.log
        self._session = run.calls.session
        self._native = run.agent.protocol != "tags"
        self._dialogue = run.dialogue(not self._native)
        self._spending = run.spending
        self._repetition = Repetition()
        self._damaged = False
        self._said = RedactedStream(run.calls.services.masking)

    def run(self) -> JsonValue:
        """The final answer. Raises ToolError where a limit is reached before there is one."""
        step, last = 2, ""
        for number in range(1, self._run.agent.max_iterations + 1):
            turn, reading, early = self._turn(number, step)
            answer = parse_turn(turn, reading, self._run.toolbox, self._registry(), strict=not self._native)
            self._note("agent", turn.text)
            results = self._carried_out(answer, f"turn/{number}/call", step, early)
            told_again = bool(answer.damage) and self._damaged and not answer.calls
            if answer.final is not None or told_again or not (answer.calls or answer.damage):
                # Who insists on a tag that there is not has meant it as text.
                return self._finished(answer)
            self._damaged = bool(answer.damage)
            self._go_on(turn, answer, results)
            step, last = step + 1 + len(answer.calls), answer.text
        raise ToolError("agent-iterations", limit=self._run.agent.max_iterations, details={"text": last})

    def _go_on(self, turn: ModelTurn, answer: ParsedTurn, results: Sequence[CallResult]) -> None:
        """Tell the model what its calls gave, and what is wrong with its turn."""
        damage = text("damaged-tags", problems=answer.damage) if answer.damage else ""
        remarks = [damage, self._repetition.remark(answer, results)]
        self._dialogue.add(turn, results, "\n\n".join(filter(None, remarks)))

    def _finished(self, answer: ParsedTurn) -> str:
        final = answer.text if answer.final is None else answer.final
        return final_text(final, self._run.calls.services.vault_content)

    # --- the model

    def _turn(self, number: int, step: int) -> tuple[ModelTurn, TagReading, TurnReader | None]:
        """One answer of the model, from the journal or asked for, and its tags."""
        place = Place(path=f"turn/{number}", step=step, block="tool", name="model")
        if (done := self._log.replayed(place)) is not None:
            parameters = done["parameters"]
            assert isinstance(parameters, dict)
            self._speak(native=parameters.get("protocol") == "native")
            turn, early = turn_of_record(done["output"]), None
            reading = read_tags(turn.text, self._registry())
        else:
            self._spending.require_rest()
            # What was begun for an answer that was never finished belongs to nothing.
            self._log.forget(f"turn/{number}/")
            turn, early = self._asked(number, place)
            reading = early.finish(turn.text)
        self._spending.add(turn.usage, self._dialogue.messages(), turn.text)
        return turn, reading, early

    def _asked(self, number: int, place: Place) -> tuple[ModelTurn, TurnReader]:
        early = self._following(place)
        try:
            with self._log.block(place, self._parameters()) as entry:
                try:
                    turn = self._answer(number, early)
                except ToolError as error:
                    if not self._must_write_tags(error):
                        raise self._told_why(error) from None
                    self._speak(native=False)
                    early = self._following(place)
                    entry.parameters = self._parameters()
                    turn = self._answer(number, early)
                entry.output, entry.message = turn.as_json(), self._remarks(turn)
        finally:
            early.close()
        if (store := self._run.calls.services.store) is not None:
            # An answer costs time and money: it is kept before anything is done with it.
            store.flush()
        return turn, early

    def _remarks(self, turn: ModelTurn) -> str:
        """What a person should know about an answer that is taken as it is."""
        remarks = {"model.cut-off": turn.finish == "length", "model.no-cost": self._spending.loses_sight(turn.usage)}
        return " ".join(text(code) for code, applies in remarks.items() if applies)

    def _answer(self, number: int, early: TurnReader) -> ModelTurn:
        run, masking = self._run, self._run.calls.services.masking
        messages = tuple(_object(masking.value({**message})) for message in self._dialogue.messages())
        request = ModelRequest(
            agent=run.agent.id,
            turn=number,
            model=run.model_name,
            messages=messages,
            tools=run.toolbox.native() if self._native else (),
            temperature=run.agent.temperature,
        )
        turn = run.patience.answer(run.model, request, early, self._session.cancellation, self._waits)
        self._tell(self._said.rest())
        return turn

    def _parameters(self) -> JsonObject:
        protocol = "native" if self._native else "tags"
        return {"model": self._run.model_name, "protocol": protocol, "messages": len(self._dialogue.messages())}

    def _told_why(self, error: ToolError) -> ToolError:
        """A server that refuses a model nobody has chosen wants one to be chosen."""
        unchosen = isinstance(error, ModelRefusedError) and self._run.model_name == NO_MODEL
        return ToolError("model-missing", details={"refusal": error.message}) if unchosen else error

    def _must_write_tags(self, error: ToolError) -> bool:
        """Whether the server said that this model knows no native calls, and the agent leaves it open."""
        told = str(error.values.get("reason", "")).lower()
        said_so = error.details.get("status") in _NO_NATIVE_CALLS and ("tool" in told or "function" in told)
        refused = isinstance(error, ModelRefusedError | ModelBusyError)
        return refused and said_so and self._run.agent.protocol == "auto" and self._native

    def _speak(self, *, native: bool) -> None:
        if native != self._native:
            self._native = native
            self._dialogue.speak(self._run.dialogue(not native))

    def _registry(self) -> TagRegistry | None:
        return None if self._run.agent.protocol == "native" else self._run.tags

    def _following(self, place: Place) -> TurnReader:
        def perform(call: RequestedCall, number: int) -> CallResult:
            at = Place(path=f"{place.path}/call/{number}", step=place.step + number, block="tool", name=call.name)
            return self._one(call, at)

        def tell(piece: str) -> None:
            self._tell(self._said.feed(piece))

        return TurnReader(self._registry(), tell, self._reads_at_once, perform)

    def _tell(self, said: str) -> None:
        if said:
            self._session.on_event({"type": "model-text", "run_id": self._run.frame.run_id, "text": said})

    def _waits(self, seconds: float, error: ToolError) -> None:
        event: JsonObject = {"type": "model-waits", "seconds": seconds, "message": error.message}
        self._session.on_event({**event, "run_id": self._run.frame.run_id})

    # --- the calls

    def _carried_out(self, answer: ParsedTurn, path: str, step: int, early: TurnReader | None) -> list[CallResult]:
        """All calls in their order; those that only read and follow each other, side by side."""
        places = [
            Place(path=f"{path}/{number}", step=step + number, block="tool", name=call.name)
            for number, call in enumerate(answer.calls, 1)
        ]
        results: list[CallResult] = []
        for reads, group in groupby(zip(answer.calls, places, strict=True), key=lambda pair: self._reads_only(pair[0])):
            pairs = list(group)
            results += self._together(pairs, early) if reads and len(pairs) > 1 else self._in_turn(pairs, early)
        return results

    def _in_turn(self, pairs: Sequence[tuple[RequestedCall, Place]], early: TurnReader | None) -> list[CallResult]:
        results = []
        for call, place in pairs:
            if self._session.cancellation.cancelled:
                raise CancelledError
            results.append(self._noted(self._begun_or_now(call, place, early)))
        return results

    def _together(self, pairs: Sequence[tuple[RequestedCall, Place]], early: TurnReader | None) -> list[CallResult]:
        with ThreadPoolExecutor(max_workers=AT_ONCE) as pool:
            tasks = [partial(self._begun_or_now, call, place, early) for call, place in pairs]
            futures = [pool.submit(copy_context().run, task) for task in tasks]
        return [self._noted(future.result()) for future in futures]

    def _begun_or_now(self, call: RequestedCall, place: Place, early: TurnReader | None) -> CallResult:
        begun = early.result(call) if early is not None else None
        return begun.result() if begun is not None else self._one(call, place)

    def _one(self, call: RequestedCall, place: Place) -> CallResult:
        """One call; a failure is told to the model. What ends or halts the whole run goes on up."""
        answered = CallResult(tool=call.name, status="success", text="", native=call.native, arguments=_arguments(call))
        if self._log.is_done(place) and (store := self._run.calls.services.store) is not None:
            # An agent that was asked here before the interruption is not asked again; what it cost, it cost.
            self._spending.add_run(store, f"{self._run.frame.run_id}.{place.path}")
        if self._log.was_forgiven(place):
            entry = self._log.replayed(place) or {}
            return replace(answered, status=str(entry["status"]), text=_error(str(entry["message"])))
        try:
            return replace(answered, text=shown(self._performed(call, place)))
        except (WaitingError, CancelledError, PlanEndsError, StorageError):
            raise
        except PaperError as error:
            if self._session.cancellation.cancelled:
                raise
            status = "denied" if isinstance(error, DeniedError) else "error"
            return replace(answered, status=status, text=_error(str(error)))

    def _performed(self, call: RequestedCall, place: Place) -> JsonValue:
        if call.call is not None:
            return self._run.calls.step(call.call, place, self._run.frame)
        if (done := self._log.replayed(place)) is not None:
            return done["output"]
        tag = call.tag if call.failure is None else None
        with self._log.block(place, tag.values if tag is not None else {}, forgives=lambda: True) as entry:
            if call.failure is not None:
                raise call.failure
            assert tag is not None
            entry.output = tag.answer()
            return entry.output

    def _reads_only(self, call: RequestedCall) -> bool:
        find = self._run.calls.services.find_tool
        try:
            return call.call is not None and is_read_only(find(call.call.tool), call.call.arguments, find)
        except PaperError:
            return False

    def _reads_at_once(self, call: RequestedCall) -> bool:
        """Only what is built in: a tool of the vault would be a run of its own, for an answer not yet kept."""
        granted = call.call is not None and call.call.tool in self._run.toolbox.tools
        built_in = granted and call.call is not None and self._run.toolbox.tools[call.call.tool].kind == "builtin"
        return built_in and self._reads_only(call)

    # --- the note

    def _noted(self, result: CallResult) -> CallResult:
        if self._run.conversation is not None:
            self._run.conversation.add_result(result.tool, result.status, result.text)
        return result

    def _note(self, role: str, said: str) -> None:
        if self._run.conversation is not None and said.strip():
            self._run.conversation.add(role, said)


def _object(value: JsonValue) -> JsonObject:
    assert isinstance(value, dict)
    return value


def _arguments(call: RequestedCall) -> JsonObject | None:
    return dict(call.call.arguments) if call.call is not None else None


def _error(message: str) -> str:
    return f"Error: {message}"
