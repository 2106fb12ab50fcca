"""Times in the notation of cron: five fields, or a word such as ``@daily``."""

from __future__ import annotations

import re
from datetime import datetime

LONGEST = 200
_NAMES = "mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|l"
_FIELD = rf"(?:[0-9*,/#-]|{_NAMES})+"
_WORDS = "@(?:hourly|daily|midnight|weekly|monthly|yearly|annually)"
_BEGINNING = re.compile(r"@[a-z]|[0-9*,/-]+ +[0-9*,/-]+ ", re.IGNORECASE)
_SCHEDULE = re.compile(rf"{_WORDS}|{_FIELD}(?: +{_FIELD}){{4}}", re.IGNORECASE)


def is_schedule(text: str) -> bool:
    """Whether it names times, and at least one of them comes."""
    if len(text) > LONGEST or not _SCHEDULE.fullmatch(text):
        return False
    from croniter import CroniterError, croniter  # type: ignore[import-untyped]  # noqa: PLC0415  few tools have a schedule

    try:
        croniter(text, datetime(2024, 1, 1), max_years_between_matches=8).get_next(datetime)  # noqa: DTZ001  any day will do
    except (CroniterError, ValueError, KeyError, IndexError, TypeError, AttributeError, OverflowError):
        return False
    return True


def looks_like_schedule(text: str) -> bool:
    """Whether it was meant as one, with or without mistakes: the word after ``@``, or the first two fields."""
    return _BEGINNING.match(text) is not None


def latest_tick(schedule: str, now: datetime) -> datetime:
    """The last time that has come, in the time zone of ``now``."""
    from croniter import croniter  # noqa: PLC0415  few tools have a schedule

    # A time is its own last one, and the library looks only before it.
    latest: datetime = croniter(schedule, now.replace(microsecond=1), max_years_between_matches=8).get_prev(datetime)
    return latest
