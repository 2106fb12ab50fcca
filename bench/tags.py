"""Tags beside the regular expressions they replace: speed, growth on hostile text, and what is found.

    python -I bench/tags.py                     the table
    python -I bench/tags.py --splits 100000     long texts cut at random places, streamed against whole

The peer is a Node program with one regular expression per tool and form. Both read the same texts in turn in one run;
figures are medians.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from installed_peers import program_version  # noqa: E402  its folder is known only now
from paperagents.tags import TagReader, extract_all_tool_operations, resolve_vault_references  # noqa: E402  see above
from recording import record  # noqa: E402  its folder is known only now
from table import Row  # noqa: E402  its folder is known only now

SIZES = {"1 KB": 1_000, "100 KB": 100_000, "10 MB": 10_000_000}
BARS: dict[str, float | None] = {"dense": 1.0, "sparse": 5.0, "mixed": None}
EVERY_CATEGORY = ("reasoning", "storage", "execution", "output")
GROWTH_BAR = 1.1
Peer = Callable[[Path, int], dict[str, Any]]

DENSE = (
    '{{<reasoning_text>}}\n{{<memory identifier="key1" heading="Title" content="Body of the memory" />}}\n'
    '{{<task identifier="task1" heading="Do X" status="pending" />}}\n{{</reasoning_text>}}\n'
    '{{<goal identifier="goal1" heading="Arrive" content="There" />}}\n'
    '{{<datavault id="result" type="text">}}forty-two{{</datavault>}}\n'
    '{{<memory identifier="key2" delete />}}\n'
)
PROSE = (
    "The harbour lay quiet (as always) in the evening, and 3 < 4 was still true; nobody wrote a call there. "
    "She counted the boats, set the price (12.50), and went on with the story she had begun.\n\n"
)
CALL = '{{<memory identifier="key1" heading="Title" content="Body of the memory" />}}\n'

MIXED = PROSE + CALL + '{{<datavault id="result" action="request_read" />}}\n{{<subagent agent="a" query="b" />}}\n'

# Each text with how many calls are in it; the expressions find fewer, or read the wrong thing.
LOST: dict[str, tuple[str, list[dict[str, Any]]]] = {
    "self-closing directly before a block": (
        '{{<datavault id="a" content="x" />}}{{<datavault id="b">}}two{{</datavault>}}',
        [{"id": "a", "content": "x"}, {"id": "b"}],
    ),
    "the end of a tag inside a value": (
        '{{<memory identifier="a" content="x />}} y" />}}',
        [{"identifier": "a", "content": "x />}} y"}],
    ),
    "a greater-than sign in a value": (
        '{{<memory identifier="a" content="1 > 0" />}}',
        [{"identifier": "a", "content": "1 > 0"}],
    ),
    "an apostrophe in a value": (
        '{{<memory identifier="a" heading="it\'s" />}}',
        [{"identifier": "a", "heading": "it's"}],
    ),
    "an escaped quote": (
        r'{{<memory identifier="a" heading="say \"x\"" />}}',
        [{"identifier": "a", "heading": 'say "x"'}],
    ),
    "no quotes": ("{{<memory identifier=a heading=b />}}", [{"identifier": "a", "heading": "b"}]),
    "upper case": ('{{<MEMORY identifier="a" />}}', [{"identifier": "a"}]),
    "a tag in inline code": ('`{{<memory identifier="a" />}}`', []),
    "a block with attributes": ('{{<js_execute name="a">}}1{{</js_execute>}}', [{"name": "a"}]),
    "a memory as a block": ('{{<memory identifier="a">}}text{{</memory>}}', [{"identifier": "a"}]),
    "a damaged tag before a good one": (
        '{{<memory identifier="a /> {{<memory identifier="b" />}}',
        [{"identifier": "b"}],
    ),
}

HOSTILE: dict[str, Callable[[int], str]] = {
    "unclosed openings": lambda size: '{{<memory identifier="a">}}' * (size // 27),
    "openings cut short": lambda size: "{{<memory " * (size // 10),
    "alternating quotes": lambda size: "{{<memory a=\"'" * (size // 13),
    "nested blocks": lambda size: "{{<reasoning_text>}}" * (size // 41) + "{{</reasoning_text>}}" * (size // 41),
    "flood of {{<": lambda size: "{{<" * (size // 3),
    "one long attribute": lambda size: '{{<memory content="' + "x" * size + '" />}}',
    "one long open attribute": lambda size: '{{<memory content="' + "x" * size,
    "pure escapes": lambda size: '{{<memory content="' + '\\"' * (size // 2) + '" />}}',
    "mixed escapes": lambda size: '{{<memory content="' + '\\"a\\\\' * (size // 5) + '" />}}',
    "many attributes": lambda size: "{{<memory " + "a=1 " * (size // 4) + "/>}}",
    "backticks": lambda size: "` {{<memory/>}} `` " * (size // 19),
    "runs of backticks": lambda size: ("".join("`" * n + " " for n in range(1, 91)) * (size // 4185 + 1))[:size],
    "fences": lambda size: "```\n~~~\n````\n" * (size // 13),
    "tildes and a backtick": lambda size: "~ " * (size // 2) + "`{{<memory/>}}",
    "unclosed code": lambda size: "{{<js_execute>}}`" * (size // 17),
    "unknown tags": lambda size: "".join(f"{{{{<tag{n} />}}}}" for n in range(size // 15)),
    "blanks": lambda size: "{{<memory" + " " * size,
    "backslashes": lambda size: "\\" * size + "`{{<memory/>}}",
    "closings": lambda size: "{{</memory>}}" * (size // 13),
}


def measure(rounds: int = 15) -> list[Row]:
    """All rows of this bench."""
    with tempfile.TemporaryDirectory() as folder, _expressions() as peer:
        rows = [row for kind in BARS for row in _against_expressions(kind, Path(folder), peer, rounds)]
        return [*rows, _found(Path(folder), peer), *_growth(), _growth_of_references()]


@contextmanager
def _expressions() -> Iterator[Peer]:
    command = ["node", str(HERE / "tags" / "expressions.mjs")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        asking, answering = process.stdin, process.stdout

        def ask(file: Path, rounds: int) -> dict[str, Any]:
            asking.write(json.dumps({"file": str(file), "rounds": rounds}) + "\n")
            asking.flush()
            answer: dict[str, Any] = json.loads(answering.readline())
            return answer

        yield ask
        asking.close()


def _against_expressions(kind: str, folder: Path, peer: Peer, rounds: int) -> Iterator[Row]:
    for name, size in SIZES.items():
        if kind == "mixed" and size > 1_000_000:
            continue  # the expressions take minutes here: their time grows with the square of the length
        text = _text(kind, size)
        file = folder / f"{kind}-{size}.txt"
        file.write_text(text, encoding="utf-8")
        repeats = max(1, min(200, 400_000 // size))
        ours, read, theirs = _in_turn(text, file, peer, rounds if size < 1_000_000 else 5, repeats)
        yield _row(f"{kind} text, {name}", ours, theirs, BARS[kind])
        if kind == "dense":
            yield _row(f"{kind} text, {name}, every part of every call read", read, theirs, None)


def _text(kind: str, size: int) -> str:
    if kind in {"dense", "mixed"}:
        piece = DENSE if kind == "dense" else MIXED
        return (piece * (size // len(piece) + 1))[:size]
    gap = PROSE * (max(1, min(size, 20_000) // len(PROSE)))
    piece = gap + CALL
    return (piece * (size // len(piece) + 1))[: max(size, len(piece))]


def _in_turn(text: str, file: Path, peer: Peer, rounds: int, repeats: int) -> tuple[float, float, float]:
    ours, read, theirs = [], [], []
    peer(file, repeats)
    for _ in range(rounds):
        ours.append(_milliseconds(partial(_extract, text), repeats))
        theirs.append(float(peer(file, repeats)["milliseconds"]))
        read.append(_milliseconds(lambda: _extract_and_read(text), repeats))
    return statistics.median(ours), statistics.median(read), statistics.median(theirs)


def _extract(text: str) -> dict[str, Any]:
    return extract_all_tool_operations(text, categories=EVERY_CATEGORY)


def _extract_and_read(text: str) -> int:
    return sum(len(operation["raw"]) for found in _extract(text).values() for operation in found)


def _milliseconds(action: Callable[[], object], repeats: int = 1) -> float:
    start = time.perf_counter()
    for _ in range(repeats):
        action()
    return (time.perf_counter() - start) * 1000 / repeats


def _row(what: str, ours: float, theirs: float, bar: float | None) -> Row:
    ratio = theirs / ours
    return Row(
        bench="tags",
        measure=what,
        ours=f"{ours:.3f} ms",
        theirs=f"{theirs:.3f} ms",
        ratio=ratio,
        bar="" if bar is None else f"≥ {bar:g}× as fast",
        met=None if bar is None else ratio >= bar,
    )


def peers() -> dict[str, str]:
    """The version of the one beside us."""
    return program_version("node")


def _found(folder: Path, peer: Peer) -> Row:
    ours = theirs = 0
    for number, (text, wanted) in enumerate(LOST.values()):
        file = folder / f"lost-{number}.txt"
        file.write_text(text, encoding="utf-8")
        operations = sorted((op for found in _extract(text).values() for op in found), key=lambda op: int(op["start"]))
        ours += [op["attributes"] for op in operations] == wanted
        theirs += [call["attributes"] for call in peer(file, 1)["calls"]] == wanted
    return Row(
        bench="tags",
        measure="texts that lose data, read rightly",
        ours=f"{ours} of {len(LOST)}",
        theirs=f"{theirs} of {len(LOST)}",
        bar="all",
        met=ours == len(LOST),
    )


def _growth() -> Iterator[Row]:
    for name, make in HOSTILE.items():
        texts = [make(size) for size in (125_000, 250_000, 500_000, 1_000_000)]
        yield _growth_row(name, texts, _read_everything)


def _growth_of_references() -> Row:
    texts = ['{{<vaultref id="a" />}}' * (size // 23) for size in (125_000, 250_000, 500_000, 1_000_000)]
    return _growth_row("references", texts, lambda text: resolve_vault_references(text, lookup={"a": "$& {{x}}"}))


def _growth_row(name: str, texts: list[str], read: Callable[[str], object]) -> Row:
    rounds = [[_milliseconds(partial(read, text)) for text in texts] for _ in range(7)]
    times = [statistics.median(spent) for spent in zip(*rounds, strict=True)]
    exponent = _slope([math.log(len(text)) for text in texts], [math.log(spent) for spent in times])
    return Row(
        bench="tags",
        measure=f"growth with length: {name}",
        ours=f"{times[-1]:.1f} ms per MB",
        ratio=exponent,
        bar=f"exponent ≤ {GROWTH_BAR}",
        met=exponent <= GROWTH_BAR,
    )


def _read_everything(text: str) -> int:
    reader = TagReader()
    reader.feed(text)
    reader.close()
    return len(reader.diagnostics) + sum(len(operation) for operation in reader.operations)


def _slope(xs: list[float], ys: list[float]) -> float:
    return statistics.linear_regression(xs, ys).slope


def compare_splits(count: int, seed: int = 1) -> list[Row]:
    """Read long texts in pieces cut at random places and compare with reading them whole."""
    choose = random.Random(seed)
    pieces = [DENSE, PROSE, *(text for text, _ in LOST.values()), *(make(300) for make in HOSTILE.values())]
    for done in range(count):
        text = "".join(choose.choices(pieces, k=choose.randint(1, 12)))
        expected, given = TagReader(), TagReader()
        expected.feed(text)
        position = 0
        while position < len(text):
            end = position + choose.choice((1, 2, 3, 7, 40, 500))
            given.feed(text[position:end])
            position = end
        expected.close()
        given.close()
        if given.operations != expected.operations or given.diagnostics != expected.diagnostics:
            sys.exit(f"different after {done} texts: {text!r}")
    return [
        Row(
            bench="tags-splits",
            measure=f"{count:,} long texts read in random pieces",
            ours="all as the whole",
            bar="all",
            met=True,
        )
    ]


def main() -> None:
    """Print the table, or compare splits."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--splits", type=int, default=0)
    arguments = parser.parse_args()
    if arguments.splits:
        record("tags-splits", lambda: compare_splits(arguments.splits))
    else:
        record("tags", measure, peers)


if __name__ == "__main__":
    main()
