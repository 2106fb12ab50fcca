"""The loop: what ends it, what it survives, what it remembers."""

from __future__ import annotations

import json
import threading
from typing import Any

import pytest

from paperagents.approval.question import Approved, Denied
from paperagents.messages import text
from paperagents.sandbox import Cancellation
from paperagents.testing import ScriptedApprover, ScriptedModel

from .conftest import Desk, Serve, call, entries


def told(model: ScriptedModel, request: int) -> str:
    return json.dumps(model.requests[request].messages, ensure_ascii=False)


# --- a call like any other


def test_an_agent_answers_as_a_tool_a_step_and_a_tag(desk: Desk) -> None:
    desk.note(
        "t.md", "---\ntool: true\nname: t\ndescription: d\nsteps:\n  - {tool: helper, parameters: {query: Hi}}\n---\n"
    )
    assert desk.vault.run("t", model=ScriptedModel(["One."])).data == "One."
    desk.note("script.json", '["Two.", "Three."]')
    desk.note(
        "agents/helper.md", "---\nagent: true\nname: helper\ndescription: d\nmodel: scripted:script.json\n---\nHelp.\n"
    )
    applied = desk.vault.apply('{{<subagent agent="helper" query="Hi" />}} {{<helper>}}Hi{{</helper>}}')
    assert [each["output"] for each in applied] == ["Two.", "Three."]


def test_a_question_is_needed(desk: Desk) -> None:
    record = desk.vault.run("helper", {}, model=ScriptedModel(["x"]))
    assert (record.exit_code, record.error and record.error["code"]) == (2, "invalid-arguments")


def test_a_dry_run_asks_no_model(desk: Desk) -> None:
    record = desk.vault.plan("helper", {"query": "Hi"})
    assert record.status == "planned"
    assert record.planned is not None
    assert record.planned[0]["tool"] == "helper"
    assert "Hi" in str(record.planned[0]["preview"])
    assert not (desk.root / ".paper" / "conversations").exists()


def test_a_run_of_an_agent_is_not_taken_for_one_of_a_tool_with_the_same_id(desk: Desk) -> None:
    desk.note("tools/helper.md", "---\ntool: true\nname: helper\ndescription: d\ncustom_function: return 1;\n---\n")
    desk.agent("approval: always\n")
    waiting = desk.vault.run("agent:helper", {"query": "Hi"}, model=ScriptedModel(["Done."]))
    (question,) = desk.vault.history.questions()
    edited = Approved(arguments={"query": "Hello"})
    assert desk.vault.answer(question.id, edited, model=ScriptedModel(["Done."])).data == "Done."
    tool, arguments = desk.vault.history.arguments(waiting.run_id)
    again = desk.vault.run(tool, arguments, model=ScriptedModel(["Again."]), approver=lambda _: Approved())
    assert again.data == "Again."


def test_a_note_can_want_to_be_asked_about_as_a_whole(desk: Desk) -> None:
    desk.agent("approval: always\n")
    model = ScriptedModel(["Done."])
    refused = desk.vault.run("helper", {"query": "Hi"}, model=model, approver=lambda _: Denied(reason="not now"))
    assert (refused.status, model.requests) == ("denied", [])
    waiting = desk.vault.run("helper", {"query": "Hi"}, model=model)
    assert (waiting.status, model.requests) == ("waiting", [])
    (question,) = desk.reopened().history.questions()
    assert desk.vault.answer(question.id, Approved(), model=model).data == "Done."
    plan = desk.vault.plan("helper", {"query": "Hi"}).planned
    assert [each["would_ask"] for each in plan or ()] == [True, False]


