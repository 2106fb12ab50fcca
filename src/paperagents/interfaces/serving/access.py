"""Who may come in: a link that works once, the cookie it is exchanged for, and the token of programs.

Everything is derived from one key that is kept with the user, outside every vault, so that cookies and tokens
outlive a restart and nobody else's folder can bring its own.
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
from paperagents.messages import system_text
from paperagents.settings import user_folder

KEY_FILE = "serving.key"
COOKIE_SECONDS = 30 * 24 * 3600


class Access:
    """The ways into one vault."""

    def __init__(self, key: bytes, vault: Path, *, token: str | None = None) -> None:
        self._key = key
        self._vault = str(vault)
        self.token = token or self._derived("token")
        """What a program sends as ``Authorization: Bearer``."""
        self._links: set[str] = set()

    @property
    def sealing_key(self) -> bytes:
        """Seals what is handed out and must come back unchanged, also after a restart."""
        return hmac.digest(self._key, b"\0".join((os.fsencode(self._vault), b"sealing")), sha256)

    def new_link_token(self) -> str:
        """A word for a link; whoever opens the link first is let in, nobody after."""
        word = secrets.token_urlsafe(24)
        self._links.add(word)
        return word

    def redeemed(self, word: str) -> str | None:
        """The cookie for a link that has not been used yet."""
        found = next((each for each in self._links if hmac.compare_digest(each.encode(), word.encode())), None)
        if found is None:
            return None
        self._links.discard(found)
        expires = str(int(time.time()) + COOKIE_SECONDS)
        return f"{expires}.{self._derived('cookie', expires)}"

    def allows_cookie(self, cookie: str) -> bool:
        """Whether this cookie is ours and has not expired."""
        expires, _, signature = cookie.partition(".")
        is_ours = hmac.compare_digest(signature.encode(), self._derived("cookie", expires).encode())
        return is_ours and expires.isdigit() and int(expires) > time.time()

    def allows_token(self, token: str) -> bool:
        """Whether a program may come in with this token."""
        return hmac.compare_digest(token.encode(), self.token.encode())

    def _derived(self, *purpose: str) -> str:
        message = "\0".join((self._vault, *purpose)).encode("utf-8", "surrogateescape")
        return base64.urlsafe_b64encode(hmac.digest(self._key, message, sha256)[:24]).decode()


def load_user_key(file: Path | None = None) -> bytes:
    """The user's key; made when it is needed first. Raises PaperError where it cannot be kept."""
    file = file or user_folder() / KEY_FILE
    try:
        return _kept(file) or _made(file)
    except OSError as error:
        raise PaperError("cannot-write", path=str(file), reason=system_text(error)) from error


def _kept(file: Path) -> bytes | None:
    try:
        key = file.read_bytes()
    except FileNotFoundError:
        return None
    # A file that was cut off is as good as none.
    return key if len(key) == 32 else None


def _made(file: Path) -> bytes:
    """Written beside and put in its place at once: two processes that begin together end up with one key."""
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_name(f"{file.name}.{secrets.token_hex(6)}")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as opened:
        opened.write(secrets.token_bytes(32))
    try:
        if file.exists() and _kept(file) is None:
            file.unlink()
        os.link(draft, file)
    except FileExistsError:
        pass
    finally:
        draft.unlink()
    return file.read_bytes()


# --- how often somebody may do something: a bucket that fills up again with time


MOST_KEYS = 10_000


class RateLimit:
    """So many at once, and so many a second after that; counted for each key by itself."""

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
            # Whoever has not come for longest starts afresh; that is bounded by how many can come.
            self._buckets.popitem(last=False)
        return True

    def left(self, key: str) -> float:
        """How many there are now."""
        left, at = self._buckets.get(key, (self._burst, self._clock()))
        return min(left + (self._clock() - at) * self._per_second, self._burst)
