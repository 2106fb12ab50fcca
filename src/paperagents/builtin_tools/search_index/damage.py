"""An index that does not hold what it should."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator


class SearchIndexError(Exception):
    """The index is damaged. Nobody outside of the search meets this: the index is made anew."""


@contextlib.contextmanager
def told_as_damage() -> Iterator[None]:
    """The engine's errors, and its panics, which are no ordinary exceptions."""
    try:
        yield
    except (OSError, ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        raise SearchIndexError(str(error)) from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise SearchIndexError(str(error)) from error
