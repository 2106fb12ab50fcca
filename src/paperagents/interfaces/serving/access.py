"""Access: a link that works once, the cookie it is exchanged for, the tokens of programs, and the rate limit.

The cookie is a person's, and may do everything. The token that ``paper serve`` prints is a program's, and may call;
what else a program may do needs a token that was made for it. The cookie and the printed token are derived from one key
in the user's own folder, outside every vault: they outlive a restart, and a stranger's vault cannot bring its own.
"""

from __future__ import annotations

import base64
import hmac
import os
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

from paperagents.errors import PaperError
from paperagents.interfaces.serving.callers import Caller, the_person
from paperagents.interfaces.serving.tokens import TokenBook
from paperagents.messages import system_text
from paperagents.settings import user_folder

KEY_FILE = "serving.key"
COOKIE_SECONDS = 30 * 24 * 3600
MOST_KEYS = 10_000
_PRINTED = "paper serve"
"""The name of the token that is printed."""


class Access:
    """The ways into one vault."""

    def __init__(self, key: bytes, vault: Path, *, token: str | None = None, tokens: TokenBook | None = None) -> None:
        self._key = key
        self._vault = str(vault)
        self._tokens = tokens
        self.token = token or self.derive_text("token")
        """What a program that may call sends as ``Authorization: Bearer``."""
        self._links: set[str] = set()

    @property
    def sealing_key(self) -> bytes:
        """Seals what clients get and must send back unchanged, also after a restart."""
        return self.derive("sealing")

    def new_link_token(self) -> str:
        """A token for a link that lets in whoever opens it first, and nobody after."""
        token = secrets.token_urlsafe(24)
        self._links.add(token)
        return token

    def redeem_link(self, token: str) -> str | None:
        """The cookie for a link that has not been used yet."""
        found = next((each for each in self._links if hmac.compare_digest(each.encode(), token.encode())), None)
        if found is None:
            return None
        self._links.discard(found)
        expires = str(int(time.time()) + COOKIE_SECONDS)
        return f"{expires}.{self.derive_text('cookie', expires)}"

    def allows_cookie(self, cookie: str) -> bool:
        """Whether this cookie is ours and has not expired."""
        expires, _, signature = cookie.partition(".")
        # The signature first: nothing of a text that is not ours is interpreted.
        is_ours = self.is_signed(signature, "cookie", expires)
        return is_ours and expires.isdigit() and int(expires) > time.time()

    def is_signed(self, signature: str, *purpose: str) -> bool:
        """Whether this is what we have derived for a purpose."""
        return hmac.compare_digest(signature.encode(), self.derive_text(*purpose).encode())

    def identify(self, token: str, cookie: str) -> Caller | None:
        """Who comes with this token or this cookie; None for a stranger. A token counts before a cookie."""
        if hmac.compare_digest(token.encode(), self.token.encode()):
            return Caller(name=_PRINTED, via="api", rights=frozenset({"call"}))
        if token and self._tokens is not None and (found := self._tokens.find(token)) is not None:
            return Caller(name=found.name, via="api", rights=frozenset(found.rights))
        if self.allows_cookie(cookie):
            return the_person()
        # The cookie of a paired device is its token: revoking that lets the device in no more.
        found = self._tokens.find(cookie) if cookie and self._tokens is not None else None
        return Caller(name=found.name, via="page", rights=frozenset(found.rights)) if found else None

    def derive(self, *purpose: str) -> bytes:
        """A secret for one purpose and this vault."""
        message = "\0".join((self._vault, *purpose)).encode("utf-8", "surrogateescape")
        return hmac.digest(self._key, message, sha256)

    def derive_text(self, *purpose: str) -> str:
        """The same as a text for headers and cookies."""
        return base64.urlsafe_b64encode(self.derive(*purpose)[:24]).decode()


def load_user_key(file: Path | None = None) -> bytes:
    """The user's key, created on first use. Raises PaperError where it cannot be stored."""
    file = file or user_folder() / KEY_FILE
    try:
        return read_key(file) or create_key(file)
    except OSError as error:
        raise PaperError("cannot-write", path=str(file), reason=system_text(error)) from error


def read_key(file: Path) -> bytes | None:
    """The key in a file; None where there is none."""
    try:
        key = file.read_bytes()
    except FileNotFoundError:
        return None
    # A file that a crash has cut off counts as none.
    return key if len(key) == 32 else None


def create_key(file: Path) -> bytes:
    """Write a new key; two processes that start together end up with the same one."""
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_name(f"{file.name}.{secrets.token_hex(6)}")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as opened:
        opened.write(secrets.token_bytes(32))
    try:
        if file.exists() and read_key(file) is None:
            file.unlink()
        # Written beside and linked: the link fails where another process was quicker, and then its key is used.
        os.link(draft, file)
    except FileExistsError:
        pass
    finally:
        draft.unlink()
    return file.read_bytes()


class RateLimit:
    """A token bucket for each key: so many at once, and so many a second after that."""

    def __init__(self, *, burst: float, per_second: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._burst = burst
        self._per_second = per_second
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def allows(self, key: str) -> bool:
        """Take one, where there is one left."""
        if (left := self.left(key)) < 1:
            return False
        self._buckets[key] = (left - 1, self._clock())
        self._buckets.move_to_end(key)
        if len(self._buckets) > MOST_KEYS:
            # The least recently used key gets a full bucket again.
            self._buckets.popitem(last=False)
        return True

    def left(self, key: str) -> float:
        """How many are left in the bucket now."""
        left, at = self._buckets.get(key, (self._burst, self._clock()))
        return min(left + (self._clock() - at) * self._per_second, self._burst)
