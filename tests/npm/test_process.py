"""Tools with packages run in Deno processes that reach nothing but what was granted."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.servers import Web

from paperagents.definitions.source import Excerpt
from paperagents.errors import SandboxError, ToolError
from paperagents.npm.process import DenoPools, DenoSetup, start_deno
from paperagents.sandbox import Cancellation, EndsBlock, Limits

pytestmark = pytest.mark.npm

LIMITS = Limits(seconds=30.0, memory_mb=128, output_mb=1, host_calls=50)
PACKAGES = {
    "plain/package.json": '{"name": "plain", "version": "1.0.0", "main": "index.js"}',
    "plain/index.js": "let count = 0; exports.count = () => ++count; exports.inner = () => require('inner');"
    " exports.spawn = () => require('child_process').execSync('id');",
    "plain/sub.js": "module.exports = 'sub';",
    "modern/package.json": '{"name": "modern", "version": "1.0.0", "type": "module", "exports": {"import": "./m.js"}}',
    "modern/m.js": "export const shown = 'modern'; export default 1;",
    "only/package.json": '{"name": "only", "version": "1.0.0", "type": "module", "exports": "./o.js"}',
    "only/o.js": "export default function hello() { return 'hello'; }",
    "@scope/pack/package.json": '{"name": "@scope/pack", "version": "1.0.0"}',
    "@scope/pack/index.js": "module.exports = 'scoped';",
    "colourful/package.json": '{"name": "colourful", "version": "1.0.0"}',
    "colourful/index.js": "Object.defineProperty(String.prototype, 'red', { get() { return '*' + this; } });",
    "inner/package.json": '{"name": "inner", "version": "1.0.0"}',
    "inner/index.js": "module.exports = 'inner';",
}
DECLARED = ("plain", "modern", "only", "@scope/pack", "colourful")


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with packages, one with granted notes, and one secret."""
    root = tmp_path_factory.mktemp("deno")
    for name, content in PACKAGES.items():
        file = root / "packages" / "node_modules" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)
    (root / "packages" / "load.mjs").write_text("export const load = (name, options) => import(name, options);\n")
    (root / "packages" / "package.json").write_text(json.dumps({"dependencies": dict.fromkeys(DECLARED, "1")}))
    for name in ("notes", "out"):
        (root / name).mkdir()
    (root / "notes" / "a.md").write_text("granted")
    (root / "secret.txt").write_text("the secret")
    (root / "notes" / "link.md").symlink_to(root / "secret.txt")
    return root


@pytest.fixture(scope="module")
def pools() -> Iterator[DenoPools]:
    opened = DenoPools(limits=LIMITS)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def setup(world: Path) -> DenoSetup:
    return DenoSetup(packages=world / "packages", declared=DECLARED, folder=str(world))


@pytest.fixture
def run(pools: DenoPools, setup: DenoSetup) -> Callable[..., Any]:
    def run(code: str, *, at: DenoSetup = setup, limits: Limits = LIMITS, host: Any = None, **names: Any) -> Any:
        excerpt = Excerpt(text=code, file="x.tool.js")
        return pools.run(at, excerpt, names=names, limits=limits, host=host).value

    return run


@pytest.mark.skipif(sys.platform != "linux", reason="a filter of the Linux kernel")
def test_the_kernel_filters_what_it_calls(run: Callable[..., Any], pools: DenoPools) -> None:
    assert run("return 1") == 1
    (pid,) = pools.pids()
    status = Path(f"/proc/{pid}/status").read_text()
    assert "Seccomp:\t2" in status
    assert "NoNewPrivs:\t1" in status


