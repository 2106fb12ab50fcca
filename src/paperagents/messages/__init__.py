"""Every sentence a person reads, in English, German and Chinese.

``text("unknown-tool", name="read_fil")`` gives the sentence in the current language. The sentences
themselves stand in ``catalogue/``, the three languages side by side.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import field
from functools import cache
from importlib import import_module
from string import Formatter
from typing import Any

from paperagents.values import dataclass

LANGUAGES = ("en", "de", "zh")
_ONE_OR_SEVERAL = re.compile(r"\{(\w+):([^|{}]*)\|([^{}]*)\}")
_ENDS = (".", "!", "?", ":", "…", "。", "！", "？", "：")

_chosen: ContextVar[str | None] = ContextVar("language", default=None)
_default: str | None = None


def text(key: str, /, **values: object) -> str:
    """The sentence of this key in the current language, with its values filled in.

    ``{file!q}`` is quoted for a command line; ``{count:file|files}`` is the first word for one, else the second.
    """
    template = choose_words(sentences()[key][LANGUAGES.index(language())], values)
    return _Quoting().vformat(template, (), values) if "!q}" in template else template.format(**values)


def choose_words(template: str, values: Mapping[str, object]) -> str:
    """The sentence with its words for one or for several, as the numbers among its values want them."""
    if "|" not in template:
        return template
    return _ONE_OR_SEVERAL.sub(lambda found: found[2 if str(values[found[1]]) == "1" else 3], template)


class _Quoting(Formatter):
    """Makes a command in a sentence one that can be copied: a path with blanks is quoted for the shell."""

    def convert_field(self, value: Any, conversion: Any) -> Any:
        """``!q`` besides Python's own conversions."""
        from shlex import quote  # noqa: PLC0415  few sentences have a path in a command

        return quote(str(value)) if conversion == "q" else super().convert_field(value, conversion)


def sentence(code: str, values: Mapping[str, object]) -> str:
    """The sentence of a code: for the very ``case`` among its values where there is one, else in general."""
    key = f"{code}.{values.get('case')}"
    return text(key if has_text(key) else code, **values)


def advice(code: str, values: Mapping[str, object]) -> str | None:
    """What to do next, found in the same way; None where there is nothing to say."""
    for key in (f"{code}.{values.get('case')}.hint", f"{code}.hint"):
        if has_text(key):
            return text(key, **values)
    return None


def join_sentences(*told: str | None) -> str:
    """Several sentences one after the other; where another follows, one without a sign at its end gets a full stop."""
    said = [each for each in told if each]
    return " ".join([*(each if each.endswith(_ENDS) else f"{each}." for each in said[:-1]), *said[-1:]])


def system_text(error: Exception) -> str:
    """Why the operating system refused something, in the current language where its sentence is known.

    Other errors that the same attempt can end with are told in their own words.
    """
    key = f"system.{errno.errorcode.get(getattr(error, 'errno', None) or 0)}"
    return text(key) if has_text(key) else getattr(error, "strerror", None) or str(error) or type(error).__name__


def has_text(key: str) -> bool:
    """Whether the catalogue knows this key; hints are optional, for example."""
    return key in sentences()


def language() -> str:
    """The language of this task, else of this process, else of the locale, else English."""
    return _chosen.get() or _default or language_of_locale()


def use_language(name: str | None) -> None:
    """Choose the language of this process; None goes back to the locale."""
    global _default  # noqa: PLW0603  the one setting of the process that every sentence needs
    _default = name


@contextmanager
def in_language(name: str) -> Iterator[None]:
    """Speak another language inside this block, for example for one web request."""
    token = _chosen.set(name)
    try:
        yield
    finally:
        _chosen.reset(token)


def language_of_locale() -> str:
    """The first supported language the environment asks for, in the order POSIX reads it."""
    for variable in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if value := os.environ.get(variable):
            prefix = value[:2].lower()
            return prefix if prefix in LANGUAGES else "en"
    return "en"


@cache
def sentences() -> dict[str, tuple[str, str, str]]:
    """All sentences by key. Loaded when the first one is needed."""
    from paperagents.messages.catalogue import AREAS  # noqa: PLC0415  nothing is loaded before it is needed

    found: dict[str, tuple[str, str, str]] = {}
    for area in AREAS:
        found.update(import_module(f"paperagents.messages.catalogue.{area}").TEXTS)
    return found


# --- a sentence inside a sentence, looked up only when it is shown


@dataclass(frozen=True, kw_only=True, slots=True)
class Sentence:
    """A key of the catalogue that becomes text in the reader's language."""

    key: str
    values: Mapping[str, object] = field(default_factory=dict)

    def __str__(self) -> str:
        return text(self.key, **self.values)
