"""The same conversation over real HTTP, natively, by tags and mixed: the same calls, the same result."""

from __future__ import annotations

import json
from typing import Any

import pytest

from paperagents.agents.limits import RetryPolicy
from paperagents.agents.model import Listener, ModelRequest, ModelTurn
from paperagents.approval.question import Approved
from paperagents.runs.record import StepPath
from paperagents.sandbox import Cancellation
from paperagents.testing import ScriptedApprover, ScriptedModel

from .conftest import Desk, Serve, call

NATIVE: list[Any] = [
    {"text": "I look around.", "calls": [call("search_files", query="peas"), call("read_file", filePath="a.md")]},
    {"calls": [call("write_file", filePath="s.md", content='Peas: "sweet"\nBeans')]},
    {"calls": [call("memory", identifier="taste", content="sweet")]},
    "All is written.",
]
TAGS: list[Any] = [
    (
        'I look around. {{<search_files query="peas" />}}'
        '{{<reasoning_text>}}And read. {{<read_file filePath="a.md" />}}{{</reasoning_text>}}'
    ),
    '{{<write_file filePath="s.md">}}Peas: "sweet"\nBeans{{</write_file>}}',
    '{{<memory identifier="taste" content="sweet" />}}',
    "{{<reasoning_text>}}Done.{{</reasoning_text>}}{{<final_output>}}All is written.{{</final_output>}}",
]
MISBEHAVING = [
    {"error": {"status": 429, "message": "slow down", "retry_after": 0}},
    {"text": 'Hel {{<read_file filePath="other.md" />}}', "cut": True},
    {"text": "Hel", "stream_error": {"message": "overloaded", "code": 502}},
]


