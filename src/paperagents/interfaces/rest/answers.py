"""What the REST API answers with: JSON, and one place where an error becomes a response."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine, Mapping, Sequence
from html import escape
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse
from starlette.routing import BaseRoute, Match
from starlette.types import Scope

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
from paperagents.messages import text
from paperagents.runs.record import RunRecord

DEEPEST = 100
"""Levels of nesting in a body; anything deeper was not written by somebody with a question."""
_KINDS = {
    "missing": "missing", "extra_forbidden": "unknown", "json_invalid": "no-json", "string_type": "text",
    "string_too_short": "short", "string_too_long": "long", "dict_type": "object", "model_type": "object",
    "model_attributes_type": "object", "bool_type": "boolean", "bool_parsing": "boolean", "int_type": "integer",
    "int_parsing": "integer", "int_from_float": "integer", "float_type": "number", "float_parsing": "number",
    "greater_than_equal": "least", "less_than_equal": "most", "literal_error": "choice", "enum": "choice",
}  # fmt: skip
"""What the library that reads requests finds wrong, and how we tell it."""
_METHODS = ("DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT")


class Json(JSONResponse):
    """JSON that carries any text, lone surrogates too."""

    def render(self, content: Any) -> bytes:
        """As ASCII."""
        return as_bytes(content)


class StrictRequest(Request):
    """A request whose JSON means the same to everybody: no NaN, no Infinity, no bottomless nesting."""

    async def json(self) -> Any:
        """The body. Raises json.JSONDecodeError where it is not JSON."""
        body = await self.body()
        try:
            content = body.decode("utf-8")
            value = json.loads(content, parse_constant=_refuse_constant)
            # A number that is too big for a float is read as infinite.
            json.dumps(value, allow_nan=False)
        except json.JSONDecodeError:
            raise
        except (ValueError, RecursionError) as error:
            raise json.JSONDecodeError(str(error)[:100], "", 0) from error
        if _depth(value) > DEEPEST:
            raise json.JSONDecodeError("nested too deeply", "", 0)
        return value


class StrictRoute(APIRoute):
    """A route that reads its body strictly."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The usual handler, with a strict request."""
        handler = super().get_route_handler()

        async def strict(request: Request) -> Response:
            return await handler(StrictRequest(request.scope, request.receive))

        return strict


def record_response(record: RunRecord) -> Response:
    """The record: 202 while it goes on or waits, 200 when it is over; a wrong call is told as one."""
    if record.exit_code == UsageError.exit_code and record.error is not None:
        return _wrong_call(record)
    status = 202 if record.status in ("running", "waiting") else 200
    return Json(record.as_json(), status_code=status, headers={"location": f"/api/runs/{record.run_id}"})


def plan_response(record: RunRecord) -> Response:
    """The record of a dry run, or why there is no plan. It leaves no trace: there is no address to come back to."""
    answer = record_response(record)
    if "location" in answer.headers:
        del answer.headers["location"]
    return answer


def handle_errors(app: FastAPI) -> None:
    """From here on every error of the application is answered with problem details."""

    @app.exception_handler(PaperError)
    async def ours(_: Request, error: PaperError) -> Response:
        return problem_response(error)

    @app.exception_handler(Exception)
    async def unforeseen(_: Request, error: Exception) -> Response:
        # The library raises it once more after this answer, so that the log has the whole story.
        return problem_response(internal_error(error))

    @app.exception_handler(RequestValidationError)
    async def invalid(_: Request, error: RequestValidationError) -> Response:
        return problem_response(invalid_request(error), 422)

    @app.exception_handler(HTTPException)
    async def http(request: Request, error: HTTPException) -> Response:
        headers = {"allow": ", ".join(_allowed(request))} if error.status_code == 405 else dict(error.headers or {})
        return problem_response(_in_our_words(request, error), error.status_code, headers)


def invalid_request(error: RequestValidationError) -> PaperError:
    """What is wrong with the fields of a request, all of it."""
    problems = [{"at": ".".join(map(str, each["loc"])), "problem": _told(each)} for each in error.errors()]
    together = "; ".join(text("request.at", **each) for each in problems)
    return UsageError("invalid-request", problems=together, details={"problems": problems})


