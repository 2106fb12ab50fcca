"""What signatures, rules and trust cost: the same runs with them, and with them taken out, in alternation.

``python bench/trust.py [ROUNDS]``; prints the ratio of the medians of CPU time, and both sides.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

TOOL = "---\ntool: true\nname: count\ndescription: Counts.\ncustom_function: return [1, 2, 3];\n---\n"
RUNS = 40


def main() -> None:
    """Measure reading runs and approved writes."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CONFIG_HOME"] = f"{folder}/user"
        from paperagents import Approved, open_vault  # noqa: PLC0415  the user's folder is named first
        from paperagents.approval.rules import RuleBook  # noqa: PLC0415  as above
        from paperagents.approval.signatures import Signatures  # noqa: PLC0415  as above

        (Path(folder) / "vault" / ".paper").mkdir(parents=True)
        (Path(folder) / "vault" / "count.md").write_text(TOOL)
        with open_vault(f"{folder}/vault") as vault:
            writing: dict[str, Any] = {"filePath": "a.md", "content": "x", "overwrite": True}

            def read() -> None:
                assert vault.run("count").success

            def write() -> None:
                assert vault.run("write_file", writing, approver=lambda _: Approved()).success

            for name, call in (("a run that computes", read), ("an approved write", write)):
                times: dict[bool, list[float]] = {True: [], False: []}
                for round_ in range(rounds * 2):
                    with_them = round_ % 2 == 0
                    if with_them:
                        times[True].append(_measure(call))
                        continue
                    with (
                        patch.object(Signatures, "sign", lambda *_: "x:y"),
                        patch.object(Signatures, "is_valid", lambda *_: True),
                        patch.object(RuleBook, "find_allowing", lambda *_, **__: None),
                    ):
                        times[False].append(_measure(call))
                real, bare = (statistics.median(times[key]) for key in (True, False))
                print(f"{name}: {real / bare:.3f} ({real * 1000:.2f} ms against {bare * 1000:.2f} ms)")


def _measure(call: Callable[[], None]) -> float:
    before = time.process_time()
    for _ in range(RUNS):
        call()
    return (time.process_time() - before) / RUNS


if __name__ == "__main__":
    main()
