"""What a server says when it does not answer: why, whose fault it is, and what may be tried instead."""

from __future__ import annotations

import json
import re
from http import HTTPStatus
from typing import Any

from paperagents.errors import ModelBusyError, ModelRefusedError, ToolError

_SHOWN = 300
_NOT_IMPLEMENTED = 501
_TOO_LONG = "context_length_exceeded"
_LENGTH = re.compile(r"context.{0,20}(?:length|window|size|limit)|(?:too many|maximum.{0,30}) tokens", re.IGNORECASE)
_STATUSES = {
    _TOO_LONG: 400, "invalid_request_error": 400, "invalid_api_key": 401, "insufficient_quota": 402,
    "model_not_found": 404, "rate_limit_exceeded": 429, "server_error": 500,
}  # fmt: skip
"""What an error in the middle of an answer means that has a word instead of a number."""
_ADVICE = {401: "key", 402: "credit", 404: "model"}
_ELSEWHERE = (*_STATUSES, "content_filter", "content_policy_violation")
_UNCLEAR = (400, 404, 422, 500, _NOT_IMPLEMENTED)
"""How servers say that they do not take something."""


def refusal(error: Any, status: int, retry_after: float | None = None) -> ToolError:
    """What a server says when it does not answer: too busy now, or not at all.

    In an answer that began well (``status`` 200) the error itself has the number.
    """
    inner = error if isinstance(error, dict) else {"message": error}
    number = status if status != 200 else _number_in(inner.get("code"))
    others = {key: value for key, value in inner.items() if key != "code" and value}
    said = inner.get("message") or inner.get("detail") or inner.get("type")
    reason = str(said or (others and json.dumps(others)) or inner.get("code") or "").strip()[:_SHOWN]
    reason = reason or next((each.phrase for each in HTTPStatus if each == number), "?")
    details = {"status": number, "retry_after": retry_after, **_signs(inner)}
    metadata = inner.get("metadata")
    if isinstance(metadata, dict):
        provider, own = str(metadata.get("provider_name") or "")[:_SHOWN], _provider_reason(metadata)
        details |= {"provider": provider or None, "provider_reason": own or None}
        told = ": ".join(filter(None, (provider, own if own != reason else "")))
        reason = f"{reason} ({told})" if told else reason
    # An error without a number in the middle of a good answer: the server itself has stumbled.
    busy = number in (200, 408, 409, 425, 429) or (number >= 500 and number != _NOT_IMPLEMENTED)
    if busy:
        return ModelBusyError("model-busy", status=number, reason=reason, retryable=True, details=details)
    case = "context" if _is_about_length(number, details, reason) else _ADVICE.get(number)
    return ModelRefusedError("model-refused", status=number, reason=reason, details=details, case=case)


def is_too_long(error: ToolError) -> bool:
    """Whether the request was longer than the model can read."""
    return error.values.get("case") == "context"


def may_be_about(error: ToolError, *fields: str) -> bool:
    """Whether a server refused because of one of these fields of the request, as far as it tells.

    Where it names another field or another reason, it did not. Where it names none, only the answer to a request
    without the field can tell.
    """
    if not isinstance(error, ModelRefusedError | ModelBusyError) or is_too_long(error):
        return False
    named = error.details.get("param")
    if named:
        return re.split(r"[.\[]", str(named))[0] in fields
    return error.details.get("status") in _UNCLEAR and error.details.get("code") not in _ELSEWHERE


def may_fall_back(error: ToolError) -> bool:
    """Whether another model may answer where this one did not."""
    if error.code == "model-empty":
        return True
    status = error.details.get("status")
    if not isinstance(error, ModelRefusedError | ModelBusyError) or not isinstance(status, int):
        return False
    return status in (402, 404, 429) or status >= 500


def _number_in(code: Any) -> int:
    number = int(code) if isinstance(code, int) or (isinstance(code, str) and code.isdecimal()) else None
    return number if number is not None and 100 <= number <= 999 else _STATUSES.get(str(code), 200)


def _signs(error: dict[str, Any]) -> dict[str, str]:
    """The words of an error that are the same in every language."""
    words = {name: error.get(name) for name in ("param", "code", "type")}
    return {
        name: word[:_SHOWN] for name, word in words.items() if isinstance(word, str) and word and not word.isdecimal()
    }


def _is_about_length(number: int, details: dict[str, Any], reason: str) -> bool:
    if "code" in details or "param" in details:
        return details.get("code") == _TOO_LONG
    return number in (400, 413, 422) and _LENGTH.search(reason) is not None


def _provider_reason(metadata: dict[str, Any]) -> str:
    """What the provider behind the server said: a text, JSON in a text, or an object."""
    raw = metadata.get("raw") or metadata.get("reasons")
    try:
        told = json.loads(raw) if isinstance(raw, str) else raw
    except (ValueError, RecursionError):
        told = raw
    for name in ("error", "message"):
        told = told.get(name, told) if isinstance(told, dict) else told
    return (told if isinstance(told, str) else json.dumps(told) if told else "").strip()[:_SHOWN]
