"""A vault, a web server and a name server, all real."""

from tests.servers import folder, name_server, web  # noqa: F401  fixtures
