"""One run while it goes on."""

from __future__ import annotations

from dataclasses import dataclass

from paperagents.definitions.json_value import JsonObject
from paperagents.definitions.tool import ToolDefinition
from paperagents.execution.run_log import RunLog


@dataclass(frozen=True, kw_only=True)
class Frame:
    """Which run it is, what it runs, and where it writes down what happens."""

    run_id: str
    root_run: str
    """The run that somebody started; the same as ``run_id`` at the top."""
    depth: int
    root_step: int | None = None
    """For a run below another: the step of the one at the top that it belongs to."""
    tool: ToolDefinition
    arguments: JsonObject
    clock: dict[str, str]
    log: RunLog
    forgives: bool = False
    """What a call of it fails with is a result like any other: the run goes on, also later."""
    granted: frozenset[str] | None = None
    """The keys of the tools that may be called from here; None is every tool."""
    in_script: bool = False
    """It is below a tool in one JavaScript file, whose requests are only shown in a dry run."""
    replays: bool = False
    """What it works with may come from before an interruption, when results were kept without their secrets."""
    agents: int = 0
    """How many agents are above it, each asked by the one before."""
    spending: object = None
    """What the agents above it have spent, theirs to count."""
