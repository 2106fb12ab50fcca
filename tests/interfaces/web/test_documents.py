"""A vault with the files of the documents, exactly as printed: checked, filled in, run, approved, read back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from tests.seeds import printed
from tests.servers import Web

from paperagents.interfaces.command_line.app import run as run_paper

from ..served import Served  # noqa: TID252  shared by the tests of several interfaces


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PAPER_ALLOWED_HOSTS", "127.0.0.1")
    (tmp_path / "vault" / ".paper").mkdir(parents=True)
    printed.write_files(tmp_path / "vault")
    return tmp_path / "vault"


def run(page: Page) -> None:
    page.get_by_role("button", name="Run", exact=True).click()


def test_the_printed_files_are_checked_filled_in_run_approved_and_logged(
    page: Page, served: Served, web: Web, capsys: pytest.CaptureFixture[str]
) -> None:
    web.otherwise = (200, json.dumps({"results": [f"hit {number}" for number in range(9)]}))
    assert run_paper(["--vault", str(served.folder), "check", "--format", "json"]) == 0
    assert [each for each in json.loads(capsys.readouterr().out) if each["severity"] == "error"] == []

    # 000 section 6A: the form has the one parameter that it declares.
    page.goto(f"{served.url}/tools/beispieltool")
    page.get_by_label("url").fill(web.url(""))
    run(page)
    expect(page.locator(".run[data-status=succeeded]")).to_be_visible()
    expect(page.locator(".run")).to_contain_text("hit 4")
    assert web.requests[0].path.startswith("/search?q=")

    # 001 sections 5 and 8: what the document shows as the result.
    page.goto(f"{served.url}/tools/transform_data")
    page.get_by_label("input_data").fill("a\nb\nc")
    run(page)
    expect(page.locator(".run[data-status=succeeded]")).to_be_visible()
    expect(page.locator(".run")).to_contain_text("transformed")

    # 001 section 7: a person is asked before the backup is written.
    page.goto(f"{served.url}/tools/backup")
    page.get_by_label("tag").fill("#projekt")
    run(page)
    question = page.get_by_role("dialog")
    expect(question.locator(".diff-line.added", has_text="NOTES/A.MD")).to_be_visible()
    assert not (served.folder / "backups").exists()
    question.get_by_role("button", name="Approve", exact=True).click()
    expect(page.locator(".run[data-status=succeeded]")).to_be_visible()
    (written,) = (served.folder / "backups").iterdir()
    assert json.loads(written.read_text(encoding="utf-8")) == ["NOTES/A.MD"]

    # 004: no text is refused beside its field, another one comes back in capitals.
    page.goto(f"{served.url}/tools/my-tool")
    run(page)
    expect(page.locator(".field-error:visible")).to_have_count(1)
    page.get_by_label("text").fill("abc")
    run(page)
    expect(page.locator(".run[data-status=succeeded]")).to_be_visible()
    expect(page.locator(".run")).to_contain_text("ABC")

    # Every run is in the history, with its steps and who said yes.
    runs = served.vault.history.runs(limit=10)
    assert {each["tool"] for each in runs} >= {"beispieltool", "transform_data", "backup", "my-tool"}
    (backup,) = [served.vault.history.record(str(each["run_id"])) for each in runs if each["tool"] == "backup"]
    assert [entry["name"] for entry in backup.execution_log] == ["search_files", "transform_data", "write_file"]
    assert backup.execution_log[-1]["hitl_confirmed"] is True
