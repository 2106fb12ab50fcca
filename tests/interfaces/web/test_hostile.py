"""Texts of strangers everywhere a page shows text: nothing of them is ever done, with the policy and without it."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.waiting import wait_until

from ..served import Served, serving  # noqa: TID252  shared by the tests of several interfaces

MARK = "window.hurt=(window.hurt||0)+1"
CORPUS = (
    f"<script>{MARK}</script>",
    f"<img src=x onerror='{MARK}'>",
    f"<svg onload={MARK}>",
    f'"><script>{MARK}</script>',
    f"' autofocus onfocus='{MARK}' x='",
    f"</script><script>{MARK}</script>",
    f"</textarea><script>{MARK}</script>",
    f"</title><script>{MARK}</script>",
    f"<!--<script>{MARK}</script>-->",
    f"[x](javascript:{MARK})",
    f"[x](java\tscript:{MARK})",
    f"<javascript:{MARK}>",
    "![x](https://evil.example/x.png)",
    f"{{{{constructor.constructor('{MARK}')()}}}}",
    f"${{{MARK}}}",
    f"<iframe srcdoc='<script>parent.{MARK}</script>'>",
    f"<a href='javascript:{MARK}'>x</a>",
    "<style>@import 'https://evil.example/x.css';</style>",
    f"<details open ontoggle={MARK}>",
    "\u202egnp.exe\u2066",
    "<meta http-equiv=refresh content='0;url=https://evil.example'>",
    f"\\u003cscript\\u003e{MARK}\\u003c/script\\u003e",
    f"<math><mtext></form><form><mglyph><style></math><img src onerror={MARK}>",
)
EVERYTHING = "\n".join(CORPUS)
UNWANTED = "script:not([type='application/json']), iframe, img, style, [onload], [onerror], [ontoggle], [onfocus]"
NOTE = "\"><img src=x onerror=hurt=1>'.note.md"


def hostile_vault(folder: Path) -> None:
    """A vault in which every name, description, output, note and answer is an attack."""
    (folder / ".paper").mkdir(parents=True)
    for number, attack in enumerate(CORPUS):
        quoted = json.dumps(attack)
        front = {"tool": True, "id": f"t{number}", "name": attack, "description": attack, "category": attack}
        _write(folder / f"t{number}.md", front, f"custom_function: |\n  console.log({quoted});\n  return {quoted};\n")
    parameters = [{"name": "value", "type": "string", "description": EVERYTHING, "default": EVERYTHING,
                   "title": CORPUS[1]}, {"name": "choice", "enum": list(CORPUS), "type": "string",
                   "description": "x", "required": False}]  # fmt: skip
    _write(folder / "form.md", {"tool": True, "id": "form", "name": "form", "description": "x",
           "parameters": parameters, "examples": [{"name": CORPUS[0], "input": {"value": "x"}, "output": 1}]},
           "custom_function: |\n  return [{ [input.value]: input.value }, input];\n")  # fmt: skip
    _write(folder / "fail.md", {"tool": True, "id": "fail", "name": "fail", "description": "x"},
           f"custom_function: |\n  if (input) throw new Error({json.dumps(EVERYTHING)});\n  return 1;\n")  # fmt: skip
    step = {"name": "write", "tool": "write_file", "parameters": {
            "filePath": "<img src=x onerror=hurt=1>.md", "content": "{{text}}", "overwrite": True}}  # fmt: skip
    text = {"name": "text", "type": "string", "description": "x", "default": EVERYTHING}
    _write(folder / "ask.md", {"tool": True, "id": "ask", "name": "ask", "description": "x", "parameters": [text],
           "steps": [step]}, "")  # fmt: skip
    script = json.dumps([{"text": f"# x\n\n{EVERYTHING}"}])
    (folder / "script.json").write_text(script, encoding="utf-8")
    _write(folder / "agent.md", {"agent": True, "id": "agent", "name": CORPUS[0], "description": CORPUS[1],
           "model": "scripted:script.json"}, "", "Help.")  # fmt: skip
    lines = [f"line {number}" for number in range(40)]
    (folder / NOTE).write_text("\n".join(lines) + "\n", encoding="utf-8")
    # As values: in the text of a chain it would be a template.
    changed = "\n".join([EVERYTHING, *lines[1:39], EVERYTHING])
    embedding = f"{EVERYTHING}\n\n![[{NOTE}]]\n"
    given = [{"name": "changed", "type": "string", "description": "x", "default": changed},
             {"name": "embedding", "type": "string", "description": "x", "default": embedding}]  # fmt: skip
    steps = [{"name": "change", "tool": "write_file", "parameters": {
              "filePath": NOTE, "content": "{{changed}}", "overwrite": True}},
             {"name": "other", "tool": "write_file", "parameters": {
              "filePath": "<svg onload=hurt=1>.md", "content": "{{embedding}}"}}]  # fmt: skip
    _write(folder / "many.md", {"tool": True, "id": "many", "name": "many", "description": "x", "approval": "together",
           "parameters": given, "steps": steps}, "")  # fmt: skip
    listed = {"name": "all", "type": "array", "items": {"type": "string"}, "description": "x", "default": list(CORPUS)}
    rounds = {"name": CORPUS[0], "tool": "form", "for_each": "{{all}}", "parameters": {"value": "{{item}}"}}
    _write(folder / "rounds.md", {"tool": True, "id": "rounds", "name": CORPUS[1], "description": "x",
           "parameters": [listed], "steps": [rounds]}, "")  # fmt: skip
    broken = folder / "<img src=x onerror=hurt=1>.md"
    broken.write_text(f"---\ntool: true\nname: [\n---\n{EVERYTHING}", encoding="utf-8")


def _write(file: Path, front: dict[str, object], more: str, body: str = EVERYTHING) -> None:
    lines = "".join(f"{name}: {json.dumps(value)}\n" for name, value in front.items())
    file.write_text(f"---\n{lines}{more}---\n\n{body}\n", encoding="utf-8")


def visit(page: Page, served: Served) -> None:
    """Every page that shows something of it."""
    vault = served.vault
    runs = [vault.run(tool, {}) for tool in ("t0", "t1", "t9", "t12", "form", "fail", "ask")]
    assert [run.status for run in runs] == ["succeeded"] * 5 + ["failed", "waiting"]
    page.goto(f"{served.url}/?token={served.access.new_link_token()}")
    paths = ["/", "/runs", "/approvals", "/stats", "/agents", "/agents/agent", "/tools/form", "/tools/t3", "/tools/ask"]
    paths += [f"/runs/{run.run_id}" for run in runs]
    paths += [
        f"/runs/compare?run={runs[0].run_id}&run={runs[4].run_id}",
        "/edit?file=%3Cimg%20src=x%20onerror=hurt=1%3E.md",
    ]
    paths += ["/edit?file=form.md", "/?q=%3Cscript%3Ehurt=1%3C/script%3E", "/tools/%3Cscript%3Ehurt=1%3C/script%3E"]
    for path in paths:
        page.goto(f"{served.url}{path}")
        expect(page.locator("html[data-connection=open]")).to_be_attached()
        require_unhurt(page, path)


@pytest.mark.parametrize("without_policy", [False, True], ids=["with the policy", "without it"])
def test_nothing_of_the_corpus_is_done(browser: Browser, tmp_path: Path, *, without_policy: bool) -> None:
    hostile_vault(tmp_path / "hostile")
    asked: list[str] = []
    refused: list[str] = []
    with serving(tmp_path / "hostile") as served:
        context = browser.new_context(bypass_csp=without_policy, locale="en-GB")
        context.on("request", lambda request: asked.append(request.url))
        context.on(
            "console", lambda message: refused.append(message.text) if "Content Security" in message.text else None
        )
        context.on("weberror", lambda error: refused.append(str(error.error)))
        page = context.new_page()
        visit(page, served)
        decide_and_look(page, served)
        search_the_palette(page, served)
        converse(page, served)
        run_the_form(page, served)
        context.close()
        assert [url for url in asked if not url.startswith((served.url, "data:"))] == []
        # Even the policy had nothing to do: what reached the page was text.
        assert refused == []


def decide_and_look(page: Page, served: Served) -> None:
    """Hunks of a question, rows of a run, its changes, the note they are in, and whose its lines are."""
    run = served.vault.run("many", {})
    assert run.status == "waiting"
    page.goto(f"{served.url}/approvals")
    group = page.locator(".question", has=page.locator("[data-hunk]"))
    expect(group.locator("[data-hunk]")).to_have_count(2)
    group.get_by_role("button", name="Approve", exact=True).click()
    wait_until((served.folder / "<svg onload=hurt=1>.md").exists)
    rounds = served.vault.run("rounds", {})
    for path in (f"/runs/{run.run_id}", f"/runs/{rounds.run_id}"):
        page.goto(f"{served.url}{path}")
        for summary in page.locator(".run-changes summary, .timeline > .row > details > summary").all():
            summary.click()
        expect(page.locator(".run-changes .diff-line, .rows .rows > .row").first).to_be_visible()
        require_unhurt(page, path)
    page.locator(".rows .rows > .row > details > summary").first.click()
    expect(page.locator(".rows .rows .tree").first).to_be_visible()
    require_unhurt(page, "an opened round")
    for note in (NOTE, "<svg onload=hurt=1>.md"):
        for query in ("", "?blame=true"):
            page.goto(f"{served.url}/notes/{quote(note)}{query}")
            expect(page.locator(".note")).to_contain_text("script")
            require_unhurt(page, f"{note}{query}")
    for path in ("/notes", "/runs", "/trust", "/entries", "/"):
        page.goto(f"{served.url}{path}")
        require_unhurt(page, path)


def search_the_palette(page: Page, served: Served) -> None:
    page.goto(served.url)
    for words in ("script", "onerror", "<img", "note"):
        page.keyboard.press("Control+k")
        page.keyboard.insert_text(words)
        expect(page.get_by_role("option").first).to_be_visible()
        require_unhurt(page, words)
        page.keyboard.press("Escape")


def require_unhurt(page: Page, where: str) -> None:
    assert page.evaluate("window.hurt") is None, where
    assert page.locator(f":is(main, dialog) :is({UNWANTED})").count() == 0, where
    links = page.eval_on_selector_all("a", "all => all.map((each) => each.protocol)")
    assert set(links) <= {"http:", "https:", "mailto:"}, where


def converse(page: Page, served: Served) -> None:
    page.goto(f"{served.url}/agents/agent")
    page.get_by_label("Your message").fill(CORPUS[0])
    page.keyboard.press("Enter")
    expect(page.locator("#conversation .turn.agent")).to_be_visible()
    assert page.evaluate("window.hurt") is None
    assert page.locator("#conversation :is(script, img, iframe, style, svg, details[ontoggle])").count() == 0


def run_the_form(page: Page, served: Served) -> None:
    page.goto(f"{served.url}/tools/form")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.locator(".run[data-status=succeeded]")).to_be_visible()
    page.goto(f"{served.url}/edit?file=form.md")
    page.locator("#content").fill(EVERYTHING)
    page.locator("#content").fill(
        "---\ntool: true\nname: " + json.dumps(EVERYTHING) + "\nsteps: [{tool: '<img src=y onerror=hurt=1>'}]\n---\n"
    )
    expect(page.locator("#problems li.error").first).to_be_visible()
    assert page.evaluate("window.hurt") is None


def test_what_changes_the_direction_of_writing_is_shown_in_a_question(tmp_path: Path) -> None:
    hostile_vault(tmp_path / "hostile")
    with serving(tmp_path / "hostile") as served:
        run = served.vault.run("ask", {})
        with served.client() as client:
            shown = client.get(f"/runs/{run.run_id}").text
    assert "\u202e" not in shown
    assert "\\u202egnp.exe" in shown
