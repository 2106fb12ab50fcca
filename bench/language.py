"""How long a person waits in the editor: diagnostics after a keystroke, and completion, over the protocol.

The vault has 1,000 tools among 10,000 notes; the server is a process of its own, as an editor starts it.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.lsp.client import LanguageClient

from table import Row

TOOLS = 1_000
NOTES = 10_000
KEYSTROKES = 200
NOTE = "---\ntags: [a, b]\n---\n# Note {n}\n\n" + "some words of a note, and a [[link]]\n" * 20
TOOL = """\
---
tool: true
id: tool-{n}
name: Tool {n}
description: Number {n}.
parameters:
  - name: query
    type: string
    description: What to look for.
{rest}"""
SINGLE = """\
custom_function: |
  const words = input.query.split(" ");
  return { words, count: words.length };
---
"""
CHAIN = """\
steps:
  - name: find
    tool: search_files
    parameters:
      query: "{{query}}"
  - tool: tool-OTHER
    parameters:
      query: "{{find.output.results[0].path}}"
---

```javascript
// @postprocess
return { output, asked: input.query, found: context.steps.find };
```
"""


def make_vault(root: Path) -> None:
    """A vault of tools among notes."""
    (root / ".paper").mkdir(parents=True)
    for number in range(NOTES):
        folder = root / "notes" / f"{number % 100:02}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"note-{number}.md").write_text(NOTE.format(n=number))
    for number in range(TOOLS):
        folder = root / "tools" / f"{number % 20:02}"
        folder.mkdir(parents=True, exist_ok=True)
        rest = CHAIN.replace("OTHER", str(number - 1)) if number % 2 else SINGLE
        (folder / f"tool-{number}.md").write_text(TOOL.format(n=number, rest=rest))


def measure() -> Iterator[Row]:
    """Both, in one session."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "vault"
        make_vault(root)
        diagnostics, completions = asyncio.run(asyncio.wait_for(type_in_editor(root), 600))
    for name, times, bar in (("diagnostics after a keystroke", diagnostics, 100), ("completion", completions, 50)):
        slow = sorted(times)[int(len(times) * 0.95)] * 1000
        middle = sorted(times)[len(times) // 2] * 1000
        yield Row(
            bench="language",
            measure=f"{name}, {TOOLS:,} tools among {NOTES:,} notes",
            ours=f"{slow:.0f} ms p95, {middle:.0f} ms median of {len(times)}",
            bar=f"≤ {bar} ms p95",
            met=slow <= bar,
        )


async def type_in_editor(root: Path) -> tuple[list[float], list[float]]:
    """Type a reference letter by letter, again and again; the seconds until diagnostics and completions came."""
    client: Any = LanguageClient("bench", "1")
    published = asyncio.Event()

    def arrived(_: Any) -> None:
        published.set()

    client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(arrived)
    await client.start_io(sys.executable, "-m", "paperagents", "lsp", env={**os.environ})
    await client.initialize_async(
        types.InitializeParams(capabilities=types.ClientCapabilities(), root_uri=root.as_uri())
    )
    client.initialized(types.InitializedParams())
    file = root / "tools" / "01" / "tool-501.md"
    uri, text = file.as_uri(), file.read_text()
    item = types.TextDocumentItem(uri=uri, language_id="markdown", version=0, text=text)
    client.text_document_did_open(types.DidOpenTextDocumentParams(text_document=item))
    await published.wait()
    diagnostics, completions = [], []
    for number in range(KEYSTROKES):
        # Every second keystroke makes the file wrong, so that each changes what must be told.
        changed = text.replace("results[0].path", "results[0].pat" if number % 2 == 0 else "results[0].path")
        published.clear()
        before = time.perf_counter()
        change(client, uri, number + 1, changed)
        await published.wait()
        diagnostics.append(time.perf_counter() - before)
        completions.append(await complete(client, uri, changed, number))
    await client.shutdown_async(None)
    client.exit(None)
    await client.stop()
    return diagnostics, completions


async def complete(client: Any, uri: str, text: str, number: int) -> float:
    """One more letter, and what can follow it."""
    words = ("{{find.output.", "tool: tool-", "input.", "steps:\n  - na")[number % 4]
    end = text.index(words) + len(words)
    line, column = text.count("\n", 0, end), end - text.rfind("\n", 0, end) - 1
    before = time.perf_counter()
    found = await client.text_document_completion_async(
        types.CompletionParams(types.TextDocumentIdentifier(uri), types.Position(line, column))
    )
    taken = time.perf_counter() - before
    assert isinstance(found, types.CompletionList)
    assert found.items, words
    return taken


def change(client: Any, uri: str, version: int, text: str) -> None:
    """The text as it is now."""
    document = types.VersionedTextDocumentIdentifier(uri=uri, version=version)
    whole = types.TextDocumentContentChangeWholeDocument(text=text)
    client.text_document_did_change(types.DidChangeTextDocumentParams(document, [whole]))


if __name__ == "__main__":
    from recording import record

    sys.exit(0 if record("language", measure) else 1)
