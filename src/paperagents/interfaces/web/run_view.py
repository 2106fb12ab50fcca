"""What pages show of a run: its state, questions, result and steps."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from paperagents.definitions.json_value import JsonObject
from paperagents.errors import PaperError
from paperagents.interfaces.serving.live_runs import LiveRuns
from paperagents.interfaces.web.drawings import Diagram, diagram
from paperagents.interfaces.web.question_view import QuestionView, question_views
from paperagents.interfaces.web.results import Node, ResultView, result_view, tree
from paperagents.runs.history import Node as TreeNode
from paperagents.runs.history import is_agents_log
from paperagents.runs.record import RunRecord
from paperagents.secrets.redaction import MASK

STEPS_AT_ONCE = 200
_BELOW = re.compile(r"\b[0-9a-f]{16}\.[0-9A-Za-z_.\[\]/-]*[0-9A-Za-z\]]")
BRANCHES_AT_ONCE = 100
LONGEST_RESPONSE = 4_000
INLINE_STEPS = 40
"""Up to so many steps are sent with their data; of more, data is loaded on request."""


@dataclass(frozen=True, kw_only=True, slots=True)
class StepView:
    """One entry of the log."""

    number: int
    """Its place in the log, from 0."""
    entry: JsonObject
    parameters: Node | None = None
    output: Node | None = None
    has_data: bool = True

    @property
    def below(self) -> str | None:
        """The id of the nested run that this step was, if any."""
        found = _BELOW.search(str(self.entry["message"]))
        return found[0] if found else None


@dataclass(frozen=True, kw_only=True, slots=True)
class RunView:
    """Everything about one run."""

    record: RunRecord
    arguments: JsonObject
    questions: tuple[QuestionView, ...]
    result: ResultView | None
    diagram: Diagram | None
    step_states: dict[int, str]
    """The state of each step of the diagram."""
    steps: tuple[StepView, ...]
    first_step: int
    places: tuple[dict[str, Any], ...]
    """Where in which file an error happened."""
    file: str | None
    is_foreign: bool = False
    """Whether it came with the vault: neither the user nor somebody trusted has started it."""
    tree: tuple[TreeNode, ...] = ()
    """The calls of an agent."""

    @property
    def total_steps(self) -> int:
        """How many entries the log has."""
        return len(self.record.execution_log)

    @property
    def is_over(self) -> bool:
        """Whether nothing more will happen."""
        return self.record.status not in ("running", "waiting", "queued")

    @property
    def failed_response(self) -> str:
        """What a server answered to the request that ended the run; empty where something else did."""
        error = self.record.error if self.record.status == "failed" else None
        if error is None or error["code"] != "http-status":
            return ""
        details = error["details"]
        response = details.get("response") if isinstance(details, dict) else None
        body = response.get("body") if isinstance(response, dict) else None
        return str(body or error["message"])[:LONGEST_RESPONSE]

    @property
    def is_refused(self) -> bool:
        """Whether nothing of it was done, because its arguments are wrong."""
        details = self.record.error.get("details") if self.record.error else None
        log = self.record.execution_log
        is_of_the_call = len(log) == 1 and log[0]["name"] == self.record.tool
        return is_of_the_call and isinstance(details, dict) and "problems" in details


def run_view(live: LiveRuns, run_id: str, *, first_step: int = 0) -> RunView:
    """The run as it is now."""
    record = live.record(run_id)
    try:
        tool = live.vault.registry.tool(record.tool)
    except PaperError:
        tool = None
    # The tree is drawn when the run stands still: while steps come, their list is enough.
    has_tree = record.status != "running" and is_agents_log(record.execution_log)
    branches = live.vault.history.tree(record.run_id, most=BRANCHES_AT_ONCE) if has_tree else ()
    return RunView(
        record=record,
        arguments=stored_arguments(live, record.run_id),
        questions=question_views(live, record.run_id),
        result=result_view(record.data) if record.status == "succeeded" else None,
        diagram=diagram(tool) if tool is not None else None,
        step_states=step_states(record),
        steps=step_views(record, first_step),
        first_step=first_step,
        places=tuple(stack_frames(record.error)),
        file=tool.file if tool is not None else None,
        # A run that has just begun here may not be stored yet.
        is_foreign=not live.goes_on(record.run_id) and not live.vault.journal.is_own(record.run_id),
        tree=tuple(branches),
    )


def stored_arguments(live: LiveRuns, run_id: str) -> JsonObject:
    """The arguments of a run, secrets redacted."""
    stored = live.vault.history.run(run_id)
    shown = live.vault.services.redaction.value(stored.arguments) if stored is not None else {}
    assert isinstance(shown, dict)
    return shown


def without_secrets(arguments: JsonObject) -> JsonObject:
    """The arguments that can be given again: redacted ones are left for the person to fill in."""
    return {name: value for name, value in arguments.items() if MASK not in str(value)}


def step_views(record: RunRecord, first: int = 0, most: int = STEPS_AT_ONCE) -> tuple[StepView, ...]:
    """A part of the log."""
    entries = record.execution_log
    with_data = len(entries) <= INLINE_STEPS
    chosen = enumerate(entries[first : first + most], first)
    if with_data:
        return tuple(step_view(number, entry) for number, entry in chosen)
    return tuple(StepView(number=number, entry=entry, has_data=False) for number, entry in chosen)


def step_view(number: int, entry: JsonObject) -> StepView:
    """An entry with its data."""
    return StepView(
        number=number,
        entry=entry,
        parameters=tree(entry["parameters"]) if entry["parameters"] else None,
        output=tree(entry["output"]) if entry["output"] is not None else None,
    )


def step_states(record: RunRecord) -> dict[int, str]:
    """The state of every step; the worst of those that share a number."""
    weight = {"skipped": 0, "success": 1, "waiting": 2, "denied": 3, "error": 4}
    states: dict[int, str] = {}
    for entry in record.execution_log:
        step, status = int(str(entry["step"])), str(entry["status"])
        if weight.get(status, 0) >= weight.get(states.get(step, "skipped"), 0):
            states[step] = status
    return states


def stack_frames(error: JsonObject | None) -> list[dict[str, Any]]:
    """The frames of a JavaScript error that lie in a file."""
    details = error.get("details") if error else None
    stack = details.get("stack") if isinstance(details, dict) else None
    frames = stack if isinstance(stack, list) else []
    return [each for each in frames[:10] if isinstance(each, dict) and each.get("file") and each.get("line")]
