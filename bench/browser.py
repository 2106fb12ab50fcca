"""A vault that is served by ``paper serve``, and a Chromium to look at it: for screenshots and benches."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, sync_playwright

NAME = "notes.example.com"
"""What the server is also called, for pages that show an address; the browser knows where that is."""
ARGUMENTS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--no-first-run", f"--host-resolver-rules=MAP {NAME} 127.0.0.1",
]  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Served:
    """Where a vault is served, and what opens it."""

    url: str
    token: str
    process: int

    def context(self, browser: Browser, *, width: int = 1280, height: int = 800, dark: bool = False) -> BrowserContext:
        """The pages of somebody who may come in."""
        made = browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if dark else "light",
            locale="en-GB",
            reduced_motion="reduce",
            extra_http_headers={"authorization": f"Bearer {self.token}"},
        )
        made.set_default_timeout(60_000)
        return made


@contextmanager
def serving(folder: Path, settings: Path) -> Iterator[Served]:
    """Serve a folder until the block ends; the user's own settings are not touched."""
    command = [
        sys.executable,
        "-m",
        "paperagents",
        "--vault",
        str(folder),
        "serve",
        "--port",
        "0",
        "--no-open",
        "--json",
    ]
    environment = {
        **os.environ,
        "XDG_CONFIG_HOME": str(settings),
        "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring",
        "LANG": "en_GB.UTF-8",
        "PAPER_SERVE_HOSTS": NAME,
    }
    # Who looks at the pages here also answers.
    name = f"browser-{secrets.token_hex(4)}"
    making = [*command[: command.index("serve") + 1], "token", "new", name, "--may", "call,answer,edit"]
    token = subprocess.run(making, check=True, capture_output=True, text=True, env=environment).stdout.strip()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        try:
            assert process.stdout is not None
            lines = [process.stdout.readline()]
            while lines[-1].rstrip() != "}" and lines[-1]:
                lines.append(process.stdout.readline())
            told = json.loads("".join(lines))
            yield Served(url=told["url"], token=token, process=process.pid)
        finally:
            process.terminate()


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser without a window."""
    found = os.environ.get("PAPER_TEST_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=ARGUMENTS)
        try:
            yield browser
        finally:
            browser.close()
