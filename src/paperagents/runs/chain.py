"""The steps of a chain: conditions, loops, side by side, repeated, forgiven."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import replace
from functools import partial
from typing import Any, Protocol

from paperagents.calls.arguments import ToolCall
from paperagents.calls.conversion import CannotConvertError, convert_value
from paperagents.calls.references import Names, escape_literal, look_up, resolve
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.definitions.source import Excerpt
from paperagents.definitions.tool import Retry, Step
from paperagents.errors import (
    BusinessError,
    CancelledError,
    DeniedError,
    OutcomeUnknownError,
    PaperError,
    SandboxError,
    ToolError,
    UsageError,
    WaitingError,
)
from paperagents.patterns import late_pattern
from paperagents.reading.references import Malformed, Reference, read_condition
from paperagents.runs.log import HALTS, RunContext
from paperagents.runs.record import Place, StepPath
from paperagents.runs.scripts import Scripts
from paperagents.runs.session import Services, Session

MOST_ITEMS = 100_000
MOST_AT_ONCE = 32
MOST_OPEN = 100
"""Questions of one loop that are open at once."""


class Calls(Protocol):
    """The runner, as far as a chain needs it."""

    services: Services
    session: Session
    scripts: Scripts

    def step(self, call: ToolCall, place: Place, run: RunContext) -> JsonValue:
        """Carry out one call."""


def run_steps(calls: Calls, run: RunContext, names: Names, first: int) -> Names:
    """Carry out all steps in order, within the tool's time; the answer is what can be referred to after them."""
    chain = _Chain(calls, run)
    with limit_time(run.tool.timeout, calls.session, code="tool-timeout"):
        for number, step in enumerate(run.tool.steps, 1):
            at = Place(path=StepPath(number), step=first + number - 1, block="tool", name=step.name)
            names = chain.run_step(step, names, at)
    return names


