"""Notes as people write them, in three languages, found as people expect."""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path

import pytest
from tests.search.conftest import agreed, is_indexed, wait_until_settled, write

from paperagents.files.folder import VaultFolder
from paperagents.search import index as note_index
from paperagents.search.index import NoteIndex

NOTES = {
    "guide/Installation.md": (
        "---\ntitle: Installation\ntags: [guide, setup/linux]\nversion: 2.1\n---\n# Installing on Linux\n\n"
        "Download the archive and unpack it. The old\nharbour master's `config.toml` is read first.\n\n"
        "```sh\n# not a heading\ncurl https://example.org/a_b?c=1\n```\n\nSee [[Konfiguration]] and #setup.\n"
    ),
    "guide/Konfiguration.md": (
        "---\ntags: guide\nstatus: Entwurf\n---\n# Einführung\n\nDie Größe der Übersicht lässt sich ändern. "
        "Straßenbahnen fahren über die Brücke.\n\n## Müllers Notizen\n\nÄpfel, Öl & Co. kosten 3,50 €.\n"
    ),
    "指南/安装.md": (
        "---\ntags: [指南, 安装/系统]\n状态: 完成\n---\n# 安装说明\n\n"
        "下载压缩包后解压到任意文件夹。首次启动会建立搜索索引。\n\n"
        "## 常见问题\n\n如果无法启动，请检查 Python3版本 是否为 3.11。#问题\n"
    ),
    "日本語.md": "# 日本語のノート\n\n東京タワーへ行きました。カタカナとひらがな。\n",
    "한국어.md": "# 노트\n\n검색엔진을 설치했습니다.\n",
    "Ideas/Art.md": "Nothing here.\n",
    "Ideas/start.md": "# A smart part\n\nPartly about art.\n",
    "Ideas/blob.md": "x" * 25_000 + "needle" + "y" * 25_000 + " end\n",
    "देवनागरी.md": "हिन्दी में लिखा\n",
}


@pytest.fixture
def library(vault: VaultFolder, monkeypatch: pytest.MonkeyPatch) -> VaultFolder:
    monkeypatch.setattr(note_index, "MOST_PENDING", 0)
    write(vault.root, NOTES)
    wait_until_settled(vault.root)
    assert vault.resource(NoteIndex).view().pending == ()
    return vault


@pytest.mark.parametrize(
    ("query", "paths"),
    [
        ("harbour", {"guide/Installation.md"}),
        ('"the old harbour"', {"guide/Installation.md"}),
        ('"old harb"', {"guide/Installation.md"}),
        ('"old, harbour"', set()),
        ("config.toml", {"guide/Installation.md"}),
        ("master's", {"guide/Installation.md"}),
        ("a_b?c=1", {"guide/Installation.md"}),
        ("GRÖSSE", {"guide/Konfiguration.md"}),
        ("größe", {"guide/Konfiguration.md"}),
        ("strasse", {"guide/Konfiguration.md"}),
        ("übersicht", {"guide/Konfiguration.md"}),
        (unicodedata.normalize("NFD", "Äpfel"), {"guide/Konfiguration.md"}),
        ("3,50", {"guide/Konfiguration.md"}),
        ("[status:entwurf]", {"guide/Konfiguration.md"}),
        ("搜索索引", {"指南/安装.md"}),
        ("索引", {"指南/安装.md"}),
        ("引", {"指南/安装.md"}),
        ("文件夹首次", set()),
        ('"文件夹。首次"', {"指南/安装.md"}),
        ("python3版本", {"指南/安装.md"}),
        ("#安装", {"指南/安装.md"}),
        ("[状态:完成]", {"指南/安装.md"}),
        ("東京", {"日本語.md"}),
        ("タワー", {"日本語.md"}),
        ("검색", {"한국어.md"}),
        ("엔진", {"한국어.md"}),
        ("हिन्दी", {"देवनागरी.md"}),
        ("needle", {"Ideas/blob.md"}),
        ("xneedley", {"Ideas/blob.md"}),
        ("x" * 600, {"Ideas/blob.md"}),
        ("#setup", {"guide/Installation.md"}),
        ("#setup/linux -#指南", {"guide/Installation.md"}),
        ("tag:guide path:guide", {"guide/Installation.md", "guide/Konfiguration.md"}),
        ("file:安装", {"指南/安装.md"}),
        ("/^## m.llers/", {"guide/Konfiguration.md"}),
    ],
)  # fmt: skip
def test_a_person_finds_these_notes(library: VaultFolder, query: str, paths: set[str]) -> None:
    assert set(agreed(library, query)) == paths


def test_names_come_before_headings_before_text_and_words_before_their_parts(library: VaultFolder) -> None:
    assert agreed(library, "art") == ["Ideas/Art.md", "Ideas/start.md"]
    write(library.root, {"a.md": "# Art\n", "b.md": "# Partly\n", "c.md": "art\n", "d.md": "party\n", "e.md": "art\n"})
    expected = ["Ideas/Art.md", "Ideas/start.md", "a.md", "b.md", "e.md", "c.md", "d.md"]
    assert agreed(library, "art") == expected
    assert [agreed(library, "art", limit=number) for number in range(7)] == [expected[:number] for number in range(7)]


def test_notes_of_one_moment_come_in_the_order_of_their_paths(library: VaultFolder) -> None:
    write(library.root, {f"same/{name}.md": "moment" for name in "hgfedcba"})
    for name in "hgfedcba":
        os.utime(library.root / f"same/{name}.md", (1_700_000_000, 1_700_000_000))
    assert agreed(library, "moment", limit=3) == ["same/a.md", "same/b.md", "same/c.md"]
    assert agreed(library, "moment", limit=3, sort="modified") == ["same/a.md", "same/b.md", "same/c.md"]


def test_results_can_be_sorted_by_time_and_by_path(library: VaultFolder) -> None:
    newest = agreed(library, "", sort="modified")
    assert sorted(newest) == agreed(library, "", sort="path")
    assert agreed(library, "", sort="path", limit=2) == sorted(newest)[:2]


def test_a_vault_with_no_index_gives_the_same_answers(root: Path) -> None:
    write(root, NOTES)
    with VaultFolder(root) as small:
        assert agreed(small, "art")[0] == "Ideas/Art.md"
    assert not is_indexed(root)
