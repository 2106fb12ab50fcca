"""The peer: a DBOS workflow of many steps, on the same PostgreSQL. Prints the milliseconds of each round."""

from __future__ import annotations

import json
import logging
import os
import sys
import tempfile
import time

from dbos import DBOS  # type: ignore[import-not-found]


@DBOS.step()  # type: ignore[untyped-decorator]
def step(number: int) -> int:
    """As little as a step can do."""
    return number


@DBOS.step()  # type: ignore[untyped-decorator]
def writing_step(folder: str, number: int) -> int:
    """A file written so that it survives a loss of power, as ours is."""
    draft, place = f"{folder}/draft", f"{folder}/note {number}.md"
    with open(draft, "w", encoding="utf-8") as file:  # noqa: PTH123  as little as it can be
        file.write("text")
        file.flush()
        os.fsync(file.fileno())
    os.replace(draft, place)  # noqa: PTH105  as above
    descriptor = os.open(folder, os.O_RDONLY)
    os.fsync(descriptor)
    os.close(descriptor)
    return number


@DBOS.workflow()  # type: ignore[untyped-decorator]
def workflow(steps: int) -> int:
    """One step after the other."""
    return sum(step(number) for number in range(steps))


@DBOS.workflow()  # type: ignore[untyped-decorator]
def writing_workflow(folder: str, steps: int) -> int:
    """The same with a file each."""
    return sum(writing_step(folder, number) for number in range(steps))


def main() -> None:
    """Measure when told to, so that both sides take turns."""
    DBOS(config={"name": "peer", "system_database_url": sys.argv[1], "run_admin_server": False})
    logging.disable(logging.CRITICAL)
    DBOS.launch()
    workflow(5)
    print("ready", flush=True)
    for line in sys.stdin:
        kind, count = line.split()
        with tempfile.TemporaryDirectory() as folder:
            begun = time.perf_counter()
            workflow(int(count)) if kind == "reads" else writing_workflow(folder, int(count))
            print(json.dumps((time.perf_counter() - begun) * 1000), flush=True)
    DBOS.destroy()


if __name__ == "__main__":
    main()
