from __future__ import annotations

import os
import socket
import stat
import threading
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from paperagents.errors import ToolError
from paperagents.files.folder import VaultFolder
from paperagents.files.reading import hash_content

FULL_PERMISSIONS = os.geteuid() == 0


def refusal(folder: VaultFolder, path: str) -> str:
    with pytest.raises(ToolError) as caught:
        folder.read_text(path)
    assert caught.value.message
    return caught.value.code


def write_refusal(folder: VaultFolder, path: str, content: str = "x", *, overwrite: bool = True) -> str:
    with pytest.raises(ToolError) as caught:
        folder.write_text(path, content, overwrite=overwrite)
    assert caught.value.message
    return caught.value.code


def names_in(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.rglob("*") if entry.is_file())


def test_a_file_is_read_with_its_size_time_and_digest(folder: VaultFolder) -> None:
    (folder.root / "a.md").write_bytes("---\nstatus: no\n---\nÄ\r\n".encode())
    os.utime(folder.root / "a.md", (0, 1_700_000_000.5))
    read = folder.read_text("/a.md")
    assert read.content == "---\nstatus: no\n---\nÄ\r\n"
    assert read.digest == hash_content((folder.root / "a.md").read_bytes()) == folder.digest("a.md")
    assert read.as_json() == {
        "filePath": "a.md",
        "path": "a.md",
        "content": read.content,
        "size": 23,
        "modified": "2023-11-14T22:13:20.500+00:00",
        "frontmatter": {"status": "no"},
    }


@pytest.mark.parametrize("path", ["notes/a.md", "/notes/a.md", "//notes//a.md", "./notes/./a.md"])
def test_one_file_has_one_path_in_answers(folder: VaultFolder, path: str) -> None:
    folder.write_text("notes/a.md", "text")
    assert folder.read_text(path).path == "notes/a.md"


@pytest.mark.parametrize(
    "content",
    [
        "",
        "no final newline",
        "a\r\nb\nc\r",
        "👩‍👩‍👧 Ä 中文",
        "\ufeffwith mark",
        "nul \0 inside",
        "\u2028 \x85 \x0c",
        "x" * 200_000,
    ],
)
def test_what_is_written_is_read_back_byte_for_byte(folder: VaultFolder, content: str) -> None:
    written = folder.write_text("a.md", content)
    assert (folder.root / "a.md").read_bytes() == content.encode()
    assert written.as_json() == {"filePath": "a.md", "size": len(content.encode()), "created": True}
    assert folder.read_text("a.md").content == content


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=30)
@given(content=st.text())
def test_writing_what_was_read_changes_nothing(folder: VaultFolder, content: str) -> None:
    (folder.root / "a.md").write_bytes(content.encode())
    folder.write_text("a.md", folder.read_text("a.md").content, overwrite=True)
    assert (folder.root / "a.md").read_bytes() == content.encode()


def test_half_a_character_is_refused(folder: VaultFolder) -> None:
    assert write_refusal(folder, "a.md", "\ud83d") == "text-not-unicode"
    assert list(folder.root.iterdir()) == []


def test_an_existing_file_is_untouched_without_overwrite(folder: VaultFolder) -> None:
    folder.write_text("a.md", "old")
    assert write_refusal(folder, "a.md", "new", overwrite=False) == "file-exists"
    assert folder.read_text("a.md").content == "old"
    assert names_in(folder.root) == ["a.md"]


def test_overwriting_keeps_the_mode_and_says_that_the_file_was_there(folder: VaultFolder) -> None:
    folder.write_text("a.md", "old")
    (folder.root / "a.md").chmod(0o640)
    assert not folder.write_text("a.md", "new", overwrite=True).created
    assert stat.S_IMODE((folder.root / "a.md").stat().st_mode) == 0o640
    assert names_in(folder.root) == ["a.md"]


def test_a_new_file_has_the_mode_the_system_gives(folder: VaultFolder) -> None:
    folder.write_text("deep/er/a.md", "new")
    (folder.root / "plain").write_text("x")
    ours, plain = (folder.root / "deep/er/a.md").stat(), (folder.root / "plain").stat()
    assert ours.st_mode == plain.st_mode


