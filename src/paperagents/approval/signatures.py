"""Signatures: what proves that a yes, a run or a change about to be made is this user's own.

The key is in the user's folder, never in a vault. What is signed names the vault it holds for, so that nothing that
was agreed to in one folder counts in another. What carries no signature of the user, or of a key that the user has
trusted, proves nothing: a database that came with somebody's folder brings its history, and no yes.
"""

from __future__ import annotations

import hmac
import json
import secrets
from collections.abc import Callable
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from paperagents.definitions.json_value import JsonValue
from paperagents.errors import PaperError
from paperagents.files.state_files import file_lock, read_object, replace_file, require_no_links

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

KEY_FILE = "signing.key"
IDENTITY_FILE = "identity.json"
_MOST_REMEMBERED = 100_000


class UserKey:
    """The user's key, made when it is first needed. Where it cannot be kept, it holds for this process alone."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / KEY_FILE

    @cached_property
    def private(self) -> Ed25519PrivateKey:
        """The key itself."""
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey  # noqa: PLC0415  slow to load

        return Ed25519PrivateKey.from_private_bytes(self._seed)

    def seal(self, data: bytes) -> bytes:
        """32 bytes that only this user can make, and only of these: for what the user keeps in a vault."""
        return hmac.digest(self._seed, b"seal\0" + data, "sha256")

    @cached_property
    def _seed(self) -> bytes:
        seed = secrets.token_bytes(32)
        with suppress(PaperError, OSError, ValueError):
            seed = self._read() or self._keep(seed)
        return seed

    @cached_property
    def public(self) -> str:
        """What others know the user by."""
        return self.private.public_key().public_bytes_raw().hex()

    def _read(self) -> bytes | None:
        try:
            kept = bytes.fromhex(self._file.read_text("ascii").strip())
        except FileNotFoundError:
            return None
        if len(kept) != 32:
            raise ValueError("not a key")
        return kept

    def _keep(self, seed: bytes) -> bytes:
        with file_lock(self._file):
            # Another process may have been first.
            kept = self._read()
            if kept is None:
                replace_file(self._file, seed.hex())
            return kept or seed


class Signatures:
    """Signs for one vault, and checks what is found in it."""

    def __init__(self, key: UserKey, vault: Callable[[], str], *, trusts: Callable[[str], bool] | None = None) -> None:
        self._key = key
        self._find_vault = vault
        self._trusts = trusts or (lambda _: False)
        self._valid: set[tuple[str, bytes]] = set()

    def sign(self, *parts: JsonValue) -> str:
        """A signature over these values in this vault: the public key, and what it proves."""
        return f"{self._key.public}:{self._key.private.sign(self._message(parts)).hex()}"

    def is_valid(self, signature: str | None, *parts: JsonValue) -> bool:
        """Whether the user, or somebody whose key the user has trusted, has signed exactly this."""
        public, _, proof = (signature or "").partition(":")
        if not proof or not (public == self._key.public or self._trusts(public)):
            return False
        message = self._message(parts)
        known = (str(signature), message)
        if known not in self._valid:
            if not _is_signed(public, proof, message):
                return False
            if len(self._valid) >= _MOST_REMEMBERED:
                self._valid.clear()
            self._valid.add(known)
        return True

    @cached_property
    def vault(self) -> str:
        """The vault that is signed for."""
        return self._find_vault()

    def _message(self, parts: tuple[JsonValue, ...]) -> bytes:
        return json.dumps([self.vault, *parts], separators=(",", ":"), sort_keys=True).encode("ascii")


def signer_of(signature: str | None) -> str:
    """The public key that a signature names; empty where there is none."""
    return (signature or "").partition(":")[0]


def identify_vault(root: Path, keeping_folder: Path, key: UserKey) -> str:
    """The vault as this user knows it: its place, and a name that the user has signed.

    Another folder at the same place, or this one at another, is another vault. Where no name can be kept, the place
    alone has to do.
    """
    file, place = keeping_folder / IDENTITY_FILE, str(root)
    signatures = Signatures(key, lambda: place)
    with suppress(PaperError, OSError, ValueError):
        require_no_links(keeping_folder, file)
        if (name := _read_name(file, key, signatures)) is not None:
            return f"{place}#{name}"
        with file_lock(file):
            if (name := _read_name(file, key, signatures)) is None:
                name = secrets.token_hex(16)
                others = read_object(file)
                mine: JsonValue = {"name": name, "signature": signatures.sign("vault", name)}
                replace_file(file, json.dumps({**others, key.public: mine}, indent=1))
        return f"{place}#{name}"
    return place


def _read_name(file: Path, key: UserKey, signatures: Signatures) -> str | None:
    match read_object(file).get(key.public):
        case {"name": str(name), "signature": str(signature)} if signatures.is_valid(signature, "vault", name):
            return name
    return None


def _is_signed(public: str, proof: str, message: bytes) -> bool:
    from cryptography.exceptions import InvalidSignature  # noqa: PLC0415  slow to load
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey  # noqa: PLC0415  as above

    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(public)).verify(bytes.fromhex(proof), message)
    except (InvalidSignature, ValueError):
        return False
    return True
