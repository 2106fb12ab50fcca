"""What decides whether a step is taken: ``if:``, a reference or a small piece of JavaScript."""

from __future__ import annotations

import re

from paperagents.calls.references import Names, escaped, look_up
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.definitions.step import Step
from paperagents.errors import ToolError
from paperagents.reading.reference_syntax import Malformed, Reference, read_condition

_OF_LOOPS = ("item", "index")
_NAMED_ITEM = re.compile(r"(?<![\w$])(?<![^.]\.)(?:item|index)(?![\w$])")
_QUOTED = re.compile(r"'(?:[^'\\]|\\(?:.|\Z))*+'?|\"(?:[^\"\\]|\\(?:.|\Z))*+\"?", re.DOTALL)


def is_about_items(step: Step) -> bool:
    """Whether the condition is asked for each item of the list, and not once for the step."""
    if step.for_each is None or not isinstance(step.condition, str):
        return False
    pieces = read_condition(step.condition).pieces
    referred = {piece.root for piece in pieces if isinstance(piece, Reference)}
    code = "".join(piece for piece in pieces if isinstance(piece, str))
    return not referred.isdisjoint(_OF_LOOPS) or bool(_NAMED_ITEM.search(_QUOTED.sub("", code)))


def is_truthy(value: JsonValue) -> bool:
    """What JavaScript takes for true: every list and object, also an empty one."""
    return isinstance(value, list | dict) or bool(value)


def as_expression(condition: str, names: Names) -> tuple[str, JsonObject]:
    """Braces become variables, and inside quotes escaped text: what they stand for is a value and never code."""
    values: JsonObject = {}
    pieces: list[str] = []
    quote = ""
    for piece in read_condition(condition).pieces:
        if isinstance(piece, Malformed):
            raise ToolError("invalid-reference", reference=piece.text)
        if isinstance(piece, str):
            pieces.append(piece)
            quote = _open_quote(piece, quote)
        elif quote:
            pieces.append(escaped(look_up(piece, names)))
        else:
            pieces.append(f"__reference_{len(values)}")
            values[pieces[-1]] = look_up(piece, names)
    return "".join(pieces), values


def _open_quote(code: str, quote: str) -> str:
    """The quotation mark that is still open after this piece of code."""
    characters = iter(code)
    for character in characters:
        if quote and character == "\\":
            next(characters, None)
        elif character == quote:
            quote = ""
        elif not quote and character in "'\"`":
            quote = character
    return quote
