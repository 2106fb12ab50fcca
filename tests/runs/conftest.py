"""A vault with somebody in front of it, and both databases."""

from tests.databases import database, each_database, second, server  # noqa: F401  fixtures
from tests.desk import desk, own_home, person, yes  # noqa: F401  fixtures
