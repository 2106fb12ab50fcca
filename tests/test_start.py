"""A new process loads only what its command needs."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.waiting import wait_until

TOOL = """---
tool: true
name: format_list
description: Formats a list.
parameters:
  - {name: items, type: string, description: Items., required: true}
custom_function: return input.items.split(',').join('; ');
---
"""
HEAVY = {
    "paperagents.agents": "only agents think",
    "paperagents.cluster": "only workers and servers work beside",
    "paperagents.importing": "only paper import reads other formats",
    "paperagents.interfaces.mcp": "only servers speak it",
    "paperagents.interfaces.rest": "only servers speak it",
    "paperagents.interfaces.serving": "only servers serve",
    "paperagents.interfaces.web": "only servers have pages",
    "paperagents.mcp_client.connections": "only remote tools are reached by it",
    "paperagents.runs.blame": "only paper blame tells whose a line is",
    "paperagents.runs.examples": "only paper test tries examples",
    "paperagents.runs.statistics": "only paper stats counts",
    "paperagents.runs.tag_calls": "only texts with tags call by them",
    "paperagents.search": "only searches search",
    "paperagents.storage.postgres": "an extra",
    "paperagents.tags.extraction": "only texts with tags are read by it",
    "paperagents.tags.references": "only code with references is filled in by it",
    "asyncio": "only servers and remote tools wait for many things",
    "concurrent": "only what is done at once",
    "httpx2": "only requests are sent by it",
    "psycopg": "an extra",
    "ssl": "only requests are encrypted",
    "starlette": "only servers serve",
    "zoneinfo": "only vaults that name their time zone",
}
"""What no small command loads, each with who does."""
RUN = ("run", "format_list", "-p", "items=a,b")
LIBRARIES = {
    ("--help",): {"click"},
    ("list",): {"click"},
    ("check",): {"click"},
    RUN: {"click", "jsonschema_rs", "cryptography"},
}
"""The libraries that each command may load, beside those of Python: none that reads files that were read before."""
NOT_TO_RUN = {
    "paperagents.runs.run": "nothing is run",
    "paperagents.sandbox.pool": "nothing is run",
    "sqlite3": "nothing is stored",
}


def loaded_modules(vault: Path, *arguments: str) -> set[str]:
    """The modules that a command has loaded by its end."""
    environment = {**os.environ, "XDG_CONFIG_HOME": str(vault.parent / "config"), "PYTHONPROFILEIMPORTTIME": "1"}
    command = [sys.executable, "-m", "paperagents", "--vault", str(vault), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    lines = [line for line in done.stderr.splitlines() if line.startswith("import time:")]
    return {line.rpartition("|")[2].strip() for line in lines}


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    (folder / ".paper").mkdir(parents=True)
    (folder / "format_list.md").write_text(TOOL, encoding="utf-8")
    return folder


@pytest.fixture
def known_vault(vault: Path) -> Path:
    """One whose tool was run before, since its file was changed for the last time."""
    wait_until(lambda: time.time_ns() - (vault / "format_list.md").stat().st_ctime_ns > 200_000_000)
    for _ in range(2):
        loaded_modules(vault, *RUN)
    return vault


def heavy_among(loaded: set[str], heavy: dict[str, str]) -> dict[str, str]:
    return {name: why for name, why in heavy.items() if any(f"{each}.".startswith(f"{name}.") for each in loaded)}


def test_running_a_small_tool_loads_nothing_that_it_does_not_use(vault: Path) -> None:
    assert heavy_among(loaded_modules(vault, *RUN), HEAVY) == {}


@pytest.mark.parametrize("arguments", [("list",), ("check",), ("--help",)])
def test_looking_loads_nothing_that_runs(vault: Path, arguments: tuple[str, ...]) -> None:
    assert heavy_among(loaded_modules(vault, *arguments), HEAVY) == {}


def test_help_runs_and_stores_nothing(vault: Path) -> None:
    assert heavy_among(loaded_modules(vault, "--help"), NOT_TO_RUN) == {}


@pytest.mark.parametrize("arguments", LIBRARIES)
def test_a_command_loads_no_other_libraries(known_vault: Path, arguments: tuple[str, ...]) -> None:
    own = {*sys.stdlib_module_names, "paperagents", "imported package", "org", "sitecustomize", "usercustomize"}
    loaded = {name.partition(".")[0] for name in loaded_modules(known_vault, *arguments)}
    assert {name for name in loaded - own if not name.startswith("_")} <= LIBRARIES[arguments]
