"""What a person uses: what they have pinned, then what ran last."""

from __future__ import annotations

from urllib.parse import unquote

from starlette.requests import Request

from paperagents.definitions.json_value import JsonObject
from paperagents.interfaces.serving.live_runs import LiveRuns
from paperagents.registry.entry import Entry
from paperagents.values import dataclass

MOST_CARDS = 6
MOST_AT_SIDE = 5
MOST_PINS = 24
PINS_COOKIE = "paper_pins"
LATEST_RUNS = 60


@dataclass(frozen=True, kw_only=True, slots=True)
class Card:
    """A tool or agent that was pinned or used last."""

    entry: Entry
    is_pinned: bool
    run: JsonObject | None


def read_pins(request: Request) -> list[str]:
    """The ids that somebody has pinned."""
    written = request.cookies.get(PINS_COOKIE, "")
    return [unquote(each) for each in written.split("~")[:MOST_PINS] if each]


def make_cards(live: LiveRuns, pins: list[str]) -> list[Card]:
    """What is pinned, then what was used last, each with its last outcome."""
    known = {entry.id: entry for entry in live.vault.registry.entries()}
    runs: dict[str, JsonObject] = {}
    for run in live.vault.history.runs(limit=LATEST_RUNS):
        runs.setdefault(str(run["tool"]).removeprefix("agent:"), run)
    wanted = dict.fromkeys([*pins, *runs])
    found = [Card(entry=known[each], is_pinned=each in pins, run=runs.get(each)) for each in wanted if each in known]
    return found[: max(MOST_CARDS, sum(each.is_pinned for each in found))]


def find_recent(live: LiveRuns, pins: list[str]) -> list[Entry]:
    """The same for the sidebar: a few, and without outcomes."""
    return [card.entry for card in make_cards(live, pins)[:MOST_AT_SIDE]]
