"""One call that a model wrote: a dictionary whose parts are cut out of the text when they are asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from paperagents.tags.attributes import parse_attributes
from paperagents.tags.source_text import SourceText
from paperagents.tags.token import Token


class TagOperation(dict[str, Any]):
    """Behaves as a plain dictionary with the keys ``tool_id, type, raw, … column``.

    A text may hold a hundred thousand calls of which a caller looks at three, and reading the attributes
    costs more than finding the tag. So the dictionary fills itself at the first look.
    """

    __slots__ = ("_source", "closing", "opening")

    def __init__(self, tool_id: str, source: SourceText, opening: Token, closing: Token | None) -> None:
        dict.__setitem__(self, "tool_id", tool_id)
        self._source: SourceText | None = source
        self.opening = opening
        self.closing = closing

    def __missing__(self, key: str) -> Any:
        if self._source is None:
            raise KeyError(key)
        self._fill()
        return self[key]

    def __eq__(self, other: object) -> bool:
        self._fill()
        if isinstance(other, TagOperation):
            other._fill()
        return dict.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None

    def __reduce__(self) -> tuple[type[dict[str, Any]], tuple[dict[str, Any]]]:
        return dict, (dict(self),)

    def _fill(self) -> None:
        source = self._source
        if source is not None:
            self._source = None
            dict.update(self, self._parts(source, self.opening, self.closing))

    def _parts(self, source: SourceText, opening: Token, closing: Token | None) -> dict[str, Any]:
        end = closing.end if closing else opening.end
        line, column = source.position(opening.start)
        attributes = source.slice(opening.attributes_start, opening.attributes_end)
        return {
            "type": "block" if closing else "self_closing",
            "raw": source.slice(opening.start, end),
            "content": source.slice(opening.end, closing.start) if closing else "",
            "attributes": parse_attributes(attributes),
            "has_content": closing is not None and closing.start > opening.end,
            "start": opening.start,
            "end": end,
            "line": line,
            "column": column,
        }


def _filled_first(name: str) -> Callable[..., Any]:
    method = getattr(dict, name)

    def call(self: TagOperation, *arguments: object, **named: object) -> object:
        self._fill()
        return method(self, *arguments, **named)

    call.__name__ = name
    return call


for _name in (
    *("__contains__", "__delitem__", "__ior__", "__iter__", "__len__", "__or__", "__repr__", "__reversed__"),
    *("__ror__", "__setitem__", "clear", "copy", "get", "items", "keys", "pop", "popitem", "setdefault"),
    *("update", "values"),
):
    setattr(TagOperation, _name, _filled_first(_name))
