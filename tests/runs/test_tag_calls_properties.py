"""Whatever a model writes: what it says is stored as it says it, and nothing ends the program."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from paperagents.tags import read_tags

Desk = Any
ONE_VAULT = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=80)
PIECES = [
    '{{<memory identifier="a" ', 'content="x" ', "content='it\\'s' ", "delete ", "/>}}", "{{<datavault id=d>}}",
    "{{</datavault>}}", "{{<reasoning_text>}}", "{{</reasoning_text>}}", "```\n", "`", '"', "'", "}}", "{{<", "/>",
    'action="create"', 'action="request_read" limit="2" ', "{{<js_execute>}}return 1;{{</js_execute>}}", "\x00",
    "\ud800", "{{<final_output>}}", '{{<task heading="T" />}}', "{{<vaultref id='d' />}}", "\n",
]  # fmt: skip


def quoted(content: str) -> str:
    return '"' + content.replace("\\", "\\\\").replace('"', '\\"') + '"'


@given(content=st.text(st.characters(), max_size=60) | st.lists(st.sampled_from(PIECES), max_size=6).map("".join))
@ONE_VAULT
def test_a_quoted_value_is_stored_character_by_character(desk: Desk, content: str) -> None:
    (result,) = desk.vault.apply(f'{{{{<memory identifier="a" content={quoted(content)} />}}}}')
    assert result["status"] == "success"
    assert desk.vault.entries.get("memory", "a").content == content


@given(pieces=st.lists(st.sampled_from(PIECES), max_size=14))
@ONE_VAULT
def test_any_jumble_of_tags_gives_one_result_per_call(desk: Desk, pieces: list[str]) -> None:
    text = "".join(pieces)
    results = desk.vault.apply(text)
    found = read_tags(text).operations
    around = [each for each in found if each["tool_id"] != "reasoning_text"]
    calls = [each for each in around if each["tool_id"] != "vaultref"]
    inside = [call for call in calls if any(each["start"] < call["start"] < each["end"] for each in around)]
    assert len(results) == len(calls) - len(inside), "what stands inside a call is its content"
    assert {result["status"] for result in results} <= {"success", "error", "waiting"}
    assert all((result["error"] is None) == (result["status"] == "success") for result in results)
