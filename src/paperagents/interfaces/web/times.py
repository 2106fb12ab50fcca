"""Moments and durations as people read them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from paperagents.messages import text

_SECOND = 1000.0
_MINUTE = 60 * _SECOND


def duration(milliseconds: float) -> str:
    """How long: ``4 ms``, ``1.2 s``, ``3 min 5 s``."""
    if milliseconds < _SECOND:
        return f"{milliseconds:.0f} ms"
    if milliseconds < _MINUTE:
        return f"{milliseconds / _SECOND:.1f} s"
    minutes, seconds = divmod(round(milliseconds / _SECOND), 60)
    return f"{minutes} min {seconds} s"


def moment(written: str) -> str:
    """When, in local time: today without the date, else with it. What is no time stays as it is."""
    try:
        at = datetime.fromisoformat(written).astimezone()
    except ValueError:
        return written
    today = datetime.now(UTC).astimezone().date()
    if at.date() == today:
        return text("web.today", time=f"{at:%H:%M:%S}")
    if at.date() == today - timedelta(days=1):
        return text("web.yesterday", time=f"{at:%H:%M}")
    return f"{at:%Y-%m-%d %H:%M}"
