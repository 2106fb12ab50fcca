"""The bench of the first two commands types what the README says and hands on no more than it must."""

from __future__ import annotations

import install


def test_the_commands_are_those_of_the_readme() -> None:
    first, second = install.readme_commands()
    assert first == "./paper init my-vault"
    assert second.startswith("./paper --vault my-vault run ")


def test_nothing_but_the_path_and_the_way_to_the_index_is_handed_on() -> None:
    given = {
        "PATH": "/bin",
        "PIP_CERT": "c",
        "https_proxy": "p",
        "HOME": "/home/me",
        "PYTHONPATH": "x",
        "PAPER_VAULT": "v",
    }
    assert set(install.handed_on(given)) == {"PATH", "PIP_CERT", "https_proxy"}
