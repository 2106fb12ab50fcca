"""Makes the screenshots of every page in ``docs/screenshots``: ``just screenshots``.

They are made of the example vault, in a wide window and in a narrow one, light and dark.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "bench"))

from playwright.sync_api import Browser, Page

from browser import NAME, Served, chromium, serving

FOLDER = Path(__file__).parent.parent / "docs" / "screenshots"
LOOKS = {
    "desktop-light": {"width": 1280, "height": 800, "dark": False},
    "desktop-dark": {"width": 1280, "height": 800, "dark": True},
    "phone-light": {"width": 390, "height": 844, "dark": False},
    "phone-dark": {"width": 390, "height": 844, "dark": True},
}
SCRIPT = [
    {"text": "I will look for notes about peas.", "calls": [{"tool": "search_files", "arguments": {"query": "peas"}}]},
    {"text": "I found one. I propose to keep this:", "calls": [
        {"tool": "write_file", "arguments": {"filePath": "notes/peas.md", "content": "# Peas\n\nThey like to climb.\n",
                                              "overwrite": True}}]},
    "I wrote `notes/peas.md`. In short:\n\n- **Sow** in March, **harvest** in June\n- They like to climb\n",
]  # fmt: skip
GARDENER = """---
agent: true
name: Gardener
description: Answers questions about the garden, and keeps short notes after asking you.
model: scripted:data/gardener.json
tools: [search_files, read_file, write_file]
---
You help in the garden.
"""
BROKEN = """---
tool: true
name: Harvest report
description: Writes what was harvested.
category: notes
parameters:
  - name: month
    type: strin
    description: Which month
steps:
  - name: find
    tool: serch_files
    parameters:
      query: "{{month}}"
  - name: write
    tool: write_file
    parameters:
      filePath: "reports/{{mnth}}.md"
      content: "{{steps.find.output}}"
---
"""

MORNING = """---
tool: true
name: Morning round
description: Says every morning what has to be done in the garden.
category: tasks
schedule: "0 7 * * *"
custom_function: return "Nothing to do.";
---
"""
MODELS = {"data": [{"id": "gemma3:12b"}, {"id": "mistral-small"}, {"id": "qwen3:14b"}]}


def main() -> None:
    """Make all of them."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with chromium() as browser:
        for look, size in LOOKS.items():
            with tempfile.TemporaryDirectory() as folder:
                vault = Path(folder) / "garden"
                fill(vault)
                with serving(vault, Path(folder) / "settings") as served:
                    take(browser, served, vault, look, size)


def fill(vault: Path) -> None:
    """The example vault, with an agent that needs no model and a file that needs repair."""
    subprocess.run([sys.executable, "-m", "paperagents", "init", str(vault)], check=True, capture_output=True)
    for content in ("They climb on **strings**.", "They climb on **strings**.\n\n- sow in March\n- harvest in June"):
        subprocess.run([sys.executable, "-m", "paperagents", "--vault", str(vault), "store", "memory", "set", "peas",
                        "--heading", "What peas want", "--content", content],
                       check=True, capture_output=True)  # fmt: skip
    (vault / "agents/gardener.md").write_text(GARDENER, encoding="utf-8")
    (vault / "data/gardener.json").write_text(json.dumps(SCRIPT), encoding="utf-8")
    (vault / "tools/harvest-report.md").write_text(BROKEN, encoding="utf-8")


def take(browser: Browser, served: Served, vault: Path, look: str, size: dict[str, int | bool]) -> None:
    """Every page once."""
    context = served.context(browser, **size)  # type: ignore[arg-type]
    page = context.new_page()
    for name in pages(page, served.url, vault):
        page.wait_for_timeout(250)
        page.screenshot(path=FOLDER / f"{name}-{look}.png")
    context.close()


def pages(page: Page, url: str, vault: Path) -> Iterator[str]:
    """Go through the pages; at each ``yield`` one is as it should be shown."""
    yield from decide(page, url)
    yield from look_back(page, url)
    yield from set_up(page, url, vault)


