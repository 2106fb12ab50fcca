"""The tools of the documents as files, put together from what is printed there.

Where a document prints a part of a file only, the rest has the fewest fields that this very document knows.
"""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path
from textwrap import indent

from .reader import take_fence

PARAMETER = 'parameters:\n  - name: "{name}"\n    type: "{type}"\n'
API_EXAMPLE = "https://api.example.com"
"""The service of 000's chain, which does not exist."""


def beispieltool() -> str:
    """000 section 6A: a whole file."""
    return take_fence("000", "A. Single Tool mit `web_search`", "markdown")


def chain_beispiel() -> str:
    """000 section 6B: a whole file."""
    return take_fence("000", "B. Chain mit zwei Tools", "markdown")


def rules_in_detail() -> str:
    """000 section 2: its four pieces in one file; the template's angle brackets stand around the example."""
    preprocess = take_fence("000", "B. Pre-Processing-Block", "javascript")
    blocks = (
        ("javascript", re.sub(r"<(.+;)>", r"\1", preprocess)),
        ("yaml", take_fence("000", "C. Tool-Ausführungsblock", "yaml").replace("<tool_name>", "web_search")),
        ("javascript", take_fence("000", "D. Post-Processing-Block", "javascript")),
    )
    head = f'tool: true\nname: "regelwerk"\ntype: "single"\n{take_fence("000", "A. YAML-Frontmatter", "yaml")}'
    return f"---\n{head}---\n" + "".join(f"\n```{language}\n{text}```\n" for language, text in blocks)


def transform_data() -> str:
    """001 section 5's function under 001 section 3's fields."""
    function = take_fence("001", "5. Benutzerdefinierte Funktionen", "yaml")
    return _front("transform_data", "single", PARAMETER.format(name="input_data", type="array") + function)


def backup() -> str:
    """001 section 7's chain."""
    return _front(
        "backup", "chain", PARAMETER.format(name="tag", type="string") + take_fence("001", "7. Chains", "yaml")
    )


def find_notes() -> str:
    """001 section 4's example."""
    steps = take_fence("001", "4. Vordefinierte Tools", "yaml")
    return _front("find_notes", "chain", PARAMETER.format(name="tag", type="string") + steps)


def save_results() -> str:
    """The tool that 000 section 6B calls and does not print: the one of the example vault."""
    return (files("paperagents") / "example_vault" / "tools" / "save-results.md").read_text(encoding="utf-8")


def minimal_tool() -> str:
    """004's smallest tool: a whole file."""
    return take_fence("004", "最简工具示例", "javascript")


def interface_tool(*, dependencies: bool = False) -> str:
    """Every method of 004 in one file; it calls a ``processData`` that it does not print."""
    names = ["getMetadata()", "getSchema()", "execute(params)", "getBusinessErrors()", "init() / cleanup()"]
    methods = [take_fence("004", name, "javascript") for name in [*names, *["getDependencies()"] * dependencies]]
    methods = [text.replace("}\n\nasync cleanup", "},\n\nasync cleanup") for text in methods]
    methods.append("processData(text) {\n  return text;\n}\n")
    body = indent(",\n".join(each.rstrip() for each in methods), "  ")
    return f"module.exports = {{\n{body}\n}};\n"


def write_files(folder: Path) -> None:
    """A vault with the files of 000, 001 and 004."""
    texts = {
        "beispieltool.md": beispieltool(),
        "chain_beispiel.md": chain_beispiel(),
        "save_results.md": save_results(),
        "transform_data.md": transform_data(),
        "backup.md": backup(),
        "my-tool.tool.js": minimal_tool(),
        "tool-id.tool.js": interface_tool(),
        "notes/a.md": "About #projekt",
        "notes/template.md": "A template for #projekt",
    }
    for path, text in texts.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")


def _front(name: str, kind: str, rest: str) -> str:
    return f'---\ntool: true\nname: "{name}"\ntype: "{kind}"\n{rest}---\n'
