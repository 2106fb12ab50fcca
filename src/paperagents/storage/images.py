"""Texts as they were before and after changes: each kept once under its digest, most as what differs from another.

An image is compressed whole, or as the middle part in which it differs from its base. Chains of bases are short, so
that reading one stays quick. What is read must have its digest: a damaged or made-up image is none.
"""

from __future__ import annotations

import struct
import threading
import zlib
from collections import OrderedDict
from hashlib import sha256
from typing import Any

from paperagents.storage.database import Connection, Database

_LONGEST_CHAIN = 64
_WINDOW = 32 * 1024
"""How far back the compression can look."""
_CUT = struct.Struct(">QQ")
"""How many bytes at the beginning and at the end are those of the base."""
_LARGEST = 64 * 1024 * 1024
"""No note and no entry is larger; a made-up image must not fill the memory."""
_REMEMBERED_BYTES = 64 * 1024 * 1024
_IMAGE = "INSERT INTO images (digest, base, depth, content) VALUES (?, ?, ?, ?) ON CONFLICT (digest) DO NOTHING"

IMAGE_BYTES = "(200 + LENGTH(content))"
"""SQL: about how many bytes an image takes, its row's share of the indexes included."""


def kept_image_bytes(database: Database) -> int:
    """About how much room all images take; it looks at each, so it is for a person who asks."""
    rows = database.rows(f"SELECT CAST(SUM({IMAGE_BYTES}) AS BIGINT) AS size FROM images") if database.exists() else []  # noqa: S608  fixed words
    return rows[0]["size"] or 0 if rows else 0


def image_bytes(text: str) -> bytes:
    """The text as an image keeps it; also halves of characters, which an entry may have."""
    return text.encode("utf-8", "surrogatepass")


def image_digest(text: str) -> str:
    """The name of the image of a text: for a note, the digest of its file."""
    return sha256(image_bytes(text)).hexdigest()


class ImageStore:
    """The images of one database."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._remembered: OrderedDict[str, bytes] = OrderedDict()
        self._remembered_bytes = 0
        self._lock = threading.Lock()

    def keep(self, connection: Connection, text: str, *, base: str | None = None) -> str:
        """Keep a text, if possible as what differs from the image ``base``; gives its digest."""
        content, digest = image_bytes(text), image_digest(text)
        if self._row(digest) is None:
            connection.execute(_IMAGE, (digest, *self._pack(content, base)))
        return digest

    def load(self, digest: str) -> str | None:
        """The text of an image; None where it is not kept, or not any more."""
        try:
            content = self._load(digest)
            return content.decode("utf-8", "surrogatepass") if content is not None else None
        except (zlib.error, struct.error, ValueError):
            return None

    def _pack(self, content: bytes, base: str | None) -> tuple[str | None, int, bytes]:
        """The columns base, depth and content."""
        row = self._row(base) if base is not None else None
        if row is not None and row["depth"] < _LONGEST_CHAIN and (other := self._load(str(base))) is not None:
            packed = pack_difference(other, content)
            if len(packed) < len(content) // 2:
                return base, row["depth"] + 1, packed
        return None, 0, zlib.compress(content)

    def _load(self, digest: str, depth: int = 0) -> bytes | None:
        """Unpack an image upon its base. Raises what a damaged one raises."""
        if (known := self._remembered.get(digest)) is not None:
            return known
        row = self._row(digest)
        if row is None or depth > _LONGEST_CHAIN or not isinstance(row["content"], bytes):
            return None
        if row["base"] is None:
            content = decompress(row["content"])
        elif (base := self._load(row["base"], depth + 1)) is not None:
            content = unpack_difference(base, row["content"])
        else:
            return None
        if sha256(content).hexdigest() != digest:
            return None
        self._remember(digest, content)
        return content

    def _row(self, digest: str | None) -> Any:
        rows = self._database.rows("SELECT base, depth, content FROM images WHERE digest = ?", (digest,))
        return rows[0] if rows else None

    def _remember(self, digest: str, content: bytes) -> None:
        """The next one that is read is mostly made from this one."""
        with self._lock:
            if digest not in self._remembered:
                self._remembered[digest] = content
                self._remembered_bytes += len(content)
            while self._remembered_bytes > _REMEMBERED_BYTES:
                self._remembered_bytes -= len(self._remembered.popitem(last=False)[1])


def pack_difference(base: bytes, content: bytes) -> bytes:
    """What differs from the base: how much of its beginning and end stays, and the new middle part."""
    start = count_common_start(base, content)
    limit = min(len(base), len(content)) - start
    end = count_common_start(base[len(base) - limit :][::-1], content[len(content) - limit :][::-1]) if limit else 0
    known = base[start : len(base) - end][-_WINDOW:]
    packer = zlib.compressobj(zdict=known) if known else zlib.compressobj()
    return _CUT.pack(start, end) + packer.compress(content[start : len(content) - end]) + packer.flush()


def unpack_difference(base: bytes, packed: bytes) -> bytes:
    """The content that was packed upon this base. Raises what a damaged image raises."""
    start, end = _CUT.unpack_from(packed)
    if start + end > len(base):
        raise ValueError("longer than its base")
    known = base[start : len(base) - end][-_WINDOW:]
    middle = decompress(packed[_CUT.size :], known)
    return base[:start] + middle + base[len(base) - end :]


def decompress(packed: bytes, known: bytes = b"") -> bytes:
    """The content; one that is larger than any note can be is refused."""
    unpacker = zlib.decompressobj(zdict=known) if known else zlib.decompressobj()
    content = unpacker.decompress(packed, _LARGEST)
    if unpacker.unconsumed_tail or not unpacker.eof:
        raise ValueError("too large, or cut off")
    return content


def count_common_start(one: bytes, other: bytes) -> int:
    """How many bytes two contents both begin with, found by halving: comparing slices is quick."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
