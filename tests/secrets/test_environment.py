"""Settings and secrets of tools are kept whole, whoever else changes them at the same time."""

from __future__ import annotations

import errno
import json
import os
import resource
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from paperagents.errors import PaperError
from paperagents.secrets.environment import EnvironmentStore


def test_what_is_set_at_the_same_time_is_all_kept(tmp_path: Path) -> None:
    file = tmp_path / "user" / "environments.json"

    def set_one(number: int) -> None:
        EnvironmentStore(file, lambda: f"vault{number % 3}").set(f"tool{number}", {"KEY": str(number)})

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(set_one, range(40)))
    found = [EnvironmentStore(file, lambda: f"vault{each % 3}").values(f"tool{each}") for each in range(40)]  # noqa: B023  used at once
    assert found == [{"KEY": str(each)} for each in range(40)]


def test_only_the_owner_can_read_them(tmp_path: Path) -> None:
    file = tmp_path / "environments.json"
    EnvironmentStore(file, lambda: str(tmp_path)).set("tool", {"KEY": "secret"})
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "user").write_text("a file, not a folder")
    with pytest.raises(PaperError) as caught:
        EnvironmentStore(tmp_path / "user" / "environments.json", lambda: str(tmp_path)).set("tool", {"KEY": "x"})
    assert caught.value.code in ("cannot-write", "environment-unreadable")


def test_what_a_newer_version_keeps_beside_variables_is_ignored_and_kept(tmp_path: Path) -> None:
    file = tmp_path / "environments.json"
    ours, newer = str(tmp_path), {"hidden": "secret", "until": "2999"}
    kept = {"value": "a", "digest": None, "since": "today"}
    written: dict[str, Any] = {
        "format": 2, "other": ["x"], ours: {"tool": {"KEY": kept, "NEW": newer}, "strange": ["x"]},
    }  # fmt: skip
    file.write_text(json.dumps(written))
    store = EnvironmentStore(file, lambda: str(tmp_path))
    assert store.values("tool") == {"KEY": "a"}
    assert store.values("strange") == {}
    assert store.every_value() == ["a"]
    store.set("tool", {"KEY": None, "OTHER": "b"})
    written[ours] = {"tool": {"NEW": newer, "OTHER": {"value": "b", "digest": None}}, "strange": ["x"]}
    assert json.loads(file.read_text()) == written


def test_too_few_descriptors_are_not_the_fault_of_the_file(tmp_path: Path) -> None:
    store = EnvironmentStore(tmp_path / "environments.json", lambda: str(tmp_path))
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with Path(os.devnull).open("rb") as last:
        resource.setrlimit(resource.RLIMIT_NOFILE, (last.fileno(), hard))
        try:
            with pytest.raises(OSError, match="Too many") as caught:
                store.values("tool")
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert caught.value.errno == errno.EMFILE


@pytest.mark.parametrize("content", ["{", "[]", '{"VAULT": 5}', '{"VAULT": {"tool": ["KEY"]}}', "[" * 100000])
def test_secrets_that_are_not_understood_are_never_written_over(tmp_path: Path, content: str) -> None:
    file = tmp_path / "environments.json"
    content = content.replace("VAULT", str(tmp_path))
    file.write_text(content)
    with pytest.raises(PaperError) as caught:
        EnvironmentStore(file, lambda: str(tmp_path)).set("tool", {"KEY": "x"})
    assert caught.value.code == "environment-unreadable"
    assert file.read_text() == content


def test_a_value_belongs_to_the_file_it_was_given_to_until_somebody_confirms_another(tmp_path: Path) -> None:
    files = {"tool": "first"}
    store = EnvironmentStore(tmp_path / "environments.json", lambda: "vault", files.get)
    store.set("tool", {"KEY": "a"})
    assert (store.values("tool"), store.list_stale("tool")) == ({"KEY": "a"}, [])
    files["tool"] = "second"
    store.set("tool", {"NEW": "b"})
    assert (store.values("tool"), store.list_stale("tool")) == ({"NEW": "b"}, ["KEY"])
    assert store.values("tool", "first") == {"KEY": "a"}
    assert store.every_value() == ["a", "b"]
    store.confirm("tool")
    assert (store.values("tool"), store.list_stale("tool")) == ({"KEY": "a", "NEW": "b"}, [])


def test_another_vault_at_the_same_place_has_no_values(tmp_path: Path) -> None:
    file = tmp_path / "environments.json"
    EnvironmentStore(file, lambda: "/place#one").set("tool", {"KEY": "a"})
    other = EnvironmentStore(file, lambda: "/place#two")
    assert (other.values("tool"), other.list_stale("tool"), other.every_value()) == ({}, [], [])
