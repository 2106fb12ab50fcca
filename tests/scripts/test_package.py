"""The package that is built: everything in it that is needed, nothing else, and it works outside of the checkout."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from email import message_from_string
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from paperagents.version import __version__

from .loading import ROOT, script


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    built: Path = script("package").build(tmp_path_factory.mktemp("dist"))
    return built


@pytest.mark.package
def test_the_wheel_has_what_it_needs_and_nothing_else(wheel: Path) -> None:
    assert list(script("package").wrong_with(wheel)) == []


@pytest.mark.package
def test_every_file_of_the_source_is_in_the_wheel(wheel: Path) -> None:
    packed = {name for name in zipfile.ZipFile(wheel).namelist() if name.startswith("paperagents/")}
    kept = subprocess.run(
        ["git", "ls-files", "src/paperagents"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.split("\n")
    present = {name.removeprefix("src/") for name in kept if name and (ROOT / name).exists()}
    assert present - packed == set()


@pytest.mark.package
def test_the_version_comes_from_one_place(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    (name,) = [each for each in archive.namelist() if each.endswith("METADATA")]
    told = message_from_string(archive.read(name).decode())
    assert told["Version"] == __version__
    assert wheel.name == f"paperagents-{__version__}-py3-none-any.whl"
    assert f'"{__version__}"' not in (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert set(told.get_all("Provides-Extra") or []) >= {"npm", "cluster", "all"}


@pytest.mark.package
def test_the_unpacked_wheel_works_without_the_checkout(wheel: Path, tmp_path: Path) -> None:
    zipfile.ZipFile(wheel).extractall(tmp_path / "site")
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONPATH": str(tmp_path / "site")}
    code = "import paperagents, sys; sys.exit(not paperagents.__file__.startswith(sys.argv[1]))"
    for command in (
        ["-c", code, str(tmp_path / "site")],
        ["-m", "paperagents", "init", "vault"],
        ["-m", "paperagents", "--vault", "vault", "run", "format_list", "-p", "items=a"],
        ["-m", "paperagents", "--vault", "vault", "test", "csv_to_table"],
    ):
        done = subprocess.run(
            [sys.executable, *command], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr


def test_every_library_is_in_the_bill_of_materials_with_its_licence() -> None:
    materials = script("materials")
    libraries = list(materials.locked_libraries(ROOT / "requirements" / "run.txt"))
    locked = (ROOT / "requirements" / "run.txt").read_text(encoding="utf-8").count("==")
    assert len(libraries) >= 30
    assert len(libraries) <= locked
    assert [each.name for each in libraries if each.licence == "" or not each.hashes] == []
    bill = json.loads(json.dumps(materials.bill_of_materials(libraries)))
    assert bill["metadata"]["component"]["version"] == __version__
    assert {each["purl"] for each in bill["components"]} >= {
        f"pkg:pypi/{each.name}@{each.version}" for each in libraries
    }


def test_no_library_has_a_licence_that_reaches_further_than_itself() -> None:
    libraries = script("materials").locked_libraries(ROOT / "requirements" / "run.txt")
    assert [each.name for each in libraries if "GPL" in (each.licence or "")] == []


def test_importing_the_package_loads_nothing_heavy() -> None:
    code = "import sys, paperagents; print('\\n'.join(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split("\n")
    heavy = {"click", "yaml", "fastapi", "mcp", "tantivy", "httpx2", "jsonschema_rs", "tree_sitter", "sqlite3"}
    assert heavy & set(loaded) == set()


def test_every_declared_dependency_is_imported() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
    names = {re.split("[^A-Za-z0-9-]", each)[0] for each in declared}
    source = "\n".join(file.read_text("utf-8") for file in (ROOT / "src").rglob("*.py"))
    imported = set(re.findall(r"^\s*(?:from|import) (\w+)", source, re.MULTILINE))
    provided = {name for module, found in packages_distributions().items() if module in imported for name in found}
    # The sandbox loads the engine by its file, zoneinfo reads tzdata, uvicorn uses websockets.
    assert names - {each.lower().replace("_", "-") for each in provided} == {"quickjs-ng", "tzdata", "websockets"}
