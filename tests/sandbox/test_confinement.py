"""Native code in the worker's place: even that reaches nothing."""

from __future__ import annotations

import ast
import os
import subprocess
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


def run_python(code: str) -> str:
    """What a process of its own prints: it cannot take back what it gives up."""
    imports = "import ctypes, os, resource\nfrom paperagents.sandbox import confinement\n"
    return subprocess.run([sys.executable, "-c", imports + code], capture_output=True, text=True, check=True).stdout


def test_a_worker_makes_no_files_and_no_processes_and_computes_for_a_limited_time() -> None:
    code = (
        "confinement.limit_resources(memory=1 << 30, seconds=7)\n"
        "print([resource.getrlimit(getattr(resource, f'RLIMIT_{name}'))[1] for name in"
        " ('CORE', 'FSIZE', 'NPROC', 'CPU')])"
    )
    assert run_python(code) == "[0, 0, 0, 7]\n"


def test_no_other_process_of_the_user_can_look_into_a_worker() -> None:
    get_dumpable = 3
    code = f"confinement.end_with_parent(os.getppid())\nprint(ctypes.CDLL(None).prctl({get_dumpable}, 0, 0, 0, 0))"
    assert run_python(code) == "0\n"


def test_a_worker_whose_parent_ended_before_it_could_say_so_ends() -> None:
    assert run_python("confinement.end_with_parent(-1)\nprint('alive')") == ""


def verdict(program: list[seccomp.Instruction], machine: int, number: int, *arguments: int) -> str:
    """What the kernel would answer to a system call."""
    words = {0: number, 4: machine}
    for place, argument in enumerate((*arguments, *(0,) * (6 - len(arguments)))):
        words |= {16 + 8 * place: argument & 0xFFFFFFFF, 20 + 8 * place: argument >> 32}
    loaded, at = 0, 0
    while True:
        code, when_true, when_false, value = program[at]
        at += 1
        if code == seccomp._LOAD:
            loaded = words[value]
        elif code == seccomp._RETURN:
            return {seccomp._ALLOW: "allowed", seccomp._REFUSE: "refused", seccomp._KILL: "killed"}[value]
        else:
            tests = {
                seccomp._EQUAL: loaded == value,
                seccomp._AT_LEAST: loaded >= value,
                seccomp._ANY_BIT: bool(loaded & value),
            }
            at += when_true if tests[code] else when_false


ANONYMOUS, EXECUTABLE = 0x20, 4


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
@pytest.mark.parametrize(
    ("call", "arguments", "expected"),
    [
        ("read", (3,), "allowed"),
        ("read", (0,), "refused"),
        ("write", (3 + (1 << 32),), "refused"),
        ("mmap", (0, 4096, 3, ANONYMOUS), "allowed"),
        ("mmap", (0, 4096, 3 | EXECUTABLE, ANONYMOUS), "refused"),
        ("mmap", (0, 4096, 3, 2, 3), "refused"),
        ("mprotect", (0, 4096, 3), "allowed"),
        ("mprotect", (0, 4096, EXECUTABLE), "refused"),
        ("futex", (), "allowed"),
        ("seccomp", (), "refused"),
    ],
)
def test_the_filter_lets_pass_only_computing_and_the_channel(
    machine: str, call: str, arguments: tuple[int, ...], expected: str
) -> None:
    program = seccomp.make_filter(machine, 3)
    number, audit = seccomp._NUMBERS[machine][call], seccomp._AUDIT[machine]
    assert verdict(program, audit, number, *arguments) == expected
    assert verdict(program, audit ^ 1, number, *arguments) == "killed"
    assert verdict(program, audit, 0x40000000 + number, *arguments) == "killed"
    assert verdict(program, audit, 100_000) == "refused"
