"""A vault in an asynchronous program: the same words, events as they come, and nobody left behind."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import paperagents
from paperagents import ApprovalRequest, Approved, Decision, Denied, Event
from paperagents.testing import ScriptedModel

AGENT = "---\nagent: true\nname: helper\ndescription: Helps.\ntools: [write_file]\n---\nHelp.\n"
SHOUT = (
    "---\ntool: true\nname: shout\ndescription: Loud.\nparameters:\n  - {name: words, type: string, description: W}\n"
    "custom_function: return input.words.toUpperCase();\n---\n"
)


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    vault = tmp_path / "vault"
    (vault / ".paper").mkdir(parents=True)
    (vault / "helper.md").write_text(AGENT)
    (vault / "shout.md").write_text(SHOUT)
    return vault


def test_many_runs_go_on_side_by_side(root: Path) -> None:
    async def program() -> list[Any]:
        async with await paperagents.open_vault_async(root) as vault:
            runs = await asyncio.gather(*(vault.run("shout", {"words": f"w{number}"}) for number in range(20)))
            assert await vault.check() == []
            assert (await vault.plan("shout", {"words": "a"})).status == "planned"
            return [run.data for run in runs]

    assert asyncio.run(program()) == [f"W{number}" for number in range(20)]


def test_a_coroutine_answers_in_the_loop_of_the_program(root: Path) -> None:
    async def program() -> tuple[str, str]:
        loop = asyncio.get_running_loop()

        async def approver(request: ApprovalRequest) -> Decision:
            await asyncio.sleep(0)
            assert asyncio.get_running_loop() is loop
            return Approved() if request.arguments["filePath"] == "a.md" else Denied(reason="no")

        async with await paperagents.open_vault_async(root) as vault:
            yes = await vault.run("write_file", {"filePath": "a.md", "content": "x"}, approver=approver)
            no = await vault.run("write_file", {"filePath": "b.md", "content": "x"}, approver=approver)
            return yes.status, no.status

    assert asyncio.run(program()) == ("succeeded", "denied")


@pytest.mark.parametrize("inside", [False, True])
def test_a_coroutine_function_also_answers_a_vault_that_is_not_awaited(root: Path, *, inside: bool) -> None:
    async def approver(_: ApprovalRequest) -> Decision:
        await asyncio.sleep(0)
        return Approved()

    def program() -> str:
        with paperagents.open_vault(root) as vault:
            return vault.run("write_file", {"filePath": "a.md", "content": "x"}, approver=approver).status

    async def around() -> str:
        return program()

    assert (asyncio.run(around()) if inside else program()) == "succeeded"


def test_events_come_as_they_happen_and_the_record_at_the_end(root: Path) -> None:
    async def program() -> list[Event]:
        async with await paperagents.open_vault_async(root) as vault:
            model = ScriptedModel(["Good morning."])
            return [event async for event in vault.stream("helper", {"query": "Hi"}, model=model)]

    events = asyncio.run(program())
    kinds = [event["type"] for event in events]
    assert kinds[0] == "run-started"
    assert kinds[-2:] == ["run-finished", "record"]
    assert "".join(str(event["text"]) for event in events if event["type"] == "model-text") == "Good morning."
    record = events[-1]["record"]
    assert isinstance(record, dict)
    assert (record["data"], record["success"]) == ("Good morning.", True)


@pytest.mark.parametrize("way", ["break", "cancel"])
def test_who_stops_waiting_cancels_the_run(root: Path, way: str) -> None:
    async def program() -> str:
        async with await paperagents.open_vault_async(root) as vault:
            call = ("js_execute", {"code": "while (true) {}"})
            if way == "break":
                stream = vault.stream(*call)
                async for event in stream:
                    if event["type"] == "step-started":
                        break
                await stream.aclose()  # type: ignore[attr-defined]  # an asynchronous generator
            else:
                started = asyncio.Event()
                task = asyncio.ensure_future(vault.run(*call, on_event=lambda _: started.set()))
                await started.wait()
                task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await task
            return str(vault.vault.history.runs()[0]["status"])

    assert asyncio.run(program()) == "cancelled"


def test_two_vaults_do_not_touch_each_other(root: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    (other / ".paper").mkdir(parents=True)
    (other / "shout.md").write_text(SHOUT.replace("toUpperCase", "toLowerCase"))
    (other / ".paper" / "settings.toml").write_text('language = "de"\n')
    with paperagents.open_vault(root) as one, paperagents.open_vault(other) as two:
        one.run("memory", {"identifier": "a", "content": "b"})
        assert (one.run("shout", {"words": "Ab"}).data, two.run("shout", {"words": "Ab"}).data) == ("AB", "ab")
        assert two.entries.get("memory", "a") is None
        one.services.redaction.learn(["very-secret-4711"])
        assert two.run("shout", {"words": "very-secret-4711"}).data == "very-secret-4711"
        error = one.run("shout", {}).error
        assert error is not None
        assert "Pflichtfeld" not in str(error["message"])


@pytest.mark.parametrize("is_async", [True, False])
@pytest.mark.parametrize(("answer", "code"), [(True, "approver-answer"), (ValueError("boom"), "approver-failed")])
def test_an_approver_that_fails_is_no_yes_and_is_told_in_a_sentence(
    root: Path, answer: object, code: str, *, is_async: bool
) -> None:
    def decide(_: object) -> Any:
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def decide_later(request: object) -> Any:
        return decide(request)

    arguments: dict[str, Any] = {"filePath": "b.md", "content": "x"}
    with paperagents.open_vault(root) as vault:
        record = vault.run("write_file", arguments, approver=decide_later if is_async else decide)
    assert record.error is not None
    assert (record.status, record.error["code"], (root / "b.md").exists()) == ("failed", code, False)
    assert ("boom" if code == "approver-failed" else "True") in str(record.error["message"])


def test_what_was_changed_is_found_and_taken_back_without_waiting(root: Path) -> None:
    async def go() -> None:
        async with await paperagents.open_vault_async(root) as vault:
            await vault.run("write_file", {"filePath": "b.md", "content": "x"}, approver=yes)
            assert [each["path"] for each in await vault.changes()] == ["b.md"]
            assert (await vault.undo(approver=yes)).success

    async def yes(_: object) -> Approved:
        return Approved()

    asyncio.run(go())
    assert not (root / "b.md").exists()


def test_every_public_name_can_be_had_and_importing_loads_nothing() -> None:
    assert all(getattr(paperagents, name) is not None for name in paperagents.__all__)
    code = "import sys, paperagents; print([m for m in sys.modules if m.startswith('paperagents.')])"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "['paperagents.version']"
