"""Everybody can use every page: axe finds nothing, targets are big enough, nothing jumps."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import BrowserContext, Page, expect

from paperagents.agents.model_servers import LOCAL_SERVERS
from paperagents.approval.question import Approved
from paperagents.approval.rules import Rule

from ..served import Served  # noqa: TID252  shared by the tests of several interfaces
from .conftest import Watch

SHIFT = """() => new Promise((resolve) => {
  let sum = 0;
  new PerformanceObserver((list) => { for (const each of list.getEntries()) sum += each.value; })
    .observe({ type: "layout-shift", buffered: true });
  requestAnimationFrame(() => requestAnimationFrame(() => resolve(sum)));
})"""
SMALL = """() => [...document.querySelectorAll("a, button, input, select, textarea, summary")].filter((each) => {
  const box = each.getBoundingClientRect();
  const isSeen = box.width > 0 && each.checkVisibility({ visibilityProperty: true });
  const hidden = !isSeen || each.closest(".unseen, .skip");
  const inText = getComputedStyle(each).display === "inline";
  const labelled = each.matches("input[type=checkbox], input[type=radio]") && each.closest("label");
  const folds = each.matches(".tree summary, .group > summary, .card > summary");
  return !hidden && !inText && !labelled && !folds && (box.height < 43.5 || box.width < 43.5);
}).map((each) => each.outerHTML.slice(0, 120))"""


def pages_of(served: Served) -> Iterator[str]:
    """The address of every kind of page, with something on it."""
    vault = served.vault
    done = vault.run("keep", {"title": "x"}, approver=lambda _: Approved())
    failed = vault.run("boom", {})
    people = vault.run("people", {})
    report = vault.run("report", {})
    waiting = vault.run("keep", {"title": "waits"})
    vault.rules.allow(Rule(tool="write_file", path="kept/one.md"))
    asked = vault.run("helper", {"query": "peas?", "conversation": "talk"})
    yield from ("/", "/?q=nothing-like-this", "/tools/everything", "/tools/keep", "/tools/broken-one", "/tools/nowhere")
    yield from (f"/runs/{run.run_id}" for run in (done, failed, people, report, waiting))
    yield from ("/runs", f"/runs/compare?run={done.run_id}&run={failed.run_id}", f"/runs/{done.run_id}/row?path=1")
    yield from ("/approvals", "/edit?file=tools/broken.md", "/new/tool", "/settings", "/stats", "/agents")
    vault.entries.put("task", "sow", {"heading": "Sow", "content": "peas", "notes": "soon"})
    vault.entries.put("task", "sow", {"content": "beans"})
    yield from ("/entries/memory", "/entries/task", "/entries/task/sow")
    served.note(".paper/settings.toml", 'allowed_hosts = ["example.com"]\n')
    vault.read_settings_again()
    scheduled = (
        "---\ntool: true\nname: Morning\ndescription: Early.\nschedule: '0 7 * * *'\ncustom_function: return 1\n---\n"
    )
    served.note("tools/morning.md", scheduled)
    served.note(
        "notes/tasks.md", "---\ntags: [garden]\n---\n# Tasks\n\n- [ ] sow [[peas]]\n- [x] dig\n\n|a|b|\n|-|-:|\n|1|2|\n"
    )
    yield from ("/trust", "/runs", "/schedules", "/notes", "/notes/notes/tasks.md", "/notes/nowhere.md")
    vault.run(
        "write_file", {"filePath": "notes/tasks.md", "content": "More\n", "append": True}, approver=lambda _: Approved()
    )
    undo = vault.run("undo", {"run": done.run_id})
    assert undo.status == "waiting"
    yield from ("/notes/notes/tasks.md?blame=true", f"/runs/{undo.run_id}", "/approvals")
    yield f"/agents/helper?conversation=talk&run={asked.run_id}"


@pytest.mark.parametrize("look", ["desktop-light", "phone-light"])
def test_axe_finds_nothing_on_any_page(context: BrowserContext, served: Served, watch: Watch, look: str) -> None:
    # A page that is not there is one of them.
    watch.may_fail = True
    page = signed_in(context, served)
    found: dict[str, list[str]] = {}
    for path in pages_of(served):
        page.goto(f"{served.url}{path}")
        settled(page)
        problems = axe_problems(page)
        page.emulate_media(color_scheme="dark")
        # Nothing but the colours is different in the dark.
        problems += [f"dark: {each}" for each in axe_problems(page, {"runOnly": ["color-contrast"]})]
        page.emulate_media(color_scheme="light")
        if look.startswith("phone"):
            problems += [f"small: {each}" for each in page.evaluate(SMALL)]
        if problems:
            found[path] = problems
    assert not found, "\n".join(f"{path} {each}" for path, all_of in found.items() for each in all_of)


@pytest.mark.parametrize("look", ["desktop-light", "phone-light"])
def test_axe_finds_nothing_where_somebody_pairs_a_phone_or_chooses_a_model(
    context: BrowserContext, served: Served, monkeypatch: pytest.MonkeyPatch, look: str
) -> None:
    for name in [*LOCAL_SERVERS]:
        monkeypatch.setitem(LOCAL_SERVERS, name, "http://127.0.0.1:1/v1")
    served.new_token("call", "answer")
    page = signed_in(context, served)
    page.goto(f"{served.url}/settings")
    settled(page)
    page.get_by_role("button", name="Pair a phone").click()
    expect(page.locator(".pairing-code")).to_be_visible()
    found = axe_problems(page)
    page.get_by_role("button", name="Choose a model").click()
    expect(page.locator(".plain-list")).to_be_visible()
    found += axe_problems(page)
    found += page.evaluate(SMALL) if look.startswith("phone") else []
    assert found == []


def test_no_page_jumps_while_it_loads(context: BrowserContext, served: Served) -> None:
    page = signed_in(context, served)
    for path in ("/", "/tools/everything", "/tools/keep", "/runs", "/settings", "/edit?file=tools/keep.md"):
        page.goto(f"{served.url}{path}")
        settled(page)
        assert page.evaluate(SHIFT) < 0.02, path


def signed_in(context: BrowserContext, served: Served) -> Page:
    page = context.new_page()
    page.goto(f"{served.url}/?token={served.access.new_link_token()}")
    return page


def settled(page: Page) -> None:
    """Until the scripts of the page have done their part."""
    expect(page.locator("html[data-connection=open]")).to_be_attached()
    for slot, filled in (("#tool-form", "#tool-form .form-end"), (".editor", "#preview > *")):
        if page.locator(slot).count():
            expect(page.locator(filled).first).to_be_attached()


def axe_problems(page: Page, options: dict[str, list[str]] | None = None) -> list[str]:
    results = Axe().run(page, options={"resultTypes": ["violations"], **(options or {})})
    return [
        f"{each['id']}: {node['target']} {node['html'][:200]}"
        for each in results.response["violations"]
        for node in each["nodes"][:3]
    ]
