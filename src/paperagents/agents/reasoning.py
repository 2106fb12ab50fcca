"""What a model thinks before it answers: never part of the answer, and given back to the model as it came.

Servers send it beside the text, in fields of several names, or before the text between two marks. Providers sign it:
a request without it, or with another, is refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from paperagents.definitions.json_value import JsonObject, JsonValue

_FIELD = re.compile(
    r"(?:reasoning|thinking|thought)(?:_\w{1,40})?|signature|extra_content|provider_specific_fields", re.ASCII
)
"""The names that servers have for it, in a message and in a call."""
_TEXTS = ("reasoning", "reasoning_content", "reasoning_text", "thinking")
_LISTS = ("reasoning_details", "thinking_blocks")
"""What a person can read of it; the first that there is, since servers send the same in several fields."""
_IN_PIECES = ("text", "summary", "thinking", "data")
"""Fields of an entry whose value comes in pieces."""
_SEALED = ("reasoning.encrypted", "redacted_thinking")
MARKS = {
    "<think>": "</think>", "<thinking>": "</thinking>", "<thought>": "</thought>", "[THINK]": "[/THINK]",
    "◁think▷": "◁/think▷",
}  # fmt: skip
_END_ALONE = re.compile(r"\A(?:(?!<think>).)*?</think>[ \t]*(?:\n\s*|\Z)", re.DOTALL)
"""The template of some models opens the mark itself, so that only its end is in the answer."""


class ReasoningFields:
    """Collects the fields of one message."""

    def __init__(self) -> None:
        self._texts: dict[str, list[str]] = {}
        """In pieces: there may be very many."""
        self._others: JsonObject = {}

    def take(self, part: Mapping[str, Any], *, is_whole: bool) -> str:
        """What one piece of the message has of it; returns what a person can read of that."""
        given = fields_of(part)
        for name, value in given.items():
            if isinstance(value, str) and not name.endswith("signature"):
                self._texts.setdefault(name, []).append(value)
            else:
                self._others[name] = join_values(self._others.get(name), value, is_whole=is_whole)
        return readable_of(given)

    def as_json(self) -> JsonObject:
        """The fields as they go back."""
        fields: JsonObject = {name: "".join(pieces) for name, pieces in self._texts.items()}
        return fields | {name: value for name, value in self._others.items() if value not in ([], "")}


def fields_of(part: Mapping[str, Any]) -> JsonObject:
    """The fields of a message or a call that must go back with it."""
    return {name: value for name, value in part.items() if value is not None and _FIELD.fullmatch(name)}


def join_values(known: JsonValue, more: Any, *, is_whole: bool) -> JsonValue:
    """What a field holds after its next piece: lists grow, objects are merged, anything else comes whole."""
    if isinstance(more, list):
        entries: list[Any] = known if isinstance(known, list) else []
        if not all(isinstance(each, dict) for each in (*entries, *more)):
            return [*entries, *more]
        for each in more:
            join_entry(entries, each, is_whole=is_whole)
        return entries
    if isinstance(known, dict) and isinstance(more, dict):
        return merge(known, more)
    return more or known


def merge(known: JsonObject, more: Mapping[str, Any]) -> JsonObject:
    """Two objects as one, also what is inside of them."""
    return known | {name: join_values(known.get(name), value, is_whole=False) for name, value in more.items()}


def join_entry(known: list[JsonObject], piece: Mapping[str, Any], *, is_whole: bool) -> None:
    """Add a piece to the entry it belongs to, or begin another."""
    begun = None if is_whole else next((each for each in reversed(known) if continues(each, piece, known)), None)
    if begun is None:
        known.append(dict(piece))
        return
    for name, value in piece.items():
        before = begun.get(name)
        if name in _IN_PIECES and isinstance(before, str) and isinstance(value, str):
            begun[name] = before + value
        elif value not in (None, ""):
            begun[name] = value


def continues(begun: JsonObject, piece: Mapping[str, Any], known: list[JsonObject]) -> bool:
    """Whether a piece goes on with this entry: of the same kind and index; without one, the last that is not signed."""
    ids = {each for each in (begun.get("id"), piece.get("id")) if isinstance(each, str)}
    if piece.get("type", begun.get("type")) != begun.get("type") or len(ids) > 1:
        return False
    if piece.get("index") is not None or begun.get("index") is not None:
        return piece.get("index") == begun.get("index")
    is_over = begun.get("type") in _SEALED or (begun.get("signature") and any(map(piece.get, _IN_PIECES)))
    return begun is known[-1] and not is_over


def readable(entries: Iterable[Mapping[str, Any]]) -> str:
    """What a person can read of a list of entries; the rest is for the provider alone."""
    texts = (each.get(name) for each in entries for name in ("text", "summary", "thinking"))
    return "".join(text for text in texts if isinstance(text, str))


def readable_of(fields: Mapping[str, Any]) -> str:
    """What a person can read of the fields of a message."""
    texts = (fields[name] for name in _TEXTS if isinstance(fields.get(name), str) and fields[name])
    lists = (fields[name] for name in _LISTS if isinstance(fields.get(name), list))
    return next(texts, "") or readable(each for each in next(lists, ()) if isinstance(each, dict))


def reasoning_text(turn: Mapping[str, Any]) -> str:
    """The reasoning of a turn that is kept in a record, as far as a person can read it."""
    fields = turn.get("reasoning")
    beside = readable_of(fields) if isinstance(fields, dict) else ""
    thought = str(turn.get("thought") or "").strip()
    for begin, end in MARKS.items():
        thought = re.sub(
            rf"{re.escape(end)}\s*{re.escape(begin)}", "\n\n", thought.removeprefix(begin).removesuffix(end)
        )
    return "\n\n".join(filter(None, (beside.strip(), thought.strip())))


def size_of(part: Mapping[str, Any]) -> int:
    """Characters of the reasoning in a piece."""
    return sum(len(json.dumps(value)) for value in fields_of(part).values())


class ThoughtReader:
    """Tells reasoning between marks at the beginning of a text from the answer behind, however both are cut."""

    def __init__(self) -> None:
        self.thought = ""
        """Everything before the answer, as it was written."""
        self._rest = ""
        """Not yet told: it may be the beginning of a mark."""
        self._end: str | None = None
        self._is_answer = False

    def feed(self, piece: str) -> tuple[str, str]:
        """What the next piece adds to the reasoning, and to the answer."""
        if self._is_answer:
            return "", piece
        self._rest += piece
        told = ""
        # One thought may follow another before the answer begins.
        while True:
            if self._end is None:
                self._begin()
            if self._end is None:
                is_open = any(begin.startswith(self._rest.lstrip()) for begin in MARKS)
                self._is_answer = not is_open
                return told, "" if is_open else self._take_rest()
            inside, found, behind = self._rest.partition(self._end)
            if not found:
                kept = len(self._end) - 1
                more, self._rest = self._rest[:-kept], self._rest[-kept:]
                self.thought += more
                return told + more, ""
            blank = behind[: len(behind) - len(behind.lstrip())]
            if blank == behind:
                # Blanks before the answer are no part of it; there may be more of them.
                return told, ""
            self.thought += f"{inside}{found}{blank}"
            told += inside
            self._end, self._rest = None, behind.lstrip()

    def finish(self) -> tuple[str, str]:
        """What is left when the text is complete."""
        if self._is_answer or self._end is None:
            return "", self._take_rest()
        inside = self._rest.partition(self._end)[0]
        self.thought += self._take_rest()
        return inside, ""

    def _begin(self) -> None:
        """Take away the mark that the text begins with, if any."""
        start = self._rest.lstrip()
        for begin, end in MARKS.items():
            if start.startswith(begin):
                before = len(self._rest) - len(start) + len(begin)
                self.thought += self._rest[:before]
                self._rest, self._end = self._rest[before:], end
                return

    def _take_rest(self) -> str:
        rest, self._rest = self._rest, ""
        return rest


def split_thought(text: str) -> tuple[str, str]:
    """The reasoning before an end mark that nothing opens, and the answer behind it."""
    found = _END_ALONE.match(text) if "</think>" in text else None
    return (found[0], text[found.end() :]) if found else ("", text)