def _told(error: Mapping[str, Any]) -> str:
    """One problem in the reader's language; the library that found it speaks English alone."""
    values = error.get("ctx", {})
    choices = str(values.get("expected", "")).replace("'", "").replace(" or ", ", ")
    return text(f"request.{_KINDS.get(error['type'], 'wrong')}", **values, choices=choices)


def problem_response(error: PaperError, status: int | None = None, headers: dict[str, str] | None = None) -> Response:
    """An error as a response."""
    status = status or status_of(error)
    document = {**problem_details(error), "status": status}
    return Response(as_bytes(document), status_code=status, media_type=PROBLEM_TYPE, headers=headers)


def _wrong_call(record: RunRecord) -> Response:
    assert record.error is not None
    status = 404 if record.error["code"] == "unknown-tool" else 422
    title = record.error["message"]
    kind = f"urn:paperagents:{record.error['code']}"
    # Problem details beside the record. Their status may be left out; the record's says how the run ended.
    document = {"type": kind, "title": title, "detail": title, **record.error, **record.as_json()}
    return Response(as_bytes(document), status_code=status, media_type=PROBLEM_TYPE)


def _in_our_words(request: Request, error: HTTPException) -> PaperError:
    path = request.url.path[:200]
    match error.status_code:
        case 404:
            return UsageError("no-such-route", path=path)
        case 405:
            return UsageError("wrong-method", path=path, method=request.method)
    return UsageError("invalid-request", problems=str(error.detail)[:200])


def _allowed(request: Request) -> list[str]:
    """Every method that some route takes at this address; the library only asks the first one."""
    taken = {method for method in _METHODS if _is_taken({**request.scope, "method": method}, request.app.routes)}
    return sorted(taken | {"HEAD"} if "GET" in taken else taken)


def _is_taken(scope: Scope, routes: Sequence[BaseRoute]) -> bool:
    return any(route.matches(scope)[0] == Match.FULL for route in routes)


def _refuse_constant(name: str) -> Any:
    raise ValueError(name)


def _depth(value: Any) -> int:
    """How deeply a value is nested, without going deeper ourselves than it is worth."""
    level, depth = [value], 0
    while level and depth <= DEEPEST:
        level = [
            inner
            for each in level
            if isinstance(each, list | dict)
            for inner in (each.values() if isinstance(each, dict) else each)
        ]
        depth += 1
    return depth


# --- errors over HTTP: problem details (RFC 9457) that carry our code and hint


PROBLEM_TYPE = "application/problem+json"
_STATUS: Mapping[str, int] = {
    "unknown-run": 404,
    "unknown-approval": 404,
    "unknown-rule": 404,
    "unknown-setting": 404,
    "no-such-route": 404,
    "entry-not-found": 404,
    "file-not-found": 404,
    "approval-changed": 409,
    "run-is-running": 409,
    "run-is-over": 409,
    "secrets-not-kept": 409,
    "idempotency-key-reused": 422,
    "wrong-method": 405,
    "request-too-slow": 408,
    "request-too-large": 413,
    "request-not-json": 415,
    "foreign-host": 421,
    "foreign-origin": 403,
    "token-missing": 401,
    "link-used": 401,
    "too-many-requests": 429,
    "too-many-runs": 503,
    "internal-error": 500,
    "database-failed": 500,
}


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
    """The document of an error: RFC 9457's members, and the ones of every error of ours."""
    return {
        "type": f"urn:paperagents:{error.code}",
        "title": error.message,
        "status": status_of(error),
        "detail": str(error),
        **error.as_json(),
    }


def internal_error(error: Exception) -> PaperError:
    """A mistake of the program in words for somebody else: what it was about stays in the log."""
    return PaperError("internal-error", reason=type(error).__name__)


def as_bytes(document: JsonObject) -> bytes:
    """JSON that every reader takes, lone surrogates too."""
    return json.dumps(document, ensure_ascii=True).encode("ascii")


def as_page(error: PaperError) -> bytes:
    """The same for a person who looks at it in a browser."""
    hint = f"<p>{escape(error.hint)}</p>" if error.hint else ""
    head = f"<!doctype html><meta charset=utf-8><title>{escape(error.code)}</title>"
    return utf8(f"{head}<h1>Paper Agents</h1><p>{escape(error.message)}</p>{hint}\n")
