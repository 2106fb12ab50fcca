"""Errors over HTTP: problem details (RFC 9457) that carry our code and hint."""

from __future__ import annotations

import json
from collections.abc import Mapping
from html import escape

from paperagents.definitions.json_value import JsonObject
from paperagents.definitions.surrogates import utf8
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
