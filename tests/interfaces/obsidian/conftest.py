"""The plugin on a page in a real browser, with stand-ins for Obsidian that others wrote, before a real server."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import httpx2
import pytest
from playwright.sync_api import Browser, Page, Route

from paperagents.interfaces.command_line.obsidian_command import plugin_folder

from ..served import Served  # noqa: TID252  shared by the tests of several interfaces
from ..web.conftest import PHONE, SECONDS, browser, pytest_itemcollected  # noqa: F401, TID252  as above

HERE = Path(__file__).parent
STAGE = "http://obsidian.test"
TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".mjs": "text/javascript"}
TIDY = """---
tool: true
id: tidy
name: Tidy
description: Changes a note at its beginning and at its end.
parameters:
  - {name: path, type: string, description: Which note}
  - {name: mark, type: string, description: What to put there, default: new}
steps:
  - name: read
    tool: read_file
    parameters: {filePath: "{{path}}"}
    post_processing: |
      const lines = output.content.split("\\n");
      lines[0] = `${input.mark} first`;
      lines[lines.length - 2] = `${input.mark} last`;
      return lines.join("\\n");
  - name: write
    tool: write_file
    parameters: {filePath: "{{path}}", content: "{{prev_step.output}}", overwrite: true}
---
"""
TALKER = """---
agent: true
id: talker
name: Talker
description: Says hello.
model: scripted:data/talker.json
---
You say hello.
"""
NOTE = "".join(f"line {number}\n" for number in range(1, 31))


@pytest.fixture(scope="session")
def modules() -> Path:
    """The packages of the lock file, installed once by npm for all runs of the tests."""
    lock = HERE / "package-lock.json"
    folder = Path(tempfile.gettempdir()) / f"paper-obsidian-{sha256(lock.read_bytes()).hexdigest()[:16]}"
    if not (folder / "node_modules").is_dir():
        if (npm := shutil.which("npm")) is None:
            pytest.skip("there is no npm here")
        draft = Path(tempfile.mkdtemp())
        for name in ("package.json", "package-lock.json"):
            shutil.copy(HERE / name, draft)
        command = [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
        done = subprocess.run(command, cwd=draft, capture_output=True, text=True, check=False, timeout=300)
        if done.returncode != 0:
            pytest.skip(f"npm cannot install the stand-ins: {done.stderr[-300:]}")
        # Another process may have been quicker.
        if not folder.exists():
            draft.rename(folder)
    return folder / "node_modules"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    vault = tmp_path / "vault"
    (vault / ".paper").mkdir(parents=True)
    (vault / "data").mkdir()
    for name, content in {"tidy.md": TIDY, "talker.md": TALKER, "note.md": NOTE}.items():
        (vault / name).write_text(content, "utf-8")
    (vault / "data" / "talker.json").write_text(json.dumps(["Hello, Ada."]), "utf-8")
    return vault


Open = Callable[..., Page]


@pytest.fixture
def open_plugin(browser: Browser, served: Served, modules: Path) -> Iterator[Open]:  # noqa: F811  the fixture
    """Open the page of the plugin: its language, whether on a phone, the open note, what is selected."""
    errors: list[str] = []
    contexts = []

    def open_page(**stage: Any) -> Page:
        options: dict[str, Any] = {"language": "en", "isPhone": False, "note": "", "frontmatter": {}, "selection": ""}
        options |= stage
        size = PHONE if options["isPhone"] else {"width": 1280, "height": 800}
        context = browser.new_context(viewport=size)  # type: ignore[arg-type]
        contexts.append(context)
        context.set_default_timeout(SECONDS * 1000)
        context.on("weberror", lambda error: errors.append(str(error.error)))
        context.route(f"{STAGE}/**", lambda route: serve_file(route, modules))
        page = context.new_page()
        page.expose_function("sendRequest", send_request)
        page.add_init_script(f"window.stage = {json.dumps(options)};")
        page.goto(f"{STAGE}/stage.html")
        page.locator("#ready", has_text="ready").wait_for(state="attached")
        return page

    assert served.url
    yield open_page
    for context in contexts:
        context.close()
    assert errors == []


def serve_file(route: Route, modules: Path) -> None:
    """A file of the stage, of the plugin, or of a package."""
    path = route.request.url.removeprefix(STAGE).lstrip("/")
    places = [modules / path.removeprefix("modules/"), plugin_folder() / path, HERE / path]
    found = next((each for each in places if each.is_file()), None)
    if found is None:
        route.fulfill(status=404)
    else:
        route.fulfill(body=found.read_bytes(), content_type=f"{TYPES[found.suffix]}; charset=utf-8")


def send_request(text: str) -> str:
    """What Obsidian's requestUrl does: a request of no page, without an origin or cookies."""
    request = json.loads(text)
    headers = request["headers"] | ({"content-type": request["contentType"]} if "contentType" in request else {})
    try:
        answer = httpx2.request(
            request["method"], request["url"], headers=headers, content=request.get("body"), timeout=60
        )
    except httpx2.TransportError:
        return json.dumps({"status": 0})
    return json.dumps({"status": answer.status_code, "headers": dict(answer.headers), "text": answer.text})