def test_a_write_protected_file_is_left_alone(folder: VaultFolder) -> None:
    folder.write_text("a.md", "old")
    (folder.root / "a.md").chmod(0o444)
    assert write_refusal(folder, "a.md") == "file-not-permitted"


def test_appending_keeps_what_is_there_and_creates_what_is_not(folder: VaultFolder) -> None:
    assert folder.write_text("log.md", "one\r\n", append=True).created
    assert folder.write_text("log.md", "two", append=True).size == 8
    assert folder.write_text("log.md", "!", append=True, overwrite=True).size == 9
    assert (folder.root / "log.md").read_bytes() == b"one\r\ntwo!"


def test_a_write_is_refused_when_the_file_is_not_the_one_agreed_on(folder: VaultFolder) -> None:
    folder.write_text("a.md", "old")
    agreed = folder.digest("a.md")
    folder.write_text("a.md", "edited meanwhile", overwrite=True)
    for path, digest in (("a.md", agreed), ("a.md", "absent"), ("b.md", agreed)):
        with pytest.raises(ToolError) as caught:
            folder.write_text(path, "new", overwrite=True, expected_digest=digest)
        assert caught.value.code == "file-changed"
    assert folder.read_text("a.md").content == "edited meanwhile"
    assert names_in(folder.root) == ["a.md"]


def test_a_write_goes_through_when_the_file_is_the_one_agreed_on(folder: VaultFolder) -> None:
    assert folder.digest("a.md") == "absent"
    folder.write_text("a.md", "old", expected_digest="absent")
    folder.write_text("a.md", "new", overwrite=True, expected_digest=folder.digest("a.md"))
    folder.write_text("a.md", "er", append=True, expected_digest=folder.digest("a.md"))
    assert folder.read_text("a.md").content == "newer"


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("../secret.md", "path-outside-vault"),
        ("/../secret.md", "path-outside-vault"),
        ("notes/../a.md", "path-outside-vault"),
        ("notes/..", "path-outside-vault"),
        ("a\0.md", "path-invalid"),
        ("a\ud800.md", "path-invalid"),
        ("x" * 300, "path-invalid"),
        ("/".join(["x"] * 5000), "path-invalid"),
        ("", "not-a-file"),
        ("/", "not-a-file"),
        ("notes", "not-a-file"),
        ("notes/", "not-a-file"),
        ("notes/a.md/", "not-a-file"),
        ("notes/a.md/.", "not-a-file"),
        ("notes/a.md/b.md", "not-a-folder"),
    ],
)
def test_paths_that_name_no_file_of_the_vault_are_refused(folder: VaultFolder, path: str, code: str) -> None:
    folder.write_text("notes/a.md", "x")
    (folder.root.parent / "secret.md").write_text("secret")
    assert refusal(folder, path) == code
    assert write_refusal(folder, path) == code


@pytest.mark.parametrize(
    "path",
    [
        ".paper/paper.db", "/.paper/x", ".PAPER/x", ".Paper/x", "./.paper/x", "//.paper//x", ".paper./x",
        ".paper /x", ".pa\u200dper/x", "\uff0epaper/x", ".ｐaper/x", "inner/.paper/x", ".paper\u00ad/x",
        ".paper", ".paper\ufe0f/x",
    ],
)  # fmt: skip
def test_the_program_s_own_folder_is_closed_in_any_spelling(folder: VaultFolder, path: str) -> None:
    (folder.root / ".paper").mkdir()
    (folder.root / ".paper" / "x").write_text("secret")
    assert refusal(folder, path) == "path-forbidden"
    assert write_refusal(folder, path) == "path-forbidden"


def test_the_program_s_own_folder_is_closed_by_way_of_a_link(folder: VaultFolder) -> None:
    (folder.root / ".paper").mkdir()
    (folder.root / ".paper" / "x").write_text("secret")
    (folder.root / "shortcut").symlink_to(".paper")
    (folder.root / "file").symlink_to(".paper/x")
    (folder.root / "chain").symlink_to("shortcut")
    for path in ("shortcut/x", "file", "chain/x"):
        assert refusal(folder, path) == "path-forbidden"
        assert write_refusal(folder, path) == "path-forbidden"
    with pytest.raises(ToolError, match="paper"):
        folder.list_files("shortcut")


