"""The REST API keeps what its own description promises, whatever it is sent."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from paperagents.interfaces.serving.callers import RIGHTS

from ..served import Served  # noqa: TID252  shared by the tests of two interfaces

EXAMPLES = os.environ.get("PAPER_TEST_EXAMPLES", "4")
NOT_CHECKED = (
    # What a tool refuses for reasons of its own is no violation: the description cannot know every tool.
    "positive_data_acceptance"
)


@pytest.mark.contract
def test_random_requests_find_no_server_error_and_no_answer_that_was_not_promised(
    served: Served, tmp_path: Path
) -> None:
    program = Path(sys.executable).with_name("schemathesis")
    token = served.new_token(*RIGHTS)
    answer = subprocess.run(
        [program, "run", f"{served.url}/api/openapi.json", "--header", f"Authorization: Bearer {token}",
         # A stream without an end is tried elsewhere.
         "--exclude-path", "/api/events", "--exclude-checks", NOT_CHECKED, "--max-examples", EXAMPLES,
         "--suppress-health-check", "all", "--continue-on-failure", "--request-timeout", "20", "--warnings", "off",
         "--no-color", "--seed", "7"],
        cwd=tmp_path, capture_output=True, text=True, check=False, timeout=500,
    )  # fmt: skip
    assert answer.returncode == 0, answer.stdout[-8000:]


def test_the_description_is_openapi_3_1_and_names_every_route(served: Served) -> None:
    with served.client() as client:
        described = client.get("/api/openapi.json").json()
    assert described["openapi"].startswith("3.1")
    assert {"/api/runs", "/api/approvals/{approval_id}/approve", "/api/tools/{tool}", "/api/events"} <= set(
        described["paths"]
    )
    assert described["components"]["securitySchemes"]["token"]["scheme"] == "bearer"
    # Every operation says what it is for, how to come in, and what its errors look like.
    for path, operations in described["paths"].items():
        for operation in operations.values():
            assert operation["summary"]
            # A device that is paired has no token yet.
            assert operation.get("security", []) == ([] if path == "/api/pair" else [{"token": []}])
            assert "application/problem+json" in operation["responses"]["4XX"]["content"]


def test_the_description_is_also_where_most_people_look_for_it(served: Served) -> None:
    with served.client() as client:
        answer = client.get("/openapi.json", follow_redirects=True)
    assert answer.url.path == "/api/openapi.json"
    assert answer.json()["info"]["title"] == "Paper Agents"
