"""Writes every public name with its signature to tests/public_names.txt; a test tells when the file is out of date.

What stands there is what users may rely on (docs/policy.md). A line that goes or changes is a change of the interface:
renew the file with ``just names``, and write a fragment in changes/ that says what users have to do.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import MISSING, fields, is_dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

FILE = Path(__file__).parents[1] / "tests" / "public_names.txt"
MODULES = ("paperagents", "paperagents.tags", "paperagents.testing")


def describe_modules() -> str:
    """All public names, one a line, sorted within each module."""
    return "".join(f"{line}\n" for name in MODULES for line in describe_module(name))


def describe_module(name: str) -> Iterator[str]:
    """Every name of ``__all__``, which must be there."""
    module = import_module(name)
    for public in sorted(module.__all__):
        yield from describe(f"{name}.{public}", getattr(module, public))


def describe(name: str, value: Any) -> Iterator[str]:
    """A class with its members, a function with its signature, the type of anything else."""
    if inspect.isclass(value):
        yield f"class {name}{_signature(value)}"
        for member, found in sorted(_members(value).items()):
            if isinstance(found, property) and found.fget:
                yield f"    {member}: {inspect.signature(found.fget).return_annotation!r}"
            else:
                yield f"    {member}{_signature(inspect.unwrap(found))}"
    elif callable(value):
        yield f"{name}{_signature(value)}"
    else:
        yield f"{name}: {type(value).__name__}"


def _members(owner: type) -> dict[str, Any]:
    """Public methods and properties, also those of base classes of this package."""
    ours = [base for base in reversed(owner.__mro__) if base.__module__.startswith("paperagents")]
    found = {name: value for base in ours for name, value in vars(base).items() if not name.startswith("_")}
    plain = {name: getattr(value, "__func__", value) for name, value in found.items()}
    return {name: value for name, value in plain.items() if callable(value) or isinstance(value, property)}


def _signature(value: Any) -> str:
    # An exception's constructor that is inherited from Python has none.
    try:
        signature = _fields_of(value) if inspect.isclass(value) and is_dataclass(value) else inspect.signature(value)
    except ValueError:
        return ""
    return str(signature.replace(parameters=[_with_plain_default(each) for each in signature.parameters.values()]))


def _fields_of(value: type[Any]) -> inspect.Signature:
    """The fields of a value: its constructor is made only when it is first used."""
    return inspect.Signature([
        inspect.Parameter(
            each.name,
            inspect.Parameter.KEYWORD_ONLY,
            annotation=each.type,
            default=(
                inspect.Parameter.empty
                if each.default is MISSING and each.default_factory is MISSING
                else None
                if each.default is None
                else each.default
                if isinstance(each.default, str | int | float)
                else ...
            ),
        )
        for each in fields(value)
        if each.init
    ])  # fmt: skip


def _with_plain_default(parameter: inspect.Parameter) -> inspect.Parameter:
    """Functions and long values look different with each run, or say too much."""
    if parameter.default in (parameter.empty, None) or isinstance(parameter.default, str | int | float):
        return parameter
    return parameter.replace(default=...)


if __name__ == "__main__":
    FILE.write_text(describe_modules(), encoding="utf-8")
