"""A vault with somebody in front of it."""

from tests.desk import desk, own_home, person, yes  # noqa: F401  fixtures
