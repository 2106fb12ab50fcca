"""Tools from an OpenAPI description: readable notes that really call the service."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import pytest
from fastapi import FastAPI, Form
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel
from tests.servers import Exchange, serve_web

from paperagents.approval.question import Approved
from paperagents.errors import UsageError
from paperagents.importing.openapi_document import read_document
from paperagents.importing.openapi_note import write_note
from paperagents.importing.openapi_operations import Choice, Operation, read_operations
from paperagents.interfaces.command_line.app import run as paper
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
    assert written[:2] == ["tools/pet-store/list-pets.md", "tools/pet-store/add-pet.md"]
    with Vault(folder) as vault:
        problems = [each for entry in vault.registry.entries() for each in entry.problems]
        assert [each for each in problems if each.severity == "error"] == []
        asked = vault.run("list-pets", {"limit": 3, "tags": ["a b", "c&d"]}).data
        assert isinstance(asked, dict)
        assert (asked["method"], asked["path"]) == ("GET", "/v1/pets?limit=3&tags=a%20b&tags=c%26d")
        assert vault.run("list-pets", {"limit": 1000}).error is not None
        assert vault.run("add-pet", {"body": {"name": "Rex"}}).error is not None
        vault.environments.set("add-pet", {"API_TOKEN": "s3cret-key"})
    with Vault(folder) as vault:
        record = vault.run("add-pet", {"body": {"name": "Rex"}}, approver=lambda _: Approved())
        assert isinstance(record.data, dict)
        assert json.loads(str(record.data["body"])) == {"name": "Rex"}
        assert "s3cret-key" not in json.dumps(record.as_json())
        assert record.data["key"] == "***"


def test_what_stands_in_a_path_stays_one_part_of_it(folder: Path, shop: str, tmp_path: Path) -> None:
    (tmp_path / "pets.yaml").write_text(PETS.replace("SERVER", shop).replace("security: [{key: []}]", ""))
    assert paper(["--vault", str(folder), "import", "openapi", str(tmp_path / "pets.yaml"), "--yes"]) == 0
    with Vault(folder) as vault:
        asked = vault.run("get-pets-by-pet-id", {"petId": "a/../b?c=$&"}).data
        assert isinstance(asked, dict)
        assert asked["path"] == "/v1/pets/a%2F..%2Fb%3Fc%3D%24%26"
        assert not vault.run("get-pets-by-pet-id", {"petId": ".."}).success
        assert not vault.run("get-pets-by-pet-id", {"petId": ""}).success
        changing = vault.run("add-pet", {"body": {"name": "Rex"}})
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
    "content", ["", "[]", "{}", "hello", "{", "swagger: '2.0'\npaths: {}", "a: &a [*a, *a]", "openapi: 3.1.0\npaths: 7"]
)
def test_what_is_no_document_is_told(content: str) -> None:
    with pytest.raises(UsageError) as refused:
        read_document(content)
    assert refused.value.code == "not-openapi"


def test_a_yaml_bomb_is_refused() -> None:
    bomb = "\n".join(["a0: &a0 [x]", *(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12))])
    with pytest.raises(UsageError, match=r"1[.,]?000[.,]?000"):
        read_document(f"openapi: 3.1.0\npaths: {{}}\n{bomb}")


def operations(document: Any, *, source: str = "", server: str | None = None, **choice: Any) -> list[Operation]:
    return read_operations(read_document(json.dumps(document), source=source), Choice(**choice), server=server)


def test_a_service_without_an_address_needs_one() -> None:
    document = {"openapi": "3.0.0", "paths": {"/x": {"get": {}}}}
    with pytest.raises(UsageError) as refused:
        operations(document)
    assert refused.value.code == "openapi-without-server"
    assert operations(document, server="https://x.example/")[0].server == "https://x.example"
    assert operations(document, source="https://y.example/docs/api.json")[0].server == "https://y.example"
    relative = {**document, "servers": [{"url": "../v1"}]}
    assert operations(relative, source="https://y.example/docs/api.json")[0].server == "https://y.example/v1"


NASTY = st.text(max_size=30) | st.sampled_from(
    ["{{env.HOME}}", "../../evil", "---", "```", "`", "\n---\n", "${x}", "'", '"', "*/", "\\"]
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
    read = read_document(json.dumps(document))
    for operation in read_operations(read, Choice()):
        for plain in (False, True):
            content = write_note(operation, read, plain=plain)
            reading = read_markdown(content.encode("utf-8", "replace"), "a.md")
            definition = reading.definition
            assert definition is not None, (content, reading.problems)
            assert [step.tool for step in definition.all_steps()] == ["rest_request"]  # type: ignore[union-attr]
            assert definition.id == operation.id
            assert not [each for each in reading.problems if each.severity == "error"], (content, reading.problems)


# --- a service with forms, styles, logins: the document in tests/importing/documents


LIBRARY = Path(__file__).parents[2] / "importing" / "documents" / "library.yaml"


@pytest.fixture
def library(folder: Path) -> Iterator[tuple[Vault, list[Exchange]]]:
    """The tools of the library, and the requests that they sent."""
    asked: list[Exchange] = []

    def answer(exchange: Exchange) -> None:
        asked.append(exchange)
        exchange.reply(200, "{}")

    with serve_web() as web:
        web.otherwise = answer
        host = web.url("").partition("://")[2].rstrip("/")
        arguments = ["--variable", f"host={host}", "--yes"]
        assert paper(["--vault", str(folder), "import", "openapi", str(LIBRARY), *arguments]) == 0
        with Vault(folder) as vault:
            vault.service_secrets.set(host, {"API_TOKEN": "ada:pass:word", "KEY": "k", "SESSION": "s"})
            yield vault, asked


def test_notes_of_an_import_have_no_problem_and_their_examples_hold(library: tuple[Vault, list[Exchange]]) -> None:
    vault, asked = library
    own = [entry for entry in vault.registry.entries() if entry.file]
    assert [(entry.id, each.code) for entry in own for each in entry.problems] == []
    results = [each for entry in own for each in vault.test(entry.id)]
    assert {each.tool for each in results} == {entry.id for entry in own}
    assert [each for each in results if not each.passed] == []
    assert asked == []


def test_arguments_are_written_as_the_document_says(library: tuple[Vault, list[Exchange]]) -> None:
    vault, asked = library
    given: dict[str, Any] = {
        "tags": ["old", "rare, red"], "ids": [1, 2], "pipes": ["a", "b"], "filter": {"author": "A&B"},
        "range": {"from": 1}, "X-Request-ID": "r1", "theme": "dark",
    }  # fmt: skip
    assert vault.run("list-books", given).error is None
    path, _, query = asked[0].received.path.partition("?")
    assert path == "/v1/books"
    assert query.split("&") == [
        "tags=old", "tags=rare%2C%20red", "ids=1,2", "pipes=a%7Cb", "filter%5Bauthor%5D=A%26B",
        "range=%7B%22from%22%3A1%7D", "key=k",
    ]  # fmt: skip
    assert asked[0].headers["x-request-id"] == "r1"
    assert asked[0].headers["cookie"] == "theme=dark"
    assert vault.run("list-books").error is None
    assert asked[1].received.path == "/v1/books?key=k"
    assert asked[1].headers.get("x-request-id") is None


def test_a_name_in_two_places_is_two_arguments(library: tuple[Vault, list[Exchange]]) -> None:
    vault, asked = library
    assert vault.run("get-books-by-id", {"id": 7, "query_id": "x"}).error is None
    assert asked[0].received.path == "/v1/books/7?id=x"
    assert asked[0].headers["authorization"] == "Basic YWRhOnBhc3M6d29yZA=="


def test_forms_and_files_are_sent_as_such(library: tuple[Vault, list[Exchange]]) -> None:
    vault, asked = library

    def send(tool: str, body: dict[str, Any]) -> Exchange:
        assert vault.run(tool, {"body": body}, approver=lambda _: Approved()).error is None
        return asked[-1]

    form = send("login", {"name": "Ada & Co", "roles": ["a", "b"]})
    assert form.received.body == b"name=Ada%20%26%20Co&roles=a&roles=b"
    assert form.headers["content-type"] == "application/x-www-form-urlencoded"
    upload = send("upload-cover", {"file": "pixels", "about": {"width": 2}})
    kind, _, boundary = str(upload.headers["content-type"]).partition("; boundary=")
    assert kind == "multipart/form-data"
    assert upload.headers["cookie"] == "session=s"
    parts = upload.received.body.decode().split(f"--{boundary}")
    assert parts[1:] == [
        (
            '\r\nContent-Disposition: form-data; name="file"; filename="file"\r\n'
            "Content-Type: application/octet-stream\r\n\r\npixels\r\n"
        ),
        '\r\nContent-Disposition: form-data; name="about"\r\nContent-Type: application/json\r\n\r\n{"width":2}\r\n',
        "--\r\n",
    ]


@pytest.mark.parametrize(
    ("body", "fits"),
    [
        ({"title": "Emma", "price": 3, "subtitle": None}, True),
        ({"title": "Emma", "sequel": {"title": "More", "sequel": None}}, True),
        ({"title": "Emma", "medium": {"kind": "disc", "minutes": 60}}, True),
        ({"title": "Emma", "medium": {"kind": "clay"}}, False),
        ({"title": "Emma", "price": 0}, False),
        ({"title": ""}, False),
        ({"subtitle": "x"}, False),
        ({"title": "Emma", "autor": "Austen"}, False),
        ({"title": "Emma", "sequel": {"title": 7}}, False),
    ],
)
def test_a_body_is_checked_before_it_is_sent(
    library: tuple[Vault, list[Exchange]], body: dict[str, Any], *, fits: bool
) -> None:
    vault, asked = library
    record = vault.run("add-book", {"body": body}, approver=lambda _: Approved())
    assert (record.error is None, len(asked)) == (fits, int(fits))


def test_a_change_sends_only_what_was_given(library: tuple[Vault, list[Exchange]]) -> None:
    vault, asked = library
    given: dict[str, Any] = {"id": 7, "body": {"copies": 2}}
    assert vault.run("change-book", given, approver=lambda _: Approved()).error is None
    assert json.loads(asked[0].received.body) == {"copies": 2}
    assert vault.run("change-book", {"id": 7, "body": {}}).error is not None
    assert vault.plan("change-book", {"id": 7}).error is None


@pytest.mark.parametrize(
    ("options", "ids"),
    [
        (["--only", "*book*", "--method", "GET"], ["list-books", "get-books-by-id"]),
        (["--only", "/books/*"], ["get-books-by-id", "change-book"]),
        (["--only", "login", "--only", "UPLOADCOVER"], ["login", "upload-cover"]),
        (["--tag", "Books", "--method", "post"], ["add-book"]),
    ],
)
def test_operations_are_chosen(
    folder: Path, capsys: pytest.CaptureFixture[str], options: list[str], ids: list[str]
) -> None:
    assert paper(["--vault", str(folder), "import", "openapi", str(LIBRARY), "--yes", "--json", *options]) == 0
    assert json.loads(capsys.readouterr().out) == [f"tools/library/{each}.md" for each in ids]


def test_a_parameter_that_no_tool_can_have_is_told_in_the_note(folder: Path, tmp_path: Path) -> None:
    named = [
        {"name": name, "in": place} for name, place in (("a{{b", "query"), ("a b", "header"), ("accept", "header"))
    ]
    paths = {"/x": {"get": {"operationId": "A" * 5_000, "parameters": named}}}
    document = {"openapi": "3.1.0", "servers": [{"url": "https://x.example"}], "paths": paths}
    (tmp_path / "x.json").write_text(json.dumps(document))
    assert paper(["--vault", str(folder), "import", "openapi", str(tmp_path / "x.json"), "--yes"]) == 0
    (note,) = (folder / "tools" / "api").iterdir()
    content = note.read_text()
    assert "`a  b`" in content
    assert "`a b`" in content
    assert "accept" not in content.lower().replace("accept: application/json", "")


ROWS = {"type": "object", "properties": {"a": {"type": "string"}}}
FILE = {"type": "object", "properties": {"photo": {"type": "string", "format": "binary"}}}
CALLED: dict[str, Any] = {"done": {"{$request.body#/url}": {"post": {"responses": {}}}}}


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"requestBody": {"content": {"application/xml": {"schema": ROWS}}}}, "application/xml"),
        ({"requestBody": {"content": {"text/plain": {"schema": {"type": "string"}}}}}, None),
        ({"requestBody": {"content": {"application/json": {"schema": ROWS}, "text/csv": {}}}}, "text/csv"),
        ({"requestBody": {"content": {"multipart/form-data": {"schema": FILE}}}}, "photo"),
        ({"requestBody": {"content": {"application/octet-stream": {}}}}, "application/octet-stream"),
        ({"callbacks": CALLED}, "done"),
        ({"deprecated": True}, "deprecated"),
        ({"security": [{"login": []}]}, "login"),
        ({"security": []}, None),
    ],
)
def test_a_note_says_what_it_could_not_take_over(said: dict[str, Any], told: str | None) -> None:
    document = {
        "openapi": "3.1.0", "info": {"title": "S", "version": "1"}, "servers": [{"url": "https://s.example"}],
        "paths": {"/x": {"post": {"operationId": "x", "responses": {}, **said}}},
        "components": {"securitySchemes": {"login": {"type": "oauth2", "flows": {}}}},
    }  # fmt: skip
    (operation,) = operations(document)
    _, _, lost = write_note(operation, read_document(json.dumps(document))).partition("could not take over")
    assert (told in lost) if told is not None else not lost


def test_a_choice_of_nothing_is_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert paper(["--vault", str(folder), "import", "openapi", str(LIBRARY), "--tag", "cats"]) == 2
    told = capsys.readouterr().err
    assert "6 operations" in told
    assert "books" in told
    variable = ["--variable", "scheme=gopher"]
    assert paper(["--vault", str(folder), "import", "openapi", str(LIBRARY), *variable]) == 2
    assert "http, https" in capsys.readouterr().err


def test_the_ids_of_other_tools_are_left_alone(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "login.md").write_text("---\ntool: true\nname: login\ncustom_function: return 1;\n---\n")
    for _ in range(2):
        command = ["--vault", str(folder), "import", "openapi", str(LIBRARY), "--only", "/login", "--yes", "--json"]
        assert paper(command) == 0
        assert json.loads(capsys.readouterr().out) == ["tools/library/library-login.md"]


def test_nothing_in_a_document_becomes_a_reference_or_a_path(folder: Path, shop: str, tmp_path: Path) -> None:
    text = {"type": "string", "default": "{{env.HOME}} {{date}} input.x"}
    described = {
        "operationId": "../../../evil",
        "summary": "{{date}}",
        "parameters": [{"name": "../x", "in": "query", "schema": text, "description": "{{random_id}}"}],
        "requestBody": {"content": {"application/json": {"schema": {"properties": {"{{date}}": text}}}}},
    }
    document = {
        "openapi": "3.1.0",
        "info": {"title": "../.."},
        "servers": [{"url": shop}],
        "paths": {"/x": {"post": described}},
    }
    (tmp_path / "evil.json").write_text(json.dumps(document))
    assert paper(["--vault", str(folder), "import", "openapi", str(tmp_path / "evil.json"), "--yes"]) == 0
    assert [str(each.relative_to(folder)) for each in folder.rglob("*.md")] == ["tools/api/evil.md"]
    with Vault(folder) as vault:
        asked = vault.run("evil", {"body": {}}, approver=lambda _: Approved()).data
        assert isinstance(asked, dict)
        assert asked["path"] == "/x?..%2Fx=%7B%7Benv.HOME%7D%7D%20%7B%7Bdate%7D%7D%20input.x"
        assert json.loads(str(asked["body"])) == {"{{date}}": "{{env.HOME}} {{date}} input.x"}


# --- a service made with FastAPI


class Address(BaseModel):
    """Of an order."""

    street: str
    zip: str | None = None


class Order(BaseModel):
    """What FastAPI makes a schema of."""

    count: int | None
    address: Address | None = None
    price: int | float = 1


def test_the_service_of_a_fastapi_program_can_be_called(folder: Path, shop: str, tmp_path: Path) -> None:
    app = FastAPI(title="Shop")

    @app.post("/orders")
    def create_order(order: Order) -> None: ...

    @app.get("/orders/{order_id}")
    def read_order(*, order_id: int, full: bool | None = None) -> None: ...

    @app.post("/login")
    def login(name: Annotated[str, Form()]) -> None: ...

    (tmp_path / "shop.json").write_text(json.dumps(app.openapi()))
    command = ["--vault", str(folder), "import", "openapi", str(tmp_path / "shop.json"), "--server", shop, "--yes"]
    assert paper(command) == 0
    with Vault(folder) as vault:
        assert {entry.id for entry in vault.registry.entries() if entry.file} == {"create_order", "read_order", "login"}
        agree: dict[str, Any] = {"approver": lambda _: Approved()}
        bodies: list[Any] = [{"count": 3, "price": 2.5}, {"count": None, "address": {"street": "a", "zip": None}}]
        for body in bodies:
            record = vault.run("create_order", {"body": body}, **agree)
            assert record.error is None
            assert isinstance(record.data, dict)
            assert json.loads(str(record.data["body"])) == {"price": 1, **body}
        mistakes: list[Any] = [{}, {"count": "3"}, {"count": 1, "price": "1"}, {"count": 1, "address": {}}]
        for wrong in mistakes:
            assert vault.run("create_order", {"body": wrong}, **agree).error is not None
        asked = vault.run("read_order", {"order_id": 3, "full": None}).data
        assert isinstance(asked, dict)
        assert asked["path"] == "/orders/3"
        form = vault.run("login", {"body": {"name": "a b"}}, **agree).data
        assert isinstance(form, dict)
        assert form["body"] == "name=a%20b"
