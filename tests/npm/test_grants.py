"""Grants name folders of the vault, hosts and variables, and nothing that leads further."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperagents.errors import ToolError
from paperagents.notes_folder import NotesFolder
from paperagents.npm.packages import (
    Grants,
    find_folder,
    grants_from,
    read_variables,
    require_possible,
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    vault = (tmp_path / "vault").resolve()
    (vault / "notes").mkdir(parents=True)
    (vault / ".paper").mkdir()
    (tmp_path / "outside").mkdir()
    (vault / "out").symlink_to(tmp_path / "outside")
    (vault / "kept").symlink_to(vault / ".paper")
    return vault


def test_what_settings_say_becomes_grants() -> None:
    grants = grants_from({"read": ("notes",), "net": ("example.com",)})
    assert grants == Grants(read=("notes",), net=("example.com",))
    assert grants.as_json() == {"read": ["notes"], "net": ["example.com"]}
    assert (grants_from({}).target, grants.target) == ("", "read notes; net example.com")


@pytest.mark.parametrize("tool", ["my_tool", "My-Tool"])
def test_a_variable_of_the_user_grants_too(root: Path, tool: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAPER_NPM_MY_TOOL_READ", "notes,other")
    assert NotesFolder(root).npm_grants(tool) == Grants(read=("notes", "other"))
    assert NotesFolder(root).npm_grants("mytool") == Grants()


@pytest.mark.parametrize("path", ["notes", "/notes", "notes/", "./notes", "//notes//"])
def test_a_vault_path_can_be_written_in_every_usual_way(root: Path, path: str) -> None:
    assert find_folder(root, path, "t") == root / "notes"


@pytest.mark.parametrize("path", ["", "/", "."])
def test_the_whole_vault_can_be_granted(root: Path, path: str) -> None:
    assert find_folder(root, path, "t") == root


@pytest.mark.parametrize(
    "path",
    ["..", "../outside", "notes/../..", "notes/..", "out", "out/x", ".paper", "/.paper/paper.db", "kept", "a\0b"],
)
def test_a_path_that_leads_out_or_to_what_is_kept_is_refused(root: Path, path: str) -> None:
    with pytest.raises(ToolError) as caught:
        require_possible(Grants(read=(path,)), "t", root)
    assert caught.value.code == "npm-grant"


def test_a_path_with_a_comma_is_refused_since_deno_would_make_two_of_it(root: Path) -> None:
    with pytest.raises(ToolError, match="comma"):
        require_possible(Grants(read=("notes/a, b",)), "t", root)


@given(st.text(alphabet="./aé\\\0 ~$*", max_size=12))
def test_no_path_leads_out(tmp_path_factory: pytest.TempPathFactory, path: str) -> None:
    root = tmp_path_factory.getbasetemp().resolve()
    try:
        found = find_folder(root, path, "t")
    except ToolError:
        return
    assert found == root or root in found.parents


@pytest.mark.parametrize("host", ["example.com", "api.example.com:8443", "127.0.0.1:80", "[::1]:8080", "localhost"])
def test_hosts_can_be_granted(root: Path, host: str) -> None:
    require_possible(Grants(net=(host,)), "t", root)


@pytest.mark.parametrize(
    "host",
    [
        "",
        "*",
        "http://example.com",
        "a,b",
        "a b",
        "a:99999999",
        "a:65536",
        "a:0",
        "unix:/run/docker.sock",
        "a/24",
        "--allow-all",
    ],
)
def test_what_is_no_host_is_refused(root: Path, host: str) -> None:
    with pytest.raises(ToolError):
        require_possible(Grants(net=(host,)), "t", root)


@pytest.mark.parametrize("name", ["", "A=B", "A,B", "DENO_V8_FLAGS", "LD_PRELOAD", "NODE_OPTIONS", "deno_cert", "a b"])
def test_a_variable_that_steers_the_process_is_refused(root: Path, name: str) -> None:
    with pytest.raises(ToolError):
        require_possible(Grants(env=(name,)), "t", root)


def test_only_variables_that_are_set_are_passed_on(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOWN", "value")
    monkeypatch.delenv("MISSING", raising=False)
    grants = Grants(env=("SHOWN", "MISSING"))
    require_possible(grants, "t", root)
    assert read_variables(grants) == (("SHOWN", "value"),)
