"""Runs the benches and prints one table: ``just bench``, or one by name: ``just bench reading``."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

HERE = Path(__file__).parent


def main() -> None:
    """Run the named benches, or all."""
    sys.path.insert(0, str(HERE))
    from table import print_table  # noqa: PLC0415  found only once this folder is on the path

    every = sorted(file.stem for file in HERE.glob("*.py") if "\ndef measure(" in file.read_text(encoding="utf-8"))
    rows = []
    for name in sys.argv[1:] or every:
        print(f"measuring {name} …", file=sys.stderr)
        rows += import_module(name).measure()
    print_table(rows)


if __name__ == "__main__":
    main()
