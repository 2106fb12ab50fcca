"""Tools from an OpenAPI description: readable notes that really call the service."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.servers import Exchange, serve_web

from paperagents.approval.question import Approved
from paperagents.errors import UsageError
from paperagents.interfaces.command_line.app import run as paper
from paperagents.interfaces.command_line.import_command import write_note
from paperagents.interfaces.command_line.openapi_document import read_service
from paperagents.reading.files import read_markdown
from paperagents.vault import Vault

PETS = """
openapi: 3.1.0
info: {title: Pet Store, version: "1"}
servers: [{url: "SERVER/v1"}]
security: [{key: []}]
paths:
  /pets:
    get:
      operationId: listPets
      summary: List all pets
      security: []
      parameters:
        - {name: limit, in: query, schema: {type: integer, minimum: 1, maximum: 100}, description: How many}
        - {$ref: '#/components/parameters/Tags'}
    post:
      operationId: addPet
      requestBody:
        required: true
        content: {application/json: {schema: {$ref: '#/components/schemas/Pet'}}}
  /pets/{petId}:
    parameters:
      - {name: petId, in: path, required: true, schema: {type: string}}
    get:
      summary: "A \\"pet\\": `{{date}}` ---"
      description: "Line one\\n---\\n```js\\nevil()\\n```"
components:
  parameters:
    Tags: {name: tags, in: query, schema: {type: array, items: {type: string}}}
  schemas:
    Pets: {type: array, items: {$ref: '#/components/schemas/Pet'}}
    Pet: {type: object, properties: {name: {type: string}, friends: {$ref: '#/components/schemas/Pets'}}}
  securitySchemes:
    key: {type: apiKey, in: header, name: X-Key}
