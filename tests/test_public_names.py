"""What users may rely on does not change unnoticed."""

from __future__ import annotations

from tests.scripts.loading import script

NAMES = script("public_names")


def test_every_public_name_is_what_was_promised() -> None:
    promised = NAMES.FILE.read_text(encoding="utf-8")
    assert NAMES.describe_modules() == promised, "if this is meant: just names, and a fragment in changes/"


def test_a_changed_signature_is_noticed() -> None:
    class Before:
        def run(self, tool: str) -> None: ...

    class After:
        def run(self, tool: str, *, dry: bool) -> None: ...

    Before.__module__ = After.__module__ = "paperagents.made_up"
    assert list(NAMES.describe("x", Before)) == ["class x()", "    run(self, tool: 'str') -> 'None'"]
    assert list(NAMES.describe("x", Before)) != list(NAMES.describe("x", After))
