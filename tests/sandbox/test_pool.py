"""The pool: many threads, nested runs, cancelled runs, lost workers, forks and endings."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from tests.waiting import wait_until

from paperagents.definitions.json_value import JsonValue
from paperagents.errors import SandboxError
from paperagents.sandbox import Cancellation, Limits, Sandbox, run_javascript
from paperagents.sandbox.worker_process import WorkerProcess, start_worker

SMALL = Limits(seconds=0.3, memory_mb=32, output_mb=1)
STUCK = "[].reverse.call({ length: 2 ** 53 - 1 });"


class Watch(Cancellation):
    """Learns which worker serves a run."""

    worker: WorkerProcess

    def stopping(self, stop: Callable[[], None]) -> AbstractContextManager[None]:  # type: ignore[override]
        self.worker = getattr(stop, "__self__")  # noqa: B009  the method's own worker, unknown to the types
        return super().stopping(stop)

    def kill(self) -> None:
        os.kill(self.worker.pid, signal.SIGKILL)


def test_a_block_sees_its_names_and_gives_its_value() -> None:
    assert run_javascript("return input.a + context.b", names={"input": {"a": 1}, "context": {"b": 2}}) == 3


def test_a_name_may_have_letters_of_any_script(sandbox: Sandbox) -> None:
    assert sandbox.run("return [größe, 名, $a_]", names={"größe": 1, "名": 2, "$a_": 3}).value == [1, 2, 3]


def test_a_name_that_is_no_variable_is_refused(sandbox: Sandbox) -> None:
    for name in ("a b", "", "1a", "a,b", "class", "await", "x){", "eval", "undefined"):
        with pytest.raises(SandboxError) as caught:
            sandbox.run("return 1", names={name: 1})
        assert caught.value.code == "sandbox-name"


def test_the_console_comes_with_the_value_and_with_the_error(sandbox: Sandbox) -> None:
    result = sandbox.run("console.log('a', { b: [1, 'x'] }); console.warn('%s is %d', 'n', 4); return 1")
    assert [(line.level, line.text) for line in result.console] == [
        ("log", "a { b: [1, 'x'] }"),
        ("warn", "n is 4"),
    ]
    for code in ("throw new Error('x')", "for (;;);", "await new Promise(() => {})"):
        with pytest.raises(SandboxError) as caught:
            sandbox.run("console.error('before');" + code, limits=Limits(seconds=0.05))
        assert caught.value.details["console"] == [{"level": "error", "text": "before"}]


def test_a_full_console_says_so(sandbox: Sandbox) -> None:
    console = sandbox.run("for (let i = 0; i < 2000; i++) console.log(i)").console
    assert len(console) == 1001
    assert console[-1].level == "warn"


def test_many_threads_get_their_own_answers(sandbox: Sandbox) -> None:
    with ThreadPoolExecutor(8) as threads:
        answers = threads.map(lambda n: sandbox.run("return input * 2", names={"input": n}).value, range(200))
        assert list(answers) == [2 * n for n in range(200)]


def test_a_pool_computes_at_most_its_size_at_once() -> None:
    with Sandbox(size=2) as pool:
        with ThreadPoolExecutor(8) as threads:
            list(threads.map(lambda _: pool.run("let n = 0; while (n < 20000) n++; return n"), range(16)))
        wait_until(lambda: len(pool.pids()) <= pool.size)


def test_limits_can_be_lowered_for_one_run_and_never_raised(sandbox: Sandbox) -> None:
    with pytest.raises(SandboxError) as caught:
        sandbox.run("return 'x'.repeat(2 << 20)", limits=Limits(output_mb=100, seconds=100))
    assert caught.value.code == "sandbox-output"
    with pytest.raises(SandboxError) as caught:
        sandbox.run("for (;;);", limits=Limits(seconds=60))
    assert caught.value.values["seconds"] == "0.6"


def test_javascript_and_host_may_call_each_other_without_waiting_for_themselves() -> None:
    with Sandbox(limits=Limits(), size=1) as pool:

        def down(n: int) -> JsonValue:
            if n == 0:
                return ["bottom"]
            return pool.run("return [input, await down(input - 1)]", names={"input": n}, host={"down": down}).value

        assert down(3) == [3, [2, [1, ["bottom"]]]]


def test_nesting_without_end_is_an_error() -> None:
    with Sandbox(limits=Limits(), size=1) as pool:

        def again() -> JsonValue:
            return pool.run("return await again()", host={"again": again}).value

        with pytest.raises(SandboxError) as caught:
            again()
    assert "nested more than 16 deep" in caught.value.message


def test_a_host_function_may_run_javascript_from_other_threads() -> None:
    with Sandbox(limits=Limits(), size=1) as pool, ThreadPoolExecutor(3) as threads:

        def elsewhere() -> JsonValue:
            runs = [threads.submit(pool.run, "return 1") for _ in range(3)]
            return [run.result(10).value for run in runs]

        assert pool.run("return await elsewhere()", host={"elsewhere": elsewhere}).value == [1, 1, 1]


def test_a_cancelled_block_ends_at_once() -> None:
    with Sandbox(limits=Limits(seconds=60), size=1) as pool, ThreadPoolExecutor(2) as threads:
        for code in ("for (;;);", STUCK):
            cancellation = Cancellation()
            started = threading.Event()
            run = threads.submit(
                pool.run, f"await started(); {code}", host={"started": started.set}, cancellation=cancellation
            )
            assert started.wait(10)
            cancellation.cancel()
            with pytest.raises(SandboxError) as caught:
                run.result(10)
            assert caught.value.code == "sandbox-cancelled"
        assert pool.run("return 1").value == 1


def test_what_was_cancelled_before_never_starts() -> None:
    cancellation = Cancellation()
    cancellation.cancel()
    with Sandbox() as pool, pytest.raises(SandboxError) as caught:
        pool.run("return 1", cancellation=cancellation)
    assert caught.value.code == "sandbox-cancelled"


def test_a_run_that_waits_for_its_turn_can_be_cancelled() -> None:
    with Sandbox(limits=Limits(seconds=60), size=1) as pool, ThreadPoolExecutor(2) as threads:
        first, second, started = Cancellation(), Cancellation(), threading.Event()
        busy = threads.submit(pool.run, "await started(); for (;;);", host={"started": started.set}, cancellation=first)
        assert started.wait(10)
        waiting = threads.submit(pool.run, "return 1", cancellation=second)
        second.cancel()
        first_error, second_error = waiting.exception(10), None
        first.cancel()
        second_error = busy.exception(10)
    assert isinstance(first_error, SandboxError)
    assert isinstance(second_error, SandboxError)


def test_cancelling_after_the_end_harms_no_later_block() -> None:
    with Sandbox(size=1) as pool:
        cancellation = Cancellation()
        pool.run("return 1", cancellation=cancellation)
        pids = pool.pids()
        cancellation.cancel()
        assert pool.run("return 2").value == 2
        assert set(pids) <= set(pool.pids())


def test_a_worker_that_dies_while_idle_is_replaced_unseen() -> None:
    with Sandbox(size=2) as pool:
        for _ in range(5):
            assert pool.run("return 1").value == 1
            for pid in pool.pids():
                os.kill(pid, signal.SIGKILL)
                os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)


def test_a_worker_is_replaced_after_its_share_of_blocks() -> None:
    with Sandbox(size=1, blocks_per_worker=3) as pool:
        seen: set[int] = set()
        for n in range(9):
            assert pool.run("return input", names={"input": n}).value == n
            seen.update(pool.pids())
        assert len(seen) >= 3


def test_idle_workers_are_let_go() -> None:
    with Sandbox(size=1, idle_seconds=0.05) as pool:
        pool.run("return 1")
        pids = pool.pids()
        wait_until(lambda: not pool.pids())
        wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in pids))
        assert pool.run("return 2").value == 2


def test_a_closed_pool_refuses_and_leaves_nothing_behind() -> None:
    pool = Sandbox()
    pool.run("return 1")
    pids = pool.pids()
    pool.close()
    pool.close()
    with pytest.raises(SandboxError) as caught:
        pool.run("return 1")
    assert caught.value.code == "sandbox-closed"
    assert not any(Path(f"/proc/{pid}").exists() for pid in pids)


def test_closing_ends_the_blocks_that_run() -> None:
    with ThreadPoolExecutor(1) as threads:
        pool, started = Sandbox(limits=Limits(seconds=60)), threading.Event()
        run = threads.submit(pool.run, "await started(); for (;;);", host={"started": started.set})
        assert started.wait(10)
        pool.close()
        error = run.exception(10)
    assert isinstance(error, SandboxError)
    assert error.code == "sandbox-closed"


def test_a_worker_that_is_being_started_when_the_pool_closes_serves_nobody() -> None:
    starting, go = threading.Event(), threading.Event()

    def start() -> WorkerProcess:
        starting.set()
        assert go.wait(20)
        return start_worker(Limits())

    pool = Sandbox(start=start)
    with ThreadPoolExecutor(2) as threads:
        run = threads.submit(pool.run, "return 1")
        assert starting.wait(20)
        closing = threads.submit(pool.close)
        wait_until(lambda: pool.is_closed)
        go.set()
        error = run.exception(20)
        closing.result(20)
    assert isinstance(error, SandboxError)
    assert pool.pids() == ()


def test_good_blocks_answer_right_amid_timeouts_bombs_and_kills() -> None:
    kinds = random.Random(7).choices(["good", "timeout", "memory", "kill"], [94, 2, 2, 2], k=400)
    bad = {
        "timeout": ("for (;;);", "sandbox-timeout"),
        "memory": ("return new ArrayBuffer(64 << 20).byteLength", "sandbox-memory"),
        "kill": ("await die(); for (;;);", "sandbox-crash"),
    }
    with Sandbox(limits=SMALL, size=2) as pool:

        def run(number: int, kind: str) -> None:
            watch = Watch()
            if kind == "good":
                value = pool.run("return [input, 'n' + input]", names={"input": number}).value
                assert value == [number, f"n{number}"]
                return
            code, expected = bad[kind]
            with pytest.raises(SandboxError) as caught:
                pool.run(code, host={"die": watch.kill}, cancellation=watch)
            assert caught.value.code == expected

        pool.run("return 1")
        descriptors = len(list(Path("/proc/self/fd").iterdir()))
        with ThreadPoolExecutor(4) as threads:
            list(threads.map(run, range(len(kinds)), kinds))
        assert len(list(Path("/proc/self/fd").iterdir())) <= descriptors + 6, "a few channels of live workers"
        pids = pool.pids()
    assert not any(Path(f"/proc/{pid}").exists() for pid in pids)


def _python(program: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-W", "error", "-X", "dev", "-I", "-c", program]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_importing_starts_nothing_and_loads_no_engine() -> None:
    finished = _python(
        "import paperagents.sandbox, sys, threading, os;"
        "assert threading.active_count() == 1; assert '_quickjs' not in sys.modules;"
        "s = paperagents.sandbox.Sandbox(); assert threading.active_count() == 1; assert s.pids() == ()"
    )
    assert (finished.returncode, finished.stderr) == (0, "")


@pytest.mark.parametrize(
    "ending",
    [
        "",
        "import sys; sys.exit(0)",
        "import threading; threading.Thread(target=run_javascript, args=('for (;;);',), daemon=True).start()",
        "import gc; pool = Sandbox(); pool.run('return 1'); del pool; gc.collect()",
    ],
)
def test_a_program_ends_without_hanging_or_noise(ending: str) -> None:
    finished = _python(
        f"from paperagents.sandbox import run_javascript, Sandbox\nrun_javascript('return 1')\n{ending}\n"
    )
    assert (finished.returncode, finished.stderr) == (0, "")


def test_a_forked_child_has_workers_of_its_own() -> None:
    finished = _python(
        """
