"""A program that ends right before or after a change: the change is known, with its yes, and not made twice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from paperagents.approval.question import Approved, Effect
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.runs.record import Intent

if TYPE_CHECKING:
    from tests.desk import Desk

ORIGINAL = {"filePath": "a.md", "content": "new\n", "append": True}
EDITED: JsonObject = {"filePath": "b.md", "content": "edited\n", "append": True}


class Killed(BaseException):
    """The program ends here, and nothing more is written down."""


@pytest.fixture
def killed(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Do something with a program that ends around a change of a tool; gives the run that it leaves behind."""

    def kill(tool: str, work: Callable[[], object], *, done: bool = True) -> str:
        prepare = desk.vault.services.built_in[tool]

        def dying(effect: Effect) -> JsonValue:
            if done:
                effect.perform()
            raise Killed

        def prepared(arguments: JsonObject) -> Effect:
            effect = prepare(arguments)
            return replace(effect, perform=lambda: dying(effect))

        with monkeypatch.context() as patched:
            patched.setitem(desk.vault.services.built_in, tool, prepared)
            with pytest.raises(Killed):
                work()
        desk.reopened()
        return str(desk.vault.history.runs()[0]["run_id"])

    return kill


def stored_edit(desk: Desk) -> None:
    desk.run("write_file", ORIGINAL)
    desk.vault.answer(desk.vault.history.questions()[0].id, Approved(by="Ann", via="page", arguments=EDITED))


def edit_of_somebody_there(desk: Desk) -> None:
    desk.run("write_file", ORIGINAL, Approved(by="Ann", via="page", arguments=EDITED))


@pytest.mark.parametrize("edit", [stored_edit, edit_of_somebody_there])
@pytest.mark.parametrize("done", [True, False])
def test_an_edited_write_is_made_once_and_recorded_as_it_was_edited(
    desk: Desk, killed: Callable[..., str], edit: Callable[[Desk], None], *, done: bool
) -> None:
    run = killed("write_file", lambda: edit(desk), done=done)
    record = desk.vault.resume(run)
    assert record.status == "succeeded"
    assert desk.text("b.md") == "edited\n"
    assert not (desk.root / "a.md").exists()
    entry = record.execution_log[0]
    assert entry["parameters"]["filePath"] == "b.md"  # type: ignore[index,call-overload]
    assert (entry["hitl_required"], entry["hitl_confirmed"]) == (True, True)
    assert (entry["approved_by"], entry["approved_via"]) == ("Ann", "page")


def test_an_edited_write_to_a_file_that_has_changed_since_is_asked_about_as_it_was_edited(
    desk: Desk, killed: Callable[..., str]
) -> None:
    run = killed("write_file", lambda: edit_of_somebody_there(desk), done=False)
    desk.note("b.md", "somebody else's\n")
    assert desk.vault.resume(run).status == "waiting"
    (question,) = desk.vault.history.questions()
    assert question.arguments["filePath"] == "b.md"
    assert desk.text("b.md") == "somebody else's\n"


def test_a_write_that_was_agreed_on_does_not_go_over_a_file_it_may_not_overwrite(desk: Desk) -> None:
    arguments: JsonObject = {"filePath": "a.md", "content": "new", "overwrite": False, "append": False}
    run = desk.run("write_file", arguments).run_id
    desk.note("a.md", "somebody else's")
    change = desk.vault.services.built_in["write_file"](arguments)
    agreed = Intent(digest=change.digest, before=change.before, after=change.after, answer=None, arguments=arguments)
    with desk.vault.journal.lock_run(run):
        desk.vault.journal.intend(run, "1", agreed)
    record = desk.vault.resume(run, approver=lambda _: Approved())
    assert record.error is not None
    assert record.error["code"] == "file-exists"
    assert record.execution_log[0]["hitl_confirmed"] is None, "nobody has agreed to that"
    assert desk.text("a.md") == "somebody else's"


def test_a_write_with_a_secret_leaves_none_behind(desk: Desk, killed: Callable[..., str]) -> None:
    desk.vault.services.redaction.learn(["HIDDENWORD"])
    killed("write_file", lambda: desk.run("write_file", {**ORIGINAL, "content": "HIDDENWORD"}, Approved()))
    desk.vault.close()
    kept = [content for name, content in desk.everything().items() if name.startswith(".paper")]
    assert not any(b"HIDDENWORD" in content for content in kept)


@pytest.mark.parametrize("call", ["memory, parameters: {identifier: x, delete: true}",
                                  "datavault, parameters: {id: x, action: delete}"])  # fmt: skip
def test_a_deletion_that_was_made_is_known_and_the_chain_goes_on(
    desk: Desk, killed: Callable[..., str], call: str
) -> None:
    kind = call.partition(",")[0]
    desk.vault.entries.put(kind, "x", {"content": "y"})
    desk.chain("c", f"\n  - {{tool: {call}}}\n  - {{tool: write_file, parameters: {{filePath: a.md, content: x}}}}")
    run = killed(kind, lambda: desk.run("c", {}, Approved()))
    record = desk.vault.resume(run, approver=lambda _: Approved())
    assert record.status == "succeeded"
    entry: Any = record.execution_log[0]
    assert (entry["hitl_required"], entry["hitl_confirmed"]) == (True, True)
    assert entry["output"]["action"] == "deleted"


def test_a_deletion_that_nobody_agreed_to_still_fails_where_there_is_nothing(desk: Desk) -> None:
    record = desk.run("memory", {"identifier": "x", "delete": True}, Approved())
    assert record.error is not None
    assert record.error["code"] == "entry-not-found"
