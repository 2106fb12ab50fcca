"""Health and figures of what is served."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator

import pytest

from paperagents.errors import StorageError
from paperagents.interfaces.serving import app as health
from paperagents.interfaces.serving.app import listen, make_rest_app

from ..served import Served  # noqa: TID252  shared by the tests of two interfaces


@pytest.fixture
def broken(served: Served, monkeypatch: pytest.MonkeyPatch) -> Served:
    def fail(*_: object) -> None:
        raise StorageError("database-unreachable", file="postgresql://secret-host", reason="gone")

    served.vault.run("shout", {"words": "x"})
    monkeypatch.setattr(served.vault.database, "rows", fail)
    return served


def test_everybody_may_ask_whether_it_lives_and_can_work(served: Served) -> None:
    with served.client(token=False) as anybody:
        for path, told in (("/health", {"alive": True}), ("/ready", {"ready": True})):
            answer = anybody.get(path)
            assert (answer.status_code, answer.json()) == (200, told)
            assert answer.headers["cache-control"] == "no-store"
            assert anybody.head(path).status_code == 200


def test_a_database_that_cannot_be_used_makes_it_not_ready_and_nobody_learns_why(broken: Served) -> None:
    with broken.client(token=False) as anybody:
        answer = anybody.get("/ready")
        assert (answer.status_code, answer.json()) == (503, {"ready": False})
        assert anybody.get("/health").status_code == 200
    with broken.client() as owner:
        assert (owner.get("/metrics").status_code, owner.get("/metrics").text) == (503, "database-unreachable")


def test_a_database_that_cannot_be_used_is_no_mistake_of_whoever_asks(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    with served.client() as owner:
        owner.put("/api/entries/memory/a", json={"content": "x"})
        monkeypatch.setattr(served.vault.database, "rows", _fail)
        answer = owner.get("/api/entries/memory/a")
    assert (answer.status_code, answer.json()["code"]) == (503, "database-unreachable")


def _fail(*_: object) -> None:
    raise StorageError("database-unreachable", file="postgresql://secret-host", reason="gone")


def test_figures_are_for_those_with_the_token(served: Served) -> None:
    served.vault.run("shout", {"words": "x"})
    with served.client(token=False) as anybody:
        assert anybody.get("/metrics").status_code == 401
    with served.client() as owner:
        answer = owner.get("/metrics")
        assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
        assert 'paper_runs{tool="shout",status="succeeded"} 1\n' in answer.text


@pytest.mark.parametrize("headers", [{"host": "evil.example"}, {"origin": "http://evil.example"},
                                     {"sec-fetch-site": "cross-site"}])  # fmt: skip
def test_another_site_does_not_even_learn_whether_it_lives(served: Served, headers: dict[str, str]) -> None:
    with served.client(token=False) as anybody:
        for path in ("/health", "/ready"):
            assert anybody.get(path, headers=headers).status_code in (403, 421)


def variants() -> Iterator[tuple[str, str]]:
    for path in ("/health/", "//health", "/health/../api/tools", "/ready%2f..%2fapi/tools", "/HEALTH", "/health;x"):
        yield "GET", path
    for method in ("POST", "PUT", "DELETE", "OPTIONS", "PATCH"):
        yield method, "/health"


@pytest.mark.parametrize(("method", "path"), [*variants()])
def test_no_other_path_or_method_comes_through_without_the_token(served: Served, method: str, path: str) -> None:
    with served.client(token=False) as anybody:
        assert anybody.request(method, served.url + path).status_code == 401


def test_many_who_ask_while_the_database_hangs_take_one_thread(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    asked, answered = [], threading.Event()

    def hang(*_: object) -> tuple[int, str, bytes]:
        asked.append(1)
        answered.wait(30)
        return 200, "application/json", b""

    monkeypatch.setattr(health, "LONGEST_CHECK", 0.2)
    monkeypatch.setattr(health, "health_response", hang)
    routes = {each.path: each.endpoint for each in health.health_routes(served.vault).routes}  # type: ignore[attr-defined]

    async def ask() -> set[int]:
        answers = await asyncio.gather(*(routes["/ready"]() for _ in range(100)))
        answered.set()
        return {each.status_code for each in answers}

    assert asyncio.run(ask()) == {503}
    assert len(asked) == 1


def test_health_is_no_part_of_the_described_api(served: Served) -> None:
    assert not {"/health", "/ready", "/metrics"} & {*make_rest_app(served.live).openapi()["paths"]}


def test_an_empty_host_is_this_machine_alone() -> None:
    with listen("", 0) as listener:
        assert listener.getsockname()[0] == "127.0.0.1"
