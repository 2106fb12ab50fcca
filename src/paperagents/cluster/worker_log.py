"""The log of a worker or a server: lines for people, or one JSON object each for machines."""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime

from paperagents.records.record import RunRecord

_USUAL = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}


class JsonLines(logging.Formatter):
    """Time, level, logger and message, and whatever else the line was given."""

    def format(self, record: logging.LogRecord) -> str:
        """One line."""
        own = {name: value for name, value in vars(record).items() if name not in _USUAL}
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
    """From here on, write to standard error what our own loggers say, and what goes wrong in those of libraries.

    Nothing in it is secret: arguments and results are not.
    """
    handler = logging.StreamHandler(sys.stderr)
    plain = logging.Formatter("%(asctime)s %(levelname)s %(name)s %(message)s")
    handler.setFormatter(JsonLines() if form == "json" else plain)
    # Whoever reads JSON can do nothing with a line that is none, whichever library it comes from.
    logging.getLogger().addHandler(handler)
    logging.captureWarnings(form == "json")
    logging.getLogger("paper").setLevel(logging.INFO)


def log_end(logger: logging.Logger, record: RunRecord) -> None:
    """One line about a run that has ended, or stands still."""
    logger.info("run %s of %s: %s", record.run_id, record.tool, record.status,
                extra={"run_id": record.run_id, "tool": record.tool, "status": record.status,
                       "duration_ms": record.duration_ms})  # fmt: skip
