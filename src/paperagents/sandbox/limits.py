"""How much a block of JavaScript may use."""

from __future__ import annotations

from dataclasses import dataclass, fields


@dataclass(frozen=True, kw_only=True, slots=True)
class Limits:
    """The most one block may take. A tool can lower what its vault allows, never raise it."""

    seconds: float = 5.0
    """Computing time and time on the clock; the clock stands still while the host answers a call."""
    memory_mb: int = 256
    output_mb: int = 16
    """The size of the returned value as JSON, and of the arguments of one call to the host."""
    host_calls: int = 1000

    def __post_init__(self) -> None:
        for field in fields(self):
            if not 0 < getattr(self, field.name) < float("inf"):
                problem = f"the limit {field.name} must be a positive number"
                raise ValueError(problem)

    def lowered_to(
        self,
        *,
        seconds: float | None = None,
        memory_mb: int | None = None,
        output_mb: int | None = None,
        host_calls: int | None = None,
    ) -> Limits:
        """These limits with some of them lowered; a value above the present one changes nothing."""
        return Limits(
            seconds=min(self.seconds, seconds or self.seconds),
            memory_mb=min(self.memory_mb, memory_mb or self.memory_mb),
            output_mb=min(self.output_mb, output_mb or self.output_mb),
            host_calls=min(self.host_calls, host_calls or self.host_calls),
        )

    def within(self, ceiling: Limits) -> Limits:
        """These limits, each at most the ceiling's."""
        return ceiling.lowered_to(
            seconds=self.seconds,
            memory_mb=self.memory_mb,
            output_mb=self.output_mb,
            host_calls=self.host_calls,
        )