import os, warnings
from paperagents.sandbox import Sandbox
pool = Sandbox()
pool.run("return 1")
parents = pool.pids()
warnings.simplefilter("ignore")
child = os.fork()
if child == 0:
    fine = pool.pids() == () and pool.run("return 2").value == 2 and not set(pool.pids()) & set(parents)
    pool.close()
    os._exit(0 if fine else 1)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
assert pool.run("return 3").value == 3
assert set(parents) <= set(pool.pids())
"""
    )
    assert (finished.returncode, finished.stderr) == (0, "")


@pytest.mark.skipif(sys.platform != "linux", reason="needs the kernel's word about the parent's end")
@pytest.mark.parametrize("code", ["for (;;);", STUCK, "await wait();"])
def test_a_killed_parent_leaves_no_worker_behind(code: str) -> None:
    program = f"""
import threading
from paperagents.sandbox import Sandbox, Limits
pool = Sandbox(limits=Limits(seconds=60))
started = threading.Event()
host = {{"started": started.set, "wait": threading.Event().wait}}
threading.Thread(target=pool.run, args=("await started();" + {code!r},), kwargs={{"host": host}}, daemon=True).start()
started.wait()
print(*pool.pids(), flush=True)
threading.Event().wait()
"""
    with subprocess.Popen([sys.executable, "-I", "-c", program], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        pids = parent.stdout.readline().split()
        parent.kill()
    assert pids
    wait_until(lambda: not any(_is_running(pid) for pid in pids))


def _is_running(pid: str) -> bool:
    """Whether a process lives; one that has ended but was not fetched by the new parent yet does not count."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(") ")[2][0] not in "ZX"
    except FileNotFoundError:
        return False


def test_the_first_worker_can_be_started_before_anybody_needs_it() -> None:
    with Sandbox() as pool:
        pool.prepare()
        wait_until(lambda: len(pool.pids()) == 1)
        prepared = pool.pids()
        pool.prepare()
        assert pool.run("return 1;").value == 1
        assert pool.pids() == prepared