@pytest.mark.parametrize(
    ("protocol", "script"),
    [("native", NATIVE), ("tags", TAGS), ("auto", NATIVE), ("auto", TAGS),
     ("auto", [*NATIVE[:1], *MISBEHAVING, *NATIVE[1:]])],
    ids=["native", "tags", "auto, native", "auto, tags", "misbehaving"],
)  # fmt: skip
def test_the_same_conversation_gives_the_same_result(
    desk: Desk, serve: Serve, protocol: str, script: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    server = serve(script)
    monkeypatch.setattr("paperagents.agents.limits.RetryPolicy.delay", lambda *_: 0.0)
    desk.note("a.md", "# Peas\n")
    desk.note("other.md", "x")
    desk.agent(f"protocol: {protocol}\ntools: [search_files, read_file, write_file]")
    person = ScriptedApprover(Approved())
    record = desk.vault.run("helper", {"query": "Go"}, approver=person)
    assert (record.status, record.data) == ("succeeded", "All is written.")
    assert (desk.root / "s.md").read_text() == 'Peas: "sweet"\nBeans'
    assert [request.arguments["content"] for request in person.asked] == ['Peas: "sweet"\nBeans']
    entry = desk.vault.entries.get("memory", "taste")
    assert entry is not None
    assert entry.content == "sweet"
    done = {(each["step"], each["name"]) for each in record.execution_log if each["name"] not in ("model", "other")}
    assert {(3, "search_files"), (4, "read_file"), (6, "write_file"), (8, "memory")} <= done
    assert all(("tools" in request) == (protocol != "tags") for request in server.requests)


def told(request: dict[str, Any]) -> str:
    """Everything a request tells the model after the system prompt."""
    return json.dumps(request["messages"][1:], ensure_ascii=False)


@pytest.mark.parametrize(("protocol", "script"), [("native", NATIVE), ("tags", TAGS)])
def test_the_model_is_told_what_its_calls_gave(desk: Desk, serve: Serve, protocol: str, script: list[Any]) -> None:
    server = serve(script)
    desk.note("a.md", "# Peas are green\n")
    desk.agent(f"protocol: {protocol}\ntools: [search_files, read_file, write_file]")
    desk.vault.run("helper", {"query": "Go"}, approver=ScriptedApprover(Approved()))
    assert "Peas are green" in told(server.requests[1])
    roles = [message["role"] for message in server.requests[1]["messages"]]
    assert roles == ["system", "user", "assistant", *(["tool", "tool"] if protocol == "native" else ["user"])]


def test_a_native_answer_pairs_every_call_with_its_result(desk: Desk, serve: Serve) -> None:
    server = serve(NATIVE)
    desk.agent("protocol: native")
    desk.vault.run("helper", {"query": "Go"})
    said, *results = server.requests[1]["messages"][2:]
    assert [each["id"] for each in said["tool_calls"]] == [each["tool_call_id"] for each in results]
    assert json.loads(said["tool_calls"][0]["function"]["arguments"]) == {"query": "peas"}


def test_an_answer_that_only_calls_goes_back_without_a_text(desk: Desk, serve: Serve) -> None:
    """A proxy would put words of its own into the place of an empty one."""
    server = serve([{"calls": [call("search_files", query="peas")]}, "None."])
    assert desk.vault.run("helper", {"query": "Go"}).data == "None."
    assert server.requests[1]["messages"][2]["content"] is None


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (404, "No endpoints found that support tool use."),
        (400, "Function calling is not enabled for this model"),
        (501, "tools are not implemented"),
        (500, "tools param requires --jinja flag"),
    ],
)
def test_a_model_that_knows_no_native_calls_writes_tags(
    desk: Desk, serve: Serve, status: int, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("paperagents.agents.limits.RetryPolicy.delay", lambda *_: 0.0)
    refused = {"error": {"status": status, "message": message}}
    times = RetryPolicy().attempts if status == 500 else 1
    server = serve([*[refused] * times, '{{<read_file filePath="a.md" />}}', "Read."])
    desk.note("a.md", "# Peas\n")
    record = desk.vault.run("helper", {"query": "Go"})
    assert record.data == "Read."
    assert ["tools" in request for request in server.requests] == [*[True] * times, False, False]
    assert "{{<read_file" in server.requests[times]["messages"][0]["content"]


def test_tags_are_text_where_only_native_calls_count(desk: Desk, serve: Serve) -> None:
    serve(['Write {{<memory identifier="a" content="b" />}} to remember.'])
    desk.agent("protocol: native")
    record = desk.vault.run("helper", {"query": "How?"})
    assert record.data == 'Write {{<memory identifier="a" content="b" />}} to remember.'
    assert desk.vault.entries.get("memory", "a") is None


def test_a_tag_in_code_or_inside_another_call_is_text(desk: Desk, serve: Serve) -> None:
    serve(
        [
            (
                'Like `{{<memory identifier="a" content="b" />}}`. {{<datavault id="doc">}}Write '
                '{{<memory identifier="c" content="d" />}}{{</datavault>}}'
            ),
            '{{<final_output>}}Use {{<goal identifier="g" content="x" />}}{{</final_output>}}',
        ]
    )
    record = desk.vault.run("helper", {"query": "How?"})
    assert record.data == 'Use {{<goal identifier="g" content="x" />}}'
    assert desk.vault.vault_content("doc") == 'Write {{<memory identifier="c" content="d" />}}'
    assert desk.vault.entries.entries("memory") == desk.vault.entries.entries("goal") == []


def test_reading_begins_while_the_model_still_writes(desk: Desk, serve: Serve) -> None:
    events: list[Any] = []
    serve(['{{<read_file filePath="a.md" />}}' + "And I go on. " * 400, "Done."], fragment=20)
    desk.note("a.md", "x")
    desk.agent("protocol: tags")
    record = desk.vault.run("helper", {"query": "Go"}, on_event=events.append)
    assert record.data == "Done."
    read = next(
        place for place, each in enumerate(events) if each["type"] == "step-started" and each["name"] == "read_file"
    )
    still_writing = [place for place, each in enumerate(events) if each["type"] == "model-text" and place > read]
    assert len(still_writing) > 10
    assert [each["name"] for each in record.execution_log].count("read_file") == 1


def test_what_changes_something_waits_for_the_whole_answer(desk: Desk, serve: Serve) -> None:
    serve([{"text": '{{<memory identifier="a" content="b" />}} and then ', "cut": True}, "No.", "No."])
    record = desk.vault.run("helper", {"query": "Go"})
    assert record.data == "No."
    assert desk.vault.entries.get("memory", "a") is None


def test_the_record_is_in_the_order_of_the_steps(desk: Desk, serve: Serve) -> None:
    serve(['{{<read_file filePath="a.md" />}}' + "And I go on. " * 40, "Done."], fragment=20)
    record = desk.vault.run("helper", {"query": "Go"})
    for log in (record.execution_log, desk.vault.history.record(record.run_id).execution_log):
        assert [each["name"] for each in log] == ["helper", "model", "read_file", "model"]
        assert [each["step"] for each in log] == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ('{{<write_file filePath="x.md" content="Peas" />}}{{<read_file filePath="x.md" />}}', "Peas"),
        ('{{<write_file filePath="x.md" content="Peas" />}}{{<search_files query="Peas" />}}', '"count": 1'),
        ('{{<datavault id="d">}}Peas{{</datavault>}}{{<datavault id="d" action="request_read" />}}', "Peas"),
    ],
)
def test_what_stands_after_a_change_reads_what_was_changed(desk: Desk, serve: Serve, written: str, read: str) -> None:
    desk.agent("tools: [write_file, read_file, search_files]\nprotocol: tags")
    server = serve([written, "Done."], fragment=7)
    record = desk.vault.run("helper", {"query": "Go"}, approver=ScriptedApprover(Approved()))
    assert [each["status"] for each in record.execution_log] == ["success"] * 5
    assert read in server.requests[1]["messages"][-1]["content"]


