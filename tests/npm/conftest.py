"""A vault with somebody in front of it, a web server, and a folder."""

from tests.desk import desk, own_home, person, web, yes  # noqa: F401  fixtures
