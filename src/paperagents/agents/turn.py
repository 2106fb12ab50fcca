"""An answer that comes in pieces becomes one turn, whatever the server's habits are."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from paperagents.agents.model import (
    LARGEST_ARGUMENTS,
    LARGEST_TEXT,
    MOST_CALLS,
    Listener,
    ModelCall,
    ModelTurn,
)
from paperagents.definitions.json_value import JsonObject
from paperagents.errors import ModelBusyError, ModelRefusedError, ToolError

_COUNTS = ("prompt_tokens", "completion_tokens", "total_tokens", "cost")
_SHOWN = 300
_NOT_IMPLEMENTED = 501
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(slots=True)
class _OpenCall:
    """A call whose pieces are still coming."""

    id: str = ""
    name: str = ""
    pieces: list[str] = field(default_factory=list)
    size: int = 0

    def add(self, piece: str) -> None:
        """More of the arguments; what is too much is counted and not kept."""
        self.size += len(piece)
        if self.size <= LARGEST_ARGUMENTS:
            self.pieces.append(piece)


class StreamedTurn:
    """Collects the pieces of one answer."""

    def __init__(self, listener: Listener) -> None:
        self.finish = ""
        self._listener = listener
        self._text: list[str] = []
        self._length = 0
        self._calls: dict[str, _OpenCall] = {}
        self._places: dict[int, str] = {}
        self._left_out: set[str] = set()
        self._last = ""
        self._usage: JsonObject = {}

    def take(self, chunk: Any) -> None:
        """One piece as the server sent it. Raises ToolError where it tells of an error."""
        if not isinstance(chunk, dict):
            raise ToolError("model-broken", reason=f"{str(chunk)[:_SHOWN]!r}", retryable=True)
        if chunk.get("error") or chunk.get("object") == "error":
            raise refusal(chunk.get("error") or chunk, 200)
        self._count(chunk.get("usage"))
        for choice in _list(chunk.get("choices"))[:1]:
            if isinstance(choice, dict):
                self._choice(choice)

    def turn(self) -> ModelTurn:
        """The whole answer."""
        calls = tuple(
            ModelCall(
                id=call.id or f"call_{number}",
                name=call.name,
                arguments="".join(call.pieces) if call.size <= LARGEST_ARGUMENTS else "",
                size=call.size,
            )
            for number, call in enumerate(self._calls.values(), 1)
        )
        made = len(calls) + len(self._left_out)
        return ModelTurn(text="".join(self._text), calls=calls, calls_made=made, usage=self._usage, finish=self.finish)

    def _choice(self, choice: dict[str, Any]) -> None:
        if choice.get("error"):
            raise refusal(choice["error"], 200)
        part = choice.get("delta") or choice.get("message") or {}
        if isinstance(part, dict):
            self._say(_plain(part.get("content")))
            self._say(_plain(part.get("refusal")))
            for call in _list(part.get("tool_calls")) or _older_form(part):
                if isinstance(call, dict):
                    self._call(call)
        self.finish = str(choice.get("finish_reason") or self.finish)

    def _say(self, piece: str) -> None:
        self._length += len(piece)
        if self._length > LARGEST_TEXT:
            raise ToolError("model-endless", limit=LARGEST_TEXT)
        if piece:
            self._text.append(piece)
            self._listener.text(piece)

    def _call(self, piece: dict[str, Any]) -> None:
        """Pieces of one call share an index; servers that send none send whole calls, or repeat the id."""
        place = self._place(piece)
        if place not in self._calls and len(self._calls) >= MOST_CALLS:
            self._left_out.add(place)
            return
        call = self._calls.setdefault(place, _OpenCall())
        function = piece.get("function")
        function = function if isinstance(function, dict) else {}
        call.id = call.id or _plain(piece.get("id"))
        name = _plain(function.get("name"))
        call.name = call.name if name == call.name else call.name + name
        given = function.get("arguments")
        call.add(json.dumps(given) if isinstance(given, dict | list) else _plain(given))

    def _place(self, piece: dict[str, Any]) -> str:
        index, own = piece.get("index"), piece.get("id")
        named = isinstance(piece.get("function"), dict) and piece["function"].get("name")
        if isinstance(index, int):
            self._last = self._places.get(index, f"index {index}")
            begun = self._calls.get(self._last)
            if named and begun is not None and _is_another(begun, own):
                # Some servers give all calls the same index.
                self._last = f"index {index} call {len(self._calls) + len(self._left_out)}"
            self._places[index] = self._last
        elif own:
            self._last = f"id {own}"
        elif named:
            self._last = f"new {len(self._calls) + len(self._left_out)}"
        return self._last

    def _count(self, usage: Any) -> None:
        if isinstance(usage, dict):
            self._usage |= {
                name: usage[name]
                for name in _COUNTS
                if isinstance(usage.get(name), int | float) and not isinstance(usage.get(name), bool)
            }


def _is_another(begun: _OpenCall, own: Any) -> bool:
    """Whether a piece with a name begins a call: it has an id of its own, or none where one whole call stands."""
    if own:
        return begun.id not in ("", own)
    return not begun.id and len(begun.pieces) == 1 and _is_whole(begun.pieces[0])


def _is_whole(arguments: str) -> bool:
    try:
        return isinstance(json.loads(arguments), dict)
    except (ValueError, RecursionError):
        return False


def _older_form(part: dict[str, Any]) -> list[Any]:
    function = part.get("function_call")
    return [{"index": 0, "function": function}] if isinstance(function, dict) else []


def refusal(error: Any, status: int, retry_after: float | None = None) -> ToolError:
    """What a server says when it does not answer: too busy now, or not at all."""
    inner = error if isinstance(error, dict) else {"message": error}
    told = inner.get("code")
    number = int(told) if isinstance(told, int) or (isinstance(told, str) and told.isdecimal()) else None
    number = number if number is not None and 100 <= number <= 999 else status
    others = {key: value for key, value in inner.items() if key != "code" and value}
    said = inner.get("message") or inner.get("detail") or inner.get("type")
    reason = str(said or (others and json.dumps(others)) or told or "").strip()[:_SHOWN]
    # An error without a number in the middle of a good answer: the server itself has stumbled.
    busy = number in (200, 408, 409, 425, 429) or (number >= 500 and number != _NOT_IMPLEMENTED)
    details = {"status": number, "retry_after": retry_after}
    if busy:
        return ModelBusyError("model-busy", status=number, reason=reason, retryable=True, details=details)
    return ModelRefusedError("model-refused", status=number, reason=reason, details=details)


def events(pieces: Iterable[bytes], *, limit: int) -> Iterator[str]:
    """The data of each server-sent event; comments that keep the line open are left out."""
    data: list[str] = []
    for number, each in enumerate(_lines(pieces, limit)):
        line = each.removeprefix(_BYTE_ORDER_MARK) if number == 0 else each
        if line.startswith(b"data:"):
            data.append(line[5:].removeprefix(b" ").decode("utf-8", "replace"))
        elif not line and data:
            yield "\n".join(data)
            data = []
    if data:
        yield "\n".join(data)


def _lines(pieces: Iterable[bytes], limit: int) -> Iterator[bytes]:
    rest: list[bytes] = []
    total = 0
    for piece in pieces:
        total += len(piece)
        if total > limit:
            raise ToolError("model-endless", limit=limit)
        *whole, last = piece.split(b"\n")
        for line in whole:
            yield b"".join([*rest, line]).removesuffix(b"\r")
            rest = []
        if last:
            rest.append(last)
    if rest:
        yield b"".join(rest).removesuffix(b"\r")


def _plain(value: Any) -> str:
    """A text; some servers send a list of parts."""
    if isinstance(value, list):
        return "".join(_plain(part.get("text")) for part in value if isinstance(part, dict))
    return value if isinstance(value, str) else ""


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
