"""``paper run --detach``, ``paper backup`` and what ``paper doctor`` says about the database."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(autouse=True)
def good(write: Callable[..., Path]) -> Path:
    return write("good.md")


def test_a_detached_run_is_queued_and_can_be_carried_on(paper: Any) -> None:
    queued = paper("run", "good", "--detach", "--json")
    assert queued.code == 0
    assert queued.document["status"] == "queued"
    (listed,) = paper("runs", "list", "--status", "queued", "--json").document
    assert listed["run_id"] == queued.document["run_id"]
    assert paper("runs", "resume", listed["run_id"], "--json").document["data"] == 1


def test_everything_that_needs_no_answer_goes_on_together(paper: Any) -> None:
    for _ in range(2):
        paper("run", "good", "--detach")
    assert [each["status"] for each in paper("runs", "resume", "--json").document] == ["succeeded", "succeeded"]
    assert paper("runs", "resume", "--json").document == []
    paper("run", "good", "--detach")
    assert "succeeded" in paper("runs", "resume").out


def test_a_detached_run_tells_its_id_and_who_carries_it_out(paper: Any) -> None:
    answer = paper("run", "good", "--detach")
    assert answer.out.strip() in answer.err
    assert "paper worker" in answer.err


def test_a_detached_call_that_is_wrong_is_told_at_once(paper: Any) -> None:
    assert paper("run", "goood", "--detach").code == 2
    assert paper("runs", "--json").document == []


def test_a_dry_run_is_never_queued(paper: Any) -> None:
    assert paper("run", "good", "--detach", "--dry-run", "--json").document["status"] == "planned"
    assert paper("runs", "--json").document == []


def test_a_copy_is_written_and_put_back(paper: Any, tmp_path: Path) -> None:
    paper("store", "memory", "set", "a", "--content", "then")
    copy = tmp_path / "copy.db"
    assert paper("backup", copy, "--json").document == {"file": str(copy), "restored": False}
    paper("store", "memory", "set", "a", "--content", "now")
    assert paper("backup", copy, "--restore").code == 0
    assert paper("store", "memory", "get", "a", "--json").document["content"] == "then"


def test_a_copy_without_a_name_is_named_after_the_moment(paper: Any, vault: Path) -> None:
    assert paper("backup").code == 0
    assert len(list(vault.glob("paper-backup-*.db"))) == 1


@pytest.mark.parametrize("arguments", [("--restore",), ("none.db", "--restore"), ("good.md", "--restore")])
def test_what_cannot_be_put_back_is_told(paper: Any, arguments: tuple[str, ...]) -> None:
    assert paper("backup", *arguments).code == 2


def test_a_copy_that_cannot_be_written_is_told_as_one(paper: Any, tmp_path: Path) -> None:
    paper("store", "task", "set", "a")
    answer = paper("backup", tmp_path / "missing" / "copy.db")
    assert (answer.code, answer.err) == (
        1, f"Error: '{tmp_path / 'missing' / 'copy.db'}' cannot be written: No such file or directory.\n"
    )  # fmt: skip
    assert "exists already" in paper("backup", tmp_path).err


def test_the_doctor_looks_at_the_database(paper: Any, vault: Path) -> None:
    paper("run", "good")
    found = paper("doctor", "--json")
    assert found.code == 0
    assert found.document["database"]["problems"] == []
    assert found.document["database"]["place"].endswith("paper.db")
    (vault / ".paper" / "paper.db").write_bytes(b"no database" * 1000)
    for each in (vault / ".paper").glob("paper.db-*"):
        each.unlink()
    damaged = paper("doctor", "--json")
    assert damaged.code == 1
    assert len(damaged.document["database"]["problems"]) == 1
    assert "✗" in paper("doctor").out


@pytest.mark.parametrize("address", ["mysql://x", "x"])
def test_an_address_that_names_no_postgres_is_refused(
    paper: Any, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    monkeypatch.setenv("PAPER_DATABASE_URL", address)
    answer = paper("runs")
    assert answer.code == 2
    assert "postgresql://" in answer.err


def test_a_server_that_cannot_be_reached_is_told_without_its_password(
    paper: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("paperagents.storage.postgres.PATIENCE_SECONDS", 0.0)
    monkeypatch.setenv("PAPER_DATABASE_URL", "postgresql://me:sesame-1234@127.0.0.1:1/db")
    answer = paper("runs")
    assert answer.code == 1
    assert "127.0.0.1/db" in answer.err
    assert "sesame" not in answer.out + answer.err
    found = paper("doctor", "--json")
    assert found.code == 1
    assert "sesame" not in found.out


def test_a_schedule_is_checked_with_the_file(paper: Any, write: Callable[..., Path]) -> None:
    front = "tool: true\nname: clock\ndescription: d\ncustom_function: return 1;"
    write("clock.md", f"---\n{front}\nschedule: 61 * * * *\n---\n")
    (problem,) = paper("check", "clock.md", "--format", "json").document
    assert (problem["code"], problem["line"]) == ("invalid-schedule", 6)
    needs = "parameters:\n  - {name: x, type: string, description: d}"
    write("clock.md", f"---\n{front}\nschedule: '@daily'\n{needs}\n---\n")
    (problem,) = paper("check", "clock.md", "--format", "json").document
    assert problem["code"] == "schedule-needs-argument"
    write("clock.md", f"---\n{front}\nschedule: '0 7 * * mon-fri'\n---\n")
    assert paper("check", "clock.md", "--format", "json").document == []


# --- retention


def test_runs_are_pruned_by_age_and_told(paper: Any) -> None:
    assert paper("run", "good").code == 0
    assert "--older-than" in paper("runs", "prune").err
    would = paper("runs", "prune", "--older-than", "0", "--dry-run", "--json").document
    assert (would["removed"], would["dry_run"], would["kept"]) == (1, True, {"unfinished": 0, "undoable": 0})
    assert "1" in paper("runs", "prune", "--older-than", "0").err
    assert paper("runs", "list", "--json").document == []
    assert paper("stats", "--json").document["runs"] == 1
    assert paper("runs", "prune", "--older-than", "-1").code == 2


def test_the_settings_say_how_long_runs_are_kept(paper: Any) -> None:
    assert paper("run", "good").code == 0
    assert paper("config", "set", "history.keep_days", "1").code == 0
    assert paper("runs", "prune", "--json").document["removed"] == 0
    assert paper("config", "set", "history.keep_days", "-1").code == 2


def test_the_doctor_says_how_much_room_is_taken(paper: Any) -> None:
    assert paper("run", "good").code == 0
    sizes = paper("doctor", "--json").document["sizes"]
    assert sorted(sizes) == ["cache", "database", "history", "index"]
    assert sizes["database"] > sizes["history"] > 0
    assert "KB" in paper("doctor").out
