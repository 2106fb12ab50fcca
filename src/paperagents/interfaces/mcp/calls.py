"""Calls of MCP clients: a call becomes a run, its progress is reported, questions go to the person at the client.

The run lives outside the request. Clients up to 2025-11-25 are asked while their request is open; for those of
2026-07-28 the question *is* the result, and they call again with the person's decision and a sealed request state
that names the run and its questions. The state outlives a restart, and so does the run.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import count
from types import MappingProxyType
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp_types.version import is_version_at_least

from paperagents.approval.invisible import escape_invisible
from paperagents.approval.question import ApprovalRequest, Approved, Decision, Denied
from paperagents.approval.rule_words import describe_proposal
from paperagents.calls.conversion import read_arguments
from paperagents.definitions.json_value import JsonValue
from paperagents.errors import (
    ApprovalChangedError,
    PaperError,
    RunBusyError,
    ToolError,
    UnknownApprovalError,
    UsageError,
)
from paperagents.interfaces.mcp.answers import answer_result, error_result, failure, search_result
from paperagents.interfaces.mcp.tools import CALL, SEARCH, ToolOffer
from paperagents.interfaces.serving.callers import Caller, caller_of, the_person
from paperagents.interfaces.serving.live_runs import LiveRuns
from paperagents.messages import text
from paperagents.runs.record import RunRecord
from paperagents.runs.tracing import continue_trace

Context = ServerRequestContext[Any, Any]
Result = types.CallToolResult | types.InputRequiredResult
LONGEST_PREVIEW = 20_000
MOST_TRIES = 3
"""So often a question is put to a client."""
TOGETHER = "paperagents/together"
"""In the ``_meta`` of a call: its changes are collected, and asked about once, at the end."""
_KNOWS_TITLED_CHOICES = "2025-11-25"


class ToolCalls:
    """Carries out the calls of all clients."""

    def __init__(self, live: LiveRuns, offer: ToolOffer) -> None:
        self._live = live
        self._offer = offer

    async def call(self, context: Context, params: types.CallToolRequestParams) -> Result:
        """Carry out a call, or continue one that asked something."""
        try:
            sender(context).require("call")
            if params.request_state is not None:
                return await self.continue_call(context, params)
            if params.name == SEARCH:
                query = str((params.arguments or {}).get("query") or "")
                return search_result(await asyncio.to_thread(self._offer.search, query))
            tool, arguments = self.resolve_call(params)
            with continue_trace(trace_of(context)):
                run_id = self._live.start(tool, arguments, together=(context.meta or {}).get(TOGETHER) is True)
            return await self.finish(context, run_id)
        except PaperError as error:
            return error_result(error.as_json())

    def resolve_call(self, params: types.CallToolRequestParams) -> tuple[str, Mapping[str, JsonValue]]:
        """The id and arguments of the tool that is meant, also behind ``call_tool``."""
        arguments = params.arguments or {}
        if params.name != CALL:
            return self._offer.id_of(params.name), arguments
        inner = arguments.get("arguments") or {}
        if not isinstance(inner, dict) or not isinstance(arguments.get("tool"), str):
            raise UsageError("params-not-json", reason=text("cli.run.not-an-object"))
        return self._offer.id_of(arguments["tool"]), inner

    async def continue_call(self, context: Context, params: types.CallToolRequestParams) -> Result:
        """The second leg: what the client sends back was sealed by us, so it names what was really asked."""
        state = json.loads(params.request_state or "")
        answers = params.input_responses or {}
        waiting = {each.id: each for each in self.open_questions(state["run"])}
        given = {
            each: answers[each] for each in state["asked"] if not is_undecided(answers.get(each), waiting.get(each))
        }
        if answers and not (given and "answer" in sender(context).rights):
            # The person has looked and not decided; asking again at once would only pester them. Or the yes comes from
            # a program that may only call.
            return waiting_result(
                await asyncio.to_thread(self._live.record, state["run"]), self.open_questions(state["run"])
            )
        by = sender(context)
        remarks = [await self.answer(each, state["asked"][each], answer, by) for each, answer in given.items()]
        return await self.finish(context, state["run"], " ".join(filter(None, remarks)), state["tries"])

    async def answer(self, approval_id: str, digest: str, answer: Any, by: Caller) -> str:
        """Pass on the person's answer; returns what is wrong with it, or nothing."""
        try:
            await asyncio.to_thread(self._live.answer, approval_id, read_decision(answer, by), digest=digest)
        except (UnknownApprovalError, ApprovalChangedError, RunBusyError):
            # Answered elsewhere, or about something that has changed: the run itself says how it stands.
            return ""
        except (UsageError, ToolError) as error:
            return str(error)
        return ""

    async def finish(
        self, context: Context, run_id: str, remark: str = "", tries: Mapping[str, int] = MappingProxyType({})
    ) -> Result:
        """The result of a run, or the question it waits with.

        A client whose answers cannot be used is asked the same a few times: some would answer for ever.
        """
        asked = Counter(tries)
        # One request has one progress, which only ever grows, however often something is asked meanwhile.
        counter = count(1)
        version = context.session.protocol_version
        while True:
            record = await self.watch(context, run_id, counter)
            questions = self.open_questions(run_id) if record.status == "waiting" else []
            if not questions:
                return answer_result(record, await asyncio.to_thread(self._offer.find, record.tool))
            asked[questions[0].id] += 1
            may_ask = can_show_form(context) and "answer" in sender(context).rights
            if not may_ask or asked[questions[0].id] > MOST_TRIES:
                return waiting_result(record, questions)
            if not context.session.can_send_request:
                return input_required(record, questions, version, remark, asked)
            form = question_form(questions[0], version, remark)
            answer = await context.session.elicit_form(
                form.message, form.requested_schema, related_request_id=context.request_id
            )
            if is_undecided(answer, questions[0]):
                return waiting_result(record, questions)
            remark = await self.answer(questions[0].id, questions[0].digest, answer, sender(context))

    async def watch(self, context: Context, run_id: str, counter: Iterator[int]) -> RunRecord:
        """Wait for the run and report its progress; a client that gives up stops it."""
        try:
            if context.meta and context.meta.get("progress_token") is not None:
                async for event in self._live.follow(run_id):
                    if event["type"] == "step-finished" and event["run_id"] == run_id:
                        entry = event["entry"]
                        assert isinstance(entry, dict)
                        message = f"{entry['name']}: {entry['message']}"
                        await context.session.report_progress(next(counter), None, message)
            return await self._live.settled(run_id)
        except asyncio.CancelledError:
            if self._live.goes_on(run_id):
                self._live.cancel(run_id)
            raise

    def open_questions(self, run_id: str) -> list[ApprovalRequest]:
        """What the run waits for."""
        return self._live.vault.history.questions(run_id)