def decide(page: Page, url: str) -> Iterator[str]:
    """Tools and an agent at work, and their questions."""
    page.goto(f"{url}/tools/tag_overview")
    page.get_by_role("button", name="Run", exact=True).click()
    page.wait_for_selector(".run[data-status=succeeded]")
    yield "result"
    page.goto(f"{url}/tools/backup_by_tag")
    page.get_by_label("tag", exact=True).fill("two words")
    page.get_by_role("button", name="Run", exact=True).click()
    page.wait_for_selector(".field-error:visible")
    yield "form"
    page.get_by_label("tag", exact=True).fill("garden")
    page.get_by_role("button", name="Run", exact=True).click()
    # For the first moment nobody can answer, so that no click meant for something else does.
    page.wait_for_selector("dialog[open] [data-answer=approve]:enabled")
    yield "question"
    page.locator("dialog [data-answer=approve]").click()
    page.wait_for_selector(".run[data-status=succeeded]")
    yield "run"
    page.goto(f"{url}/tools/daily_note")
    page.get_by_role("button", name="Run", exact=True).click()
    page.wait_for_selector("dialog[open]")
    page.goto(f"{url}/approvals")
    yield "inbox"
    page.goto(f"{url}/agents/gardener")
    page.get_by_label("Your message").fill("What do I know about peas?")
    page.keyboard.press("Enter")
    page.wait_for_selector("dialog[open]")
    page.locator("dialog [data-answer=approve]").click()
    page.wait_for_selector("#conversation li strong")
    yield "agent"


def look_back(page: Page, url: str) -> Iterator[str]:
    """What has been done, and what there is."""
    for name, path in {"tools": "/", "history": "/runs", "agents": "/agents", "statistics": "/stats",
                       "settings": "/settings", "entry": "/entries/memory/peas", "notes": "/notes",
                       "note": "/notes/notes/garden.md"}.items():  # fmt: skip
        page.goto(f"{url}{path}")
        yield name
    page.goto(f"{url}/edit?file=tools/harvest-report.md&line=8&column=11")
    page.wait_for_selector("#problems li.error")
    yield "editor"
    page.goto(f"{url}/runs?tool=backup_by_tag")
    page.goto(f"{url}/runs")
    for number in (0, 1):
        page.locator("input[name=run]").nth(number).check()
    page.locator("#compare-button").click()
    yield "compare"


def set_up(page: Page, url: str, vault: Path) -> Iterator[str]:
    """Phones, models, and what runs by itself."""
    page.goto(f"{url.replace('127.0.0.1', NAME)}/settings#devices")
    page.get_by_role("button", name="Pair a phone").click()
    page.wait_for_selector(".qr")
    page.locator("#device-list").scroll_into_view_if_needed()
    yield "pairing"
    page.goto(f"{url}/agents/librarian")
    page.evaluate("document.getElementById('about-agent').open = true")
    with model_server():
        page.locator("#about-agent [data-choose-model]").click()
        page.wait_for_selector(".model-list")
    yield "models"
    page.keyboard.press("Escape")
    (vault / "tools/morning.md").write_text(MORNING, encoding="utf-8")
    page.wait_for_selector("#side-tools :text('Morning round')", state="attached")
    page.goto(f"{url}/trust")
    yield "trust"
    page.get_by_role("button", name="Trust").click()
    page.wait_for_selector(".tag:not(.foreign)")
    page.goto(f"{url}/schedules")
    yield "schedules"
    (vault / "tools/morning.md").unlink()


@contextmanager
def model_server() -> Iterator[None]:
    """Something that answers as Ollama does."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = json.dumps(MODELS).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the base class names it so
            """Quiet."""

    with HTTPServer(("127.0.0.1", 11434), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield
        finally:
            server.shutdown()
            thread.join()


if __name__ == "__main__":
    main()
