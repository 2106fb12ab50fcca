"""Follows a vault while a process stays up: an edit is live at once. The one module that knows watchfiles."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from paperagents.registry.tool_registry import ToolRegistry

_GATHER = 20
"""Milliseconds in which changes that belong together are taken together."""


class FolderWatch:
    """A thread that tells the registry which files changed. Leave the ``with`` block to stop it."""

    def __init__(self, registry: ToolRegistry, on_change: Callable[[], None] = lambda: None) -> None:
        self._registry = registry
        self._on_change = on_change
        self._stop = threading.Event()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._follow, name="paper-folder-watch", daemon=True)

    def __enter__(self) -> FolderWatch:
        self._thread.start()
        self._ready.wait()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _follow(self) -> None:
        from watchfiles import watch  # noqa: PLC0415  only a process that stays up needs it

        root = self._registry.root.resolve()
        changes = watch(
            root,
            watch_filter=lambda _, path: not _is_hidden(path, root),
            debounce=200,
            step=_GATHER,
            rust_timeout=50,
            yield_on_timeout=True,
            stop_event=self._stop,
            raise_interrupt=False,
        )
        for change in changes:
            # The first turn, also an empty one, says that the folder is being watched.
            if not self._ready.is_set():
                self._registry.refresh()
                self._ready.set()
            if change:
                self._registry.update(sorted({Path(path).relative_to(root).as_posix() for _, path in change}))
                self._on_change()


def _is_hidden(path: str, root: Path) -> bool:
    return any(part.startswith(".") for part in Path(path).relative_to(root).parts)