class _Chain:
    def __init__(self, calls: Calls, run: RunContext) -> None:
        self.calls = calls
        self.run = run
        self.log = run.log

    def run_step(self, step: Step, names: Names, place: Place) -> Names:
        """One step of the file, whatever it is; the answer is what the next one can refer to."""
        if self.calls.session.stopped:
            raise CancelledError
        is_asked_once = step.condition is not None and not is_about_items(step)
        if is_asked_once and not self.is_taken(step, names, place):
            return _leave_out(step, names)
        return self.run_once(step, names, place) if step.for_each is None else self.run_for_each(step, names, place)

    def run_once(self, step: Step, names: Names, place: Place) -> Names:
        if step.parallel:
            return self.run_parallel(step, names, place)
        return names.after(step.name, self.run_attempts(step, names, place))

    def is_taken(self, step: Step, names: Names, place: Place) -> bool:
        """Whether ``if:`` lets the step run; one that is left out is logged as skipped."""
        if self.log.replay_failure(place) is not None:
            return False
        try:
            with self.log_failures(step, place):
                holds = self.evaluate_condition(step, names)
        except PaperError as error:
            self.go_on_after(step, error, place)
            return False
        if not holds:
            self.skip(step, place)
        return holds

    def skip(self, step: Step, place: Place) -> None:
        if self.log.replay(place) is None:
            self.log.skip(place)
        for number, inner in enumerate(step.parallel, 1):
            self.skip(inner, replace(place, path=place.path.branch(number), name=inner.name))

    # --- loops and parallel steps

    def run_for_each(self, step: Step, names: Names, place: Place) -> Names:
        if self.log.replay_failure(place) is not None:
            return _leave_out(step, names)
        try:
            with self.log_failures(step, place):
                items = _require_list(resolve(step.for_each, names))
        except PaperError as error:
            self.go_on_after(step, error, place)
            return _leave_out(step, names)
        if not items:
            # The step has been there, and its output is a list without entries, too.
            if self.log.replay(place) is None:
                with self.log.block(place, {}) as entry:
                    entry.output = []
            return _leave_out(step, names).after(step.name, [])

        def run_item(number: int) -> Names:
            inside = replace(names, loop={"item": items[number], "index": number})
            at = replace(place, path=place.path.item(number), rounds=len(items))
            if is_about_items(step) and not self.is_taken(step, inside, at):
                return _leave_out(step, inside)
            return self.run_once(step, inside, at)

        finished = self.run_tasks([partial(run_item, number) for number in range(len(items))], step.max_parallel or 1)
        return _add_labels(names, step, finished[-1]).after(step.name, [after.previous for after in finished])

    def run_parallel(self, step: Step, names: Names, place: Place) -> Names:
        def run_branch(number: int, inner: Step) -> Names:
            at = replace(place, path=place.path.branch(number), name=inner.name)
            return self.run_step(_inherit(step, inner), names, at)

        tasks = [partial(run_branch, number, inner) for number, inner in enumerate(step.parallel, 1)]
        finished = self.run_tasks(tasks, step.max_parallel or len(tasks))
        for inner, after in zip(step.parallel, finished, strict=True):
            names = _add_labels(names, inner, after)
        names = names.after(step.name, [after.previous for after in finished])
        if step.post_processing is None:
            return names
        try:
            return names.after(step.name, self.post_process(step.post_processing, names, place))
        except SandboxError as error:
            self.go_on_after(step, error, place)
            return names.after(step.name, None)

    def run_tasks(self, tasks: Sequence[Callable[[], Any]], at_once: int) -> list[Any]:
        """The results of all tasks in their order; the first failure ends it, a wait lets the others finish."""
        if at_once <= 1 or len(tasks) <= 1:
            return run_in_order(tasks)
        from concurrent.futures import ThreadPoolExecutor, as_completed  # noqa: PLC0415  only where many are done at once

        with ThreadPoolExecutor(max_workers=min(at_once, MOST_AT_ONCE)) as pool:
            futures = [pool.submit(copy_context().run, task) for task in tasks]
            for future in as_completed(futures):
                failure = future.exception()
                if not isinstance(failure, WaitingError | None):
                    pool.shutdown(wait=True, cancel_futures=True)
                    raise failure
        return [future.result() for future in futures]

    # --- one call

    def run_attempts(self, step: Step, names: Names, place: Place) -> JsonValue:
        """The output of the step, tried as often as it says; each attempt is a call of its own."""
        delay = step.retry.delay
        for attempt in range(1, step.retry.attempts + 1):
            at = replace(place, path=place.path.attempt(attempt))
            if self.log.replay_failure(at) is not None:
                return None
            if not self.log.replay_superseded(at):
                try:
                    with limit_time(step.timeout, self.calls.session, code="step-timeout"):
                        return self.call(step, names, at)
                except PaperError as error:
                    if attempt == step.retry.attempts or not self.is_worth_repeating(error):
                        self.go_on_after(step, error, at)
                        return None
                # Before the wait: a kill in between must not count the attempt twice.
                self.log.mark_superseded(at)
                self.wait(delay, place)
            delay *= step.retry.backoff
        raise AssertionError("a step is tried at least once")

    def is_worth_repeating(self, error: PaperError) -> bool:
        """A tool that has a name for its failure also knows whether trying again can help."""
        # What may have happened must not happen twice.
        is_final = isinstance(error, (*HALTS, DeniedError, UsageError, OutcomeUnknownError))
        is_named = isinstance(error, BusinessError) and not error.retryable
        return not is_final and not is_named and not self.calls.session.cancellation.cancelled

    def go_on_after(self, step: Step, error: PaperError, place: Place) -> None:
        """Let the chain go on after a failure where the step says so; else it ends here."""
        if not step.continue_on_error or isinstance(error, HALTS) or self.calls.session.cancellation.cancelled:
            raise error
        self.log.mark_final(place)

    def call(self, step: Step, names: Names, place: Place) -> JsonValue:
        """Resolve the parameters, make the call, let ``post_processing`` look at its output."""
        with self.log_failures(step, place):
            parameters = resolve(dict(step.parameters), names)
        assert isinstance(parameters, dict)
        output = self.calls.step(ToolCall(tool=step.tool, arguments=parameters), place, self.run)
        if step.post_processing is None:
            return output
        return self.post_process(step.post_processing, replace(names, previous=output, has_previous=True), place)

    @contextmanager
    def log_failures(self, step: Step, place: Place) -> Iterator[None]:
        """What goes wrong before a step is called belongs to the step, too."""
        try:
            yield
        except PaperError as error:
            with self.log.block(place, dict(step.parameters)):
                raise error from None

    def post_process(self, script: Excerpt, names: Names, place: Place) -> JsonValue:
        place = replace(place, path=place.path.post_processing(), block="postprocess")
        if (done := self.log.replay(place)) is not None:
            return done["output"]
        with self.log.block(place, {}) as entry:
            entry.output = self.calls.scripts.evaluate(script, names, self.run, entry)
            return entry.output

    def wait(self, seconds: float, place: Place) -> None:
        stopped = threading.Event()
        with self.calls.session.cancellation.stopping(stopped.set):
            if stopped.wait(seconds):
                ended = CancelledError()
                ended.happened_at(place.step, place.block)
                raise ended

    # --- conditions

    def evaluate_condition(self, step: Step, names: Names) -> bool:
        condition = step.condition
        if not isinstance(condition, str):
            return bool(condition)
        if (whole := read_condition(condition).whole) is not None:
            return is_truthy(look_up(whole, names))
        script, values = as_expression(step.condition_at or Excerpt(text=condition), names)
        limits, stop = self.calls.services.limits, self.calls.session.cancellation
        visible = {**names.for_script(), **values}
        return bool(self.calls.services.sandbox.run(script, names=visible, limits=limits, cancellation=stop).value)


