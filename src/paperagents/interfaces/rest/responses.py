"""Responses of the REST API: records, and the one place where an error becomes a response (RFC 9457)."""

from __future__ import annotations

import asyncio
import json
from base64 import b64encode
from collections.abc import Callable, Coroutine
from hashlib import sha256
from html import escape
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse
from starlette.routing import Match
from starlette.types import Receive, Scope, Send

from paperagents.definitions.json_value import JsonObject
from paperagents.definitions.text import utf8
from paperagents.errors import (
    BrokenFileError,
    DeniedError,
    InvalidArgumentsError,
    PaperError,
    StorageError,
    UnknownToolError,
    UsageError,
    VariableError,
)
from paperagents.interfaces.serving.callers import Right, caller_of
from paperagents.messages import language, text
from paperagents.runs.record import RunRecord
from paperagents.shortages import error_from

DEEPEST = 100
"""Levels of nesting in a body."""
_KINDS = {
    "missing": "missing", "extra_forbidden": "unknown", "json_invalid": "no-json", "string_type": "text",
    "string_too_short": "short", "string_too_long": "long", "dict_type": "object", "model_type": "object",
    "model_attributes_type": "object", "bool_type": "boolean", "bool_parsing": "boolean", "int_type": "integer",
    "int_parsing": "integer", "int_from_float": "integer", "float_type": "number", "float_parsing": "number",
    "greater_than_equal": "least", "less_than_equal": "most", "literal_error": "choice", "enum": "choice",
}  # fmt: skip
"""The problems that pydantic finds, and the messages we have for them."""
_CODES_OF_STATUS: dict[int, tuple[str, ...]] = {
    401: ("token-missing", "link-used"),
    403: ("foreign-origin", "right-missing", "pairing-refused", "question-link-used"),
    404: (
        "unknown-run", "unknown-approval", "unknown-rule", "unknown-setting", "no-such-route", "no-such-page",
        "entry-not-found", "entry-version-not-found", "unknown-kind", "trust-unknown", "file-not-found",
    ),
    405: ("wrong-method",),
    408: ("request-too-slow",),
    409: ("approval-changed", "ambiguous-id", "run-is-running", "run-is-over", "secrets-not-kept"),
    413: ("request-too-large",),
    415: ("request-not-json",),
    421: ("foreign-host",),
    422: ("idempotency-key-reused",),
    429: ("too-many-requests",),
    500: ("internal-error", "database-failed"),
    503: ("too-many-runs", "too-many-open-files", "out-of-memory", "no-space-left"),
}  # fmt: skip
_STATUS = {code: status for status, codes in _CODES_OF_STATUS.items() for code in codes}
PROBLEM_TYPE = "application/problem+json"
_LARGE = ("data", "execution_log")
_RIGHT = "x-paper-right"
_METHODS = ("DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT")


class Json(JSONResponse):
    """JSON that carries any text, lone surrogates too."""

    def render(self, content: Any) -> bytes:
        """As ASCII."""
        return to_ascii_json(content)


