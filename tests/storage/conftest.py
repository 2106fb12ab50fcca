"""Both databases, each with the same tests."""

from tests.databases import database, second, server  # noqa: F401  fixtures
