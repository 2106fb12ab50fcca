"""Dates and times that people write, as runs have them."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime

from paperagents.errors import UsageError

_YEAR_OR_MONTH = re.compile(r"\d{4}(?:-(?:0[1-9]|1[0-2]))?", re.ASCII)


def moment_of(written: str) -> str:
    """A date or time of ISO 8601: in UTC, also where it names no time zone. Raises UsageError for anything else."""
    if _YEAR_OR_MONTH.fullmatch(written):
        return written
    try:
        return date.fromisoformat(written).isoformat()
    except ValueError:
        pass
    try:
        moment = datetime.fromisoformat(written)
        moment = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
        return moment.astimezone(UTC).isoformat(timespec="milliseconds")
    except (ValueError, OverflowError):
        raise UsageError("invalid-date", date=written) from None