class RecordJson(Json):
    """A record, written while it is sent: it may have megabytes, and nobody else waits for them.

    Whoever prefers ``return=minimal`` (RFC 7240) gets it without its result and its steps.
    """

    def __init__(self, record: JsonObject, **options: Any) -> None:
        super().__init__({}, **options)
        self._record = record

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Write and send it."""
        wished = Headers(scope=scope).get("prefer", "").replace(" ", "").lower().split(",")
        if "return=minimal" in wished:
            self._record = {name: value for name, value in self._record.items() if name not in _LARGE}
            self.headers["preference-applied"] = "return=minimal"
        self.body = await asyncio.to_thread(self.render, self._record)
        self.headers["content-length"] = str(len(self.body))
        await super().__call__(scope, receive, send)


class StrictRequest(Request):
    """A request with strict JSON: no NaN, no Infinity, no excessive nesting."""

    async def json(self) -> Any:
        """The body. Raises json.JSONDecodeError where it is not JSON."""
        body = await self.body()
        try:
            value = json.loads(body.decode("utf-8"))
            # Raises ValueError for NaN, Infinity, and numbers too big for a float, which are read as infinite.
            json.dumps(value, allow_nan=False)
        except json.JSONDecodeError:
            raise
        except (ValueError, RecursionError) as error:
            raise json.JSONDecodeError(str(error)[:100], "", 0) from error
        if is_too_deep(value):
            raise json.JSONDecodeError("nested too deeply", "", 0)
        return value


class StrictRoute(APIRoute):
    """A route that is open to whoever has the right, and reads its body strictly."""

    least: Right | None = "call"
    """What everything but looking needs."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The usual handler, with a strict request. Looking needs no right."""
        handler = super().get_route_handler()
        right: Right | None = (self.openapi_extra or {}).get(_RIGHT)
        if right is None and self.methods != {"GET"}:
            right = self.least

        async def strict(request: Request) -> Response:
            if right is not None:
                caller_of(request.scope).require(right)
            return await handler(StrictRequest(request.scope, request.receive))

        return strict


class OpenRoute(StrictRoute):
    """A route that is open to everybody whom the guard lets through."""

    least = None


def needs(right: Right) -> dict[str, Any]:
    """What a route that needs more than ``call`` gives as ``openapi_extra``: enforced, and described."""
    return {_RIGHT: right}


def record_response(record: RunRecord) -> Response:
    """A record: 202 while it runs or waits, 200 when it is over; a wrong call as a problem."""
    if record.exit_code == UsageError.exit_code and record.error is not None:
        title, code = record.error["message"], record.error["code"]
        # Problem details beside the record. Their status may be left out; the record's says how the run ended.
        problem = {"type": f"urn:paperagents:{code}", "title": title, "detail": title, **record.error}
        document = {**problem, **record.as_json()}
        return RecordJson(document, status_code=404 if code == "unknown-tool" else 422, media_type=PROBLEM_TYPE)
    status = 202 if record.status in ("running", "waiting") else 200
    return RecordJson(record.as_json(), status_code=status, headers={"location": f"/api/runs/{record.run_id}"})


def plan_response(record: RunRecord) -> Response:
    """The record of a dry run. It is not stored: there is no address to come back to."""
    answer = record_response(record)
    if "location" in answer.headers:
        del answer.headers["location"]
    return answer


def handle_errors(app: FastAPI) -> None:
    """Respond to every error of the application with problem details."""

    @app.exception_handler(PaperError)
    async def ours(_: Request, error: PaperError) -> Response:
        return problem_response(error)

    @app.exception_handler(Exception)
    async def unforeseen(_: Request, error: Exception) -> Response:
        # The library raises it again after this response, so that the log has the traceback.
        return problem_response(internal_error(error))

    @app.exception_handler(RequestValidationError)
    async def invalid(_: Request, error: RequestValidationError) -> Response:
        return problem_response(invalid_request(error), 422)

    @app.exception_handler(HTTPException)
    async def http(request: Request, error: HTTPException) -> Response:
        headers = dict(error.headers or {})
        path = request.url.path[:200]
        match error.status_code:
            case 404:
                problem = UsageError("no-such-route", path=path)
            case 405:
                problem = UsageError("wrong-method", path=path, method=request.method)
                headers = {"allow": ", ".join(allowed_methods(request))}
            case _:
                problem = UsageError("invalid-request", problems=str(error.detail)[:200])
        return problem_response(problem, error.status_code, headers)


def invalid_request(error: RequestValidationError) -> PaperError:
    """Everything wrong with the fields of a request, in the reader's language."""
    problems = []
    for each in error.errors():
        values = each.get("ctx", {})
        choices = str(values.get("expected", "")).replace("'", "").replace(" or ", ", ")
        problem = text(f"request.{_KINDS.get(each['type'], 'wrong')}", **values, choices=choices)
        # Where the body stops being JSON is a number, and no field.
        fields = each["loc"][:1] if each["type"] == "json_invalid" else each["loc"]
        problems.append({"at": ".".join(map(str, fields)), "problem": problem})
    together = "; ".join(text("request.at", **each) for each in problems)
    return UsageError("invalid-request", problems=together, details={"problems": problems})


