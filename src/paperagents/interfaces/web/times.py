"""Moments and durations as people read them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime, timedelta, tzinfo

from paperagents.messages import text

_SECOND = 1000.0
_MINUTE = 60 * _SECOND
_ZONE: ContextVar[tzinfo | None] = ContextVar("zone", default=None)


@contextmanager
def in_zone(zone: tzinfo | None) -> Iterator[None]:
    """Inside, every moment is told in this time zone; None means the system's."""
    before = _ZONE.set(zone)
    try:
        yield
    finally:
        _ZONE.reset(before)


def local(written: str) -> datetime:
    """A recorded moment as the clocks of the vault show it. Raises ValueError where it is none."""
    return datetime.fromisoformat(written).astimezone(_ZONE.get())


def local_now() -> datetime:
    """Now, as the clocks of the vault show it."""
    return datetime.now(UTC).astimezone(_ZONE.get())


def beginning_of_day(day: str) -> str:
    """When a day begins by the clocks of the vault. Raises ValueError or OverflowError where there is no such day."""
    begins = datetime.fromisoformat(day)
    zone = _ZONE.get()
    return (begins if zone is None else begins.replace(tzinfo=zone)).astimezone(UTC).isoformat()


def duration(milliseconds: float) -> str:
    """How long: ``4 ms``, ``1.2 s``, ``3 min 5 s``."""
    if milliseconds < _SECOND:
        return f"{milliseconds:.0f} ms"
    if milliseconds < _MINUTE:
        return f"{milliseconds / _SECOND:.1f} s"
    minutes, seconds = divmod(round(milliseconds / _SECOND), 60)
    return f"{minutes} min {seconds} s"


def moment(written: str) -> str:
    """When, by the clocks of the vault: today without the date, else with it. What is no time stays as it is."""
    try:
        at = local(written)
    except ValueError:
        return written
    today = local_now().date()
    if at.date() == today:
        return text("web.today", time=f"{at:%H:%M:%S}")
    if at.date() == today - timedelta(days=1):
        return text("web.yesterday", time=f"{at:%H:%M}")
    return f"{at:%Y-%m-%d %H:%M}"
