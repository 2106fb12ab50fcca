"""Models to choose from: only what answers on this computer, read with suspicion, and no place but those named."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.servers import Web

from paperagents.agents.model import is_this_computer
from paperagents.agents.model_servers import (
    LOCAL_SERVERS,
    OfferedModel,
    ask_openrouter,
    find_local_servers,
    read_models,
)
from paperagents.errors import PaperError


def models(*names: str) -> tuple[int, str]:
    return 200, json.dumps({"data": [{"id": name} for name in names]})


def test_servers_that_answer_are_found_and_others_are_not(web: Web) -> None:
    web.answers["/v1/models"] = models("qwen3", "gemma3")
    nowhere = "http://127.0.0.1:1/v1"
    (found,) = find_local_servers({"Ollama": f"{web.url('')}/v1", "vLLM": nowhere})
    assert (found.name, [each.id for each in found.models]) == ("Ollama", ["gemma3", "qwen3"])


def test_only_this_computer_is_looked_at() -> None:
    assert all(is_this_computer(base_url) for base_url in LOCAL_SERVERS.values())


@pytest.mark.parametrize(
    "answer", [(401, "{}"), (200, "hello"), (200, '{"data": []}'), (200, '{"data": "no"}'), (500, "")]
)
def test_who_answers_something_else_is_no_model_server(web: Web, answer: tuple[int, str]) -> None:
    web.answers["/v1/models"] = answer
    assert find_local_servers({"Ollama": f"{web.url('')}/v1"}) == []


def test_nobody_is_followed_elsewhere(web: Web) -> None:
    web.answers["/v1/models"] = lambda exchange: exchange.reply(302, "", {"Location": f"{web.url('')}/other"})
    web.answers["/other"] = models("elsewhere")
    assert find_local_servers({"Ollama": f"{web.url('')}/v1"}) == []
    assert [each.path for each in web.requests] == ["/v1/models"]


def test_openrouter_has_the_models_that_can_call_tools_with_their_prices(web: Web) -> None:
    listed = [
        {"id": "a/one", "context_length": 200_000, "supported_parameters": ["tools"],
         "pricing": {"prompt": "0.000003", "completion": "0.000015"}},
        {"id": "b/draws", "supported_parameters": ["seed"]},
    ]  # fmt: skip
    web.answers["/api/v1/models"] = (200, json.dumps({"data": listed}))
    found = ask_openrouter(f"{web.url('')}/api/v1", allowed_hosts=(f"127.0.0.1:{web.port}",))
    prices = (Decimal("3.000000"), Decimal("15.000000"))
    assert found.models == (OfferedModel(id="a/one", context=200_000, prices=prices),)


def test_an_openrouter_that_does_not_answer_is_an_error() -> None:
    with pytest.raises(PaperError):
        ask_openrouter("http://127.0.0.1:1/api/v1", allowed_hosts=("127.0.0.1:1",))


@pytest.mark.parametrize("name", ["", "x" * 201, "a\u202eb", "a\nb", None, 3])
def test_a_name_that_could_deceive_is_left_out(name: object) -> None:
    assert read_models({"data": [{"id": name}, {"id": "fine"}]}) == (OfferedModel(id="fine"),)  # type: ignore[dict-item]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["data", "id", "pricing", "prompt", "completion", "context_length", "x"]), inner, max_size=4
        )
    ),
    max_leaves=20,
)


@given(JSON, JSON)
def test_no_answer_is_too_odd_to_read(answer: object, listed: object) -> None:
    read_models(answer)  # type: ignore[arg-type]
    read_models({"data": [listed, {"id": "a", "pricing": listed, "context_length": listed}]})  # type: ignore[dict-item,list-item]
