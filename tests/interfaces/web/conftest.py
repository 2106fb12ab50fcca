"""A real browser, a served vault, and a watch over what no page may do."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, expect, sync_playwright

from ..served import Served  # noqa: TID252  shared by the tests of several interfaces
from .notes import fill_garden

CHROMIUM = os.environ.get("PAPER_TEST_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
ARGUMENTS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--no-first-run",
]  # fmt: skip
SECONDS = 20
"""How long something may take on a computer that is busy with other tests."""
expect.set_options(timeout=SECONDS * 1000)
DESKTOP = {"width": 1280, "height": 800}
PHONE = {"width": 390, "height": 844}
LOOKS = {
    "desktop-light": (DESKTOP, "light"),
    "desktop-dark": (DESKTOP, "dark"),
    "phone-light": (PHONE, "light"),
    "phone-dark": (PHONE, "dark"),
}


def pytest_itemcollected(item: pytest.Item) -> None:
    """What opens pages is left out by ``./test --quick``."""
    if isinstance(item, pytest.Function) and "browser" in item.fixturenames:
        item.add_marker("browser")


@pytest.fixture(autouse=True)
def settings_of_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("LANG", "en_GB.UTF-8")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    fill_garden(tmp_path / "garden")
    return tmp_path / "garden"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One for all tests of a module; started and ended with it, because it takes the thread's event loop."""
    if CHROMIUM is None:
        pytest.skip("there is no Chromium here")
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield launched
        launched.close()


@dataclass(kw_only=True)
class Watch:
    """What went wrong in the pages of a test."""

    errors: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)
    may_fail: bool = False
    """The server is away for a while: what cannot be loaded then is no flaw of the page."""

    def over(self, context: BrowserContext) -> None:
        """Look at everything that happens in these pages."""
        context.on("console", self._heard)
        context.on("weberror", lambda error: self.errors.append(str(error.error)))
        context.on("request", lambda request: self._asked(request.url))

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and not self.may_fail:
            self.errors.append(f"{message.text} {message.location.get('url', '')}")

    def _asked(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("data", "blob") and parts.hostname != "127.0.0.1":
            self.foreign.append(url)


@pytest.fixture
def watch() -> Iterator[Watch]:
    kept = Watch()
    yield kept
    assert kept.errors == []
    assert kept.foreign == []


@pytest.fixture
def look() -> str:
    """How the page is looked at; tests that look in every way give their own."""
    return "desktop-light"


@pytest.fixture
def context(browser: Browser, served: Served, watch: Watch, look: str) -> Iterator[BrowserContext]:
    assert served.url, "pages are closed before the server goes"
    viewport, scheme = LOOKS[look]
    made = browser.new_context(viewport=viewport, color_scheme=scheme, locale="en-GB")  # type: ignore[arg-type]
    made.set_default_timeout(SECONDS * 1000)
    watch.over(made)
    yield made
    made.close()


@pytest.fixture
def page(context: BrowserContext, served: Served) -> Page:
    """A page of somebody who has opened the link."""
    opened = context.new_page()
    opened.goto(f"{served.url}/?token={served.access.new_link_token()}")
    return opened