"""


@pytest.fixture
def shop() -> Iterator[str]:
    """A service that answers with what it was asked."""

    def echo(exchange: Exchange) -> None:
        asked = exchange.received
        shown = {"method": asked.method, "path": asked.path, "body": asked.body.decode()}
        exchange.reply(200, json.dumps({**shown, "key": exchange.headers.get("x-key")}))

    with serve_web() as web:
        web.otherwise = echo
        yield web.url("")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("PAPER_ALLOWED_HOSTS", "127.0.0.1")
    (tmp_path / "vault" / ".paper").mkdir(parents=True)
    return tmp_path / "vault"


def test_every_operation_becomes_a_tool_that_calls_the_service(
    folder: Path, shop: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "pets.yaml").write_text(PETS.replace("SERVER", shop))
    assert paper(["--vault", str(folder), "import", "openapi", str(tmp_path / "pets.yaml"), "--yes", "--json"]) == 0
    written = json.loads(capsys.readouterr().out)
    assert written[:2] == ["tools/pet-store/listpets.md", "tools/pet-store/addpet.md"]
    with Vault(folder) as vault:
        problems = [each for entry in vault.registry.entries() for each in entry.problems]
        assert [each for each in problems if each.severity == "error"] == []
        asked = vault.run("listpets", {"limit": 3, "tags": ["a b", "c&d"]}).data
        assert isinstance(asked, dict)
        assert (asked["method"], asked["path"]) == ("GET", "/v1/pets?limit=3&tags=a+b&tags=c%26d")
        assert vault.run("listpets", {"limit": 1000}).error is not None
        assert vault.run("addpet", {"body": {"name": "Rex"}}).error is not None
        vault.environments.set("addpet", {"API_TOKEN": "s3cret-key"})
    with Vault(folder) as vault:
        record = vault.run("addpet", {"body": {"name": "Rex"}}, approver=lambda _: Approved())
        assert isinstance(record.data, dict)
        assert json.loads(str(record.data["body"])) == {"name": "Rex"}
        assert "s3cret-key" not in json.dumps(record.as_json())
        assert record.data["key"] == "***"


def test_what_stands_in_a_path_stays_one_part_of_it(folder: Path, shop: str, tmp_path: Path) -> None:
    (tmp_path / "pets.yaml").write_text(PETS.replace("SERVER", shop).replace("security: [{key: []}]", ""))
    assert paper(["--vault", str(folder), "import", "openapi", str(tmp_path / "pets.yaml"), "--yes"]) == 0
    with Vault(folder) as vault:
        (tool,) = [entry.id for entry in vault.registry.entries() if entry.file and "get" in entry.id]
        asked = vault.run(tool, {"petId": "a/../b?c=$&"}).data
        assert isinstance(asked, dict)
        assert asked["path"] == "/v1/pets/a%2F..%2Fb%3Fc%3D%24%26"
        assert not vault.run(tool, {"petId": ".."}).success
        changing = vault.run("addpet", {"body": {"name": "Rex"}})
        assert changing.status == "waiting"


def test_nothing_is_written_without_a_yes(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "pets.yaml").write_text(PETS.replace("SERVER", "https://pets.example"))
    assert paper(["--vault", str(folder), "import", "openapi", str(tmp_path / "pets.yaml")]) == 3
    assert not (folder / "tools").exists()


def test_a_description_is_fetched_by_the_tool_that_knows_what_may_be_reached(
    folder: Path, monkeypatch: pytest.MonkeyPatch, shop: str, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PAPER_ALLOWED_HOSTS", "")
    assert paper(["--vault", str(folder), "import", "openapi", f"{shop}/openapi.json", "--yes"]) == 1
    assert "127.0.0.1" in capsys.readouterr().err


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", "hello", "{", "swagger: '2.0'\npaths: {}", "a: &a [*a, *a]", "paths: 7"]
)
def test_what_is_no_description_is_told(content: str) -> None:
    with pytest.raises(UsageError) as refused:
        read_service(content)
    assert refused.value.code == "not-openapi"


def test_a_service_without_an_address_needs_one() -> None:
    document = json.dumps({"openapi": "3.0.0", "paths": {"/x": {"get": {}}}})
    with pytest.raises(UsageError) as refused:
        read_service(document)
    assert refused.value.code == "openapi-without-server"
    assert read_service(document, server="https://x.example/").operations[0].server == "https://x.example"
    assert read_service(document, source="https://y.example/api.json").operations[0].server.startswith("https://y.")


NASTY = st.text(max_size=30) | st.sampled_from(
    ["{{env.HOME}}", "---", "```", "`", "\n---\n", "${x}", "'", '"', "*/", "\\"]
)
PARAMETER = st.fixed_dictionaries(
    {"name": NASTY, "in": st.sampled_from(["path", "query", "header", "cookie"])},
    optional={"description": NASTY, "required": st.booleans(), "schema": st.fixed_dictionaries(
        {}, optional={"type": st.sampled_from(["string", "integer", "object", "array", "null", 7]), "pattern": NASTY,
                      "enum": st.lists(NASTY, max_size=3), "default": NASTY})},
)  # fmt: skip
OPERATION = st.fixed_dictionaries(
    {}, optional={"operationId": NASTY, "summary": NASTY, "description": NASTY,
                  "parameters": st.lists(PARAMETER, max_size=4)},
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(
    st.dictionaries(
        NASTY.map(lambda text: f"/{text}"),
        st.dictionaries(st.sampled_from(["get", "post"]), OPERATION, max_size=2),
        max_size=3,
    ),
    NASTY,
)
def test_whatever_a_description_says_a_note_stays_the_note_we_wrote(paths: dict[str, Any], title: str) -> None:
    document = {"openapi": "3.1.0", "info": {"title": title}, "servers": [{"url": "https://x.example"}], "paths": paths}
    service = read_service(json.dumps(document))
    for operation in service.operations:
        reading = read_markdown(write_note(operation, service, plain=True).encode("utf-8", "replace"), "a.md")
        definition = reading.definition
        assert definition is not None, (write_note(operation, service, plain=True), reading.problems)
        assert [step.tool for step in definition.all_steps()] == ["rest_request"]  # type: ignore[union-attr]
        assert definition.id == operation.id
