"""Sets the version, and folds the fragments in changes/ into CHANGELOG.md; docs/release.md says what else to do.

.venv/bin/python scripts/release.py 0.2.0
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).parents[1]
VERSIONS = {
    "src/paperagents/version.py": "__version__ = ",
    "editors/obsidian/manifest.json": '"version": ',
    "editors/vscode/package.json": '"version": ',
}
"""The files that say the version, and what stands before it there."""


def main(version: str) -> int:
    """Change the files of the checkout."""
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        sys.stderr.write(f"{version} is no version; write it as 0.2.0\n")
        return 2
    fragments = read_fragments(ROOT / "changes")
    changelog = ROOT / "CHANGELOG.md"
    today = datetime.now(UTC).date().isoformat()
    changelog.write_text(fold(changelog.read_text(encoding="utf-8"), version, today, fragments.values()), "utf-8")
    set_version(ROOT, version)
    for file in fragments:
        file.unlink()
    return 0


def set_version(root: Path, version: str) -> None:
    """In the package, and in what editors show of their parts."""
    for file, before in VERSIONS.items():
        path = root / file
        path.write_text(re.sub(f'(?<={before}").*(?=")', version, path.read_text(encoding="utf-8"), count=1), "utf-8")


def read_fragments(folder: Path) -> dict[Path, str]:
    """Each fragment with its line, sorted by name, so by area."""
    files = sorted(file for file in folder.glob("*.md") if file.name != "README.md")
    return {file: " ".join(file.read_text(encoding="utf-8").split()) for file in files}


def fold(changelog: str, version: str, date: str, lines: Iterable[str]) -> str:
    """The changelog with these lines below the version, which stands there already while it is being made."""
    begun, *sections = re.split(r"^(?=## )", changelog, flags=re.MULTILINE)
    section, added = f"## {version} ({date})\n", "".join(f"- {line}\n" for line in lines)
    if sections and sections[0].startswith(f"## {version} (not released yet)\n"):
        section += sections.pop(0).partition("\n")[2].rstrip() + "\n"
        section += f"\n### Also\n\n{added}" if added else ""
    else:
        section += f"\n{added}"
    return begun + section + ("\n" + "".join(sections) if sections else "")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
