"""Approvals over REST: open questions, answers, and what has been allowed from now on."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Path, Response

from paperagents.approval.decision import Approved, Decision, Denied
from paperagents.errors import UsageError
from paperagents.interfaces.serving.live_runs import LiveRuns
from paperagents.interfaces.serving.rest_answers import Json, StrictRoute, record_response
from paperagents.interfaces.serving.rest_models import Approval, No, Rule, Yes
from paperagents.interfaces.serving.rest_runs import ENDED, PROBLEM, Live, Wait
from paperagents.records.masking import Masking

router = APIRouter(prefix="/api", tags=["approvals"], route_class=StrictRoute, responses=PROBLEM)
ApprovalId = Annotated[str, Path(min_length=1, max_length=200)]


@router.get("/approvals", summary="List open questions", response_model=list[Approval])
def questions(live: Live) -> Response:
    """Every open question, the oldest first, with exactly what will happen."""
    return Json([Masking().value(request.as_json()) for request in live.vault.store.approvals()])


@router.post("/approvals/{approval_id}/approve", summary="Say yes", responses=ENDED)
async def approve(live: Live, approval_id: ApprovalId, yes: Yes, wait: Wait = 30.0) -> Response:
    """The run goes on. The digest says what was shown; where that has changed, the answer is refused."""
    decision = Approved(for_run=yes.for_run, always=yes.always, arguments=yes.arguments)
    return await _answered(live, approval_id, decision, yes.digest, wait)


@router.post("/approvals/{approval_id}/deny", summary="Say no", responses=ENDED)
async def deny(live: Live, approval_id: ApprovalId, no: No, wait: Wait = 30.0) -> Response:
    """The reason reaches whoever called."""
    return await _answered(live, approval_id, Denied(reason=no.reason), no.digest, wait)


@router.get("/rules", summary="List what is allowed from now on", response_model=list[Rule])
def rules(live: Live) -> Response:
    """The rules that "always" has made, for this vault and user."""
    return Json([rule.as_json() for rule in live.vault.rules.rules()])


@router.delete("/rules/{rule_id}", summary="Take a rule back", status_code=204, response_class=Response)
def revoke(live: Live, rule_id: Annotated[str, Path(min_length=1, max_length=200)]) -> Response:
    """From now on it is asked again."""
    if not live.vault.rules.revoke(rule_id):
        raise UsageError("unknown-rule", id=rule_id)
    return Response(status_code=204)


async def _answered(live: LiveRuns, approval_id: str, decision: Decision, digest: str, wait: float) -> Response:
    run_id = await asyncio.to_thread(live.answer, approval_id, decision, digest=digest)
    return record_response(await live.finished(run_id, wait))
