"""Settings and figures: what is allowed, where the limits are, how well the tools do."""

from __future__ import annotations

import json
from typing import Annotated, Any

from fastapi import APIRouter, Path
from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import Response

from paperagents.errors import SettingsError, UsageError
from paperagents.interfaces.serving.rest_answers import Json, StrictRoute
from paperagents.interfaces.serving.rest_runs import Live
from paperagents.interfaces.web.charts import WIDTH, day_bars, percent, tool_bars
from paperagents.interfaces.web.model_key import has_model_key, keep_model_key
from paperagents.interfaces.web.rendering import PageRoute, page
from paperagents.known_settings import KNOWN, LISTS, from_text
from paperagents.settings import shown_value
from paperagents.settings_file import write_setting

router = APIRouter(include_in_schema=False)
pages = APIRouter(include_in_schema=False, route_class=PageRoute)
requests = APIRouter(include_in_schema=False, route_class=StrictRoute)
CHANGED_HERE = (
    "language", "timezone", "allowed_hosts", "sandbox.timeout", "sandbox.memory_mb", "sandbox.output_mb",
    "llm.base_url", "llm.model",
)  # fmt: skip
"""Settings with a field on the page; the key of the language model has a field of its own."""
MOST_RUNS = 5_000


class Value(BaseModel):
    """A setting as somebody types it."""

    model_config = ConfigDict(extra="forbid", strict=True)

    value: str = Field(max_length=10_000)


@pages.get("/settings")
def settings(request: Request, live: Live) -> Response:
    """Every setting with its origin, and the rules."""
    values = live.vault.settings.values
    shown = {
        name: {
            "value": _typed(shown_value(name, values[name])),
            "origin": values[name].origin,
            "kind": KNOWN[name].kind,
        }
        for name in CHANGED_HERE
    }
    return page(
        request, "settings.html", settings=shown, rules=live.vault.rules.rules(),
        has_key=has_model_key(live.vault),
    )  # fmt: skip


@pages.get("/stats")
def stats(request: Request, live: Live) -> Response:
    """How often, how well and how long, as pictures and as figures."""
    figures: list[dict[str, Any]] = live.vault.store.figures()
    runs: list[dict[str, Any]] = live.vault.store.history(limit=MOST_RUNS)
    total, succeeded = sum(each["runs"] for each in figures), sum(each["succeeded"] for each in figures)
    return page(
        request, "stats.html", bars=tool_bars(figures), days=day_bars(runs), width=WIDTH,
        total=total, succeeded=succeeded, rate=percent(succeeded, total),
        failed=sum(each["failed"] for each in figures), tags=live.vault.store.tag_figures(),
    )  # fmt: skip


@requests.put("/settings/{name}")
def change(live: Live, name: Annotated[str, Path(max_length=100)], value: Value) -> Response:
    """Write a setting into the vault's file; what it cannot be is refused."""
    if name == "llm.api_key":
        keep_model_key(live.vault, value.value)
        live.vault.read_settings_again()
        return Json({"name": name, "value": "***"})
    if name not in CHANGED_HERE:
        raise UsageError("unknown-setting", name=name, origin="paper serve", suggestion="", case=None)
    if not value.value and KNOWN[name].kind not in LISTS:
        raise SettingsError("invalid-setting", name=name, value="", origin="paper serve", case=KNOWN[name].kind,
                            least=f"{KNOWN[name].least:g}", most=f"{KNOWN[name].most:.0f}")  # fmt: skip
    write_setting(live.vault.root, name, from_text(value.value, KNOWN[name]), origin="paper serve")
    live.vault.read_settings_again()
    return Json({"name": name, "value": shown_value(name, live.vault.settings.values[name])})


def _typed(value: Any) -> str:
    """A value as one would type it."""
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return "" if value is None else value if isinstance(value, str) else json.dumps(value)


router.include_router(pages)
router.include_router(requests)
