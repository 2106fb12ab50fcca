"""An agent reorganises forty notes in a browser: the person decides file by file, and takes two back."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect
from tests import forty_notes
from tests.forty_notes import BY_HUNK, EDITED, REFUSED, WHOLE
from tests.waiting import wait_until

from paperagents.testing import ScriptedServer

from ..served import Served  # noqa: TID252  shared by the tests of several interfaces


@pytest.fixture
def model(served: Served, monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedServer]:
    """The forty notes, the agent, and the server that plays its model."""
    forty_notes.write_notes(served.folder)
    served.note("agents/tidy.md", forty_notes.AGENT.format(more="approval: together"))
    with ScriptedServer(forty_notes.SCRIPT) as server:
        monkeypatch.setenv("PAPER_LLM_BASE_URL", server.base_url)
        monkeypatch.setenv("PAPER_LLM_API_KEY", "sk-very-secret-key")
        served.vault.read_settings_again()
        yield server


def file_of(question: Locator, path: str) -> Locator:
    return question.locator(f'.changed-file[data-path="{path}"]')


def test_a_person_in_a_browser_decides_on_forty_notes_and_takes_two_back(
    page: Page, served: Served, model: ScriptedServer
) -> None:
    page.goto(f"{served.url}/agents/tidy")
    page.get_by_label("Your message").fill("go")
    page.keyboard.press("Enter")
    question = page.get_by_role("dialog").locator(".question")
    expect(question.locator(".change-sums")).to_have_text("40 files, +80 −80")
    for path in BY_HUNK:
        file_of(question, path).locator("[data-hunk='1']").uncheck()
    question.get_by_role("button", name=f"Edit the new text of {EDITED}").click()
    area = question.get_by_role("textbox", name=f"The new text of {EDITED}")
    expect(area).to_have_value(forty_notes.NEW)
    area.fill(forty_notes.MINE)
    for path in REFUSED:
        file_of(question, path).locator("[data-file]").uncheck()
    assert {*forty_notes.texts(served.folder).values()} == {forty_notes.OLD}
    question.get_by_role("button", name="Approve with these changes").click()
    expect(page.locator("#conversation .turn.agent").last).to_contain_text(forty_notes.ANSWER)
    assert forty_notes.texts(served.folder) == forty_notes.decided()
    assert all(path in str(model.requests[-1]) for path in REFUSED)

    (run,) = [each for each in served.vault.history.runs() if "tidy" in str(each["tool"])]
    forty_notes.go_on_writing(served.folder)
    page.goto(f"{served.url}/runs/{run['run_id']}")
    changes = page.locator(".run-changes")
    expect(changes.locator("li")).to_have_count(34)
    changes.get_by_role("button", name="Undo").click()
    question = page.get_by_role("dialog").locator(".question")
    expect(question.locator(".changed-file")).to_have_count(34)
    for path in [*WHOLE[1:], *BY_HUNK]:
        file_of(question, path).locator("[data-file]").uncheck()
    question.get_by_role("button", name="Approve the chosen").click()
    expect(changes.locator(".tag", has_text="undone")).to_have_count(2)
    wait_until(lambda: forty_notes.texts(served.folder) == forty_notes.undone())
