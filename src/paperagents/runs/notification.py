"""A word to people who are elsewhere: a run waits for their decision, and where they can give it.

The word has the name of what was started and a link, never arguments, paths or texts. It is sent in a thread of its
own: no run waits for it, and no run fails with it.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import field
from urllib.parse import urlsplit

from paperagents.approval.invisible import escape_invisible
from paperagents.errors import PaperError
from paperagents.messages import system_text, text
from paperagents.values import dataclass

PAUSE = 10.0
"""Seconds in which a run that asks several things is told once."""
PATIENCE = 5.0
"""Seconds that the end of the program waits for a word that is on its way."""
_SECONDS = 20.0
_LONGEST_NAME = 100
_LOGGER = logging.getLogger("paper")
_VARIABLES = (
    "PATH",
    "HOME",
    "LANG",
    "LC_ALL",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XDG_RUNTIME_DIR",
    "DBUS_SESSION_BUS_ADDRESS",
)
"""What a command is told of the environment: keys are there as well."""


@dataclass(kw_only=True)
class Notifier:
    """Tells the user, by the ways that the settings name, that something waits."""

    url: str = ""
    command: Sequence[str] = ()
    link: str = ""
    make_link: Callable[[str], str] | None = None
    """Makes the word of a link that shows one question without a login; None where the user wants none."""
    _told: dict[str, float] = field(default_factory=dict)
    _threads: list[threading.Thread] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def tell(self, run_id: str, name: str, question: str) -> None:
        """Say that a run waits with a question; at once, whatever becomes of it."""
        if not (self.url or self.command):
            return
        now = time.monotonic()
        with self._lock:
            if now - self._told.get(run_id, -PAUSE) < PAUSE:
                return
            self._told = {run: at for run, at in self._told.items() if now - at < PAUSE} | {run_id: now}
            self._threads = [each for each in self._threads if each.is_alive()]
            words = text("notify.waits", name=escape_invisible(name[:_LONGEST_NAME]))
            ways: list[Callable[[str, str], None]] = [self._post] if self.url else []
            ways += [self._start] if self.command else []
            link = self._link_to(question)
            for way in ways:
                thread = threading.Thread(target=self._try, args=(way, words, link), name="paper-notify", daemon=True)
                self._threads.append(thread)
                thread.start()

    def close(self) -> None:
        """Wait a moment for what is on its way."""
        end = time.monotonic() + PATIENCE
        for thread in self._threads:
            thread.join(max(end - time.monotonic(), 0))

    def _link_to(self, question: str) -> str:
        """To the question itself, where the user wants that, else to the page, where one logs in."""
        if self.make_link is None:
            return self.link
        try:
            word = self.make_link(question)
        except (PaperError, OSError, ValueError):
            # Nothing can be kept in the user's folder; the page shows the question all the same.
            return self.link
        parts = urlsplit(self.link)
        path = f"{parts.path.rpartition('/')[0]}/decide"
        return parts._replace(path=path, query=f"link={word}", fragment="").geturl()

    def _try(self, way: Callable[[str, str], None], words: str, link: str) -> None:
        try:
            way(words, link)
        except Exception as error:
            # Its words may have the address in them, which is a secret with many services; the system's have not.
            reason = system_text(error) if isinstance(error, OSError) else type(error).__name__
            _LOGGER.warning(text("notify.failed", reason=getattr(error, "code", reason)))

    def _post(self, words: str, link: str) -> None:
        """As ntfy takes it: the text is the body, what a tap opens is a header."""
        from paperagents.http.client import send_request  # noqa: PLC0415  most runs notify nobody
        from paperagents.http.messages import HttpRequest  # noqa: PLC0415  as above
        from paperagents.http.urls import parse_url, port_of  # noqa: PLC0415  as above

        # The address is the user's own word, also one of this machine; where it leads on is not.
        url = parse_url(self.url)
        headers = {"Content-Type": "text/plain; charset=utf-8", "Title": "Paper Agents", "Click": link}
        request = HttpRequest(
            url=self.url, method="POST", headers={**headers}, body=f"{words}\n{link}", timeout=_SECONDS
        )
        send_request(request, allowed_hosts=[f"{url.host}:{port_of(url)}"])

    def _start(self, words: str, link: str) -> None:
        """The text and the link are the last two arguments; there is no shell."""
        import subprocess  # noqa: PLC0415  most runs notify nobody

        environment = {name: os.environ[name] for name in _VARIABLES if name in os.environ}
        subprocess.run(  # noqa: S603  the command is the user's own, or trusted
            [*self.command, words, link], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, timeout=_SECONDS, check=True,
        )  # fmt: skip
