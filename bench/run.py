"""Runs the benches and prints a table of each: ``just bench``, or one by name: ``just bench reading``.

What they measured is kept in ``bench/results``, and the report is made from it. A bench that fails is told of at the
end; what it measured the last time stays.
"""

from __future__ import annotations

import sys
import traceback
from importlib import import_module
from pathlib import Path

HERE = Path(__file__).parent


def main(names: list[str]) -> int:
    """Run the named benches, or all; how many failed."""
    sys.path.insert(0, str(HERE))
    failed = [name for name in names or every_bench() if not _done(name)]
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return len(failed)


def every_bench() -> list[str]:
    """The names of all that can be measured."""
    return sorted(file.stem for file in HERE.glob("*.py") if "\ndef measure(" in file.read_text(encoding="utf-8"))


def _done(name: str) -> bool:
    from recording import record  # noqa: PLC0415  found only once this folder is on the path

    print(f"measuring {name} …", file=sys.stderr)
    try:
        bench = import_module(name)
        record(name, bench.measure, getattr(bench, "peers", dict))
    except Exception:
        traceback.print_exc()
        return False
    return True


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
