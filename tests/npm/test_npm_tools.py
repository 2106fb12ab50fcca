"""Realistic tools with real packages from npm: installed once after a yes, then run offline."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.servers import Web
from tests.trusting import trust_settings

import paperagents
from paperagents.approval.question import ApprovalRequest, Approved, Denied
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.runs.record import RunRecord
from paperagents.vault import Vault

pytestmark = pytest.mark.npm

TOOLS = Path(__file__).parent / "npm_tools"
PEOPLE: JsonValue = [{"city": "Ulm", "age": 20}, {"city": "Ulm", "age": 40}, {"city": "Bonn", "age": 7}]
CASES: list[tuple[str, JsonObject, JsonValue]] = [
    ("group_people", {"people": PEOPLE}, {"Ulm": 30, "Bonn": 7}),
    ("add_days", {"date": "2026-02-27", "days": 2}, "2026-03-01"),
    ("read_yaml", {"text": "a: [1, 2]\nb: yes"}, {"a": [1, 2], "b": "yes"}),
    ("render_markdown", {"text": "# Hi *you*"}, "<h1>Hi <em>you</em></h1>"),
    (
        "read_table",
        {"text": "name,amount\nA,1.5\nB,2\n"},
        {"rows": [{"name": "A", "amount": 1.5}, {"name": "B", "amount": 2}], "total": 3.5},
    ),
    ("check_person", {"person": {"name": "A", "email": "a@example.org"}}, {"valid": True, "errors": []}),
    (
        "check_person",
        {"person": {"email": "nobody"}},
        {"valid": False, "errors": ["must have required property 'name'", 'must match format "email"']},
    ),
    ("collect_links", {"html": "<p><a href='/a'>a</a><a>b</a><a href='c'>c</a></p>"}, ["/a", "c"]),
    ("check_order", {"order": {"item": "pen"}}, {"item": "pen", "count": 1}),
    ("check_order", {"order": {"item": "", "count": -1}}, ["item", "count"]),
    ("compare_versions", {"versions": ["1.2.3", "1.10.0", "1.9.9"]}, ["1.10.0", "1.9.9", "1.2.3"]),
    ("write_letter", {"template": "Dear {{loud name}}!", "values": {"name": "Ada"}}, "Dear ADA!"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A vault with all the tools; the downloads are shared by all processes that test."""
    root = tmp_path_factory.mktemp("npm") / "vault"
    shutil.copytree(TOOLS, root)
    (root / ".paper").mkdir()
    changed = {
        "XDG_CONFIG_HOME": str(root.parent / "config"),
        "XDG_CACHE_HOME": str(tmp_path_factory.getbasetemp().parent / "npm-downloads"),
        "PAPER_LANGUAGE": "en",
    }
    before = {name: os.environ.get(name) for name in changed}
    os.environ.update(changed)
    yield root
    for name, value in before.items():
        os.environ.pop(name) if value is None else os.environ.update({name: value})


@pytest.fixture(autouse=True)
def own_home(folder: Path) -> Path:
    """All tests of this module agree on one user."""
    os.environ["XDG_CONFIG_HOME"] = str(folder.parent / "config")
    return folder.parent / "config"


@pytest.fixture(scope="module")
def vault(folder: Path) -> Iterator[Vault]:
    with paperagents.open_vault(folder) as opened:
        yield opened


def said_yes(vault: Vault, tool: str, arguments: JsonObject) -> RunRecord:
    return vault.run(tool, arguments, approver=lambda _: Approved())


def code_of(run: RunRecord) -> object:
    assert run.error is not None, run.data
    return run.error["code"]


@pytest.mark.parametrize(("tool", "arguments", "expected"), CASES)
def test_a_tool_uses_its_packages(vault: Vault, tool: str, arguments: JsonObject, expected: JsonValue) -> None:
    run = said_yes(vault, tool, arguments)
    assert (run.error, run.data) == (None, expected)
    again = vault.run(tool, arguments)
    assert (again.data, [each["name"] for each in again.execution_log]) == (expected, [tool])


def test_ids_are_new_in_every_call(vault: Vault) -> None:
    first, second = (said_yes(vault, "make_ids", {"count": 3}).data for _ in range(2))
    assert isinstance(first, list)
    assert isinstance(second, list)
    assert len({*map(str, first), *map(str, second)}) == 6


def test_a_failure_it_has_a_name_for_is_told_by_that_name(vault: Vault) -> None:
    assert code_of(said_yes(vault, "read_yaml", {"text": "a: [1"})) == "BAD_YAML"


def test_a_write_by_way_of_its_api_is_asked(vault: Vault) -> None:
    vault.install("save_xml", approver=lambda _: Approved())
    arguments: JsonObject = {"value": {"a": {"b": 1}}, "file": "made.xml"}
    assert vault.run("save_xml", arguments).status == "waiting"
    assert vault.run("save_xml", arguments, approver=lambda _: Denied()).status == "denied"
    assert not (vault.root / "made.xml").exists()
    assert vault.plan("save_xml", arguments).status == "planned"
    assert said_yes(vault, "save_xml", arguments).success
    assert (vault.root / "made.xml").read_text() == "<a>\n  <b>1</b>\n</a>\n"


