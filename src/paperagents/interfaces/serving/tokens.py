"""Tokens with names and rights, for programs. A token is shown once; the user's folder has its hash alone."""

from __future__ import annotations

import hmac
import json
import re
import secrets
from collections.abc import Iterable
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from paperagents.definitions.json_value import JsonObject
from paperagents.errors import UsageError
from paperagents.files.state_files import file_lock, read_object, read_object_to_change, replace_file
from paperagents.interfaces.serving.callers import RIGHTS, Right
from paperagents.settings import user_folder
from paperagents.values import dataclass
from paperagents.vault import Vault

TOKENS_FILE = "tokens.json"
_NAME = re.compile(r"\w[\w.-]{0,63}")


@dataclass(frozen=True, kw_only=True, slots=True)
class NamedToken:
    """What is kept of a token."""

    name: str
    rights: tuple[Right, ...]
    created: str
    digest: str

    def as_json(self) -> JsonObject:
        """The form of ``paper serve token list --json``."""
        return {"name": self.name, "may": [*self.rights], "created": self.created}


class TokenBook:
    """The tokens that one user has made for one vault."""

    def __init__(self, file: Path, vault: str) -> None:
        self._file = file
        self._vault = vault
        self._read: tuple[tuple[int, int, int], list[NamedToken]] | None = None

    def create(self, name: str, rights: Iterable[Right]) -> str:
        """A new token, which nobody can look up later. Raises UsageError for a name that is taken or is none."""
        if _NAME.fullmatch(name) is None:
            raise UsageError("invalid-token-name", name=name[:100])
        token = secrets.token_urlsafe(32)
        kept = {
            "may": [right for right in RIGHTS if right in {*rights}],
            "created": datetime.now(UTC).isoformat(timespec="seconds"),
            "sha256": sha256(token.encode()).hexdigest(),
        }
        with file_lock(self._file):
            everything = read_object_to_change(self._file)
            ours = _object_in(everything, self._vault)
            if name in ours:
                raise UsageError("token-exists", name=name)
            replace_file(self._file, json.dumps({**everything, self._vault: {**ours, name: kept}}, indent=1))
        return token

    def revoke(self, name: str) -> None:
        """Let nobody in with this token any more. Raises UsageError where there is none of this name."""
        with file_lock(self._file):
            everything = read_object_to_change(self._file)
            ours = _object_in(everything, self._vault)
            if name not in ours:
                raise UsageError("unknown-token", name=name[:100])
            left = {each: kept for each, kept in ours.items() if each != name}
            replace_file(self._file, json.dumps({**everything, self._vault: left}, indent=1))

    def tokens(self) -> list[NamedToken]:
        """All of them, as they are in the file now: what is revoked lets nobody in from this moment on."""
        try:
            status = self._file.stat()
            stamp = (status.st_mtime_ns, status.st_size, status.st_ino)
            if self._read is None or self._read[0] != stamp:
                self._read = (stamp, _read_tokens(_object_in(read_object(self._file), self._vault)))
        except (OSError, ValueError):
            return []
        return self._read[1]

    def find(self, token: str) -> NamedToken | None:
        """The token that a program has sent."""
        digest = sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
        return next((each for each in self.tokens() if hmac.compare_digest(each.digest, digest)), None)


def open_token_book(vault: Vault) -> TokenBook:
    """The tokens of the user for this vault. Another folder at the same place is another vault."""
    return TokenBook(user_folder() / TOKENS_FILE, vault.trust.vault)


def _object_in(everything: dict[str, Any], key: str) -> dict[str, Any]:
    found = everything.get(key)
    return found if isinstance(found, dict) else {}


def _read_tokens(kept: dict[str, Any]) -> list[NamedToken]:
    found = []
    for name, each in kept.items():
        match each:
            case {"may": list(may), "created": str(created), "sha256": str(digest)} if digest.isascii():
                # A right that a later version knows is none here.
                rights = tuple(right for right in RIGHTS if right in may)
                found.append(NamedToken(name=name, rights=rights, created=created, digest=digest))
    return found
