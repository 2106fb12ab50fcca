"""Whole journeys in every way of using the pages: by mouse, by thumb, by keyboard alone, in German and Chinese."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect
from tests.waiting import wait_until

from paperagents.agents.model_servers import LOCAL_SERVERS
from paperagents.messages import in_language, text
from paperagents.testing.model_server import ScriptedServer

from ..served import Served  # noqa: TID252  shared by the tests of several interfaces
from .conftest import DESKTOP, PHONE, SECONDS, Watch
from .test_decisions import TOGETHER

MOST_KEYS = 100
WAY_TO = """target => {
  const now = document.activeElement;
  if (target === now) return "there";
  const isBefore = now !== document.body && now.compareDocumentPosition(target) & Node.DOCUMENT_POSITION_PRECEDING;
  return `${now.id === "content" ? "leave " : ""}${isBefore ? "Shift+Tab" : "Tab"}`;
}"""
NOVICE = """---
agent: true
id: novice
name: Novice
description: Nobody has chosen a model for it.
---
Help.
"""


@dataclass(frozen=True, kw_only=True)
class Way:
    """How somebody uses the pages."""

    language: str = "en"
    viewport: dict[str, int]
    by: str = "mouse"

    def open(self, browser: Browser) -> BrowserContext:
        """A browser as this person has set it up."""
        return browser.new_context(
            viewport=self.viewport,  # type: ignore[arg-type]
            locale={"en": "en-GB", "de": "de-DE", "zh": "zh-CN"}[self.language],
            has_touch=self.by == "thumb",
            is_mobile=self.by == "thumb",
        )


WAYS = {
    "laptop": Way(viewport=DESKTOP),
    "phone": Way(viewport=PHONE, by="thumb"),
    "keyboard": Way(viewport=DESKTOP, by="keys"),
    "German": Way(viewport=DESKTOP, language="de"),
    "Chinese": Way(viewport=DESKTOP, language="zh"),
}


@dataclass(frozen=True, kw_only=True)
class Person:
    """Somebody in front of a page, who finds things by what is written on them."""

    page: Page
    way: Way

    def say(self, key: str, **values: str) -> str:
        """A sentence of the pages in the person's language."""
        with in_language(self.way.language):
            return text(key, **values)

    def link(self, key: str) -> Locator:
        """A link by its words, whatever sign stands before them."""
        return self.page.get_by_role("link", name=self.say(key)).first

    def button(self, key: str, inside: Locator | None = None) -> Locator:
        """A button by its words."""
        return (inside or self.page).get_by_role("button", name=self.say(key), exact=True)

    def press(self, target: Locator, key: str = "Enter") -> None:
        """Press it as this person does."""
        expect(target).to_be_enabled()
        match self.way.by:
            case "mouse":
                target.click()
            case "thumb":
                target.tap()
            case _:
                self.walk_to(target)
                self.page.keyboard.press(key)

    def write(self, target: Locator, words: str) -> None:
        """Write into a field in the place of what stands there."""
        if self.way.by == "keys":
            self.walk_to(target)
            self.page.keyboard.press("Control+a")
            self.page.keyboard.insert_text(words)
        else:
            target.fill(words)

    def walk_to(self, target: Locator) -> None:
        """With the Tab key alone; in the editor, where it indents, after Escape."""
        expect(target).to_be_visible()
        for _ in range(MOST_KEYS):
            if (way := target.evaluate(WAY_TO)) == "there":
                return
            if way.startswith("leave "):
                self.page.keyboard.press("Escape")
            self.page.keyboard.press(way.removeprefix("leave "))
        pytest.fail(f"{target} is not reached with the Tab key")


@pytest.fixture(params=WAYS)
def person(request: pytest.FixtureRequest, browser: Browser, served: Served, watch: Watch) -> Iterator[Person]:
    way = WAYS[request.param]
    context = way.open(browser)
    context.set_default_timeout(SECONDS * 1000)
    watch.over(context)
    page = context.new_page()
    page.goto(f"{served.url}/?token={served.access.new_link_token()}")
    yield Person(page=page, way=way)
    context.close()


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedServer]:
    """The one model server of this computer."""
    with ScriptedServer([{"text": "Peas **climb**."}]) as running:
        for name in [*LOCAL_SERVERS]:
            monkeypatch.delitem(LOCAL_SERVERS, name)
        monkeypatch.setitem(LOCAL_SERVERS, "Ollama", running.base_url)
        yield running


