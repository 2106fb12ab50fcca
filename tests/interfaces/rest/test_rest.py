"""The REST API: the same tools, approvals and records as everywhere."""

from __future__ import annotations

import json
import threading
import time
from typing import Any

import httpx2
import pytest
from tests.waiting import wait_until
from websockets.sync.client import connect

from paperagents.interfaces.serving.callers import RIGHTS
from paperagents.interfaces.serving.live_runs import LiveRuns
from paperagents.messages import use_language

from ..served import POST_OFFICE, Served  # noqa: TID252  shared by the tests of two interfaces

WRITE = {"tool": "write_file", "arguments": {"filePath": "a.md", "content": "x"}}


@pytest.fixture
def client(served: Served) -> Any:
    with served.program(*RIGHTS) as calling:
        yield calling


def waiting(client: httpx2.Client, call: dict[str, Any] | None = None) -> dict[str, Any]:
    answer = client.post("/api/runs", json=call or WRITE)
    assert answer.status_code == 202
    assert answer.json()["status"] == "waiting"
    question: dict[str, Any] = client.get("/api/approvals").json()[-1]
    return question


def test_whoever_prefers_little_gets_how_a_run_stands_without_its_result(client: httpx2.Client) -> None:
    call = {"tool": "shout", "arguments": {"words": "hi"}}
    whole = client.post("/api/runs", json=call)
    answer = client.post("/api/runs", json=call, headers={"prefer": "respond-async, return=minimal"})
    assert set(whole.json()) - set(answer.json()) == {"data", "execution_log"}
    assert answer.json()["status"] == "succeeded"
    assert answer.headers["preference-applied"] == "return=minimal"
    assert "preference-applied" not in whole.headers
    refused = client.post("/api/runs", json={"tool": "shout"}, headers={"prefer": "return=minimal"})
    assert (refused.status_code, refused.json()["details"]["problems"][0]["parameter"]) == (422, "words")


def test_tools_are_listed_and_shown(client: httpx2.Client) -> None:
    listed = {each["id"]: each for each in client.get("/api/tools").json()}
    assert {"shout", "two_notes", "write_file"} <= set(listed)
    shown = client.get("/api/tools/shout").json()
    assert shown["parameters"]["required"] == ["words"]
    assert "Says it loudly." in shown["manual"]
    assert client.get("/api/agents").json()[0]["id"] == "poet"
    assert client.get("/api/agents/poet").json()["kind"] == "agent"


def test_a_broken_file_is_listed_with_its_problems(served: Served, client: httpx2.Client) -> None:
    served.note("broken.md", "---\ntool: true\nname: broken\ncustom_function: |\n  retrun 1\n---\n")
    served.vault.registry.refresh()
    (broken,) = [each for each in client.get("/api/tools").json() if each["id"] == "broken"]
    assert not broken["valid"]
    assert "error" in {each["severity"] for each in client.get("/api/problems", params={"file": "broken.md"}).json()}
    assert client.get("/api/problems", params={"file": "shout.md"}).json() == []


