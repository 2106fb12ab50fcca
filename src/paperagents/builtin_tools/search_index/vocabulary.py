"""All words of an index in one text, so that those with a part in them are found at once."""

from __future__ import annotations

from collections.abc import Iterable


class Vocabulary:
    """The words of an index, a line each."""

    def __init__(self, words: bytes) -> None:
        self._words = words

    @staticmethod
    def of(words: Iterable[str]) -> Vocabulary:
        """The vocabulary with these words."""
        return Vocabulary("\n".join(["", *words, ""]).encode())

    def stored(self) -> bytes:
        """What the vocabulary can be made from again."""
        return self._words

    def containing(self, part: str) -> list[str]:
        """The words in which a part stands."""
        words, sought = self._words, part.encode()
        found: list[str] = []
        place = words.find(sought)
        while place >= 0:
            end = words.index(b"\n", place)
            found.append(words[words.rindex(b"\n", 0, place) + 1 : end].decode())
            place = words.find(sought, end)
        return found
