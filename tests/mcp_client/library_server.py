"""A small MCP server for the tests that has resources and prompts, and one tool of a name that we would use."""

from __future__ import annotations

import sys

from mcp.server import MCPServer

server = MCPServer("library")


@server.resource("book://first")
def first() -> str:
    """The first book."""
    return "Once upon a time"


@server.resource("book://cover", mime_type="image/png")
def cover() -> bytes:
    """A picture."""
    return b"\x89PNG"


@server.resource("book://{title}/page")
def page(title: str) -> str:
    """A page of any book."""
    return f"page of {title}"


@server.prompt()
def review(book: str, stars: str = "3") -> str:
    """Review a book."""
    return f"Review {book} with {stars} stars"


if "own" in sys.argv:

    @server.tool()
    def get_prompt() -> str:
        """The server's own."""
        return "mine"


server.run("stdio")
