"""Choosing a model in two presses; nothing is looked for before the first."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Page, expect
from tests.servers import Web

from paperagents.agents.model_servers import LOCAL_SERVERS

from ..served import Served  # noqa: TID252  shared by the tests of several interfaces


@pytest.fixture
def ollama(web: Web, monkeypatch: pytest.MonkeyPatch) -> Web:
    """A model server on this computer, at the one address that is looked at."""
    web.answers["/v1/models"] = (200, json.dumps({"data": [{"id": "qwen3"}, {"id": "<img src=x>"}]}))
    for name in [*LOCAL_SERVERS]:
        monkeypatch.delitem(LOCAL_SERVERS, name)
    monkeypatch.setitem(LOCAL_SERVERS, "Ollama", f"{web.url('')}/v1")
    return web


def test_a_model_of_this_computer_is_chosen_in_two_presses(page: Page, served: Served, ollama: Web) -> None:
    served.note("agents/helper.md", "---\nagent: true\nname: Helper\ndescription: Helps.\n---\nYou help.\n")
    page.goto(f"{served.url}/agents/helper")
    page.get_by_label("Your message").fill("a message that is not lost")
    assert ollama.requests == [], "nothing is looked for before somebody wants to"
    page.locator("#about-agent [data-choose-model]").click()
    expect(page.get_by_role("heading", name="Choose a model")).to_be_visible()
    expect(page.locator(".model").first).to_contain_text("<img src=x>")
    page.get_by_role("button", name="qwen3").click()
    expect(page.locator("#about-agent [data-model-name]")).to_have_text("qwen3")
    assert page.get_by_label("Your message").input_value() == "a message that is not lost"
    settings = served.vault.settings
    assert (settings.get("llm.base_url"), settings.get("llm.model")) == (f"{ollama.url('')}/v1", "qwen3")


def test_no_other_address_is_taken_and_only_from_who_may(served: Served, ollama: Web) -> None:
    choice = {"base_url": "http://evil.example/v1", "model": "m"}
    with served.person() as person:
        assert person.put("/model", json=choice).json()["code"] == "model-address"
        assert person.post("/models/elsewhere").status_code == 422
    for rights in (("call", "answer"), ("call", "edit")):
        with served.program(*rights) as program:
            assert program.put("/model", json={**choice, "base_url": f"{ollama.url('')}/v1"}).status_code == 403
    with served.program("call", "answer") as program:
        assert program.post("/models/local").status_code == 403
    assert ollama.requests == []
