"""Packages are resolved, locked and installed from a registry; this one is a small one of the tests' own."""

from __future__ import annotations

import base64
import io
import json
import subprocess
import tarfile
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from hashlib import sha512
from pathlib import Path
from typing import Any

import pytest
from tests.servers import Exchange, Web

from paperagents.errors import ToolError
from paperagents.npm.packages import Lock, PackageFolder, packages_of
from paperagents.npm.process import install_command
from paperagents.sandbox import landlock

pytestmark = pytest.mark.npm


@dataclass
class Registry:
    """Answers as a registry does; every request is remembered."""

    port: int
    packages: dict[str, dict[str, tuple[bytes, dict[str, Any]]]] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)

    def publish(self, name: str, version: str, files: Mapping[str, str], **manifest: Any) -> None:
        described = {"name": name, "version": version, **manifest}
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w:gz") as archive:
            for path, content in {"package.json": json.dumps(described), **files}.items():
                entry = tarfile.TarInfo(f"package/{path}")
                entry.size = len(content.encode())
                archive.addfile(entry, io.BytesIO(content.encode()))
        self.packages.setdefault(name, {})[version] = (packed.getvalue(), described)

    def answer(self, path: str) -> bytes | None:
        self.requests.append(path)
        name, _, version = path.strip("/").partition("/-/")
        if name not in self.packages:
            return None
        if version:
            return self.packages[name][version.removesuffix(".tgz")][0]
        versions = {each: self._described(name, each) for each in self.packages[name]}
        latest = max(versions, key=lambda each: [int(part) for part in each.split(".")])
        return json.dumps({"name": name, "versions": versions, "dist-tags": {"latest": latest}}).encode()

    def _described(self, name: str, version: str) -> dict[str, Any]:
        packed, described = self.packages[name][version]
        integrity = "sha512-" + base64.b64encode(sha512(packed).digest()).decode()
        tarball = f"http://127.0.0.1:{self.port}/{name}/-/{version}.tgz"
        return {**described, "dist": {"tarball": tarball, "integrity": integrity}}


@pytest.fixture
def registry(web: Web, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Registry:
    made = Registry(port=web.port)

    def answer(exchange: Exchange) -> None:
        found = made.answer(exchange.path)
        exchange.reply(404 if found is None else 200, found or b"")

    web.otherwise = answer
    monkeypatch.setenv("NPM_CONFIG_REGISTRY", web.url())
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "downloads"))
    monkeypatch.setenv("HOME", str(tmp_path))
    return made


@pytest.fixture
def folder_of(tmp_path: Path) -> Callable[..., PackageFolder]:
    return lambda **dependencies: PackageFolder(tmp_path / "cache", "tool", dependencies)


def test_versions_are_resolved_locked_and_installed(
    registry: Registry, folder_of: Callable[..., PackageFolder]
) -> None:
    registry.publish("inner", "1.0.0", {"index.js": "module.exports = 1;"})
    registry.publish("outer", "1.2.0", {"index.js": "module.exports = require('inner');"}, dependencies={"inner": "^1"})
    registry.publish("outer", "2.0.0", {"index.js": "module.exports = 2;"})
    folder = folder_of(outer="^1.0.0")
    assert folder.read_lock() is None
    lock = folder.resolve()
    assert (lock.packages, folder.read_lock()) == (["inner@1.0.0", "outer@1.2.0"], None)
    assert not any(path.endswith(".tgz") for path in registry.requests)
    folder.install(lock)
    assert folder.read_lock() == lock
    assert "integrity" in lock.text
    assert sorted(each.name for each in (folder.path / "node_modules").iterdir() if each.name[0] != ".") == ["outer"]
    assert [each.name for each in folder.path.parent.iterdir()] == [folder.path.name]


def test_what_was_locked_is_installed_whatever_is_newer(
    registry: Registry, folder_of: Callable[..., PackageFolder]
) -> None:
    registry.publish("plain", "1.0.0", {"index.js": "module.exports = 1;"})
    folder = folder_of(plain="*")
    lock = folder.resolve()
    registry.publish("plain", "1.0.1", {"index.js": "module.exports = 2;"})
    folder.install(lock)
    installed = folder.read_lock()
    assert installed is not None
    assert installed.packages == ["plain@1.0.0"]


def test_a_package_that_was_exchanged_is_refused(registry: Registry, folder_of: Callable[..., PackageFolder]) -> None:
    registry.publish("plain", "1.0.0", {"index.js": "module.exports = 1;"})
    folder = folder_of(plain="1")
    lock = folder.resolve()
    registry.publish("plain", "1.0.0", {"index.js": "module.exports = 'another';"})
    with pytest.raises(ToolError) as caught:
        folder.install(lock)
    assert caught.value.code == "npm-install-failed"
    assert folder.read_lock() is None


def test_a_script_of_a_package_is_never_run(
    registry: Registry, folder_of: Callable[..., PackageFolder], tmp_path: Path
) -> None:
    scripts = {name: f"touch {tmp_path}/{name}" for name in ("preinstall", "install", "postinstall", "prepare")}
    registry.publish("scripted", "1.0.0", {"index.js": "module.exports = 1;"}, scripts=scripts, hasInstallScript=True)
    folder = folder_of(scripted="1")
    folder.install(folder.resolve())
    assert folder.read_lock() is not None
    assert not [name for name in scripts if (tmp_path / name).exists()]


