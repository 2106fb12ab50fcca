"""A vault with somebody in front of it, and a web server."""

from tests.desk import desk, own_home, person, web, yes  # noqa: F401  fixtures
