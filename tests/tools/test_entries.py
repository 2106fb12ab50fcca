"""Memories, tasks, goals and the data vault as tools: what they change, answer, refuse and ask."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from paperagents.approval.question import ApprovalRequest, Approved, ApproveEverything, Decision, Denied
from paperagents.errors import ToolError
from paperagents.reading.json_schema import compile_schema
from paperagents.storage.entries import OverlayEntries
from paperagents.tools import effects_in
from paperagents.tools.built_in import ToolContext
from paperagents.vault import Vault

KINDS = ("memory", "task", "goal", "datavault")
YES = ApproveEverything()


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Vault]:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("LANG", "C.UTF-8")
    root = tmp_path / "vault"
    (root / ".paper").mkdir(parents=True)
    with Vault(root) as opened:
        yield opened


def put(vault: Vault, kind: str, identifier: str, **fields: Any) -> Any:
    return vault.run(kind, _named(kind, identifier, **fields))


def _named(kind: str, identifier: str = "a", **fields: Any) -> dict[str, Any]:
    return {"id" if kind == "datavault" else "identifier": identifier, **fields}


def content(vault: Vault, kind: str, identifier: str) -> str | None:
    entry = vault.entries.get(kind, identifier)
    return entry.content if entry else None


# --- creating and changing


@pytest.mark.parametrize("kind", KINDS)
def test_a_tool_creates_then_updates_and_says_which(kind: str, vault: Vault) -> None:
    first, second = put(vault, kind, "a", content="1"), put(vault, kind, "a", content="2")
    assert (first.status, first.data["action"], first.data["id"]) == ("succeeded", "created", "a")
    assert (second.data["action"], second.data["entry"]["content"]) == ("updated", "2")
    assert content(vault, kind, "a") == "2"


@pytest.mark.parametrize("kind", KINDS)
def test_the_answer_is_the_result_of_the_operation_as_its_schema_says(kind: str, vault: Vault) -> None:
    created, deleted = (
        put(vault, kind, "a", content="1").data,
        vault.run(kind, _named(kind, delete=True), approver=YES).data,
    )
    assert isinstance(deleted, dict)
    assert {name: created[name] for name in ("id", "action", "status", "error")} == {
        "id": "a", "action": "created", "status": "success", "error": None,
    }  # fmt: skip
    assert (deleted["status"], deleted["error"], deleted["entry"]) == ("success", None, None)
    schema = vault.registry.tool(kind).answer
    assert (
        compile_schema(json.dumps(schema)).violations(created)
        == compile_schema(json.dumps(schema)).violations(deleted)
        == []
    )
    assert set(created) == set(deleted) == set(schema["properties"])  # type: ignore[arg-type]  # an object


@pytest.mark.parametrize("kind", KINDS)
def test_an_update_changes_just_what_it_names(kind: str, vault: Vault) -> None:
    named = {"description": "d"} if kind == "datavault" else {"heading": "h", "notes": "n"}
    put(vault, kind, "a", content="1", **named)
    put(vault, kind, "a", content="2")
    entry = vault.entries.get(kind, "a")
    assert {name: getattr(entry, name) for name in named} == named


def test_a_task_keeps_its_status_when_its_text_changes(vault: Vault) -> None:
    put(vault, "task", "a", content="1", status="Ongoing")
    put(vault, "task", "a", content="2")
    entry = vault.entries.get("task", "a")
    assert entry is not None
    assert (entry.status, entry.content) == ("ongoing", "2")


def test_data_keeps_its_type_when_its_text_changes(vault: Vault) -> None:
    put(vault, "datavault", "a", content="1", type="CODE")
    put(vault, "datavault", "a", content="2")
    entry = vault.entries.get("datavault", "a")
    assert entry is not None
    assert (entry.type, entry.content) == ("code", "2")


def test_the_name_is_made_from_the_heading_where_none_is_given(vault: Vault) -> None:
    record = vault.run("memory", {"heading": "Über den Wolken!", "content": "x"})
    assert isinstance(record.data, dict)
    assert content(vault, "memory", str(record.data["id"])) == "x"


def test_creating_what_exists_fails_and_leaves_it(vault: Vault) -> None:
    put(vault, "datavault", "a", content="old")
    record = put(vault, "datavault", "a", action="create", content="new")
    assert (record.status, record.error["code"]) == ("failed", "entry-exists")
    assert content(vault, "datavault", "a") == "old"


def test_updating_what_is_missing_fails_and_makes_nothing(vault: Vault) -> None:
    record = put(vault, "datavault", "a", action="update", content="new")
    assert (record.status, record.error["code"]) == ("failed", "entry-not-found")
    assert content(vault, "datavault", "a") is None


def test_creating_with_empty_content_is_fine(vault: Vault) -> None:
    assert put(vault, "datavault", "a", action="create", content="").success
    assert put(vault, "memory", "b").success
    assert (content(vault, "datavault", "a"), content(vault, "memory", "b")) == ("", "")


def test_data_answers_to_either_name_of_its_id(vault: Vault) -> None:
    assert vault.run("datavault", {"identifier": "a", "content": "x"}).success
    assert content(vault, "datavault", "a") == "x"


# --- reading


@pytest.mark.parametrize(
    ("limit", "expected"),
    [(None, "hello"), (3, "hel"), ("3", "hel"), (0, ""), (-5, ""), (10**9, "hello"), ("full-length", "hello")],
)
def test_reading_is_cut_to_the_limit(limit: Any, expected: str, vault: Vault) -> None:
    put(vault, "datavault", "a", content="hello")
    record = put(vault, "datavault", "a", action="request_read", limit=limit)
    assert record.data["action"] == "read"
    assert record.data["entry"]["content"] == expected


@pytest.mark.parametrize("limit", ["all", "NaN", "inf", "", "1e999", "12abc"])
def test_a_limit_that_is_no_number_is_refused(limit: str, vault: Vault) -> None:
    put(vault, "datavault", "a", content="hello")
    assert put(vault, "datavault", "a", action="request_read", limit=limit).status == "failed"


def test_reading_what_is_missing_fails(vault: Vault) -> None:
    assert put(vault, "datavault", "a", action="request_read").error["code"] == "entry-not-found"


def test_reading_makes_no_version(vault: Vault) -> None:
    put(vault, "datavault", "a", content="hello")
    put(vault, "datavault", "a", action="request_read", content="ignored")
    assert [each["version"] for each in vault.entries.versions("datavault", "a")] == [1]


# --- deleting


@pytest.mark.parametrize("kind", KINDS)
def test_a_delete_without_a_person_waits_and_deletes_nothing(kind: str, vault: Vault) -> None:
    put(vault, kind, "a", content="x")
    record = put(vault, kind, "a", delete=True)
    assert (record.status, record.exit_code) == ("waiting", 3)
    assert content(vault, kind, "a") == "x"


def test_a_delete_that_waited_is_done_when_somebody_says_yes(vault: Vault) -> None:
    put(vault, "memory", "a", content="x")
    put(vault, "memory", "a", delete=True)
    (open_question,) = vault.history.questions()
    record = vault.answer(open_question.id, Approved())
    assert (record.status, record.exit_code) == ("succeeded", 0)
    assert content(vault, "memory", "a") is None
    assert vault.history.questions() == []


def test_a_delete_that_was_denied_deletes_nothing_and_tells_the_reason(vault: Vault) -> None:
    put(vault, "memory", "a", content="x")
    record = vault.run("memory", {"identifier": "a", "delete": True}, approver=lambda _: Denied(reason="still needed"))
    assert (record.status, record.exit_code) == ("denied", 3)
    assert record.error is not None
    assert "still needed" in str(record.error["message"])
    assert content(vault, "memory", "a") == "x"


def test_a_delete_by_action_asks_as_well(vault: Vault) -> None:
    put(vault, "datavault", "a", content="x")
    assert put(vault, "datavault", "a", action="delete").status == "waiting"
    assert vault.run("datavault", {"id": "a", "action": "delete"}, approver=YES).success
    assert content(vault, "datavault", "a") is None


def test_the_question_shows_what_is_lost(vault: Vault) -> None:
    put(vault, "memory", "a", heading="My heading", content="first line\nsecond line")
    shown: list[ApprovalRequest] = []

    def look(request: ApprovalRequest) -> Decision:
        shown.append(request)
        return Denied()

    vault.run("memory", {"identifier": "a", "delete": True}, approver=look)
    assert [request.tool for request in shown] == ["memory"]
    assert all(line in shown[0].preview for line in ("memory/a", "My heading", "first line", "second line"))


def test_a_yes_is_for_what_was_shown_and_is_asked_again_when_that_has_changed(vault: Vault) -> None:
    put(vault, "memory", "a", content="old")
    shown: list[str] = []

    def change_and_agree(request: ApprovalRequest) -> Decision:
        shown.append(request.preview)
        if len(shown) == 1:
            vault.entries.put("memory", "a", {"content": "new and precious"})
        return Approved()

    assert vault.run("memory", {"identifier": "a", "delete": True}, approver=change_and_agree).success
    assert len(shown) == 2
    assert "new and precious" in shown[1]


def test_what_changed_in_the_last_moment_is_not_deleted(vault: Vault) -> None:
    vault.entries.put("memory", "a", {"content": "old"})
    effect = vault.services.built_in["memory"]({"identifier": "a", "delete": True})
    vault.entries.put("memory", "a", {"content": "new and precious"})
    with pytest.raises(ToolError) as raised:
        effect.perform()
    assert raised.value.code == "file-changed"
    assert content(vault, "memory", "a") == "new and precious"


def test_a_question_that_waited_is_asked_again_when_the_entry_has_changed(vault: Vault) -> None:
    put(vault, "memory", "a", content="old")
    put(vault, "memory", "a", delete=True)
    (open_question,) = vault.history.questions()
    put(vault, "memory", "a", content="new and precious")
    assert vault.answer(open_question.id, Approved()).status == "waiting"
    assert content(vault, "memory", "a") == "new and precious"


@pytest.mark.parametrize("kind", KINDS)
def test_deleting_what_is_missing_is_reported_without_a_question(kind: str, vault: Vault) -> None:
    record = put(vault, kind, "a", delete=True)
    assert (record.status, record.error["code"]) == ("failed", "entry-not-found")
    assert vault.history.questions() == []


def test_no_delete_is_no_delete(vault: Vault) -> None:
    put(vault, "memory", "a", content="x")
    assert put(vault, "memory", "a", delete=False).success
    assert content(vault, "memory", "a") == "x"


# --- refusing


HOSTILE = ["", " ", "a b", "../a", "a/b", "a\x00b", "\ud800", "x" * 201, "a\n", "ä", "a;--", "{{a}}"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("identifier", HOSTILE)
def test_a_hostile_name_is_refused_and_nothing_is_stored(kind: str, identifier: str, vault: Vault) -> None:
    record = put(vault, kind, identifier, content="x")
    assert record.status == "failed"
    assert vault.entries.entries(kind) == []


def test_a_name_may_have_200_characters(vault: Vault) -> None:
    assert put(vault, "memory", "x" * 200, content="x").success


@pytest.mark.parametrize(("length", "fits"), [(1_000_000, True), (1_000_001, False)])
def test_content_may_have_a_million_characters(length: int, fits: bool, vault: Vault) -> None:  # noqa: FBT001  a parameter
    assert put(vault, "memory", "a", content="ä" * length).success is fits
    assert len(content(vault, "memory", "a") or "") == (length if fits else 0)


@pytest.mark.parametrize("text", ["\x00", "a\x00b", "\ud800", "\udfff\ud800", "\u2028", "it's", '"/>}}', "\r\n\t"])
def test_any_character_is_kept(text: str, vault: Vault) -> None:
    assert put(vault, "memory", "a", content=text).success
    assert content(vault, "memory", "a") == text


@pytest.mark.parametrize(
    ("kind", "arguments"),
    [
        ("memory", {"content": "x"}),
        ("datavault", {"content": "x"}),
        ("memory", {"identifier": "a", "color": "red"}),
        ("memory", {"identifier": "a", "content": {"a": 1}}),
        ("memory", {"identifier": ["a"]}),
        ("datavault", {"id": "a", "action": "destroy"}),
        ("memory", {"identifier": "a", "action": "create"}),
    ],
)
def test_arguments_that_make_no_sense_are_refused(kind: str, arguments: Any, vault: Vault) -> None:
    record = vault.run(kind, arguments)
    assert record.status == "failed"
    assert record.error is not None
    assert record.error["code"] == "invalid-arguments"
    assert vault.entries.entries(kind) == []


def test_an_unknown_status_becomes_the_usual_one(vault: Vault) -> None:
    put(vault, "task", "a", status="someday")
    assert getattr(vault.entries.get("task", "a"), "status", None) == "pending"


@pytest.mark.parametrize("word", ["completed", "done", "in_progress", ""])
def test_an_unknown_status_changes_nothing_about_a_task_that_there_is(word: str, vault: Vault) -> None:
    put(vault, "task", "a", status="Ongoing", content="old")
    record = put(vault, "task", "a", status=word, content="new")
    assert record.data["entry"] == {**record.data["entry"], "status": "ongoing", "content": "new"}
    (warning,) = record.data["warnings"]
    assert "'ongoing'" in warning
    assert "pending, ongoing, finished, paused" in warning


def test_an_unknown_type_leaves_code_as_code(vault: Vault) -> None:
    put(vault, "datavault", "a", type="code", content="x")
    assert put(vault, "datavault", "a", type="javascript").data["entry"]["type"] == "code"


def test_the_schemas_name_the_words_that_can_be(vault: Vault) -> None:
    task, data = (vault.registry.tool(kind).schema["properties"] for kind in ("task", "datavault"))
    assert task["status"]["enum"] == ["pending", "ongoing", "finished", "paused"]  # type: ignore[index,call-overload]
    assert data["type"]["enum"] == ["text", "code", "data"]  # type: ignore[index,call-overload]
    assert data["action"]["enum"] == ["create", "update", "delete", "request_read"]  # type: ignore[index,call-overload]


def test_a_plan_says_what_an_unknown_word_would_do(vault: Vault) -> None:
    put(vault, "task", "a", status="ongoing")
    planned = vault.plan("task", {"identifier": "a", "status": "completed"}).data
    assert isinstance(planned, dict)
    assert isinstance(planned["entry"], dict)
    assert planned["entry"]["status"] == "ongoing"
    assert planned["warnings"]


# --- planning


CHAIN = """---
tool: true
id: keep
name: Keep
description: Remembers and reads back.
steps:
  - tool: memory
    parameters: {identifier: m, content: new}
  - tool: task
    parameters: {identifier: t, heading: Do it}
  - tool: memory
    parameters: {identifier: old, delete: true}
