from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from paperagents.interfaces.command_line.app import PaperGroup
from paperagents.interfaces.command_line.options import Invocation

DEPLOY = Path(__file__).parent.parent / "deploy"
SERVICES: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))["services"]


@pytest.mark.parametrize("name", [name for name, service in SERVICES.items() if "build" in service])
def test_what_the_compose_file_starts_is_a_command_with_options_it_knows(name: str) -> None:
    command, *options = SERVICES[name]["command"]
    paper = click.Context(PaperGroup(), obj=Invocation())
    found = PaperGroup().get_command(paper, command)
    assert found is not None
    found.make_context(command, options, parent=paper)


def test_the_image_is_made_from_files_that_are_there() -> None:
    lines = (DEPLOY / "Dockerfile").read_text(encoding="utf-8").splitlines()
    copied = [source for line in lines if line.startswith("COPY") for source in line.split()[1:-1]]
    assert all((DEPLOY.parent / source).exists() for source in copied)