@pytest.mark.parametrize("path", [".git/hooks/post-commit", ".obsidian/plugins/x/main.js", ".bashrc", "a/.env"])
def test_hidden_files_of_other_programs_are_not_written(folder: VaultFolder, path: str) -> None:
    assert write_refusal(folder, path) == "path-hidden"
    assert list(folder.root.iterdir()) == []


def test_a_vault_that_is_not_there_is_said_plainly(tmp_path: Path) -> None:
    with pytest.raises(ToolError) as caught:
        VaultFolder(tmp_path / "nothing")
    assert caught.value.code == "folder-not-found"


def test_hidden_files_can_be_read(folder: VaultFolder) -> None:
    (folder.root / ".obsidian").mkdir()
    (folder.root / ".obsidian" / "app.json").write_text("{}")
    assert folder.read_text(".obsidian/app.json").content == "{}"


def test_a_name_with_control_characters_is_not_written(folder: VaultFolder) -> None:
    assert write_refusal(folder, "a\nb.md") == "path-invalid"


def test_links_inside_the_vault_are_followed_for_reading(folder: VaultFolder) -> None:
    folder.write_text("notes/deep/a.md", "text")
    (folder.root / "file.md").symlink_to("notes/deep/a.md")
    (folder.root / "notes/up.md").symlink_to("../notes/../notes/deep/a.md")
    (folder.root / "full.md").symlink_to(folder.root / "notes/deep/a.md")
    (folder.root / "short").symlink_to("notes/deep")
    (folder.root / "twice").symlink_to("short")
    for path in ("file.md", "notes/up.md", "full.md", "short/a.md", "twice/a.md"):
        read = folder.read_text(path)
        assert (read.content, read.path) == ("text", path)


def test_the_real_place_of_a_file_to_write_is_worked_out_inside_the_vault_alone(folder: VaultFolder) -> None:
    folder.write_text("notes/a.md", "old")
    for name, target in (("file.md", "notes/a.md"), ("short", "notes"), ("twice", "short"), ("gone.md", "notes/new.md"),
                         ("out", "../outside"), ("own", ".paper"), ("hidden", ".git"), ("all", "."), ("b\x7f", "c\x07"),
                         ("bell", "b\x7f")):  # fmt: skip
        (folder.root / name).symlink_to(target)
    for path, real in (
        ("file.md", "notes/a.md"),
        ("/twice//b.md", "notes/b.md"),
        ("gone.md", "notes/new.md"),
        ("all/short/x/y.md", "notes/x/y.md"),
    ):
        assert folder.resolve_writable_path(path, "x") == real
    for path, code in (
        ("out/a.md", "path-outside-vault"),
        ("own/a.md", "path-forbidden"),
        ("hidden/hooks/a", "path-hidden"),
        ("bell", "path-invalid"),
        ("all", "not-a-file"),
    ):
        with pytest.raises(ToolError) as caught:
            folder.resolve_writable_path(path, "x")
        assert caught.value.code == code, path


def test_links_are_not_followed_for_writing(folder: VaultFolder) -> None:
    folder.write_text("notes/a.md", "old")
    (folder.root / "file.md").symlink_to("notes/a.md")
    (folder.root / "short").symlink_to("notes")
    (folder.root / "gone.md").symlink_to("notes/not-yet.md")
    for path, real in (
        ("file.md", "notes/a.md"),
        ("short/a.md", "notes/a.md"),
        ("gone.md", "notes/not-yet.md"),
    ):
        with pytest.raises(ToolError) as caught:
            folder.write_text(path, "new", overwrite=True)
        assert (caught.value.code, caught.value.values["real"]) == ("path-through-link", real)
    assert folder.read_text("notes/a.md").content == "old"
    assert names_in(folder.root / "notes") == ["a.md"]


