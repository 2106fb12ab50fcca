"""The MCP Inspector's command line against the vault, over standard input and output and over HTTP.

    python -I bench/inspector.py

It is installed with a Node of its own, because it wants a newer one than many systems have.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from installed_peers import node_peer, python_peer, versions  # noqa: E402  see above
from recording import record  # noqa: E402  see above
from serving import make_vault, paper_arguments, paper_serve  # noqa: E402  its folder is known only now
from table import Row  # noqa: E402  see above

Judge = Callable[[dict[str, Any]], bool]
CALLS: dict[str, tuple[list[str], Judge]] = {
    "tools/list": (["--method", "tools/list"], lambda answer: "shout" in {each["name"] for each in answer["tools"]}),
    "tools/call": (
        ["--method", "tools/call", "--tool-name", "shout", "--tool-arg", "words=hello"],
        lambda answer: bool(answer["content"][0]["text"] == "HELLO"),
    ),
    "tools/call, wrong arguments": (
        ["--method", "tools/call", "--tool-name", "shout", "--tool-arg", "word=hello"],
        lambda answer: bool(answer["isError"]),
    ),
    "resources/list": (["--method", "resources/list"], lambda answer: bool(answer["resources"])),
    "resources/read": (
        ["--method", "resources/read", "--uri", "note:///shout.md"],
        lambda answer: "tool: true" in answer["contents"][0]["text"],
    ),
    "prompts/list": (["--method", "prompts/list"], lambda answer: "prompts" in answer),
}


def measure() -> list[Row]:
    """A row for each way in; none where the Inspector cannot be installed."""
    inspector = _inspector()
    if inspector is None:
        return []
    with tempfile.TemporaryDirectory() as folder:
        vault = make_vault(Path(folder))
        with paper_serve(vault) as served:
            ways = {
                "stdio": [sys.executable, *paper_arguments(vault, "mcp")],
                "HTTP": [f"{served['url']}/mcp", "--header", f"Authorization: Bearer {served['token']}"],
            }
            return [_row(way, [*inspector, *target], Path(folder)) for way, target in ways.items()]


def peers() -> dict[str, str]:
    """The versions of the Inspector and its Node."""
    return versions("inspector", "inspector/node-venv")


def _inspector() -> list[str] | None:
    """How it is started."""
    python = python_peer("inspector/node-venv")
    modules = node_peer("inspector", str(python.with_name("npm"))) if python is not None else None
    if python is None or modules is None:
        return None
    return [str(python.with_name("node")), str(modules / ".bin" / "mcp-inspector"), "--cli"]


def _row(way: str, target: list[str], home: Path) -> Row:
    failed = [name for name, (call, judge) in CALLS.items() if not _answers(target, call, judge, home)]
    ours = f"{len(CALLS) - len(failed)} of {len(CALLS)}" + (f" (not {', '.join(failed)})" if failed else "")
    return Row(bench="inspector", measure=f"the Inspector's calls over {way}", ours=ours, bar="all", met=not failed)


def _answers(target: list[str], call: list[str], judge: Judge, home: Path) -> bool:
    # It starts helpers by the name of node alone.
    path = f"{Path(target[0]).parent}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "HOME": str(home)}
    done = subprocess.run([*target, *call], capture_output=True, text=True, check=False, timeout=90, env=environment)
    try:
        return judge(json.loads(done.stdout))
    except (ValueError, KeyError, TypeError):
        print(f"{call}: {done.stdout[-500:]}{done.stderr[-500:]}", file=sys.stderr)
        return False


if __name__ == "__main__":
    record("inspector", measure, peers)
