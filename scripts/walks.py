"""Counts the calls of the package's functions on everyday walks: ``python scripts/walks.py [--top N] [WALK…]``.

    list      ``paper run format_list`` in a new vault, the second run, with a warm cache
    wait      a write that nobody is there to approve
    approve   the yes to it, later and in another process
    tag       an agent with a tag in its streamed answer
    mcp       an MCP call whose question the client shows (elicitation)

Each walk is a process of its own under ``sys.setprofile``. The package is the one that Python finds, so that
``PYTHONPATH=…/src`` measures another checkout. Counts of ``mcp`` vary a little: it waits by looking again.
"""

from __future__ import annotations

import argparse
import asyncio
import atexit
import json
import os
import re
import runpy
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from types import CodeType, FrameType
from typing import Any

import mcp_types as types
from mcp import Client
from mcp.client.stdio import StdioServerParameters

AGENT = "---\nagent: true\nname: keeper\n---\nKeep what matters.\n"
SPOKEN = 'Noted. {{<memory identifier="soil" content="Sandy, needs water" />}} And done.'


def main() -> None:
    """Walk, and print a table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("walks", nargs="*", metavar="WALK", help=f"one of {', '.join(WALKS)}; else all")
    parser.add_argument("--top", type=int, default=0, help="also list the functions that are called most")
    parser.add_argument("--path", action="store_true", help="also list the functions in the order of their first call")
    parser.add_argument("--to", metavar="REGEX", help="also list who calls whom up to the first such function")
    options = parser.parse_args()
    os.environ["WALKS_TO"] = options.to or ""
    print(
        "| walk | calls | of these for imports | functions | modules | deepest |\n| --- | --- | --- | --- | --- | --- |"
    )
    traces = {}
    for name in options.walks or WALKS:
        with TemporaryDirectory() as folder:
            traces[name] = trace = WALKS[name](Desk(Path(folder)))
        print(f"| {name} | {' | '.join(format(value, ',') for value in summary(trace))} |", flush=True)
    for name, trace in traces.items():
        for function, calls in Counter(trace["calls"]).most_common(options.top):
            print(f"{name}: {calls:6} {function}")
        if options.to:
            print(f"{name}: {len(trace['stack'])} hops", *trace["stack"], sep="\n    ")
        if options.path:
            print(f"{name}:", *(each for each in trace["calls"] if "<" not in each), sep="\n    ")


def summary(trace: Mapping[str, Any]) -> tuple[int, ...]:
    """The columns of the table. Functions are those that have a name and are called after their module is loaded."""
    calls: dict[str, int] = trace["calls"]
    functions = [name for name in calls if "<" not in name]
    return (
        sum(calls.values()) + trace["imports"],
        trace["imports"],
        len(functions),
        len({name.partition(":")[0] for name in calls}),
        trace["deepest"],
    )


# --- the walks


class Desk:
    """A new vault, and the command ``paper`` in it, traced or not."""

    def __init__(self, folder: Path) -> None:
        self.vault, self.trace = folder / "vault", folder / "trace.json"
        homes = {name: str(folder / name) for name in ("HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME")}
        self.environment = {**os.environ, **homes, "LC_ALL": "C.UTF-8"}
        self.paper("init", str(self.vault), check=True)

    def paper(self, *arguments: str, traced: bool = False, check: bool = False) -> str:
        """Run a command; gives what it prints."""
        command = self.traced if traced else [sys.executable, "-m", "paperagents"]
        answer = subprocess.run(
            [*command, *arguments],
            cwd=self.vault if self.vault.exists() else None,
            env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
        )  # fmt: skip
        if check and answer.returncode != 0:
            raise SystemExit(answer.stdout + answer.stderr)
        return answer.stdout + answer.stderr

    @property
    def traced(self) -> list[str]:
        """The command under trace."""
        return [sys.executable, str(Path(__file__).resolve()), "--traced", str(self.trace)]

    def result(self) -> dict[str, Any]:
        """What the last traced command left."""
        trace: dict[str, Any] = json.loads(self.trace.read_text())
        return trace


def walk_list(desk: Desk) -> dict[str, Any]:
    """The tool runs in the sandbox."""
    desk.paper("run", "format_list", "-p", 'items=["b","a"]', check=True)
    desk.paper("run", "format_list", "-p", 'items=["b","a"]', traced=True, check=True)
    return desk.result()


def walk_wait(desk: Desk) -> dict[str, Any]:
    """The first half: the question is kept."""
    desk.paper("list", check=True)
    ask(desk, traced=True)
    return desk.result()


def walk_approve(desk: Desk) -> dict[str, Any]:
    """The second half: the answer, and the run goes on."""
    ask(desk, traced=False)
    found = re.search(r"\b[0-9a-f]{16}\b", desk.paper("approvals", "list"))
    assert found is not None
    desk.paper("approvals", "approve", found[0], traced=True, check=True)
    assert (desk.vault / "notes/new.md").read_text() == "Hello\n"
    return desk.result()


def ask(desk: Desk, *, traced: bool) -> None:
    """Write a note where nobody is there to say yes."""
    desk.paper("run", "write_file", "-p", "path=notes/new.md", "-p", "content=Hello\n", traced=traced)
    assert not (desk.vault / "notes/new.md").exists()


def walk_tag(desk: Desk) -> dict[str, Any]:
    """A server streams the answer in small pieces."""
    from paperagents.testing import ScriptedServer  # noqa: PLC0415  of the checkout that is measured

    (desk.vault / "agents/keeper.md").write_text(AGENT)
    desk.paper("list", check=True)
    with ScriptedServer([SPOKEN, "That is all."] * 2) as server:
        desk.environment |= {"PAPER_LLM_BASE_URL": server.base_url, "PAPER_LLM_MODEL": "scripted"}
        desk.paper("ask", "keeper", "What of the soil?", "--yes", traced=True, check=True)
    assert "Sandy" in desk.paper("store", "memory", "list")
    return desk.result()


def walk_mcp(desk: Desk) -> dict[str, Any]:
    """Over standard input and output, as clients start it."""
    desk.paper("list", check=True)

    async def person(context: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
        assert context is not None
        schema = getattr(params, "requested_schema", {})
        return types.ElicitResult(action="accept", content=yes_to(schema))

    async def talk() -> None:
        command, *arguments = desk.traced
        server = StdioServerParameters(
            command=command, args=[*arguments, "--vault", str(desk.vault), "mcp"], env=desk.environment
        )
        async with Client(server, mode="legacy", elicitation_callback=person) as client:
            await client.call_tool("write_file", {"path": "notes/new.md", "content": "Hello\n"})

    asyncio.run(talk())
    assert (desk.vault / "notes/new.md").read_text() == "Hello\n"
    return desk.result()


def yes_to(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The first choice of the form's first field."""
    name, field = next(iter(schema["properties"].items()))
    values = field.get("enum") or [each["const"] for each in field.get("oneOf", ())] or [True]
    return {name: values[0]}