def test_a_dry_run_shows_no_secret(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAPER_LLM_API_KEY", "sk-very-secret")
    record = desk.reopened().plan("helper", {"query": "What is sk-very-secret?"})
    assert "What is ***?" in str(record.planned)
    assert "sk-very-secret" not in str(record.as_json())


def test_a_model_that_a_note_names_cannot_be_a_file_outside_of_the_vault(desk: Desk) -> None:
    (desk.root.parent / "script.json").write_text('["leaked"]')
    desk.note(
        "agents/helper.md",
        "---\nagent: true\nname: helper\ndescription: d\nmodel: scripted:../script.json\n---\nHelp.\n",
    )
    record = desk.vault.run("helper", {"query": "Hi"})
    assert record.status == "failed"
    assert "leaked" not in str(record.as_json())


def test_an_address_that_is_none_is_told_as_such(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.note("agents/helper.md", "---\nagent: true\nname: helper\ndescription: d\n---\nHelp.\n")
    monkeypatch.setenv("PAPER_LLM_BASE_URL", "http://[::1")
    desk.vault.read_settings_again()
    record = desk.vault.run("helper", {"query": "Hi"})
    assert record.error is not None
    assert record.error["code"] == "model-address"


def test_a_server_that_wants_a_model_to_be_chosen_is_told_so(desk: Desk, serve: Serve) -> None:
    desk.note("agents/helper.md", "---\nagent: true\nname: helper\ndescription: d\n---\nHelp.\n")
    server = serve(["Fine.", {"error": {"status": 404, "message": "model not found"}}])
    assert desk.vault.run("helper", {"query": "Hi"}).data == "Fine."
    record = desk.vault.run("helper", {"query": "Hi"})
    assert record.error is not None
    assert record.error["code"] == "model-missing"
    assert server.requests[0]["model"] == "default"


# --- what a model gets wrong goes back to it


@pytest.mark.parametrize(
    ("made", "told_back"),
    [
        (call("read_file", filePath="nothere.md"), "nothere.md"),
        (call("read_file"), "filePath"),
        (call("read_fil", filePath="a.md"), "Did you mean 'read_file'"),
        ({"tool": "read_file", "arguments": '{"filePath": "a.md"'}, "character"),
        ({"tool": "read_file", "arguments": "[1]"}, "object"),
        (call("write_file", filePath="a.md", content="x"), "not among the tools"),
        (call("search_files", query="x", limit="many"), "limit"),
        (call("search_files", query="x", limit="\ud800"), "limit"),
    ],
)
def test_a_wrong_call_is_recorded_and_told_and_can_be_repaired(
    desk: Desk, made: dict[str, Any], told_back: str
) -> None:
    desk.note("a.md", "Peas")
    model = ScriptedModel([{"calls": [made]}, {"calls": [call("read_file", filePath="a.md")]}, "Peas."])
    record = desk.vault.run("helper", {"query": "Hi"}, model=model)
    assert record.data == "Peas."
    assert record.execution_log[2]["status"] == "error"
    said = str(model.requests[1].messages[-1]["content"])
    assert told_back in said
    assert "paper " not in said
    assert "Peas" in told(model, 2)


@pytest.mark.parametrize(
    ("written", "goes_back"),
    [
        ('{"filePath": "a.md"}', {"filePath": "a.md"}),
        ('```json\n{"filePath": "a.md",}\n```', {"filePath": "a.md"}),
        ('{"filePath', {}),
        ('{"filePath": NaN}', {}),
        ("[1]", {}),
        ("", {}),
    ],
)
def test_arguments_go_back_to_the_server_as_an_object_whatever_the_model_wrote(
    desk: Desk, written: str, goes_back: dict[str, Any]
) -> None:
    model = ScriptedModel([{"calls": [{"tool": "read_file", "arguments": written}]}, "Done."])
    assert desk.vault.run("helper", {"query": "Hi"}, model=model).data == "Done."
    said: Any = model.requests[1].messages[-2]
    assert json.loads(said["tool_calls"][0]["function"]["arguments"], parse_constant=pytest.fail) == goes_back


def test_a_failure_is_told_with_what_to_do_next(desk: Desk) -> None:
    desk.agent("tools: [write_file]")
    desk.note("a.md", "Peas")
    model = ScriptedModel([{"calls": [call("write_file", filePath="a.md", content="x")]}, "Done."])
    desk.vault.run("helper", {"query": "Hi"}, model=model)
    assert "overwrite" in str(model.requests[1].messages[-1]["content"])


def test_a_damaged_tag_is_told_with_its_place(desk: Desk) -> None:
    model = ScriptedModel(['Now:\n{{<datavault id="x">}}never closed', "I see."])
    assert desk.vault.run("helper", {"query": "Hi"}, model=model).data == "I see."
    assert "line 2, column 1" in told(model, 1)


def test_an_unknown_tag_is_told_where_tags_are_the_only_calls(desk: Desk) -> None:
    desk.agent("protocol: tags")
    model = ScriptedModel(['{{<read_fle filePath="a.md" />}}', "I see."])
    assert desk.vault.run("helper", {"query": "Hi"}, model=model).data == "I see."
    assert "read_fle" in told(model, 1)


def test_a_tag_that_does_not_say_what_it_stores_is_told(desk: Desk) -> None:
    desk.note("t.md", "---\ntag: true\nid: lesson\nname: Lesson\ndescription: d\nstorage: lessons\n---\n")
    desk.agent("protocol: tags")
    model = ScriptedModel(["{{<lesson />}}", "I see."])
    assert desk.vault.run("helper", {"query": "Hi"}, model=model).data == "I see."
    assert "'identifier'" in told(model, 1)


@pytest.mark.parametrize(("protocol", "asked"), [("tags", 2), ("auto", 1), ("native", 1)])
def test_braces_of_other_programs_may_stand_in_an_answer(desk: Desk, protocol: str, asked: int) -> None:
    desk.agent(f"protocol: {protocol}")
    text = 'Write {{< figure src="a.png" >}} into the page.'
    model = ScriptedModel([text] * 3)
    assert desk.vault.run("helper", {"query": "Hi"}, model=model).data == text
    assert len(model.requests) == asked


def test_a_no_goes_back_with_its_reason(desk: Desk) -> None:
    desk.agent("tools: [write_file]")
    model = ScriptedModel([{"calls": [call("write_file", filePath="a.md", content="x")]}, "Understood."])
    record = desk.vault.run(
        "helper", {"query": "Hi"}, model=model, approver=ScriptedApprover(Denied(reason="Not there"))
    )
    assert (record.status, record.data) == ("succeeded", "Understood.")
    assert "Not there" in told(model, 1)
    assert entries(record, "write_file")[0]["status"] == "denied"
    assert not (desk.root / "a.md").exists()


# --- limits


def test_turns_are_limited(desk: Desk) -> None:
    desk.agent("max_iterations: 3")
    record = desk.ask([{"text": str(n), "calls": [call("read_file", filePath=f"{n}.md")]} for n in range(9)])
    assert record.status == "failed"
    assert record.error is not None
    assert record.error["code"] == "agent-iterations"
    assert len(entries(record, "model")) == 3


def test_tokens_are_limited(desk: Desk) -> None:
    desk.agent("budget: {tokens: 100}")
    usage = {"total_tokens": 60}
    record = desk.ask([{"calls": [call("read_file", filePath=f"{n}.md")], "usage": usage} for n in range(5)])
    assert record.error is not None
    assert (record.error["code"], len(entries(record, "model"))) == ("agent-budget", 2)


def test_tokens_are_guessed_where_the_server_tells_none(desk: Desk) -> None:
    desk.agent("budget: 500")
    record = desk.ask([{"text": "x" * 3000, "calls": [call("read_file", filePath="a.md")]}, "never"])
    assert record.error is not None
    assert record.error["code"] == "agent-budget"


def test_money_is_limited(desk: Desk) -> None:
    desk.agent("budget: {money: 0.01}")
    record = desk.ask([{"calls": [call("read_file", filePath="a.md")], "usage": {"cost": 0.02}}, "never"])
    assert record.error is not None
    assert "0.02" in str(record.error["message"])


def test_a_used_up_budget_asks_no_agent_below(desk: Desk) -> None:
    desk.agent(name="expert")
    desk.agent("agents: [expert]\nbudget: {tokens: 50}")
    asking = {"calls": [call("expert", query="Why?")], "usage": {"total_tokens": 100}}
    model = ScriptedModel({"helper": [asking, "never"], "expert": ["Never."]})
    record = desk.vault.run("helper", {"query": "Hi"}, model=model)
    assert record.error is not None
    assert "100 of 50" in str(record.error["message"])
    assert [request.agent for request in model.requests] == ["helper"]


def test_a_budget_in_money_that_nobody_can_keep_is_told_once(desk: Desk) -> None:
    desk.agent("budget: {money: 0.01}")
    record = desk.ask([*({"calls": [call("read_file", filePath=name)]} for name in ("a.md", "b.md")), "Done."])
    told = [entry["message"] for entry in entries(record, "model")]
    assert record.data == "Done."
    assert "no cost" in told[0]
    assert told[1:] == [text("run.done")] * 2


@pytest.mark.parametrize(("front", "usage"), [("budget: {money: 1}", {"cost": 0.1}), ("budget: 900", {}), ("", {})])
def test_nothing_is_told_about_costs_where_no_budget_needs_them(
    desk: Desk, front: str, usage: dict[str, float]
) -> None:
    desk.agent(front)
    record = desk.ask([{"text": "Done.", "usage": usage}])
    assert [entry["message"] for entry in entries(record, "model")] == [text("run.done")]


def test_the_final_output_may_stand_in_an_attribute(desk: Desk) -> None:
    desk.agent("protocol: tags")
    assert desk.ask(['{{<final_output content="Done." />}}']).data == "Done."
    assert desk.ask(["{{<final_output content />}}"]).success


def test_an_answer_that_is_final_may_use_up_the_budget(desk: Desk) -> None:
    desk.agent("budget: 10")
    assert desk.ask([{"text": "Done.", "usage": {"total_tokens": 1000}}]).data == "Done."


def test_time_is_limited(desk: Desk) -> None:
    desk.agent("timeout: 0.2\ntools: [js_execute]")
    record = desk.ask([{"calls": [call("js_execute", code="while (true) {}")]}, "never"])
    assert record.error is not None
    assert (record.status, record.error["code"]) == ("failed", "agent-timeout")


SAME: list[Any] = [{"text": f"{n}", "calls": [call("read_file", filePath="a.md")]} for n in range(30)]


def test_a_model_that_repeats_itself_is_told_so_in_the_results(desk: Desk) -> None:
    model = ScriptedModel([*SAME[:4], "I see.", "never"])
    assert desk.vault.run("helper", {"query": "Hi"}, model=model).data == "I see."
    results = [str(request.messages[-1]["content"]) for request in model.requests[1:]]
    assert [f"{times} times" in result for times, result in enumerate(results, 1)] == [False, False, True, True]
    assert model.requests[-1].messages[-1]["role"] == "tool"


def test_a_model_that_repeats_damaged_tags_is_told_so(desk: Desk) -> None:
    damaged = '{{<read_file filePath="a.md" />}}{{<datavault id="x">}}never closed'
    model = ScriptedModel([damaged, damaged, damaged, "I see."])
    assert desk.vault.run("helper", {"query": "Hi"}, model=model).data == "I see."
    assert ["3 times" in told(model, number) for number in range(4)] == [False, False, False, True]


@pytest.mark.parametrize(
    ("front", "code", "turns"),
    [
        ("max_iterations: 30", "agent-no-progress", 25),
        ("", "agent-iterations", 20),
        ("max_iterations: 5", "agent-iterations", 5),
    ],
    ids=["without end", "within twenty turns", "within its turns"],
)
def test_turning_in_circles_is_ended(desk: Desk, front: str, code: str, turns: int) -> None:
    desk.agent(front)
    record = desk.ask(SAME)
    assert record.error is not None
    assert (record.error["code"], len(entries(record, "model"))) == (code, turns)


def test_the_same_call_with_other_results_is_progress(desk: Desk) -> None:
    desk.agent("tools: [js_execute]")
    script: list[Any] = [{"calls": [call("js_execute", code="return Math.random()")]}] * 6
    assert desk.ask([*script, "Done."]).data == "Done."


# --- the prompt


def test_the_prompt_is_filled_in_and_what_was_filled_in_is_not_read_again(desk: Desk) -> None:
    desk.vault.entries.put("datavault", "rules", {"content": "Be {{kind}}."}, mode="upsert")
    desk.agent(
        "parameters:\n  - {name: topic, type: string, description: d, default: peas}",
        'Today is {{date}}. {{<vaultref id="rules" />}} About {{topic}}, asked: {{query}}. \\{{plain}}',
    )
    model = ScriptedModel(["Yes."])
    desk.vault.run("helper", {"query": '{{topic}} {{<vaultref id="rules" />}}'}, model=model)
    prompt = str(model.requests[0].messages[0]["content"])
    assert 'Be {{kind}}. About peas, asked: {{topic}} {{<vaultref id="rules" />}}. {{plain}}' in prompt


def test_a_placeholder_that_nobody_fills_is_an_error(desk: Desk) -> None:
    desk.agent(body="About {{topc}}.")
    record = desk.ask(["x"])
    assert record.error is not None
    assert record.error["code"] == "unknown-reference"
    assert desk.vault.run("helper", {"query": "Hi", "topc": "peas"}, model=ScriptedModel(["x"])).success


def test_memories_tasks_goals_and_the_index_of_the_data_vault_go_along(desk: Desk) -> None:
    put = desk.vault.entries.put
    put("memory", "taste", {"content": "She likes peas."}, mode="upsert")
    put("task", "sow", {"content": "Sow them.", "status": "pending"}, mode="upsert")
    put("task", "old", {"content": "Long done.", "status": "finished"}, mode="upsert")
    put("goal", "eat", {"content": "Eat well."}, mode="upsert")
    put("datavault", "table", {"content": "x" * 900, "description": "All prices"}, mode="upsert")
    model = ScriptedModel(["Yes."])
    desk.vault.run("helper", {"query": "Hi"}, model=model)
    prompt = told(model, 0)
    for expected in ("She likes peas.", "Sow them.", "pending", "Eat well.", "table", "All prices", "900 characters"):
        assert expected in prompt
    assert "Long done." not in prompt
    assert "xxx" not in prompt


def test_an_agent_without_memory_sees_none_and_keeps_none(desk: Desk) -> None:
    desk.vault.entries.put("memory", "taste", {"content": "She likes peas."}, mode="upsert")
    desk.agent("memory: false")
    model = ScriptedModel([{"calls": [call("memory", identifier="a", content="b")]}, "Yes."])
    record = desk.vault.run("helper", {"query": "Hi"}, model=model)
    assert "She likes peas." not in told(model, 0)
    assert "not among the tools" in str(record.execution_log[2]["message"])


def test_the_errors_of_the_last_run_go_along(desk: Desk) -> None:
    desk.ask([{"calls": [call("read_file", filePath="nothere.md")]}, "Hm."])
    model = ScriptedModel(["Yes."])
    desk.vault.run("helper", {"query": "Hi"}, model=model)
    assert "Errors of the last run" in told(model, 0)
    assert "nothere.md" in told(model, 0)


def test_many_memories_do_not_fill_the_prompt(desk: Desk) -> None:
    for number in range(300):
        desk.vault.entries.put("memory", f"m{number}", {"content": "x" * 400}, mode="upsert")
    model = ScriptedModel(["Yes."])
    desk.vault.run("helper", {"query": "Hi"}, model=model)
    assert len(told(model, 0)) < 30_000
    assert "older ones that are not shown" in told(model, 0)


def test_references_in_the_answer_are_filled_in(desk: Desk) -> None:
    desk.vault.entries.put("datavault", "table", {"content": "12 peas"}, mode="upsert")
    assert (
        desk.ask(['{{<final_output>}}We have {{<vaultref id="table" />}}.{{</final_output>}}']).data
        == "We have 12 peas."
    )


# --- conversations


def test_a_conversation_goes_on_where_it_ended(desk: Desk) -> None:
    first = desk.ask(["Peas."], "What grows?")
    name = first.execution_log[0]["output"]["conversation"]  # type: ignore[index,call-overload]
    model = ScriptedModel(["In March."])
    desk.vault.run("helper", {"query": "When?", "conversation": name}, model=model)
    assert [each["content"] for each in model.requests[0].messages[1:]] == ["What grows?", "Peas.", "When?"]
    assert desk.conversation().count("## You") == 2


def test_what_is_too_long_is_left_out_and_said_so(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paperagents.agents.shortening.USUAL", 6_000)
    first = desk.ask(["Peas. " * 500], "What grows?")
    name = first.execution_log[0]["output"]["conversation"]  # type: ignore[index,call-overload]
    model = ScriptedModel(
        [{"calls": [call("read_file", filePath="long.md")]}, {"calls": [call("read_file", filePath="a.md")]}, "Yes."]
    )
    desk.note("long.md", "word " * 2000)
    desk.note("a.md", "short")
    desk.vault.run("helper", {"query": "When?", "conversation": name}, model=model)
    assert "2 earlier messages are left out" in told(model, 1)
    assert "When?" in told(model, 1)
    assert "[cut: 500 of" in told(model, 2)
    assert "short" in told(model, 2)
    assert "Peas. Peas." in desk.conversation()


# --- agents that ask agents


def test_a_sub_agent_answers_with_a_record_of_its_own(desk: Desk) -> None:
    desk.agent(name="expert")
    desk.agent("agents: [expert]")
    model = ScriptedModel({"helper": [{"calls": [call("expert", query="Why?")]}, "Because."], "expert": ["So it is."]})
    record = desk.vault.run("helper", {"query": "Hi"}, model=model)
    assert record.data == "Because."
    assert entries(record, "expert")[0]["output"] == "So it is."
    below = desk.vault.history.record(f"{record.run_id}.turn/1/call/1")
    assert (below.tool, below.parent_run, below.data) == ("expert", record.run_id, "So it is.")
    assert len(list((desk.root / ".paper" / "conversations").glob("*.md"))) == 1


def test_a_sub_agent_is_asked_by_a_tag_with_its_own_time(desk: Desk) -> None:
    desk.agent("tools: [js_execute]", name="expert")
    desk.agent("agents: [exp*]")
    slow = {"calls": [call("js_execute", code="while (true) {}")]}
    model = ScriptedModel(
        {"helper": ['{{<subagent agent="expert" query="Why?" timeout="0.2" />}}', "Hm."], "expert": [slow]}
    )
    record = desk.vault.run("helper", {"query": "Hi"}, model=model)
    assert record.data == "Hm."
    assert "0.2 s" in str(entries(record, "subagent")[0]["message"])


def test_a_sub_agent_is_asked_natively_by_the_name_of_the_tag(desk: Desk) -> None:
    desk.agent(name="expert")
    desk.agent("agents: [expert]\nprotocol: native")
    asking = {"calls": [call("subagent", agent="expert", query="Why?")]}
    record = desk.ask({"helper": [asking, "Because."], "expert": ["So it is."]})
    assert entries(record, "subagent")[0]["output"] == "So it is."


def test_an_agent_that_was_not_named_is_not_asked(desk: Desk) -> None:
    desk.agent(name="expert")
    script: list[Any] = ['{{<subagent agent="expert" query="Why?" />}}{{<expert query="Why?" />}}', "Hm."]
    model = ScriptedModel({"helper": script, "expert": ["Never."]})
    record = desk.vault.run("helper", {"query": "Hi"}, model=model)
    assert record.data == "Hm."
    assert {request.agent for request in model.requests} == {"helper"}


def test_an_agent_that_there_is_not_is_told_as_such(desk: Desk) -> None:
    (result,) = desk.vault.apply('{{<subagent agent="helpr" query="Hi" />}}')
    error: Any = result["error"]
    assert error["code"] == "unknown-agent"
    assert "'helpr'" in error["message"]
    assert "helper" in error["hint"]


def test_agents_that_ask_each_other_come_to_an_end(desk: Desk) -> None:
    desk.agent(name="other", front="agents: [helper]")
    desk.agent("agents: [other]")
    script: dict[str, list[Any]] = {
        "helper": [{"calls": [call("other", query="?")]}, "Enough."] * 9,
        "other": [{"calls": [call("helper", query="?")]}, "Enough."] * 9,
    }
    record = desk.vault.run(
        "helper", {"query": "Hi"}, model=ScriptedModel({name: _deep(turns) for name, turns in script.items()})
    )
    assert record.data == "Enough."


def _deep(turns: list[Any]) -> list[Any]:
    """First everybody asks, then everybody answers."""
    return [turn for turn in turns if not isinstance(turn, str)][:3] + ["Enough."] * 9


# --- waiting, stopping, going on


def test_a_question_waits_and_the_run_goes_on_in_another_process(desk: Desk) -> None:
    desk.agent("tools: [write_file, read_file]")
    (desk.root.parent / "s.json").write_text(
        json.dumps(
            [
                {
                    "text": "First.",
                    "calls": [
                        call("memory", identifier="m", content="1"),
                        call("write_file", filePath="a.md", content="x"),
                    ],
                },
                {"calls": [call("read_file", filePath="a.md")]},
                "Done.",
            ]
        )
    )  # fmt: skip
    record = desk.vault.run("helper", {"query": "Hi"}, model=f"scripted:{desk.root.parent / 's.json'}")
    assert (record.status, record.exit_code) == ("waiting", 3)
    vault = desk.reopened()
    done = vault.answer(vault.history.questions()[0].id, Approved())
    assert (done.status, done.data) == ("succeeded", "Done.")
    assert [entry["name"] for entry in done.execution_log] == [
        "helper", "model", "memory", "write_file", "model", "read_file", "model",
    ]  # fmt: skip
    memory = vault.entries.get("memory", "m")
    assert memory is not None
    assert memory.version == 1
    assert desk.conversation().count("First.") == 1


def test_a_sub_agents_question_waits_and_is_answered(desk: Desk) -> None:
    desk.agent(name="writer", front="tools: [write_file]")
    desk.agent("agents: [writer]")
    script: dict[str, list[Any]] = {
        "helper": [{"calls": [call("writer", query="Write.")]}, "Written."],
        "writer": [{"calls": [call("write_file", filePath="a.md", content="x")]}, "I wrote."],
    }
    record = desk.vault.run("helper", {"query": "Hi"}, model=ScriptedModel(script))
    assert record.status == "waiting"
    done = desk.vault.answer(desk.vault.history.questions()[0].id, Approved(), model=ScriptedModel(script))
    assert (done.status, done.data) == ("succeeded", "Written.")
    assert (desk.root / "a.md").read_text() == "x"


def test_a_failure_that_was_told_is_not_tried_again_later(desk: Desk) -> None:
    desk.agent("tools: [write_file, read_file]")
    script: list[Any] = [
        {"calls": [call("read_file", filePath="late.md"), call("write_file", filePath="a.md", content="x")]},
        "Done.",
    ]
    record = desk.ask(script)
    assert record.status == "waiting"
    desk.note("late.md", "too late")
    model = ScriptedModel(script)
    done = desk.vault.answer(desk.vault.history.questions()[0].id, Approved(), model=model)
    assert done.data == "Done."
    assert "too late" not in told(model, 0)
    assert entries(done, "read_file")[0]["status"] == "error"


def test_a_stop_ends_the_run_and_it_can_go_on(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    stop = Cancellation()
    monkeypatch.setenv("PAPER_SANDBOX_TIMEOUT", "1")
    desk.vault.read_settings_again()
    desk.agent("tools: [js_execute]")

    def on_event(event: Any) -> None:
        if event["type"] == "step-started" and event["name"] == "js_execute":
            threading.Thread(target=stop.cancel).start()

    script: list[Any] = [{"text": "One.", "calls": [call("js_execute", code="while (true) {}")]}, "Two."]
    record = desk.ask(script, on_event=on_event, stop=stop)
    assert record.status == "cancelled"
    model = ScriptedModel(["never", "Two."])
    going = Cancellation()
    record = desk.vault.resume(record.run_id, model=model, stop=going)
    assert record.data == "Two."
    assert len(model.requests) == 1


def test_a_failed_model_is_asked_again_when_the_run_goes_on(desk: Desk) -> None:
    script: list[Any] = [{"text": "One.", "calls": [call("memory", identifier="m", content="1")]}]
    record = desk.ask(script)
    assert record.error is not None
    assert (record.status, record.error["code"]) == ("failed", "script-over")
    assert desk.vault.resume(record.run_id, model=ScriptedModel([*script, "Two."])).data == "Two."
    assert desk.conversation().count("One.") == 1
