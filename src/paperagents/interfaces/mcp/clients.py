"""The client behind a request: who it is, what it can show, and which log messages it has asked for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args
from weakref import WeakKeyDictionary

import mcp_types as types
from mcp.server.context import ServerRequestContext

from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.interfaces.serving.callers import Caller, caller_of, the_person

Context = ServerRequestContext[Any, Any]
LEVELS: tuple[types.LoggingLevel, ...] = get_args(types.LoggingLevel)
_CONSOLE: dict[JsonValue, types.LoggingLevel] = {"debug": "debug", "warn": "warning", "error": "error"}
"""Whatever else is written to the console is of level ``info``."""


def sender(context: Context) -> Caller:
    """Who calls: over HTTP whoever the guard has let in, over pipes the person whose client it is."""
    return the_person() if context.request is None else caller_of(context.request.scope)


def connection_of(context: Context) -> object:
    """What lasts as long as the client stays; a session lasts for one request."""
    return context.session._connection  # noqa: SLF001  the library offers no other name for a client


def trace_of(context: Context) -> object:
    """The trace of the client: what the message says, else the request that it came with."""
    told = (context.meta or {}).get("traceparent")
    return told or (context.request.headers.get("traceparent") if context.request is not None else None)


def can_show_form(context: Context) -> bool:
    """Whether the client says it can show a form; one that names no kind of form means the plain one."""
    capabilities = context.session.client_capabilities
    asks = capabilities.elicitation if capabilities is not None else None
    return asks is not None and (asks.form is not None or asks.url is None)


def wants_progress(context: Context) -> bool:
    """Whether the client wants to be told of each step."""
    return (context.meta or {}).get("progress_token") is not None


class LogLevels:
    """The log messages that clients want: none, until they say from which level on.

    Those up to 2025-11-25 say it once for all calls, those of 2026-07-28 with each call.
    """

    def __init__(self) -> None:
        self._levels: WeakKeyDictionary[object, types.LoggingLevel] = WeakKeyDictionary()

    async def set_level(self, context: Context, params: types.SetLevelRequestParams) -> types.EmptyResult:
        """From now on, send messages of this level and above."""
        self._levels[connection_of(context)] = params.level
        return types.EmptyResult()

    def wanted(self, context: Context) -> frozenset[types.LoggingLevel]:
        """The levels of the messages that are sent."""
        told = (context.meta or {}).get(types.LOG_LEVEL_META_KEY) or self._levels.get(connection_of(context))
        return frozenset(LEVELS[LEVELS.index(told) :] if told in LEVELS else ())


def messages_of(event: JsonObject) -> Iterator[types.LoggingMessageNotificationParams]:
    """What an event of a run has for the client's log: warnings, and what a tool's code writes to the console.

    Nothing else of the run's record: that holds what postprocessing keeps back.
    """
    if event["type"] == "run-warned":
        yield types.LoggingMessageNotificationParams(level="warning", data=event["message"])
    entry = event.get("entry")
    if event["type"] == "step-finished" and isinstance(entry, dict) and isinstance(lines := entry["console"], list):
        for line in lines:
            assert isinstance(line, dict)
            level = _CONSOLE.get(line["level"], "info")
            yield types.LoggingMessageNotificationParams(level=level, logger=str(entry["name"]), data=line["text"])
