"""The search beside ripgrep and a bare tantivy index, over made vaults.

    python -I bench/search.py                        the table, at 10,000 and 100,000 notes
    python -I bench/search.py --notes 10000          one size only, to look at
    python -I bench/search.py --changes 500          random edits and queries, against reading every file

ripgrep must be installed (``apt install ripgrep``, ``brew install ripgrep``). The vaults are made in a temporary
folder and deleted. Both sides are measured in turn in one run; figures are medians, and ratios say more than times.
"""

from __future__ import annotations

import argparse
import math
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from installed_peers import program_version  # noqa: E402  as above
from paperagents.files.folder import VaultFolder  # noqa: E402  as above
from paperagents.search.search import scan_files, search_files  # noqa: E402  see above
from recording import record  # noqa: E402  as above
from search_vault import make_vault  # noqa: E402  its folder is known only now
from table import Row, print_table  # noqa: E402  as above

SIZES = (10_000, 100_000)
ROUNDS = 7
ROUNDS_OF_BUILDING = 3
_BARS = {"warm": 0.02, "cold": 1.2, "build": 1.5, "size": 0.6, "changed": 0.05, "growth": 1.1}
_BARE = """
import os, sys, time, tantivy
fields = tantivy.SchemaBuilder()
fields.add_text_field("text")
fields.add_text_field("path", stored=True, tokenizer_name="raw", index_option="basic")
index = tantivy.Index(fields.build(), path=sys.argv[2])
writer = index.writer(256_000_000, min(os.cpu_count() or 1, 4))
for folder, _, names in os.walk(sys.argv[1]):
    if ".paper" not in folder:
        for name in names:
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                writer.add_document(tantivy.Document(text=file.read(), path=os.path.join(folder, name)))
writer.commit()
writer.wait_merging_threads()
"""
_OURS = """
import sys
from paperagents.search.search import search_files
from paperagents.files.folder import VaultFolder
with VaultFolder(sys.argv[1]) as folder:
    search_files(folder, "tree")
"""


def measure(sizes: tuple[int, ...] = SIZES) -> list[Row]:
    """All rows of this bench."""
    if shutil.which("rg") is None:
        raise FileNotFoundError("This bench needs ripgrep: apt install ripgrep, or brew install ripgrep.")
    rows, times = list[Row](), dict[int, dict[str, float]]()
    for notes in sizes:
        place = Path(tempfile.mkdtemp(prefix="paper-bench-"))
        try:
            size = make_vault(place / "vault", notes)
            times[notes] = {}
            rows += _of_one_size(place / "vault", notes, size, times[notes])
        finally:
            shutil.rmtree(place)
    return [*rows, *_growth(times)] if len(times) > 1 else rows


def peers() -> dict[str, str]:
    """The version of the one beside us."""
    return program_version("rg")


def _of_one_size(vault: Path, notes: int, size: int, times: dict[str, float]) -> Iterator[Row]:
    label = f"{notes:,} notes"
    ours, bare = _builds(vault)
    times["build"] = ours
    yield _row(f"{label}: building the index, beside a bare one", ours, bare, "build", notes)
    index = sum(file.stat().st_size for file in (vault / ".paper").rglob("*") if file.is_file())
    yield Row(
        bench="search",
        measure=f"{label}: size of the index, beside the text",
        ours=f"{index / 1e6:.0f} MB",
        theirs=f"{size / 1e6:.0f} MB",
        ratio=index / size,
        bar=f"≤ {_BARS['size']:g}×",
        met=index / size <= _BARS["size"],
    )
    words = _words(vault)
    yield from _warm(vault, words, label, notes)
    ours, theirs = _cold(vault, next(iter(words.values())))
    times["cold"] = ours
    yield _row(f"{label}: paper search in a new process, folder checked", ours, theirs, "cold", notes)
    yield _changed(vault, label)


def _builds(vault: Path) -> tuple[float, float]:
    ours, bare = list[float](), list[float]()
    for _ in range(ROUNDS_OF_BUILDING):
        with tempfile.TemporaryDirectory() as place:
            bare.append(_seconds(lambda: _run(sys.executable, "-I", "-c", _BARE, str(vault), place)))
        shutil.rmtree(vault / ".paper", ignore_errors=True)
        ours.append(_seconds(lambda: _run(sys.executable, "-I", "-c", _OURS, str(vault))))
    return statistics.median(ours), statistics.median(bare)


def _words(vault: Path) -> dict[str, str]:
    """A word that stands in about one of a thousand notes, one of fifty, one of four."""
    files = sorted(vault.rglob("*.md"))
    sample = random.Random(1).sample(files, 2000)
    counts = Counter(word for file in sample for word in set(file.read_text(encoding="utf-8").lower().split()))
    plain = {word: count for word, count in counts.items() if word.isascii() and word.isalpha() and len(word) > 4}
    wanted = {"1 in 1,000": 2, "1 in 50": 40, "1 in 4": 500}
    return {name: min(plain, key=lambda word: (abs(plain[word] - count), word)) for name, count in wanted.items()}


def _warm(vault: Path, words: dict[str, str], label: str, notes: int) -> Iterator[Row]:
    with VaultFolder(vault) as folder:
        for _ in range(2):
            search_files(folder, "tree")
        for name, word in words.items():
            ours, theirs = list[float](), list[float]()
            for _ in range(ROUNDS):
                theirs.append(_seconds(lambda: _run("rg", "-il", word, str(vault))))  # noqa: B023  called at once
                ours.append(_seconds(lambda: search_files(folder, word, limit=20)))  # noqa: B023
            medians = statistics.median(ours), statistics.median(theirs)
            yield _row(f"{label}: warm, a word in {name} notes, 20 best", *medians, "warm", notes)


