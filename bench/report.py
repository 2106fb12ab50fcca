"""Makes the report of all results: bench/RESULTS.md, the chart docs/figures.svg, and the figures of README.md.

``python -I bench/report.py`` writes them, ``--check`` only tells which are out of date. Every bench does the first at
its end. What is worth saying beside the figures of a bench stands in ``remarks.toml``.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from chart import Bar, drawing  # noqa: E402  its folder is known only now
from result_files import Result, stored  # noqa: E402  see above
from table import Row, table  # noqa: E402  see above

ROOT = HERE.parent
REGION = re.compile(r"(<!-- generated: figures -->\n).*?(<!-- end -->)", re.DOTALL)

# The times that say most, good and bad: bench, how the measure begins, what it is called in the chart, and beside whom.
HEADLINES = (
    ("search", "100,000 notes: warm, a word in 1 in 1,000 notes, 20 best",
     "a search in 100,000 notes, program running", "ripgrep"),
    ("search", "100,000 notes: paper search in a new process, folder checked", "the same, in a new process",
     "ripgrep"),
    ("search", "100,000 notes: building the index, beside a bare one", "building its index", "bare tantivy"),
    ("sandbox", "one small transform, with idle gaps, against a node process per call", "a script in the sandbox",
     "a node process"),
    ("sandbox", "one small transform, with idle gaps, against quickjs-emscripten, fresh runtime",
     "a script in the sandbox", "quickjs-emscripten"),
    ("sandbox", "one small transform, with idle gaps, against quickjs-ng in process, fresh context, no walls",
     "a script in the sandbox", "no walls at all"),
    ("running", "a step of a chain without JavaScript, recorded, against a LangChain tool call", "a step of a chain",
     "LangChain, unrecorded"),
    ("agents", "a turn with a call, in all, against llm", "an agent's turn with a call", "llm"),
    ("agents", "a turn with a call, in all, against Pydantic AI", "an agent's turn with a call", "Pydantic AI"),
    ("serving", "MCP over stdio: one call", "a call over MCP, stdio", "FastMCP"),
    ("serving", "MCP over HTTP, 2025-11-25: one call", "a call over MCP, HTTP", "FastMCP"),
    ("cluster", "a step that reads, against a DBOS step", "a step on PostgreSQL that reads", "DBOS"),
    ("cluster", "a step that changes a file", "one that changes a file, approved", "DBOS"),
)  # fmt: skip
FAULTS = ("agent_kill", "changes", "faults", "kill")
INTRODUCTION = """\
# Figures

Made from `bench/results/` by `bench/report.py`. Ratios hold better than times: both sides take turns in one run, and
figures are medians. A *ratio* is ours to theirs, so less is better, except where the bar
says otherwise (`≥`) or there is only one side: then it is growth."""
HOW = """\
## Run it yourself

```sh
just bench              # all, an hour or two
just bench sandbox      # one of them
```

Each bench puts what it is compared with into `bench/peers/`, in fixed versions, and leaves out what cannot be
installed. Node, ripgrep and Chromium are those of your system. Some have a command of their own, for a longer or a
shorter run:

```sh
python -I bench/sandbox.py --soak 10000     # timeouts, memory bombs and kills among good blocks
python -I bench/tags.py --splits 100000     # streamed text against whole text
python -I bench/search.py --changes 500     # the index against reading every file
python -I bench/kill.py 200
python -I bench/changes.py 300
python -I bench/agent_kill.py --kills 200
python -I bench/faults.py 2000 4
```"""


def main(arguments: Sequence[str]) -> int:
    """Write what is out of date, or tell of it."""
    if "--check" not in arguments:
        write()
        return 0
    stale = [str(file.relative_to(ROOT)) for file, text in made().items() if file.read_text(encoding="utf-8") != text]
    print("\n".join(stale))
    return len(stale)


def write() -> None:
    """Renew every file of the report."""
    for file, text in made().items():
        file.write_text(text, encoding="utf-8")


def made() -> dict[Path, str]:
    """Every file of the report with the text that belongs there."""
    results = stored()
    readme = ROOT / "README.md"
    remarks = tomllib.loads((HERE / "remarks.toml").read_text(encoding="utf-8"))
    return {
        HERE / "RESULTS.md": page(results, remarks),
        ROOT / "docs" / "figures.svg": drawing(list(headlines(results))),
        readme: with_figures(readme.read_text(encoding="utf-8"), results),
    }


def page(results: Sequence[Result], remarks: Mapping[str, str]) -> str:
    """All figures: first every bar, then the rest by bench."""
    parts = [INTRODUCTION, f"## Every bar\n\n{verdict(results)}", table(_judged(results))]
    parts += ["## The benches", *(_of_one_bench(result, remarks.get(result.bench, "")) for result in results), HOW]
    return "\n\n".join(parts) + "\n"


def verdict(results: Iterable[Result]) -> str:
    """How many bars are met."""
    judged = _judged(results)
    met = sum(row.met is True for row in judged)
    return f"{met} of {len(judged)} bars are met, {len(judged) - met} missed."


def headlines(results: Iterable[Result]) -> Iterator[Bar]:
    """The bars of the chart; what was not measured is not drawn."""
    rows = [row for result in results for row in result.rows]
    for bench, begins, label, peer in HEADLINES:
        found = (row.ratio for row in rows if row.bench == bench and row.measure.startswith(begins))
        ratio = next(found, None)
        if ratio is not None:
            yield Bar(label=label, peer=peer, ratio=ratio)


def with_figures(readme: str, results: Sequence[Result]) -> str:
    """The text with its figures as they are now."""
    faults = [f"- {row.measure}: {row.ours}" for result in results if result.bench in FAULTS for row in result.rows]
    picture = "![Our times as shares of those of others, as bars](docs/figures.svg)"
    content = f"{picture}\n\n{verdict(results)} And where nothing may go wrong:\n\n" + "\n".join(faults)
    return REGION.sub(lambda match: f"{match[1]}\n{content}\n\n{match[2]}", readme)


def _judged(results: Iterable[Result]) -> list[Row]:
    return [row for result in results for row in result.rows if row.met is not None]


def _of_one_bench(result: Result, remark: str) -> str:
    others = [row for row in result.rows if row.met is None]
    told = [_taken(result), result.note, remark.strip()]
    parts = [f"### {result.bench}", *told, table(others) if others else ""]
    return "\n\n".join(part for part in parts if part)


def _taken(result: Result) -> str:
    machine = result.machine
    load = "load not noted" if machine.load is None else f"load {machine.load:g} before"
    parts = [result.date, f"{machine.processors} processors", machine.kernel, f"Python {machine.python}", load]
    parts += [f"commit {machine.commit}"] if machine.commit else []
    peers = ", ".join(f"{name} {version}".strip() for name, version in sorted(result.peers.items()))
    return f"{', '.join(parts)}.{f' Beside {peers}.' if peers else ''}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
