"""Where in a run something happens."""

from __future__ import annotations

from dataclasses import dataclass

from paperagents.definitions.tool import Block


class StepPath(str):
    """The name of a place in a run, unique there: ``pre``, ``2``, ``2[7]``, ``3/1``, ``2~3``, ``2:post``, ``turn/1``.

    A text, because that is how the journal keeps it; only this class knows how it is put together.
    """

    __slots__ = ()

    def item(self, index: int) -> StepPath:
        """One round of a ``for_each``."""
        return StepPath(f"{self}[{index}]")

    def branch(self, number: int) -> StepPath:
        """One of the steps of ``parallel``."""
        return StepPath(f"{self}/{number}")

    def attempt(self, number: int) -> StepPath:
        """One attempt of a step with ``retry``; the first has the step's own path."""
        return self if number == 1 else StepPath(f"{self}~{number}")

    def post_processing(self) -> StepPath:
        """The ``post_processing`` of a step."""
        return StepPath(f"{self}:post")

    def script_call(self, number: int) -> StepPath:
        """A call that a script of this step makes."""
        return StepPath(f"{self}/call-{number}")

    def model_calls(self) -> StepPath:
        """Above all calls of this turn of a model."""
        return StepPath(f"{self}/call")

    @property
    def turn(self) -> StepPath | None:
        """The turn of a model that made this call; None for what is no model's call."""
        above, found, _ = self.partition("/call/")
        return StepPath(above) if found else None


PREPROCESS, FUNCTION, POSTPROCESS = StepPath("pre"), StepPath("fn"), StepPath("post")
ARGUMENTS, ENVIRONMENT, WHOLE_TOOL, PACKAGES = map(StepPath, ("arguments", "environment", "ask", "npm"))


def child_run_id(run_id: str, path: StepPath) -> str:
    """The id of the run that a step of another run is."""
    return f"{run_id}.{path}"


def root_of(run_id: str) -> str:
    """The run that somebody started; the ids of those below it begin with its id and a dot."""
    return run_id.partition(".")[0]


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """A step or block of a run: its path, and what people see of it."""

    path: StepPath
    step: int
    block: Block
    name: str
