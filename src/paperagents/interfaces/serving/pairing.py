"""Pairing: a short code that a person reads here and types there is exchanged for a token that may call and answer.

A code is good once and for minutes, and a few wrong guesses void it. It is kept as a hash in the user's folder, as
tokens are: whichever process shows the code, each server of the vault takes it.
"""

from __future__ import annotations

import hmac
import json
import secrets
import time
from collections.abc import Callable
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Any

from paperagents.definitions.json_value import JsonObject
from paperagents.errors import PaperError
from paperagents.files.state_files import file_lock, read_object_to_change, replace_file
from paperagents.interfaces.serving.callers import Right
from paperagents.interfaces.serving.tokens import TokenBook, open_token_book
from paperagents.settings import user_folder
from paperagents.vault import Vault

PAIRING_FILE = "pairing.json"
PAIRED_RIGHTS: tuple[Right, ...] = ("call", "answer")
CODE_SECONDS = 10 * 60
MOST_GUESSES = 10
_LETTERS = "23456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Without those that look like others. Eight of them are 39 bits."""


class Pairing:
    """The open code of one user for one vault; a new one voids the one before."""

    def __init__(self, file: Path, vault: str, tokens: TokenBook, clock: Callable[[], float] = time.time) -> None:
        self._file = file
        self._vault = vault
        self._tokens = tokens
        self._clock = clock

    def new_code(self) -> str:
        """A code for whoever types it first."""
        code = "".join(secrets.choice(_LETTERS) for _ in range(8))
        kept: JsonObject = {"sha256": _digest(code), "expires": self._clock() + CODE_SECONDS, "guesses": MOST_GUESSES}
        with file_lock(self._file):
            self._keep(kept)
        return f"{code[:4]}-{code[4:]}"

    def redeem(self, code: str, name: str) -> JsonObject:
        """A new token, named for its device. Raises PaperError for a code that is wrong, used up or too old."""
        with file_lock(self._file):
            kept: Any = read_object_to_change(self._file).get(self._vault)
            match kept:
                case {"sha256": str(digest), "expires": float(expires), "guesses": int(guesses)} if (
                    digest.isascii() and guesses > 0 and self._clock() < expires
                ):
                    pass
                case _:
                    raise PaperError("pairing-refused")
            if not hmac.compare_digest(digest, _digest(code)):
                self._keep({**kept, "guesses": guesses - 1})
                raise PaperError("pairing-refused")
            name = self._free_name(name)
            # The token first: a name that cannot be one leaves the code open.
            token = self._tokens.create(name, PAIRED_RIGHTS)
            self._keep(None)
        return {"name": name, "may": [*PAIRED_RIGHTS], "token": token}

    def _free_name(self, name: str) -> str:
        taken = {each.name for each in self._tokens.tokens()}
        numbered = (name if number == 1 else f"{name}-{number}" for number in count(1))
        return next(each for each in numbered if each not in taken)

    def _keep(self, kept: JsonObject | None) -> None:
        everything = {**read_object_to_change(self._file), self._vault: kept}
        if kept is None:
            del everything[self._vault]
        replace_file(self._file, json.dumps(everything, indent=1))


def open_pairing(vault: Vault) -> Pairing:
    """The pairing of the user with this vault."""
    return Pairing(user_folder() / PAIRING_FILE, vault.trust.vault, open_token_book(vault))


def _digest(code: str) -> str:
    """The hash of a code, however its letters are written and grouped."""
    letters = "".join(letter for letter in code.upper() if letter.isalnum())
    return sha256(letters.encode("utf-8", "surrogatepass")).hexdigest()
