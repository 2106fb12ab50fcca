"""Events for pages: in bundles, made once for all pages that show the same, with no more in them than a page shows."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterable, Iterator

from paperagents.definitions.json_value import JsonObject
from paperagents.interfaces.serving.event_log import EventLog

SECONDS = 0.1
"""Between two bundles for one page."""
_PIECES = ("model-text", "model-reasoning")
_SHOWN = ("status", "duration_ms")
"""What a page shows of the entry of a step; the rest it asks for when somebody opens the row."""


class EventBundles:
    """The events of a log in bundles: one at once, the next after a pause.

    Time is divided into ticks, and in one tick all readers read up to the same event. So tens of pages that follow one
    run get the same bundles, which are made once; a reader that comes late is with the others after its first.
    """

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self._tick = -1
        self._end = 0
        self._made: dict[tuple[str, int], tuple[str, int]] = {}
        """The bundles of this tick, with the number of the last event in each, by run and by what was read before."""

    async def follow(self, about: str, after: int) -> AsyncIterator[str]:
        """Bundles after a number, as JSON: everything but the inside of other runs than ``about``."""
        clock = asyncio.get_running_loop().time
        while await self._log.wait_after(after):
            tick = int(clock() / SECONDS)
            bundle, after = self.read(tick, about, after)
            if bundle:
                yield bundle
            await asyncio.sleep((tick + 1) * SECONDS - clock())

    def read(self, tick: int, about: str, after: int) -> tuple[str, int]:
        """The bundle of a tick, empty where nothing is to be told, and the number after which the next one begins."""
        if tick != self._tick:
            self._tick, self._end, self._made = tick, self._log.last, {}
        if after >= self._end:
            return "", after
        if (made := self._made.get((about, after))) is None:
            events = self._log.read_between(after, self._end)
            told = condense(list(select_events(events, about)))
            # As ASCII: texts of JavaScript may have lone surrogates, which cannot be sent otherwise.
            made = self._made[about, after] = json.dumps(told) if told else "", int(str(events[-1]["seq"]))
        return made


def select_events(events: Iterable[JsonObject], about: str) -> Iterator[JsonObject]:
    """The events without the inside of other runs."""
    for event in events:
        run_id = str(event.get("run_id", ""))
        is_inside = "." in run_id or str(event["type"]).startswith(("step-", "model-"))
        if not is_inside or run_id.partition(".")[0] == about:
            yield event


def condense(events: list[JsonObject]) -> list[JsonObject]:
    """The events without the beginnings of what ends among them; pieces of a model's text as one.

    Of a run below another that begins and ends here nothing is told but that its step has ended.
    """
    ended = {(each["run_id"], each["path"]) for each in events if each["type"] == "step-finished"}
    begun = {str(each["run_id"]) for each in events if each["type"] == "run-started" and "." in str(each["run_id"])}
    passed = begun & {str(each["run_id"]) for each in events if each["type"] == "run-finished"}
    kept: list[JsonObject] = []
    for event in events:
        if event["type"] == "step-started" and (event["run_id"], event["path"]) in ended:
            continue
        if passed and not passed.isdisjoint(runs_above(str(event.get("run_id", "")))):
            continue
        last = kept[-1] if kept else {}
        if event["type"] in _PIECES and event["type"] == last.get("type") and event["run_id"] == last["run_id"]:
            kept[-1] = {**event, "text": f"{last['text']}{event['text']}"}
        else:
            kept.append(shorten(event))
    return kept


def runs_above(run_id: str) -> Iterator[str]:
    """The ids that a run's own begins with, and its own."""
    place = run_id.find(".")
    while place >= 0:
        yield run_id[:place]
        place = run_id.find(".", place + 1)
    yield run_id


def shorten(event: JsonObject) -> JsonObject:
    """An event with as much of its entry as is shown at once."""
    entry = event.get("entry")
    return (
        {**event, "entry": {name: entry[name] for name in _SHOWN if name in entry}}
        if isinstance(entry, dict)
        else event
    )
