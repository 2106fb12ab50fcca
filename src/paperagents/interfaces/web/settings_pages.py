"""Pages of settings and statistics, and the key of the language model."""

from __future__ import annotations

import json
from typing import Annotated, Any

from fastapi import APIRouter, Path
from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import Response

from paperagents.agents.model import KEYRING, origin_of
from paperagents.approval.rule_words import describe_rule
from paperagents.errors import SettingsError, UsageError
from paperagents.interfaces.rest.responses import Json, needs
from paperagents.interfaces.rest.runs import By, Live
from paperagents.interfaces.web.device_pages import list_devices
from paperagents.interfaces.web.drawings import WIDTH, day_bars, day_lines, day_times, percent, tool_bars
from paperagents.interfaces.web.rendering import PageRoute, page
from paperagents.known_settings import LISTS, SETTING_SPECS, parse_setting
from paperagents.runs.statistics import tag_statistics, tool_statistics
from paperagents.runs.usage_totals import total_usage
from paperagents.settings import load_settings, mask_value
from paperagents.settings_writing import write_setting, write_user_setting
from paperagents.vault import Vault

router = APIRouter(include_in_schema=False, route_class=PageRoute)
CHANGED_HERE = (
    "language", "timezone", "allowed_hosts", "sandbox.timeout", "sandbox.memory_mb", "sandbox.output_mb",
    "llm.base_url", "llm.model",
)  # fmt: skip
"""Settings with a field on the page; the key of the language model has a field of its own."""
MOST_RUNS = 5_000
ORIGIN = "paper serve"
"""Who writes a setting here, as errors say it."""


class Value(BaseModel):
    """A setting as somebody types it."""

    model_config = ConfigDict(extra="forbid", strict=True)

    value: str = Field(max_length=10_000)


@router.get("/settings")
def settings(request: Request, live: Live) -> Response:
    """Every setting with its origin, and the rules."""
    values = live.vault.settings.values
    shown = {
        name: {
            "value": format_setting(mask_value(name, values[name])),
            "origin": values[name].origin,
            "kind": SETTING_SPECS[name].kind,
        }
        for name in CHANGED_HERE
    }
    book, has_key = live.vault.rules, has_model_key(live.vault)
    rules = [{"id": rule.id, "words": describe_rule(rule), "state": book.state(rule)} for rule in book.rules()]
    return page(request, "settings.html", settings=shown, rules=rules, has_key=has_key, devices=list_devices(live))


@router.get("/stats")
def stats(request: Request, live: Live) -> Response:
    """How often, how well and how long, as charts and figures."""
    figures: list[dict[str, Any]] = tool_statistics(live.vault.journal)
    runs: list[dict[str, Any]] = live.vault.history.runs(limit=MOST_RUNS)
    total, succeeded = sum(each["runs"] for each in figures), sum(each["succeeded"] for each in figures)
    return page(
        request, "stats.html", bars=tool_bars(figures), days=day_bars(runs), times=day_times(runs),
        lines=day_lines(runs), width=WIDTH,
        total=total, succeeded=succeeded, rate=percent(succeeded, total),
        failed=sum(each["failed"] for each in figures), tags=tag_statistics(live.vault.journal),
        used=total_usage(live.vault.database),
        names=live.vault.registry.names_of({str(each["tool"]) for each in figures}),
    )  # fmt: skip


@router.put("/settings/{name}", openapi_extra=needs("edit"))
def change(live: Live, by: By, name: Annotated[str, Path(max_length=100)], value: Value) -> Response:
    """Write a setting into the vault's file. Raises SettingsError for a value that it cannot have."""
    if (spec := SETTING_SPECS.get(name)) is not None and spec.grants is not None:
        # It opens something, and what is set here is trusted.
        by.require("answer")
    if name == "llm.api_key":
        store_model_key(live.vault, value.value)
        live.vault.read_settings_again()
        return Json({"name": name, "value": "***"})
    if name not in CHANGED_HERE:
        raise UsageError("unknown-setting", name=name, origin=ORIGIN, suggestion="", case=None)
    if not value.value and SETTING_SPECS[name].kind not in LISTS:
        raise SettingsError("invalid-setting", name=name, value="", origin=ORIGIN, case=SETTING_SPECS[name].kind,
                            least=f"{SETTING_SPECS[name].least:g}", most=f"{SETTING_SPECS[name].most:.0f}")  # fmt: skip
    write_setting(live.vault.root, name, parse_setting(value.value, SETTING_SPECS[name]), origin=ORIGIN)
    live.vault.read_settings_again()
    return Json({"name": name, "value": mask_value(name, live.vault.settings.values[name])})


def format_setting(value: Any) -> str:
    """A value as one would type it."""
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return "" if value is None else value if isinstance(value, str) else json.dumps(value)


# --- the key of the language model: stored for the server it is for, never shown again


def store_model_key(vault: Vault, key: str) -> None:
    """Store a key in the system's keyring, else in the user's own settings; never in the vault."""
    if not key or not key.isascii() or not key.isprintable() or " " in key:
        raise SettingsError("invalid-setting", name="llm.api_key", value="***", origin=ORIGIN, case="text")
    base_url = str(vault.settings.get("llm.base_url"))
    if not store_in_keyring(origin_of(base_url), key):
        if origin_of(str(load_settings(None).get("llm.base_url"))) != origin_of(base_url):
            # A key is sent to the user's own server only: whoever enters it here means this one.
            write_user_setting("llm.base_url", base_url, origin=ORIGIN)
        write_user_setting("llm.api_key", key, origin=ORIGIN)
    vault.services.redaction.learn([key])


def has_model_key(vault: Vault) -> bool:
    """Whether there is a key for the server in the settings."""
    if vault.settings.get("llm.api_key"):
        return True
    import keyring  # noqa: PLC0415  it looks around in the system when it is loaded

    try:
        return bool(keyring.get_password(KEYRING, origin_of(str(vault.settings.get("llm.base_url")))))
    except Exception:
        return False


def store_in_keyring(origin: str, key: str) -> bool:
    """Whether the keyring has taken the key: some accept it and store nothing."""
    import keyring  # noqa: PLC0415  see above

    try:
        keyring.set_password(KEYRING, origin, key)
        return keyring.get_password(KEYRING, origin) == key
    except Exception:
        return False
