"""The peer: a DBOS workflow of many steps, on the same PostgreSQL. Prints the milliseconds of each round."""

from __future__ import annotations

import json
import logging
import sys
import time

from dbos import DBOS  # type: ignore[import-not-found]


@DBOS.step()  # type: ignore[untyped-decorator]
def step(number: int) -> int:
    """As little as a step can do."""
    return number


@DBOS.workflow()  # type: ignore[untyped-decorator]
def workflow(steps: int) -> int:
    """One step after the other."""
    return sum(step(number) for number in range(steps))


def main() -> None:
    """Measure when told to, so that both sides take turns."""
    DBOS(config={"name": "peer", "system_database_url": sys.argv[1], "run_admin_server": False})
    logging.disable(logging.CRITICAL)
    DBOS.launch()
    workflow(5)
    print("ready", flush=True)
    for line in sys.stdin:
        begun = time.perf_counter()
        workflow(int(line))
        print(json.dumps((time.perf_counter() - begun) * 1000), flush=True)
    DBOS.destroy()


if __name__ == "__main__":
    main()
