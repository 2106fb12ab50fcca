"""Shared by the tests of running tools: a vault with real files and a scripted person."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import paperagents
from paperagents.approval.question import ApprovalRequest, Approved, Decision
from paperagents.runs.record import RunRecord
from paperagents.vault import Vault


@dataclass
class Person:
    """Answers questions in order, the last answer again and again, and remembers what was asked."""

    answers: list[Decision | Callable[[ApprovalRequest], Decision]]
    asked: list[ApprovalRequest] = field(default_factory=list)

    def __call__(self, request: ApprovalRequest) -> Decision:
        self.asked.append(request)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return answer(request) if callable(answer) else answer


@dataclass
class Desk:
    """A vault with somebody in front of it."""

    root: Path
    vault: Vault

    def note(self, path: str, content: str) -> Path:
        """Write a file, as an editor would."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content, encoding="utf-8", newline="")
        self.vault.registry.refresh()
        return file

    def tool(self, name: str, front: str = "", body: str = "") -> Path:
        """Write a tool."""
        return self.note(f"tools/{name}.md", f"---\ntool: true\nname: {name}\ndescription: d\n{front}\n---\n{body}")

    def chain(self, name: str, steps: str, front: str = "") -> Path:
        """Write a chain; ``steps`` are the list below ``steps:``."""
        return self.tool(name, f"type: chain\n{front}", f"\n```yaml\nsteps:\n{steps}\n```\n")

    def run(self, tool: str, arguments: Mapping[str, Any] | None = None, *answers: Any) -> RunRecord:
        """Run a tool; with answers somebody is there, without nobody."""
        return self.vault.run(tool, arguments, approver=Person(list(answers)) if answers else None)

    def problems(self, path: str) -> list[tuple[str, str]]:
        """The severity and code of everything that is wrong with a file."""
        (entry,) = [each for each in self.vault.registry.entries() if each.file == path]
        return [(each.severity, each.code) for each in entry.problems]

    def text(self, path: str) -> str:
        return (self.root / path).read_text(encoding="utf-8")

    def reopened(self) -> Vault:
        """The vault as another process would find it."""
        self.vault.close()
        self.vault = paperagents.open_vault(self.root)
        return self.vault

    def everything(self) -> dict[str, bytes]:
        """Every file of the vault with its bytes, what the program keeps included, but for its cache."""
        files = [each for each in self.root.rglob("*") if each.is_file()]
        found = {str(each.relative_to(self.root)): each for each in files}
        return {name: each.read_bytes() for name, each in found.items() if not name.startswith(".paper/cache/")}


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Rules and settings of the real user stay untouched."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("PAPER_LANGUAGE", "en")
    monkeypatch.setenv("PAPER_ALLOWED_HOSTS", "127.0.0.1")
    return tmp_path / "config"


@pytest.fixture
def desk(tmp_path: Path, own_home: Path) -> Iterator[Desk]:
    assert own_home.parent == tmp_path
    root = tmp_path / "vault"
    (root / ".paper").mkdir(parents=True)
    made = Desk(root=root, vault=paperagents.open_vault(root))
    yield made
    made.vault.close()


@pytest.fixture
def yes() -> Approved:
    return Approved()


@pytest.fixture
def person() -> Callable[..., Person]:
    return lambda *answers: Person(list(answers))
