"""What a vault brings along, and whether it is trusted, over REST."""

from __future__ import annotations

from fastapi import APIRouter, Response

from paperagents.approval.trust import Brought
from paperagents.interfaces.rest.models import TrustChoice, TrustLine
from paperagents.interfaces.rest.responses import Json, StrictRoute, needs
from paperagents.interfaces.rest.runs import PROBLEM, Live
from paperagents.inventory import as_json, choose_things, give_trust, list_brought, state_of, take_trust
from paperagents.vault import Vault

router = APIRouter(prefix="/api/trust", tags=["trust"], route_class=StrictRoute, responses=PROBLEM)
_DECIDING = needs("answer")


@router.get("", summary="List what the vault brings along", response_model=list[TrustLine])
def show(live: Live) -> Response:
    """Everything in the vault that grants or starts something; what is not trusted does not count."""
    return states(live.vault, list_brought(live.vault))


@router.post("/give", summary="Trust things", response_model=list[TrustLine], openapi_extra=_DECIDING)
def give(live: Live, choice: TrustChoice) -> Response:
    """From now on they count, exactly as they are. The answer lists those that were not trusted before."""
    vault = live.vault
    named = choose_things(vault, choice.digests, choice.kind, everything=choice.all)
    chosen = [thing for thing in named if not vault.trust.trusts(thing)]
    give_trust(vault, chosen)
    vault.read_settings_again()
    return states(vault, chosen)


@router.post("/take", summary="Trust things no more", response_model=list[TrustLine], openapi_extra=_DECIDING)
def take(live: Live, choice: TrustChoice) -> Response:
    """From now on they are left out. The answer lists those that were trusted before."""
    vault = live.vault
    named = choose_things(vault, choice.digests, choice.kind, everything=choice.all)
    chosen = [thing for thing in named if thing.kind == "rule" or vault.trust.trusts(thing)]
    take_trust(vault, chosen)
    vault.read_settings_again()
    return states(vault, chosen)


def states(vault: Vault, things: list[Brought]) -> Response:
    """Things as ``paper trust show --json`` lists them."""
    return Json([as_json(thing, state_of(vault, thing)) for thing in things])
