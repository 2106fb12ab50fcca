"""The system calls a confined worker keeps: memory, time, and talking on its one channel.

A filter is a small program the kernel runs before each system call. Ours is a list of what is allowed;
everything else is answered with "not permitted", so that an unexpected but harmless call of the C
library does not end the worker. Runs inside the worker, before any JavaScript.
"""

from __future__ import annotations

import ctypes
import os
import sys

_NUMBERS = {
    "x86_64": {
        "read": 0, "write": 1, "mmap": 9, "mprotect": 10, "munmap": 11, "brk": 12, "rt_sigprocmask": 14,
        "rt_sigreturn": 15, "mremap": 25, "madvise": 28, "getpid": 39, "exit": 60, "getrusage": 98,
        "sigaltstack": 131, "gettid": 186, "futex": 202, "restart_syscall": 219, "clock_gettime": 228,
        "exit_group": 231, "seccomp": 317, "getrandom": 318,
    },
    "aarch64": {
        "read": 63, "write": 64, "mmap": 222, "mprotect": 226, "munmap": 215, "brk": 214, "rt_sigprocmask": 135,
        "rt_sigreturn": 139, "mremap": 216, "madvise": 233, "getpid": 172, "exit": 93, "getrusage": 165,
        "sigaltstack": 132, "gettid": 178, "futex": 98, "restart_syscall": 128, "clock_gettime": 113,
        "exit_group": 94, "seccomp": 277, "getrandom": 278,
    },
}  # fmt: skip
_AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_X32_NUMBERS_START = 0x40000000

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_KILL, _REFUSE, _ALLOW = 0x80000000, 0x00050000 | 1, 0x7FFF0000
_NUMBER, _MACHINE, _ARGUMENTS = 0, 4, 16
_PROTECTION_EXECUTABLE, _MAP_ANONYMOUS = 4, 0x20
_SET_FILTER, _ALL_THREADS = 1, 1

Instruction = tuple[int, int, int, int]


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def is_known_machine(machine: str) -> bool:
    """Whether the numbers of the system calls of this kind of processor are known here."""
    return machine in _NUMBERS


def allow_only_computing(channel: int) -> None:
    """Give up every system call that is not needed to compute and to talk on the channel."""
    machine = os.uname().machine
    encoded = b"".join(
        code.to_bytes(2, sys.byteorder) + bytes((when_true, when_false)) + value.to_bytes(4, sys.byteorder)
        for code, when_true, when_false, value in make_filter(machine, channel)
    )
    program = _Program(len(encoded) // 8, encoded)
    library = ctypes.CDLL(None, use_errno=True)
    number = ctypes.c_long(_NUMBERS[machine]["seccomp"])
    arguments = (ctypes.c_ulong(_SET_FILTER), ctypes.c_ulong(_ALL_THREADS), ctypes.byref(program))
    if library.syscall(number, *arguments) != 0:
        raise OSError(ctypes.get_errno(), "seccomp")


def make_filter(machine: str, channel: int) -> list[Instruction]:
    """The program: one test for each system call that is allowed, and a refusal at the end."""
    numbers = _NUMBERS[machine]
    program: list[Instruction] = [
        (_LOAD, 0, 0, _MACHINE),
        (_EQUAL, 1, 0, _AUDIT[machine]),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
        (_AT_LEAST, 0, 1, _X32_NUMBERS_START),
        (_RETURN, 0, 0, _KILL),
    ]
    conditions = {
        "read": allow_on_channel(channel),
        "write": allow_on_channel(channel),
        "mmap": allow_plain_memory(),
        "mprotect": allow_unless_executable(),
        # Known by its number only to put this filter in place.
        "seccomp": [(_RETURN, 0, 0, _REFUSE)],
    }
    for name, number in numbers.items():
        program += when_called(number, conditions.get(name, [(_RETURN, 0, 0, _ALLOW)]))
    return [*program, (_RETURN, 0, 0, _REFUSE)]


def when_called(number: int, body: list[Instruction]) -> list[Instruction]:
    """Instructions for one system call; every other one jumps over them."""
    return [(_EQUAL, 0, len(body), number), *body]


def allow_on_channel(channel: int) -> list[Instruction]:
    """Only on this descriptor; the kernel has 64 bits for it, so both halves are compared."""
    return [
        (_LOAD, 0, 0, _ARGUMENTS),
        (_EQUAL, 0, 3, channel),
        (_LOAD, 0, 0, _ARGUMENTS + 4),
        (_EQUAL, 0, 1, 0),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _REFUSE),
    ]


def allow_plain_memory() -> list[Instruction]:
    """Memory that is neither executable nor a file."""
    return [
        (_LOAD, 0, 0, _ARGUMENTS + 16),
        (_ANY_BIT, 3, 0, _PROTECTION_EXECUTABLE),
        (_LOAD, 0, 0, _ARGUMENTS + 24),
        (_ANY_BIT, 0, 1, _MAP_ANONYMOUS),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _REFUSE),
    ]


def allow_unless_executable() -> list[Instruction]:
    """Everything but making memory executable."""
    return [
        (_LOAD, 0, 0, _ARGUMENTS + 16),
        (_ANY_BIT, 1, 0, _PROTECTION_EXECUTABLE),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _REFUSE),
    ]
