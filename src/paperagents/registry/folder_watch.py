"""Follows a vault while a process stays up: an edit is live at once. The one module that knows watchfiles."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from paperagents.definitions.text import has_surrogates
from paperagents.errors import PaperError
from paperagents.messages import system_text, text
from paperagents.registry.folder_scan import is_hidden
from paperagents.registry.tool_registry import ToolRegistry

_GATHER = 50
"""Milliseconds in which changes that belong together are taken together."""
_SHORTEST_PAUSE = 0.05
_LONGEST_PAUSE = 5.0
"""Seconds before the next attempt to watch a folder that cannot be watched just now."""
_LIMIT_REACHED = ("watch limit", "os error 24")
"""How the library says that the system lets nobody watch any more folders."""
_LOOKING = 1000
"""Milliseconds between two looks at folders that cannot be watched."""
_LOGGER = logging.getLogger("paper")


class FolderWatch:
    """A thread that tells the registry which files changed. Leave the ``with`` block to stop it."""

    def __init__(
        self,
        registry: ToolRegistry,
        on_change: Callable[[], None] = lambda: None,
        on_files: Callable[[Sequence[str]], None] = lambda files: None,  # noqa: ARG005  nobody listens
    ) -> None:
        self._registry = registry
        self._on_change = on_change
        self._on_files = on_files
        """Is told which files changed, as far as that is known."""
        self._stop = threading.Event()
        self._ready = threading.Event()
        self._failure: PaperError | None = None
        self._pause = _SHORTEST_PAUSE
        self._looks = False
        """Whether the folders are looked at again and again instead of being watched."""
        self._thread = threading.Thread(target=self._keep_following, name="paper-folder-watch", daemon=True)

    def __enter__(self) -> FolderWatch:
        """Raises PaperError where the folder cannot be watched."""
        self._thread.start()
        self._ready.wait()
        if self._failure is not None:
            raise self._failure
        return self

    def start(self) -> None:
        """Begin without waiting: a first look at a large vault takes long. What fails is logged and tried again."""
        self._ready.set()
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _keep_following(self) -> None:
        while not self._stop.is_set():
            try:
                self._follow()
            except Exception as error:
                self._recover(error)
            finally:
                self._registry.follow(is_followed=False)

    def _recover(self, error: Exception) -> None:
        try:
            before = self._folders()
            self._registry.refresh()
            if self._folders() != before:
                # A folder went away just before it was to be watched: the next attempt goes without it.
                return
        except Exception as another:
            # Nothing may end this thread: nobody would learn of any change any more.
            error = another
        # Looking again and again is slower than watching, and better than not noticing.
        if not self._looks and any(sign in str(error) for sign in _LIMIT_REACHED):
            self._looks = True
            _LOGGER.warning("%s", text("watch-by-looking", path=str(self._registry.root), reason=system_text(error)))
            return
        failure = PaperError("cannot-watch", path=str(self._registry.root), reason=system_text(error))
        if not self._ready.is_set():
            self._failure = failure
            self._stop.set()
            self._ready.set()
            return
        _LOGGER.warning("%s", failure)
        self._stop.wait(self._pause)
        self._pause = min(2 * self._pause, _LONGEST_PAUSE)

    def _follow(self) -> None:
        """Watch the folders there are now, until there are others."""
        from watchfiles import watch  # noqa: PLC0415  only a process that stays up needs it

        root = self._registry.root.resolve()
        watched = self._folders()
        changes = watch(
            *(root / folder for folder in watched or {""}),
            # The library would follow links to folders, out of the vault too, so it gets each folder by itself.
            recursive=False,
            watch_filter=lambda _, path: not is_hidden(Path(path).relative_to(root).as_posix()),
            debounce=200,
            step=_GATHER,
            rust_timeout=50,
            yield_on_timeout=True,
            force_polling=self._looks,
            poll_delay_ms=_LOOKING,
            stop_event=self._stop,
            raise_interrupt=False,
        )
        # The first turn, also an empty one, says that the folders are being watched.
        next(changes, None)
        self._take_all()
        self._registry.follow(is_followed=not self._looks)
        for change in changes:
            if change:
                files = sorted({Path(path).relative_to(root).as_posix() for _, path in change})
                self._registry.update(files)
                self._tell(files)
            if self._folders() != watched:
                return

    def _folders(self) -> set[str]:
        """What is to be watched; the library cannot take a name that is not Unicode."""
        return {folder for folder in self._registry.folders() if not has_surrogates(folder)}

    def _take_all(self) -> None:
        """Changes from before the watch began have not been told, so everything is looked at."""
        self._registry.refresh()
        self._pause = _SHORTEST_PAUSE
        if self._ready.is_set():
            self._tell()
        self._ready.set()

    def _tell(self, files: Sequence[str] = ()) -> None:
        try:
            self._on_change()
            if files:
                self._on_files(files)
        except Exception:
            _LOGGER.exception("%s", text("watch-callback-failed"))
