"""What of a vault the command of a server names: a yes covers exactly these files, and copies of them are started.

Whoever sends a new version of a vault can exchange every file in it. So a server that the vault names is started
outside of it, in a folder where nothing is found that nobody has agreed to.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from functools import lru_cache
from hashlib import file_digest
from pathlib import Path

from paperagents.values import dataclass

LARGEST_PROGRAM = 500_000_000
"""Beyond, a file is told from another by the moment of its last change, and is not copied."""


@dataclass(frozen=True, kw_only=True, slots=True)
class NamedPath:
    """A word of a command, or what stands behind its equals sign, that leads to something from the vault."""

    option: str
    path: Path
    """Where it leads in the end, links and all."""
    is_copied: bool
    """A file of the vault, small enough."""

    def fingerprint(self) -> str:
        """Tells it from another: a file of the vault by its content, everything else by its place."""
        try:
            status = self.path.stat()
            # Nobody can set the moment of the last change of a file's attributes.
            stamp = (status.st_ino, status.st_size, status.st_ctime_ns)
            if self.is_copied:
                return digest_content(self.path, stamp)
            return f"{self.path} {stamp if self.path.is_file() else ''}"
        except OSError as error:
            return f"{self.path} {error.errno}"


@lru_cache(maxsize=64)
def digest_content(path: Path, _stamp: tuple[int, ...]) -> str:
    """The digest of a file, read again when it has changed."""
    with path.open("rb") as opened:
        return file_digest(opened, "sha256").hexdigest()


def find_named(command: Sequence[str], vault: Path) -> Iterator[NamedPath | None]:
    """For each word what it leads to from the vault; None where that is nothing."""
    for number, word in enumerate(command):
        option, equals, value = word.partition("=")
        # A program without a slash is looked for elsewhere.
        whole = find_path("", word, vault) if number or "/" in word else None
        yield whole or (find_path(f"{option}=", value, vault) if equals else None)


def find_path(option: str, word: str, vault: Path) -> NamedPath | None:
    """Where a word leads; a folder only where it is written like one, so that it is not taken for a mere word."""
    place = vault / word
    try:
        real = place.resolve(strict=True)
        is_file, size = real.is_file(), real.stat().st_size
    except (OSError, ValueError, RuntimeError):
        return None
    is_ours = real.is_relative_to(vault.resolve())
    if not is_file and not ("/" in word or word in (".", "..")):
        return None
    if Path(word).is_absolute() and not is_ours and not place.is_relative_to(vault):
        return None
    return NamedPath(option=option, path=real, is_copied=is_ours and is_file and size <= LARGEST_PROGRAM)


def find_open_folders(command: Sequence[str], vault: Path) -> list[str]:
    """The words that let a server load whatever is in the vault then, which no digest can cover."""
    real = vault.resolve()
    pairs = zip(command, find_named(command, vault), strict=True)
    return [word for word, named in pairs if (leads_to(named, real) if named is not None else str(real) in word)]


def leads_to(named: NamedPath, vault: Path) -> bool:
    """Whether it is a folder of the vault, or one that the vault is in."""
    return named.path.is_dir() and (named.path.is_relative_to(vault) or vault.is_relative_to(named.path))


def copy_command(command: Sequence[str], vault: Path, private: Path) -> list[str]:
    """The command with copies of the vault's files in a private folder, and with full paths to everything else."""
    words = []
    for number, (word, named) in enumerate(zip(command, find_named(command, vault), strict=True)):
        if named is None:
            words.append(word)
            continue
        path = named.path
        if named.is_copied:
            (private / str(number)).mkdir()
            path = Path(shutil.copy(path, private / str(number) / Path(word.removeprefix(named.option)).name))
        words.append(f"{named.option}{path}")
    return words