@pytest.fixture
def failure(run: Callable[..., Any]) -> Callable[..., SandboxError]:
    def failure(code: str, **options: Any) -> SandboxError:
        with pytest.raises(SandboxError) as caught:
            run(code, **options)
        return caught.value

    return failure


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("return input.a", 1),
        ("return require_('plain').inner()", "inner"),
        ("return require_('plain/sub.js')", "sub"),
        ("return require_('@scope/pack')", "scoped"),
        ("return (await import_('plain')).default.inner()", "inner"),
        ("return (await import_('modern')).shown", "modern"),
        ("return (await load_('modern')).shown", "modern"),
        ("return (await load_('only'))()", "hello"),
        ("return (await load_('plain')).inner()", "inner"),
        ("return require_('path').join('a', 'b')", "a/b"),
        ("return require_('node:crypto').createHash('md5').update('x').digest('hex').length", 32),
        ("return [(await importx('plain')).inner(), globalThis.loadModule === importx]", ["inner", True]),
        ("return Buffer.from('ä').toString('hex')", "c3a4"),
        ("return await new Promise(done => setTimeout(done, 5, 'late'))", "late"),
        ("return new Date(0)", "1970-01-01T00:00:00.000Z"),
        ("return typeof process.env.HOME", "undefined"),
        ("return { a: undefined, __proto__: { b: 1 } }", {}),
    ],
)
def test_code_with_packages_runs(run: Callable[..., Any], code: str, expected: object) -> None:
    assert run(code, input={"a": 1}) == expected


def test_a_block_that_is_told_of_its_end_may_clean_up(run: Callable[..., Any]) -> None:
    class Refused(EndsBlock):
        failure = ToolError("sandbox-closed")

    def ask() -> None:
        raise Refused

    with pytest.raises(Refused) as caught:
        run("try { await ask(); } finally { console.log('cleaned'); }", host={"ask": ask})
    assert caught.value.console == [{"level": "log", "text": "cleaned"}]


def test_a_block_that_only_waits_has_no_more_than_its_time(failure: Callable[..., SandboxError]) -> None:
    code = "await new Promise(done => setTimeout(done, 1400))"
    assert failure(code, limits=LIMITS.lowered_to(seconds=1.0)).code == "sandbox-timeout"


def test_calls_to_the_host_are_answered(run: Callable[..., Any]) -> None:
    def call_tool(name: str, values: Any) -> Any:
        return {"name": name, "values": values}

    code = (
        "const answers = await Promise.all([1, 2].map(n => call_tool('t', n))); return answers.map(each => each.values)"
    )
    assert run(code, host={"call_tool": call_tool}) == [1, 2]
    assert run("try { await no() } catch (error) { return error.message }", host={"no": lambda: 1 / 0}) == (
        "division by zero"
    )


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("return require_('inner')", "Cannot load 'inner': only packages that getDependencies() declares"),
        ("return import_('inner')", "Cannot load 'inner': only packages that getDependencies() declares"),
        ("return load_('inner')", "Cannot load 'inner': only packages that getDependencies() declares"),
        ("return import_('npm:plain')", "Cannot load 'npm:plain'"),
        ("return import_('https://example.com/x.js')", "Cannot load 'https://example.com/x.js'"),
        ("return import_('file:///etc/passwd')", "Cannot load 'file:///etc/passwd'"),
        ("return require_('/etc/passwd')", "Cannot load '/etc/passwd'"),
        ("return require_('../../secret.txt')", "Cannot load '../../secret.txt'"),
        ("return require_('plain/../../../../secret.txt')", "secret.txt"),
        ("return require_('plain/../inner')", "Cannot load 'plain/../inner'"),
        ("return import_('plain/../inner/index.js')", "Cannot load 'plain/../inner/index.js'"),
        ("return import_('plain/%2e%2E/inner/index.js')", "Cannot load 'plain/%2e%2E/inner/index.js'"),
        ("return import_('plain/x\\\\..\\\\../inner/index.js')", "Cannot load"),
        ("return require_('child_process').execSync('id')", "a tool may not start processes"),
        ("return require_('node:worker_threads')", "a tool may not start processes"),
        ("return require_('module')", "a tool may not start processes"),
        ("return process.getBuiltinModule('child_process').execSync('id')", "a tool may not start processes"),
        ("return process.getBuiltinModule('node:module').createRequire('/')", "a tool may not start processes"),
        ("return process.getBuiltinModule('worker_threads')", "a tool may not start processes"),
        ("delete process.getBuiltinModule; return process.getBuiltinModule('module')", "a tool may not"),
        ("process.getBuiltinModule = 1; return process.getBuiltinModule('cluster')", "a tool may not"),
        (
            "return Object.getPrototypeOf(process).getBuiltinModule.call(process, 'child_process').execSync('id')",
            "",
        ),
        ("return require_('plain').spawn()", ""),
        ("return new Deno.Command('/bin/sh').outputSync()", "run access"),
        ("return Deno.dlopen('libc.so.6', {})", "ffi access"),
        ("return require_('fs').readFileSync('/etc/passwd', 'utf8')", "read access"),
        ("return require_('fs').readFileSync('secret.txt', 'utf8')", "read access"),
        ("return require_('fs/promises').readdir('/')", "read access"),
        ("return require_('fs').writeFileSync('made.txt', 'x')", "write access"),
        ("return (await fetch('http://127.0.0.1:8/')).status", "net access"),
        ("return Deno.connect({ port: 8 })", "net access"),
        ("return new Promise((y, n) => require_('dns').lookup('example.com', (e, a) => e ? n(e) : y(a)))", ""),
        ("return new Promise((y, n) => require_('net').connect(8, '127.0.0.1').on('error', n).on('connect', y))", ""),
        ("return process.kill(1)", "not available"),
        ("process.exit(0)", "not available"),
        ('return Function(\'return import("file:///etc/passwd", { with: { type: "text" } })\')()', "import"),
        ("return [].constructor.constructor('return process')().exit()", "not available"),
        ("return globalThis.Worker ? 1 : require_('worker')", "Cannot load 'worker'"),
    ],
)
def test_what_was_not_granted_is_refused(
    failure: Callable[..., SandboxError], world: Path, code: str, told: str
) -> None:
    error = failure(code)
    assert error.code == "javascript-error"
    assert told in error.message
    assert not (world / "made.txt").exists()


