"""Two people on one PostgreSQL: what one of them signs counts for the other once the other trusts the key."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.waiting import wait_until

from paperagents.approval.question import Approved
from paperagents.errors import UntrustedRunError
from paperagents.inventory import list_stored
from paperagents.storage.postgres import PostgresDatabase
from paperagents.vault import Vault
from postgres_server import PostgresServer

from .conftest import working

OpenAs = Callable[[str], Vault]


@pytest.fixture
def open_as(server: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenAs]:
    """Open a copy of the vault as another user of the same database."""
    monkeypatch.setenv("PAPER_DATABASE_URL", server.new_database())
    with ExitStack() as opened:

        def open_as(user: str) -> Vault:
            monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / user / "config"))
            root = tmp_path / user / "vault"
            (root / ".paper").mkdir(parents=True, exist_ok=True)
            vault = opened.enter_context(Vault(root))
            # Made now, while the variables are this user's.
            assert isinstance(vault.database, PostgresDatabase)
            assert vault.user_key.public in vault.signatures.sign("x")
            assert vault.trust.vault
            return vault

        yield open_as


WRITING = {"filePath": "out.md", "content": "x"}


def trust_keys(vault: Vault) -> None:
    """Say yes to whatever others have signed."""
    vault.trust.give([each for each in list_stored(vault) if each.kind == "answer"])


def test_a_worker_carries_out_what_another_has_queued_once_it_trusts_the_key(open_as: OpenAs) -> None:
    anna, ben = open_as("anna"), open_as("ben")
    run_id = anna.enqueue("write_file", WRITING, yes=True).run_id
    with working(ben):
        assert not list(ben.continuation.find_continuable())
        with pytest.raises(UntrustedRunError):
            ben.resume(run_id)
        assert ben.history.record(run_id).status == "queued"
    assert not (ben.root / "out.md").exists()
    trust_keys(ben)
    with working(ben):
        wait_until(lambda: ben.history.record(run_id).status == "succeeded")
    assert (ben.root / "out.md").read_text() == "x"


@pytest.mark.parametrize("is_trusted", [False, True])
def test_the_answer_of_another_is_a_yes_only_once_the_key_is_trusted(open_as: OpenAs, *, is_trusted: bool) -> None:
    ben = open_as("ben")
    run_id = ben.run("write_file", WRITING).run_id
    anna = open_as("anna")
    trust_keys(anna)
    anna.continuation.answer(anna.history.questions()[0].id, Approved(), announce=True)
    if is_trusted:
        trust_keys(ben)
    assert ben.questions.has_answer(run_id) == is_trusted
    assert ben.resume(run_id).status == ("succeeded" if is_trusted else "waiting")
    assert (ben.root / "out.md").exists() == is_trusted


def test_the_key_of_a_run_without_any_answer_is_listed_and_a_second_look_shows_it_trusted(open_as: OpenAs) -> None:
    anna, ben = open_as("anna"), open_as("ben")
    anna.enqueue("search_files", {"query": "x"})
    (thing,) = (each for each in list_stored(ben) if each.kind == "answer")
    assert (thing.name, ben.trust.state(thing)) == (anna.user_key.public, "untrusted")
    trust_keys(ben)
    assert ben.trust.state(thing) == "trusted"
    assert not [each for each in list_stored(anna) if each.kind == "answer"]


@pytest.mark.parametrize("column", ["arguments", "tool"])
def test_a_run_that_was_changed_after_it_was_signed_is_nobody_s(open_as: OpenAs, column: str) -> None:
    anna, ben = open_as("anna"), open_as("ben")
    run_id = anna.enqueue("write_file", WRITING, yes=True).run_id
    trust_keys(ben)
    with ben.database.transaction() as connection:
        changed = {"arguments": '{"filePath": "other.md", "content": "x"}', "tool": "delete_file"}[column]
        connection.execute(f"UPDATE runs SET {column} = ? WHERE run_id = ?", (changed, run_id))
    assert not ben.journal.is_own(run_id)
    assert not list(ben.continuation.find_continuable())
