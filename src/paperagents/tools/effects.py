"""The built-in tools as effects: what each will do, shown before it is done."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from paperagents.approval.diff import unified_diff, visible
from paperagents.approval.effect import Effect
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.definitions.text import lossless_bytes
from paperagents.errors import ToolError
from paperagents.files.folder import VaultFolder
from paperagents.files.paths import shown, writable_segments_of
from paperagents.files.reading import digest_of
from paperagents.files.writing import ABSENT
from paperagents.http.messages import HttpRequest, is_changing, normalize_method
from paperagents.sandbox import Cancellation
from paperagents.secrets.redaction import mask_headers


@dataclass(frozen=True, kw_only=True)
class FileEffects:
    """Reading, searching and writing the vault's files."""

    folder: VaultFolder

    def tools(self) -> dict[str, Callable[[JsonObject], Effect]]:
        """By the names under which they are called."""
        return {"search_files": self.search_files, "read_file": self.read_file, "write_file": self.write_file}

    def search_files(self, arguments: JsonObject) -> Effect:
        """Look for notes."""
        return Effect(tool="search_files", arguments=arguments, perform=partial(self._search, dict(arguments)))

    def read_file(self, arguments: JsonObject) -> Effect:
        """Read a file."""
        path = str(arguments["filePath"])
        return Effect(tool="read_file", arguments=arguments, perform=lambda: self.folder.read_text(path).answer())

    def write_file(self, arguments: JsonObject) -> Effect:
        """Write a file: always asked, shown as a diff, and only done on the file the diff was made from."""
        content = str(arguments["content"])
        path = self.folder.writable_path(str(arguments["filePath"]), content)
        if path != shown(writable_segments_of(str(arguments["filePath"]))):
            # A link may lead elsewhere when it is done: what is agreed on is the place itself.
            arguments = {**arguments, "filePath": path}
        overwrite, append = bool(arguments.get("overwrite")), bool(arguments.get("append"))
        found = self.folder.find_text(path)
        old = found.content if found is not None else None
        refused = old is not None and not overwrite and not append
        new = (old or "") + content if append else content
        before = ABSENT if old is None else digest_of(old.encode())
        size = len(lossless_bytes(new))
        return Effect(
            tool="write_file",
            arguments=arguments,
            needs_approval=True,
            preview=unified_diff(old, new, path),
            target=path,
            before=before,
            after=digest_of(lossless_bytes(new)),
            answer={"filePath": path, "size": size, "created": old is None},
            refusal=ToolError("file-exists", path=path) if refused else None,
            current=lambda: self.folder.digest(path),
            perform=lambda: self.folder.write_text(
                path, content, overwrite=overwrite, append=append, expected_digest=before
            ).answer(),
        )

    def _search(self, arguments: dict[str, Any]) -> JsonValue:
        from paperagents.search.search import search_files  # noqa: PLC0415  loaded by the tool that needs it

        limit, sort = int(arguments["limit"]), arguments.get("sort", "relevance")
        return search_files(self.folder, arguments["query"], arguments["path"], limit, sort)


@dataclass(frozen=True, kw_only=True)
class WebEffects:
    """Requests to web servers."""

    allowed_hosts: Sequence[str] = ()

    def tools(self) -> dict[str, Callable[[JsonObject], Effect]]:
        """By the names under which they are called."""
        return {"rest_request": self.rest_request, "web_search": self.web_search}

    def rest_request(self, arguments: JsonObject) -> Effect:
        """A request; one that may change something is asked first."""
        method = normalize_method(str(arguments["method"]))
        changing = is_changing(method)
        stop = Cancellation()
        return Effect(
            tool="rest_request",
            arguments=arguments,
            needs_approval=changing,
            preview=_preview(method, arguments),
            target=f"{method} {_host(str(arguments['url']))}",
            is_idempotent=_has_key(arguments),
            runs_in_plan=not changing,
            leaves_the_vault=True,
            perform=partial(self._send, arguments, stop),
            cancel=stop.cancel,
        )

    def web_search(self, arguments: JsonObject) -> Effect:
        """The JSON of an address; it never asks and so never changes anything."""
        stop = Cancellation()
        perform = partial(self._fetch, arguments, stop)
        preview = _preview(str(arguments["method"]).upper(), arguments)
        return Effect(
            tool="web_search", arguments=arguments, perform=perform, preview=preview, leaves_the_vault=True,
            cancel=stop.cancel,
        )  # fmt: skip

    def _send(self, arguments: JsonObject, stop: Cancellation) -> JsonValue:
        from paperagents.http.client import send_request  # noqa: PLC0415  the HTTP library is large

        headers = arguments.get("headers")
        timeout = arguments.get("timeout")
        request = HttpRequest(
            url=str(arguments["url"]),
            method=str(arguments["method"]),
            headers=headers if isinstance(headers, dict) else {},
            body=arguments.get("body"),
            timeout=float(timeout) if isinstance(timeout, int | float) else None,
        )
        return send_request(request, allowed_hosts=self.allowed_hosts, stop=stop).as_json()

    def _fetch(self, arguments: JsonObject, stop: Cancellation) -> JsonValue:
        from paperagents.http.client import web_search  # noqa: PLC0415  the HTTP library is large

        url, method = str(arguments["url"]), str(arguments["method"])
        return web_search(url, method, allowed_hosts=self.allowed_hosts, stop=stop)


def _host(url: str) -> str:
    """Host and port of an address, as a rule names them."""
    try:
        return urlsplit(url).netloc.rpartition("@")[2].lower()
    except ValueError:
        from paperagents.http.client import url_invalid  # noqa: PLC0415  the HTTP library is large

        raise url_invalid(url, "url-unreadable") from None


def _has_key(arguments: JsonObject) -> bool:
    """Whether the request names itself, so that the server can tell a second time from another one."""
    headers = arguments.get("headers")
    return isinstance(headers, dict) and any(name.lower() == "idempotency-key" for name in headers)


def _preview(method: str, arguments: JsonObject) -> str:
    """The request as it goes out, with the values of secret headers hidden."""
    headers = arguments.get("headers")
    shown_headers: Mapping[str, JsonValue] = mask_headers(headers) if isinstance(headers, dict) else {}
    lines = [f"{method} {arguments['url']}", *(f"{name}: {value}" for name, value in shown_headers.items())]
    body = arguments.get("body")
    if body is not None:
        lines += ["", body if isinstance(body, str) else _json(body)]
    return visible("\n".join(lines))


def _json(body: JsonValue) -> str:
    import json  # noqa: PLC0415  only for a body that is not text

    return json.dumps(body, ensure_ascii=False, indent=2)
