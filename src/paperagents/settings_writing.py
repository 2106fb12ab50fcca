"""Writing a setting into a file: one line is changed; comments, order and everything else stay."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

from paperagents.approval.signatures import UserKey
from paperagents.definitions.text import has_surrogates
from paperagents.errors import PaperError, SettingsError
from paperagents.files.state_files import file_lock, replace_file, require_no_links
from paperagents.known_settings import check_value, find_spec
from paperagents.messages import system_text
from paperagents.settings import (
    FILE,
    KEEPING_FOLDER,
    Setting,
    list_grants,
    load_settings,
    open_trust_book,
    strip_quotes,
    user_folder,
)


def write_setting(vault: Path, name: str, value: Any, *, origin: str) -> None:
    """Write a setting into the vault's file; a value it cannot have is refused and nothing is changed.

    What the user sets is the user's own, and trusted.
    """
    file = vault / KEEPING_FOLDER / FILE
    _write(file, name, value, vault, origin)
    written = Setting(value=tuple(value) if isinstance(value, list) else value, origin=str(file))
    if things := list_grants(name, written, vault):
        open_trust_book(vault, UserKey(user_folder())).give(things)


def unset_setting(vault: Path, name: str, *, origin: str) -> None:
    """Remove a setting from the vault's file; what counts then comes from elsewhere."""
    find_spec(name, origin)
    _write_line(vault / KEEPING_FOLDER / FILE, name, None, vault)


def write_user_setting(name: str, value: Any, *, origin: str) -> None:
    """Write a setting into the user's own file, outside every vault."""
    _write(user_folder() / FILE, name, value, None, origin)


def _write(file: Path, name: str, value: Any, vault: Path | None, origin: str) -> None:
    texts = value if isinstance(value, list) else [*value.values()] if isinstance(value, dict) else [value]
    if any(isinstance(each, str) and has_surrogates(each) for each in texts):
        raise SettingsError("invalid-setting", name=name, value=ascii(value), origin=origin, case="text")
    check_value(name, value, find_spec(name, origin), origin)
    _write_line(file, name, _to_toml(value), vault)


def _to_toml(value: Any) -> str:
    """A JSON text, number or list is a TOML one."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(key)} = {_to_toml(each)}" for key, each in value.items()) + " }"
    return json.dumps(value, ensure_ascii=False)


def _write_line(file: Path, name: str, value: str | None, vault: Path | None) -> None:
    """Write or remove one setting; where the file would be wrong then, it stays as it was."""
    table, _, key = name.rpartition(".")
    line = None if value is None else f"{key} = {value}"
    if line is None and not file.exists():
        return
    try:
        # The user's own folder may be a link; one in a vault leads to what is not the vault's.
        require_no_links(*([file.parent] if vault is not None else []))
    except OSError as error:
        raise PaperError("cannot-write", path=str(file), reason=system_text(error)) from error
    with file_lock(file):
        before = file.read_text("utf-8") if file.exists() else None
        replace_file(file, _replace_line(before or "", table, key, line))
        try:
            load_settings(vault)
        except PaperError:
            if before is None:
                file.unlink()
            else:
                replace_file(file, before)
            raise


def _replace_line(content: str, table: str, key: str, line: str | None) -> str:
    """The file with one line changed, added or (None) removed, comments and order kept."""
    lines = content.split("\n") if content else []
    current, wanted, last_of_table = "", strip_quotes(table), -1 if table else 0
    for number, each in enumerate(lines):
        if found := re.match(r"\s*\[([^\]]+)\]", each):
            current = strip_quotes(found[1])
            last_of_table = number + 1 if current == wanted else last_of_table
        elif current == wanted and re.match(rf"\s*{re.escape(key)}\s*=", each):
            new = [] if line is None else [line]
            return "\n".join([*lines[:number], *new, *lines[_end_of_value(lines, number) :]])
    if line is None:
        return content
    if last_of_table < 0:
        # The second part of a table's name is the user's own, and may have any character.
        kind, dot, chosen = table.partition(".")
        is_plain = re.fullmatch("[A-Za-z0-9_-]*", chosen)
        header = table if is_plain else f"{kind}{dot}{json.dumps(chosen, ensure_ascii=False)}"
        return "\n".join([*lines, f"[{header}]", line, ""]).lstrip("\n")
    return "\n".join([*lines[:last_of_table], line, *lines[last_of_table:]] if lines else [line, ""])


def _end_of_value(lines: list[str], start: int) -> int:
    """The line after a value, which may be a list over several lines."""
    for end in range(start + 1, len(lines) + 1):
        try:
            tomllib.loads("\n".join(lines[start:end]))
        except (ValueError, RecursionError):
            continue
        return end
    return start + 1
