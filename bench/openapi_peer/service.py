"""A service made from an OpenAPI document by openapi-core: it takes what the document allows, and says why not else.

    python service.py DOCUMENT

A POST to ``/-/judge`` with ``{path, method, media_type, value}`` tells whether a value is a body of that operation.
"""

from __future__ import annotations

import json
import re
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from openapi_core import Config, OpenAPI  # type: ignore[import-not-found]  # lives in the peers' own environment
from openapi_core.testing import MockRequest  # type: ignore[import-not-found]  # lives in the peers' own environment
from openapi_schema_validator import OAS30WriteValidator, OAS31Validator  # type: ignore[import-not-found]  # lives in the peers' own environment
from werkzeug.datastructures import MultiDict


def main(file: str) -> None:
    """Serve until somebody ends it; the port is the first line."""
    document = allow_requests(json.loads(Path(file).read_text(encoding="utf-8")))
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    base = f"http://127.0.0.1:{server.server_port}"
    Handler.base, Handler.document, Handler.openapi = base, document, make_openapi(document, base)
    print(server.server_port, flush=True)
    server.serve_forever()


def allow_requests(value: Any) -> Any:
    """The same document for requests.

    In one version the library asks for what only answers have, in the other it refuses it even in a path; and it takes
    no file for a string.
    """
    if isinstance(value, list):
        return [allow_requests(each) for each in value]
    if not isinstance(value, dict):
        return value
    result = {key: allow_requests(each) for key, each in value.items()}
    if result.get("format") == "binary":
        result.pop("type", None)
    properties, required = result.get("properties"), result.get("required")
    if isinstance(properties, dict) and isinstance(required, list):
        described = value["properties"].items()
        only_answered = {name for name, each in described if isinstance(each, dict) and each.get("readOnly") is True}
        result["required"] = [name for name in required if name not in only_answered]
    if result.get("readOnly") is True:
        del result["readOnly"]
    return result


def make_openapi(document: dict[str, Any], base: str) -> OpenAPI:
    """The document at this address, whatever servers it names."""
    paths = {
        path: {
            key: {name: each[name] for name in each if name != "servers"} if isinstance(each, dict) else each
            for key, each in item.items()
            if key != "servers"
        }
        for path, item in document["paths"].items()
    }
    moved = {**document, "servers": [{"url": base}], "paths": paths}
    return OpenAPI.from_dict(moved, config=Config(spec_validator_cls=None))


class Handler(BaseHTTPRequestHandler):
    """Every request is compared with the document."""

    base: str
    document: dict[str, Any]
    openapi: OpenAPI

    def handle_one_request(self) -> None:
        """Every method alike, once a connection."""
        self.close_connection = True
        self.raw_requestline = self.rfile.readline(65537)
        if not self.raw_requestline or not self.parse_request():
            return
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        answer = self.judge(json.loads(body)) if self.path == "/-/judge" else self.find_mistake(body)
        content = json.dumps({"wrong": answer}).encode()
        self.send_response(200 if answer is None or self.path == "/-/judge" else 422)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def find_mistake(self, body: bytes) -> str | None:
        """What is wrong with the request."""
        parts = urlsplit(self.path)
        cookies = dict(each.strip().split("=", 1) for each in self.headers.get("cookie", "").split(";") if "=" in each)
        request = MockRequest(
            self.base,
            self.command,
            # The library compares parameters as they are sent; a slash would be another path.
            re.sub(r"(?:%(?!2F)[0-9A-F]{2})+", lambda found: unquote(found[0]), parts.path),
            args=MultiDict(parse_qsl(parts.query, keep_blank_values=True)),
            headers=dict(self.headers.items()),
            cookies=cookies,
            data=body,
            content_type=self.headers.get("content-type", ""),
        )
        try:
            self.openapi.validate_request(request)
        except Exception as error:  # whatever it is, it is told
            causes = [error, error.__cause__, *getattr(error.__cause__, "schema_errors", ())]
            return " / ".join(f"{type(each).__name__}: {each}"[:200] for each in causes if each is not None)
        return None

    def judge(self, asked: dict[str, Any]) -> str | None:
        """What is wrong with a value as the body of an operation."""
        path = asked["path"].replace("~", "~0").replace("/", "~1")
        kind = asked["media_type"].replace("~", "~0").replace("/", "~1")
        content = self.document["paths"][asked["path"]][asked["method"]]["requestBody"]
        start = content["$ref"] if "$ref" in content else f"#/paths/{path}/{asked['method']}/requestBody"
        schema = {**self.document, "$ref": f"{start}/content/{kind}/schema"}
        is_old = str(self.document["openapi"]).startswith("3.0")
        try:
            validator = (OAS30WriteValidator if is_old else OAS31Validator)(schema)
            error = next(iter(validator.iter_errors(asked["value"])), None)
        except Exception as failure:  # a schema it cannot read
            print(type(failure).__name__, str(failure)[:200], file=sys.stderr)
            return ""
        return None if error is None else error.message[:200]

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the base class names it so
        """Quiet."""


if __name__ == "__main__":
    main(sys.argv[1])
