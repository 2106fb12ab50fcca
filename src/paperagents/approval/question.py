"""The digest of a question: the change it is about, what was shown of it, the tool, and where it was asked."""

from __future__ import annotations

from collections.abc import Iterable

from paperagents.approval.decision import ApprovalRequest
from paperagents.approval.digest import digest_of
from paperagents.definitions.json_value import JsonObject


def question_digest(call: str, tool: str, arguments: JsonObject, preview: str, *, place: str) -> str:
    """Names a change by the digest of the call, and what a person was shown of it, and where in which run."""
    return "-".join((call, _shown(call, tool, arguments, preview), _short(tool), _short(place)))


def is_as_asked(request: ApprovalRequest) -> bool:
    """Whether the stored question shows what its digest stands for: nobody may swap the picture."""
    call, *rest = request.digest.split("-")
    return rest[:2] == [_shown(call, request.tool, request.arguments, request.preview), _short(request.tool)]


def asked_at(place: str, digests: Iterable[str]) -> list[str]:
    """The questions of this place, whatever was shown there."""
    end = f"-{_short(place)}"
    return [digest for digest in digests if digest.endswith(end)]


def asked_about(tool: str, digests: Iterable[str]) -> list[str]:
    """The questions of this tool, wherever in the run."""
    part = [_short(tool)]
    return [digest for digest in digests if digest.split("-")[2:3] == part]


def _shown(call: str, tool: str, arguments: JsonObject, preview: str) -> str:
    return digest_of([call, tool, arguments, preview])


def _short(name: str) -> str:
    return digest_of(name)[:16]
