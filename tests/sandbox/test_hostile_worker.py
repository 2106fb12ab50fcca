"""A worker that was taken over may send anything; the parent takes no harm from it."""

from __future__ import annotations

import json

import pytest

from paperagents.errors import SandboxError
from paperagents.sandbox import Limits, Sandbox
from paperagents.sandbox.worker_process import start_worker

LIMITS = Limits(seconds=0.3, memory_mb=32, output_mb=1)

# Says hello, waits for a request, then runs the statements given to it.
FAKE = """
import os, time
def frame(letter, body):
    return (len(body) + 1).to_bytes(4, "big") + letter + body
def send(data):
    while data:
        data = data[os.write(3, data):]
def done(value, console=b"[]"):
    send(frame(b"D", b'{"value":' + value + b',"console":' + console + b"}"))
try:
    send(frame(b"H", b""))
    os.read(3, 1 << 20)
    {statements}
    os.read(3, 1)
except OSError:
    pass
"""

CRASHES = {
    "nothing at all and closes": "os.close(3); time.sleep(60)",
    "dies": "os._exit(1)",
    "a length of zero": "send(bytes(4))",
    "a length of four gigabytes": "send(bytes([255]) * 4)",
    "a frame too large for the limit": "send((200 << 20).to_bytes(4, 'big') + b'D' * 1000)",
    "an unknown letter": "send(frame(b'Q', b'{}'))",
    "a letter that is not ASCII": "send(frame(bytes([200]), b'{}'))",
    "a second hello": "send(frame(b'H', b''))",
    "no JSON": "send(frame(b'D', b'nonsense'))",
    "an empty body": "send(frame(b'D', b''))",
    "bytes that are not UTF-8": "done(b'\"' + bytes([255, 254]) + b'\"')",
    "UTF-16": "send(frame(b'D', '{\"value\":1,\"console\":[]}'.encode('utf-16')))",
    "a list for an ending": "send(frame(b'D', b'[]'))",
    "an ending without a value": "send(frame(b'D', b'{\"console\":[]}'))",
    "an ending without a console": "send(frame(b'D', b'{\"value\":1}'))",
    "a console that is no list": "done(b'1', b'{\"a\":1}')",
    "a console of numbers": "done(b'1', b'[1,2]')",
    "console lines of three": 'done(b\'1\', b\'[["log","a","b"]]\')',
    "NaN": "done(b'NaN')",
    "Infinity": "done(b'[-Infinity]')",
    "a number of five thousand digits": "done(b'9' * 5000)",
    "two values": "done(b'1 2')",
    "calls that are no list": "send(frame(b'C', b'{}'))",
    "no calls": "send(frame(b'C', b'[]'))",
    "a call without arguments": "send(frame(b'C', b'[[1,\"echo\"]]'))",
    "a call of a function that was not given": "send(frame(b'C', b'[[1,\"open\",[]]]'))",
    "a call with a text for its number": "send(frame(b'C', b'[[\"1}\",\"echo\",[1]]]'))",
    "a call with true for its number": "send(frame(b'C', b'[[true,\"echo\",[1]]]'))",
    "a call with an object for its arguments": "send(frame(b'C', b'[[1,\"echo\",{\"a\":1}]]'))",
    "more calls than allowed": "send(frame(b'C', b'[' + b','.join([b'[1,\"echo\",[1]]'] * 2000) + b']'))",
    "a breach of an unknown kind": "send(frame(b'X', bytes([255]) + b'odd' + bytes([10, 0]) + b'[]'))",
    "a breach without a console": "send(frame(b'X', b'timeout'))",
}
OTHERS = {
    "a value too deep": ("done(b'[' * 100000 + b']' * 100000)", "sandbox-output"),
    "open brackets only": ("done(b'[' * 100000)", "sandbox-output"),
    "too many values": ("done(b'[' + b'[],' * 1000000 + b'[]]')", "sandbox-output"),
    "a number that is not finite": ("done(b'[1e999]')", "sandbox-value"),
    "half a character": ("done(b'\"' + bytes([92]) + b'ud800\"')", "sandbox-value"),
    "silence": ("time.sleep(60)", "sandbox-timeout"),
    "half a frame": ("send((100).to_bytes(4, 'big') + b'D')", "sandbox-timeout"),
    "half a length": ("send(bytes(2))", "sandbox-timeout"),
    "one byte at a time": ("[(send(b'\\0'), time.sleep(0.02)) for _ in range(3)]; time.sleep(60)", "sandbox-timeout"),
    "an endless trickle": (
        "send((1000).to_bytes(4, 'big'))\n    while True: send(b'D'); time.sleep(0.01)",
        "sandbox-timeout",
    ),
}
EVERY = {**{name: (statements, "sandbox-crash") for name, statements in CRASHES.items()}, **OTHERS}


