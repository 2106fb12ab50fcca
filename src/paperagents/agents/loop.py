"""The loop of an agent: ask the model, perform its calls, tell it the results, until it has an answer.

Every turn and every call has its place in the journal of the run. A resumed run replays them: no turn is asked for
again, nothing is performed twice.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import replace
from itertools import groupby

from paperagents.agents.agent_run import AgentRun
from paperagents.agents.answers import TypedAnswer, read_answer
from paperagents.agents.asking import ModelTurns
from paperagents.agents.calls import AT_ONCE, ParsedTurn, RequestedCall, TurnReader, parse_turn
from paperagents.agents.dialogue import CallResult, result_text
from paperagents.agents.limits import Repetition
from paperagents.agents.model import ModelTurn
from paperagents.agents.quotations import Quotations
from paperagents.agents.toolbox import is_read_only
from paperagents.calls.answers import CONTENT, show_block
from paperagents.calls.arguments import validate_arguments
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.errors import (
    CancelledError,
    DeniedError,
    InvalidArgumentsError,
    PaperError,
    PlanEndsError,
    StorageError,
    ToolError,
    WaitingError,
)
from paperagents.messages import text
from paperagents.runs.record import Place, StepPath, child_run_id
from paperagents.runs.tag_calls import final_text


def run_agent(run: AgentRun) -> JsonValue:
    """The final answer. Raises ToolError where a limit is reached before there is one."""
    return _AgentLoop(run).run()


class _AgentLoop:
    def __init__(self, run: AgentRun) -> None:
        self._run = run
        self._log = run.frame.log
        self._services = run.pipeline.services
        self._session = run.pipeline.session
        self._spending = run.spending
        self._repetition = Repetition()
        self._quotations = Quotations()
        for section in run.conversation.history if run.conversation is not None else ():
            if section.role == "tools":
                self._quotations.add(section.text)
        self._turns = ModelTurns(run, self._quotations, self.may_start_early, self.perform)
        self._was_damaged = False
        self._was_invalid = False
        self._images: list[JsonObject] = []

    def run(self) -> JsonValue:
        step, last = 2, ""
        for number in range(1, self._run.agent.max_iterations + 1):
            turn, reading, reader = self._turns.next_turn(number, step)
            answer = parse_turn(
                turn,
                reading,
                self._run.toolbox,
                self._turns.registry,
                strict=not self._turns.native,
                quotations=self._quotations,
            )
            self.note_turn(turn)
            results = self.perform_calls(answer, StepPath(f"turn/{number}").model_calls(), step, reader)
            insists = bool(answer.damage) and self._was_damaged and not answer.calls
            invalid = ""
            if answer.final is not None or insists or not (answer.calls or answer.damage):
                # Who insists on a tag that there is not has meant it as text.
                final = answer.text if answer.final is None else answer.final
                typed = self.read_final(final)
                if not typed.problems:
                    refused = self._run.pipeline.collector.find_refusals(self._run.frame)
                    if not refused:
                        return typed.value
                    self._turns.dialogue.add(turn, results, refused)
                    return self.ask_once_more(typed.value, number + 1, step + 2 + len(answer.calls))
                invalid = self.explain_invalid(typed, final)
            self._was_damaged = bool(answer.damage)
            damage = text("damaged-tags", problems=answer.damage) if answer.damage else ""
            remarks = [damage, invalid, self._repetition.remark(answer, results)]
            self._turns.dialogue.add(turn, results, "\n\n".join(filter(None, remarks)))
            for result in results:
                self._quotations.add([result.text, result.output])
            step, last = step + 1 + len(answer.calls), answer.text
        raise ToolError("agent-iterations", limit=self._run.agent.max_iterations, details={"text": last})

    def read_final(self, final: str) -> TypedAnswer:
        """The final answer, typed where the agent's note says so."""
        if self._run.agent.output is not None:
            return read_answer(final, self._run.agent.output)
        said = final_text(final, self._services.vault_content)
        if not self._images:
            return TypedAnswer(value=said)
        words: list[JsonObject] = [{"type": "text", "text": said}] if said.strip() else []
        return TypedAnswer(value={CONTENT: [*words, *self._images]})

    def note_turn(self, turn: ModelTurn) -> None:
        """Keep the pictures of a turn for the answer, and add what it says to the conversation."""
        self._images += [each for each in turn.images if each not in self._images]
        said = "\n".join(filter(str.strip, (turn.text, *map(show_block, turn.images))))
        if self._run.conversation is not None and said:
            self._run.conversation.add("agent", said)

    def ask_once_more(self, said: JsonValue, number: int, step: int) -> JsonValue:
        """The last word after a person has refused changes. Others are made, so that no failure may cost the run."""
        self._turns.may_call = False
        try:
            turn, reading, _ = self._turns.next_turn(number, step)
        except (WaitingError, CancelledError, PlanEndsError, StorageError):
            raise
        except PaperError as error:
            self._log.warn(text("run.not-asked-again", reason=error.message))
            return said
        answer = parse_turn(turn, reading, self._run.toolbox, self._turns.registry, quotations=self._quotations)
        self.note_turn(turn)
        last = self.read_final(answer.text if answer.final is None else answer.final)
        return said if last.problems or not last.value else last.value

    def explain_invalid(self, answer: TypedAnswer, said: str) -> str:
        """What the model must repair, once. Raises ToolError where it has heard that before."""
        problems = "; ".join(answer.problems)
        if self._was_invalid:
            details = {"text": said, "problems": list(answer.problems)}
            raise ToolError("answer-invalid", tool=self._run.agent.id, reason=problems, details=details, case="model")
        self._was_invalid = True
        return text("answer.repair", problems=problems)

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
        waits: WaitingError | None = None
        for reads, group in groupby(tasks, key=lambda task: self.only_reads(task[0])):
            several = list(group)
            if reads and waits is None and len(several) > 1:
                with ThreadPoolExecutor(max_workers=AT_ONCE) as pool:
                    futures = [
                        pool.submit(copy_context().run, self.result_of, call, place, reader) for call, place in several
                    ]
                results += [self.note_result(future.result()) for future in futures]
                continue
            for call, place in several:
                if waits is not None and not self.would_ask(call):
                    continue
                if self._session.cancellation.cancelled:
                    raise CancelledError
                try:
                    results.append(self.note_result(self.result_of(call, place, reader)))
                except WaitingError as wait:
                    waits = waits or wait
        if waits is not None:
            raise waits
        return results

    def would_ask(self, call: RequestedCall) -> bool:
        """Whether a call behind one that waits may ask its question now; whatever needs none keeps its order."""
        try:
            tool = self._services.find_tool(call.call.tool) if call.call is not None else None
            if tool is None or call.call is None or tool.kind not in ("builtin", "store"):
                return False
            arguments = validate_arguments(tool, call.call.arguments, convert=True)
            return tool.id != "js_execute" and self._services.built_in[tool.key](arguments).needs_approval
        except PaperError:
            return False

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
            # The advice about wrong arguments is for the command line.
            said = error.message if isinstance(error, InvalidArgumentsError) else str(error)
            return replace(result, status=status, text=f"Error: {said}")

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
        """Only what is built in: a tool of the vault would be a run of its own, for an answer not yet journaled."""
        tool = self._run.toolbox.tools.get(call.call.tool) if call.call is not None else None
        return tool is not None and tool.kind == "builtin" and self.only_reads(call)
