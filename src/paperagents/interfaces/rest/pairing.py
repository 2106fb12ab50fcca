"""Pairing over REST: the one thing that needs no token, because it gives one."""

from __future__ import annotations

from fastapi import APIRouter, Response
from pydantic import BaseModel, Field

from paperagents.interfaces.rest.models import RequestBody
from paperagents.interfaces.rest.responses import Json, OpenRoute
from paperagents.interfaces.rest.runs import PROBLEM, Live
from paperagents.interfaces.serving.callers import Right
from paperagents.interfaces.serving.pairing import open_pairing

router = APIRouter(prefix="/api", tags=["vault"], route_class=OpenRoute, responses=PROBLEM)


class PairingRequest(RequestBody):
    """The code that `paper serve` or `paper serve pair` shows, and what the device is called."""

    code: str = Field(min_length=1, max_length=100)
    name: str = Field(min_length=1, max_length=60, description="A taken name gets a number.")


class PairedToken(BaseModel):
    """A token as it is shown once. `paper serve token revoke NAME` takes it back."""

    name: str
    may: list[Right]
    token: str


@router.post("/pair", summary="Exchange a code for a token", response_model=PairedToken)
def pair(live: Live, wanted: PairingRequest) -> Response:
    """Needs no token. A code is good once and for ten minutes, and ten wrong guesses void it."""
    return Json(open_pairing(live.vault).redeem(wanted.code, wanted.name))
