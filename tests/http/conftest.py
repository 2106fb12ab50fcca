"""A folder of notes."""

from tests.servers import folder  # noqa: F401  a fixture
