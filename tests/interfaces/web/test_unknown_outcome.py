"""A run that was killed in the middle of a request: a person says what became of it."""

from __future__ import annotations

import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler

import pytest
from playwright.sync_api import BrowserContext, expect
from tests.servers import Web

from paperagents.approval.question import Approved

from ..served import Served  # noqa: TID252  shared by the tests of several interfaces
from .test_changes import open_run

ORDINARY = "你好　世界, Prix : 10 000 €, 👨‍👩‍👧"


@pytest.fixture
def unknown_run(served: Served, web: Web, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("PAPER_ALLOWED_HOSTS", f"127.0.0.1:{web.port}")
    served.vault.read_settings_again()
    came, over = threading.Event(), threading.Event()

    def hang(handler: BaseHTTPRequestHandler) -> None:
        came.set()
        over.wait(60)
        handler.close_connection = True

    web.answers["/x"] = hang
    step = f'{{name: sent, tool: rest_request, parameters: {{url: "{web.url("/x")}", method: POST}}}}'
    served.note("tools/post.md", f"---\ntool: true\nid: post\nname: Post\ndescription: d\nsteps:\n  - {step}\n---\n")
    command = [sys.executable, "-m", "paperagents", "--vault", str(served.folder), "run", "post", "--yes"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as program:
        assert came.wait(60)
        program.kill()
    over.set()
    (run_id,) = served.vault.history.running()
    record = served.vault.resume(run_id, approver=lambda _: Approved())
    assert record.error is not None
    assert record.error["code"] == "outcome-unknown"
    return run_id


def test_a_person_says_that_it_was_done_and_the_run_goes_on(
    context: BrowserContext, served: Served, web: Web, unknown_run: str
) -> None:
    page = open_run(context, served, unknown_run)
    expect(page.get_by_role("button", name="Ask again")).to_be_visible()
    page.get_by_role("button", name="It was done").click()
    expect(page.locator(".status-word")).to_have_text("Succeeded")
    assert len(web.requests) == 1


def test_what_people_write_every_day_is_shown_as_they_wrote_it(served: Served) -> None:
    said = f'---\ntool: true\nid: said\nname: Said\ndescription: "{ORDINARY}"\ncustom_function: "return [input]"\n---\n'
    served.note("tools/said.md", said.replace("return [input]", f"return {{ text: '{ORDINARY}' }}"))
    run_id = served.vault.run("said", {}).run_id
    with served.person() as person:
        for path in ("/tools/said", f"/runs/{run_id}"):
            assert ORDINARY in person.get(path, headers={"accept": "text/html"}).text, path
