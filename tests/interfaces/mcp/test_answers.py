"""What a client gets of a run: the answer under its schema, never the log."""

from __future__ import annotations

import asyncio
import base64
import json
from typing import Any

import jsonschema_rs
import mcp_types as types
import pytest

from paperagents.interfaces.mcp.answers import output_schema

from ..served import POET, Served  # noqa: TID252  shared by the tests of two interfaces
from .clients import ERAS, Person, meta_of, over_http

pytestmark = pytest.mark.parametrize("era", ERAS)
PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n").decode()


def tool(answer: str, returns: str = "", name: str = "answers") -> str:
    return f"""---
tool: true
name: {name}
description: Answers.
{returns}
custom_function: |
  return {answer};
---
"""


def call(served: Served, era: str, note: str, name: str = "answers") -> tuple[types.Tool, types.CallToolResult]:
    served.note("tools/answers.md", note)
    served.vault.registry.refresh()

    async def go() -> tuple[types.Tool, types.CallToolResult]:
        async with over_http(served, era) as client:
            listed = {each.name: each for each in (await client.list_tools()).tools}
            return listed[name], await client.call_tool(name, {})

    return asyncio.run(go())


def test_a_tool_that_reads_sixty_notes_sends_its_short_answer_alone(served: Served, era: str) -> None:
    for number in range(60):
        served.note(f"zebra/{number}.md", f"# Zebra {number}\n\n" + "zebra stripes " * 700)
    note = """---
tool: true
name: answers
description: Counts words.
steps:
  - {name: find, tool: search_files, parameters: {query: zebra, path: zebra}}
  - {name: read, tool: read_file, for_each: prev_step.output.results, parameters: {filePath: "{{item.path}}"}}
---
```js
// @postprocess
return {words: output.map(each => each.content.split(/\\s+/).length).reduce((a, b) => a + b, 0)};
```
"""
    _, result = call(served, era, note)
    sent = result.model_dump_json(by_alias=True, exclude_none=True)
    assert result.structured_content == {"words": json.loads(sent)["structuredContent"]["words"]}
    assert result.structured_content["words"] > 60_000
    assert len(sent.encode()) <= 1024
    record = served.vault.history.record(meta_of(result)["run_id"])
    assert len(record.execution_log) > 60


def test_an_object_is_structured_content_without_a_schema_too(served: Served, era: str) -> None:
    listed, result = call(served, era, tool("{count: 3}"))
    assert listed.output_schema is None
    assert result.structured_content == {"count": 3}


@pytest.mark.parametrize("answer", ["'three'", "[1, 2]", "3", "null"])
def test_what_is_no_object_is_text_alone_without_a_schema(served: Served, era: str, answer: str) -> None:
    _, result = call(served, era, tool(answer))
    assert result.structured_content is None
    assert isinstance(result.content[0], types.TextContent)


def test_what_is_no_object_is_a_result_under_a_schema(served: Served, era: str) -> None:
    listed, result = call(served, era, tool("[1, 2]", "returns: {type: array, items: {type: integer}}"))
    assert listed.output_schema is not None
    assert listed.output_schema["properties"] == {"result": {"type": "array", "items": {"type": "integer"}}}
    assert result.structured_content == {"result": [1, 2]}


def test_an_object_under_a_schema_is_the_answer_itself(served: Served, era: str) -> None:
    listed, result = call(
        served, era, tool("{count: 3}", "returns: {type: object, properties: {count: {type: integer}}}")
    )
    assert listed.output_schema == {"type": "object", "properties": {"count": {"type": "integer"}}}
    assert result.structured_content == {"count": 3}


def test_an_answer_of_another_form_is_an_error(served: Served, era: str) -> None:
    _, result = call(served, era, tool("{count: 'three'}", "returns: {properties: {count: {type: integer}}}"))
    assert result.is_error
    assert result.structured_content is None
    assert meta_of(result)["error"]["code"] == "answer-invalid"


def test_an_agent_that_writes_text_is_text_alone(served: Served, era: str) -> None:
    listed, _ = call(served, era, POET.replace("name: poet", "name: bard"), "bard")
    assert listed.output_schema is None


