"""Links for absent people: each shows one question, and takes its answer, for whoever opens it first.

A link is a random word that is kept as a hash in the user's folder, as tokens are: whichever process asks, the server
of the vault takes it. It is good once and for an hour, and for one question alone.
"""

from __future__ import annotations

import hmac
import json
import secrets
import time
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

from paperagents.errors import PaperError
from paperagents.files.state_files import file_lock, read_object_to_change, replace_file

LINKS_FILE = "question_links.json"
LINK_SECONDS = 60 * 60
MOST_LINKS = 1_000
"""The oldest are forgotten first."""


class QuestionLinks:
    """The open links of one user for one vault."""

    def __init__(self, file: Path, vault: Callable[[], str], clock: Callable[[], float] = time.time) -> None:
        self._file = file
        self._vault = vault
        self._clock = clock

    def create(self, question: str) -> str:
        """The word of a new link. Raises OSError or ValueError where it cannot be kept."""
        word = secrets.token_urlsafe(32)
        kept = {"question": question, "expires": self._clock() + LINK_SECONDS}
        with file_lock(self._file):
            everything = read_object_to_change(self._file)
            links = dict(self._open_links(everything))
            self._keep(everything, dict([*links.items(), (_digest(word), kept)][-MOST_LINKS:]))
        return word

    def redeem(self, word: str) -> str:
        """The id of the question; the link is good no more. Raises PaperError where it is not good."""
        given = _digest(word)
        with file_lock(self._file):
            everything = read_object_to_change(self._file)
            links = dict(self._open_links(everything))
            found = next((digest for digest in links if hmac.compare_digest(digest, given)), None)
            if found is None:
                raise PaperError("question-link-used")
            question = str(links.pop(found)["question"])
            self._keep(everything, links)
        return question

    def _open_links(self, everything: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
        links = everything.get(self._vault())
        for digest, kept in links.items() if isinstance(links, dict) else ():
            match kept:
                case {"question": str(), "expires": int() | float() as expires} if (
                    digest.isascii() and self._clock() < expires
                ):
                    yield digest, kept

    def _keep(self, everything: dict[str, Any], links: dict[str, Any]) -> None:
        replace_file(self._file, json.dumps({**everything, self._vault(): links}, indent=1))


def _digest(word: str) -> str:
    return sha256(word.encode("utf-8", "surrogatepass")).hexdigest()
