"""History, comparing, settings, figures, languages."""

from __future__ import annotations

from playwright.sync_api import BrowserContext, Page, Route, expect

from paperagents.approval.question import Approved

from ..served import POST_OFFICE, Served  # noqa: TID252  shared by the tests of several interfaces


def test_runs_are_filtered_shown_compared_and_done_again(page: Page, served: Served) -> None:
    served.vault.run("shout", {"words": "hello"})
    served.vault.run("shout", {"words": "goodbye"})
    served.vault.run("boom", {})
    page.get_by_role("link", name="History", exact=True).first.click()
    expect(page.locator("table.runs tbody tr")).to_have_count(3)
    page.get_by_label("Status").select_option("failed")
    page.get_by_role("button", name="Filter").click()
    expect(page.locator("table.runs tbody tr")).to_have_count(1)
    page.goto(f"{served.url}/runs?tool=shout")
    rows = page.locator("table.runs tbody tr")
    expect(rows.first.locator(".what")).to_contain_text("Shout goodbye")
    expect(page.get_by_role("button", name="Compare")).to_be_hidden()
    page.get_by_role("checkbox").first.check()
    expect(page.get_by_role("button", name="Compare")).to_be_disabled()
    expect(page.get_by_text("1 chosen")).to_be_visible()
    page.get_by_role("checkbox").last.check()
    page.get_by_role("button", name="Compare").click()
    expect(page.locator(".diff-line.removed").first).to_contain_text("goodbye")
    expect(page.locator(".diff-line.added").first).to_contain_text("hello")
    page.get_by_role("link", name="Run again with changes").first.click()
    expect(page.get_by_label("words")).to_have_value("goodbye")


def test_the_language_is_chosen_with_one_click_and_stays(page: Page, served: Served) -> None:
    page.goto(f"{served.url}/settings")
    page.get_by_role("link", name="DE", exact=True).first.click()
    expect(page.locator("html")).to_have_attribute("lang", "de")
    page.goto(f"{served.url}/tools/shout")
    expect(page.get_by_role("button", name="Ausführen")).to_be_visible()
    page.get_by_role("button", name="Ausführen").click()
    expect(page.get_by_text("Parameter 'words' ist Pflichtfeld")).to_be_visible()
    page.get_by_label("words").fill("laut")
    page.get_by_role("button", name="Ausführen").click()
    expect(page.locator(".status-word", has_text="Gelungen")).to_be_visible()
    shown = page.url
    page.goto(f"{served.url}/settings")
    page.get_by_role("link", name="中文").first.click()
    expect(page.locator("html")).to_have_attribute("lang", "zh-CN")
    page.goto(shown)
    expect(page.get_by_text("成功").first).to_be_visible()


def test_light_or_dark_is_chosen_and_stays(page: Page, served: Served) -> None:
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.goto(f"{served.url}/settings")
    page.get_by_role("link", name="Dark").first.click()
    page.goto(f"{served.url}/runs")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != light


def test_settings_are_saved_checked_and_in_force(page: Page, served: Served) -> None:
    page.get_by_role("link", name="Settings", exact=True).first.click()
    timeout = page.get_by_label("Seconds for a block of JavaScript")
    timeout.fill("never")
    timeout.press("Enter")
    expect(page.locator(".field-error:visible")).to_have_count(1)
    timeout.fill("2.5")
    timeout.press("Enter")
    expect(page.locator("#notice")).to_have_text("Saved.")
    assert served.vault.settings.get("sandbox.timeout") == 2.5
    hosts = page.get_by_label("Allowed private hosts")
    hosts.fill("127.0.0.1, nas.local:8080")
    with page.expect_response(lambda response: response.request.method == "PUT" or "settings" in response.url):
        hosts.press("Enter")
    expect(page.locator(".field-error:visible")).to_have_count(0)
    page.reload()
    expect(page.get_by_label("Allowed private hosts")).to_have_value("127.0.0.1, nas.local:8080")


