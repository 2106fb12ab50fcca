"""The runnable examples of the YAML schema, as they are written there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import paperagents
from paperagents.approval.question import Approved
from paperagents.runs.note_log import format_yaml_log
from paperagents.vault import Vault

SECTION_5 = """---
tool: true
name: transform_data
description: d
type: single
parameters:
  - name: input_data
    type: array
    description: d
custom_function: |
  function transform(input) {
    return {
      transformed: input.input_data.map(item => item.toUpperCase())
    };
  }
  return transform(input);
---
"""

SECTION_7 = """---
tool: true
name: backup
description: d
type: chain
parameters:
  - name: tag
    type: string
    description: d
steps:
  - name: "search_files"
    parameters:
      query: "{{tag}} AND -template"
  - name: "transform_data"  # Benutzerdefinierte Funktion
    parameters:
      input_data: "{{prev_step.output}}"
  - name: "write_file"
    parameters:
      filePath: "/backups/{{date}}.md"
      content: "{{prev_step.output.transformed}}"
---
"""

SECTION_4 = """---
tool: true
name: find
description: d
type: chain
parameters:
  - {name: tag, type: string, description: d}
---

```yaml
steps:
  - name: "search_files"
    parameters:
      query: "{{tag}} AND -template"
      path: "/notes"
```
"""


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Vault]:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("PAPER_LANGUAGE", "en")
    files = {
        "tools/transform_data.md": SECTION_5,
        "tools/backup.md": SECTION_7,
        "tools/find.md": SECTION_4,
        "notes/a.md": "About #projekt",
        "notes/template.md": "A template for #projekt",
        "notes-old/b.md": "Old #projekt",
    }
    for path, text in files.items():
        (tmp_path / "vault" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "vault" / path).write_text(text, encoding="utf-8")
    with paperagents.open_vault(tmp_path / "vault") as opened:
        yield opened


def test_section_4_a_predefined_tool_searches_one_folder(vault: Vault) -> None:
    data = vault.run("find", {"tag": "#projekt"}).data
    assert isinstance(data, dict)
    assert isinstance(data["results"], list)
    assert [each["path"] for each in data["results"] if isinstance(each, dict)] == ["notes/a.md"]
    assert data["count"] == 1


def test_section_5_a_custom_function_transforms_its_input(vault: Vault) -> None:
    assert vault.run("transform_data", {"input_data": ["a", "b", "c"]}).data == {"transformed": ["A", "B", "C"]}


def test_section_7_the_chain_writes_a_backup_after_approval(vault: Vault) -> None:
    waiting = vault.run("backup", {"tag": "#projekt"})
    assert waiting.status == "waiting"
    assert not (vault.root / "backups").exists()
    record = vault.answer(vault.history.questions()[0].id, Approved())
    assert record.error is None
    (written,) = (vault.root / "backups").iterdir()
    assert written.name == f"{vault.services.clock()['date']}.md"
    assert sorted(written.read_text(encoding="utf-8").strip("[]").split(", ")) == ['"NOTES-OLD/B.MD"', '"NOTES/A.MD"']
    assert isinstance(record.data, dict)
    assert record.data["created"] is True


def test_section_9_an_error_is_logged_with_step_name_status_and_message(vault: Vault) -> None:
    log = format_yaml_log(vault.run("backup", {"tag": '"'}))
    for field in ("step: 1", 'name: "search_files"', "status: ", "message: "):
        assert field in log
