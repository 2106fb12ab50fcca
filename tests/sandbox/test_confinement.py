"""Native code in the worker's place: even that reaches nothing."""

from __future__ import annotations

import ast
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from paperagents.sandbox import Limits, Sandbox, confinement, seccomp
from paperagents.sandbox.worker_process import BOOTSTRAP, WorkerProcess, start_worker

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="seccomp and Landlock are Linux's")

# Takes the place of the loop that serves requests: each request is Python to be evaluated after confinement.
HOSTILE = (
    BOOTSTRAP
    + """
import ctypes, os
from paperagents.sandbox import worker

library = ctypes.CDLL(None, use_errno=True)

def call(name, *arguments):
    ctypes.set_errno(0)
    result = getattr(library, name)(*arguments)
    return result, ctypes.get_errno()

def take_over(channel, engine, engines):
    while True:
        try:
            answer = repr(eval(channel.receive()[1:].decode()))
        except BaseException as error:
            answer = repr(("raised", type(error).__name__))
        channel.send("T", answer)

worker.serve = take_over
worker.main()
"""
)

REFUSED_CALLS = {
    "open a file": "call('open', b'/etc/hostname', 0)",
    "open a device": "call('open', b'/dev/null', 1)",
    "open by descriptor": "call('openat', -100, b'/etc/hostname', 0)",
    "create a file": "call('creat', b'/tmp/never', 0o600)",
    "make a socket": "call('socket', 2, 1, 0)",
    "make a local socket": "call('socket', 1, 1, 0)",
    "make a pair of sockets": "call('socketpair', 1, 1, 0, (ctypes.c_int * 2)())",
    "make a pipe": "call('pipe', (ctypes.c_int * 2)())",
    "make a file in memory": "call('memfd_create', b'x', 0)",
    "execute a program": "call('execve', b'/bin/true', (ctypes.c_char_p * 2)(b'x', None), (ctypes.c_char_p * 1)(None))",
    "fork": "call('fork')",
    "clone": "call('syscall', CLONE, 17, 0, 0, 0, 0)",
    "trace the parent": "call('ptrace', 16, os.getppid() or 1, 0, 0)",
    "signal the parent": "call('kill', PARENT, 9)",
    "signal everybody": "call('kill', -1, 9)",
    "signal itself": "call('raise', 9)",
    "delete a file": "call('unlink', b'/tmp/never')",
    "make a folder": "call('mkdir', b'/tmp/never', 0o700)",
    "change folder": "call('chdir', b'/tmp')",
    "read the state of a file": "call('access', b'/etc/passwd', 0)",
    "duplicate its channel": "call('dup', 3)",
    "read from another descriptor": "call('read', 0, ctypes.create_string_buffer(8), 8)",
    "write to another descriptor": "call('write', 2, b'x', 1)",
    "make memory executable": "call('mprotect', ctypes.c_void_p(0), 4096, 7)",
    "get executable memory": "call('mmap', None, ctypes.c_size_t(4096), 7, 0x22, -1, ctypes.c_long(0))",
    "raise its limits": "call('setrlimit', 7, ctypes.create_string_buffer(16))",
    "become another user": "call('setuid', 1000)",
    "leave its namespaces": "call('unshare', 0x10000000)",
    "mount": "call('mount', b'none', b'/tmp', b'tmpfs', 0, None)",
    "read the memory of its parent": "call('process_vm_readv', PARENT, None, 0, None, 0, 0)",
    "change how it is confined": "call('prctl', 4, 1, 0, 0, 0)",
    "sleep past its deadline": "call('nanosleep', ctypes.create_string_buffer(16), None)",
}


@pytest.fixture(scope="module")
def taken_over() -> Iterator[WorkerProcess]:
    worker = start_worker(Limits(), program=HOSTILE)
    try:
        assert worker.receive(most=4096, until=time.monotonic() + 10).letter == "H"
        yield worker
    finally:
        worker.kill()
        worker.reap()


def _evaluate(worker: WorkerProcess, expression: str) -> object:
    until = time.monotonic() + 10
    worker.send("P", expression.encode(), until=until)
    return ast.literal_eval(worker.receive(most=1 << 20, until=until).body.decode())


@pytest.mark.parametrize("attempt", REFUSED_CALLS.values(), ids=REFUSED_CALLS.keys())
def test_native_code_in_a_worker_cannot(taken_over: WorkerProcess, attempt: str) -> None:
    numbers = {"PARENT": os.getpid(), "CLONE": 56 if os.uname().machine == "x86_64" else 220}
    for name, number in numbers.items():
        attempt = attempt.replace(name, str(number))
    result = _evaluate(taken_over, attempt)
    assert isinstance(result, tuple)
    assert result[0] == -1
    assert result[1] == 1, "refused as not permitted"


def test_a_worker_has_no_environment_and_no_python_way_out(taken_over: WorkerProcess) -> None:
    assert _evaluate(taken_over, "dict(os.environ)") == {}
    assert _evaluate(taken_over, "open('/etc/hostname')") == ("raised", "PermissionError")
    assert _evaluate(taken_over, "os.listdir('/')") == ("raised", "PermissionError")


def test_a_taken_over_worker_can_still_compute(taken_over: WorkerProcess) -> None:
    assert _evaluate(taken_over, "sum(range(10))") == 45
    assert _evaluate(taken_over, "len(bytearray(64 << 20))") == 64 << 20


def test_a_worker_cannot_take_more_memory_than_it_was_given(taken_over: WorkerProcess) -> None:
    assert _evaluate(taken_over, "bytearray(4 << 30)") == ("raised", "MemoryError")


def test_the_worker_that_served_a_block_is_confined() -> None:
    with Sandbox(size=1) as pool:
        pool.run("return 1")
        (pid,) = pool.pids()
        status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    fields = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    assert fields["Seccomp"] == "2"
    assert fields["NoNewPrivs"] == "1"


def test_the_filter_can_be_made_for_both_kinds_of_processor() -> None:
    for machine in ("x86_64", "aarch64"):
        assert seccomp.is_known_machine(machine)
        program = seccomp.make_filter(machine, 3)
        for index, (_, when_true, when_false, _) in enumerate(program):
            assert index + 1 + max(when_true, when_false) < len(program) or index == len(program) - 1
    assert not seccomp.is_known_machine("riscv64")


def test_a_wall_that_cannot_be_built_is_reported_and_the_others_go_on() -> None:
    def refuse() -> None:
        raise OSError(1, "no")

    assert confinement.attempt("x", refuse) == ("x", "refused [Errno 1] no")
    assert confinement.attempt("x", refuse, missing="kernel") == ("x", "kernel")
    assert confinement.attempt("x", lambda: None) == ("x", "")
