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

from paperagents.approval.question import ApprovalRequest
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.errors import (
    ApprovalChangedError,
    PaperError,
    RunBusyError,
    ToolError,
    UnknownApprovalError,
    UsageError,
)
from paperagents.interfaces.mcp.answers import answer_result, error_result, failure, search_result
from paperagents.interfaces.mcp.clients import (
    Context,
    LogLevels,
    can_show_form,
    messages_of,
    sender,
    trace_of,
    wants_progress,
)
from paperagents.interfaces.mcp.forms import is_cut, is_undecided, question_form, read_decision
from paperagents.interfaces.mcp.tools import CALL, SEARCH, ToolOffer
from paperagents.interfaces.serving.callers import Caller
from paperagents.interfaces.serving.live_runs import LiveRuns
from paperagents.messages import text
from paperagents.runs.record import RunRecord
from paperagents.runs.tracing import continue_trace

Result = types.CallToolResult | types.InputRequiredResult
MOST_TRIES = 3
"""So often a question is put to a client."""
TOGETHER = "paperagents/together"
"""In the ``_meta`` of a call: its changes are collected, and asked about once, at the end."""


class ToolCalls:
    """Carries out the calls of all clients."""

    def __init__(self, live: LiveRuns, offer: ToolOffer) -> None:
        self._live = live
        self._offer = offer
        self.levels = LogLevels()

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
        remarks = [
            await self.answer(each, state["asked"][each], answer, by, waiting.get(each))
            for each, answer in given.items()
        ]
        return await self.finish(context, state["run"], " ".join(filter(None, remarks)), state["tries"])

    async def answer(
        self, approval_id: str, digest: str, answer: Any, by: Caller, request: ApprovalRequest | None
    ) -> str:
        """Pass on the person's answer; returns what is wrong with it, or nothing."""
        try:
            decision = read_decision(answer, by, request, self.schema_of(request) if request is not None else None)
            await asyncio.to_thread(self._live.answer, approval_id, decision, digest=digest)
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
                # Not in a thread: for a tool that has just run, this is one look at its file.
                return answer_result(record, self._offer.find(record.tool))
            asked[questions[0].id] += 1
            may_ask = can_show_form(context) and "answer" in sender(context).rights
            if not may_ask or asked[questions[0].id] > MOST_TRIES:
                return waiting_result(record, questions)
            if not context.session.can_send_request:
                forms = {each.id: question_form(each, version, remark, self.schema_of(each)) for each in questions}
                return input_required(record, questions, forms, asked)
            form = question_form(questions[0], version, remark, self.schema_of(questions[0]))
            answer = await context.session.elicit_form(
                form.message, form.requested_schema, related_request_id=context.request_id
            )
            if is_undecided(answer, questions[0]):
                return waiting_result(record, questions)
            remark = await self.answer(questions[0].id, questions[0].digest, answer, sender(context), questions[0])

    async def watch(self, context: Context, run_id: str, counter: Iterator[int]) -> RunRecord:
        """Wait for the run and tell what the client wants to know of it; a client that gives up stops it."""
        levels = self.levels.wanted(context)
        try:
            if levels or wants_progress(context):
                async for event in self._live.follow(run_id):
                    await self.tell(context, event, run_id, counter)
                    for message in messages_of(event) if levels else ():
                        if message.level in levels:
                            notification = types.LoggingMessageNotification(params=message)
                            await context.session.send_notification(notification, context.request_id)
            return await self._live.settled(run_id)
        except asyncio.CancelledError:
            if self._live.goes_on(run_id):
                self._live.cancel(run_id)
            raise

    async def tell(self, context: Context, event: JsonObject, run_id: str, counter: Iterator[int]) -> None:
        """Report a step of the run itself as progress."""
        entry = event.get("entry")
        if wants_progress(context) and event["run_id"] == run_id and isinstance(entry, dict):
            await context.session.report_progress(next(counter), None, f"{entry['name']}: {entry['message']}")

    def schema_of(self, request: ApprovalRequest) -> JsonObject:
        """The schema of the arguments that are asked about."""
        tool = self._offer.find(request.tool)
        return {} if tool is None else tool.schema

    def open_questions(self, run_id: str) -> list[ApprovalRequest]:
        """What the run waits for."""
        return self._live.vault.history.questions(run_id)


def input_required(
    record: RunRecord,
    questions: list[ApprovalRequest],
    forms: Mapping[str, types.ElicitRequestFormParams],
    tries: Mapping[str, int],
) -> types.InputRequiredResult:
    """The questions as the result; what comes back is tied to this run and to what was shown."""
    shown = {each.id: each.digest for each in questions}
    state = {"run": record.run_id, "asked": shown, "tries": {each: tries[each] for each in shown if each in tries}}
    requests: types.InputRequests = {each: types.ElicitRequest(params=form) for each, form in forms.items()}
    return types.InputRequiredResult(request_state=json.dumps(state), input_requests=requests)


def waiting_result(record: RunRecord, questions: list[ApprovalRequest]) -> types.CallToolResult:
    """That a run waits, and the commands that answer it."""
    commands = "; ".join(
        f"paper approvals {word} {each.id}"
        for each in questions
        for word in (["show", "approve"] if is_cut(each) else ["approve"])
    )
    return failure(text("mcp.waits", run=record.run_id, command=commands), run_id=record.run_id, status=record.status)
