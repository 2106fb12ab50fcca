"""The diagram of a chain: its blocks and steps from top to bottom, those that run side by side beside each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from paperagents.definitions.step import Step
from paperagents.definitions.tool import ToolDefinition
from paperagents.messages import text

WIDTH, HEIGHT, GAP, SIDE = 200, 44, 22, 16
MOST_LANES = 4
MOST_ROWS = 60


@dataclass(frozen=True, kw_only=True, slots=True)
class Box:
    """One block or step, with its place in the picture."""

    step: int
    name: str
    detail: str
    x: int
    y: int
    kind: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Diagram:
    """The picture of a chain."""

    boxes: tuple[Box, ...]
    lines: tuple[str, ...]
    """Paths of the connections."""
    width: int
    height: int


@dataclass(frozen=True, kw_only=True, slots=True)
class _Item:
    step: int
    name: str
    detail: str
    kind: str


def diagram(tool: ToolDefinition) -> Diagram | None:
    """The diagram of a tool; None where there is nothing to see but one block."""
    rows = list(_rows(tool))[:MOST_ROWS]
    if len(rows) < 2 or not tool.steps:
        return None
    lanes = max(len(row) for row in rows)
    width = lanes * WIDTH + (lanes - 1) * SIDE + 2
    boxes = [tuple(_placed(row, number, width)) for number, row in enumerate(rows)]
    lines = [path for above, below in pairwise(boxes) for path in _connections(above, below)]
    height = len(rows) * HEIGHT + (len(rows) - 1) * GAP + 2
    return Diagram(boxes=tuple(box for row in boxes for box in row), lines=tuple(lines), width=width, height=height)


def _rows(tool: ToolDefinition) -> Iterator[list[_Item]]:
    number = 0
    if tool.preprocess is not None:
        number += 1
        yield [_Item(step=number, name=tool.id, detail=text("web.block.preprocess"), kind="preprocess")]
    for step in tool.steps:
        number += 1
        yield list(_items(step, number))
    if tool.postprocess is not None:
        yield [_Item(step=number + 1, name=tool.id, detail=text("web.block.postprocess"), kind="postprocess")]


def _items(step: Step, number: int) -> Iterator[_Item]:
    if not step.parallel:
        yield _Item(step=number, name=step.name, detail=_detail(step), kind="tool")
        return
    for inner in step.parallel[:MOST_LANES]:
        yield _Item(step=number, name=inner.name, detail=_detail(inner), kind="tool")


def _detail(step: Step) -> str:
    remarks = [
        step.tool if step.tool != step.name else "",
        text("web.diagram.if") if step.condition is not None else "",
        text("web.diagram.each") if step.for_each is not None else "",
        text("web.diagram.retry", count=step.retry.attempts) if step.retry.attempts > 1 else "",
    ]
    return " · ".join(filter(None, remarks))


def _placed(row: Sequence[_Item], number: int, width: int) -> Iterator[Box]:
    own = len(row) * WIDTH + (len(row) - 1) * SIDE
    left = (width - own) // 2
    for lane, item in enumerate(row):
        yield Box(
            step=item.step,
            name=_short(item.name),
            detail=_short(item.detail, 30),
            x=left + lane * (WIDTH + SIDE),
            y=1 + number * (HEIGHT + GAP),
            kind=item.kind,
        )


def _connections(above: Sequence[Box], below: Sequence[Box]) -> Iterator[str]:
    for one in above:
        for other in below:
            start, end = one.x + WIDTH // 2, other.x + WIDTH // 2
            top, bottom = one.y + HEIGHT, other.y
            middle = (top + bottom) // 2
            yield f"M{start} {top} C{start} {middle} {end} {middle} {end} {bottom}"


def _short(name: str, most: int = 24) -> str:
    return name if len(name) <= most else f"{name[: most - 1]}…"