def test_the_answers_of_built_in_tools_fit_their_schemas(served: Served, era: str) -> None:
    person = Person([{"decision": "approve"}])
    calls: dict[str, dict[str, Any]] = {
        "read_file": {"filePath": "diary.md"},
        "search_files": {"query": "quiet"},
        "write_file": {"filePath": "new.md", "content": "x"},
        "memory": {"identifier": "m", "content": "x"},
        "task": {"identifier": "t", "content": "x"},
        "datavault": {"id": "d", "content": "x"},
    }

    async def go() -> list[types.CallToolResult]:
        async with over_http(served, era, person) as client:
            await client.list_tools()
            # The library's client refuses what is not as the schema says.
            return [await client.call_tool(name, arguments) for name, arguments in calls.items()]

    assert [each.is_error for each in asyncio.run(go())] == [False] * len(calls)


@pytest.mark.parametrize(
    ("block", "kind"),
    [
        (f"{{type: 'image', data: '{PNG}', mimeType: 'image/png'}}", types.ImageContent),
        (f"{{type: 'audio', data: '{PNG}', mimeType: 'audio/wav'}}", types.AudioContent),
        ("{type: 'resource', resource: {uri: 'note:///a.md', text: 'a'}}", types.EmbeddedResource),
        (f"{{type: 'resource', resource: {{uri: 'note:///a.png', blob: '{PNG}'}}}}", types.EmbeddedResource),
        ("{type: 'resource_link', uri: 'note:///a.md', name: 'a'}", types.ResourceLink),
    ],
)  # fmt: skip
def test_what_a_tool_shows_goes_out_as_it_is(served: Served, era: str, block: str, kind: type) -> None:
    _, result = call(served, era, tool(f"{{count: 1, content: [{{type: 'text', text: 'Look:'}}, {block}]}}"))
    assert [type(each) for each in result.content] == [types.TextContent, kind]
    assert result.structured_content == {"count": 1}


def test_pictures_alone_are_no_data(served: Served, era: str) -> None:
    _, result = call(served, era, tool(f"{{content: [{{type: 'image', data: '{PNG}', mimeType: 'image/png'}}]}}"))
    assert isinstance(result.content[0], types.ImageContent)
    assert result.structured_content is None


@pytest.mark.parametrize(
    "content",
    ["'text'", "[]", "['a']", "[{type: 'image', data: 'no base64', mimeType: 'image/png'}]", "[{type: 'paragraph'}]",
     "[{type: 'image', data: 'AAAA', mimeType: 'text/html'}]"],
)  # fmt: skip
def test_another_field_of_that_name_is_data(served: Served, era: str, content: str) -> None:
    _, result = call(served, era, tool(f"{{content: {content}}}"))
    assert isinstance(result.content[0], types.TextContent)
    assert result.structured_content is not None
    assert "content" in result.structured_content


def test_a_client_whose_answers_cannot_be_used_is_asked_three_times(served: Served, era: str) -> None:
    useless: list[Any] = [{"decision": "approve", "edit": "{oops"} for _ in range(9)]
    person = Person(useless)

    async def go() -> types.CallToolResult:
        async with over_http(served, era, person) as client:
            return await client.call_tool("write_file", {"filePath": "a.md", "content": "x"})

    result = asyncio.run(go())
    assert (len(person.shown), meta_of(result)["status"]) == (3, "waiting")
    assert len(served.vault.history.questions()) == 1


@pytest.mark.parametrize(
    ("returns", "right", "wrong"),
    [
        ({"type": "string"}, {"result": "a"}, {"result": 1}),
        ({"type": ["object", "null"], "required": ["a"]}, {"a": 1}, {"b": 1}),
        ({"type": ["object", "null"], "required": ["a"]}, {"result": None}, {"result": 1}),
        ({"type": "array", "items": {"$ref": "#/$defs/x"}, "$defs": {"x": {"type": "integer"}}},
         {"result": [1]}, {"result": ["a"]}),
        ({"anyOf": [{"$ref": "#/$defs/x"}, {"type": "object", "required": ["a"]}], "$defs": {"x": {"type": "integer"}}},
         {"result": 1}, {"result": "a"}),
        ({"type": "array", "items": {"anyOf": [{"type": "integer"}, {"$ref": "#"}]}},
         {"result": [[1]]}, {"result": ["a"]}),
    ],
)  # fmt: skip
def test_the_schema_that_is_offered_says_the_same_of_what_goes_out(
    era: str, returns: Any, right: Any, wrong: Any
) -> None:
    assert era
    schema = output_schema(returns)
    assert schema is not None
    assert schema["type"] == "object"
    assert jsonschema_rs.is_valid(schema, right)
    assert not jsonschema_rs.is_valid(schema, wrong)
