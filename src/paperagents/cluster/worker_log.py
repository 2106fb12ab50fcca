"""The log of a worker: lines for people, or one JSON object each for machines."""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime

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
    """From here on, write what our own loggers say to standard error. Nothing in it is secret: arguments are not."""
    handler = logging.StreamHandler(sys.stderr)
    plain = logging.Formatter("%(asctime)s %(levelname)s %(name)s %(message)s")
    handler.setFormatter(JsonLines() if form == "json" else plain)
    logger = logging.getLogger("paper")
    logger.setLevel(logging.INFO)
    logger.addHandler(handler)