LOOPHOLES = [
    "return (await import_('plain/reader.mjs')).default",
    "return (await (await import_('plain/dynamic.mjs')).read(input)).default",
    "const { createRequire } = require_('plain/module.js'); return createRequire(input)(input)",
]


@pytest.mark.parametrize("code", LOOPHOLES)
def test_not_even_a_package_reads_a_file_by_importing_it(
    failure: Callable[..., SandboxError], world: Path, code: str
) -> None:
    folder = world / "packages" / "node_modules" / "plain"
    secret = (world / "secret.txt").as_uri()
    (folder / "reader.mjs").write_text(f"export {{ default }} from '{secret}' with {{ type: 'text' }};")
    (folder / "dynamic.mjs").write_text("export const read = name => import(name, { with: { type: 'text' } });")
    (folder / "module.js").write_text("module.exports = require('module');")
    assert "the secret" not in str(failure(code, input=secret).as_json())


def test_the_kernel_holds_where_a_link_leads_out(run: Callable[..., Any], setup: DenoSetup, world: Path) -> None:
    granted = replace(setup, read=(str(world / "notes"),))
    assert run("return require_('fs').readFileSync('notes/a.md', 'utf8')", at=granted) == "granted"
    with pytest.raises(SandboxError, match=r"secret.txt|permission|link.md"):
        run("return require_('fs').readFileSync('notes/link.md', 'utf8')", at=granted)


def test_a_comma_in_the_way_to_the_vault_or_in_a_note_is_no_obstacle(
    run: Callable[..., Any], setup: DenoSetup, tmp_path: Path
) -> None:
    vault = tmp_path / "notes, of mine"
    (vault / ".paper").mkdir(parents=True)
    for name in ("a, b.md", ".paper/kept.md"):
        (vault / name).write_text("granted")
    part = replace(setup, folder=str(vault), read=(str(vault),))
    assert run("return require_('fs').readFileSync('a, b.md', 'utf8')", at=part) == "granted"
    whole = replace(
        setup,
        folder=str(vault),
        listed=(str(vault),),
        read=(str(vault / "a, b.md"),),
        unreadable=(str(vault / ".paper"),),
    )
    assert run("return require_('fs').readFileSync('a, b.md', 'utf8')", at=whole) == "granted"
    with pytest.raises(SandboxError, match="read access"):
        run("return require_('fs').readFileSync('.paper/kept.md', 'utf8')", at=whole)
    with pytest.raises(SandboxError, match="read access"):
        run("return require_('fs').readFileSync('../notes', 'utf8')", at=whole)


