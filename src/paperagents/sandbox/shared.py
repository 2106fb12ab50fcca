"""One sandbox for the whole process, started with the first block it runs."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from paperagents.definitions.json_value import JsonValue
from paperagents.definitions.source import Excerpt
from paperagents.sandbox.block import HostFunctions
from paperagents.sandbox.limits import Limits
from paperagents.sandbox.pool import Sandbox

# Callers of the shared sandbox bring their own limits; these bound what any of them may ask for.
_CEILING = Limits(seconds=600.0, memory_mb=1024, output_mb=64, host_calls=10_000)


def run_javascript(
    code: Excerpt | str,
    *,
    names: Mapping[str, JsonValue] | None = None,
    limits: Limits | None = None,
    host: HostFunctions | None = None,
) -> JsonValue:
    """Run a function body with these names in sight and give the value it returns."""
    return _shared().run(code, names=names, limits=limits or Limits(), host=host).value


@cache
def _shared() -> Sandbox:
    return Sandbox(limits=_CEILING)