def trace_of(context: Context) -> object:
    """The trace of the client: what the message says, else the request that it came with."""
    told = (context.meta or {}).get("traceparent")
    return told or (context.request.headers.get("traceparent") if context.request is not None else None)


def sender(context: Context) -> Caller:
    """Who calls: over HTTP whoever the guard has let in, over pipes the person whose client it is."""
    return the_person() if context.request is None else caller_of(context.request.scope)


def can_show_form(context: Context) -> bool:
    """Whether the client says it can show a form; one that names no kind of form means the plain one."""
    capabilities = context.session.client_capabilities
    asks = capabilities.elicitation if capabilities is not None else None
    return asks is not None and (asks.form is not None or asks.url is None)


def input_required(
    record: RunRecord, questions: list[ApprovalRequest], version: str, remark: str, tries: Mapping[str, int]
) -> types.InputRequiredResult:
    """The questions as the result; what comes back is tied to this run and to what was shown."""
    shown = {each.id: each.digest for each in questions}
    state = {"run": record.run_id, "asked": shown, "tries": {each: tries[each] for each in shown if each in tries}}
    requests: types.InputRequests = {
        each.id: types.ElicitRequest(params=question_form(each, version, remark)) for each in questions
    }
    return types.InputRequiredResult(request_state=json.dumps(state), input_requests=requests)


