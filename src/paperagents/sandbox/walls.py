"""Which walls stand around JavaScript on this system, found out by building them."""

from __future__ import annotations

import time
from dataclasses import dataclass

from paperagents.definitions.text import without_surrogates
from paperagents.messages import text
from paperagents.sandbox.limits import Limits
from paperagents.sandbox.worker_process import START_SECONDS, ChannelBrokenError, WorkerProcess, start_worker

_CONFINEMENT = ("resource-limits", "no-descriptors", "no-new-privileges", "landlock", "seccomp")


@dataclass(frozen=True, kw_only=True, slots=True)
class Wall:
    """One layer between JavaScript and the system, and why it is missing where it is."""

    name: str
    stands: bool
    reason: str


def standing_walls() -> tuple[Wall, ...]:
    """Start a worker and ask it what it could give up."""
    try:
        worker = start_worker(Limits())
    except OSError as error:
        return tuple(_fallen(name, str(error)) for name in ("engine", "parent", *_CONFINEMENT))
    try:
        return _walls_of(worker)
    finally:
        worker.kill()
        worker.bury()


def _walls_of(worker: WorkerProcess) -> tuple[Wall, ...]:
    try:
        hello = worker.receive(most=4096, until=time.monotonic() + START_SECONDS)
    except (ChannelBrokenError, TimeoutError):
        return tuple(_fallen(name, text("sandbox-unavailable")) for name in ("engine", "parent", *_CONFINEMENT))
    report = dict(line.partition(" ")[::2] for line in hello.body.decode("utf-8", "replace").split("\n"))
    confined = (_wall(name, report.get(name, "system")) for name in _CONFINEMENT)
    return (_standing("engine"), _standing("parent"), *confined)


def _wall(name: str, missing: str) -> Wall:
    reason, _, detail = missing.partition(" ")
    if not reason:
        return _standing(name)
    return _fallen(name, text(f"sandbox.wall-{reason}", detail=without_surrogates(detail)))


def _standing(name: str) -> Wall:
    return Wall(name=name, stands=True, reason=text(f"sandbox.wall.{name}"))


def _fallen(name: str, reason: str) -> Wall:
    return Wall(name=name, stands=False, reason=reason)
