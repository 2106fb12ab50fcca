"""What runs that went well were given and answered, for those who write references to it."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Iterable
from contextlib import suppress

from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.errors import PaperError
from paperagents.language.surroundings import RecordedRun
from paperagents.runs.history import History

RUNS = 3
"""Of one tool: enough to see fields that are not always there."""
_KEPT = 200
_ITEM = re.compile(r"\[(\d+)\]")


class RecordedValues:
    """The newest runs of each tool, with secrets masked. What has ended does not change, and is read once."""

    def __init__(self, history: Callable[[], History], mask: Callable[[JsonValue], JsonValue]) -> None:
        self._history = history
        self._mask = mask
        self._known: OrderedDict[str, RecordedRun] = OrderedDict()

    def last_runs(self, tool: str) -> list[RecordedRun]:
        """The newest runs of a tool that went well, the newest first; none where the store cannot be read."""
        with suppress(PaperError):
            found = self._history().runs(tool=tool, status="succeeded", limit=RUNS)
            return [self._run(str(each["run_id"])) for each in found]
        return []

    def _run(self, run_id: str) -> RecordedRun:
        if run_id not in self._known:
            self._known[run_id] = self._read(run_id)
            while len(self._known) > _KEPT:
                self._known.popitem(last=False)
        return self._known[run_id]

    def _read(self, run_id: str) -> RecordedRun:
        history = self._history()
        record, started = history.record(run_id), history.run(run_id)
        steps = [(str(path), entry) for path, entry in history.steps(run_id) if entry["status"] == "success"]
        before = next((entry["output"] for path, entry in steps if path == "pre"), None)
        outputs = self._mask(read_outputs(steps))
        return RecordedRun(
            arguments=self._object(started.arguments if started is not None else {}),
            input=self._object(before) if before is not None else None,
            outputs=outputs if isinstance(outputs, dict) else {},
            result=self._mask(record.data),
            clock=dict(started.clock) if started is not None else {},
        )

    def _object(self, value: JsonValue) -> JsonObject:
        masked = self._mask(value)
        return masked if isinstance(masked, dict) else {}


def read_outputs(steps: Iterable[tuple[str, JsonObject]]) -> JsonObject:
    """The output of each step by its label: after its own post-processing, and of a loop the list of all."""
    found: dict[str, dict[int, JsonValue]] = {}
    loops: set[str] = set()
    for path, entry in steps:
        # Blocks and the calls of scripts are no steps.
        if not path[:1].isdigit() or "/call" in path:
            continue
        label, item = str(entry["name"]), _ITEM.search(path)
        if item is not None:
            loops.add(label)
        found.setdefault(label, {})[int(item[1]) if item is not None else 0] = entry["output"]
    return {
        label: [items[each] for each in sorted(items)] if label in loops else items[0] for label, items in found.items()
    }
