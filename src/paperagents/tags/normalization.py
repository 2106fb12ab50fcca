"""Brings the values of attributes, which are all text, to the types they stand for."""

from __future__ import annotations

import hashlib
import json
import math
import re
import unicodedata
from typing import Any

from paperagents.definitions.tag import AttributeSchema
from paperagents.definitions.text import lossless_bytes
from paperagents.tags.registry import TASK_STATUSES, VAULT_TYPES

VALID_IDENTIFIER = re.compile(r"[A-Za-z0-9_-]{1,200}")
NUMBER = re.compile(r"[+-]?(?:\d{1,300}(?:\.\d{0,300})?|\.\d{1,300})(?:[eE][+-]?\d{1,4})?", re.ASCII)
YES = frozenset({"true", "yes", "on", "1"})
NO = frozenset({"false", "no", "off", "0", "", "none", "null"})
GERMAN = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})


class ConversionError(ValueError):
    """The value does not stand for one of the wanted type; nothing is guessed."""


def is_valid_identifier(identifier: object) -> bool:
    """Whether this can name an entry: letters, digits, ``_`` and ``-``, at most 200 of them."""
    return isinstance(identifier, str) and VALID_IDENTIFIER.fullmatch(identifier) is not None


def normalize_vault_type(value: object) -> str:
    """``text``, ``code`` or ``data``, in any case of letters; anything else is text."""
    return find_word(value, VAULT_TYPES) or "text"


def normalize_task_status(value: object) -> str:
    """``pending``, ``ongoing``, ``finished`` or ``paused``, in any case; anything else is pending."""
    return find_word(value, TASK_STATUSES) or "pending"


def identifier_from(text: str) -> str:
    """A slug that is a valid identifier. Text in other letters than Latin ones gets a name of its own."""
    plain = unicodedata.normalize("NFKD", text[:1000].lower().translate(GERMAN))
    slug = re.sub(r"[^a-z0-9_]+", "-", plain.encode("ascii", "ignore").decode()).strip("-")[:200].strip("-")
    if slug and not any(sign.isalpha() and not sign.isascii() for sign in plain):
        return slug
    # What is left of 第1步 and 第2天 is a digit at most, and two headings must not become one entry.
    digest = hashlib.sha256(lossless_bytes(text)).hexdigest()[:12]
    return f"{slug[:180].strip('-') or 'entry'}-{digest}"


def convert(value: object, schema: AttributeSchema, key: str) -> Any:
    """The value as the type that its schema declares. Raises ConversionError."""
    match schema.type:
        case "number" | "integer":
            return to_number(value, schema)
        case "flag" | "boolean":
            return to_flag(value, key)
        case "enum":
            word = find_word(value, schema.values)
            if word is None:
                raise ConversionError
            return word
        case "object" | "array":
            return to_json(value, dict if schema.type == "object" else list)
        case "any":
            return value
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ConversionError
    return str(value)


def to_number(value: object, schema: AttributeSchema) -> int | float | str:
    """A number, or a word that the schema allows in its place."""
    if word := find_word(value, schema.values):
        return word
    text = str(value).strip()
    if isinstance(value, bool) or not NUMBER.fullmatch(text):
        raise ConversionError
    number = float(text)
    if not math.isfinite(number) or (schema.type == "integer" and not number.is_integer()):
        raise ConversionError
    return int(text) if re.fullmatch(r"[+-]?\d+", text) else int(number) if schema.type == "integer" else number


def to_flag(value: object, key: str) -> bool:
    """True or false; a flag may have its own name as its value."""
    if isinstance(value, bool):
        return value
    word = str(value).strip().lower()
    if word in YES or word == key.lower():
        return True
    if word in NO:
        return False
    raise ConversionError


def to_json(value: object, kind: type) -> Any:
    """An object or an array."""
    try:
        parsed = json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        raise ConversionError from None
    if not isinstance(parsed, kind):
        raise ConversionError
    return parsed


def find_word(value: object, words: tuple[str, ...]) -> str | None:
    """The word that a value is, in any case of letters, or None."""
    wanted = value.strip().lower() if isinstance(value, str) else None
    return next((word for word in words if word.lower() == wanted), None)