def _cold(vault: Path, word: str) -> tuple[float, float]:
    ours, theirs = list[float](), list[float]()
    paper = (sys.executable, "-I", "-m", "paperagents", "search", word, "--vault", str(vault))
    _run(*paper)
    for _ in range(ROUNDS):
        theirs.append(_seconds(lambda: _run("rg", "-il", word, str(vault))))
        ours.append(_seconds(lambda: _run(*paper)))
    return statistics.median(ours), statistics.median(theirs)


def _changed(vault: Path, label: str) -> Row:
    """Ten files are saved; how long the next search takes that must see them."""
    times = list[float]()
    with VaultFolder(vault) as folder:
        for _ in range(2):
            search_files(folder, "tree")
        files = sorted(vault.rglob("*.md"))
        for number in range(ROUNDS):
            for file in random.Random(number).sample(files, 10):
                file.write_text(f"changed{number}zz and nothing else")
            begin = time.perf_counter()
            found = search_files(folder, f"changed{number}zz")
            times.append(time.perf_counter() - begin)
            assert found["count"] == 10
    spent = statistics.median(times)
    return Row(
        bench="search",
        measure=f"{label}: 10 changed files seen by the next search",
        ours=f"{spent * 1000:.1f} ms",
        bar="≤ 50 ms",
        met=spent <= _BARS["changed"],
    )


def _growth(times: dict[int, dict[str, float]]) -> Iterator[Row]:
    small, large = min(times), max(times)
    for what in ("build", "cold"):
        exponent = math.log(times[large][what] / times[small][what]) / math.log(large / small)
        yield Row(
            bench="search",
            measure=f"growth from {small:,} to {large:,} notes: {what}",
            ours="",
            ratio=exponent,
            bar=f"exponent ≤ {_BARS['growth']:g}",
            met=exponent <= _BARS["growth"],
        )


def _row(what: str, ours: float, theirs: float, bar: str, notes: int) -> Row:
    """The bars are set for the large vault; the small one is shown beside it."""
    judged = notes == max(SIZES)
    return Row(
        bench="search",
        measure=what,
        ours=f"{ours * 1000:.1f} ms",
        theirs=f"{theirs * 1000:.1f} ms",
        ratio=ours / theirs,
        bar=f"≤ {_BARS[bar]:g}×" if judged else "",
        met=ours / theirs <= _BARS[bar] if judged else None,
    )


def _run(*command: str) -> None:
    subprocess.run(command, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def _seconds(action: Callable[[], object]) -> float:
    begin = time.perf_counter()
    action()
    return time.perf_counter() - begin


def compare_changes(count: int, notes: int = 1000, seed: int = 1) -> list[Row]:
    """Change a vault at random and compare every answer with that of reading every file."""
    choose = random.Random(seed)
    with tempfile.TemporaryDirectory() as place:
        vault = Path(place)
        make_vault(vault, notes)
        with VaultFolder(vault) as folder:
            for done in range(count):
                _change(vault, choose)
                query = _query(vault, choose)
                if search_files(folder, query) != scan_files(folder, query):
                    sys.exit(f"different after {done} changes: {query}")
    measured = f"{count:,} random changes and queries over {notes:,} notes, against reading every file"
    return [Row(bench="search-changes", measure=measured, ours="all the same", bar="all", met=True)]


def _change(vault: Path, choose: random.Random) -> None:
    files = sorted(vault.rglob("*.md"))
    file, other = choose.sample(files, 2)
    match choose.randrange(5):
        case 0:
            file.write_bytes(other.read_bytes())
        case 1:
            file.rename(other)
        case 2:
            file.unlink()
        case 3:
            (file.parent / f"new {choose.randrange(10**6)}.md").write_bytes(other.read_bytes()[::-1])
        case _:
            before = file.stat()
            file.write_bytes(file.read_bytes()[::-1])
            os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


def _query(vault: Path, choose: random.Random) -> str:
    words = choose.choice(sorted(vault.rglob("*.md"))).read_bytes().decode("utf-8", "ignore").split()
    word = choose.choice(words or ["tree"]).strip('"()')
    place = choose.randrange(max(len(words) - 2, 1))
    phrase = " ".join(words[place : place + choose.randint(2, 3)]).replace('"', "").replace("\\", "")
    forms = [
        word[1:4] or "a",
        f'"{word}"',
        f'"{phrase}"',
        f"the -{word[:3] or 'a'}",
        "#project",
        "[status:done] garden",
    ]
    query = choose.choice(forms).replace("[[", "").replace("(", "").replace(")", "")
    return query if query.count('"') in (0, 2) and not query.startswith(("[", "/")) else "garden OR #recipe"


def main() -> None:
    """Print the table, or compare answers."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--notes", type=int, default=0)
    parser.add_argument("--changes", type=int, default=0)
    arguments = parser.parse_args()
    if arguments.changes:
        record("search-changes", lambda: compare_changes(arguments.changes))
    elif arguments.notes:
        print_table(measure((arguments.notes,)))
    else:
        record("search", measure, peers)


if __name__ == "__main__":
    main()