def run_in_order(tasks: Sequence[Callable[[], Any]]) -> list[Any]:
    """The results of all tasks. One that waits lets the others ask, too; what fails behind it has to wait for it."""
    results: list[Any] = []
    waiting: list[WaitingError] = []
    for task in tasks:
        try:
            results.append(task())
        except WaitingError as wait:
            waiting.append(wait)
        except PaperError:
            if not waiting:
                raise
            break
        if len(waiting) >= MOST_OPEN:
            break
    if waiting:
        raise waiting[0]
    return results


def _inherit(group: Step, inner: Step) -> Step:
    """A step of a group: what the group says about failing and time holds for each that says nothing itself."""
    times = [each for each in (group.timeout, inner.timeout) if each is not None]
    return replace(
        inner,
        continue_on_error=inner.continue_on_error or group.continue_on_error,
        retry=group.retry if inner.retry == Retry() else inner.retry,
        timeout=min(times, default=None),
    )


def _leave_out(step: Step, names: Names) -> Names:
    """The names after a step that did not run: it has no output, nor has any step inside it."""
    for inner in step.parallel:
        names = _leave_out(inner, names)
    return names.after(step.name, None)


def _add_labels(names: Names, step: Step, after: Names) -> Names:
    """The names with the outputs of this step, and of those inside it, as they were when it had ended."""
    labels = {label: after.labels[label] for label in _labels(step)}
    return replace(names, labels={**names.labels, **labels})


def _labels(step: Step) -> Iterator[str]:
    for inner in step.parallel:
        yield from _labels(inner)
    yield step.name


def _require_list(value: JsonValue) -> list[JsonValue]:
    try:
        items = convert_value(value, {"type": "array"})
    except CannotConvertError:
        raise ToolError("for-each-not-a-list") from None
    assert isinstance(items, list)
    if len(items) > MOST_ITEMS:
        raise ToolError("for-each-too-long", count=len(items), limit=MOST_ITEMS)
    return items


@contextmanager
def limit_time(seconds: float | None, session: Session, *, code: str) -> Iterator[None]:
    """Stop whatever runs inside when the time is over, and say so."""
    if seconds is None:
        yield
        return
    with session.limited_to(seconds, code=code):
        yield


# --- what decides whether a step is taken: ``if:``, a reference or a small piece of JavaScript


_OF_LOOPS = ("item", "index")
_NAMED_ITEM = late_pattern(r"(?<![\w$])(?<![^.]\.)(?:item|index)(?![\w$])")
_MAY_QUOTE = late_pattern(r"['\"`/]")
_QUOTED = late_pattern(r"'(?:[^'\\]|\\(?:.|\Z))*+'?|\"(?:[^\"\\]|\\(?:.|\Z))*+\"?", re.DOTALL)


def is_about_items(step: Step) -> bool:
    """Whether the condition is asked for each item of the list, and not once for the step."""
    if step.for_each is None or not isinstance(step.condition, str):
        return False
    pieces = read_condition(step.condition).pieces
    referred = {piece.root for piece in pieces if isinstance(piece, Reference)}
    code = "".join(piece for piece in pieces if isinstance(piece, str))
    return not referred.isdisjoint(_OF_LOOPS) or bool(_NAMED_ITEM.search(_QUOTED.sub("", code)))


def is_truthy(value: JsonValue) -> bool:
    """What JavaScript takes for true: every list and object, also an empty one."""
    return isinstance(value, list | dict) or bool(value)


def as_expression(condition: Excerpt, names: Names) -> tuple[Excerpt, JsonObject]:
    """Braces become variables, and inside quotes escaped text: what they stand for is a value and never code."""
    text = condition.text
    references: list[Reference] = []
    for piece in read_condition(text).pieces:
        if isinstance(piece, Malformed):
            raise ToolError("invalid-reference", reference=piece.text)
        references += [piece] if isinstance(piece, Reference) else []
    quoted = _find_quoted(text, references)
    values: JsonObject = {}
    fillings = [(0, 0, "return !!(")]
    for each in references:
        value, name = look_up(each, names), f"__reference_{len(values)}"
        if each.start not in quoted:
            values[name] = value
        fillings.append((each.start, each.end, escape_literal(value) if each.start in quoted else name))
    # The line break ends a comment.
    return condition.fill([*fillings, (len(text), len(text), "\n)")]), values


def _find_quoted(text: str, references: Sequence[Reference]) -> set[int]:
    if not references or _MAY_QUOTE.search(text) is None:
        return set()
    from paperagents.reading.javascript_syntax import find_quoted  # noqa: PLC0415  its libraries are slow to load

    return find_quoted(text, ((each.start, each.end) for each in references))
