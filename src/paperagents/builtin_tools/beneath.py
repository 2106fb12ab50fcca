"""Opening files so that no name, link or swap leads out of the vault.

Everything is opened relative to the vault's own descriptor and without following links. Where a link
stands in a path, its real place is worked out first, by names alone, and then opened the same strict way;
an attacker who swaps a folder for a link in between meets the strict opening.
"""

from __future__ import annotations

import errno
import os
from collections import deque

from paperagents.builtin_tools.kernel_calls import has_openat2, open_without_links
from paperagents.builtin_tools.vault_paths import require_allowed, require_plain_text, shown
from paperagents.errors import ToolError

LINK_ERRORS = (errno.ELOOP, errno.ENOTDIR, errno.EMLINK)
"""What systems say when a link, or a file, stands where a folder or file was to be opened."""

_MOST_LINKS = 40
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


def open_strictly(root: int, segments: tuple[str, ...], flags: int, *, by_kernel: bool | None = None) -> int:
    """Open a path below the root that holds no link. FIFOs and devices never make this wait."""
    flags |= os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
    if has_openat2() if by_kernel is None else by_kernel:
        return open_without_links(root, shown(segments) or ".", flags)
    return _open_by_walking(root, segments or (".",), flags)


def real_segments(root: int, root_path: str, segments: tuple[str, ...]) -> tuple[str, ...]:
    """Where a path with links in it really is, in the vault's own names; refused when it is outside."""
    path, real, links = shown(segments), list[str](), 0
    waiting = deque(segments)
    while waiting:
        segment = waiting.popleft()
        if segment == "..":
            _step_up(real, path)
            continue
        target = _link_target(root, [*real, segment])
        if target is None:
            real.append(segment)
            continue
        links += 1
        if links > _MOST_LINKS:
            raise ToolError("path-outside-vault", path=path)
        if target.startswith("/"):
            real.clear()
        waiting.extendleft(reversed(_segments_of_link(target, root_path, path)))
    require_allowed(tuple(real))
    return tuple(real)


def _open_by_walking(root: int, segments: tuple[str, ...], flags: int) -> int:
    folder = os.dup(root)
    try:
        for segment in segments[:-1]:
            inner = os.open(segment, _FOLDER | os.O_NOFOLLOW, dir_fd=folder)
            os.close(folder)
            folder = inner
        return os.open(segments[-1], flags | os.O_NOFOLLOW, dir_fd=folder)
    finally:
        os.close(folder)


def _link_target(root: int, segments: list[str]) -> str | None:
    try:
        return os.readlink("/".join(segments), dir_fd=root)
    except OSError:
        return None


def _step_up(real: list[str], path: str) -> None:
    if not real:
        raise ToolError("path-outside-vault", path=path)
    real.pop()


def _segments_of_link(target: str, root_path: str, path: str) -> list[str]:
    """What a link points to, as segments; a full path must start with the vault's own."""
    require_plain_text(target)
    parts = [part for part in target.split("/") if part not in ("", ".")]
    if not target.startswith("/"):
        return parts
    root_parts = [part for part in root_path.split("/") if part]
    if parts[: len(root_parts)] != root_parts:
        raise ToolError("path-outside-vault", path=path)
    return parts[len(root_parts) :]
