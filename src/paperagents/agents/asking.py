"""Asking the model of an agent for its next turn: journaled, replayed, tried in simpler ways and by other models."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from json import dumps

from paperagents.agents.agent_run import NO_MODEL, AgentRun
from paperagents.agents.calls import RequestedCall, TurnReader
from paperagents.agents.dialogue import CallResult
from paperagents.agents.limits import RetryPolicy, require_whole
from paperagents.agents.model import ModelRequest, ModelTurn, read_turn
from paperagents.agents.quotations import Quotations
from paperagents.agents.refusals import may_be_about, may_fall_back
from paperagents.definitions.json_value import JsonObject
from paperagents.errors import ModelBusyError, ModelRefusedError, ToolError
from paperagents.messages import text
from paperagents.runs.log import OpenEntry
from paperagents.runs.record import Place, StepPath
from paperagents.runs.usage import usage_of_turn
from paperagents.secrets.redaction import RedactedStream
from paperagents.tags import TagReading, TagRegistry, read_tags

_CALLING = ("tools", "tool_choice", "functions", "function_call", "parallel_tool_calls")


class ModelTurns:
    """The turns of one run, in order."""

    def __init__(
        self,
        run: AgentRun,
        quotations: Quotations,
        may_start_early: Callable[[RequestedCall], bool],
        perform: Callable[[RequestedCall, Place], CallResult],
    ) -> None:
        self.native = run.agent.protocol != "tags"
        self.dialogue = run.dialogue(not self.native)
        self.may_call = True
        """False for the last word after a person has refused changes."""
        self._run = run
        self._quotations = quotations
        self._may_start_early = may_start_early
        self._perform = perform
        self._log = run.frame.log
        self._services = run.pipeline.services
        self._session = run.pipeline.session
        self._models = [run.model_name, *run.agent.fallback]
        """The one that is asked, and those that may take its place."""
        # Where calls are written into the text, an answer that must be JSON could have none.
        self._sends_format = run.agent.output is not None and (self.native or not run.toolbox.tools)
        self._calls_natively = run.agent.protocol == "native"
        self._text_stream = RedactedStream(self._services.redaction)
        self._reasoning_stream = RedactedStream(self._services.redaction)
        self._secrets: frozenset[str] | None = None
        self._masked: dict[int, tuple[JsonObject, JsonObject]] = {}
        """The messages that were sent last, as they are and without these secrets."""

    @property
    def registry(self) -> TagRegistry | None:
        """The tags that count; none once the model calls natively: then what looks like a tag is text."""
        return None if self._calls_natively else self._run.tags

    def next_turn(self, number: int, step: int) -> tuple[ModelTurn, TagReading, TurnReader | None]:
        """One answer of the model, from the journal or asked for, and its tags."""
        place = Place(path=StepPath(f"turn/{number}"), step=step, block="tool", name="model")
        reader = None
        if (done := self._log.replay(place)) is not None:
            self._restore(done["parameters"])
            turn = read_turn(done["output"])
            self._log.add_usage(place.path, usage_of_turn(turn.usage))
            reading = read_tags(turn.text, self.registry)
        else:
            self._run.spending.require_budget()
            # Calls that were started for an answer that was never finished belong to nothing.
            self._log.forget(f"turn/{number}/")
            turn, reader = self._ask(number, place)
            reading = reader.finish(turn.text)
        self._run.spending.add(turn.usage, self.dialogue.messages(), turn.text)
        self._calls_natively = self._calls_natively or bool(turn.calls)
        return turn, reading, reader

    def _ask(self, number: int, place: Place) -> tuple[ModelTurn, TurnReader]:
        with self._log.block(place, self._journal_parameters()) as entry:
            turn, reader = self._ask_in_simpler_ways(number, place, entry)
            entry.parameters = self._journal_parameters()
            entry.output = turn.as_json()
            self._log.add_usage(place.path, usage_of_turn(turn.usage))
            if self._run.spending.lacks_cost(turn.usage):
                entry.warnings.append(text("model.no-cost"))
            require_whole(turn)
        # An answer costs time and money: it is journaled before any of its calls is performed.
        self._services.journal.flush(self._run.frame.run_id)
        return turn, reader

    def _ask_in_simpler_ways(self, number: int, place: Place, entry: OpenEntry) -> tuple[ModelTurn, TurnReader]:
        """The answer; where a server does not take what was asked of it, asked for less. Raises the first refusal."""
        first: ToolError | None = None
        retries = self._run.retries
        while True:
            reader = self._turn_reader(place)
            try:
                return self._ask_models(number, reader, entry, retries), reader
            except ToolError as error:
                first = first or self._explain(error)
                if isinstance(error, ModelBusyError):
                    # It was waited for often enough; one request shows whether that was the reason.
                    retries = replace(retries, attempts=1)
                if reader.has_started_calls or not self._simplify(error):
                    raise first from None
            finally:
                reader.close()

    def _simplify(self, error: ToolError) -> bool:
        """Leave out what the server may not take: first the form of the answer, then native calls."""
        if self._sends_format and may_be_about(error, "response_format"):
            self._sends_format = False
        elif self.native and self._run.agent.protocol == "auto" and may_be_about(error, *_CALLING):
            self._switch_protocol(native=False)
        else:
            return False
        return True

    def _ask_models(self, number: int, reader: TurnReader, entry: OpenEntry, retries: RetryPolicy) -> ModelTurn:
        """The answer of the first model that gives one."""
        while True:
            try:
                return self._send(number, reader, retries)
            except ToolError as error:
                # What was called for an answer that broke off must not be called by another one.
                if len(self._models) == 1 or reader.has_started_calls or not may_fall_back(error):
                    raise
                before = self._models.pop(0)
                self.dialogue.forget_reasoning()
                entry.warnings.append(
                    text("model.fell-back", model=self._models[0], before=before, reason=error.message)
                )

    def _send(self, number: int, reader: TurnReader, retries: RetryPolicy) -> ModelTurn:
        run, tools = self._run, self._run.toolbox.native() if self.native and self.may_call else ()
        request = ModelRequest(
            agent=run.agent.id,
            turn=number,
            model=self._models[0],
            messages=self._masked_messages(len(dumps(tools)) if tools else 0),
            tools=tools,
            options=run.agent.options,
            output=dict(run.agent.output) if self._sends_format and run.agent.output is not None else None,
        )
        turn = retries.answer(run.model, request, reader, self._session.cancellation, self._report_wait)
        self._report("model-reasoning", self._reasoning_stream.rest())
        self._report("model-text", self._text_stream.rest())
        return turn

    def _masked_messages(self, tools: int) -> tuple[JsonObject, ...]:
        """What is sent, beside tools of this size, without secrets. What was looked through once is not again."""
        redaction = self._services.redaction
        before, self._masked = self._masked if self._secrets is redaction.known else {}, {}
        self._secrets = redaction.known
        messages = self.dialogue.messages(tools)
        for message in messages:
            if (kept := before.get(id(message))) is None:
                masked = redaction.value(message)
                assert isinstance(masked, dict)
                # With the message itself: as long as it is kept, no other one has its id.
                kept = message, masked
            self._masked[id(message)] = kept
        return tuple(self._masked[id(message)][1] for message in messages)

    def _journal_parameters(self) -> JsonObject:
        return {
            "model": self._models[0],
            "protocol": "native" if self.native else "tags",
            "response_format": self._sends_format,
            "messages": len(self.dialogue.messages()),
        }

    def _restore(self, parameters: object) -> None:
        """Go on as a turn from the journal was asked for."""
        assert isinstance(parameters, dict)
        self._switch_protocol(native=parameters.get("protocol") == "native")
        self._sends_format = self._sends_format and bool(parameters.get("response_format", True))
        while self._models[0] != parameters.get("model") and len(self._models) > 1:
            self._models.pop(0)
            self.dialogue.forget_reasoning()

    def _explain(self, error: ToolError) -> ToolError:
        """A server that refuses a model nobody has chosen wants one to be chosen."""
        is_unchosen = isinstance(error, ModelRefusedError) and self._models[0] == NO_MODEL
        return ToolError("model-missing", details={"refusal": error.message}) if is_unchosen else error

    def _switch_protocol(self, *, native: bool) -> None:
        if native != self.native:
            self.native = native
            self.dialogue.replace_prompt(self._run.dialogue(not native))
            self._sends_format = self._sends_format and (native or not self._run.toolbox.tools)

    # --- while it is being written

    def _turn_reader(self, place: Place) -> TurnReader:
        def perform(call: RequestedCall, number: int) -> CallResult:
            path = place.path.model_calls().branch(number)
            return self._perform(call, Place(path=path, step=place.step + number, block="tool", name=call.name))

        return TurnReader(
            self.registry,
            lambda piece: self._report("model-text", self._text_stream.feed(piece)),
            lambda piece: self._report("model-reasoning", self._reasoning_stream.feed(piece)),
            lambda call: not self.native and self._may_start_early(call),
            perform,
            quotations=self._quotations,
        )

    def _report(self, kind: str, said: str) -> None:
        if said:
            self._session.on_event({"type": kind, "run_id": self._run.frame.run_id, "text": said})

    def _report_wait(self, seconds: float, error: ToolError) -> None:
        event: JsonObject = {"type": "model-waits", "seconds": seconds, "message": error.message}
        self._session.on_event({**event, "run_id": self._run.frame.run_id})
