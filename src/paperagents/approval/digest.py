"""A digest that is the same for the same value and different for any other."""

from __future__ import annotations

import json
from hashlib import sha256

from paperagents.definitions.json_value import JsonValue


def digest_of(value: JsonValue) -> str:
    """SHA-256 of the value as canonical JSON: sorted keys, no blanks."""
    canonical = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    return sha256(canonical.encode("ascii")).hexdigest()
