"""A conversation with an agent: it speaks, calls tools, asks, and goes on."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Page, expect

from ..served import Served  # noqa: TID252  shared by the tests of several interfaces


@pytest.mark.parametrize("look", ["desktop-light", "phone-dark"])
def test_an_agent_speaks_asks_and_writes(page: Page, served: Served, look: str) -> None:
    assert look
    page.get_by_role("link", name="Agents", exact=True).first.click()
    page.get_by_role("link", name="Helper").first.click()
    page.wait_for_url("**/agents/helper")
    expect(page.locator("html[data-connection=open]")).to_be_attached()
    page.get_by_label("Your message").fill("What about peas?")
    page.keyboard.press("Enter")
    question = page.get_by_role("dialog")
    expect(question.locator("figcaption")).to_contain_text("summary.md")
    expect(page.locator(".turn.person")).to_contain_text("What about peas?")
    expect(page.locator("#conversation .turn.agent").first).to_contain_text("I will look first.")
    expect(page.locator(".turn.agent .said-by").first).to_have_text("Helper")
    expect(page.locator(".run[data-status=waiting]")).to_be_attached()
    page.keyboard.press("Escape")
    page.get_by_label("Your message").fill("Meanwhile?")
    page.keyboard.press("Enter")
    expect(page.get_by_text("The agent waits for your decision.")).to_be_visible()
    expect(page.locator(".turn.person")).to_have_count(1)
    page.reload()
    page.get_by_role("dialog").get_by_role("button", name="Approve", exact=True).click()
    expect(page.locator("#conversation .turn.agent strong")).to_have_text("summary")
    assert (served.folder / "summary.md").read_text() == "They climb.\n"
    expect(page.locator("#conversation details.tools summary").first).to_have_text("search_files: done")
    # The panel is drawn anew when the run ends, and a click in that moment would be lost.
    expect(page.locator(".run[data-status=succeeded]")).to_be_attached()
    calls = page.locator(".timeline .row .row .row-name")
    expect(calls).to_have_text(["search_files", "write_file"])
    expect(calls.first).to_be_visible()
    page.get_by_label("Your message").fill("And?")
    page.get_by_role("button", name="Send").click()
    expect(page.locator("#conversation .turn.agent").last).to_contain_text("And again.")
    expect(page.locator(".turn.person")).to_have_count(2)


def test_what_goes_wrong_with_a_model_is_told(page: Page, served: Served) -> None:
    served.note(
        "agents/mute.md", "---\nagent: true\nname: Mute\ndescription: No model.\nmodel: scripted:none.json\n---\nx\n"
    )
    page.goto(f"{served.url}/agents/mute")
    page.get_by_label("Your message").fill("Hello?")
    page.keyboard.press("Enter")
    expect(page.locator("#calls .failure-message")).to_be_visible()


LONG = json.dumps([f"Answer {number}.\n\n" + "It climbs.\n\n" * 40 + f"End {number}." for number in range(3)])


def test_the_end_of_a_conversation_is_in_sight_unless_somebody_reads_further_up(page: Page, served: Served) -> None:
    served.note("agents/talker.md", TALKER)
    served.note("data/talker.json", LONG)
    page.goto(f"{served.url}/agents/talker")
    said = page.locator("#conversation")
    for number in range(2):
        page.get_by_label("Your message").fill("Go on")
        page.keyboard.press("Enter")
        expect(said.get_by_text(f"End {number}.", exact=True)).to_be_in_viewport()
        expect(page.get_by_role("button", name="Send")).to_be_enabled()
    page.reload()
    expect(said.get_by_text("End 1.", exact=True)).to_be_in_viewport()
    page.get_by_label("Your message").fill("And?")
    page.evaluate("scrollTo(0, 0)")
    expect(said.get_by_text("Answer 0.", exact=True)).to_be_in_viewport()
    page.get_by_label("Your message").press("Enter")
    expect(said.get_by_text("End 2.", exact=True)).to_be_in_viewport()


TALKER = """---
agent: true
id: talker
name: Talker
description: Talks and talks.
model: scripted:data/talker.json
---
Talk.
"""
SLOW_AGENT = """---
agent: true
id: sloth
name: Sloth
description: Takes its time.
model: scripted:data/sloth.json
tools: [slow]
---
Help.
"""


def test_an_agent_is_stopped_while_it_works_and_found_by_what_was_said(page: Page, served: Served) -> None:
    served.note("agents/sloth.md", SLOW_AGENT)
    served.note("data/sloth.json", '[{"text": "Soon.", "calls": [{"tool": "slow", "arguments": {}}]}, "Done."]')
    page.goto(f"{served.url}/agents/sloth")
    page.get_by_label("Your message").fill("Please hurry 😀\nat once")
    page.get_by_role("button", name="Send").click()
    expect(page.locator("#conversation .turn.agent").first).to_contain_text("Soon.")
    page.get_by_role("button", name="Stop").click()
    expect(page.locator(".run[data-status=cancelled]")).to_be_attached()
    expect(page.get_by_role("button", name="Stop")).to_be_hidden()
    expect(page.get_by_role("button", name="Send")).to_be_enabled()
    page.get_by_role("link", name="New conversation").click()
    page.get_by_role("link", name="Please hurry 😀").click()
    expect(page.locator(".turn.person")).to_contain_text("at once")


NOVICE = """---
agent: true
id: novice
name: Novice
description: Nobody has chosen a model for it.
tools: [search_files, read_file]
starters: [What grows here?, Who are you?, And then?, A fourth one]
---
Help.
"""


@pytest.mark.parametrize("look", ["desktop-light", "phone-dark"])
def test_the_first_message_is_kept_where_there_is_no_model_yet(page: Page, served: Served, look: str) -> None:
    assert look
    served.note("agents/novice.md", NOVICE)
    page.goto(f"{served.url}/agents/novice")
    page.get_by_label("Your message").fill("What grows here, and why?")
    page.keyboard.press("Enter")
    expect(page.locator(".turn.person")).to_contain_text("What grows here, and why?")
    expect(page.locator("#run-slot").get_by_role("link", name="Choose a model")).to_have_attribute(
        "href", "/settings#model"
    )
    expect(page.get_by_text("keyring set")).to_have_count(0)
    page.reload()
    expect(page.locator(".turn.person")).to_contain_text("What grows here, and why?")
    # Asked again it is still one question.
    served.note("agents/novice.md", NOVICE.replace("tools:", "model: scripted:data/novice.json\ntools:"))
    served.note("data/novice.json", '["Peas grow here."]')
    page.get_by_role("button", name="Ask again").click()
    expect(page.locator("#conversation .turn.agent")).to_contain_text("Peas grow here.")
    expect(page.locator(".turn.person")).to_have_count(1)


def test_a_message_that_never_reached_the_agent_is_in_the_field_again(page: Page, served: Served) -> None:
    served.note("agents/novice.md", NOVICE)
    page.goto(f"{served.url}/agents/novice")
    served.note("agents/novice.md", "---\nagent: true\nid: other\nname: Other\n---\nx\n")
    page.get_by_label("Your message").fill("Are you still there?")
    page.keyboard.press("Enter")
    expect(page.get_by_text("novice").last).to_be_visible()
    expect(page.get_by_label("Your message")).to_have_value("Are you still there?")


def test_an_agent_says_what_it_works_with_and_how_to_begin(page: Page, served: Served) -> None:
    served.note("agents/novice.md", NOVICE.replace("tools:", "model: scripted:data/novice.json\ntools:"))
    served.note("data/novice.json", '["I am new here."]')
    page.goto(f"{served.url}/agents/novice")
    about = page.locator("#about-agent")
    expect(about.locator("code")).to_have_text("scripted:data/novice.json")
    expect(about.get_by_role("link", name="search_files")).to_have_attribute("href", "/tools/search_files")
    expect(page.locator("#starters button")).to_have_text(["What grows here?", "Who are you?", "And then?"])
    page.get_by_role("button", name="Who are you?").click()
    expect(page.locator("#conversation .turn.agent")).to_contain_text("I am new here.")
    expect(page.locator("#starters")).to_have_count(0)
    below = page.locator("#ask").bounding_box()
    assert below is not None
    assert below["y"] + below["height"] > 700, "the field is at the bottom, however little was said"


def test_a_question_is_asked_again_or_anew_in_a_conversation_of_its_own(page: Page, served: Served) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    served.note("agents/talker.md", TALKER)
    served.note("data/talker.json", '["First answer.", "Second answer.", "Third *answer*."]')
    page.goto(f"{served.url}/agents/talker")
    page.get_by_label("Your message").fill("One")
    page.keyboard.press("Enter")
    expect(page.locator("#conversation .turn.agent")).to_contain_text("First answer.")
    page.get_by_role("button", name="Ask again").click()
    expect(page.locator("#conversation .turn.agent")).to_contain_text("Second answer.")
    expect(page.locator("#conversation .turn")).to_have_count(2)
    page.get_by_role("button", name="Edit and ask anew").click()
    expect(page.get_by_label("Your message")).to_have_value("One")
    page.get_by_label("Your message").fill("Another one")
    page.keyboard.press("Enter")
    expect(page.locator("#conversation .turn.agent")).to_contain_text("Third answer.")
    expect(page.locator(".turn.person")).to_have_text(["You\nAnother one"], use_inner_text=True)
    page.locator(".turn.agent + .turn-actions").get_by_role("button", name="Copy").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == "Third *answer*."
    page.reload()
    expect(page.locator("#conversations li")).to_have_count(3)
