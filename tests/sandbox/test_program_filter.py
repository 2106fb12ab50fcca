"""The filter around a program with packages: threads, and nothing that leads to another process."""

from __future__ import annotations

import subprocess
import sys

import pytest

from paperagents.sandbox import seccomp

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="a filter of the Linux kernel")
TRY = """
import ctypes, os, socket, sys, threading
from paperagents.sandbox import seccomp
from paperagents.sandbox.confinement import give_up_new_privileges
give_up_new_privileges()
seccomp.refuse_processes(has_network={has_network})
def attempt():
    {code}
try:
    attempt()
    print("done")
except OSError as error:
    print(error.errno)
"""
RAW = (
    "answer = ctypes.CDLL(None, use_errno=True).syscall({number}, 0, 0, 0, 0, 0)"
    "; assert answer == -1; raise OSError(ctypes.get_errno(), '')"
)


def attempt(code: str, *, has_network: bool = False) -> str:
    script = TRY.format(code=code, has_network=has_network)
    return subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, timeout=60).stdout.decode()


@pytest.mark.parametrize(
    "code",
    [
        "os.fork()",
        "os.posix_spawn('/bin/true', ['true'], {})",
        "socket.socket()",
        "socket.socket(socket.AF_UNIX)",
        "socket.socket(type=socket.SOCK_DGRAM)",
    ],
)
def test_other_processes_and_sockets_are_refused(code: str) -> None:
    assert attempt(code) == "1\n"


@pytest.mark.parametrize("name", ["ptrace", "bpf", "unshare", "mount", "keyctl", "process_vm_readv", "userfaultfd"])
def test_the_kernel_s_own_affairs_are_refused(name: str) -> None:
    import os  # noqa: PLC0415  the machine of the test

    number = seccomp._REFUSED_TO_PROGRAMS[os.uname().machine][name]
    assert attempt(RAW.format(number=number)) == "1\n"


@pytest.mark.parametrize("number", sorted(seccomp._REFUSED_EVERYWHERE.values()))
def test_newer_ways_around_are_refused(number: int) -> None:
    assert attempt(RAW.format(number=number)) == "1\n"


def test_threads_and_files_are_left() -> None:
    assert (
        attempt("t = threading.Thread(target=lambda: None); t.start(); t.join(); open('/dev/null').close()") == "done\n"
    )


@pytest.mark.parametrize(
    ("code", "answer"),
    [
        ("socket.socket()", "done\n"),
        ("socket.socket(socket.AF_INET6)", "done\n"),
        ("socket.socket(type=socket.SOCK_DGRAM)", "done\n"),
        ("socket.socket(socket.AF_UNIX)", "1\n"),
        ("socket.socket(socket.AF_PACKET, socket.SOCK_RAW)", "1\n"),
        ("os.fork()", "1\n"),
    ],
)
def test_where_a_host_is_granted_there_are_sockets_of_the_internet(code: str, answer: str) -> None:
    assert attempt(code, has_network=True) == answer