@pytest.mark.parametrize(("statements", "code"), EVERY.values(), ids=EVERY.keys())
def test_a_worker_that_sends(statements: str, code: str) -> None:
    with _pool(statements) as pool:
        with pytest.raises(SandboxError) as caught:
            pool.run("return 1", host={"echo": lambda value: value})
        assert caught.value.code == code
        assert caught.value.message


def test_calls_without_end_are_ended_by_their_number() -> None:
    endless = "while True: send(frame(b'C', b'[[1,\"echo\",[1]]]'))"
    with _pool(endless) as pool, pytest.raises(SandboxError) as caught:
        pool.run("return 1", host={"echo": lambda value: value})
    assert caught.value.code in {"sandbox-crash", "sandbox-timeout"}


def test_a_frame_sent_together_with_the_ending_is_not_taken_for_the_next_block() -> None:
    ending = "frame(b'D', b'{\"value\":1,\"console\":[]}')"
    lie = 'frame(b\'D\', b\'{"value":"lie","console":[]}\')'
    with _pool(f"send({ending} + {lie})") as pool:
        assert pool.run("return 1").value == 1
        first = pool.pids()
        assert pool.run("return 1").value == 1
        assert pool.pids() != first


def test_texts_for_people_are_cleaned_and_cut() -> None:
    report = {
        "kind": "thrown",
        "name": "Error",
        "message": "half \ud800",
        "stack": "    at f (<input>:1001:1)\n" * 1000 + "    at x (<input>:99999999999999:1)",
        "properties": {"code": "\udfff", "stack": "mine", "name": 7},
        "console": [["log", "\ud800"]] * 3000,
    }
    body = json.dumps(report).encode()
    with _pool(f"send(frame(b'E', {body!r}))") as pool, pytest.raises(SandboxError) as caught:
        pool.run("return 1")
    error = caught.value
    assert "half \ufffd" in error.message
    assert error.details["code"] == "\ufffd"
    assert error.details["name"] == "Error"
    assert len(error.details["stack"]) <= 50
    assert len(error.details["console"]) <= 2000
    json.dumps(error.details, ensure_ascii=False).encode("utf-8")


def test_a_lying_path_and_kind_are_only_words() -> None:
    bodies = [
        {"kind": "value", "problem": ["x"], "path": "no list", "console": []},
        {"kind": "value", "problem": "{name}", "path": [{"a": 1}, None, 1e300, "\ud800"], "console": []},
        {"kind": 5, "name": 5, "message": [], "stack": {}, "properties": [], "console": []},
        {"kind": "memory", "stack": 5, "console": []},
        {"console": []},
    ]
    for body in bodies:
        with _pool(f"send(frame(b'E', {json.dumps(body).encode()!r}))") as pool, pytest.raises(SandboxError) as caught:
            pool.run("return 1")
        assert str(caught.value)
        str(caught.value).encode("utf-8")


def test_a_pool_whose_workers_never_start_says_so() -> None:
    pool = Sandbox(start=lambda: start_worker(LIMITS, program="raise SystemExit(1)"))
    with pool, pytest.raises(SandboxError) as caught:
        pool.run("return 1")
    assert caught.value.code == "sandbox-unavailable"


def _pool(statements: str) -> Sandbox:
    program = FAKE.replace("{statements}", statements)
    return Sandbox(limits=LIMITS, start=lambda: start_worker(LIMITS, program=program))


def test_of_too_many_calls_only_those_that_are_allowed_are_carried_out() -> None:
    carried_out: list[object] = []
    # It reads every answer: one that goes away would be noticed by that.
    patient = CRASHES["more calls than allowed"] + "\n    while os.read(3, 65536): pass"
    with _pool(patient) as pool, pytest.raises(SandboxError) as caught:
        pool.run("return 1", host={"echo": carried_out.append})
    assert caught.value.code == "sandbox-crash"
    assert len(carried_out) == LIMITS.host_calls
