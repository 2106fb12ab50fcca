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
from paperagents.agents.pictures import MOST_PICTURES, read_images
from paperagents.agents.reasoning import ReasoningFields, ThoughtReader, fields_of, merge, size_of, split_thought
from paperagents.agents.refusals import refusal
from paperagents.definitions.json_value import JsonObject
from paperagents.errors import ToolError
from paperagents.runs.usage import read_counts

_SHOWN = 300
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(slots=True)
class _OpenCall:
    """A call whose pieces are still coming."""

    id: str = ""
    name: str = ""
    pieces: list[str] = field(default_factory=list)
    size: int = 0
    extra: JsonObject = field(default_factory=dict)

    def add(self, piece: str) -> None:
        """More of the arguments; what is too much is counted and not kept."""
        self.size += len(piece)
        if self.size <= LARGEST_ARGUMENTS:
            self.pieces.append(piece)


class StreamedTurn:
    """Collects the pieces of one answer."""

    def __init__(self, listener: Listener) -> None:
        self.finish = ""
        self._native_finish = ""
        self._listener = listener
        self._text: list[str] = []
        self._length = 0
        self._calls: dict[str, _OpenCall] = {}
        self._places: dict[Any, str] = {}
        self._left_out: set[str] = set()
        self._last = ""
        self._usage: JsonObject = {}
        self._reasoning = ReasoningFields()
        self._thoughts = ThoughtReader()
        self._images: list[JsonObject] = []

    def take(self, chunk: Any) -> None:
        """One piece as the server sent it. Raises ToolError where it tells of an error."""
        if not isinstance(chunk, dict):
            raise ToolError("model-broken", reason=f"{str(chunk)[:_SHOWN]!r}", retryable=True)
        if chunk.get("error") or chunk.get("object") == "error":
            raise refusal(chunk.get("error") or chunk, 200)
        if isinstance(usage := chunk.get("usage"), dict):
            self._usage |= read_counts(usage)
        for choice in _list(chunk.get("choices"))[:1]:
            if isinstance(choice, dict):
                self._choice(choice)

    def turn(self) -> ModelTurn:
        """The whole answer."""
        self._tell(*self._thoughts.finish())
        made = len(self._calls) + len(self._left_out)
        thought, text = split_thought("".join(self._text))
        return ModelTurn(
            text=text,
            calls=tuple(self._whole_calls()),
            calls_made=made,
            usage=self._usage,
            finish=self.finish,
            native_finish=self._native_finish,
            thought=self._thoughts.thought + thought,
            reasoning=self._reasoning.as_json(),
            images=tuple(self._images),
        )

    def _whole_calls(self) -> Iterator[ModelCall]:
        """The calls, each with an id of its own: results are told apart by them."""
        known: set[str] = set()
        for number, call in enumerate(self._calls.values(), 1):
            own = call.id or f"call_{number}"
            own = own if own not in known else f"{own}_{number}"
            known.add(own)
            arguments = "".join(call.pieces) if call.size <= LARGEST_ARGUMENTS else ""
            yield ModelCall(id=own, name=call.name, arguments=arguments, size=call.size, extra=call.extra)

    def _choice(self, choice: dict[str, Any]) -> None:
        if choice.get("error"):
            raise refusal(choice["error"], 200)
        part = choice.get("delta") or choice.get("message") or {}
        if isinstance(part, dict):
            self._length += size_of(part)
            self._tell(self._reasoning.take(part, is_whole="delta" not in choice), "")
            self._say(_plain(part.get("content")))
            self._say(_plain(part.get("refusal")))
            # Some servers tell of the same one in several pieces.
            for image in read_images(part):
                if image not in self._images and len(self._images) < MOST_PICTURES:
                    self._images.append(image)
            for call in _list(part.get("tool_calls")) or _older_form(part):
                if isinstance(call, dict):
                    self._call(call)
        self.finish = str(choice.get("finish_reason") or self.finish)
        self._native_finish = str(choice.get("native_finish_reason") or self._native_finish)[:_SHOWN]

    def _say(self, piece: str) -> None:
        self._length += len(piece)
        if self._length > LARGEST_TEXT:
            raise ToolError("model-endless", limit=LARGEST_TEXT)
        if piece:
            self._tell(*self._thoughts.feed(piece))

    def _tell(self, reasoning: str, text: str) -> None:
        if reasoning:
            self._listener.reasoning(reasoning)
        if text:
            self._text.append(text)
            self._listener.text(text)

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
        call.extra = merge(call.extra, fields_of(piece))
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
            self._last = self._places.get(own, f"id {own}")
            begun = self._calls.get(self._last)
            if named and begun is not None and _is_another(begun, own):
                self._last = f"id {own} call {len(self._calls) + len(self._left_out)}"
            self._places[own] = self._last
        elif named:
            self._last = f"new {len(self._calls) + len(self._left_out)}"
        return self._last


def _is_another(begun: _OpenCall, own: Any) -> bool:
    """Whether a piece with a name begins a call: it has an id of its own, or the one before it is complete."""
    if own and begun.id not in ("", own):
        return True
    return bool(begun.pieces) and _is_whole("".join(begun.pieces))


def _is_whole(arguments: str) -> bool:
    try:
        return isinstance(json.loads(arguments), dict)
    except (ValueError, RecursionError):
        return False


def _older_form(part: dict[str, Any]) -> list[Any]:
    function = part.get("function_call")
    return [{"index": 0, "function": function}] if isinstance(function, dict) else []


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
