"""For operators: health, readiness, metrics and the log."""

from __future__ import annotations

import json
import logging
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.errors import PaperError
from paperagents.runs.record import RunRecord
from paperagents.runs.statistics import RunTotal, run_totals
from paperagents.settings import KEEPING_FOLDER
from paperagents.storage.images import kept_image_bytes
from paperagents.storage.sqlite import SqliteDatabase
from paperagents.storage.totals import kept_bytes
from paperagents.vault import Vault
from paperagents.version import __version__

STATES = ("queued", "running", "waiting", "succeeded", "failed", "denied", "cancelled")


def readiness(vault: Vault) -> JsonObject:
    """Whether runs can be carried out here and now."""
    try:
        vault.database.rows("SELECT 1 AS one")
    except PaperError as error:
        return {"ready": False, "reason": error.code}
    return {"ready": True, "reason": None}


NO_DATABASE: JsonObject = {"place": None, "problems": [], "workers": None, **dict.fromkeys(STATES[:3], 0)}


def check_database(vault: Vault) -> JsonObject:
    """The state of the database and the workers, for ``paper doctor``."""
    database = vault.database
    found: JsonObject = {**NO_DATABASE, "place": database.place}
    try:
        problems: list[JsonValue] = list(database.check())
        states: JsonObject = {state: vault.history.count(state) for state in STATES[:3]}
        return {**found, **states, "problems": problems, "workers": count_workers(vault)}
    except PaperError as error:
        return {**found, "problems": [str(error)]}


def measure_sizes(vault: Vault) -> JsonObject:
    """How many bytes everything takes that is kept for the vault; what is on a server is the server's affair."""
    kept = vault.root / KEEPING_FOLDER
    folders: JsonObject = {name: _folder_size(kept / name) for name in ("index", "cache")}
    try:
        exists = vault.database.exists()
        database = vault.database.size() if exists else 0
        kept_for_undo = kept_image_bytes(vault.database)
        return {"database": database, "history": kept_bytes(vault.database) + kept_for_undo, **folders}
    except PaperError:
        return {"database": None, "history": None, **folders}


def _folder_size(folder: Path) -> int:
    return sum((Path(where) / name).lstat().st_size for where, _, names in os.walk(folder) for name in names)


def count_workers(vault: Vault) -> int | None:
    """How many workers are alive; None on SQLite, where they are not registered."""
    if isinstance(vault.database, SqliteDatabase):
        return None
    seconds = 3 * vault.settings.get("worker.heartbeat")
    query = "SELECT count(*) AS alive FROM procrastinate_workers WHERE last_heartbeat > now() - ? * interval '1 s'"
    return int(vault.database.rows(query, (seconds,))[0]["alive"])


def metrics(vault: Vault) -> str:
    """The figures in the text format of Prometheus."""
    questions = vault.history.count_questions()
    labelled = [(_metric_labels(each), each) for each in run_totals(vault.journal) if not each.is_nested]
    seconds = [f"paper_run_seconds_total{labels} {total.total_ms / 1000:.3f}" for labels, total in labelled]
    lines = [
        "# HELP paper_info The version that runs.",
        "# TYPE paper_info gauge",
        f'paper_info{{version="{__version__}"}} 1',
        "# HELP paper_runs Runs by tool and state, those that were removed since included.",
        "# TYPE paper_runs gauge",
        *(f"paper_runs{labels} {total.runs}" for labels, total in labelled),
        "# HELP paper_run_seconds_total Time that runs took, by tool and state.",
        "# TYPE paper_run_seconds_total counter",
        *seconds,
        "# HELP paper_open_approvals Questions that wait for an answer.",
        "# TYPE paper_open_approvals gauge",
        f"paper_open_approvals {questions}",
    ]
    return "\n".join(lines) + "\n"


def _metric_labels(total: RunTotal) -> str:
    tool = total.tool.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'{{tool="{tool}",status="{total.status}"}}'


@contextmanager
def serve_health(vault: Vault, host: str, port: int) -> Iterator[int]:
    """Serve ``/health``, ``/ready`` and ``/metrics`` while the context is open; yields the port."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.wfile.write(self.do_HEAD())

        def do_HEAD(self) -> bytes:
            status, kind, body = health_response(vault, self.path)
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            return body

        def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002  the library's name
            """Requests of monitors are not logged."""

    # An empty name would mean every address, which has to be asked for.
    with ThreadingHTTPServer((host or "127.0.0.1", port), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.1,), daemon=True)
        thread.start()
        try:
            yield int(server.server_address[1])
        finally:
            server.shutdown()
            thread.join()


def health_response(vault: Vault, path: str) -> tuple[int, str, bytes]:
    """Status, content type and body for one of the paths."""
    match path.partition("?")[0]:
        case "/health":
            return 200, "application/json", b'{"alive": true}'
        case "/ready":
            found = readiness(vault)
            return 200 if found["ready"] else 503, "application/json", json.dumps(found).encode()
        case "/metrics":
            try:
                return 200, "text/plain; version=0.0.4; charset=utf-8", metrics(vault).encode()
            except PaperError as error:
                return 503, "text/plain; charset=utf-8", error.code.encode()
    return 404, "text/plain; charset=utf-8", b"not found"


# --- the log of a worker or a server


_STANDARD_FIELDS = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}


class JsonLines(logging.Formatter):
    """One JSON object per line: time, level, logger, message, and the fields that the call added."""

    def format(self, record: logging.LogRecord) -> str:
        """One line."""
        own = {name: value for name, value in vars(record).items() if name not in _STANDARD_FIELDS}
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **own,
        }
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line, default=str)


def write_log(form: str) -> None:
    """Log to standard error from here on, as text or JSON. No arguments or results are logged."""
    handler = logging.StreamHandler(sys.stderr)
    plain = logging.Formatter("%(asctime)s %(levelname)s %(name)s %(message)s")
    handler.setFormatter(JsonLines() if form == "json" else plain)
    # On the root logger: a reader of JSON must not get other lines, whichever library they come from.
    logging.getLogger().addHandler(handler)
    logging.captureWarnings(form == "json")
    logging.getLogger("paper").setLevel(logging.INFO)


def log_end(logger: logging.Logger, record: RunRecord) -> None:
    """Log a run that has ended or waits."""
    logger.info("run %s of %s: %s", record.run_id, record.tool, record.status,
                extra={"run_id": record.run_id, "tool": record.tool, "status": record.status,
                       "duration_ms": record.duration_ms})  # fmt: skip