@pytest.mark.parametrize("path", ["/api/tools", "/", "/api/tools/shout"])
def test_a_mistake_of_the_program_is_told_as_problem_details(
    path: str, served: Served, client: httpx2.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RecursionError("deep inside")

    monkeypatch.setattr(served.vault.registry, "entries", fail)
    monkeypatch.setattr(served.vault.registry, "find", fail)
    answer = client.get(path)
    assert (answer.status_code, answer.headers["content-type"]) == (500, "application/problem+json")
    assert (answer.json()["code"], answer.json()["status"]) == ("internal-error", 500)
    assert "RecursionError" in answer.json()["detail"]
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_one_file_nobody_can_read_hides_no_tool_of_a_served_vault(served: Served, client: httpx2.Client) -> None:
    deep = "(" * 3_000 + "input" + ")" * 3_000
    head = "---\ntool: true\nname: deep\ndescription: d\n---\n"
    served.note("deep.md", f"{head}```js\n// @preprocess\nreturn {deep};\n```\n")
    served.note("later.md", "---\ntool: true\nname: later\ndescription: d\ncustom_function: return 7;\n---\n")
    wait_until(lambda: {"deep", "later"} <= {each["id"] for each in client.get("/api/tools").json()})
    assert client.post("/api/runs", json={"tool": "later", "arguments": {}}).json()["data"] == 7
    assert client.post("/api/runs", json={"tool": "deep", "arguments": {}}).status_code < 500


def test_a_run_gives_its_record(served: Served, client: httpx2.Client) -> None:
    answer = client.post("/api/runs", json={"tool": "shout", "arguments": {"words": "hi"}})
    record = answer.json()
    assert (answer.status_code, record["data"], record["status"]) == (200, "HI", "succeeded")
    assert client.get(answer.headers["location"]).json() == record
    assert client.get("/api/runs").json()[0]["run_id"] == record["run_id"]
    assert served.vault.history.record(record["run_id"]).as_json() == record
    again = client.post(f"/api/runs/{record['run_id']}/rerun").json()
    assert again["data"] == "HI"
    assert again["run_id"] != record["run_id"]


def test_wrong_calls_are_problems_with_our_codes(client: httpx2.Client) -> None:
    cases = {
        "invalid-arguments": (422, {"tool": "shout", "arguments": {}}),
        "unknown-tool": (404, {"tool": "shuot"}),
        "invalid-request": (422, {"tool": 7}),
    }
    for code, (status, body) in cases.items():
        answer = client.post("/api/runs", json=body)
        assert (answer.status_code, answer.json()["code"]) == (status, code)
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.json()["status"] == (status if code == "invalid-request" else "failed")
    assert client.get("/api/runs/nothing").json()["code"] == "unknown-run"
    assert client.get("/api/nothing").json()["code"] == "no-such-route"
    wrong = client.delete("/api/runs")
    assert (wrong.status_code, wrong.json()["code"]) == (405, "wrong-method")
    assert wrong.headers["allow"] == "GET, HEAD, POST"
    assert client.get("/api/approvals/x/approve").headers["allow"] == "POST"


def test_a_wrong_call_is_a_run_with_its_record(client: httpx2.Client) -> None:
    for call in ({"tool": "shout", "arguments": {}}, {"tool": "shuot", "arguments": {}}):
        told = client.post("/api/runs", json=call).json()
        record = client.get(f"/api/runs/{told['run_id']}").json()
        assert record["status"] == "failed"
        assert told == {**told, **record}


@pytest.mark.parametrize(
    ("body", "german", "chinese"),
    [
        ({}, "body.tool: fehlt", "body.tool：缺失"),
        ({"tool": 7}, "body.tool: muss Text sein", "body.tool：必须是文本"),
        ({"tool": ""}, "body.tool: ist zu kurz", "body.tool：太短"),
        ({"tool": "x" * 600}, "body.tool: ist zu lang", "body.tool：太长"),
        ({"tool": "x", "y": 1}, "body.y: gibt es nicht", "body.y：不存在"),
        ({"tool": "x", "arguments": 1}, "body.arguments: muss ein Objekt sein", "body.arguments：必须是对象"),
        ({"tool": "x", "dry_run": 1}, "body.dry_run: muss true oder false sein", "body.dry_run：必须是 true 或 false"),
        ([], "body: muss ein Objekt sein", "body：必须是对象"),
    ],
)
def test_what_is_wrong_with_a_request_is_told_in_the_language_of_the_reader(
    client: httpx2.Client, body: Any, german: str, chinese: str
) -> None:
    for language, words in (("de", german), ("zh", chinese)):
        use_language(language)
        problem = client.post("/api/runs", json=body).json()
        assert words in problem["detail"]
    use_language("en")


@pytest.mark.parametrize(
    ("query", "german"),
    [
        ("limit=0", "query.limit: muss mindestens 1 sein"),
        ("limit=9999", "query.limit: darf höchstens 1000 sein"),
        ("limit=x", "query.limit: muss eine ganze Zahl sein"),
        ("status=x", "query.status: muss eines davon sein: queued, running,"),
    ],
)
def test_what_is_wrong_with_a_query_is_told_in_the_language_of_the_reader(
    client: httpx2.Client, query: str, german: str
) -> None:
    use_language("de")
    assert german in client.get(f"/api/runs?{query}").json()["detail"]
    use_language("en")


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b"null", b'{"tool": "shout", "arguments": {"words": NaN}}', b'{"tool": "x", "y": 1}',
     b'{"tool": "shout", "arguments": {"words": 1e999}}', b"[" * 100_000, b'{"tool":' + b"[" * 500 + b"]" * 500 + b"}",
     b"\xff\xfe", b'"\xed\xa0\x80"'],
)  # fmt: skip
def test_a_body_that_cannot_be_read_is_a_problem(client: httpx2.Client, body: bytes) -> None:
    answer = client.post("/api/runs", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 422
    assert answer.json()["code"] == "invalid-request"


def test_what_is_no_json_is_told_of_the_body_and_no_field(client: httpx2.Client) -> None:
    answer = client.post("/api/runs", content=b"{bad", headers={"content-type": "application/json"})
    assert answer.json()["details"] == {"problems": [{"at": "body", "problem": "is not JSON"}]}


def test_a_lone_surrogate_survives_the_way_through(client: httpx2.Client) -> None:
    body = b'{"tool": "shout", "arguments": {"words": "a\\ud800"}}'
    answer = client.post("/api/runs", content=body, headers={"content-type": "application/json"})
    assert answer.status_code in (200, 422)


def test_a_dry_run_changes_nothing(served: Served, client: httpx2.Client) -> None:
    answer = client.post("/api/runs", json={**WRITE, "dry_run": True})
    assert "location" not in answer.headers
    record = answer.json()
    assert record["status"] == "planned"
    assert record["planned"][0]["would_ask"]
    assert served.vault.history.runs() == []


def test_an_approval_carries_the_run_on(served: Served, client: httpx2.Client) -> None:
    question = waiting(client)
    assert "+++ b/a.md" in question["preview"]
    answer = client.post(f"/api/approvals/{question['id']}/approve", json={"digest": question["digest"]})
    assert answer.json()["status"] == "succeeded"
    assert (served.folder / "a.md").read_text() == "x"
    second = client.post(f"/api/approvals/{question['id']}/approve", json={"digest": question["digest"]})
    assert second.status_code == 404


def test_an_answer_to_something_else_than_was_shown_is_refused(served: Served, client: httpx2.Client) -> None:
    question = waiting(client)
    answer = client.post(f"/api/approvals/{question['id']}/approve", json={"digest": "0" * 64})
    assert (answer.status_code, answer.json()["code"]) == (409, "approval-changed")
    assert not (served.folder / "a.md").exists()


def test_a_no_carries_its_reason(served: Served, client: httpx2.Client) -> None:
    question = waiting(client)
    body = {"digest": question["digest"], "reason": "not today"}
    record = client.post(f"/api/approvals/{question['id']}/deny", json=body).json()
    assert record["status"] == "denied"
    assert "not today" in record["error"]["message"]
    assert not (served.folder / "a.md").exists()


def test_an_edit_is_done_instead_and_a_slip_in_it_keeps_the_question(served: Served, client: httpx2.Client) -> None:
    question = waiting(client)
    where = f"/api/approvals/{question['id']}/approve"
    slip = client.post(where, json={"digest": question["digest"], "arguments": {"filePath": "b.md"}})
    assert slip.status_code == 422
    edit = {"filePath": "b.md", "content": "mine"}
    assert client.post(where, json={"digest": question["digest"], "arguments": edit}).json()["success"]
    assert (served.folder / "b.md").read_text() == "mine"
    assert not (served.folder / "a.md").exists()


def test_always_makes_a_rule_that_can_be_taken_back(served: Served, client: httpx2.Client) -> None:
    question = waiting(client)
    client.post(f"/api/approvals/{question['id']}/approve", json={"digest": question["digest"], "always": True})
    call = {"tool": "write_file", "arguments": {"filePath": "a.md", "content": "y", "overwrite": True}}
    assert client.post("/api/runs", json=call).json()["status"] == "waiting", "to create is not to overwrite"
    (served.vault.root / "a.md").unlink()
    assert client.post("/api/runs", json=call).json()["status"] == "succeeded"
    (rule,) = client.get("/api/rules").json()
    assert client.delete(f"/api/rules/{rule['id']}").status_code == 204
    assert client.post("/api/runs", json=call).json()["status"] == "waiting"
    assert client.delete(f"/api/rules/{rule['id']}").status_code == 404
    assert served.vault.rules.rules() == []


def test_a_waiting_run_can_be_given_up(client: httpx2.Client) -> None:
    question = waiting(client)
    record = client.post(f"/api/runs/{question['run_id']}/cancel").json()
    assert record["status"] == "cancelled"
    assert client.get("/api/approvals").json() == []
    assert client.post(f"/api/runs/{question['run_id']}/cancel").status_code == 409


def test_the_beginning_of_an_id_is_enough(client: httpx2.Client) -> None:
    run_id = client.post("/api/runs", json=WRITE).json()["run_id"]
    short = f"/api/runs/{run_id[:9]}"
    assert client.get(short).json()["run_id"] == run_id
    assert client.post(f"{short}/cancel", params={"wait": 20}).json()["status"] == "cancelled"
    with client.stream("GET", f"{short}/events") as stream:
        assert '"cancelled"' in stream.read().decode()


def test_a_run_that_goes_on_can_be_stopped(client: httpx2.Client) -> None:
    begun = client.post("/api/runs", json={"tool": "slow"}, params={"wait": 0})
    assert begun.status_code == 202
    assert begun.json()["status"] == "running"
    stopped = client.post(f"/api/runs/{begun.json()['run_id']}/cancel", params={"wait": 20})
    assert stopped.json()["status"] == "cancelled"


def test_a_key_makes_a_call_happen_once(client: httpx2.Client) -> None:
    call = {"tool": "shout", "arguments": {"words": "hi"}}
    headers = {"idempotency-key": "order-7"}
    first, second = (client.post("/api/runs", json=call, headers=headers) for _ in range(2))
    assert first.json() == second.json()
    assert len(client.get("/api/runs").json()) == 1
    other = client.post("/api/runs", json={**call, "arguments": {"words": "ho"}}, headers=headers)
    assert (other.status_code, other.json()["code"]) == (422, "idempotency-key-reused")


def test_a_key_holds_also_for_calls_at_the_same_moment(served: Served, client: httpx2.Client) -> None:
    call = {"tool": "shout", "arguments": {"words": "hi"}}
    answers: list[str] = []

    def go() -> None:
        with served.client() as mine:
            answers.append(mine.post("/api/runs", json=call, headers={"idempotency-key": "k"}).json()["run_id"])

    threads = [threading.Thread(target=go) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(answers)) == 1
    assert len(client.get("/api/runs").json()) == 1


def test_a_run_is_followed_while_it_goes_and_again_afterwards(client: httpx2.Client) -> None:
    run_id = client.post("/api/runs", json={"tool": "two_notes"}, params={"wait": 0}).json()["run_id"]
    for _ in range(2):
        with client.stream("GET", f"/api/runs/{run_id}/events") as stream:
            events = [json.loads(line[5:]) for line in stream.iter_lines() if line.startswith("data:")]
        kinds = [event["type"] for event in events]
        assert kinds[0] == "run-started"
        assert kinds[-1] == "run-finished"
        assert events[-1]["status"] == "waiting"
    with client.stream("GET", f"/api/runs/{run_id}/events", headers={"last-event-id": "999"}) as stream:
        assert "run-finished" in stream.read().decode()


def test_everything_is_told_over_a_websocket(served: Served, client: httpx2.Client) -> None:
    headers = {"Authorization": f"Bearer {served.access.token}"}
    with connect(served.url.replace("http", "ws") + "/api/events", additional_headers=headers) as live:
        question_run = client.post("/api/runs", json=WRITE).json()["run_id"]
        events: list[dict[str, Any]] = []
        while not events or events[-1]["type"] != "run-finished":
            events.append(json.loads(live.recv(timeout=20)))
        asked = next(event for event in events if event["type"] == "approval-requested")
        assert asked["approval"]["run_id"] == question_run
        served.note("new.md", "hello")
        while events[-1]["type"] != "vault-changed":
            events.append(json.loads(live.recv(timeout=20)))
        assert "new.md" in events[-1]["files"]


def test_entries_are_kept_changed_and_deleted_after_a_yes(client: httpx2.Client) -> None:
    made = client.put("/api/entries/memory/tea", json={"content": "green", "heading": "Tea"})
    assert made.json()["success"]
    assert client.get("/api/entries/memory/tea").json()["content"] == "green"
    assert [each["identifier"] for each in client.get("/api/entries/memory").json()] == ["tea"]
    assert client.delete("/api/entries/memory/tea").json()["status"] == "waiting"
    (question,) = client.get("/api/approvals").json()
    client.post(f"/api/approvals/{question['id']}/approve", json={"digest": question["digest"]})
    assert client.get("/api/entries/memory/tea").status_code == 404


def test_every_version_of_an_entry_is_shown_and_can_be_brought_back(client: httpx2.Client) -> None:
    for content in ("green", "black"):
        client.put("/api/entries/memory/tea", json={"content": content})
    client.delete("/api/entries/memory/tea")
    (question,) = client.get("/api/approvals").json()
    client.post(f"/api/approvals/{question['id']}/approve", json={"digest": question["digest"]})
    versions = client.get("/api/entries/memory/tea/versions").json()
    assert [each["version"] for each in versions] == [1, 2, 3]
    assert [each["fields"] and each["fields"]["content"] for each in versions] == ["green", "black", None]
    waiting = client.post("/api/entries/memory/tea/restore", json={"version": 1})
    assert (waiting.status_code, waiting.json()["status"]) == (202, "waiting")
    (question,) = client.get("/api/approvals").json()
    client.post(f"/api/approvals/{question['id']}/approve", json={"digest": question["digest"]})
    again = client.get("/api/entries/memory/tea").json()
    assert (again["content"], again["version"]) == ("green", 4)
    for version in (3, 9):
        refused = client.post("/api/entries/memory/tea/restore", json={"version": version})
        assert (refused.status_code, refused.json()["code"]) == (404, "entry-version-not-found")
    assert client.get("/api/entries/memory/milk/versions").status_code == 404


def test_kinds_of_entries_are_counted_and_a_misspelt_one_is_told(client: httpx2.Client) -> None:
    client.put("/api/entries/task/sow", json={"heading": "Sow the peas"})
    counts = {each["kind"]: each["count"] for each in client.get("/api/entries").json()}
    assert counts == {"memory": 0, "task": 1, "goal": 0, "datavault": 0}
    refused = client.get("/api/entries/taks")
    assert (refused.status_code, refused.json()["code"]) == (404, "unknown-kind")
    assert "datavault" in refused.json()["hint"]
    assert client.put("/api/entries/shout/sow", json={"content": "x"}).status_code == 404


def test_variables_of_a_tool_are_set_and_removed_and_never_shown(served: Served, client: httpx2.Client) -> None:
    served.note("post.tool.js", POST_OFFICE)
    served.vault.registry.refresh()
    tool = served.vault.registry.tool("post office").id
    before = client.get(f"/api/environment/{tool}").json()
    assert before["KEY"] == {
        "required": True, "configured": False, "value": None, "description": "What the post office asks for",
        "default": None,
    }  # fmt: skip
    assert not before["COUNTRY"]["required"]
    assert client.post("/api/runs", json={"tool": tool}).json()["error"]["code"] == "MISSING_ENV_VAR"
    answer = client.put(f"/api/environment/{tool}", json={"KEY": "sesame-4711"})
    assert answer.json()["KEY"] == {**before["KEY"], "configured": True, "value": "***"}
    assert served.vault.environments.values(tool) == {"KEY": "sesame-4711"}
    ran = client.post("/api/runs", json={"tool": tool})
    assert ran.json()["data"] == len("sesame-4711")
    assert "sesame" not in answer.text + ran.text
    refused = client.put(f"/api/environment/{tool}", json={"KEY": "abc"})
    assert (refused.status_code, refused.json()["code"]) == (400, "variable-does-not-fit")
    assert client.put(f"/api/environment/{tool}", json={"KYE": "x"}).json()["code"] == "unknown-variable"
    assert not client.put(f"/api/environment/{tool}", json={"KEY": None}).json()["KEY"]["configured"]
    assert client.get("/api/environment/nothing").status_code == 404


def test_search_figures_settings_and_status(client: httpx2.Client) -> None:
    assert client.get("/api/search", params={"query": "quiet"}).json()["count"] == 1
    client.post("/api/runs", json={"tool": "shout", "arguments": {"words": "x"}})
    assert client.get("/api/stats").json()["runs"] == 1
    assert client.get("/api/settings").json()["sandbox.timeout"]["origin"] == "default"
    assert client.get("/api/status").json()["vault"] == "vault"


def test_a_run_that_waits_for_a_worker_is_listed_and_shown(served: Served, client: httpx2.Client) -> None:
    queued = served.vault.enqueue("shout", {"words": "hi"})
    listed = client.get("/api/runs", params={"status": "queued"})
    assert (listed.status_code, [each["run_id"] for each in listed.json()]) == (200, [queued.run_id])
    assert client.get(f"/api/runs/{queued.run_id}").json()["status"] == "queued"
    described = json.dumps(client.get("/api/openapi.json").json()["components"]["schemas"]["Record"])
    assert '"queued"' in described


def test_a_wrong_call_is_told_however_quickly_it_is_over(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    start = LiveRuns.start

    def start_and_end(live: LiveRuns, *arguments: Any, **options: Any) -> str:
        run_id = start(live, *arguments, **options)
        while live.goes_on(run_id):
            time.sleep(0.01)
        return run_id

    monkeypatch.setattr(LiveRuns, "start", start_and_end)
    with served.client() as client:
        assert client.post("/api/runs", json={"tool": "shout", "arguments": {}}).status_code == 422
