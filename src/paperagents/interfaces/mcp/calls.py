"""A call of an MCP client: it becomes a run, its progress is told, questions go to the person at the client.

The run lives outside the request. Clients up to 2025-11-25 are asked while their request is open; for those of
2026-07-28 the question *is* the answer, and they call again with the person's decision and a sealed word that says
which run and which questions it is about. The word outlives a restart, and so does the run.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping
from itertools import count
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp_types.version import is_version_at_least

from paperagents.approval.diff import visible
from paperagents.approval.question import ApprovalRequest, Approved, Decision, Denied
from paperagents.calls.conversion import read_arguments
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.definitions.text import value_without_surrogates, without_surrogates
from paperagents.errors import PaperError, ToolError, UsageError
from paperagents.interfaces.mcp.tools import CALL, SEARCH, ToolOffer
from paperagents.interfaces.serving.live_runs import LiveRuns
from paperagents.messages import text, together
from paperagents.runs.record import RunRecord

Context = ServerRequestContext[Any, Any]
Result = types.CallToolResult | types.InputRequiredResult
_OVERTAKEN = ("unknown-approval", "approval-changed", "run-is-running")
_LOOK_SECONDS = 0.2
_FOR_EVER = 10 * 365 * 24 * 3600.0


class ToolCalls:
    """Carries out the calls of all clients."""

    def __init__(self, live: LiveRuns, offer: ToolOffer) -> None:
        self._live = live
        self._offer = offer

    async def call(self, context: Context, params: types.CallToolRequestParams) -> Result:
        """Carry out a call, or go on with one that asked something."""
        try:
            if params.request_state is not None:
                return await self._go_on(context, params)
            if params.name == SEARCH:
                return await asyncio.to_thread(self._found, params.arguments or {})
            tool, arguments = self._meant(params)
            return await self._ended(context, self._live.start(tool, arguments))
        except PaperError as error:
            return _failed(error)

    # --- beginning

    def _meant(self, params: types.CallToolRequestParams) -> tuple[str, Mapping[str, JsonValue]]:
        arguments = params.arguments or {}
        if params.name != CALL:
            return self._offer.id_of(params.name), arguments
        inner = arguments.get("arguments") or {}
        if not isinstance(inner, dict) or not isinstance(arguments.get("tool"), str):
            raise UsageError("params-not-json", reason=text("cli.run.not-an-object"))
        return self._offer.id_of(arguments["tool"]), inner

    def _found(self, arguments: Mapping[str, Any]) -> types.CallToolResult:
        found = self._offer.search(str(arguments.get("query") or ""))
        return _answer({"tools": [*found]}, json.dumps(found, ensure_ascii=False), failed=False)

    async def _go_on(self, context: Context, params: types.CallToolRequestParams) -> Result:
        """The second leg: what the client sends back was sealed by us, so it names what was really asked."""
        state = json.loads(params.request_state or "")
        answers = params.input_responses or {}
        given = {each: answers[each] for each in state["asked"] if not is_undecided(answers.get(each))}
        if answers and not given:
            # The person has looked and not decided; asking again at once would only pester them.
            return _waiting(await asyncio.to_thread(self._live.record, state["run"]), self._open(state["run"]))
        remarks = [await self._answer(each, state["asked"][each], answer) for each, answer in given.items()]
        return await self._ended(context, state["run"], " ".join(filter(None, remarks)))

    async def _answer(self, approval_id: str, digest: str, answer: Any) -> str:
        """Hand on what the person said; the answer is what is wrong with it, if anything."""
        try:
            await asyncio.to_thread(self._live.answer, approval_id, decision_of(answer), digest=digest)
        except UsageError as error:
            # Answered elsewhere, or about something that has changed: the run itself says how it stands.
            return "" if error.code in _OVERTAKEN else str(error)
        except ToolError as error:
            return str(error)
        return ""

    # --- until it ends or asks

    async def _ended(self, context: Context, run_id: str, remark: str = "") -> Result:
        # One request has one progress, which only ever grows, however often something is asked meanwhile.
        counter = count(1)
        while True:
            record = await self._watched(context, run_id, counter)
            questions = self._open(run_id) if record.status == "waiting" else []
            if not questions:
                return _result(record)
            if not _can_ask(context):
                return _waiting(record, questions)
            if not context.session.can_send_request:
                return _asking(record, questions, context.session.protocol_version, remark)
            answer = await self._asked(context, questions[0], remark)
            if is_undecided(answer):
                return _waiting(record, questions)
            remark = await self._answer(questions[0].id, questions[0].digest, answer)

    async def _watched(self, context: Context, run_id: str, counter: Iterator[int]) -> RunRecord:
        """Wait for the run, tell its progress; a client that gives up stops it."""
        try:
            if context.meta and context.meta.get("progress_token") is not None:
                await self._tell_progress(context, run_id, counter)
            return await self._let_go(run_id)
        except asyncio.CancelledError:
            if self._live.goes_on(run_id):
                self._live.cancel(run_id)
            raise

    async def _let_go(self, run_id: str) -> RunRecord:
        """The record once nobody works on the run; somebody may have answered in another process, which goes on."""
        while (record := await self._live.finished(run_id, _FOR_EVER)).status == "running":
            if not await asyncio.to_thread(self._live.vault.database.is_held, run_id):
                # It may have been let go of in this very moment.
                return await self._live.finished(run_id, _FOR_EVER)
            await asyncio.sleep(_LOOK_SECONDS)
        return record

    async def _tell_progress(self, context: Context, run_id: str, counter: Iterator[int]) -> None:
        async for event in self._live.follow(run_id):
            if event["type"] == "step-finished" and event["run_id"] == run_id:
                entry = event["entry"]
                assert isinstance(entry, dict)
                await context.session.report_progress(next(counter), None, f"{entry['name']}: {entry['message']}")

    async def _asked(self, context: Context, request: ApprovalRequest, remark: str) -> types.ElicitResult:
        """Ask a person at a client that can be asked while its request is open."""
        shown = form(request, context.session.protocol_version, remark)
        return await context.session.elicit_form(
            shown.message, shown.requested_schema, related_request_id=context.request_id
        )

    def _open(self, run_id: str) -> list[ApprovalRequest]:
        return self._live.vault.store.approvals(run_id)


def _can_ask(context: Context) -> bool:
    """Whether the client says it can show a form; one that names no kind of form means the plain one."""
    capabilities = context.session.client_capabilities
    asks = capabilities.elicitation if capabilities is not None else None
    return asks is not None and (asks.form is not None or asks.url is None)


def _asking(
    record: RunRecord, questions: list[ApprovalRequest], version: str, remark: str
) -> types.InputRequiredResult:
    """The question as the answer; what comes back is tied to this run and to what was shown."""
    state = {"run": record.run_id, "asked": {each.id: each.digest for each in questions}}
    requests: types.InputRequests = {
        each.id: types.ElicitRequest(params=form(each, version, remark)) for each in questions
    }
    return types.InputRequiredResult(request_state=json.dumps(state), input_requests=requests)


def _result(record: RunRecord) -> types.CallToolResult:
    if record.error is not None:
        shown = together(str(record.error["message"]), str(record.error["hint"] or ""))
    else:
        shown = record.data if isinstance(record.data, str) else json.dumps(record.data, ensure_ascii=False)
    return _answer(record.as_json(), shown, failed=not record.success)


def _waiting(record: RunRecord, questions: list[ApprovalRequest]) -> types.CallToolResult:
    commands = "; ".join(f"paper approvals approve {each.id}" for each in questions)
    return _answer(record.as_json(), text("mcp.waits", run=record.run_id, command=commands), failed=True)


def _failed(error: PaperError) -> types.CallToolResult:
    return _answer({"success": False, "error": error.as_json()}, str(error), failed=True)


def _answer(structured: JsonObject, shown: str, *, failed: bool) -> types.CallToolResult:
    content = types.TextContent(type="text", text=without_surrogates(shown))
    cleaned = value_without_surrogates(structured)
    return types.CallToolResult(content=[content], structured_content=cleaned, is_error=failed)


# --- a question to a person as an MCP client shows it, and the answer as a decision of ours


LONGEST_PREVIEW = 20_000
_KNOWS_TITLED_CHOICES = "2025-11-25"


def form(request: ApprovalRequest, version: str, remark: str = "") -> types.ElicitRequestFormParams:
    """Exactly what will happen, and the answers there are, as clients of this version of the protocol read them.

    A remark says what was wrong with the last answer.
    """
    message = "\n\n".join(part for part in (remark, _message(request)) if part)
    return types.ElicitRequestFormParams(message=visible(message), requested_schema=_answers(version))


def is_undecided(answer: Any) -> bool:
    """Whether the person closed the form without an answer: the question stays open."""
    return not (_is_no(answer) or _is_yes(answer))


def decision_of(answer: Any) -> Decision:
    """What the person said. Raises UsageError where the arguments that were written instead are no JSON object."""
    content = getattr(answer, "content", None) or {}
    if not _is_yes(answer):
        return Denied(reason=str(content.get("reason") or ""))
    edit = content.get("edit")
    return Approved(
        by="MCP",
        for_run=content.get("for_run") is True,
        always=content.get("always") is True,
        arguments=read_arguments(edit) if isinstance(edit, str) and edit.strip() else None,
    )


def _is_yes(answer: Any) -> bool:
    return _said(answer) == "approve"


def _is_no(answer: Any) -> bool:
    return _said(answer) in ("deny", "decline")


def _said(answer: Any) -> str:
    """A client that shows no fields, only the question and a button to accept it, has the person's yes all the same."""
    action = str(getattr(answer, "action", ""))
    return str((answer.content or {}).get("decision", "approve")) if action == "accept" else action


def _message(request: ApprovalRequest) -> str:
    title = text("mcp.ask", tool=request.tool, step=request.step, run=request.run_id)
    shown = request.preview[:LONGEST_PREVIEW]
    if (more := len(request.preview) - LONGEST_PREVIEW) > 0:
        shown += "\n" + text("mcp.ask.cut", count=more)
    return f"{title}\n\n{shown}"


def _answers(version: str) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {
            "decision": {"type": "string", "title": text("mcp.ask.decision"), **_choices(version)},
            "reason": {"type": "string", "title": text("mcp.ask.reason")},
            "for_run": {"type": "boolean", "title": text("mcp.ask.for-run"), "default": False},
            "always": {"type": "boolean", "title": text("mcp.ask.always"), "default": False},
            "edit": {"type": "string", "title": text("mcp.ask.edit")},
        },
        "required": ["decision"],
    }


def _choices(version: str) -> dict[str, Any]:
    titles = {each: text(f"mcp.ask.{each}") for each in ("approve", "deny")}
    if is_version_at_least(version, _KNOWS_TITLED_CHOICES):
        return {"oneOf": [{"const": each, "title": title} for each, title in titles.items()]}
    return {"enum": [*titles], "enumNames": [*titles.values()]}
