"""Tags of one's own: entries of a kind of their own, versions of definitions, and validators in JavaScript."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from paperagents.approval.question import ApproveEverything
from paperagents.tags import register_tool
from paperagents.tags.registry import DEFAULT_REGISTRY

Desk = Any
Paper = Callable[..., Any]
MY_TOOL = r"""---
tag: true
id: my_new_tool
name: My New Tool
description: Keeps a value.
type: SELF_CLOSING
category: STORAGE
version: 2
patterns:
  selfClosing: '/{{<my_tool\s+([^>]*)\s*\/>}}/g'
schema:
  attributes:
    id: {required: true, validate: identifier, description: Unique identifier}
    value: {type: string, description: Tool value}
    count: {type: integer}
    mood: {type: enum, values: [good, bad], default: good}
storage: my_tool
---

```javascript
// @validate
const problems = [];
if (attributes.value === "forbidden") problems.push("The value must not be forbidden.");
if (attributes.count > 100) problems.push("At most 100.");
return problems;
```
"""


@pytest.fixture
def my_tool(desk: Desk) -> Desk:
    desk.note("tags/my_tool.md", MY_TOOL)
    return desk


@pytest.fixture
def registered() -> Iterator[Callable[..., None]]:
    """Registers tags for one test."""
    names: list[str] = []

    def register(**definition: Any) -> None:
        names.append(register_tool(definition).id)

    yield register
    for name in names:
        DEFAULT_REGISTRY.remove(name)


def stored(desk: Desk, identifier: str) -> Any:
    entry = desk.vault.entries.get("my_tool", identifier)
    return None if entry is None else entry.as_json()


def test_a_kind_of_its_own_is_stored_with_all_its_attributes_and_versions(my_tool: Desk) -> None:
    first, second = my_tool.vault.apply('{{<my_tool id="x" value="1" count="3" />}}{{<my_tool id="x" value="2" />}}')
    assert (first["id"], first["action"], first["status"], first["tool"]) == ("x", "created", "success", "my_new_tool")
    assert second["action"] == "updated"
    entry = stored(my_tool, "x")
    assert {name: entry[name] for name in ("identifier", "value", "count", "mood", "version")} == {
        "identifier": "x", "value": "2", "count": 3, "mood": "good", "version": 2,
    }  # fmt: skip
    versions = my_tool.vault.entries.versions("my_tool", "x")
    assert [each["fields"]["attributes"]["value"] for each in versions] == ["1", "2"]
    version = {"kind": "my_tool", "identifier": "x", "version": 1}
    assert my_tool.vault.run("restore_entry", version, approver=ApproveEverything()).success
    assert stored(my_tool, "x")["value"] == "1"


def test_an_unknown_word_leaves_an_entry_of_its_own_kind_as_it_is(my_tool: Desk) -> None:
    my_tool.vault.apply('{{<my_tool id="x" mood="bad" />}}')
    (result,) = my_tool.vault.apply('{{<my_tool id="x" mood="great" />}}')
    assert "'bad'" in result["warnings"][0]
    assert stored(my_tool, "x")["mood"] == "bad"


def test_deleting_an_entry_of_its_own_kind_asks(my_tool: Desk) -> None:
    my_tool.vault.apply('{{<my_tool id="x" value="1" />}}')
    (waits,) = my_tool.vault.apply('{{<my_tool id="x" delete />}}')
    assert (waits["status"], stored(my_tool, "x")["value"]) == ("waiting", "1")
    (done,) = my_tool.vault.apply('{{<my_tool id="x" delete />}}', approver=ApproveEverything())
    assert (done["action"], stored(my_tool, "x")) == ("deleted", None)


def test_the_store_is_a_tool_and_a_tool_of_the_same_name_does_not_hide_it(my_tool: Desk) -> None:
    assert my_tool.vault.run("my_tool", {"id": "y", "count": 5}).data["entry"]["count"] == 5
    my_tool.note("shout.md", "---\ntool: true\nid: shout\nname: T\ndescription: D.\ncustom_function: return 1;\n---\n")
    my_tool.note("tags/keep.md", "---\ntag: true\nid: keep\nname: K\ndescription: D.\nstorage: shout\n---\n")
    (result,) = my_tool.vault.apply('{{<keep id="z" />}}')
    assert (result["action"], my_tool.vault.run("shout", {}).data) == ("created", 1)
    assert my_tool.vault.run("store:shout", {"identifier": "z"}).tool == "store:shout"


def test_the_version_of_the_definition_is_kept_with_what_it_stored(my_tool: Desk) -> None:
    my_tool.note(
        "tags/lesson.md",
        "---\ntag: true\nid: lesson\nname: Lesson\ndescription: D.\nstorage: memory\nversion: '1.4'\n"
        "schema: {attributes: {id: {}, content: {}}}\n---\n",
    )
    my_tool.vault.apply('{{<my_tool id="x" />}}{{<lesson id="l" content="c" />}}{{<memory id="m" />}}')
    assert stored(my_tool, "x")["definition_version"] == "2"
    memories = {each.identifier: each.as_json() for each in my_tool.vault.entries.entries("memory")}
    assert memories["l"]["definition_version"] == "1.4"
    assert "definition_version" not in memories["m"]


@pytest.mark.parametrize(
    ("attributes", "said"),
    [('value="forbidden"', ["The value must not be forbidden."]), ('value="fine" count="5"', []),
     ('value="forbidden" count="101"', ["The value must not be forbidden.", "At most 100."])],
)  # fmt: skip
def test_javascript_of_the_note_says_what_is_wrong(attributes: str, said: list[str], my_tool: Desk) -> None:
    (result,) = my_tool.vault.apply(f'{{{{<my_tool id="x" {attributes} />}}}}')
    assert (result["error"] or {"message": ""})["message"] == " ".join(said)
    assert (stored(my_tool, "x") is None) == bool(said)


def test_a_validator_that_fails_lets_nothing_through(my_tool: Desk) -> None:
    my_tool.note("tags/my_tool.md", MY_TOOL.replace("return problems;", "return nothing.there;"))
    (result,) = my_tool.vault.apply('{{<my_tool id="x" />}}')
    assert result["error"]["code"] == "tag-validator-failed"
    assert stored(my_tool, "x") is None


def test_a_handler_uses_the_store_of_its_kind(desk: Desk, registered: Callable[..., None]) -> None:
    def apply_counter(operation: Any, options: Any) -> dict[str, Any]:
        store = options["storage"]
        before = (store.get(operation["id"]) or {"value": 0})["value"]
        store.save(operation["id"], {"value": before + 1})
        return {"id": operation["id"], "action": "created", "status": "success", "seen": sorted(store.load())}

    registered(id="counter", storage="counters", schema={"attributes": {"id": {}}}, handler=apply_counter)
    results = desk.vault.apply('{{<counter id="a" />}}{{<counter id="a" />}}{{<counter id="b" />}}')
    assert [each["seen"] for each in results] == [["a"], ["a"], ["a", "b"]]
    assert desk.vault.entries.get("counters", "a").attributes == {"value": 2}
    assert "counters" in desk.vault.entry_kinds()


def test_a_kind_needs_no_attributes_but_a_name(desk: Desk, registered: Callable[..., None]) -> None:
    registered(id="quote", type="block", category="storage", storage="quotes")
    (result,) = desk.vault.apply('{{<quote identifier="q">}}\nTo be.\n{{</quote>}}')
    assert result["status"] == "success"
    assert desk.vault.entries.get("quotes", "q").content == "To be."
    (nameless,) = desk.vault.apply("{{<quote>}}x{{</quote>}}")
    assert nameless["error"]["code"] == "tag-attribute-missing"


def test_an_agent_with_memory_is_told_of_the_kind_and_may_store(my_tool: Desk) -> None:
    agent = "---\nagent: true\nname: helper\ndescription: D.\ntools: []\n---\nHelp.\n"
    my_tool.note("helper.md", agent)
    from paperagents.agents.toolbox import open_toolbox  # noqa: PLC0415  only here

    vault = my_tool.vault
    box = open_toolbox(vault.registry.agent("helper"), vault.registry.entries(), vault.find_tool, vault.tag_registry())
    assert "store:my_tool" in box.granted
    assert "{{<my_tool … />}}" in box.manual()
    assert "definition_version" not in box.manual()


@pytest.mark.parametrize("storage", ["a b", "../x", "x" * 65])
def test_a_kind_that_cannot_be_one_is_refused(storage: str, my_tool: Desk) -> None:
    my_tool.note("tags/bad.md", f"---\ntag: true\nid: bad\nname: B\ndescription: D.\nstorage: '{storage}'\n---\n")
    (entry,) = (each for each in my_tool.vault.registry.entries() if each.file == "tags/bad.md")
    assert [problem.code for problem in entry.problems] == ["tag-definition-wrong"]


def test_an_attribute_that_the_store_keeps_itself_is_refused(my_tool: Desk) -> None:
    note = (
        "---\ntag: true\nid: bad\nname: B\ndescription: D.\nstorage: bads\nschema: {attributes: {created: {}}}\n---\n"
    )
    my_tool.note("tags/bad.md", note)
    (entry,) = (each for each in my_tool.vault.registry.entries() if each.file == "tags/bad.md")
    assert [problem.code for problem in entry.problems] == ["tag-definition-wrong"]


def test_broken_javascript_of_a_validator_is_a_problem_of_its_file(my_tool: Desk) -> None:
    my_tool.note("tags/my_tool.md", MY_TOOL.replace("return problems;", "return (;"))
    (entry,) = (each for each in my_tool.vault.registry.entries() if each.file == "tags/my_tool.md")
    assert [problem.code for problem in entry.problems] == ["javascript-syntax"]


def test_a_plan_stores_nothing(my_tool: Desk) -> None:
    planned = my_tool.vault.plan("my_tool", {"id": "x", "value": "v"})
    assert planned.data["entry"]["value"] == "v"
    assert not Path(my_tool.root / ".paper" / "paper.db").exists() or stored(my_tool, "x") is None