@pytest.mark.usefixtures("model")
def test_a_person_gets_from_the_first_tool_to_an_answer_of_an_agent(person: Person, served: Served) -> None:
    make_the_first_tool(person, served)
    decide_place_by_place(person, served)
    take_it_back(person, served)
    repair_a_file(person)
    talk_to_an_agent(person, served)


def make_the_first_tool(person: Person, served: Served) -> None:
    page = person.page
    person.press(person.link("web.new-tool"))
    person.write(page.locator("#file-name"), "tools/greet.md")
    content = page.locator("#content").input_value()
    person.write(page.locator("#content"), content.replace("name: My tool", "name: Greet\nid: greet"))
    person.press(person.button("web.save-and-run"))
    # Its form: nothing was ever filled in.
    field = page.get_by_label("text", exact=True)
    expect(page.locator(".field-error:visible")).to_have_count(1)
    person.write(field, "  peas  ")
    person.press(person.button("web.js.run"))
    expect(page.locator(".run[data-status=succeeded] .result")).to_contain_text("peas")
    assert (served.folder / "tools/greet.md").exists()


def decide_place_by_place(person: Person, served: Served) -> None:
    page, lines = person.page, [f"line {number}\n" for number in range(40)]
    served.note("notes/long.md", "".join(lines))
    served.note("tools/bundle.md", TOGETHER)
    served.vault.registry.refresh()
    served.live.start("bundle", {"text": "".join(["first\n", *lines[1:39], "last\n"])})
    expect(page.locator("#waiting-count")).to_have_text("1")
    person.press(page.locator(".places a[href='/approvals']"))
    person.press(page.locator("[data-hunk]").last, key="Space")
    person.press(person.button("web.js.approve-chosen"))
    expect(page.locator(".question")).to_have_count(0)
    wait_until((served.folder / "out/c.md").exists)
    assert (served.folder / "notes/long.md").read_text() == "".join(["first\n", *lines[1:]])


def take_it_back(person: Person, served: Served) -> None:
    page = person.page
    person.press(page.locator("#notice a"))
    person.press(person.button("web.undo"))
    dialog = page.get_by_role("dialog")
    expect(dialog.locator(".changed-file")).to_have_count(3)
    person.press(person.button("web.approve", dialog))
    expect(page.locator(".run-changes .tag", has_text=person.say("web.undone")).first).to_be_visible()
    assert (served.folder / "notes/long.md").read_text().startswith("line 0\n")
    assert not (served.folder / "out/c.md").exists()


def repair_a_file(person: Person) -> None:
    page = person.page
    person.press(page.locator(".places a[href='/']"))
    person.press(page.locator(".problem-line > summary"))
    broken = page.locator(".problem-line a[href*='broken.md&']")
    person.press(broken.first)
    problems = page.locator("#problems li")
    expect(problems).to_have_count(2)
    content = page.locator("#content")
    person.write(content, content.input_value().replace("serch_files", "search_files").replace("strin,", "string,"))
    expect(problems).to_have_count(0)
    person.press(person.button("web.save"))
    expect(page.locator("#notice")).to_have_text(person.say("web.js.saved"))
    person.press(page.locator(".places a[href='/']"))
    expect(page.locator(".problem-line")).to_have_count(1)
    expect(broken).to_have_count(0)


def talk_to_an_agent(person: Person, served: Served) -> None:
    page = person.page
    served.note("agents/novice.md", NOVICE)
    served.vault.registry.refresh()
    person.press(page.locator(".places a[href='/agents']"))
    person.press(page.get_by_role("main").get_by_role("link", name=re.compile("Novice")).first)
    person.write(page.locator("#message"), "What do peas do?")
    person.press(person.button("web.send"))
    # The turn pushes what is below it down.
    expect(page.locator(".turn.person")).to_have_text(re.compile("What do peas do?"))
    person.press(page.locator("#run-slot").get_by_role("link", name=person.say("web.agent.choose-model")))
    person.press(page.get_by_role("dialog").get_by_role("button", name="scripted"))
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.locator(".turn.person")).to_have_count(1)
    person.press(person.button("web.agent.again"))
    expect(page.locator("#conversation .turn.agent strong")).to_have_text("climb")
