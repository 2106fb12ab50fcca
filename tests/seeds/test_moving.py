"""The pages about moving here show the originals, to the letter."""

from __future__ import annotations

import pytest
from tests.docs.blocks import ROOT, blocks_of

from . import printed

ORIGINALS = {
    "vault/transform_data.md": printed.transform_data(),
    "vault/backup.md": printed.backup(),
    "vault/beispieltool.md": printed.beispieltool(),
    "vault/chain_beispiel.md": printed.chain_beispiel(),
    "vault/my-tool.tool.js": printed.minimal_tool(),
    "vault/tool-id.tool.js": printed.interface_tool(),
}


@pytest.mark.parametrize("page", ["plugin-files", "promptx-tools"])
def test_every_file_on_the_page_is_the_original(page: str) -> None:
    shown = {each.title: each.content for each in blocks_of(ROOT / "docs" / "moving" / f"{page}.md") if each.title}
    assert shown
    assert shown == {title: ORIGINALS[title] for title in shown}
