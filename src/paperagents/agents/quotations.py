"""Tags that a model only repeats. What stands word for word in a result it was given is a quotation, not a call.

A note can hold a tag, and a model that is asked to show the note writes the tag down. Nobody has meant it as a call.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from paperagents.agents.dialogue import LARGEST_RESULT
from paperagents.definitions.json_value import JsonValue

MOST_COMPARED = 1000
"""Tags of one answer that are compared; an answer with more of them is refused as it is."""
_OPENING = "{{<"
# A result is shown as JSON: the same tag may stand there with escapes, and with line ends written as \n.
_ESCAPES_AND_BLANKS = re.compile(r"\\+[nrt]?|\s+")


class Quotations:
    """The texts of results that a model was given, as far as they hold tags."""

    def __init__(self) -> None:
        self._given: list[str] = []

    def add(self, result: JsonValue) -> None:
        """One more result, with all texts inside."""
        room = LARGEST_RESULT
        for each in find_texts(result):
            if _OPENING in each and room > 0:
                # No more of it than the model can have been shown.
                self._given.append(normalize_tag(each[:room]))
                room -= len(each)

    def include(self, tag: str) -> bool:
        """Whether this tag stands in one of them."""
        wanted = normalize_tag(tag)
        return any(wanted in each for each in self._given)


def find_texts(value: JsonValue) -> Iterator[str]:
    """Every text in a value, names included."""
    waiting = [value]
    while waiting:
        match waiting.pop():
            case str(found):
                yield found
            case list(found):
                waiting += found
            case dict(found):
                waiting += [*found, *found.values()]


def normalize_tag(text: str) -> str:
    """One spelling, however the text was escaped and wrapped on its way to the model and back."""
    return _ESCAPES_AND_BLANKS.sub("", text).casefold()
