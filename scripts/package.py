"""Builds the package into dist/, and tries it as it is installed, with every Python that is here.

    .venv/bin/python scripts/package.py            build, look at the contents, try with each Python
    .venv/bin/python scripts/package.py --only-build

The wheel is installed into fresh environments outside of the checkout; what is tried is what users get.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
DIST = ROOT / "dist"
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
LARGEST_WHEEL = 2_000_000
WANTED = (
    "py.typed",
    "example_vault/Welcome.md",
    "example_vault/tools/shout.tool.js",
    "sandbox/javascript/",
    "obsidian_plugin/main.js",
)
UNWANTED = ("tests/", "__pycache__", ".pyc", ".paper/", "bench/")
TRIALS = (
    ("--version",),
    ("init", "vault"),
    ("--vault", "vault", "check"),
    ("--vault", "vault", "test"),
    ("--vault", "vault", "run", "format_list", "-p", "items=apple, banana"),
    ("--vault", "vault", "run", "check_links", "--json"),
    ("--vault", "vault", "run", "meeting_tasks", "--yes"),
    ("doctor",),
)


def main(arguments: Iterable[str]) -> int:
    """Build, look, try."""
    wheel = build(DIST)
    _say(f"{wheel.name}: {wheel.stat().st_size:,} bytes")
    problems = list(wrong_with(wheel))
    if "--only-build" not in arguments:
        pythons = list(_pythons())
        for python in pythons:
            problems += _tried(python, str(wheel))
        problems += _tried(pythons[0], f"{wheel}[all]")
    for problem in problems:
        _say(f"✗ {problem}")
    return 1 if problems else 0


def build(folder: Path) -> Path:
    """The wheel, made from the source distribution, as an installer without wheels would make it."""
    shutil.rmtree(folder, ignore_errors=True)
    _hatch(ROOT, "sdist", folder)
    (source,) = folder.glob("*.tar.gz")
    with tempfile.TemporaryDirectory() as unpacked:
        with tarfile.open(source) as packed:
            # The first releases of Python 3.11 know no filter; what is unpacked here was packed above.
            packed.extraction_filter = getattr(tarfile, "data_filter", lambda member, _: member)
            packed.extractall(unpacked)
        (project,) = Path(unpacked).iterdir()
        _hatch(project, "wheel", folder)
    (wheel,) = folder.glob("*.whl")
    return wheel


def wrong_with(wheel: Path) -> Iterator[str]:
    """What is missing in a wheel, and what should not be there."""
    names = zipfile.ZipFile(wheel).namelist()
    for part in WANTED:
        if not any(name.startswith(f"paperagents/{part}") for name in names):
            yield f"{part} is missing"
    for part in UNWANTED:
        yield from (f"{name} should not be there" for name in names if part in name)
    if wheel.stat().st_size > LARGEST_WHEEL:
        yield f"{wheel.name} has {wheel.stat().st_size:,} bytes, more than {LARGEST_WHEEL:,}"


def _hatch(project: Path, target: str, folder: Path) -> None:
    # The same files give the same archive, whenever it is made.
    environment = {**os.environ, "SOURCE_DATE_EPOCH": "1767225600"}
    command = [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(folder)]
    subprocess.run(command, cwd=project, check=True, stdout=subprocess.DEVNULL, env=environment)


def _pythons() -> Iterator[str]:
    for version in PYTHONS:
        others = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))
        candidates = [shutil.which(f"python{version}"), *map(str, others)]
        python = next((each for each in candidates if each is not None and _succeeds(each, "--version")), None)
        if python is not None:
            yield python
        else:
            _say(f"Python {version}: not here")


def _succeeds(*command: str) -> bool:
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def _tried(python: str, wheel: str) -> list[str]:
    """Install and use the wheel, perhaps with extras; the answer is what went wrong."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        started = time.perf_counter()
        inside = _installed(python, wheel, folder / "env")
        seconds = time.perf_counter() - started
        problems = [problem for trial in TRIALS if (problem := _trial(folder, trial)) is not None]
        size = sum(file.stat().st_size for file in (folder / "env" / "lib").rglob("*") if file.is_file())
        version = subprocess.run([inside, "--version"], capture_output=True, text=True, check=True).stdout.strip()
        version += " with every extra" if wheel.endswith("]") else ""
        fine = f"{len(TRIALS) - len(problems)} of {len(TRIALS)} commands fine"
        took = (
            f"installed in {seconds:.0f} s, {size / 1e6:.0f} MB with everything, import {_import_time(inside):.0f} ms"
        )
        _say(f"{version}: {took}, {fine}")
        return [f"{version}: {problem}" for problem in problems]


def _installed(python: str, wheel: str, environment: Path) -> Path:
    """The Python of a fresh environment in which the wheel is installed."""
    subprocess.run([python, "-m", "venv", str(environment)], check=True)
    inside = environment / "bin" / "python"
    pip = [str(inside), "-m", "pip", "install", "-qq", "--disable-pip-version-check"]
    subprocess.run([*pip, wheel], check=True, stderr=subprocess.DEVNULL)
    return inside


def _trial(folder: Path, arguments: tuple[str, ...]) -> str | None:
    """Use the command that was installed; the answer is what it says when it fails."""
    done = subprocess.run(
        [folder / "env" / "bin" / "paper", *arguments],
        cwd=folder,
        env={"PATH": os.environ["PATH"], "HOME": str(folder), "LANG": "C.UTF-8"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return None if done.returncode == 0 else f"paper {' '.join(arguments)}: {done.stdout}"


def _import_time(python: Path) -> float:
    """Milliseconds that ``import paperagents`` takes beyond an empty program; the best of five."""
    return (_best_time(python, "import paperagents") - _best_time(python, "pass")) * 1000


def _best_time(python: Path, code: str) -> float:
    times = []
    for _ in range(5):
        started = time.perf_counter()
        subprocess.run([python, "-I", "-c", code], check=True)
        times.append(time.perf_counter() - started)
    return min(times)


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