def test_a_granted_folder_can_be_written_and_only_that(run: Callable[..., Any], setup: DenoSetup, world: Path) -> None:
    granted = replace(setup, write=(str(world / "out"),))
    run("require_('fs').mkdirSync('out/a'); require_('fs').writeFileSync('out/a/b.txt', input)", at=granted, input="x")
    assert (world / "out" / "a" / "b.txt").read_text() == "x"
    with pytest.raises(SandboxError, match="write access"):
        run("require_('fs').writeFileSync('notes/a.md', 'changed')", at=granted)
    with pytest.raises(SandboxError):
        run("require_('fs').symlinkSync('../secret.txt', 'out/link')", at=granted)
    assert (world / "notes" / "a.md").read_text() == "granted"


def test_only_the_granted_host_is_reached(run: Callable[..., Any], setup: DenoSetup, web: Web) -> None:
    web.answers["/"] = (200, "ok")
    granted = replace(setup, net=(f"127.0.0.1:{web.port}",))
    code = "return (await fetch(input)).text()"
    assert run(code, at=granted, input=web.url()) == "ok"
    with pytest.raises(SandboxError, match="net access"):
        run(code, at=granted, input=web.url(host="localhost"))


def test_a_variable_is_seen_only_where_it_is_granted(run: Callable[..., Any], setup: DenoSetup) -> None:
    granted = replace(setup, environment=(("SHOWN", "value"),))
    assert run("return [process.env.SHOWN, typeof process.env.DENO_DIR]", at=granted) == ["value", "undefined"]
    assert run("return Object.keys(process.env).includes('SHOWN')") is False


def test_the_list_of_processes_shows_no_granted_value(setup: DenoSetup) -> None:
    """Arguments of a process can be seen by every user of the machine."""
    process = start_deno(replace(setup, environment=(("SHOWN", "long-secret" * 5_000),)), LIMITS)
    shown = Path(f"/proc/{process.pid}/cmdline")
    try:
        before = shown.read_bytes()
        hello = process.receive(most=4096, until=time.monotonic() + 30)
        assert hello.letter == "H"
        assert b"long-secret" not in before + shown.read_bytes()
    finally:
        process.kill()
        process.reap()


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("for (;;);", "sandbox-timeout"),
        ("await new Promise(done => setTimeout(done, 1e6))", "sandbox-timeout"),
        ("await new Promise(() => {})", "sandbox-never-settled"),
        ("const kept = []; for (;;) kept.push(new Array(1e5).fill({}))", "sandbox-memory"),
        ("const kept = []; for (;;) kept.push(new Uint8Array(1e8).fill(1))", "sandbox-memory"),
        ("const kept = []; for (;;) kept.push(new WebAssembly.Memory({ initial: 1600 }))", "sandbox-memory"),
        ("return 'x'.repeat(2e6)", "sandbox-output"),
        ("return NaN", "sandbox-value"),
        ("const a = {}; a.a = a; return a", "sandbox-value"),
        ("const f = () => f(); f()", "sandbox-stack"),
        ("Deno.exit(3)", "sandbox-crash"),
        ("Deno.stdout.writeSync(new Uint8Array(1000))", "sandbox-crash"),
    ],
)
def test_limits_hold_and_the_next_call_goes_on(
    failure: Callable[..., SandboxError], run: Callable[..., Any], code: str, expected: str
) -> None:
    assert failure(code, limits=LIMITS.lowered_to(seconds=1.0 if "timeout" in expected else 30.0)).code == expected
    assert run("return 1") == 1


def test_a_failure_points_into_the_file(failure: Callable[..., SandboxError]) -> None:
    error = failure("const a = 1;\nconst text = 'ä'; throw new TypeError('bad');")
    assert error.details["stack"][0] | {"function": None} == {
        "function": None, "file": "x.tool.js", "line": 2, "column": 25
    }  # fmt: skip
    assert "TypeError: bad" in error.message


def test_what_is_thrown_later_fails_the_call(failure: Callable[..., SandboxError]) -> None:
    assert "late" in failure("setTimeout(() => { throw new Error('late') }, 1); await new Promise(() => {})").message


