"""``rest_request`` and ``web_search``: requests to web servers."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from paperagents.approval.question import Effect, Scope
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.definitions.text import closest
from paperagents.definitions.tool import Pieces
from paperagents.errors import ToolError
from paperagents.http.messages import HttpRequest, is_changing, may_change, names_other_method, normalize_method
from paperagents.http.trace_context import TRACEPARENT, trace_headers
from paperagents.messages import Sentence
from paperagents.secrets.redaction import redact_headers
from paperagents.tools.built_in import (
    ANY,
    BOOLEAN,
    INTEGER,
    TEXT,
    BuiltIn,
    ToolContext,
    always_reads,
    object_of,
    optional,
    refuse_whole_by,
    required,
)

if TYPE_CHECKING:
    from paperagents.sandbox import Cancellation


def prepare_request(context: ToolContext, arguments: JsonObject) -> Effect:
    """A request; one that may change something is asked first."""
    request = request_of(arguments)
    has_key = has_idempotency_key(arguments)

    def send(request: HttpRequest, stop: Cancellation) -> JsonValue:
        from paperagents.http.client import send_request  # noqa: PLC0415  the HTTP library is large

        return send_request(with_trace(request), allowed_hosts=context.allowed_hosts, stop=stop).as_json()

    return replace(
        prepare_sending(REST_REQUEST.name, arguments, request, send, takes_key=not has_key),
        needs_approval=may_change(request),
        # A key of ours may mean nothing to the server; only who wrote the tool knows that theirs does.
        is_idempotent=has_key,
        runs_in_plan=not may_change(request),
    )


def prepare_search(context: ToolContext, arguments: JsonObject) -> Effect:
    """The JSON of an address; it never asks and so never changes anything."""

    def fetch(request: HttpRequest, stop: Cancellation) -> JsonValue:
        from paperagents.http.client import web_search  # noqa: PLC0415  the HTTP library is large

        return web_search(request.url, request.method, allowed_hosts=context.allowed_hosts, stop=stop)

    return prepare_sending(WEB_SEARCH.name, arguments, request_of(arguments), fetch)


def prepare_sending(
    tool: str,
    arguments: JsonObject,
    request: HttpRequest,
    send: Callable[[HttpRequest, Cancellation], JsonValue],
    *,
    takes_key: bool = False,
) -> Effect:
    """What is shown, what a rule names and what is sent come from the same parsed address."""
    from paperagents.http.urls import authority_of, parse_url  # noqa: PLC0415  the HTTP library is large
    from paperagents.sandbox import Cancellation  # noqa: PLC0415  to list the tools, no sandbox is loaded

    url, stop = parse_url(request.url), Cancellation()
    request = replace(request, url=str(url), method=normalize_method(request.method))

    def send_as(key: str) -> JsonValue:
        return send(replace(request, headers={**request.headers, "Idempotency-Key": key}), stop)

    return Effect(
        tool=tool,
        arguments=arguments,
        preview=preview(request),
        # A rule for POST is none for a DELETE that is called POST.
        scope=None if names_other_method(request) else Scope(method=request.method, host=authority_of(url)),
        leaves_the_vault=True,
        perform=lambda: send(request, stop),
        perform_as=send_as if takes_key else None,
        cancel=stop.cancel,
    )


def request_of(arguments: Mapping[str, JsonValue]) -> HttpRequest:
    """The request that a call asks for."""
    headers, timeout = arguments.get("headers"), arguments.get("timeout")
    return HttpRequest(
        url=str(arguments.get("url")),
        method=str(arguments.get("method")),
        headers=headers if isinstance(headers, dict) else {},
        body=arguments.get("body"),
        timeout=float(timeout) if isinstance(timeout, int | float) else None,
    )


def with_trace(request: HttpRequest) -> HttpRequest:
    """The request with the trace that it belongs to, unless it names one itself."""
    named = any(name.lower() == TRACEPARENT for name in request.headers)
    return request if named else replace(request, headers={**request.headers, **trace_headers()})


def has_idempotency_key(arguments: JsonObject) -> bool:
    """Whether the request names itself, so that the server can tell a second time from another one."""
    headers = arguments.get("headers")
    return isinstance(headers, dict) and any(name.lower() == "idempotency-key" for name in headers)


def preview(request: HttpRequest) -> str:
    """The request as it goes out, with the values of secret headers hidden."""
    headers = redact_headers(request.headers)
    lines = [f"{request.method} {request.url}", *(f"{name}: {value}" for name, value in headers.items())]
    if request.body is not None:
        body = request.body
        lines += ["", body if isinstance(body, str) else json.dumps(body, ensure_ascii=False, indent=2)]
    return "\n".join(lines)


_METHODS = frozenset({
    "ACL", "BIND", "CHECKIN", "CHECKOUT", "COPY", "DELETE", "GET", "HEAD", "LINK", "LOCK", "MERGE", "MKCALENDAR",
    "MKCOL", "MOVE", "OPTIONS", "PATCH", "POST", "PROPFIND", "PROPPATCH", "PURGE", "PUT", "QUERY", "REPORT", "SEARCH",
    "TRACE", "UNBIND", "UNLINK", "UNLOCK", "VIEW",
})  # fmt: skip
"""Those that are registered or usual; servers may know others, and a file that writes one has more likely a slip."""


def refuse_method(method: str) -> None:
    """A method that no server is likely to know."""
    if normalize_method(method) not in _METHODS:
        near = closest(method, ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"), count=1)
        raise ToolError("method-invalid", method=method, suggestion="".join(near))


def refuse_changing(method: str) -> None:
    """A method that may change something."""
    refuse_method(method)
    if is_changing(method):
        raise ToolError("method-changing", tool=WEB_SEARCH.name, method=method)


def refuse_address(pieces: Pieces) -> None:
    """An address without a scheme or a host, as far as what stands before the first reference decides."""
    first = (pieces[0] or "").strip()
    if None in pieces and "/" not in first:
        return
    scheme, separator, rest = first.partition("://")
    reason = None if separator and scheme.lower() in ("http", "https") else "url-scheme"
    if reason is None and None not in pieces and not rest.strip("/"):
        reason = "url-host"
    if reason is not None:
        raise ToolError("url-invalid", url=first.partition("?")[0][:200], reason=Sentence(key=reason))


REST_REQUEST = BuiltIn(
    name="rest_request",
    parameters=(
        required("url", TEXT),
        optional("method", TEXT, default="GET"),
        optional("headers", {"type": "object"}),
        optional("body", ANY),
        optional("timeout", {"type": "number", "exclusiveMinimum": 0}),
    ),
    refuses={"url": refuse_address, "method": refuse_whole_by(refuse_method)},
    answer=object_of(status=INTEGER, headers=ANY, body=TEXT, json=ANY, ok=BOOLEAN),
    reads_when=lambda arguments: not may_change(request_of(arguments)),
    prepare=prepare_request,
)
WEB_SEARCH = BuiltIn(
    name="web_search",
    parameters=(required("url", TEXT), optional("method", TEXT, default="GET")),
    refuses={"url": refuse_address, "method": refuse_whole_by(refuse_changing)},
    reads_when=always_reads,
    prepare=prepare_search,
)
