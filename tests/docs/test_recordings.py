"""What the recordings of a terminal in docs/terminal/ show is what is on the screen today."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.scripts.loading import script

pytestmark = pytest.mark.docs

recordings = script("recordings")


@pytest.mark.parametrize("name", ["approval", "chat", "first-tool", "missing-parameter", "mistake", "together"])
def test_a_recording_is_still_true(name: str, tmp_path: Path) -> None:
    recording = (recordings.FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    assert recordings.replay(recording, tmp_path) == recording, "if this is meant: scripts/recordings.py"


def test_every_recording_is_replayed() -> None:
    assert sorted(file.stem for file in recordings.FOLDER.glob("*.txt")) == [
        "approval", "chat", "first-tool", "missing-parameter", "mistake", "together",
    ]  # fmt: skip


def test_a_screen_that_has_changed_is_noticed(tmp_path: Path) -> None:
    assert recordings.replay("$ echo two\none\n", tmp_path) == "$ echo two\ntwo\n"


def test_keys_are_typed_when_the_prompt_is_there(tmp_path: Path) -> None:
    asking = "$ printf 'Who\\n> '; read who; echo \"Hello, $who.\"\n"
    told = recordings.replay(f"{asking}⌨ Ada\n", tmp_path)
    assert told == f"{asking}Who\n>\n⌨ Ada\nHello, Ada.\n"
