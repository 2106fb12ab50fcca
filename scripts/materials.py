"""Lists what the package stands on: a CycloneDX bill of materials and the licences, made from the locked requirements.

    .venv/bin/python scripts/materials.py          writes dist/materials.cdx.json and dist/LICENCES.md

Names, versions and hashes come from requirements/run.txt, licences from the libraries as they are installed here. A
library without a known licence is an error.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "src"))

from paperagents.version import __version__  # noqa: E402  from this checkout, not from an installation

LOCKED = re.compile(r"^(?P<name>[\w.-]+)==(?P<version>[^\s;\\]+)(?P<rest>(?:[^\n]*\\\n)*[^\n]*)$", re.MULTILINE)
CLASSIFIED = {
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD-3-Clause",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
}
TELLING = {"Permission is hereby granted, free of charge": "MIT", "Apache License": "Apache-2.0"}
SPELT = {"MIT License": "MIT", "Apache 2.0": "Apache-2.0", "BSD": "BSD-3-Clause", "Apache License 2.0": "Apache-2.0"}


@dataclass(frozen=True, kw_only=True)
class Library:
    """A library the package stands on."""

    name: str
    version: str
    hashes: tuple[str, ...]
    licence: str | None
    """None where it is not installed here: it is for another system."""


def main() -> int:
    """Write both lists."""
    libraries = list(locked_libraries(ROOT / "requirements" / "run.txt"))
    unknown = [library.name for library in libraries if library.licence == ""]
    if unknown:
        sys.stderr.write(f"no licence is known of: {', '.join(unknown)}\n")
        return 1
    folder = ROOT / "dist"
    folder.mkdir(exist_ok=True)
    bill = json.dumps(bill_of_materials(libraries), indent=2, sort_keys=True)
    (folder / "materials.cdx.json").write_text(f"{bill}\n", encoding="utf-8")
    (folder / "LICENCES.md").write_text(licence_list(libraries), encoding="utf-8")
    return 0


def locked_libraries(requirements: Path) -> Iterator[Library]:
    """Every library of a locked file of requirements."""
    for match in LOCKED.finditer(requirements.read_text(encoding="utf-8")):
        hashes = tuple(sorted(re.findall(r"--hash=sha256:([0-9a-f]{64})", match["rest"])))
        yield Library(name=match["name"], version=match["version"], hashes=hashes, licence=_licence(match["name"]))


def bill_of_materials(libraries: list[Library]) -> dict[str, Any]:
    """CycloneDX 1.6, the same for the same requirements."""
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "name": "paperagents",
                "version": __version__,
                "licenses": _licences("MIT"),
            }
        },
        "components": [_component(library) for library in libraries],
    }


def licence_list(libraries: list[Library]) -> str:
    """A table for people."""
    rows = [f"| {each.name} | {each.version} | {each.licence or 'not for this system'} |" for each in libraries]
    head = "# Licences\n\nWhat Paper Agents (MIT) stands on.\n\n| library | version | licence |\n| --- | --- | --- |\n"
    return head + "\n".join(rows) + "\n"


def _component(library: Library) -> dict[str, Any]:
    purl = f"pkg:pypi/{library.name}@{library.version}"
    found: dict[str, Any] = {
        "type": "library",
        "name": library.name,
        "version": library.version,
        "purl": purl,
        "bom-ref": purl,
    }
    if library.licence:
        found["licenses"] = _licences(library.licence)
    # One hash for each file that is offered: which one an installation takes depends on the system.
    found["properties"] = [{"name": "paperagents:sha256", "value": digest} for digest in library.hashes]
    return found


def _licences(expression: str) -> list[dict[str, Any]]:
    return [{"expression": expression}]


def _licence(name: str) -> str | None:
    """What a library says its licence is: as an expression, as a classifier, in words, or by the text itself."""
    try:
        library = metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return None
    told = library.metadata.json
    if expression := told.get("license_expression"):
        return str(expression)
    for classifier in told.get("classifier", []):
        if classifier.startswith("License ::") and (found := CLASSIFIED.get(classifier.rsplit(" :: ", 1)[-1])):
            return found
    words = str(told.get("license", "")).strip()
    return SPELT.get(words) or (words if "\n" not in words and len(words) < 40 else "") or _by_text(library)


def _by_text(library: metadata.Distribution) -> str:
    """The licence whose telling words stand in a licence file of the library; empty where none do."""
    files = [file for file in library.files or [] if "licen" in file.name.lower()]
    texts = " ".join(file.read_text(encoding="utf-8") for file in files if file.suffix != ".py")
    return next((licence for words, licence in TELLING.items() if words in texts), "")


if __name__ == "__main__":
    sys.exit(main())