def test_links_that_lead_out_are_refused(folder: VaultFolder) -> None:
    outside = folder.root.parent / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("secret")
    lookalike = folder.root.parent / "vault-old"
    lookalike.mkdir()
    (lookalike / "secret.md").write_text("secret")
    (folder.root / "sub").mkdir()
    targets: list[str | Path] = [
        outside,
        "../outside",
        lookalike,
        "../vault-old",
        "../../../outside",
        "/",
        "/proc/self/root",
        "sub/../..",
    ]
    for number, target in enumerate(targets):
        (folder.root / f"link{number}").symlink_to(target)
        assert refusal(folder, f"link{number}/secret.md") == "path-outside-vault"
        assert write_refusal(folder, f"link{number}/new.md") == "path-outside-vault"
    (folder.root / "file.md").symlink_to(outside / "secret.md")
    assert refusal(folder, "file.md") == "path-outside-vault"
    assert write_refusal(folder, "file.md") == "path-outside-vault"
    assert (outside / "secret.md").read_text() == "secret"
    assert names_in(outside) == ["secret.md"]


def test_links_that_run_in_a_circle_are_refused(folder: VaultFolder) -> None:
    (folder.root / "a").symlink_to("b")
    (folder.root / "b").symlink_to("a")
    assert refusal(folder, "a/x.md") == "path-outside-vault"
    assert write_refusal(folder, "a/x.md") == "path-outside-vault"


def test_pipes_sockets_and_devices_are_refused_without_waiting(folder: VaultFolder) -> None:
    os.mkfifo(folder.root / "pipe")
    with socket.socket(socket.AF_UNIX) as listener:
        descriptor = os.open(folder.root, os.O_RDONLY)
        listener.bind(f"/proc/self/fd/{descriptor}/socket")
        os.close(descriptor)
    paths = ["pipe", "socket"]
    if FULL_PERMISSIONS:
        os.mknod(folder.root / "zero", stat.S_IFCHR | 0o666, os.makedev(1, 5))
        paths.append("zero")
    for path in paths:
        assert refusal(folder, path) == "not-a-file"
        assert write_refusal(folder, path) == "not-a-file"


def test_a_file_that_is_not_text_is_neither_read_nor_replaced(folder: VaultFolder) -> None:
    (folder.root / "a.png").write_bytes(b"\x89PNG\xff")
    assert refusal(folder, "a.png") == "not-utf8"
    assert write_refusal(folder, "a.png") == "not-utf8"
    assert write_refusal(folder, "a.png", overwrite=False) == "file-exists"
    assert (folder.root / "a.png").read_bytes() == b"\x89PNG\xff"


def test_files_over_the_limit_are_refused(tmp_path: Path) -> None:
    with VaultFolder(tmp_path, largest_file=10) as folder:
        (tmp_path / "a.md").write_text("x" * 11)
        folder.write_text("b.md", "x" * 10)
        assert refusal(folder, "a.md") == "file-too-large"
        assert write_refusal(folder, "c.md", "x" * 11) == "file-too-large"
        with pytest.raises(ToolError) as caught:
            folder.write_text("b.md", "x", append=True)
        assert caught.value.values["size"] == 11


def test_a_missing_file_is_answered_with_the_closest_paths(folder: VaultFolder) -> None:
    for path in ("notes/Projekt.md", "archive/plan.md", "notes/other.txt"):
        folder.write_text(path, "x")
    with pytest.raises(ToolError) as caught:
        folder.read_text("notes/projekt.md")
    assert caught.value.code == "file-not-found"
    assert caught.value.details["closest"][0] == "notes/Projekt.md"
    with pytest.raises(ToolError) as caught:
        folder.read_text("plan")
    assert caught.value.details["closest"] == ["archive/plan.md"]
    with pytest.raises(ToolError) as caught:
        folder.list_files("/note")
    assert (caught.value.code, caught.value.details["closest"]) == ("folder-not-found", ["notes"])