def grant(vault: Vault, tool: str, lines: str) -> None:
    (vault.root / ".paper" / "settings.toml").write_text(f"[npm.{tool}]\n{lines}\n", encoding="utf-8")
    trust_settings(vault.root)
    vault.read_settings_again()


def test_a_host_is_reached_only_where_settings_grant_it_and_somebody_agreed(vault: Vault, web: Web) -> None:
    web.answers["/page"] = (200, '{"title": "Hello"}')
    web.answers["/none"] = (404, "{}")
    grant(vault, "fetch_title", "")
    refused = said_yes(vault, "fetch_title", {"url": web.url("/page")})
    assert code_of(refused) == "npm-not-granted"
    assert not web.requests
    grant(vault, "fetch_title", f'net = ["127.0.0.1:{web.port}"]')
    assert vault.run("fetch_title", {"url": web.url("/page")}).status == "waiting"
    assert not web.requests
    asked: list[ApprovalRequest] = []

    def agree(request: ApprovalRequest) -> Approved:
        asked.append(request)
        return Approved()

    assert vault.run("fetch_title", {"url": web.url("/page")}, approver=agree).data == "Hello"
    assert f"127.0.0.1:{web.port}" in asked[0].preview
    assert vault.run("fetch_title", {"url": web.url("/page")}).data == "Hello"
    assert code_of(vault.run("fetch_title", {"url": web.url("/none")})) == "NOT_FOUND"
    assert code_of(vault.run("fetch_title", {"url": "http://127.0.0.2/"})) == "npm-not-granted"


def test_a_host_name_that_leads_inside_is_refused_unless_it_is_allowed_by_name(
    vault: Vault, web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    web.answers["/page"] = (200, '{"title": "Hello"}')
    grant(vault, "fetch_title", f'net = ["localhost:{web.port}"]')
    page: JsonObject = {"url": f"http://localhost:{web.port}/page"}
    refused = said_yes(vault, "fetch_title", page)
    assert (code_of(refused), web.requests) == ("npm-grant", [])
    monkeypatch.setenv("PAPER_ALLOWED_HOSTS", "localhost")
    vault.read_settings_again()
    assert said_yes(vault, "fetch_title", page).data == "Hello"


def test_a_dry_run_connects_to_nothing(vault: Vault, web: Web) -> None:
    grant(vault, "fetch_title", f'net = ["127.0.0.1:{web.port}"]')
    assert vault.install("fetch_title", approver=lambda _: Approved()).success
    plan = vault.run("fetch_title", {"url": web.url("/page")}, mode="dryrun")
    assert (plan.status, web.requests) == ("planned", [])
    assert plan.planned is not None
    assert "net access" in str(plan.planned[-1]["preview"])


def test_a_dry_run_makes_no_folder_that_the_tool_may_write_to(vault: Vault) -> None:
    grant(vault, "add_days", 'write = ["made/for-it"]')
    assert vault.install("add_days", approver=lambda _: Approved()).success
    assert vault.plan("add_days", {"date": "2026-02-27", "days": 2}).data == "2026-03-01"
    assert not (vault.root / "made").exists()
    assert vault.run("add_days", {"date": "2026-02-27", "days": 2}).success
    assert (vault.root / "made" / "for-it").is_dir()


def test_notes_are_read_only_where_settings_grant_it(vault: Vault) -> None:
    (vault.root / "notes").mkdir(exist_ok=True)
    (vault.root / "notes" / "a.md").write_text("hello")
    grant(vault, "hash_notes", "")
    assert code_of(said_yes(vault, "hash_notes", {"folder": "notes"})) == "npm-not-granted"
    grant(vault, "hash_notes", 'read = ["notes"]')
    assert said_yes(vault, "hash_notes", {"folder": "notes"}).data == {"a.md": "2cf24dba"}
    (vault.root / "notes" / "out.md").symlink_to("/etc/passwd")
    assert code_of(said_yes(vault, "hash_notes", {"folder": "notes"})) == "npm-not-granted"
    (vault.root / "notes" / "out.md").unlink()
    assert said_yes(vault, "hash_notes", {"folder": "notes"}).success


def test_after_installing_the_registry_is_not_needed(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    assert said_yes(vault, "compare_versions", {"versions": []}).success
    monkeypatch.setenv("NPM_CONFIG_REGISTRY", "http://127.0.0.1:9/")
    with paperagents.open_vault(vault.root) as again:
        assert again.run("compare_versions", {"versions": ["2.0.0", "3.0.0"]}).data == ["3.0.0", "2.0.0"]
        assert code_of(again.install("compare_versions", rebuild=True)) == "npm-install-failed"
        assert again.run("compare_versions", {"versions": ["1.0.0"]}).data == ["1.0.0"]
