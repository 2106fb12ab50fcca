"""Choosing a model from a list: what runs on this computer, looked for when somebody asks, and OpenRouter."""

from __future__ import annotations

from typing import Literal

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from paperagents.agents.model import is_this_computer
from paperagents.agents.model_servers import LOCAL_SERVERS, OPENROUTER, OfferedModel, ask_openrouter, find_local_servers
from paperagents.errors import PaperError
from paperagents.interfaces.rest.responses import Json, needs
from paperagents.interfaces.rest.runs import By, Live
from paperagents.interfaces.web.rendering import PageRoute, fragment
from paperagents.interfaces.web.settings_pages import ORIGIN, has_model_key
from paperagents.messages import text
from paperagents.settings_writing import write_setting

router = APIRouter(include_in_schema=False, route_class=PageRoute)
_THOUSAND = 1_000


class Choice(BaseModel):
    """A model of one of the servers that the list shows."""

    model_config = ConfigDict(extra="forbid", strict=True)

    base_url: str = Field(max_length=200)
    model: str = Field(min_length=1, max_length=200)


@router.post("/models/{where}", openapi_extra=needs("edit"))
def models(live: Live, where: Literal["local", "openrouter"]) -> Response:
    """What can be chosen. Nothing is looked for until somebody wants this list."""
    problem = None
    if where == "local":
        servers = find_local_servers()
    else:
        try:
            servers = [ask_openrouter()]
        except PaperError as error:
            servers, problem = [], error.message
    return fragment(
        "_models.html", where=where, servers=servers, problem=problem, looked_at=LOCAL_SERVERS,
        current=live.vault.settings.get("llm.model"), describe_model=describe_model,
    )  # fmt: skip


@router.put("/model", openapi_extra=needs("edit"))
def choose(live: Live, by: By, wanted: Choice) -> Response:
    """Use this model from now on. Other addresses are for the settings."""
    # An address that notes are sent to is one that opens something.
    by.require("answer")
    if wanted.base_url not in (OPENROUTER, *LOCAL_SERVERS.values()):
        raise PaperError("model-address", address=wanted.base_url)
    write_setting(live.vault.root, "llm.base_url", wanted.base_url, origin=ORIGIN)
    write_setting(live.vault.root, "llm.model", wanted.model, origin=ORIGIN)
    live.vault.read_settings_again()
    needs_key = not is_this_computer(wanted.base_url) and not has_model_key(live.vault)
    return Json({"base_url": wanted.base_url, "model": wanted.model, "needs_key": needs_key})


def describe_model(model: OfferedModel) -> str:
    """What helps to choose: how much it reads at once, and what that costs."""
    said = []
    if model.context:
        said.append(text("web.models.context", thousands=round(model.context / _THOUSAND)))
    if model.prices is not None:
        read, written = model.prices
        said.append(text("web.models.prices", read=f"{read:.2f}", written=f"{written:.2f}") if any(model.prices)
                    else text("web.models.free"))  # fmt: skip
    return " · ".join(said)
