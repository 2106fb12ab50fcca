"""A vault for the files of the documents, and the service they ask."""

from __future__ import annotations

import json
from urllib.parse import parse_qs, urlsplit

import pytest
from tests.desk import desk, own_home, yes  # noqa: F401  fixtures
from tests.servers import Exchange, Web


@pytest.fixture
def service(web: Web) -> str:
    """A server on loopback that answers a search with what was searched for."""

    def search(exchange: Exchange) -> None:
        address = urlsplit(exchange.path)
        query = parse_qs(address.query).get("q", [""])[0]
        answers = {"/path": ["a", "b"], "/scored": [{"score": 0.9, "q": query}, {"score": 0.5}, {"score": 0.1}]}
        found = {"results": [f"{query} {number}" for number in range(9)]}
        exchange.reply(200, json.dumps(answers.get(address.path, found)))

    web.otherwise = search
    return web.url("")
