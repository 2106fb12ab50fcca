"""A request that a server refuses: the page tells what it answered, and asks whether to send it again."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect
from tests.servers import Web

from paperagents.settings_writing import write_setting

from ..served import Served  # noqa: TID252  shared by the tests of several interfaces

WEATHER = """---
tool: true
id: weather
name: Weather
description: Sends a question.
steps:
  - {{name: first, tool: people}}
  - {{name: ask, tool: rest_request, parameters: {{url: "{url}", method: {method}}}}}
---
"""


def add_weather(served: Served, web: Web, method: str) -> None:
    """A server that is out of order, and a tool that asks it after a first step."""
    web.answers["/today"] = (503, '{"reason": "under repair"}')
    write_setting(served.vault.root, "allowed_hosts", ["127.0.0.1"], origin="test")
    served.vault.read_settings_again()
    served.note("tools/weather.md", WEATHER.format(url=web.url("/today"), method=method))
    served.vault.registry.refresh()


def approve_if_asked(page: Page, method: str) -> None:
    """What changes something is asked each time it is sent."""
    if method == "POST":
        page.get_by_role("dialog").get_by_role("button", name="Approve", exact=True).click()


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_refused_request_is_sent_again_or_not_as_the_person_says(
    page: Page, served: Served, web: Web, method: str
) -> None:
    add_weather(served, web, method)
    page.goto(f"{served.url}/tools/weather")
    page.get_by_role("button", name="Run", exact=True).click()
    approve_if_asked(page, method)
    failure = page.get_by_role("dialog", name="The request failed")
    expect(failure).to_contain_text("503")
    expect(failure).to_contain_text("under repair")
    failure.get_by_role("button", name="Abort").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.locator(".run[data-status=failed]")).to_be_visible()
    assert len(web.requests) == 1
    page.get_by_role("button", name="Retry").click()
    approve_if_asked(page, method)
    expect(failure).to_be_visible()
    web.answers["/today"] = (200, '{"sky": "blue"}')
    failure.get_by_role("button", name="Retry").click()
    approve_if_asked(page, method)
    expect(page.locator(".run[data-status=succeeded]")).to_be_visible()
    assert [each.method for each in web.requests] == [method] * 3
    assert len(served.vault.history.runs(nested=False)) == 1


def test_an_old_failure_is_shown_without_a_question(page: Page, served: Served, web: Web) -> None:
    add_weather(served, web, "GET")
    failed = served.vault.run("weather", {})
    page.goto(f"{served.url}/runs/{failed.run_id}")
    expect(page.locator(".failure")).to_contain_text("under repair")
    expect(page.get_by_role("dialog")).to_have_count(0)
