"""``rest_request`` and ``web_search``: requests to web servers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from urllib.parse import urlsplit

from paperagents.approval.question import Effect
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.definitions.text import closest
from paperagents.definitions.tool import Pieces
from paperagents.errors import ToolError
from paperagents.http.messages import READING_METHODS, HttpRequest, is_changing, normalize_method
from paperagents.messages import Sentence
from paperagents.secrets.redaction import redact_headers
from paperagents.tools.built_in import (
    ALWAYS,
    ANY,
    BOOLEAN,
    INTEGER,
    TEXT,
    BuiltIn,
    ToolContext,
    object_of,
    optional,
    refuse_whole_by,
    required,
)


def prepare_request(context: ToolContext, arguments: JsonObject) -> Effect:
    """A request; one that may change something is asked first."""
    from paperagents.sandbox import Cancellation  # noqa: PLC0415  to list the tools, no sandbox is loaded

    method = normalize_method(str(arguments["method"]))
    stop = Cancellation()

    def send() -> JsonValue:
        from paperagents.http.client import send_request  # noqa: PLC0415  the HTTP library is large

        headers, timeout = arguments.get("headers"), arguments.get("timeout")
        request = HttpRequest(
            url=str(arguments["url"]),
            method=str(arguments["method"]),
            headers=headers if isinstance(headers, dict) else {},
            body=arguments.get("body"),
            timeout=float(timeout) if isinstance(timeout, int | float) else None,
        )
        return send_request(request, allowed_hosts=context.allowed_hosts, stop=stop).as_json()

    return Effect(
        tool=REST_REQUEST.name,
        arguments=arguments,
        needs_approval=is_changing(method),
        preview=preview(method, arguments),
        target=f"{method} {host_of(str(arguments['url']))}",
        is_idempotent=has_idempotency_key(arguments),
        runs_in_plan=not is_changing(method),
        leaves_the_vault=True,
        perform=send,
        cancel=stop.cancel,
    )


def prepare_search(context: ToolContext, arguments: JsonObject) -> Effect:
    """The JSON of an address; it never asks and so never changes anything."""
    from paperagents.sandbox import Cancellation  # noqa: PLC0415  to list the tools, no sandbox is loaded

    url, method = str(arguments["url"]), str(arguments["method"])
    stop = Cancellation()

    def fetch() -> JsonValue:
        from paperagents.http.client import web_search  # noqa: PLC0415  the HTTP library is large

        return web_search(url, method, allowed_hosts=context.allowed_hosts, stop=stop)

    return Effect(
        tool=WEB_SEARCH.name,
        arguments=arguments,
        preview=preview(method.upper(), arguments),
        target=f"{normalize_method(method)} {host_of(url)}",
        leaves_the_vault=True,
        perform=fetch,
        cancel=stop.cancel,
    )


def host_of(url: str) -> str:
    """Host and port of an address, as a rule names them."""
    try:
        return urlsplit(url).netloc.rpartition("@")[2].lower()
    except ValueError:
        from paperagents.http.client import url_invalid  # noqa: PLC0415  the HTTP library is large

        raise url_invalid(url, "url-unreadable") from None


def has_idempotency_key(arguments: JsonObject) -> bool:
    """Whether the request names itself, so that the server can tell a second time from another one."""
    headers = arguments.get("headers")
    return isinstance(headers, dict) and any(name.lower() == "idempotency-key" for name in headers)


def preview(method: str, arguments: JsonObject) -> str:
    """The request as it goes out, with the values of secret headers hidden."""
    headers = arguments.get("headers")
    shown_headers: Mapping[str, JsonValue] = redact_headers(headers) if isinstance(headers, dict) else {}
    lines = [f"{method} {arguments['url']}", *(f"{name}: {value}" for name, value in shown_headers.items())]
    body = arguments.get("body")
    if body is not None:
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
    reads_when={"method": READING_METHODS},
    prepare=prepare_request,
)
WEB_SEARCH = BuiltIn(
    name="web_search",
    parameters=(required("url", TEXT), optional("method", TEXT, default="GET")),
    refuses={"url": refuse_address, "method": refuse_whole_by(refuse_changing)},
    reads_when=ALWAYS,
    prepare=prepare_search,
)
