"""Changes one line of a settings file; comments, order and everything else stay."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from paperagents.definitions.surrogates import has_surrogates
from paperagents.errors import PaperError, SettingsError
from paperagents.kept_files import alone_with, replace_file
from paperagents.known_settings import checked_value, known_setting
from paperagents.settings import FILE, load_settings, user_folder, without_quotes


def write_setting(vault: Path, name: str, value: Any, *, origin: str) -> None:
    """Write a setting into the vault's file; a value it cannot have is refused and nothing is changed."""
    _write(vault / ".paper" / FILE, name, value, vault, origin)


def write_user_setting(name: str, value: Any, *, origin: str) -> None:
    """Write a setting into the user's own file, outside every vault."""
    _write(user_folder() / FILE, name, value, None, origin)


def _write(file: Path, name: str, value: Any, vault: Path | None, origin: str) -> None:
    _require_possible(name, value, origin)
    table, _, key = name.rpartition(".")
    # A JSON text, number or list is a TOML one.
    line = f"{key} = {json.dumps(value, ensure_ascii=False)}"
    with alone_with(file):
        before = file.read_text("utf-8") if file.exists() else None
        replace_file(file, _with_line(before or "", table, key, line))
        try:
            load_settings(vault)
        except PaperError:
            if before is None:
                file.unlink()
            else:
                replace_file(file, before)
            raise


def _require_possible(name: str, value: Any, origin: str) -> None:
    known = known_setting(name, origin)
    texts = value if isinstance(value, list) else [value]
    if any(isinstance(each, str) and has_surrogates(each) for each in texts):
        raise SettingsError("invalid-setting", name=name, value=ascii(value), origin=origin, case="text")
    checked_value(name, value, known, origin)


def _with_line(content: str, table: str, key: str, line: str) -> str:
    """The file with one line changed or added, comments and order kept."""
    lines = content.split("\n") if content else []
    current, wanted, last_of_table = "", without_quotes(table), -1 if table else 0
    for number, each in enumerate(lines):
        if header := re.match(r"\s*\[([^\]]+)\]", each):
            current = without_quotes(header[1])
            last_of_table = number + 1 if current == wanted else last_of_table
        elif current == wanted and re.match(rf"\s*{re.escape(key)}\s*=", each):
            return "\n".join([*lines[:number], line, *lines[_end_of_value(lines, number) :]])
    if last_of_table < 0:
        return "\n".join([*lines, f"[{_header(table)}]", line, ""]).lstrip("\n")
    return "\n".join([*lines[:last_of_table], line, *lines[last_of_table:]] if lines else [line, ""])


def _header(table: str) -> str:
    """The name of a table as TOML wants it; the second part is the user's own, and may have any character."""
    kind, dot, chosen = table.partition(".")
    return table if re.fullmatch("[A-Za-z0-9_-]*", chosen) else f"{kind}{dot}{json.dumps(chosen, ensure_ascii=False)}"


def _end_of_value(lines: list[str], start: int) -> int:
    """The line after a value, which may be a list over several lines."""
    import tomllib  # noqa: PLC0415  only to change a setting that is already there

    for end in range(start + 1, len(lines) + 1):
        try:
            tomllib.loads("\n".join(lines[start:end]))
        except (ValueError, RecursionError):
            continue
        return end
    return start + 1
