"""Phones on the settings page: a code pairs one, it appears in the list, and revoking lets it in no more."""

from __future__ import annotations

from playwright.sync_api import BrowserContext, Page, expect

from ..served import Served  # noqa: TID252  shared by the tests of several interfaces


def test_a_phone_is_paired_seen_and_revoked(page: Page, context: BrowserContext, served: Served) -> None:
    page.goto(f"{served.url}/settings")
    page.get_by_role("button", name="Pair a phone").click()
    code = page.locator(".pairing-code").inner_text()
    assert context.browser is not None
    with context.browser.new_context(user_agent="Mozilla/5.0 (Linux; Android 17; Pixel)") as phone:
        opened = phone.new_page()
        opened.goto(f"{served.url}/pair?code={code}")
        expect(opened.locator("#search")).to_be_visible()
        expect(page.locator("#device-list")).to_contain_text("Android")
        expect(page.locator("#notice")).to_contain_text("Android is paired")
        expect(page.locator(".pairing")).to_have_count(0)
        page.get_by_role("button", name="Revoke Android").click()
        expect(page.locator("#device-list")).not_to_contain_text("Android")
        answer = opened.goto(served.url)
        assert answer is not None
        assert answer.status == 401
