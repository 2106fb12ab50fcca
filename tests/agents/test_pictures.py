"""Pictures that a model answers with: kept in the record as blocks of content, and shown as pictures."""

from __future__ import annotations

import json
from typing import Any

import pytest

from .conftest import Desk, Serve, call, entries

DATA = "iVBORw0KGgo="
ADDRESS = f"data:image/png;base64,{DATA}"
PART = {"type": "image_url", "image_url": {"url": ADDRESS}}
BLOCK = {"type": "image", "data": DATA, "mimeType": "image/png"}
WORDS = {"type": "text", "text": "Here it is."}


@pytest.mark.parametrize(
    "turn",
    [
        {"text": "Here it is.", "message": {"images": [PART]}},
        {"text": "Here it is.", "message": {"images": [{"image_url": ADDRESS}, PART]}},
        {"deltas": [{"content": "Here it is."}, {"content": None, "images": [{**PART, "index": 0}]}]},
        {"json": True, "message": {"content": [WORDS, PART]}},
    ],
)
def test_pictures_of_an_answer_are_blocks_of_it(desk: Desk, serve: Serve, turn: dict[str, Any]) -> None:
    serve([turn])
    record = desk.vault.run("helper", {"query": "Draw."})
    assert record.data == {"content": [WORDS, BLOCK]}
    assert desk.vault.history.record(record.run_id).data == record.data
    assert entries(record, "model")[0]["output"]["images"] == [BLOCK]
    assert "Here it is.\n[image/png, 8 bytes]" in desk.conversation()


def test_a_picture_alone_is_an_answer(desk: Desk, serve: Serve) -> None:
    serve([{"text": "", "message": {"images": [PART]}}])
    assert desk.vault.run("helper", {"query": "Draw."}).data == {"content": [BLOCK]}


def test_a_picture_that_was_drawn_before_the_last_word_is_part_of_the_answer(desk: Desk, serve: Serve) -> None:
    server = serve([{"calls": [call("read_file", filePath="a.md")], "message": {"images": [PART]}}, "Here it is."])
    desk.note("a.md", "x")
    assert desk.vault.run("helper", {"query": "Draw."}).data == {"content": [WORDS, BLOCK]}
    assert DATA not in json.dumps(server.requests[1])


def test_a_picture_in_the_web_is_a_link_that_nobody_follows(desk: Desk, serve: Serve) -> None:
    address = "https://pictures.example/a.png"
    serve([{"text": "Here it is.", "message": {"images": [{"image_url": {"url": address}}]}}])
    link = {"type": "resource_link", "uri": address, "name": "a.png"}
    assert desk.vault.run("helper", {"query": "Draw."}).data == {"content": [WORDS, link]}


@pytest.mark.parametrize(
    "images",
    [
        "x", [1], [{}], [{"image_url": 5}], [{"image_url": {"url": "data:image/png;base64,%%"}}],
        [{"image_url": {"url": "data:text/html;base64,AAAA"}}], [{"image_url": {"url": "javascript:alert(1)"}}],
    ],
)  # fmt: skip
def test_what_is_no_picture_is_left_out(desk: Desk, serve: Serve, images: Any) -> None:
    serve([{"text": "Here it is.", "message": {"images": images}}])
    assert desk.vault.run("helper", {"query": "Draw."}).data == "Here it is."


def test_a_typed_answer_stays_a_value(desk: Desk, serve: Serve) -> None:
    serve([{"text": '{"n": 1}', "message": {"images": [PART]}}])
    desk.agent("output: {type: object}")
    assert desk.vault.run("helper", {"query": "Draw."}).data == {"n": 1}