@pytest.mark.skipif(not landlock.version(), reason="needs Landlock")
@pytest.mark.parametrize(
    "attempt",
    [
        "new Deno.Command('/bin/sh', { args: ['-c', 'true'] }).outputSync()",
        "Deno.writeTextFileSync(Deno.args[0] + '/outside', '')",
        "Deno.readTextFileSync(Deno.args[0] + '/secret')",
        "Deno.readTextFileSync('/etc/passwd')",
    ],
)
def test_installing_runs_and_reads_nothing_else_whatever_deno_would_allow(tmp_path: Path, attempt: str) -> None:
    (tmp_path / "secret").write_text("the secret")
    own = tmp_path / "own"
    own.mkdir()
    code = f"Deno.writeTextFileSync('{own}/made', ''); try {{ {attempt}; Deno.exit(1) }} catch (error) {{ }}"
    command = install_command([own], [], ["eval", code, str(tmp_path)])
    ended = subprocess.run(command, env={"DENO_DIR": str(own)}, cwd=own, check=False, capture_output=True)
    assert ended.returncode == 0, ended.stderr
    assert (own / "made").exists()


def test_a_package_there_is_not_is_told(registry: Registry, folder_of: Callable[..., PackageFolder]) -> None:
    with pytest.raises(ToolError) as caught:
        folder_of(missing="1").resolve()
    assert caught.value.code == "npm-install-failed"
    assert "missing" in caught.value.message
    assert registry.requests


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("lodash", "file:///etc"),
        ("lodash", "https://example.com/x.tgz"),
        ("lodash", "git+ssh://git@example.com/x.git"),
        ("lodash", "npm:other@1"),
        ("lodash", "link:../x"),
        ("lodash", "workspace:*"),
        ("lodash", "user/repository"),
        ("lodash", '1"; "x": "2'),
        ("../lodash", "1"),
        ("/etc/passwd", "1"),
        ("lodash/fp", "1"),
        ("--flag", "1" * 300),
        ("a b", "1"),
        ("x" * 300, "1"),
        ("@scope", "1"),
        ("@scope/../x", "1"),
        ("jsr:@std/path", "1"),
    ],
)
def test_only_packages_of_the_registry_can_be_named(tmp_path: Path, name: str, wanted: str) -> None:
    with pytest.raises(ToolError) as caught:
        PackageFolder(tmp_path, "tool", {name: wanted})
    assert caught.value.code == "npm-name"


@pytest.mark.parametrize(
    "wanted", ["^4.17.21", "~1.2", ">=1.0.0 <2.0.0", "1.x || 2.x", "*", "", "latest", "1.0.0-beta.1"]
)
def test_ranges_of_versions_are_understood(tmp_path: Path, wanted: str) -> None:
    assert PackageFolder(tmp_path, "tool", {"@scope/name": wanted}).read_lock() is None


def test_what_a_folder_above_says_is_not_obeyed(
    registry: Registry, folder_of: Callable[..., PackageFolder], tmp_path: Path
) -> None:
    registry.publish("plain", "1.0.0", {"index.js": "module.exports = 1;"})
    (tmp_path / "deno.json").write_text('{"workspace": ["./cache/*"], "imports": {"plain": "./evil.js"}}')
    (tmp_path / "package.json").write_text('{"workspaces": ["cache/*"], "scripts": {"postinstall": "touch evil"}}')
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / ".npmrc").write_text("registry=http://127.0.0.1:9/\n")
    folder = folder_of(plain="1")
    folder.install(folder.resolve())
    assert folder.read_lock() is not None


def test_two_that_install_at_once_end_with_one_whole_folder(
    registry: Registry, folder_of: Callable[..., PackageFolder]
) -> None:
    registry.publish("plain", "1.0.0", {"index.js": "module.exports = 1;"})
    lock = folder_of(plain="1").resolve()
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(lambda _: folder_of(plain="1").install(lock), range(3)))
    folder = folder_of(plain="1")
    assert folder.read_lock() == lock
    assert (folder.path / "node_modules" / "plain" / "index.js").read_text() == "module.exports = 1;"


def test_other_dependencies_replace_the_old_folder(registry: Registry, folder_of: Callable[..., PackageFolder]) -> None:
    registry.publish("plain", "1.0.0", {"index.js": ""})
    registry.publish("other", "1.0.0", {"index.js": ""})
    for dependencies in ({"plain": "1"}, {"other": "1"}):
        folder = folder_of(**dependencies)
        folder.install(folder.resolve())
    assert folder_of(plain="1").read_lock() is None
    assert folder_of(other="1").read_lock() is not None


@pytest.mark.parametrize("damage", ["", "{", "[]", "5"])
def test_a_damaged_lock_counts_as_nothing_installed(folder_of: Callable[..., PackageFolder], damage: str) -> None:
    folder = folder_of(plain="1")
    folder.path.mkdir(parents=True)
    (folder.path / "deno.lock").write_text(damage)
    assert folder.read_lock() is None


def test_an_installation_can_be_stopped(registry: Registry, folder_of: Callable[..., PackageFolder]) -> None:
    registry.publish("plain", "1.0.0", {"index.js": ""})
    folder = folder_of(plain="1")
    lock = folder.resolve()
    folder.stop()
    with pytest.raises(ToolError):
        folder.install(lock)
    assert folder.read_lock() is None


def test_a_lock_names_its_packages() -> None:
    assert Lock(text='{"npm": {"b@1": {}, "a@2": {}}}').packages == ["a@2", "b@1"]


def test_packages_are_kept_with_the_user_and_apart_for_each_vault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A vault that comes from somebody else brings no packages along that nobody here agreed to."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "user"))
    first, second = packages_of(tmp_path / "a" / "vault"), packages_of(tmp_path / "b" / "vault")
    assert first != second
    assert first.parent == second.parent == (tmp_path / "user").resolve() / "paperagents" / "npm"
