"""Runs and approvals over REST."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from hashlib import sha256
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Path, Query, Request, Response
from starlette.responses import StreamingResponse

from paperagents.approval.question import Approved, Decision, Denied
from paperagents.approval.rule_words import describe_proposal
from paperagents.approval.rules import escape_pattern, read_end
from paperagents.definitions.json_value import JsonObject
from paperagents.definitions.text import lossless_bytes
from paperagents.errors import PaperError, RunBusyError, RunOverError, UsageError
from paperagents.interfaces.rest.models import (
    Approval,
    NewRun,
    NewText,
    No,
    Problem,
    ProposedRule,
    Record,
    Rule,
    RunLine,
    WasDone,
    Yes,
)
from paperagents.interfaces.rest.responses import Json, StrictRoute, needs, plan_response, record_response
from paperagents.interfaces.serving.callers import Caller, caller_of
from paperagents.interfaces.serving.live_runs import LiveRuns
from paperagents.runs.record import RunRecord, RunStatus
from paperagents.secrets.redaction import Redaction

LONGEST_WAIT = 60.0
_KEEP_ALIVE = 15.0
"""Seconds of silence after which a comment is sent, so that nobody in between takes the connection for dead."""
PROBLEM: dict[int | str, dict[str, Any]] = {
    "4XX": {"model": Problem, "content": {"application/problem+json": {}}, "description": "What is wrong"},
    "5XX": {"model": Problem, "content": {"application/problem+json": {}}, "description": "What went wrong"},
}
ENDED: dict[int | str, dict[str, Any]] = {
    200: {"model": Record, "description": "The run is over"},
    202: {"model": Record, "description": "The run goes on, or waits for an approval"},
    **PROBLEM,
}
router = APIRouter(prefix="/api/runs", tags=["runs"], route_class=StrictRoute, responses=PROBLEM)


def live_runs(request: Request) -> LiveRuns:
    """The live runs of the served vault."""
    live: LiveRuns = request.app.state.live
    return live


def current_caller(request: Request) -> Caller:
    """Who has sent the request."""
    return caller_of(request.scope)


Live = Annotated[LiveRuns, Depends(live_runs)]
By = Annotated[Caller, Depends(current_caller)]
RunId = Annotated[str, Path(min_length=1, max_length=200)]
Wait = Annotated[
    float,
    Query(ge=0, le=LONGEST_WAIT, description="Seconds to wait for the end; after that the run goes on by itself."),
]


@router.post("", summary="Start a run", responses=ENDED)
async def start(
    live: Live,
    new: NewRun,
    wait: Wait = 30.0,
    idempotency_key: Annotated[str | None, Header(min_length=1, max_length=200)] = None,
) -> Response:
    """Carry out a call. With an ``Idempotency-Key``, a second request is answered with the run of the first."""
    if new.dry_run:
        return plan_response(await asyncio.to_thread(live.vault.plan, new.tool, new.arguments))
    if idempotency_key is not None:
        # The run's id is derived from the key: whoever comes with the same key comes to the same run.
        run_id = sha256(lossless_bytes(f"idempotency-key\0{idempotency_key}")).hexdigest()[:16]
        return record_response(await start_once(live, run_id, new, wait))
    return record_response(await live.finished(live.start(new.tool, new.arguments, together=new.together), wait))


@router.get("", summary="List runs, the newest first", response_model=list[RunLine])
def history(
    live: Live,
    tool: Annotated[str | None, Query(max_length=500)] = None,
    status: RunStatus | None = None,
    since: Annotated[str | None, Query(max_length=40, description="A date or time, ISO 8601.")] = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 50,
) -> Response:
    """The runs that somebody started; of one tool also those that were steps of others."""
    tool = live.vault.registry.id_of(tool) if tool is not None else None
    return Json(live.vault.history.runs(tool=tool, status=status, since=since, limit=limit))


@router.get("/{run_id}", summary="Show a run", response_model=Record)
def show(live: Live, run_id: RunId) -> Response:
    """The record of a run as it is now."""
    return Json(live.record(run_id).as_json())


@router.get(
    "/{run_id}/events",
    summary="Follow a run (server-sent events)",
    response_class=StreamingResponse,
    responses={200: {"content": {"text/event-stream": {}}}},
)
async def follow(
    live: Live,
    run_id: RunId,
    after: Annotated[int, Query(ge=0)] = 0,
    seconds: Annotated[
        float | None, Query(ge=0, le=LONGEST_WAIT, description="End the stream after this time.")
    ] = None,
    last_event_id: Annotated[str | None, Header(max_length=20)] = None,
) -> Response:
    """Everything that happens in the run until it ends or waits. ``Last-Event-ID`` goes on where a reader stopped."""
    known = await asyncio.to_thread(live.record, run_id)
    if last_event_id and last_event_id.isascii() and last_event_id.isdigit():
        after = int(last_event_id) or after
    events = live.follow(known.run_id, after=after)
    return event_stream(events if seconds is None else take_for(events, seconds))


@router.post("/{run_id}/cancel", summary="Stop a run", responses=ENDED)
async def cancel(live: Live, run_id: RunId, wait: Wait = 5.0) -> Response:
    """Stop a run that goes on, or give up one that waits."""
    known = await asyncio.to_thread(live.cancel, run_id)
    return record_response(await live.finished(known, wait))


@router.post("/{run_id}/resume", summary="Go on with a run", responses=ENDED)
async def resume(live: Live, run_id: RunId, wait: Wait = 30.0) -> Response:
    """Go on with a run that waits or was interrupted; what has a result is not done again."""
    known = await asyncio.to_thread(live.resume, run_id)
    return record_response(await live.finished(known, wait))


@router.post("/{run_id}/done", summary="Say that it was done", responses=ENDED, openapi_extra=needs("answer"))
async def confirm_done(live: Live, by: By, run_id: RunId, done: WasDone, wait: Wait = 30.0) -> Response:
    """A step of a run that ended with ``outcome-unknown`` was done; the run goes on after it."""
    known = (await asyncio.to_thread(live.record, run_id)).run_id
    await asyncio.to_thread(live.vault.confirm_done, known, done.output, approved=Approved(by=by.name, via=by.via))
    return record_response(await live.finished(await asyncio.to_thread(live.resume, known), wait))


@router.post("/{run_id}/rerun", summary="Do a run again", responses=ENDED)
async def rerun(live: Live, run_id: RunId, wait: Wait = 30.0) -> Response:
    """A new run with the same tool and arguments."""
    tool, arguments = await asyncio.to_thread(live.vault.history.arguments, run_id)
    return record_response(await live.finished(live.start(tool, arguments), wait))


async def take_for(events: AsyncIterator[JsonObject], seconds: float) -> AsyncIterator[JsonObject]:
    """The events that come in this time, for clients that see nothing of a response before its end."""
    loop, coming = asyncio.get_running_loop(), aiter(events)
    end = loop.time() + seconds
    while True:
        following = asyncio.ensure_future(anext(coming, None))
        try:
            await asyncio.wait({following}, timeout=max(end - loop.time(), 0))
            if not following.done() or (event := following.result()) is None:
                return
        finally:
            following.cancel()
        yield event


def event_stream(events: AsyncIterator[JsonObject]) -> Response:
    """Events as ``text/event-stream``."""
    return StreamingResponse(format_events(events), media_type="text/event-stream")


async def format_events(events: AsyncIterator[JsonObject]) -> AsyncIterator[str]:
    """Each event in the lines of the protocol, with a comment in between while nothing happens."""
    coming = aiter(events)
    while True:
        following = asyncio.ensure_future(anext(coming, None))
        try:
            while not (await asyncio.wait({following}, timeout=_KEEP_ALIVE))[0]:
                yield ": still here\n\n"
        finally:
            following.cancel()
        if (event := following.result()) is None:
            return
        yield f"id: {event['seq']}\nevent: {event['type']}\ndata: {json.dumps(event)}\n\n"


async def start_once(live: LiveRuns, run_id: str, new: NewRun, wait: float) -> RunRecord:
    """The run of an idempotency key: started now, earlier, or by another request in this very moment."""
    try:
        if not await asyncio.to_thread(is_started, live, run_id, new):
            live.start(new.tool, new.arguments, run_id=run_id, together=new.together)
        return await live.finished(run_id, wait)
    except (RunBusyError, RunOverError):
        pass
    await asyncio.to_thread(is_started, live, run_id, new)
    return await live.finished(run_id, wait)


def is_started(live: LiveRuns, run_id: str, new: NewRun) -> bool:
    """Whether this call has been made with this key. Raises UsageError where it was another call."""
    stored = live.vault.history.run(run_id)
    call = live.call_of(run_id) if stored is None else (stored.tool, stored.arguments)
    if call is None:
        return False
    if normalize_call(live, *call) != normalize_call(live, new.tool, new.arguments):
        raise UsageError("idempotency-key-reused", id=run_id)
    return True


def normalize_call(live: LiveRuns, tool: str, arguments: Mapping[str, Any]) -> tuple[str, Any]:
    """A call as stored runs have it, for comparing: by id, with secrets redacted."""
    with suppress(PaperError):
        tool = live.vault.registry.tool(tool).id
    return tool, live.vault.services.redaction.value(dict(arguments))


# --- approvals: open questions, answers, standing rules


_ANSWERING = needs("answer")
approvals_router = APIRouter(prefix="/api", tags=["approvals"], route_class=StrictRoute, responses=PROBLEM)
Pattern = Annotated[str, Query(max_length=1000)]
ApprovalId = Annotated[str, Path(min_length=1, max_length=200)]


@approvals_router.get("/approvals", summary="List open questions", response_model=list[Approval])
def questions(live: Live) -> Response:
    """Every open question, the oldest first, with exactly what will happen."""
    return Json([Redaction().value(request.as_json()) for request in live.vault.history.questions()])


@approvals_router.get("/approvals/{approval_id}/text", summary="The new text of a file", response_model=NewText)
def new_text(
    live: Live, approval_id: ApprovalId, file: Annotated[str, Query(min_length=1, max_length=4000)]
) -> Response:
    """What the run wants a file of a question about several to become; an answer may say something else."""
    return Json({"path": file, "content": live.vault.proposed_text(approval_id, file)})


@approvals_router.get("/approvals/{approval_id}/rule", summary="The rule of an always", response_model=ProposedRule)
def proposed_rule(live: Live, approval_id: ApprovalId, path: Pattern = "", until: Pattern = "") -> Response:
    """The rule that "always" would make with this place and last day, in words, or why there cannot be one."""
    asked = live.vault.history.question(approval_id)
    narrowest = escape_pattern(asked.scope.path) if asked.scope is not None else ""
    try:
        words = describe_proposal(asked, live.vault.settings.zone, path=path, until=until)
    except UsageError as error:
        return Json({"words": error.message, "possible": False, "path": narrowest})
    return Json({"words": words, "possible": bool(words), "path": narrowest})


@approvals_router.post("/approvals/{approval_id}/approve", summary="Say yes", responses=ENDED, openapi_extra=_ANSWERING)
async def approve(live: Live, by: By, approval_id: ApprovalId, yes: Yes, wait: Wait = 30.0) -> Response:
    """The run goes on. The digest says what was shown; where that has changed, the answer is refused."""
    until = read_end(yes.until, live.vault.settings.zone) if yes.until else ""
    decision = Approved(
        by=by.name, via=by.via, for_run=yes.for_run, always=yes.always, path=yes.path, until=until,
        arguments=yes.arguments, together=yes.together, files=yes.files,
    )  # fmt: skip
    return await answer(live, approval_id, decision, yes.digest, wait)


@approvals_router.post("/approvals/{approval_id}/deny", summary="Say no", responses=ENDED, openapi_extra=_ANSWERING)
async def deny(live: Live, by: By, approval_id: ApprovalId, no: No, wait: Wait = 30.0) -> Response:
    """The reason reaches whoever called."""
    return await answer(live, approval_id, Denied(reason=no.reason, by=by.name, via=by.via), no.digest, wait)


@approvals_router.get("/rules", summary="List what is allowed from now on", response_model=list[Rule])
def rules(live: Live) -> Response:
    """The rules that "always" has made, for this vault and user."""
    return Json([live.vault.rules.as_json(rule) for rule in live.vault.rules.rules()])


@approvals_router.delete(
    "/rules/{rule_id}",
    summary="Take a rule back",
    status_code=204,
    response_class=Response,
    openapi_extra=_ANSWERING,
)
def revoke(live: Live, rule_id: Annotated[str, Path(min_length=1, max_length=200)]) -> Response:
    """From now on it is asked again."""
    live.vault.rules.revoke(live.vault.rules.find(rule_id).id)
    return Response(status_code=204)


async def answer(live: LiveRuns, approval_id: str, decision: Decision, digest: str, wait: float) -> Response:
    """Answer a question as it was shown; the response is the record of its run."""
    run_id = await asyncio.to_thread(live.answer, approval_id, decision, digest=digest)
    return record_response(await live.finished(run_id, wait))
