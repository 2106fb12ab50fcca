"""Reads the fields of a YAML mapping, each with the type it must have."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import datetime

from paperagents.definitions.source import Excerpt
from paperagents.definitions.text import guess_name
from paperagents.patterns import late_pattern
from paperagents.reading.problems import ProblemList
from paperagents.reading.yaml_nodes import YamlMapping, YamlNode, YamlScalar, YamlSequence

MAX_UNKNOWN = 100
"""So many fields of one mapping are looked at for slips; no note has more properties."""

LONG_NAME = 7
"""Letters of a name that hardly another word looks like."""


class Fields:
    """A mapping being read. A field of the wrong type is a problem and counts as missing."""

    def __init__(self, mapping: YamlMapping, problems: ProblemList) -> None:
        self.mapping = mapping
        self.problems = problems
        self.slips: set[str] = set()
        """The fields that misspelt ones were probably meant to be."""

    def text(self, name: str) -> str | None:
        """A text."""
        node = self.given(name)
        if node is None:
            return None
        if isinstance(node, YamlScalar) and isinstance(node.value, str):
            return node.value
        self._wrong(name, node, "text")
        return None

    def word(self, name: str) -> str | None:
        """A text that may be written like a number: ``version: 1.0``."""
        node = self.given(name)
        if node is None or isinstance(node, YamlScalar):
            return node.raw if node is not None else None
        self._wrong(name, node, "text")
        return None

    def choice(self, name: str, options: Iterable[str], *, any_case: bool = False) -> str | None:
        """One of a few words."""
        options = tuple(options)
        word = self.text(name)
        if word is not None and any_case:
            word = word.lower()
        if word is None or word in options:
            return word
        node = self.mapping.entries[name][1]
        report_choice(node, self.problems, field=name, options=options, meant=guess_name(word, options))
        return None

    def boolean(self, name: str, *, default: bool) -> bool:
        """True or false."""
        node = self.given(name)
        if node is None:
            return default
        if isinstance(node, YamlScalar) and isinstance(node.value, bool):
            return node.value
        self._wrong(name, node, "boolean")
        return default

    def number(self, name: str, *, above: float | None = None, least: float | None = None) -> float | None:
        """A number, above or at least some bound."""
        node = self.given(name)
        if node is None:
            return None
        value = node.value if isinstance(node, YamlScalar) else None
        if isinstance(value, bool) or not isinstance(value, int | float):
            self._wrong(name, node, "number")
            return None
        if above is not None and value <= above:
            self._too_small(name, node, f"> {above:g}")
            return None
        if least is not None and value < least:
            self._too_small(name, node, f"≥ {least:g}")
            return None
        return value

    def whole_number(self, name: str, *, least: int) -> int | None:
        """A number without a fraction."""
        value = self.number(name, least=least)
        if value is None or value == int(value):
            return None if value is None else int(value)
        self._wrong(name, self.mapping.entries[name][1], "integer")
        return None

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of texts; a single text is a list of one."""
        node = self.given(name)
        if node is None:
            return ()
        items = node.items if isinstance(node, YamlSequence) else [node]
        scalars = [item for item in items if isinstance(item, YamlScalar)]
        if len(scalars) != len(items):
            self._wrong(name, node, "texts")
        return tuple(item.raw for item in scalars if item.value is not None)

    def mapping_of(self, name: str) -> YamlMapping | None:
        """A mapping of names to values."""
        node = self.given(name)
        if node is None or isinstance(node, YamlMapping):
            return node
        self._wrong(name, node, "mapping")
        return None

    def sequence(self, name: str) -> YamlSequence | None:
        """A list."""
        node = self.given(name)
        if node is None or isinstance(node, YamlSequence):
            return node
        self._wrong(name, node, "list")
        return None

    def script(self, name: str) -> Excerpt | None:
        """A text that is JavaScript, with the place of its lines."""
        if self.text(name) is None:
            return None
        node = self.mapping.entries[name][1]
        return node.excerpt() if isinstance(node, YamlScalar) else None

    def is_blank(self, name: str) -> bool:
        """Whether nothing is given, or a text without a letter."""
        node = self.given(name)
        return node is None or (isinstance(node, YamlScalar) and isinstance(node.value, str) and not node.value.strip())

    def warn_of_slips(
        self, known: Iterable[str], also_fine: Iterable[str] = (), synonyms: Mapping[str, str] | None = None
    ) -> None:
        """A field that nobody knows but that is one letter away from a known one is probably a slip.

        Beside the known one itself, a short name is more likely another word. ``synonyms`` are the names that other
        programs have for known ones.
        """
        known = tuple(known)
        fine = (*known, *also_fine)
        unknown = [name for name in self.mapping.entries if name not in fine][:MAX_UNKNOWN]
        likely = (
            [name for name in known if name not in self.mapping.entries or len(name) >= LONG_NAME] if unknown else ()
        )
        for name in unknown:
            if (meant := (synonyms or {}).get(name) or guess_name(name, likely)) is not None:
                self.slips.add(meant)
                self.problems.warning("unknown-field", self.mapping.key(name).span, field=name, suggestion=meant)

    def given(self, name: str) -> YamlNode | None:
        """What stands behind the name; None where that is nothing."""
        entry = self.mapping.entries.get(name)
        if entry is None or (isinstance(entry[1], YamlScalar) and entry[1].value is None):
            return None
        return entry[1]

    def _wrong(self, name: str, node: YamlNode, expected: str) -> None:
        self.problems.error("wrong-type", node.span, field=name, case=expected)

    def _too_small(self, name: str, node: YamlNode, bound: str) -> None:
        self.problems.error("invalid-value", node.span, field=name, value=str(node.plain()), options=bound)


def report_choice(
    node: YamlNode, problems: ProblemList, *, field: str, options: Iterable[str], meant: str | None
) -> None:
    """A word that is none of the possible ones, with the one that was probably meant."""
    value = node.raw if isinstance(node, YamlScalar) else str(node.plain())
    case = "suggestion" if meant else None
    listed = ", ".join(options)
    problems.error("invalid-value", node.span, field=field, value=value, options=listed, suggestion=meant, case=case)


# --- times in the notation of cron: five fields, or a word such as ``@daily``


MAX_SCHEDULE = 200
_NAMES = "mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|l"
_FIELD = rf"(?:[0-9*,/#-]|{_NAMES})+"
_WORDS = "@(?:hourly|daily|midnight|weekly|monthly|yearly|annually)"
_BEGINNING = late_pattern(r"@[a-z]|[0-9*,/-]+ +[0-9*,/-]+ ", re.IGNORECASE)
_SCHEDULE = late_pattern(rf"{_WORDS}|{_FIELD}(?: +{_FIELD}){{4}}", re.IGNORECASE)


def is_schedule(text: str) -> bool:
    """Whether it names times, and at least one of them comes."""
    if len(text) > MAX_SCHEDULE or not _SCHEDULE.fullmatch(text):
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


def next_tick(schedule: str, now: datetime) -> datetime:
    """The next time that will come, in the time zone of ``now``."""
    from croniter import croniter  # noqa: PLC0415  few tools have a schedule

    following: datetime = croniter(schedule, now, max_years_between_matches=8).get_next(datetime)
    return following


def latest_tick(schedule: str, now: datetime) -> datetime:
    """The last time that has come, in the time zone of ``now``."""
    from croniter import croniter  # noqa: PLC0415  few tools have a schedule

    # A time is its own last one, and the library looks only before it.
    latest: datetime = croniter(schedule, now.replace(microsecond=1), max_years_between_matches=8).get_prev(datetime)
    return latest