def test_names_that_servers_do_not_take_are_replaced(desk: Desk, serve: Serve) -> None:
    desk.note(
        "t.md",
        f"---\ntool: true\nid: {'count' * 20}\nname: 词数\ndescription: d\ncustom_function: return 7;\n---\n",
    )
    desk.agent("tools: [词数]\nmemory: false")
    first = serve(["Hello"])
    desk.vault.run("helper", {"query": "Go"})
    names = [each["function"]["name"] for each in first.requests[0]["tools"]]
    desk.reopened()
    second = serve([{"calls": [call(names[0])]}, "Seven."])
    assert desk.vault.run("helper", {"query": "Go"}).data == "Seven."
    assert "7" in told(second.requests[1])
    assert all(name.isascii() for name in names)


NESTED = '{{<datavault id="doc">}}{{<read_file filePath="a.md" />}}{{</datavault>}}'


@pytest.mark.parametrize("piece", [1, 10_000], ids=["piece by piece", "at once"])
@pytest.mark.parametrize(
    ("written", "read"),
    [
        (NESTED, 0),
        (f"{{{{<reasoning_text>}}}}{NESTED}{{{{</reasoning_text>}}}}", 0),
        ('{{<final_output>}}{{<read_file filePath="a.md" />}}{{</final_output>}}', 0),
        ('{{<datavault id="doc">}}{{<read_file filePath="a.md" />}}', 1),
        ('{{<read_file filePath="a.md" />}}' + NESTED, 1),
        ('{{<reasoning_text>}}{{<read_file filePath="a.md" />}}{{</reasoning_text>}}', 1),
    ],
    ids=["in a call", "in a call in a thought", "in the answer", "in what never ends", "before it", "in a thought"],
)
def test_a_tag_inside_another_ones_content_is_not_carried_out_early(
    desk: Desk, written: str, read: int, piece: int
) -> None:
    events: list[Any] = []
    desk.note("a.md", "x")
    desk.agent("protocol: tags\ntools: [read_file]")
    model = ScriptedModel([written, "Done."], piece=piece)
    record = desk.vault.run("helper", {"query": "Go"}, model=model, on_event=events.append)
    assert record.success
    begun = [each for each in events if each["type"] == "step-started" and each["name"] == "read_file"]
    assert len(begun) == [each["name"] for each in record.execution_log].count("read_file") == read


def test_an_answer_is_read_once(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paperagents.agents.asking.read_tags", pytest.fail)
    monkeypatch.setattr("paperagents.agents.calls.read_tags", pytest.fail)
    desk.note("a.md", "x")
    assert desk.ask(['{{<read_file filePath="a.md" />}}', "{{<final_output>}}Done.{{</final_output>}}"]).data == "Done."


class SilentModel:
    """Answers without telling anybody what it writes."""

    def __init__(self, *texts: str, told: str = "") -> None:
        self._turns = [ModelTurn(text=text, finish="stop") for text in texts]
        self._told = told
        self.asked: list[ModelRequest] = []

    def answer(self, request: ModelRequest, listener: Listener, stop: Cancellation) -> ModelTurn:  # noqa: ARG002  at once
        self.asked.append(request)
        if self._told:
            listener.begin()
            listener.text(self._told)
        return self._turns[request.turn - 1]


@pytest.mark.parametrize("told", ["", '{{<read_file filePath="b.md" />}}'])
def test_what_a_model_answers_counts_and_not_what_it_told_before(desk: Desk, told: str) -> None:
    desk.note("a.md", "Peas")
    desk.note("b.md", "Beans")
    model = SilentModel('Now {{<read_file filePath="a.md" />}}', "Done.", told=told)
    record = desk.vault.run("helper", {"query": "Go"}, model=model)
    assert record.data == "Done."
    assert "Peas" in str(model.asked[-1].messages[-1])
    kept = dict(desk.vault.history.steps(record.run_id))[StepPath("turn/1/call/1")]
    assert kept["parameters"] == {"filePath": "a.md"}
