"""What Markdown shows as code is no call."""

from __future__ import annotations

import pytest

from paperagents.tags import extract_tool_operations


@pytest.mark.parametrize(
    "text",
    [
        '`{{<memory identifier="a" />}}`',
        '``a ` {{<memory identifier="a" />}}``',
        "`a\n{{<memory />}}\nb`",
        "```\n{{<memory />}}\n```",
        "```js\n{{<memory />}}\n```\n",
        "~~~\n{{<memory />}}\n```\n~~~",
        "````\n```\n{{<memory />}}\n```\n````",
        "  ```\n{{<memory />}}\n   ```",
        "- a\n\n  ```\n  {{<memory />}}\n  ```",
        "- ```\n  {{<memory />}}\n  ```",
        "1. ```\n   {{<memory />}}\n   ```",
        "> ```\n> {{<memory />}}\n> ```",
        "> > ```\n> > {{<memory />}}",
        "```\r\n{{<memory />}}\r\n```\r\n",
        "```\n{{<memory />}}",
        "``` {{<memory />}}\n```",
        "``` {{<memory />}} ```",
        "```\n{{<memory />}}\n    ```\n{{<memory />}}\n```",
        "```md\n> ```\n{{<memory />}}\n```\n",
        "> ```\n> > ```\n> {{<memory />}}\n> ```\n",
        "# The ` key\n`{{<memory />}}` is how",
        "> - ## The ` key\n> `{{<memory />}}` is how",
        "# `a` and {{<vaultref />}} and ` key\n`{{<memory />}}` is how",
        "Press `\n> `{{<memory />}}` here",
        "> Press `a\n> {{<memory />}}` here",
        "#No heading ` a\n{{<memory />}} `",
    ],
)
def test_a_tag_in_code_is_text(text: str) -> None:
    assert extract_tool_operations(text, "memory") == []


@pytest.mark.parametrize(
    "text",
    [
        "a ` b {{<memory />}}",
        "` a\n\n{{<memory />}} `",
        "a `` b ` {{<memory />}}",
        r"\`{{<memory />}}`",
        r"`a\`{{<memory />}}",
        "`a` {{<memory />}} `b`",
        "- `a\n- {{<memory />}} `",
        "`a\n# b {{<memory />}} `",
        "`a\n---\n{{<memory />}} `",
        "```\na\n```\n{{<memory />}}",
        "~~~\na\n~~~~\n{{<memory />}}",
        "> ```\n> a\n{{<memory />}}",
        "a ~~~ b {{<memory />}}",
        "x ```\n{{<memory />}}",
        "{{<final_output>}}```\na\n```{{</final_output>}}{{<memory />}}",
        "{{<final_output>}}\n```\na\n```{{</final_output>}}{{<memory />}}",
        "# The ` key\n{{<memory />}} and a ` sign",
        "Press `\n> {{<memory />}} and ` here",
        "> ```\n> a\n> ```\n{{<memory />}}",
    ],
)
def test_a_tag_outside_of_code_is_a_call(text: str) -> None:
    assert len(extract_tool_operations(text, "memory")) == 1