def test_the_console_is_captured(pools: DenoPools, setup: DenoSetup) -> None:
    code = Excerpt(text="console.log('a', { b: 1 }); process.stdout.write('out\\n'); console.error('e')")
    lines = pools.run(setup, code, names={}, limits=LIMITS).console
    assert [(line.level, line.text) for line in lines] == [("log", "a { b: 1 }"), ("log", "out"), ("error", "e")]


@pytest.mark.parametrize(
    "pollution",
    [
        "Object.prototype.left = 1",
        "globalThis.left = 1",
        "Array.prototype.map = 1",
        "JSON.parse = 1",
        "Object.defineProperty(String.prototype, 'left', { get: () => 1 })",
    ],
)
def test_a_call_leaves_nothing_behind_for_the_next(run: Callable[..., Any], pollution: str) -> None:
    assert run(f"{pollution}; return 1") == 1
    seen = "return [typeof ({}).left, typeof globalThis.left, typeof [].map, typeof JSON.parse, typeof 'x'.left]"
    assert run(seen) == ["undefined", "undefined", "function", "function", "undefined"]


def test_nothing_of_an_earlier_call_goes_on(pools: DenoPools, setup: DenoSetup, run: Callable[..., Any]) -> None:
    run("setTimeout(() => console.log('from before'), 20); return 1")
    code = Excerpt(text="await new Promise(done => setTimeout(done, 60))")
    assert pools.run(setup, code, names={}, limits=LIMITS).console == ()


def test_a_process_serves_again_and_knows_its_packages(world: Path) -> None:
    pools = DenoPools(limits=LIMITS)
    setup = DenoSetup(packages=world / "packages", declared=DECLARED, folder=str(world))
    try:
        count = Excerpt(text="require_('colourful'); return ['x'.red, process.pid]")
        first, second = (pools.run(setup, count, names={}, limits=LIMITS).value for _ in range(2))
        assert first == second
        assert pools.pids() == (first[1],)  # type: ignore[index]
    finally:
        pools.close()
    assert pools.pids() == ()


def test_two_tools_never_share_a_process(run: Callable[..., Any], setup: DenoSetup) -> None:
    other = replace(setup, declared=("plain",))
    assert run("return process.pid") != run("return process.pid", at=other)


def test_idle_processes_end(world: Path) -> None:
    pools = DenoPools(limits=LIMITS, idle_seconds=0.05)
    setup = DenoSetup(packages=world / "packages", declared=DECLARED, folder=str(world))
    pid = pools.run(setup, Excerpt(text="return process.pid"), names={}, limits=LIMITS).value
    ended = threading.Event()
    for _ in range(200):
        if pid not in pools.pids() or ended.wait(0.05):
            break
    assert pools.pids() == ()
    pools.close()


def test_a_call_can_be_cancelled(pools: DenoPools, setup: DenoSetup) -> None:
    stop = Cancellation()
    timer = threading.Timer(0.3, stop.cancel)
    timer.start()
    with pytest.raises(SandboxError) as caught:
        pools.run(setup, Excerpt(text="for (;;);"), names={}, limits=LIMITS, cancellation=stop)
    timer.join()
    assert caught.value.code == "sandbox-cancelled"


def test_a_process_ends_with_its_parent(world: Path, tmp_path: Path) -> None:
    """A program that is killed leaves no Deno behind."""
    child, parent = os.pipe()
    pid = os.fork()
    if pid == 0:
        pools = DenoPools(limits=LIMITS)
        setup = DenoSetup(packages=world / "packages", declared=DECLARED, folder=str(world))
        found = pools.run(setup, Excerpt(text="return process.pid"), names={}, limits=LIMITS).value
        os.write(parent, f"{found}\n".encode())
        os._exit(0)
    os.close(parent)
    deno = int(os.read(child, 20))
    os.close(child)
    os.waitpid(pid, 0)
    waiting = threading.Event()
    for _ in range(100):
        if not Path(f"/proc/{deno}").exists() or waiting.wait(0.05):
            break
    assert not Path(f"/proc/{deno}").exists()
    assert tmp_path.exists()