def test_listing_shows_regular_files_that_are_not_hidden(folder: VaultFolder) -> None:
    for path in ("b.md", "a/c.md", "a/d/e.txt", "notes-old/x.md", "notes/y.md"):
        folder.write_text(path, "12345")
    (folder.root / ".obsidian").mkdir()
    (folder.root / ".obsidian" / "app.json").write_text("{}")
    (folder.root / "a/.hidden.md").write_text("x")
    (folder.root / "linked").symlink_to("a")
    os.mkfifo(folder.root / "pipe")
    Path(os.fsdecode(os.fsencode(folder.root) + b"/bad-\xff.md")).write_text("x")
    listed = list(folder.list_files())
    assert [file.path for file in listed] == ["b.md", "a/c.md", "a/d/e.txt", "notes/y.md", "notes-old/x.md"]
    assert listed[0].size == 5
    assert [file.path for file in folder.list_files("/notes")] == ["notes/y.md"]
    assert [file.path for file in folder.list_files("linked/d")] == ["a/d/e.txt"]


def test_a_very_deep_folder_is_listed_without_harm(folder: VaultFolder) -> None:
    descriptor = os.open(folder.root, os.O_RDONLY)
    for _ in range(1100):
        os.mkdir("d", dir_fd=descriptor)
        inner = os.open("d", os.O_RDONLY, dir_fd=descriptor)
        os.close(descriptor)
        descriptor = inner
    os.close(descriptor)
    folder.write_text("a.md", "x")
    assert [file.path for file in folder.list_files()] == ["a.md"]
    while (folder.root / "d" / "d").exists():
        (folder.root / "d" / "d").rename(folder.root / "e")
        (folder.root / "d").rmdir()
        (folder.root / "e").rename(folder.root / "d")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=200)
@given(path=st.one_of(st.text(max_size=60), st.text(alphabet="./a~\\\0p \u200d", max_size=30)))
def test_no_path_reads_anything_but_gives_a_clear_error(folder: VaultFolder, path: str) -> None:
    (folder.root.parent / "a").write_text("secret")
    with pytest.raises(ToolError) as caught:
        folder.read_text(path)
    assert caught.value.message


def test_writers_of_one_file_take_turns(folder: VaultFolder) -> None:
    texts = [letter * 50_000 for letter in "abcdef"]

    def write(text: str) -> None:
        for _ in range(5):
            folder.write_text("a.md", text, overwrite=True)
            folder.write_text("log.md", text[0], append=True)

    threads = [threading.Thread(target=write, args=(text,)) for text in texts]
    for thread in threads:
        thread.start()
    for _ in range(200):
        if (folder.root / "a.md").exists():
            assert folder.read_text("a.md").content in texts
    for thread in threads:
        thread.join()
    assert sorted(folder.read_text("log.md").content) == sorted("abcdef" * 5)
    assert names_in(folder.root) == ["a.md", "log.md"]


def test_only_one_of_many_creates_a_file(folder: VaultFolder) -> None:
    outcomes: list[str] = []

    def create(text: str) -> None:
        try:
            folder.write_text("new/a.md", text)
            outcomes.append(text)
        except ToolError as error:
            outcomes.append(error.code)

    threads = [threading.Thread(target=create, args=(str(number),)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    winners = [outcome for outcome in outcomes if outcome != "file-exists"]
    assert winners == [folder.read_text("new/a.md").content]


@pytest.mark.parametrize(("path", "meant"), [("item.path", "{{item.path}}"), ("read.output", "{{steps.read.output}}")])
def test_a_missing_file_that_looks_like_a_reference_is_answered_with_the_reference(
    folder: VaultFolder, path: str, meant: str
) -> None:
    folder.write_text("notes/Projekt.md", "x")
    with pytest.raises(ToolError) as caught:
        folder.read_text(path)
    assert caught.value.message == f"There is no file '{path}'. Did you mean \"{meant}\"?"


@pytest.mark.parametrize("path", ["items.md", "notes/item.path", "output", "a.outputs"])
def test_a_missing_file_that_is_named_like_any_other_is_no_reference(folder: VaultFolder, path: str) -> None:
    with pytest.raises(ToolError) as caught:
        folder.read_text(path)
    assert caught.value.message == f"There is no file '{path}'. None has a similar name."
