"""``paper trust``: what a stranger's vault brings along counts for nothing until somebody says so."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.interfaces.command_line.test_app import on_terminal
from tests.trusting import STRANGE_SETTINGS, trust_everything

from paperagents.cluster.worker import enqueue_due
from paperagents.vault import Vault

from .conftest import Paper, Write

SETTINGS = STRANGE_SETTINGS.format(
    host="127.0.0.1", model="https://models.example/v1", tool="pack", command='["python", "-m", "clock"]'
)
NIGHTLY = "---\ntool: true\nname: nightly\ndescription: Runs by itself.\nschedule: '* * * * *'\n{more}---\n"


@pytest.fixture
def stranger(vault: Path, write: Write) -> Path:
    write(".paper/settings.toml", SETTINGS)
    write("nightly.md", NIGHTLY.format(more="custom_function: return 1;\n"))
    return vault


@pytest.mark.usefixtures("stranger")
def test_show_lists_each_thing_with_kind_place_digest_and_state(paper: Paper) -> None:
    shown = paper("trust", "show", "--json").document
    assert {each["kind"] for each in shown} == {"host", "model", "npm_grant", "mcp_server", "serve", "schedule"}
    assert {each["state"] for each in shown} == {"untrusted"}
    assert all(set(each) == {"kind", "what", "where", "digest", "state"} for each in shown)
    assert "sk-stranger" not in paper("trust", "show").out + str(shown)
    assert next(each["where"] for each in shown if each["kind"] == "schedule") == "nightly.md"


@pytest.mark.usefixtures("stranger")
def test_give_and_take_by_digest_kind_and_all(paper: Paper) -> None:
    first, *_ = paper("trust", "show", "--json").document
    assert paper("trust", "give", first["digest"][:10]).code == 0
    assert [each["state"] for each in paper("trust", "show", "--json").document].count("trusted") == 1
    assert paper("trust", "give", "--kind", "model", "--yes").code == 0
    states = {(each["kind"], each["state"]) for each in paper("trust", "show", "--json").document}
    assert {("host", "trusted"), ("model", "trusted"), ("serve", "untrusted")} <= states
    assert paper("trust", "give", "--all", "--yes").code == 0
    assert {each["state"] for each in paper("trust", "show", "--json").document} == {"trusted"}
    assert paper("trust", "take", "--kind", "host").code == 0
    assert paper("trust", "take", "--all").code == 0
    assert {each["state"] for each in paper("trust", "show", "--json").document} == {"untrusted"}


def test_trust_in_a_database_that_cannot_be_reached_is_taken_back(paper: Paper, write: Write) -> None:
    write(".paper/settings.toml", 'database_url = "postgresql://127.0.0.1:1/none"\nallowed_hosts = ["a.b", "a.b"]\n')
    assert paper("trust", "give", "--all", "--yes").code == 0
    shown = paper("trust", "show", "--json")
    assert [(each["kind"], each["state"]) for each in shown.document] == [("database", "trusted"), ("host", "trusted")]
    assert paper("trust", "take", "--kind", "database").code == 0
    states = {each["kind"]: each["state"] for each in paper("trust", "show", "--json").document}
    assert states == {"database": "untrusted", "host": "trusted"}


@pytest.mark.usefixtures("stranger")
@pytest.mark.parametrize("arguments", [[], ["0123456789"], [""], ["--all"], ["--kind", "nothing"]])
def test_what_names_nothing_or_has_no_yes_is_refused(paper: Paper, arguments: list[str]) -> None:
    assert paper("trust", "give", *arguments).code == 2
    assert {each["state"] for each in paper("trust", "show", "--json").document} == {"untrusted"}


@pytest.mark.usefixtures("stranger")
def test_without_a_subcommand_everything_is_shown(paper: Paper) -> None:
    assert paper("trust", "--json").document == paper("trust", "show", "--json").document != []
    assert paper("trust").out == paper("trust", "show").out


@pytest.mark.usefixtures("stranger")
@pytest.mark.parametrize("command", [["config"], ["config", "get", "allowed_hosts"]])
def test_settings_that_are_left_out_are_said_where_settings_are_shown(paper: Paper, command: list[str]) -> None:
    for answer in (paper(*command), paper(*command, "--json")):
        assert answer.code == 0
        assert "Left out, not trusted" in answer.err
        assert "paper trust" in answer.err
    assert paper("config", "get", "sandbox.timeout").err == ""
    trust_everything(Vault(Path()))
    assert paper(*command).err == ""


@pytest.mark.usefixtures("stranger")
def test_what_is_left_out_is_said_and_listed_by_the_doctor(paper: Paper) -> None:
    ran = paper("run", "nightly")
    assert (ran.code, "127.0.0.1" in ran.err, "trust show" in ran.err) == (0, True, True)
    assert "left out" not in paper("list").err.lower() + paper("check").err.lower()
    assert {each["kind"] for each in paper("doctor", "--json").document["untrusted"]} >= {"host", "schedule", "model"}
    assert paper("config", "get", "allowed_hosts").out.strip() == ""
    paper("trust", "give", "--all", "--yes")
    assert paper("run", "nightly").err.count("127.0.0.1") == 0
    assert paper("config", "get", "allowed_hosts").out == "127.0.0.1\n"


def ticks(vault: Vault) -> int:
    """How many runs two looks at the clock start, a minute apart."""
    noon = datetime(2026, 1, 1, 12, tzinfo=UTC)
    return sum(len(enqueue_due(vault, noon + timedelta(minutes=minute))) for minute in range(2))


def test_a_schedule_runs_only_with_a_yes_for_the_file_as_it_is(stranger: Path) -> None:
    with Vault(stranger) as vault:
        assert ticks(vault) == 0
        trust_everything(vault)
        assert ticks(vault) == 1
    (stranger / "nightly.md").write_text(NIGHTLY.format(more="custom_function: return 2;\n"))
    with Vault(stranger) as vault:
        with vault.database.transaction() as connection:
            connection.execute("DELETE FROM schedules")
        assert ticks(vault) == 0


def test_a_log_in_the_file_does_not_change_the_schedule(stranger: Path) -> None:
    with Vault(stranger) as vault:
        trust_everything(vault)
    file = stranger / "nightly.md"
    log = "2026-01-01T12:00:00 0123456789abcdef succeeded\n\n```yaml\nexecution_log: []\n```\n"
    file.write_text(f"{file.read_text()}\n## Execution log\n\n{log}")
    with Vault(stranger) as vault:
        assert ticks(vault) == 1


def test_a_run_that_came_along_is_listed_and_goes_on_by_hand_once_trusted(
    paper: Paper, vault: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    waiting = paper("run", "write_file", "-p", "filePath=a.md", "-p", "content=x", "--json").document
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "somebody else"))
    (thing,) = paper("trust", "show", "--json").document
    assert (thing["kind"], waiting["run_id"] in thing["what"]) == ("run", True)
    refused = paper("runs", "resume", waiting["run_id"], "--yes")
    assert (refused.code, thing["digest"][:12] in refused.err) == (2, True)
    assert not (vault / "a.md").exists()
    assert paper("trust", "give", thing["digest"]).code == 0
    assert paper("runs", "resume", waiting["run_id"], "--yes").code == 0
    assert (vault / "a.md").read_text() == "x"


def test_one_yes_to_all_leaves_what_came_along(
    paper: Paper, vault: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    paper("run", "write_file", "-p", "filePath=theirs.md", "-p", "content=x")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "somebody else"))
    assert paper("approvals", "approve", "--all").code == 2
    paper("run", "write_file", "-p", "filePath=mine.md", "-p", "content=x")
    answered = paper("approvals", "approve", "--all", "--json")
    assert (answered.code, [each["status"] for each in answered.document]) == (0, ["succeeded"])
    assert "came with this folder" in answered.err
    assert [(vault / name).exists() for name in ("mine.md", "theirs.md")] == [True, False]


def test_trust_without_a_word_lists_what_there_is(paper: Paper, write: Write) -> None:
    write(".paper/settings.toml", 'allowed_hosts = ["a.example"]\n')
    answer = paper("trust", "--json")
    assert [each["what"] for each in answer.document] == ["a.example"]
    assert answer.err == "", "what is listed needs not be told as left out"


def test_looking_at_what_is_brought_along_asks_nothing(write: Write) -> None:
    write(".paper/settings.toml", 'allowed_hosts = ["a.example"]\n')
    for command in (["trust", "show"], ["doctor"]):
        shown = on_terminal(*command)
        assert "a.example" in shown
        assert "Do you trust" not in shown


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("postgresql://me:SECRET@db.example:6432/notes", "postgresql://db.example:6432/notes"),
        ("postgresql://db.example/notes?password=SECRET&host=other.example", "postgresql://db.example/notes?host=other.example"),
        ("postgresql://me:SEC/RET@db.example/notes", "***"),
    ],
)  # fmt: skip
def test_whoever_is_asked_sees_which_database_it_is_and_no_password(
    paper: Paper, write: Write, address: str, shown: str
) -> None:
    write(".paper/settings.toml", f'database_url = "{address}"\n')
    (thing,) = paper("trust", "show", "--json").document
    assert thing["what"] == f"database_url = {shown}"


@pytest.mark.usefixtures("vault")
def test_a_run_that_came_along_is_shown_as_such(paper: Paper, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    paper("run", "write_file", "-p", "filePath=mine.md", "-p", "content=x")
    shown = (["runs", "list"], ["runs", "show", "last"], ["approvals", "list"], ["approvals", "show", "last"])
    assert not [each for each in shown if "came " in paper(*each).out]
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "somebody-else"))
    assert [each for each in shown if "came " in paper(*each).out] == [*shown]
