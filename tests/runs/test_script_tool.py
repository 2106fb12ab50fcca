"""js_execute: a script with the entries and tools of the vault at hand, and with the same gate before every effect."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from paperagents.approval.question import Approved, ApproveEverything, Denied
from paperagents.runs.scripts import script_with_helpers

Desk = Any
YES = ApproveEverything()


def run(desk: Desk, code: str, **options: Any) -> Any:
    return desk.vault.run("js_execute", {"code": code}, **options)


# --- what a script finds


def test_what_a_script_returns_is_the_answer(desk: Desk) -> None:
    assert run(desk, "return {sum: 1 + 1};").data == {"sum": 2}
    assert run(desk, "const x = 1;").data is None


@pytest.mark.parametrize(
    ("name", "kind"), [("vault", "datavault"), ("memory", "memory"), ("tasks", "task"), ("goals", "goal")]
)
def test_a_script_sets_gets_and_lists_entries(name: str, kind: str, desk: Desk) -> None:
    desk.vault.entries.put(kind, "old", {"content": "before"})
    record = run(
        desk,
        f"""
        await {name}.set("new", "text");
        await {name}.set("other", {{ content: "more" }});
        const names = (await {name}.list()).map(entry => entry.identifier);
        return [await {name}.get("old"), await {name}.get("new"), await {name}.get("none"), names];
        """,
    )
    assert record.data == ["before", "text", None, ["new", "old", "other"]]
    assert desk.vault.entries.get(kind, "other").content == "more"


def test_a_script_sees_whole_entries(desk: Desk) -> None:
    desk.vault.entries.put("task", "t", {"heading": "H", "status": "ongoing"})
    record = run(desk, 'const t = await tasks.entry("t"); return [t.heading, t.status, t.version];')
    assert record.data == ["H", "ongoing", 1]


def test_numbers_and_truth_are_stored_as_text(desk: Desk) -> None:
    run(desk, 'await memory.set("n", 42); await memory.set("b", false); await memory.set("e", "");')
    assert [entry.content for entry in desk.vault.entries.entries("memory")] == ["false", "", "42"]


def test_a_script_changes_just_what_it_names(desk: Desk) -> None:
    desk.vault.entries.put("task", "t", {"heading": "H", "content": "C", "status": "ongoing"})
    run(desk, 'await tasks.set("t", { status: "finished" });')
    entry = desk.vault.entries.get("task", "t")
    assert (entry.heading, entry.content, entry.status) == ("H", "C", "finished")


def test_a_script_calls_tools(desk: Desk) -> None:
    desk.note("a.md", "hello")
    desk.tool("shout", "custom_function: return input.words.toUpperCase();")
    record = run(
        desk,
        """const note = await callTool("read_file", { filePath: "a.md" });
        return [note.content, await callTool("shout", { words: "hi" })];""",
    )
    assert record.data == ["hello", "HI"]


@pytest.mark.parametrize(
    ("code", "answer"),
    [
        ("const tasks = [1, 2]; let vault = 3; return tasks.length + vault;", 5),
        ("var memory = 1; return memory;", 1),
        ("class goals {} function callTool() { return 7; } return callTool();", 7),
        ("return f(); function f() { return 8; }", 8),
        ("return 9; // and a last remark", 9),
    ],
)
def test_a_script_may_use_the_names_for_something_else(code: str, answer: int, desk: Desk) -> None:
    assert run(desk, code).data == answer


def test_what_a_script_does_stands_in_the_record(desk: Desk) -> None:
    desk.note("a.md", "hello")
    record = run(desk, 'console.log("look"); await memory.set("m", "1"); await callTool("read_file", {path: "a.md"});')
    names = [entry["name"] for entry in record.execution_log]
    assert sorted(names) == ["js_execute", "memory", "read_file"]
    (own,) = [entry for entry in record.execution_log if entry["name"] == "js_execute"]
    assert own["console"][0]["text"] == "look"


# --- what goes wrong


def test_a_failed_call_can_be_caught(desk: Desk) -> None:
    code = 'try { await callTool("read_file", {filePath: "none.md"}); } catch (error) { return String(error); }'
    record = run(desk, code)
    assert record.success
    assert "none.md" in record.data


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("null.x;", 1),
        ("const a = 1;\n\nnull.x;", 3),
        ("const a = 1;\nfunction f() {\n  throw new Error('no');\n}\nf();", 3),
        ("let a = 1;\nlet b = ;", 2),
        ("let a = 1;\nif (a) {", 1),
        ('await memory.set("m", "1");\nthrow new Error("later");', 2),
        ('const a = 1;\nawait callTool("nope");', 2),
        ('async function f() {\n\n  return callTool("read_file", {filePath: "none.md"});\n}\nreturn await f();', 3),
        ('await memory.set("m", "1");\n\n\nawait memory.set("no good", "1");', 4),
    ],
)
def test_an_error_names_the_line_of_the_script_itself(code: str, line: int, desk: Desk) -> None:
    record = run(desk, code)
    assert record.status == "failed"
    assert f"line {line}," in record.error["message"]


def test_an_error_behind_a_long_reference_names_the_line_of_the_script_itself(desk: Desk) -> None:
    desk.vault.entries.put("datavault", "library", {"content": "const one = 1;\nconst two = 2;\nconst three = 3;"})
    record = run(desk, 'const a = 1;\n{{<vaultref id="library" />}}\nconst b = three;\nnull.x;')
    assert "line 4," in record.error["message"]


def test_an_error_inside_a_reference_names_the_line_of_the_reference(desk: Desk) -> None:
    desk.vault.entries.put("datavault", "library", {"content": "const one = 1;\nnull.x;\n"})
    record = run(desk, 'const a = 1;\n{{<vaultref\n id="library" />}}\nconst b = 1;')
    assert "line 2," in record.error["message"]


def test_every_line_of_an_expanded_script_knows_where_it_was_written() -> None:
    entries = {"two": "x\ny", "in": 'a\n{{<vaultref id="two" />}}\nb', "empty": ""}
    reference: Callable[[str], str] = '{{{{<vaultref\nid="{}" />}}}}'.format
    code = f"1 {reference('two')} 2\n3 {reference('in')}{reference('empty')}\n6\n7"
    script = script_with_helpers(code, entries.get)
    placed = [script.position(line, 2)[0] for line in range(1, script.text.count("\n") + 1)]
    assert placed == [0, 1, 1, 3, 3, 3, 3, 6, 7]


@pytest.mark.parametrize("code", ["while (true) {}", "return new Promise(() => {});"])
def test_a_script_that_does_not_end_is_ended(code: str, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAPER_SANDBOX_TIMEOUT", "0.3")
    record = run(desk, code)
    assert record.status == "failed"
    assert run(desk, "return 1;").data == 1


@pytest.mark.parametrize(
    "code",
    ["callTool()", "callTool(1, {})", 'callTool("read_file", [1])', 'callTool("nope")', "memory.get()", "vault.set()"],
)
def test_a_call_that_cannot_be_meant_is_an_error_of_the_script(code: str, desk: Desk) -> None:
    record = run(desk, f"try {{ await {code}; }} catch (error) {{ return 'caught'; }} return 'went on';")
    assert record.success


# --- references


def test_references_in_code_are_filled_in(desk: Desk) -> None:
    desk.vault.entries.put("datavault", "numbers", {"content": "[1, 2, 3]"})
    desk.vault.entries.put("datavault", "outer", {"content": '{{<vaultref id="numbers" />}}.length'})
    assert run(desk, 'return {{<vaultref id="outer" />}};').data == 3


def test_a_missing_reference_is_an_error_before_anything_runs(desk: Desk) -> None:
    record = run(desk, 'await memory.set("m", "1"); return {{<vaultref id="none" />}};')
    assert record.error["code"] == "script-reference"
    assert "none" in record.error["message"]
    assert desk.vault.entries.entries("memory") == []


# --- the gate


DELETIONS = [
    'vault.delete("a")',
    'callTool("datavault", { id: "a", delete: true })',
    'callTool("datavault", { id: "a", action: "delete" })',
    'callTool("datavault", { id: "a", delete: "true" })',
    'vault.set("a", { delete: true })',
    'vault.set("a", "x", { action: "delete" })',
    'entry_delete("datavault", "a")',
    'entry_set("datavault", "a", { delete: true })',
    'call_tool("datavault", { id: "a", delete: 1 })',
    'callTool("js_execute", { code: "await vault.delete(\'a\')" })',
]


@pytest.mark.parametrize("deletion", DELETIONS)
def test_a_script_cannot_delete_without_a_question(deletion: str, desk: Desk) -> None:
    desk.vault.entries.put("datavault", "a", {"content": "precious"})
    record = run(desk, f"await {deletion};")
    assert record.status in ("waiting", "failed")
    assert desk.vault.entries.get("datavault", "a").content == "precious"


def test_a_script_cannot_catch_a_denial(desk: Desk) -> None:
    desk.vault.entries.put("datavault", "a", {"content": "precious"})
    code = 'try { await vault.delete("a"); } catch (e) {} finally { await memory.set("m", "went on"); } return "done";'
    record = run(desk, code, approver=lambda _: Denied(reason="not this one"))
    assert (record.status, record.exit_code) == ("denied", 3)
    assert "not this one" in record.error["message"]
    assert desk.vault.entries.get("datavault", "a").content == "precious"
    assert desk.vault.entries.get("memory", "m") is None


def test_a_script_cannot_catch_a_wait(desk: Desk) -> None:
    desk.vault.entries.put("datavault", "a", {"content": "precious"})
    record = run(desk, 'try { await vault.delete("a"); } catch (e) { return "caught"; } return "done";')
    assert (record.status, record.exit_code, record.data) == ("waiting", 3, None)


def test_a_script_that_waited_goes_on_and_repeats_nothing(desk: Desk) -> None:
    desk.vault.entries.put("datavault", "a", {"content": "x"})
    code = 'await memory.set("m", "once"); await vault.delete("a"); await memory.set("n", "after"); return "done";'
    assert run(desk, code).status == "waiting"
    (question,) = desk.vault.history.questions()
    record = desk.reopened().answer(question.id, Approved())
    assert (record.status, record.data) == ("succeeded", "done")
    assert desk.vault.entries.get("datavault", "a") is None
    assert desk.vault.entries.get("memory", "n").content == "after"
    assert len(desk.vault.entries.versions("memory", "m")) == 1


def test_a_script_with_a_yes_deletes_and_the_record_says_so(desk: Desk) -> None:
    desk.vault.entries.put("datavault", "a", {"content": "x"})
    record = run(desk, 'await vault.delete("a"); return await vault.get("a");', approver=YES)
    assert (record.status, record.data) == ("succeeded", None)
    (entry,) = [each for each in record.execution_log if each["name"] == "datavault"]
    assert (entry["hitl_required"], entry["hitl_confirmed"]) == (True, True)


def test_a_script_writes_a_file_only_with_a_yes(desk: Desk) -> None:
    code = 'await callTool("write_file", { filePath: "out.md", content: "it\'s />}}" });'
    assert run(desk, code).status == "waiting"
    assert not (desk.root / "out.md").exists()
    assert run(desk, code, approver=YES).success
    assert desk.text("out.md") == "it's />}}"


@pytest.mark.parametrize("name", ["require", "process", "fetch", "Deno", "XMLHttpRequest", "importx", "api"])
def test_a_script_has_nothing_but_the_vault(name: str, desk: Desk) -> None:
    assert run(desk, f"return typeof {name};").data == "undefined"


@pytest.mark.parametrize("code", ['eval("1")', 'Function("return 1")()', '[].constructor.constructor("return 1")()'])
def test_a_script_makes_no_code_out_of_text(code: str, desk: Desk) -> None:
    assert run(desk, f"return {code};").status == "failed"


@pytest.mark.parametrize("identifier", ["../../a", "a\x00", "\ud800", "", "x" * 10_000])
def test_a_hostile_name_in_a_script_is_refused(identifier: str, desk: Desk) -> None:
    record = run(desk, f"await memory.set({json.dumps(identifier)}, 'x');")
    assert record.status == "failed"
    assert run(desk, f"return await memory.get({json.dumps(identifier)});").data is None
    assert desk.vault.entries.entries("memory") == []


def test_a_script_that_spoils_its_surroundings_spoils_only_its_own(desk: Desk) -> None:
    run(desk, "Object.prototype.delete = true; Array.prototype.map = null; globalThis.vault = null; return 1;")
    desk.vault.entries.put("datavault", "a", {"content": "x"})
    record = run(desk, 'Object.prototype.delete = true; await vault.set("a", { content: "y" });')
    assert record.success
    assert desk.vault.entries.get("datavault", "a").content == "y"


def test_a_plan_of_a_script_changes_nothing(desk: Desk) -> None:
    desk.vault.entries.put("datavault", "a", {"content": "x"})
    record = desk.vault.plan("js_execute", {"code": 'await memory.set("m", "1"); await vault.delete("a"); return 1;'})
    assert record.status == "planned"
    planned = [(each["tool"], each["would_ask"]) for each in record.planned]
    assert planned == [("js_execute", False), ("memory", False), ("datavault", True)]
    assert desk.vault.entries.entries("memory") == []
    assert desk.vault.entries.get("datavault", "a").content == "x"
