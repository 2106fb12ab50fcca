"""An agent beside the ``llm`` package and Pydantic AI: the same scripted server, the same tool, the same conversation.

    python -I bench/agents.py

All players take turns in one run; figures are medians. Times are taken by the server: from the last byte of an answer
to the first byte of the next request.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from installed_peers import python_peer, versions  # noqa: E402  see above
from paperagents.testing import ScriptedServer, model_server  # noqa: E402  the table's folder is known only now
from recording import record  # noqa: E402  see above
from table import Row  # noqa: E402  see above

TURNS = 20
ROUNDS = 7
AGENT = """---
agent: true
name: helper
description: Helps.
model: m
tools: [read_file]
memory: false
max_iterations: 99
---
Help.
"""

OURS = """
import sys, time
import paperagents
vault = paperagents.open_vault(sys.argv[2])
def talk():
    record = vault.run("helper", {"query": "Go"})
    assert record.data == "Done.", record.error
"""
LLM = """
import sys, time
from pathlib import Path
from llm.default_plugins.openai_models import Chat
root = Path(sys.argv[2])
def read_file(filePath: str) -> str:
    "Read a file."
    return (root / filePath).read_text()
model = Chat("m", key="sk-none", api_base=sys.argv[1], supports_tools=True)
def talk():
    text = model.chain("Go", system="Help.", tools=[read_file], key="sk-none").text()
    assert text.endswith("Done."), text
"""
PYDANTIC = """
import sys, time
from pathlib import Path
from pydantic_ai import Agent, UsageLimits
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
root = Path(sys.argv[2])
def read_file(filePath: str) -> str:
    "Read a file."
    return (root / filePath).read_text()
model = OpenAIChatModel("m", provider=OpenAIProvider(base_url=sys.argv[1], api_key="sk-none"))
agent = Agent(model, instructions="Help.", tools=[read_file])
async def follow(context, events):
    async for _ in events:
        pass
import asyncio
loop = asyncio.new_event_loop()
def talk():
    run = agent.run("Go", event_stream_handler=follow, usage_limits=UsageLimits(request_limit=None))
    assert loop.run_until_complete(run).output == "Done."
"""
LISTEN = """
for line in sys.stdin:
    started = time.perf_counter()
    talk()
    print(time.perf_counter() - started, flush=True)
"""


class Clock:
    """When the last byte of an answer left, and how long the next request took to come."""

    def __init__(self) -> None:
        self.left = 0.0
        self.gaps: list[float] = []

    def arrived(self) -> None:
        """The first byte of a request."""
        if self.left:
            self.gaps.append(time.perf_counter() - self.left)
        self.left = 0.0


def measure() -> list[Row]:
    """Every player's gap between turns, and its time for a turn."""
    players = {"paper agents": (sys.executable, OURS)}
    peer = python_peer("tools-venv")
    if peer is not None:
        players |= {"llm": (str(peer), LLM), "Pydantic AI": (str(peer), PYDANTIC)}
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        root = _vault(Path(folder))
        clock = Clock()
        server = stack.enter_context(_timed_server(clock))
        processes = {
            name: stack.enter_context(_player(python, code, server.base_url, root))
            for name, (python, code) in players.items()
        }
        gaps, turns = _in_turn(processes, clock)
    return [*_rows("last byte of an answer to the next request", gaps), *_rows("a turn with a call, in all", turns)]


def peers() -> dict[str, str]:
    """The versions of those beside us."""
    return versions("tools-venv")


def _in_turn(processes: dict[str, Any], clock: Clock) -> tuple[dict[str, float], dict[str, float]]:
    gaps: dict[str, list[float]] = {name: [] for name in processes}
    turns: dict[str, list[float]] = {name: [] for name in processes}
    for number in range(ROUNDS + 1):
        for name, process in processes.items():
            clock.left, clock.gaps = 0.0, []
            process.stdin.write("go\n")
            process.stdin.flush()
            seconds = float(process.stdout.readline())
            if number:
                # The first round is for warming up.
                gaps[name] += clock.gaps
                turns[name].append(seconds / (TURNS + 1))
    return {name: statistics.median(each) for name, each in gaps.items()}, {
        name: statistics.median(each) for name, each in turns.items()
    }


def _rows(measure: str, figures: dict[str, float]) -> list[Row]:
    ours = figures.pop("paper agents")
    if not figures:
        return [Row(bench="agents", measure=measure, ours=_shown(ours))]
    return [
        Row(
            bench="agents",
            measure=f"{measure}, against {name}",
            ours=_shown(ours),
            theirs=_shown(theirs),
            ratio=ours / theirs,
            bar="< 1.0×",
            met=ours < theirs,
        )
        for name, theirs in figures.items()
    ]


def _shown(seconds: float) -> str:
    return f"{seconds * 1000:.2f} ms"


def _vault(folder: Path) -> Path:
    root = folder / "vault"
    (root / ".paper").mkdir(parents=True)
    (root / "helper.md").write_text(AGENT, encoding="utf-8")
    for number in range(TURNS):
        (root / f"note{number}.md").write_text("Sow the peas in March.\n" * 10, encoding="utf-8")
    return root


@contextmanager
def _timed_server(clock: Clock) -> Iterator[ScriptedServer]:
    """The scripted server, with a look at the clock at both ends of an answer."""
    # Each turn reads another note: whoever notices loops must not see one.
    calls = [{"tool": "read_file", "arguments": {"filePath": f"note{number}.md"}} for number in range(TURNS)]
    script: list[Any] = [*({"text": "I read.", "calls": [call]} for call in calls), "Done."]
    handler = model_server._Handler  # noqa: SLF001  the clock must stand inside
    parse, stream = handler.parse_request, handler.send_stream

    def parse_request(self: Any) -> bool:
        clock.arrived()
        return parse(self)

    def timed_stream(self: Any, turn: dict[str, Any]) -> None:
        stream(self, turn)
        self.wfile.flush()
        clock.left = time.perf_counter()

    # An answer in one packet: how the system handles many small ones is not the question.
    handler.wbufsize = 1 << 20
    handler.parse_request = parse_request  # type: ignore[method-assign]
    handler.send_stream = timed_stream  # type: ignore[method-assign]
    with ScriptedServer(script, by_messages=True, fragment=1000) as server:
        yield server
    handler.wbufsize = 0
    handler.parse_request = parse  # type: ignore[method-assign]
    handler.send_stream = stream  # type: ignore[method-assign]


@contextmanager
def _player(python: str, code: str, base_url: str, root: Path) -> Iterator[Any]:
    environment = {
        **os.environ,
        "PAPER_LLM_BASE_URL": base_url,
        "PAPER_LLM_API_KEY": "sk-none-at-all",
        "XDG_CONFIG_HOME": str(root.parent / "config"),
        "LLM_USER_PATH": str(root.parent / "llm"),
    }
    with subprocess.Popen(
        [python, "-c", code + LISTEN, base_url, str(root)], env=environment, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    ) as process:  # fmt: skip
        yield process
        assert process.stdin is not None
        process.stdin.close()


if __name__ == "__main__":
    record("agents", measure, peers)
