"""The runnable examples of the tool definition syntax, as they are written there."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from tests.servers import Exchange, serve_web

import paperagents
from paperagents.messages import in_language
from paperagents.vault import Vault

SECTION_6A = """---
tool: true
name: "beispieltool"
type: "single"
parameters:
  - name: "url"
    type: "string"
    required: true
---

#### **Pre-Processing**
```javascript
// @preprocess
input.url += "/search?q=" + input.query;
return input;
```

#### **Tool-Ausführung**
```yaml
tool: "web_search"
parameters:
  url: "input.url"
  method: "GET"
```

#### **Post-Processing**
```javascript
// @postprocess
return output.results.slice(0, 5);
```
"""

SECTION_6B = """---
tool: true
name: "chain_beispiel"
type: "chain"
parameters:
  - name: "query"
    type: "string"
---

#### **Pre-Processing**
```javascript
// @preprocess
return { query: input.query.trim() };
```

#### **Steps**
```yaml
steps:
  - name: "web_search"
    parameters:
      url: "https://api.example.com?q={{preprocess.query}}"
    post_processing: |
      // @postprocess
      return output.filter(item => item.score > 0.5);

  - name: "save_results"
    parameters:
      data: "prev_step.output"
```
"""

SAVE_RESULTS = """---
tool: true
name: save_results
description: Keeps results.
parameters:
  - {name: data, type: array, description: What was found.}
custom_function: 'return {saved: input.data.length, data: input.data};'
---
"""

SECTION_2 = """---
tool: true
name: "upper"
description: d
type: "single"
parameters:
  - name: "url"
    type: "string"
    description: "Basis-URL für die Suche"
    required: true
---

```javascript
// @preprocess
input.url = input.url + "/path";
return input;
```

```yaml
tool: "web_search"
parameters:
  url: "input.url"  # Dynamische Referenz
  method: "GET"     # Statischer Wert
```

```javascript
// @postprocess
return output.map(item => item.toUpperCase());
```
"""


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Vault]:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("PAPER_ALLOWED_HOSTS", "127.0.0.1")
    monkeypatch.setenv("PAPER_LANGUAGE", "de")
    root = tmp_path / "vault"
    root.mkdir()
    texts = {"beispieltool": SECTION_6A, "chain_beispiel": SECTION_6B, "save_results": SAVE_RESULTS, "upper": SECTION_2}
    for name, text in texts.items():
        (root / f"{name}.md").write_text(text, encoding="utf-8")
    with paperagents.open_vault(root) as opened:
        yield opened


@pytest.fixture
def server() -> Iterator[str]:
    """A server that answers a search with what was searched for."""

    def search(exchange: Exchange) -> None:
        address = urlsplit(exchange.path)
        query = parse_qs(address.query).get("q", [""])[0]
        answers = {"/path": ["a", "b"], "/scored": [{"score": 0.9, "q": query}, {"score": 0.5}, {"score": 0.1}]}
        found = {"results": [f"{query} {number}" for number in range(9)]}
        exchange.reply(200, json.dumps(answers.get(address.path, found)))

    with serve_web() as web:
        web.otherwise = search
        yield web.url("")


def test_section_2_the_blocks_run_in_their_order(vault: Vault, server: str) -> None:
    assert vault.run("upper", {"url": server}).data == ["A", "B"]


def test_section_5_a_missing_parameter_is_told_in_the_words_of_the_document(vault: Vault) -> None:
    with in_language("de"):
        record = vault.run("beispieltool", {"query": "x"})
    assert record.error is not None
    assert record.error["message"] == "Parameter 'url' ist Pflichtfeld"
    assert (record.execution_log[0]["block"], record.execution_log[0]["message"]) == ("tool", record.error["message"])


def test_section_6a_a_single_tool_searches_the_web(vault: Vault, server: str) -> None:
    record = vault.run("beispieltool", {"url": server, "query": "wort"})
    assert record.error is None
    assert record.data == [f"wort {number}" for number in range(5)]
    assert [entry["block"] for entry in record.execution_log] == ["preprocess", "tool", "postprocess"]


def test_section_6b_a_chain_of_two_tools_with_the_answer_of_the_service_made_up(vault: Vault) -> None:
    file = vault.root / "chain_beispiel.md"
    example = (
        'examples:\n  - input: {query: "  wort "}\n    output: {saved: 1, data: [{score: 0.9}]}\n'
        "    responses: {web_search: [{score: 0.9}, {score: 0.5}, {score: 0.1}]}\n---\n\n####"
    )
    file.write_text(SECTION_6B.replace("---\n\n####", example, 1), encoding="utf-8")
    vault.registry.refresh()
    (result,) = vault.test("chain_beispiel")
    assert result.difference is None


def test_section_6b_the_chain_runs_against_a_service(vault: Vault, server: str) -> None:
    file = vault.root / "chain_beispiel.md"
    file.write_text(SECTION_6B.replace("https://api.example.com", f"{server}/scored"), encoding="utf-8")
    record = vault.run("chain_beispiel", {"query": "  wort "})
    assert record.data == {"saved": 1, "data": [{"score": 0.9, "q": "wort"}]}
    assert record.execution_log[1]["parameters"] == {"url": f"{server}/scored?q=wort", "method": "GET"}
