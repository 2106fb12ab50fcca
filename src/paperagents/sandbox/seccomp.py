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
_REFUSED_TO_PROGRAMS = {
    "x86_64": {
        "fork": 57, "vfork": 58, "ptrace": 101, "syslog": 103, "personality": 135, "pivot_root": 155, "chroot": 161,
        "acct": 163, "mount": 165, "umount2": 166, "swapon": 167, "swapoff": 168, "reboot": 169, "iopl": 172,
        "ioperm": 173, "init_module": 175, "delete_module": 176, "kexec_load": 246, "add_key": 248,
        "request_key": 249, "keyctl": 250, "unshare": 272, "perf_event_open": 298, "fanotify_init": 300,
        "open_by_handle_at": 304, "setns": 308, "process_vm_readv": 310, "process_vm_writev": 311, "kcmp": 312,
        "finit_module": 313, "kexec_file_load": 320, "bpf": 321, "execveat": 322, "userfaultfd": 323,
    },
    "aarch64": {
        "umount2": 39, "mount": 40, "pivot_root": 41, "chroot": 51, "acct": 89, "personality": 92, "unshare": 97,
        "kexec_load": 104, "init_module": 105, "delete_module": 106, "syslog": 116, "ptrace": 117, "reboot": 142,
        "add_key": 217, "request_key": 218, "keyctl": 219, "swapon": 224, "swapoff": 225, "perf_event_open": 241,
        "fanotify_init": 262, "open_by_handle_at": 265, "setns": 268, "process_vm_readv": 270,
        "process_vm_writev": 271, "kcmp": 272, "finit_module": 273, "bpf": 280, "execveat": 281, "userfaultfd": 282,
        "kexec_file_load": 294,
    },
}  # fmt: skip
"""What no program with packages needs: other processes, the kernel's own affairs, and ways around its rules."""
_REFUSED_EVERYWHERE = {
    "pidfd_send_signal": 424, "io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427, "open_tree": 428,
    "move_mount": 429, "fsopen": 430, "fsmount": 432, "pidfd_open": 434, "pidfd_getfd": 438, "process_madvise": 440,
    "mount_setattr": 442,
}  # fmt: skip
_CLONE, _CLONE3, _SOCKET = {"x86_64": 56, "aarch64": 220}, 435, {"x86_64": 41, "aarch64": 198}
_NEW_THREAD = 0x10000
_INTERNET = (2, 10)
_AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_X32_NUMBERS_START = 0x40000000

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_KILL, _REFUSE, _ALLOW = 0x80000000, 0x00050000 | 1, 0x7FFF0000
_UNKNOWN = 0x00050000 | 38
"""Not implemented: the C library then takes the older call."""
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
    install_filter(make_filter(os.uname().machine, channel))


def refuse_processes(*, has_network: bool) -> None:
    """Give up other processes and the kernel's own affairs, for a program that is about to be started.

    Threads are left, and sockets of the internet where some host is granted; all others are given up.
    """
    install_filter(make_program_filter(os.uname().machine, has_network=has_network))


def install_filter(instructions: list[Instruction]) -> None:
    """Put a filter in force, for this process and whatever it becomes."""
    machine = os.uname().machine
    encoded = b"".join(
        code.to_bytes(2, sys.byteorder) + bytes((when_true, when_false)) + value.to_bytes(4, sys.byteorder)
        for code, when_true, when_false, value in instructions
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
    program = require_machine(machine)
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


def make_program_filter(machine: str, *, has_network: bool) -> list[Instruction]:
    """The program: one test for each system call that is refused, and a yes at the end."""
    program = require_machine(machine)
    refused = {**_REFUSED_TO_PROGRAMS[machine], **_REFUSED_EVERYWHERE}
    for number in refused.values():
        program += when_called(number, [(_RETURN, 0, 0, _REFUSE)])
    # Its flags stand behind a pointer that no filter can follow.
    program += when_called(_CLONE3, [(_RETURN, 0, 0, _UNKNOWN)])
    program += when_called(_CLONE[machine], allow_threads())
    program += when_called(_SOCKET[machine], allow_internet() if has_network else [(_RETURN, 0, 0, _REFUSE)])
    return [*program, (_RETURN, 0, 0, _ALLOW)]


def require_machine(machine: str) -> list[Instruction]:
    """System calls have other numbers elsewhere; then the number of this one is loaded."""
    return [
        (_LOAD, 0, 0, _MACHINE),
        (_EQUAL, 1, 0, _AUDIT[machine]),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
        (_AT_LEAST, 0, 1, _X32_NUMBERS_START),
        (_RETURN, 0, 0, _KILL),
    ]


def allow_threads() -> list[Instruction]:
    """Threads of this process, and no other process."""
    return [
        (_LOAD, 0, 0, _ARGUMENTS),
        (_ANY_BIT, 0, 1, _NEW_THREAD),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _REFUSE),
    ]


def allow_internet() -> list[Instruction]:
    """Sockets of IPv4 and IPv6 alone: none to other programs of this machine, none of the kernel's own."""
    old, new = _INTERNET
    return [
        (_LOAD, 0, 0, _ARGUMENTS),
        (_EQUAL, 1, 0, old),
        (_EQUAL, 0, 1, new),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _REFUSE),
    ]


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