def test_the_key_goes_in_and_never_comes_out(page: Page, context: BrowserContext, served: Served) -> None:
    bodies: list[str] = []
    context.on("response", lambda response: bodies.append(_text(response)))
    page.goto(f"{served.url}/settings")
    key = page.get_by_label("Key")
    key.fill("sk-very-secret-key")
    key.press("Enter")
    expect(page.locator("#notice")).to_have_text("Saved.")
    page.reload()
    expect(page.get_by_label("Key")).to_have_value("")
    expect(page.get_by_placeholder("A key is set")).to_be_visible()
    assert served.vault.settings.get("llm.api_key") == "sk-very-secret-key"
    assert not any("very-secret" in body for body in bodies)
    assert not any(b"very-secret" in file.read_bytes() for file in served.folder.rglob("*") if file.is_file())


def test_a_secret_of_a_tool_is_set_where_it_is_missed_and_never_shown(
    page: Page, context: BrowserContext, served: Served
) -> None:
    served.note("post.tool.js", POST_OFFICE)
    served.vault.registry.refresh()
    bodies: list[str] = []
    context.on("response", lambda response: bodies.append(_text(response)))
    tool = served.vault.registry.tool("post office").id
    page.goto(f"{served.url}/tools/{tool}")
    page.get_by_role("button", name="Run", exact=True).click()
    page.locator(".failure").get_by_role("link", name="Settings and secrets").click()
    key = page.get_by_label("KEY")
    key.fill("abc")
    key.press("Enter")
    expect(page.locator(".field-error:visible")).to_have_count(1)
    key.fill("sesame-4711")
    key.press("Enter")
    expect(page.locator("#notice")).to_have_text("Saved.")
    expect(key).to_have_value("")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.locator(".run[data-status=succeeded]")).to_be_visible()
    page.reload()
    page.get_by_text("Settings and secrets", exact=True).click()
    page.get_by_role("button", name="Remove").click()
    expect(page.get_by_role("button", name="Remove")).to_have_count(0)
    assert served.vault.environments.values(tool) == {}
    assert not any("sesame" in body for body in bodies)


def test_figures_are_drawn(page: Page, served: Served) -> None:
    for words in ("one", "two"):
        served.vault.run("shout", {"words": words})
    served.vault.run("boom", {})
    page.goto(f"{served.url}/stats")
    expect(page.locator(".tile strong").first).to_have_text("3")
    expect(page.get_by_role("row", name="shout")).to_contain_text("100 %")
    expect(page.locator("svg.days")).to_have_count(2)
    expect(page.locator(".spark polyline").first).to_be_visible()


def _text(response: object) -> str:
    try:
        return str(response.text())  # type: ignore[attr-defined]
    except Exception:
        return ""


def test_a_rule_that_was_revoked_in_another_window_goes_from_this_one(
    page: Page, context: BrowserContext, served: Served
) -> None:
    served.vault.run("write_file", {"filePath": "a.md", "content": "1"}, approver=lambda _: Approved(always=True))
    other = context.new_page()
    for each in (page, other):
        each.goto(f"{served.url}/settings")
    page.get_by_role("button", name="Revoke").click()
    expect(page.get_by_role("button", name="Revoke")).to_have_count(0)
    other.get_by_role("button", name="Revoke").click()
    expect(other.get_by_role("button", name="Revoke")).to_have_count(0)


def test_more_steps_come_once_however_often_they_are_asked_for(page: Page, served: Served) -> None:
    loop = f"  - {{name: again, tool: nap, for_each: {[0] * 203}, parameters: {{milliseconds: 0}}}}\n"
    served.note("tools/many.md", f"---\ntool: true\nid: many\nname: Many\ndescription: Many.\nsteps:\n{loop}---\n")
    held: list[Route] = []
    page.route("**/rows?*first=*", lambda route: held.append(route))  # noqa: PLW0108  Playwright counts arguments
    page.goto(f"{served.url}/runs/{served.vault.run('many', {}).run_id}")
    page.locator(".row summary").click()
    with page.expect_request("**/rows?*first=*"):
        page.locator("[data-more-rows]").dblclick()
    held[0].continue_()
    expect(page.locator("[data-rows] > .row")).to_have_count(200)
    assert len(held) == 1
