"""How fast tool files are found, read and checked: python -I bench/reading.py."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from paperagents.reading.files import check_with_engine, read_markdown  # noqa: E402  after the path above
from paperagents.registry.tool_registry import ToolRegistry  # noqa: E402  after the path above
from recording import record  # noqa: E402  its folder is known only now
from table import Row  # noqa: E402  its folder is known only now

NAME = "reading"
AT_ONCE = 50
TOOL = """\
---
tool: true
name: tool_{number}
description: Collects the notes about a topic and writes them to a file.
parameters:
  - name: topic
    type: string
    description: What to look for
    minLength: 1
  - name: limit
    type: integer
    description: How many notes at most
    default: 20
---

# Tool {number}

```javascript
// @preprocess
input.topic = input.topic.trim().toLowerCase();
return input;
```

```yaml
steps:
  - name: find
    tool: search_files
    parameters:
      query: "{{{{topic}}}} AND -template"
      limit: "{{{{limit}}}}"
    post_processing: |
      return output.results.map(note => note.path);
  - name: write_file
    parameters:
      filePath: "collected/{{{{date}}}}-{number}.md"
      content: "{{{{prev_step.output}}}}"
```

```javascript
// @postprocess
return {{ written: output.filePath, bytes: output.size }};
```
"""
NOTE = "---\ntags: [note, number-{number}]\n---\n\n# Note {number}\n\n" + "Some words about this and that.\n" * 30


def measure() -> list[Row]:
    """All figures of this bench."""
    return [*_files_per_second(), *_commands()]


def _files_per_second() -> list[Row]:
    few, many = (_read_seconds(count) for count in (1_000, 10_000))
    growth = many / few / 10
    return [
        Row(bench=NAME, measure="read and check 1,000 tool files", ours=f"{1_000 / few:,.0f} files/s of CPU"),
        Row(
            bench=NAME, measure="read and check 10,000 tool files",
            ours=f"{10_000 / many:,.0f} files/s of CPU",
            bar="≥ 3,000", met=10_000 / many >= 3_000,
        ),
        Row(
            bench=NAME, measure="growth from 1,000 to 10,000, per file", ours=f"{growth:.2f}", ratio=growth,
            bar="linear: ≤ 1.2", met=growth <= 1.2,
        ),
    ]  # fmt: skip


def _read_seconds(count: int) -> float:
    """Processor time of the process that reads, the engine's questions included."""
    files = [TOOL.format(number=number).encode() for number in range(count)]
    check_with_engine([read_markdown(files[0], "warm-up.md")])
    start = time.process_time()
    for first in range(0, count, AT_ONCE):
        batch = files[first : first + AT_ONCE]
        readings = [read_markdown(data, f"tools/{first + number}.md") for number, data in enumerate(batch)]
        assert all(each.valid for each in check_with_engine(readings))
    return time.process_time() - start


def _commands() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        vault = Path(folder)
        _fill(vault)
        registry = ToolRegistry(vault, cache_file=vault / ".paper" / "cache" / "files.db")
        cold = _timed(registry.refresh)
        again = ToolRegistry(vault, cache_file=vault / ".paper" / "cache" / "files.db")
        warm = _timed(again.refresh)
        cold_command = _median(_paper("list", "--json", vault=vault), before=lambda: _forget(vault), times=3)
        single = vault / "single"
        single.mkdir()
        (single / ".paper").mkdir()
        (single / "tool.md").write_text(TOOL.format(number=1), encoding="utf-8")
        bare, version, check, listed = _interleaved(
            [
                [sys.executable, "-c", "pass"],
                _paper("--version"),
                _paper("check", "tool.md", vault=single),
                _paper("list", vault=vault),
            ]
        )
    beside = f"python -c pass: {bare * 1000:.0f} ms"
    return [
        Row(
            bench=NAME, measure="scan 1,000 tools among 10,000 notes, cold",
            ours=f"{cold * 1000:.0f} ms, {registry.files_read} files read",
        ),
        Row(
            bench=NAME, measure="scan again, unchanged", ours=f"{warm * 1000:.0f} ms, {again.files_read} files read",
            bar="no file read", met=again.files_read == 0,
        ),
        Row(bench=NAME, measure="paper list of them, cold", ours=f"{cold_command * 1000:.0f} ms"),
        Row(
            bench=NAME, measure="paper list of them, warm", ours=f"{listed * 1000:.0f} ms", theirs=beside,
            ratio=listed / bare, bar="≤ 9", met=listed / bare <= 9,
        ),
        Row(
            bench=NAME, measure="paper --version", ours=f"{version * 1000:.0f} ms", theirs=beside,
            ratio=version / bare, bar="≤ 6", met=version / bare <= 6,
        ),
        Row(
            bench=NAME, measure="paper check FILE", ours=f"{check * 1000:.0f} ms", theirs=beside,
            ratio=check / bare, bar="≤ 15", met=check / bare <= 15,
        ),
    ]  # fmt: skip


def _fill(vault: Path) -> None:
    (vault / ".paper").mkdir()
    for number in range(10_000):
        folder = vault / f"folder-{number % 100}"
        folder.mkdir(exist_ok=True)
        (folder / f"note-{number}.md").write_text(NOTE.format(number=number), encoding="utf-8")
    for number in range(1_000):
        (vault / f"folder-{number % 100}" / f"tool-{number}.md").write_text(
            TOOL.format(number=number), encoding="utf-8"
        )
    time.sleep(0.2)


def _forget(vault: Path) -> None:
    (vault / ".paper" / "cache" / "files.db").unlink(missing_ok=True)


def _paper(*arguments: str, vault: Path | None = None) -> list[str]:
    where = ["--vault", str(vault)] if vault is not None else []
    return [sys.executable, "-I", "-m", "paperagents", *where, *arguments]


def _median(command: list[str], *, times: int, before: Callable[[], None] = lambda: None) -> float:
    seconds = []
    for _ in range(times):
        before()
        seconds.append(_timed(lambda: _run(command)))
    return statistics.median(seconds)


def _interleaved(commands: list[list[str]], times: int = 15) -> list[float]:
    seconds: list[list[float]] = [[] for _ in commands]
    for _ in range(times):
        for number, command in enumerate(commands):
            seconds[number].append(_timed(lambda command=command: _run(command)))  # type: ignore[misc]
    return [statistics.median(each) for each in seconds]


def _run(command: list[str]) -> None:
    subprocess.run(command, check=True, capture_output=True, env={**os.environ, "LC_ALL": "C.UTF-8"})


def _timed(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


if __name__ == "__main__":
    record(NAME, measure)