def problem_response(error: PaperError, status: int | None = None, headers: dict[str, str] | None = None) -> Response:
    """An error as a response."""
    status = status or status_of(error)
    document = {**problem_details(error), "status": status}
    return Json(document, status_code=status, media_type=PROBLEM_TYPE, headers=headers)


def allowed_methods(request: Request) -> list[str]:
    """Every method that some route takes at this address; the library only asks the first one."""
    allowed = set()
    for method in _METHODS:
        scope = {**request.scope, "method": method}
        if any(route.matches(scope)[0] == Match.FULL for route in request.app.routes):
            allowed |= {"GET", "HEAD"} if method == "GET" else {method}
    return sorted(allowed)


def is_too_deep(value: Any) -> bool:
    """Whether a value is nested too deeply, without recursion."""
    level = [value]
    for _ in range(DEEPEST):
        containers = [each for each in level if isinstance(each, list | dict)]
        level = [inner for each in containers for inner in (each.values() if isinstance(each, dict) else each)]
        if not level:
            return False
    return True


def status_of(error: PaperError) -> int:
    """The HTTP status that fits an error."""
    if (known := _STATUS.get(error.code)) is not None:
        return known
    match error:
        case UnknownToolError():
            return 404
        case InvalidArgumentsError() | VariableError() | BrokenFileError():
            return 422
        case DeniedError():
            return 403
        case UsageError():
            return 400
    return 503 if isinstance(error, StorageError) else 422


def problem_details(error: PaperError) -> JsonObject:
    """The document of an error: the members of RFC 9457, and those of every error of ours."""
    return {
        "type": f"urn:paperagents:{error.code}",
        "title": error.message,
        "status": status_of(error),
        "detail": str(error),
        **error.as_json(),
    }


def internal_error(error: Exception) -> PaperError:
    """An unexpected exception as an error for others; its message stays in the log."""
    return error_from(error, reason=type(error).__name__)


def to_ascii_json(document: Any) -> bytes:
    """JSON that every reader accepts, with lone surrogates as escapes."""
    return json.dumps(document, ensure_ascii=True).encode("ascii")


ERROR_STYLE = (
    ":root{color-scheme:light dark}body{margin:0;min-height:100vh;display:grid;place-items:center;"
    "font:17px/1.5 system-ui,sans-serif;background:light-dark(#f7f5f0,#15181a);color:light-dark(#1c2422,#e9e7e1)}"
    "main{box-sizing:border-box;max-width:34rem;width:calc(100% - 2rem);padding:1.5rem 2rem 2rem;border-radius:12px;"
    "background:light-dark(#fffefb,#1d2123);border:1px solid light-dark(#dfdad0,#343a3c);overflow-wrap:anywhere}"
    "h1{font-size:1.1rem;color:light-dark(#175e54,#74d3c1)}code{color:light-dark(#55605d,#a9b2b0)}"
)
"""Whoever may not come in gets no file of ours; the policy names this text by its digest."""
ERROR_POLICY = (
    f"default-src 'none'; style-src 'sha256-{b64encode(sha256(ERROR_STYLE.encode()).digest()).decode()}'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


def error_html(error: PaperError) -> bytes:
    """A minimal page for an error in front of the application."""
    hint = f"<p>{escape(error.hint)}</p>" if error.hint else ""
    meta = '<meta charset=utf-8><meta name=viewport content="width=device-width, initial-scale=1">'
    head = f"<!doctype html><html lang={language()}>{meta}<title>Paper Agents</title><style>{ERROR_STYLE}</style>"
    told = (
        f"<h1>Paper Agents</h1><p><strong>{escape(error.message)}</strong></p>{hint}<code>{escape(error.code)}</code>"
    )
    return utf8(f"{head}<main>{told}</main>\n")
