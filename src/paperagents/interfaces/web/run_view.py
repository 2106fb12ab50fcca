"""What pages show of a run: its state, questions, result and steps."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from paperagents.definitions.json_value import JsonObject
from paperagents.definitions.tool import ToolDefinition
from paperagents.errors import PaperError
from paperagents.interfaces.serving.live_runs import LiveRuns
from paperagents.interfaces.web.change_view import ChangesView, changes_view
from paperagents.interfaces.web.drawings import Diagram, diagram
from paperagents.interfaces.web.question_view import QuestionView, question_views
from paperagents.interfaces.web.results import Node, ResultView, result_view, tree
from paperagents.interfaces.web.timeline import Timeline, build_timeline
from paperagents.runs.record import RunRecord, StepPath, child_run_id
from paperagents.secrets.redaction import MASK
from paperagents.values import dataclass

LONGEST_RESPONSE = 4_000
UNFINISHED = ("running", "waiting", "queued")


@dataclass(frozen=True, kw_only=True, slots=True)
class StepView:
    """The data of one step."""

    entry: JsonObject
    path: str
    parameters: Node | None
    output: Node | None
    below: Timeline | None = None
    """The run that the step was, where it was one of its own."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RunView:
    """Everything about one run."""

    record: RunRecord
    """Without its log, which is in the timeline."""
    arguments: JsonObject
    questions: tuple[QuestionView, ...]
    result: ResultView | None
    diagram: Diagram | None
    timeline: Timeline
    changes: ChangesView | None
    places: tuple[dict[str, Any], ...]
    """Where in which file an error happened."""
    file: str | None
    is_foreign: bool = False
    """Whether it came with the vault: neither the user nor somebody trusted has started it."""
    elapsed: float = 0.0
    """Milliseconds since it began."""

    @property
    def total_steps(self) -> int:
        """How many entries the log has."""
        return len(self.timeline.log)

    @property
    def loose_questions(self) -> tuple[QuestionView, ...]:
        """Those of no row: asked before the first step."""
        placed = {each.request.id for each in self.timeline.questions()}
        return tuple(each for each in self.questions if each.request.id not in placed)

    @property
    def is_outcome_unknown(self) -> bool:
        """Whether it was interrupted in the middle of something, and nobody knows whether that was done."""
        return self.record.status == "failed" and (self.record.error or {}).get("code") == "outcome-unknown"

    @property
    def is_over(self) -> bool:
        """Whether nothing more will happen."""
        return self.record.status not in UNFINISHED

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
        is_of_the_call = self.total_steps == 1 and self.timeline.log[0]["name"] == self.record.tool
        return is_of_the_call and isinstance(details, dict) and "problems" in details


def run_view(live: LiveRuns, run_id: str) -> RunView:
    """The run as it is now."""
    record = live.record(run_id, with_log=False)
    tool = find_tool(live, record.tool)
    questions = question_views(live, record.run_id)
    return RunView(
        record=record,
        arguments=stored_arguments(live, record.run_id),
        questions=questions,
        result=result_view(record.data) if record.status == "succeeded" else None,
        diagram=diagram(tool) if tool is not None else None,
        timeline=timeline(live, record.run_id, tool, questions, is_over=record.status not in UNFINISHED),
        changes=changes_view(live, record.run_id, record.tool) if record.parent_run is None else None,
        places=tuple(stack_frames(record.error)),
        file=tool.file if tool is not None else None,
        # A run that has just begun here may not be stored yet.
        is_foreign=not live.goes_on(record.run_id) and not live.vault.journal.is_own(record.run_id),
        elapsed=max((datetime.now(UTC) - datetime.fromisoformat(record.started)).total_seconds() * 1000, 0),
    )


def timeline(
    live: LiveRuns,
    run_id: str,
    tool: ToolDefinition | None,
    questions: Sequence[QuestionView] = (),
    *,
    is_over: bool = True,
) -> Timeline:
    """The rows of a run as they stand now."""
    # What runs is looked up first: a step that ends meanwhile is in the log, and its end is told to who listens.
    running, rounds = live.running_steps(run_id), live.rounds(run_id)
    steps = live.vault.history.outline(run_id)
    # One that waited or failed before the run was resumed has an entry, and may run again.
    over = {path for path, entry in steps if entry["status"] in ("success", "skipped", "denied")}
    running = [each for each in running if each.run_id == run_id and each.path not in over]
    return build_timeline(
        run_id, steps, tool=tool, running=running, rounds=rounds, questions=questions, is_over=is_over
    )  # fmt: skip


def find_tool(live: LiveRuns, name: str) -> ToolDefinition | None:
    """The tool of a run, where there still is one."""
    try:
        return live.vault.registry.tool(name)
    except PaperError:
        return None


def stored_arguments(live: LiveRuns, run_id: str) -> JsonObject:
    """The arguments of a run, secrets redacted."""
    given = live.vault.history.inputs([run_id]).get(run_id, {})
    shown = live.vault.services.redaction.value(given)
    assert isinstance(shown, dict)
    return shown


def without_secrets(arguments: JsonObject) -> JsonObject:
    """The arguments that can be given again: redacted ones are left for the person to fill in."""
    return {name: value for name, value in arguments.items() if MASK not in str(value)}


def step_view(live: LiveRuns, run_id: str, path: str, entry: JsonObject) -> StepView:
    """An entry with its data, and with the run that it was."""
    below = child_run_id(run_id, StepPath(path))
    return StepView(
        entry=entry,
        path=path,
        parameters=tree(entry["parameters"]) if entry["parameters"] else None,
        output=tree(entry["output"]) if entry["output"] is not None else None,
        below=timeline(live, below, None) if live.vault.history.run(below) is not None else None,
    )


def stack_frames(error: JsonObject | None) -> list[dict[str, Any]]:
    """The frames of a JavaScript error that lie in a file."""
    details = error.get("details") if error else None
    stack = details.get("stack") if isinstance(details, dict) else None
    frames = stack if isinstance(stack, list) else []
    return [each for each in frames[:10] if isinstance(each, dict) and each.get("file") and each.get("line")]
