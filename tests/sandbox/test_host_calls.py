"""JavaScript asks the host: values, errors, time and numbers."""

from __future__ import annotations

import time
from typing import Any

import pytest

from paperagents.errors import SandboxError, ToolError
from paperagents.sandbox import EndsBlock, Limits, Sandbox


def test_values_go_and_come_unchanged(sandbox: Sandbox) -> None:
    seen: list[object] = []

    def keep(*values: object) -> None:
        seen.extend(values)

    odd: Any = {"text": 'ä😀\0"\\', "list": [1, -2.5, None, True, {}], "__proto__": 1, "big": 2**53}
    answer = sandbox.run(
        "await keep(input, 1); return await give()", names={"input": odd}, host={"keep": keep, "give": lambda: odd}
    )
    assert seen == [odd, 1]
    assert answer.value == odd


def test_the_clock_stands_still_while_the_host_works(sandbox: Sandbox) -> None:
    def slow() -> str:
        until = time.monotonic() + 2.5 * sandbox.limits.seconds
        while time.monotonic() < until:
            time.sleep(0.01)
        return "patience"

    assert sandbox.run("return await slow()", host={"slow": slow}).value == "patience"


def test_the_time_before_and_after_a_call_is_counted_together(sandbox: Sandbox) -> None:
    burn = "const end = Date.now() + 200; while (Date.now() < end);"
    with pytest.raises(SandboxError) as caught:
        sandbox.run(f"for (let i = 0; i < 20; i++) {{ {burn} await nothing(); }}", host={"nothing": lambda: None})
    assert caught.value.code == "sandbox-timeout"


def test_an_error_of_the_program_brings_its_message_and_code(sandbox: Sandbox) -> None:
    def refuse() -> None:
        raise ToolError("sandbox-closed")

    code = "try { await refuse(); } catch (e) { return [e instanceof Error, e.message, e.code, Object.keys(e)]; }"
    found = sandbox.run(code, host={"refuse": refuse}).value
    assert found == [True, ToolError("sandbox-closed").message, "sandbox-closed", ["code"]]


def test_any_other_error_brings_its_text(sandbox: Sandbox) -> None:
    def divide(a: int, b: int) -> float:
        return a / b

    code = "try { return await divide(1, 0); } catch (e) { return [e.message, e.code]; }"
    assert sandbox.run(code, host={"divide": divide}).value == ["division by zero", "host-error"]
    wrong = "try { await divide(1); } catch (e) { return e.code; }"
    assert sandbox.run(wrong, host={"divide": divide}).value == "host-error"


def test_an_error_that_is_not_caught_carries_the_code_in_its_details(sandbox: Sandbox) -> None:
    def refuse() -> None:
        raise ToolError("sandbox-closed")

    with pytest.raises(SandboxError) as caught:
        sandbox.run("await refuse()", host={"refuse": refuse})
    assert caught.value.code == "javascript-error"
    assert caught.value.details["code"] == "sandbox-closed"


def test_an_answer_that_is_no_json_is_an_error_of_the_call(sandbox: Sandbox) -> None:
    answers: list[Any] = [float("nan"), {1, 2}, b"bytes"]
    for answer in answers:
        code = "try { await give(); } catch (e) { return e.code; }"
        assert sandbox.run(code, host={"give": lambda answer=answer: answer}).value == "sandbox-value"


def test_a_host_function_can_end_the_block(sandbox: Sandbox) -> None:
    class Waiting(EndsBlock):
        pass

    def ask() -> None:
        raise Waiting("a person must decide")

    with pytest.raises(Waiting, match="a person must decide"):
        sandbox.run("try { await ask(); } catch { return 'never'; }", host={"ask": ask})
    assert sandbox.run("return 1").value == 1


@pytest.mark.parametrize(
    "afterwards",
    ["return 'caught'", "throw new Error('other')", "return 5n", "for (;;);", "await new Promise(() => 0)"],
)
def test_a_block_that_is_told_of_its_end_may_clean_up(sandbox: Sandbox, afterwards: str) -> None:
    class Refused(EndsBlock):
        failure = ToolError("sandbox-closed")

    def ask() -> None:
        raise Refused

    code = "try { await ask(); } catch (error) { console.log(error.code); } try { await ask(); } catch {} "
    with pytest.raises(Refused) as caught:
        sandbox.run(code + afterwards, host={"ask": ask})
    assert caught.value.console == [{"level": "log", "text": "sandbox-closed"}]
    assert sandbox.run("return 1").value == 1


def test_an_interrupt_inside_the_host_leaves_through_the_run(sandbox: Sandbox) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sandbox.run("await interrupt()", host={"interrupt": interrupt})
    assert sandbox.run("return 1").value == 1


def test_only_so_many_calls_are_made(sandbox: Sandbox) -> None:
    made: list[int] = []
    code = "for (let i = 0; i < 100; i++) try { await add(i); } catch {} return 'end'"
    assert sandbox.run(code, host={"add": made.append}, limits=Limits(host_calls=7)).value == "end"
    assert made == list(range(7))


def test_calls_that_are_not_awaited_are_made_before_the_block_ends(sandbox: Sandbox) -> None:
    made: list[int] = []
    sandbox.run("add(1); add(2); return 0", host={"add": made.append})
    with pytest.raises(SandboxError):
        sandbox.run("add(3); throw 1", host={"add": made.append})
    assert made == [1, 2, 3]


def test_a_block_cannot_call_what_it_was_not_given(sandbox: Sandbox) -> None:
    with pytest.raises(SandboxError) as caught:
        sandbox.run("return await other()", host={"one": lambda: 1})
    assert "other is not defined" in caught.value.message