---
"""


def test_a_plan_with_memory_steps_changes_nothing(vault: Vault) -> None:
    (vault.root / "keep.md").write_text(CHAIN)
    vault.entries.put("memory", "old", {"content": "kept"})
    record = vault.plan("keep")
    assert (record.status, record.exit_code) == ("planned", 0)
    assert record.planned is not None
    assert [(each["tool"], each["would_ask"]) for each in record.planned] == [
        ("memory", False),
        ("task", False),
        ("memory", True),
    ]
    assert [entry.identifier for entry in vault.entries.entries("memory")] == ["old"]
    assert vault.entries.entries("task") == []
    assert len(vault.entries.versions("memory", "old")) == 1


def test_a_plan_in_a_new_vault_leaves_no_database(vault: Vault) -> None:
    assert vault.plan("memory", {"identifier": "a", "content": "x"}).success
    assert not (vault.root / ".paper" / "paper.db").exists()


@pytest.fixture
def planned(vault: Vault) -> ToolContext:
    """A vault whose entries forget what is done to them."""
    return ToolContext(folder=vault.folder, entries=OverlayEntries(vault.entries), packages=vault.packages)


def do(context: ToolContext, kind: str, **arguments: Any) -> Any:
    effect = effects_in(context)[kind](arguments)
    assert effect.runs_in_plan
    return effect.perform()


def test_a_planned_step_sees_what_the_planned_steps_before_it_did(planned: ToolContext, vault: Vault) -> None:
    do(planned, "datavault", id="a", action="create", content="new")
    do(planned, "datavault", id="a", action="update", description="d")
    read = do(planned, "datavault", id="a", action="request_read")["entry"]
    assert (read["content"], read["description"], read["version"]) == ("new", "d", 2)
    assert vault.entries.entries("datavault") == []


def test_a_planned_delete_is_forgotten(planned: ToolContext, vault: Vault) -> None:
    vault.entries.put("memory", "a", {"content": "x"})
    vault.entries.put("memory", "b", {"content": "x"})
    assert effects_in(planned)["memory"]({"identifier": "a", "delete": True}).needs_approval
    do(planned, "memory", identifier="a", delete=True)
    assert [entry.identifier for entry in planned.entries.entries("memory")] == ["b"]
    assert [entry.identifier for entry in vault.entries.entries("memory", search="X")] == ["a", "b"]
    with pytest.raises(ToolError):
        do(planned, "memory", identifier="a", delete=True)


@pytest.mark.parametrize("action", ["create", "update"])
def test_a_plan_foresees_what_would_fail(action: str, planned: ToolContext, vault: Vault) -> None:
    if action == "create":
        vault.entries.put("datavault", "a", {"content": "x"})
    with pytest.raises(ToolError) as raised:
        do(planned, "datavault", id="a", action=action, content="y")
    assert raised.value.code == ("entry-exists" if action == "create" else "entry-not-found")


# --- what is known of a change before it is made


def test_the_effect_names_the_entry_before_and_after(vault: Vault) -> None:
    put(vault, "memory", "tea", content="green\n")
    effect = vault.services.built_in["memory"]({"identifier": "tea", "heading": "Tea"})
    (change,) = effect.changes
    assert (change.name, change.before, change.after) == ("memory/tea", "green\n", '---\nheading: "Tea"\n---\ngreen\n')
    deletion = vault.services.built_in["memory"]({"identifier": "tea", "delete": True})
    assert [(each.before, each.after) for each in deletion.changes] == [("green\n", None)]


def test_what_only_reads_or_leaves_an_entry_as_it_is_changes_nothing(vault: Vault) -> None:
    put(vault, "datavault", "a", content="x")
    prepare = vault.services.built_in["datavault"]
    assert prepare({"id": "a", "action": "request_read"}).changes == ()
    assert prepare({"id": "a", "content": "x"}).changes == ()


def test_an_entry_that_changed_since_it_was_seen_is_prepared_anew(vault: Vault) -> None:
    put(vault, "memory", "a", heading="old", content="old")
    prepare = vault.services.built_in["memory"]
    seen = prepare({"identifier": "a", "content": "new"})
    put(vault, "memory", "a", heading="meanwhile")
    with pytest.raises(ToolError) as caught:
        seen.perform()
    assert caught.value.code == "file-changed"
    assert content(vault, "memory", "a") == "old"