WALKS: Mapping[str, Callable[[Desk], dict[str, Any]]] = {
    "list": walk_list,
    "wait": walk_wait,
    "approve": walk_approve,
    "tag": walk_tag,
    "mcp": walk_mcp,
}


# --- tracing, inside the process of a walk


class Tracer:
    """Counts calls of the package in all threads; generators count each time they go on."""

    def __init__(self, package: Path) -> None:
        self.package = f"{package}{os.sep}"
        self.calls: Counter[CodeType] = Counter()
        self.deepest = 0
        self.own: dict[CodeType, bool] = {}
        self.threads = threading.local()
        self.to = re.compile(os.environ.get("WALKS_TO") or r"(?!)")
        self.stack: list[str] = []

    def __call__(self, frame: FrameType, event: str, _: object) -> None:
        """Be told of a call or a return."""
        if event not in ("call", "return"):
            return
        code = frame.f_code
        own = self.own.get(code)
        if own is None:
            own = self.own[code] = code.co_filename.startswith(self.package)
        if not own:
            return
        depth = getattr(self.threads, "depth", 0) + (1 if event == "call" else -1)
        self.threads.depth = depth
        if event == "call":
            self.calls[code] += 1
            self.deepest = max(self.deepest, depth)
            if not self.stack and self.to.search(self.name(code)):
                self.stack = self.names_down_to(frame)

    def write(self, path: Path) -> None:
        """Leave the trace for the process that asked for it."""
        sys.setprofile(None)
        calls: Counter[str] = Counter()
        imports = 0
        for code, count in self.calls.copy().items():
            if code.co_name == "<module>" or not code.co_flags & 2:
                # The bodies of modules and classes (without CO_NEWLOCALS) run while importing.
                imports += count
            else:
                calls[self.name(code)] += count
        trace = {"calls": calls, "imports": imports, "deepest": self.deepest, "stack": self.stack}
        path.write_text(json.dumps(trace))

    def name(self, code: CodeType) -> str:
        """File and function."""
        return f"{code.co_filename.removeprefix(self.package)}:{code.co_qualname}"

    def names_down_to(self, frame: FrameType | None) -> list[str]:
        """Who calls whom, from the outermost."""
        names: list[str] = []
        while frame is not None:
            if self.own.get(frame.f_code):
                names.insert(0, self.name(frame.f_code))
            frame = frame.f_back
        return names


def trace_paper(path: Path, arguments: list[str]) -> None:
    """Be the command ``paper``, and leave a trace."""
    import importlib.util  # noqa: PLC0415  only here

    found = importlib.util.find_spec("paperagents")
    assert found is not None
    assert found.origin is not None
    tracer, process = Tracer(Path(found.origin).parent), os.getpid()

    def write() -> None:
        if os.getpid() == process:
            tracer.write(path)

    leave = os._exit

    def exit_traced(code: int) -> None:
        write()
        leave(code)

    os._exit = exit_traced  # type: ignore[assignment]
    atexit.register(write)
    sys.argv = ["paper", *arguments]
    threading.setprofile(tracer)
    sys.setprofile(tracer)
    with suppress(KeyboardInterrupt):
        runpy.run_module("paperagents", run_name="__main__")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--traced"]:
        trace_paper(Path(sys.argv[2]), sys.argv[3:])
    else:
        main()