def waiting_result(record: RunRecord, questions: list[ApprovalRequest]) -> types.CallToolResult:
    """That a run waits, and the commands that answer it."""
    commands = "; ".join(
        f"paper approvals {word} {each.id}"
        for each in questions
        for word in (["show", "approve"] if is_cut(each) else ["approve"])
    )
    return failure(text("mcp.waits", run=record.run_id, command=commands), run_id=record.run_id, status=record.status)


# --- a question as the form of an MCP client, and the answer as a decision


def question_form(request: ApprovalRequest, version: str, remark: str = "") -> types.ElicitRequestFormParams:
    """The effect and the possible answers, in the form that this protocol version knows.

    A remark says what was wrong with the last answer. Where the change is too long for a form, the form shows its
    beginning, says where the whole is, and takes no yes: nobody agrees to what they could not see.
    """
    title = text("mcp.ask", tool=request.tool, step=request.step, run=request.run_id)
    shown = request.preview[:LONGEST_PREVIEW]
    if is_cut(request):
        shown += "\n" + text("mcp.ask.cut", count=len(request.preview) - LONGEST_PREVIEW, id=request.id)
    message = "\n\n".join(part for part in (remark, title, shown) if part)
    return types.ElicitRequestFormParams(
        message=escape_invisible(message), requested_schema=answer_schema(version, request)
    )


def is_cut(request: ApprovalRequest) -> bool:
    """Whether a form shows only the beginning of a change."""
    return len(request.preview) > LONGEST_PREVIEW


def answer_schema(version: str, request: ApprovalRequest) -> dict[str, Any]:
    """The fields of the form; choices with titles are newer than the rest."""
    always = describe_proposal(request)
    titles = {each: text(f"mcp.ask.{each}") for each in (("deny",) if is_cut(request) else ("approve", "deny"))}
    choices: dict[str, Any] = {"enum": [*titles], "enumNames": [*titles.values()]}
    if is_version_at_least(version, _KNOWS_TITLED_CHOICES):
        choices = {"oneOf": [{"const": each, "title": title} for each, title in titles.items()]}
    return {
        "type": "object",
        "properties": {
            "decision": {"type": "string", "title": text("mcp.ask.decision"), **choices},
            "reason": {"type": "string", "title": text("mcp.ask.reason")},
            **fields_of(request),
            **(
                {"always": {"type": "boolean", "title": text("mcp.ask.always", rule=always), "default": False}}
                if always
                else {}
            ),
            "edit": {"type": "string", "title": text("mcp.ask.edit")},
        },
        "required": ["decision"],
    }


def fields_of(request: ApprovalRequest) -> dict[str, Any]:
    """What else can be said: of several changes something for each file, of one also what holds for the next ones."""
    if request.files:
        return {"files": {"type": "string", "title": text("mcp.ask.files")}}
    words = {"for_run": "mcp.ask.for-run", "together": "mcp.ask.together"}
    return {name: {"type": "boolean", "title": text(word), "default": False} for name, word in words.items()}


def is_undecided(answer: Any, request: ApprovalRequest | None = None) -> bool:
    """Whether the question stays open: the form was closed without an answer, or a yes came to what it did not show."""
    word = answer_word(answer)
    return word not in ("approve", "deny", "decline") or (word == "approve" and request is not None and is_cut(request))


def read_decision(answer: Any, by: Caller) -> Decision:
    """The decision in an answer. Raises UsageError where the edited arguments are no JSON object."""
    content = getattr(answer, "content", None) or {}
    if answer_word(answer) != "approve":
        return Denied(reason=str(content.get("reason") or ""))
    edit = content.get("edit")
    return Approved(
        by=by.name,
        via="mcp",
        for_run=content.get("for_run") is True,
        together=content.get("together") is True,
        files=read_arguments(files) if isinstance(files := content.get("files"), str) and files.strip() else None,
        always=content.get("always") is True,
        arguments=read_arguments(edit) if isinstance(edit, str) and edit.strip() else None,
    )


def answer_word(answer: Any) -> str:
    """The decision in one word; from a client that shows no fields, accepting the question is a yes."""
    action = str(getattr(answer, "action", ""))
    return str((answer.content or {}).get("decision", "approve")) if action == "accept" else action
