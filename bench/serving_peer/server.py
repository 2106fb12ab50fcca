"""The same small function, served by FastMCP: ``stdio``, or ``http PORT``."""

from __future__ import annotations

import sys

from fastmcp import FastMCP  # type: ignore[import-not-found]  # lives in the peers' own environment

server = FastMCP("peer")


@server.tool  # type: ignore[untyped-decorator]  # see above
def shout(words: str) -> str:
    """Say it loudly."""
    return words.upper()


if __name__ == "__main__":
    if sys.argv[1] == "stdio":
        server.run("stdio", show_banner=False)
    else:
        server.run("http", host="127.0.0.1", port=int(sys.argv[2]), show_banner=False, log_level="error")
