"""Images: every text comes back as it was, small, and a damaged or made-up one is none."""

from __future__ import annotations

import random
import zlib
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperagents.storage.images import ImageStore, image_digest, pack_difference, unpack_difference

if TYPE_CHECKING:
    from paperagents.storage.database import Database


def keep(database: Database, text: str, base: str | None = None) -> str:
    with database.transaction() as connection:
        return ImageStore(database).keep(connection, text, base=base)


@given(base=st.binary(max_size=80), content=st.binary(max_size=80))
def test_what_differs_is_enough_to_have_the_content_again(base: bytes, content: bytes) -> None:
    assert unpack_difference(base, pack_difference(base, content)) == content


def test_a_text_is_kept_once_and_comes_back_as_it_was(database: Database) -> None:
    texts = ["", "\ufeffa\r\nb", "no end", "\x00", "half a character: \ud800"]
    digests = [keep(database, text) for text in [*texts, *texts]]
    assert [ImageStore(database).load(digest) for digest in digests] == [*texts, *texts]
    assert database.rows("SELECT count(*) AS images FROM images")[0]["images"] == len(texts)


def test_a_chain_of_changes_takes_little_room_and_can_be_read_from_its_end(database: Database) -> None:
    chance = random.Random(3)
    lines = [f"{number} {chance.random()}" for number in range(400)]
    base, kept = None, []
    for number in range(200):
        lines[chance.randrange(len(lines))] = f"changed {number} {chance.random()}"
        base = keep(database, "\n".join(lines), base)
        kept.append((base, "\n".join(lines)))
    images = ImageStore(database)
    assert [images.load(digest) for digest, _ in reversed(kept)] == [text for _, text in reversed(kept)]
    size = sum(len(row["content"]) for row in database.rows("SELECT content FROM images"))
    assert size < 200 * 500


@pytest.mark.parametrize(
    "content",
    [b"", b"no image", zlib.compress(b"another text"), zlib.compress(b"x" * 100_000_000)],
    ids=["empty", "damaged", "another", "huge"],
)
def test_an_image_that_is_not_what_it_must_be_is_none(database: Database, content: bytes) -> None:
    digest = keep(database, "a text")
    with database.transaction() as connection:
        connection.execute("UPDATE images SET content = ? WHERE digest = ?", (content, digest))
    assert ImageStore(database).load(digest) is None


def test_images_that_rest_upon_each_other_in_a_circle_are_none(database: Database) -> None:
    digest = image_digest("a")
    with database.transaction() as connection:
        connection.execute(
            "INSERT INTO images VALUES (?, ?, 1, ?)".replace("images", "images (digest, base, depth, content)"),
            (digest, digest, pack_difference(b"a", b"a")),
        )
    assert ImageStore(database).load(digest) is None
