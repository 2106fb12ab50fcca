"""Large values, stored once: compressed, under their digest. A row names the digest in the place of the value.

What stands for a value begins with ``blob:``, as no JSON does, so no value that a tool gives can be taken for it.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.patterns import late_pattern
from paperagents.storage.database import Connection, Database
from paperagents.storage.totals import count_bytes

LARGE = 64 * 1024
"""Characters from which on a value does not stand in its row."""
LARGEST = 256 * 1024 * 1024
"""What a stranger's database may make of a few bytes; whatever is larger stands in its row."""
_COLUMNS = ("arguments", "data", "entry")
_WHOLE = late_pattern(r"blob:([0-9a-f]{64})")
_FIELDS = late_pattern(r"blob:((?:\w+=[0-9a-f]{64},?)+)\n(\{.*\})", re.DOTALL)


class Packed(NamedTuple):
    """A value as its row holds it, and the large parts that do not stand there, by their digests."""

    text: str
    parts: Mapping[str, str]


def pack(text: str) -> Packed:
    """A value, written as JSON; a large one is a part."""
    if not LARGE < len(text) <= LARGEST:
        return Packed(text, {})
    digest = sha256(text.encode()).hexdigest()
    return Packed(f"blob:{digest}", {digest: text})


def pack_fields(value: JsonObject, encode: Callable[[JsonValue], str]) -> Packed:
    """An object, of which each large field is a part."""
    text = encode(value)
    if len(text) <= LARGE:
        return Packed(text, {})
    packed = {name: pack(encode(each)) for name, each in value.items()}
    large = {name: each for name, each in packed.items() if each.parts}
    if not large:
        return Packed(text, {})
    heading = ",".join(f"{name}={digest}" for name, each in large.items() for digest in each.parts)
    # The null keeps the field's place.
    small = encode({name: None if name in large else each for name, each in value.items()})
    return Packed(
        f"blob:{heading}\n{small}", {digest: text for each in large.values() for digest, text in each.parts.items()}
    )


def store_part(connection: Connection, run_id: str, digest: str, text: str) -> None:
    """Store a large part of a run, unless it is there; either way it stays until the run goes."""
    # Changed to itself, it is locked: whoever removes unused ones at this moment waits, and then sees the use.
    if connection.execute("UPDATE blobs SET size = size WHERE digest = ?", (digest,)).rowcount == 0:
        content = zlib.compress(text.encode(), 1)
        connection.execute("INSERT INTO blobs (digest, size, content) VALUES (?, ?, ?) ON CONFLICT (digest) "
                           "DO UPDATE SET size = excluded.size", (digest, len(content), content))  # fmt: skip
        count_bytes(connection, len(content))
    connection.execute("INSERT INTO blob_uses (run_id, digest) VALUES (?, ?) ON CONFLICT (run_id, digest) DO NOTHING",
                       (run_id, digest))  # fmt: skip


def unpack(database: Database, rows: Sequence[Any]) -> list[Any]:
    """The rows with every value in its place. What is missing or changed is not filled in, and so told as damaged."""
    names = [name for name in _COLUMNS if rows and name in rows[0].keys()]  # noqa: SIM118  a row's values are not its keys
    return [_unpack_row(database, row, names) if _is_packed(row, names) else row for row in rows]


def _is_packed(row: Any, names: Iterable[str]) -> bool:
    return any(isinstance(row[name], str) and row[name].startswith("blob:") for name in names)


def _unpack_row(database: Database, row: Any, names: Iterable[str]) -> dict[str, Any]:
    whole = {name: row[name] for name in row.keys()}  # noqa: SIM118  as above
    return {**whole, **{name: _unpack_text(database, row[name]) for name in names if isinstance(row[name], str)}}


def _unpack_text(database: Database, text: str) -> str:
    if found := _WHOLE.fullmatch(text):
        part = _read_part(database, found[1])
        return text if part is None else part
    if not (found := _FIELDS.fullmatch(text)):
        return text
    parts = {name: _read_part(database, digest) for name, _, digest in _named(found[1])}
    if None in parts.values():
        return text
    # Of a name that is there twice the last value counts, at the place of the first.
    fields = ",".join(f'"{name}":{part}' for name, part in parts.items())
    return f"{found[2][:-1]},{fields}}}"


def without_parts(text: str) -> str:
    """An object as its row holds it, with null in the place of each large field."""
    found = _FIELDS.fullmatch(text)
    return found[2] if found else text


def _named(heading: str) -> list[tuple[str, str, str]]:
    return [each.partition("=") for each in heading.split(",")]


def _read_part(database: Database, digest: str) -> str | None:
    rows = database.rows("SELECT content FROM blobs WHERE digest = ?", (digest,))
    try:
        content = zlib.decompressobj().decompress(rows[0]["content"], LARGEST) if rows else b""
        return content.decode() if sha256(content).hexdigest() == digest else None
    except (zlib.error, ValueError, TypeError):
        return None


def release_parts(database: Database, connection: Connection, run_id: str, kept: Iterable[str] = ()) -> None:
    """The run needs its large parts no more, but those ``kept``; what no other run needs is removed."""
    used = database.rows("SELECT digest FROM blob_uses WHERE run_id = ? ORDER BY digest", (run_id,))
    for digest in sorted({str(row["digest"]) for row in used}.difference(kept)):
        connection.execute("DELETE FROM blob_uses WHERE run_id = ? AND digest = ?", (run_id, digest))
        # Locked first: only a statement that begins afterwards sees the use of whoever stores the same at this moment.
        connection.execute("UPDATE blobs SET size = size WHERE digest = ?", (digest,))
        unused = (
            "FROM blobs WHERE digest = ? AND NOT EXISTS (SELECT 1 FROM blob_uses WHERE blob_uses.digest = blobs.digest)"
        )
        size = sum(row["size"] for row in database.rows(f"SELECT size {unused}", (digest,)))
        if connection.execute(f"DELETE {unused}", (digest,)).rowcount:
            count_bytes(connection, -size)


def digests_in(texts: Iterable[str]) -> set[str]:
    """The digests that rows name."""
    return {digest for text in texts if text.startswith("blob:") for digest in re.findall("[0-9a-f]{64}", text[:1000])}
