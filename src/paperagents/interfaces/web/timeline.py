"""A run as one timeline: a row for each step of the file, with its rounds, branches, attempts and calls below it.

Every row is known by the path of its step, so that what happens in a run finds its row; a row has an outcome only when
everything in it has one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from itertools import islice
from typing import Any

from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.definitions.tool import Step, ToolDefinition
from paperagents.interfaces.serving.live_runs import RunningStep
from paperagents.interfaces.web.question_view import QuestionView
from paperagents.interfaces.web.rendering import natural_order
from paperagents.runs.record import FUNCTION, POSTPROCESS, PREPROCESS
from paperagents.values import dataclass

ROWS_AT_ONCE = 100
LONGEST_LABEL = 120
_TOKEN = re.compile(r"^turn/\d+|/call/[^/\[~:]+|\[\d+\]|~\d+|:post|/[^/\[~:]+|^[^/\[~:]+")
_TELLING = ("query", "filePath", "url", "path", "id", "name", "title", "text", "message", "content")
"""Arguments that say what a call is about, the best first."""
_WORST = ("running", "waiting", "error", "denied", "success", "skipped", "pending")


@dataclass(kw_only=True, slots=True)
class Row:
    """One step, or one part of a step."""

    path: str
    name: str = ""
    block: str = "tool"
    entry: JsonObject | None = None
    number: int | None = None
    """Its place in the log, from 0."""
    elapsed: float | None = None
    """Milliseconds since it began, while it runs."""
    expected: int = 0
    """How many rounds or branches there are, as far as that is known."""
    rows: dict[str, Row] = field(default_factory=dict)
    questions: list[QuestionView] = field(default_factory=list)
    label: str = ""
    state: str = "pending"
    """How it stands, with everything that is in it."""
    took: float = 0.0
    """Milliseconds; of rounds and branches, those of all of them together."""
    failed: int = 0
    """How many of its rounds failed."""

    part: str = ""
    """What it is of the row above: ``[3]``, ``/1``, ``~2``, ``:post`` or ``/call-1``."""

    def __post_init__(self) -> None:
        """Known once: it is asked for many times, and there may be thousands of rows."""
        self.part = split_path(self.path)[-1]

    @property
    def members(self) -> list[Row]:
        """Rounds and branches: what the row consists of."""
        return [row for row in self.rows.values() if is_member(row.part)]

    @property
    def items(self) -> list[Row]:
        """What is counted and not listed by itself: rounds, and the calls of a script."""
        return [row for row in self.rows.values() if is_item(row.part)]

    @property
    def done(self) -> list[int]:
        """The numbers of the rounds that are over."""
        return [number_of(row.part) for row in self.items if row.state not in ("running", "pending")]

    @property
    def is_group(self) -> bool:
        """Whether its rounds or calls are counted."""
        return bool(self.items) or self.expected > 0

    @property
    def shown(self) -> list[Row]:
        """The rows below it that are always seen; rounds are unfolded."""
        return in_order(row for row in self.rows.values() if not is_item(row.part))

    @property
    def total(self) -> int:
        """How many rounds or calls there are, as far as that is known."""
        return max(self.expected, len(self.items))

    @property
    def ranges(self) -> str:
        """The numbers of the rounds that are over, in few characters."""
        return as_ranges(self.done)


def split_path(path: str) -> list[str]:
    """The tokens of a path: ``2[7]/1~2:post`` is ``2``, ``[7]``, ``/1``, ``~2``, ``:post``."""
    return _TOKEN.findall(path) or [path]


def is_member(part: str) -> bool:
    """Whether a part is a round of a loop or one of the steps side by side."""
    return part.startswith("[") or (part.startswith("/") and part[1:].isdigit())


def is_item(part: str) -> bool:
    """Whether there may be thousands of such parts."""
    return part.startswith(("[", "/call-"))


def number_of(part: str) -> int:
    """The number of a round or call."""
    found = re.search(r"\d+", part)
    return int(found[0]) if found else 0


def in_order(rows: Iterable[Row]) -> list[Row]:
    """Rows in the order of the file: rounds by number, what follows after them."""
    return sorted(rows, key=lambda row: (row.part == ":post", natural_order(row.part)))


@dataclass(frozen=True, kw_only=True)
class Timeline:
    """The rows of one run."""

    run_id: str
    rows: tuple[Row, ...]
    log: Sequence[JsonObject] = ()
    """The entries in the order of the steps, without what is large in them."""

    def find(self, path: str) -> Row | None:
        """The row of a path."""
        found: Row | None = None
        inside: Mapping[str, Row] = {row.path: row for row in self.rows}
        for at in prefixes(path):
            found = inside.get(at)
            if found is None:
                return None
            inside = found.rows
        return found

    def questions(self) -> Iterator[QuestionView]:
        """Those that stand in a row."""
        waiting = [*self.rows]
        while waiting:
            row = waiting.pop()
            yield from row.questions
            waiting += row.shown

    def states(self) -> dict[str, str]:
        """The state of each row, and of the rows right below it, by path: for the diagram."""
        every = (each for row in self.rows for each in (row, *row.members))
        return {row.path: row.state for row in every}


def prefixes(path: str) -> Iterator[str]:
    """The paths of the rows that lead to a row, and its own."""
    at = ""
    for token in split_path(path):
        at += token
        yield at


def build_timeline(  # noqa: PLR0913  everything that a row can be known from
    run_id: str,
    steps: Sequence[tuple[str, JsonObject]],
    *,
    tool: ToolDefinition | None = None,
    running: Sequence[RunningStep] = (),
    rounds: Mapping[str, int] | None = None,
    questions: Sequence[QuestionView] = (),
    is_over: bool = True,
) -> Timeline:
    """The timeline of a run from its log, what runs now, and what its file says is still to come."""
    rows: dict[str, Row] = {}
    if tool is not None and not is_over:
        rows.update(planned_rows(tool))
    # By step, as everywhere; stable, so that a row's number is its place in the record.
    steps = sorted(steps, key=lambda step: int(str(step[1]["step"])))
    for number, (path, entry) in enumerate(steps):
        row = open_row(rows, path)
        row.entry, row.number = entry, number
        row.name, row.block = str(entry["name"]), str(entry["block"])
    for now in running:
        if now.run_id == run_id:
            row = open_row(rows, now.path)
            row.name, row.block, row.elapsed = now.name, now.block, now.elapsed
    for path, count in (rounds or {}).items():
        if (group := rows.get(path)) is not None and not is_over:
            group.expected = count
    for question in questions:
        place_question(rows, run_id, question)
    for row in rows.values():
        finish_row(row)
    return Timeline(run_id=run_id, rows=tuple(rows.values()), log=[entry for _, entry in steps])


def planned_rows(tool: ToolDefinition) -> Iterator[tuple[str, Row]]:
    """The rows of a tool before anything has happened."""
    if tool.preprocess is not None:
        yield PREPROCESS, Row(path=PREPROCESS, name=tool.id, block="preprocess")
    if tool.custom_function is not None or tool.module is not None:
        yield FUNCTION, Row(path=FUNCTION, name=tool.id, block="custom_function")
    for number, step in enumerate(tool.steps, 1):
        yield str(number), Row(path=str(number), name=step.name, rows=dict(planned_branches(str(number), step)))
    if tool.postprocess is not None:
        yield POSTPROCESS, Row(path=POSTPROCESS, name=tool.id, block="postprocess")


def planned_branches(path: str, step: Step) -> Iterator[tuple[str, Row]]:
    """The steps side by side in a step; those of a loop are known only when its rounds are."""
    for number, inner in enumerate(step.parallel if step.for_each is None else (), 1):
        yield f"{path}/{number}", Row(path=f"{path}/{number}", name=inner.name)


def open_row(rows: dict[str, Row], path: str) -> Row:
    """The row of a path, with those that lead to it."""
    inside, row = rows, Row(path=path)
    for at in prefixes(path):
        row = inside.setdefault(at, Row(path=at))
        inside = row.rows
    return row


def place_question(rows: dict[str, Row], run_id: str, question: QuestionView) -> None:
    """Put a question into the row that waits, also where a run below it asks."""
    asked = question.request
    path = asked.path if asked.asked_in == run_id else asked.asked_in.removeprefix(f"{run_id}.").partition(".")[0]
    found: Row | None = None
    for at in prefixes(path):
        # Not in a round, where it would be seen only after unfolding something.
        if at not in rows or is_item(split_path(at)[-1]):
            break
        found, rows = rows[at], rows[at].rows
    if found is not None:
        found.questions.append(question)


def finish_row(row: Row) -> None:
    """Name, label and state of a row from what is below it."""
    if row.entry is not None and not row.rows and is_item(row.part):
        # One of thousands: it gets its label when it is unfolded.
        row.took = float(str(row.entry["duration_ms"]))
        row.state = "running" if row.elapsed is not None else str(row.entry["status"])
        return
    for inner in row.rows.values():
        finish_row(inner)
    branches = [
        inner.name for inner in in_order(row.rows.values()) if inner.part.startswith("/") and is_member(inner.part)
    ]
    if row.entry is None and branches:
        row.name = ", ".join(branches[:4])
    elif not row.name:
        row.name = next((inner.name for inner in row.rows.values()), row.path)
    if row.entry is not None:
        row.label = label_of(row.entry)
    own = float(str(row.entry["duration_ms"])) if row.entry is not None else 0.0
    row.took = own + sum(inner.took for inner in row.rows.values() if not inner.part.startswith("/call"))
    row.failed = sum(inner.state == "error" for inner in row.items)
    row.state = state_of(row)


def state_of(row: Row) -> str:
    """How a row stands: the worst of what is in it; while something of it is missing, it runs."""
    own = "running" if row.elapsed is not None else str(row.entry["status"]) if row.entry is not None else "pending"
    attempts = [inner.state for inner in row.rows.values() if inner.part.startswith("~")]
    # What a script or a model calls may fail without the step doing so; that it runs or waits holds for the step, too.
    counted = [inner.state for inner in row.rows.values() if is_member(inner.part) or inner.part == ":post"]
    below = [inner.state for inner in row.rows.values() if inner.state in ("running", "waiting")]
    states = [attempts[-1] if attempts else own, *counted, *below]
    worst = min((each for each in states if each != "pending"), key=_WORST.index, default="pending")
    is_missing = "pending" in counted or len(row.done) < row.expected
    return "running" if is_missing and worst in ("success", "skipped") else worst


def label_of(entry: Mapping[str, Any]) -> str:
    """One line that tells this step from another: what a model said, else the first argument."""
    output = entry["output"]
    if entry["name"] == "model" and isinstance(output, dict) and isinstance(output.get("text"), str):
        return one_line(output["text"])
    return summarize(entry["parameters"])


def summarize(arguments: Mapping[str, Any]) -> str:
    """What a call is about, in one line: what it names, else its first argument."""
    told = sorted(arguments, key=lambda name: _TELLING.index(name) if name in _TELLING else len(_TELLING))
    return next((one_line(arguments[name]) for name in told if is_scalar(arguments[name])), "")


def summarize_all(arguments: Mapping[str, Any]) -> str:
    """Every argument that can be read in one line, what it names first."""
    told = sorted(arguments, key=lambda name: _TELLING.index(name) if name in _TELLING else len(_TELLING))
    return one_line(" · ".join(one_line(arguments[name]) for name in told if is_scalar(arguments[name])))


def items_from(items: Iterable[Row], first: int) -> list[Row]:
    """Some rounds or calls in the order of their numbers, from a place on, with their labels."""
    chosen = sorted(items, key=lambda row: number_of(row.part))[first : first + ROWS_AT_ONCE]
    for row in chosen:
        row.label = label_of(row.entry) if row.entry is not None else ""
    name_rounds([row for row in chosen if row.part.startswith("[")])
    return chosen


def name_rounds(rounds: Sequence[Row]) -> None:
    """Rounds are told apart by their item: by the first argument that is not the same in all of them."""
    entries: list[Any] = [row.entry for row in rounds]
    given = [entry["parameters"] if entry is not None else {} for entry in entries]
    names = list(dict.fromkeys(name for each in islice(given, 20) for name in each))
    differing = (name for name in names if len({repr(each.get(name)) for each in islice(given, 20)}) > 1)
    name = next(differing, None)
    for row, arguments in zip(rounds, given, strict=True):
        value = arguments.get(name) if name is not None else None
        row.label = one_line(value if isinstance(value, str) else repr(value)) if value is not None else row.label


def is_scalar(value: JsonValue) -> bool:
    """Whether a value can be read in one line."""
    return isinstance(value, str | int | float) and not isinstance(value, bool) and value != ""


def one_line(value: Any) -> str:
    """The beginning of a value in one line."""
    line = " ".join(str(value)[: 4 * LONGEST_LABEL].split())
    return line if len(line) <= LONGEST_LABEL else f"{line[:LONGEST_LABEL]}…"


def as_ranges(numbers: Iterable[int]) -> str:
    """Numbers in few characters: ``0-499 512``."""
    ranges: list[list[int]] = []
    for number in sorted(numbers):
        if ranges and number == ranges[-1][1] + 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    return " ".join(f"{first}-{last}" if last > first else str(first) for first, last in ranges)
