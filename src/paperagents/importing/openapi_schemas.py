"""Schemas of OpenAPI become JSON Schema 2020-12 without references: exactly, or looser where they have no end.

What is looser must never refuse what the service takes. Most keywords only become more generous when a part of them
does; ``oneOf``, ``not``, ``if`` and the ``unevaluated`` ones do not, and are loosened themselves.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from paperagents.calls.conversion import is_json
from paperagents.importing.openapi_document import Document, mapping, sequence
from paperagents.reading.json_schema import find_schema_mistakes

LARGEST = 4_000
"""Values in the schema of one argument; a person has to read them."""
DEPTHS = (16, 8, 5, 3, 2, 1)
"""How deep a schema is written out; where that is too large, less deep."""
MOST_ROUNDS = 3
"""How often a schema that contains itself is written out."""
LONGEST_TEXT = 2_000
LARGEST_EXAMPLE = 500
ANNOTATIONS = ("title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly")
_ONE = (
    "items", "additionalProperties", "contains", "propertyNames", "not", "if", "then", "else", "unevaluatedItems",
    "unevaluatedProperties",
)  # fmt: skip
_SEVERAL = ("allOf", "anyOf", "oneOf", "prefixItems")
_NAMED = ("properties", "patternProperties", "dependentSchemas")
_KEPT = (
    "type", "enum", "const", "multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength",
    "maxLength", "pattern", "format", "minItems", "maxItems", "uniqueItems", "minContains", "maxContains", "required",
    "minProperties", "maxProperties", "dependentRequired", "contentEncoding", "contentMediaType", *ANNOTATIONS,
)  # fmt: skip
_CLOSING = ("additionalProperties", "patternProperties")
_TIED = ({"properties", *_CLOSING}, {"items", "prefixItems"}, {"if", "then", "else"},
         {"contains", "minContains", "maxContains"})  # fmt: skip
"""Keywords that speak of one another: two of them from different schemas cannot stand side by side."""

Schema = dict[str, Any]
Loss = tuple[str, str]
"""What could not be carried over: the key of its sentence, and what it was."""


def translate_schema(document: Document, schema: Any, *, keep_defaults: bool = True) -> tuple[Schema, list[Loss]]:
    """The schema as a note can have it, and what of it was lost."""
    for deepest in DEPTHS:
        translation = _Translation(document, deepest, keep_defaults=keep_defaults)
        try:
            found = translation.schema(schema, 0, ())
        except _TooLargeError:
            continue
        pruned = list(prune_mistakes(found))
        return found, list(dict.fromkeys([*translation.losses, *pruned]))
    return {}, [("depth", "0")]


def prune_mistakes(schema: Schema) -> Iterator[Loss]:
    """Take away everything that JSON Schema does not allow."""
    for _ in range(50):
        mistakes = {mistake.path for mistake in find_schema_mistakes(json.dumps(schema))}
        if not mistakes:
            return
        for path in mistakes:
            yield "keyword", _remove(schema, path)
    schema.clear()


def _remove(schema: Schema, path: tuple[str | int, ...]) -> str:
    """Remove the keyword at a path; at the end of lists, the keyword that has the list."""
    holder, name = schema, ""
    value: Any = schema
    for segment in path:
        if isinstance(value, dict):
            holder, name = value, str(segment)
            value = value.get(name)
        elif isinstance(value, list) and isinstance(segment, int) and isinstance(value[segment], dict):
            value = value[segment]
        else:
            break
    if not name:
        # The library names no place; nothing of it can be relied on.
        schema.clear()
    else:
        holder.pop(name, None)
    return name or "$ref"


class _TooLargeError(Exception):
    """Written out to this depth, the schema would be too large."""


class _Translation:
    """One attempt to write a schema out to some depth."""

    def __init__(self, document: Document, deepest: int, *, keep_defaults: bool) -> None:
        self._document = document
        self._deepest = deepest
        self._keep_defaults = keep_defaults
        self._size = 0
        self._cuts = 0
        """How often something became looser than the document has it."""
        self.losses: list[Loss] = []

    def schema(self, value: Any, depth: int, within: tuple[str, ...]) -> Schema:
        """One schema, with everything in it."""
        self._count(1)
        if isinstance(value, bool):
            return {} if value else {"not": {}}
        found = mapping(value)
        reference = found.get("$ref")
        if isinstance(reference, str):
            return self._referred(reference, {key: found[key] for key in found if key != "$ref"}, depth, within)
        if depth > self._deepest:
            return self._cut("depth", str(self._deepest), found)
        cuts = self._cuts
        result = {key: each for key in _KEPT if key in found and (each := self._keep(key, found[key])) is not None}
        if found.get("const", False) is None:
            result["const"] = None
        result |= dict(self._parts(found, depth, within))
        self._translate_keywords(found, result)
        if cuts != self._cuts:
            result = {key: result[key] for key in result if not key.startswith("unevaluated")}
        if not any(key.startswith("unevaluated") for key in result):
            # What stands here is said last: its words describe the whole.
            result = merge_schemas([*result.pop("allOf", []), result])
        return _allow_null(result) if found.get("nullable") is True else result

    def _translate_keywords(self, found: Mapping[str, Any], result: Schema) -> None:
        """What OpenAPI says in words of its own."""
        if isinstance(found.get("discriminator"), dict):
            self._discriminate(found["discriminator"], found, result)
        if self._document.is_old:
            _translate_bounds(result)
        if "example" in found and "examples" not in result and is_small(found["example"]):
            result["examples"] = [found["example"]]
        for keyword in sorted({"$dynamicRef", "$recursiveRef"} & set(found)):
            self._lose("keyword", keyword)

    def _parts(self, found: Mapping[str, Any], depth: int, within: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
        """The keywords that have schemas in them."""

        def inner(value: Any) -> Schema:
            return self.schema(value, depth + 1, within)

        for keyword in _ONE:
            if isinstance(found.get(keyword), dict | bool):
                cuts, part = self._cuts, found[keyword]
                translated: Any = part if isinstance(part, bool) else inner(part)
                if cuts == self._cuts or keyword not in ("not", "if", "then", "else"):
                    yield keyword, translated
        for keyword in _SEVERAL:
            if isinstance(found.get(keyword), list):
                cuts, parts = self._cuts, [inner(each) for each in found[keyword]]
                # Looser ways may both fit.
                is_loose = keyword == "oneOf" and cuts != self._cuts and "discriminator" not in found
                yield ("anyOf" if is_loose else keyword), parts
        for keyword in _NAMED:
            if isinstance(found.get(keyword), dict):
                yield keyword, self._named(found[keyword], inner)

    def _named(self, found: Mapping[str, Any], inner: Callable[[Any], Schema]) -> Schema:
        fine = {name: each for name, each in found.items() if len(name) <= 200 and isinstance(each, dict | bool)}
        if len(fine) < len(found):
            self._lose("keyword", "properties")
        return {name: inner(each) for name, each in fine.items()}

    def _referred(self, reference: str, beside: Schema, depth: int, within: tuple[str, ...]) -> Schema:
        """What a reference leads to, together with what stands beside it."""
        target = self._document.find(reference)
        if not isinstance(target, dict | bool):
            return self._cut("reference", reference, beside)
        if within.count(reference) >= MOST_ROUNDS or len(within) > 100:
            return self._cut("rounds", reference.rpartition("/")[2], mapping(target))
        found = self.schema(target, depth, (*within, reference))
        is_nullable = beside.pop("nullable", None) is True
        merged = merge_schemas([found, self.schema(beside, depth, within)]) if beside else found
        return _allow_null(merged) if is_nullable else merged

    def _cut(self, loss: str, what: str, found: Mapping[str, Any]) -> Schema:
        """As much as can be said without going on: less, so that nothing right is refused."""
        self._lose(loss, what)
        shallow = {
            key: each for key in ("type", "description") if (each := self._keep(key, found.get(key))) is not None
        }
        return _allow_null(shallow) if found.get("nullable") is True else shallow

    def _lose(self, loss: str, what: str) -> None:
        self._cuts += 1
        self.losses.append((loss, what[:100]))

    def _keep(self, keyword: str, value: Any) -> Any:
        """The value of a keyword; None where it is left out."""
        if not is_json(value, 20) or (keyword == "default" and not self._keep_defaults):
            return None
        if keyword in ("title", "description"):
            text = value.strip()[:LONGEST_TEXT] if isinstance(value, str) else None
            self._count(len(text or "") // 100)
            return text or None
        if keyword == "examples":
            return [each for each in sequence(value)[:3] if is_small(each)] or None
        self._count(len(value) if isinstance(value, list) else 1)
        return value

    def _count(self, values: int) -> None:
        self._size += values
        if self._size > LARGEST:
            raise _TooLargeError

    def _discriminate(self, discriminator: Mapping[str, Any], found: Mapping[str, Any], result: Schema) -> None:
        """Each way says which value of the property chooses it, as the mapping or the names of the schemas do."""
        name, chosen = discriminator.get("propertyName"), mapping(discriminator.get("mapping"))
        for keyword in ("oneOf", "anyOf"):
            for place, each in enumerate(sequence(found.get(keyword))):
                reference = mapping(each).get("$ref")
                if not isinstance(name, str) or not isinstance(reference, str):
                    continue
                short = reference.rpartition("/")[2]
                values = [word for word, target in chosen.items() if target in (reference, short)] or [short]
                branch = result[keyword][place]
                if not {"const", "enum"} & set(mapping(mapping(branch.get("properties")).get(name))):
                    says: Schema = {"properties": {name: {"enum": values}}, "required": [name]}
                    result[keyword][place] = merge_schemas([branch, says])


def _translate_bounds(result: Schema) -> None:
    """In OpenAPI 3.0 the exclusive bounds are words beside the bounds."""
    for bound, exclusive in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        if isinstance(is_exclusive := result.get(exclusive), bool):
            del result[exclusive]
            if is_exclusive and bound in result:
                result[exclusive] = result.pop(bound)


def _allow_null(schema: Schema) -> Schema:
    """The schema, or null."""
    kind, allowed = schema.get("type"), schema.get("enum")
    if not schema or kind == "null" or (isinstance(kind, list) and "null" in kind):
        return schema
    if isinstance(kind, str | list) and not {"const", "allOf", "anyOf", "oneOf", "not", "if"} & set(schema):
        more = {"enum": [*allowed, None]} if isinstance(allowed, list) and None not in allowed else {}
        return {**schema, "type": [*([kind] if isinstance(kind, str) else kind), "null"], **more}
    outside = {key: schema[key] for key in ANNOTATIONS if key in schema}
    inside = {key: schema[key] for key in schema if key not in outside}
    return {**outside, "anyOf": [inside, {"type": "null"}]} if inside else schema


# --- schemas that hold together


def merge_schemas(parts: list[Schema]) -> Schema:
    """What all of them say: in one schema where that means the same, else by ``allOf``."""
    result: Schema = {}
    apart: list[Schema] = []
    for part in parts:
        joined = join_schemas(result, part)
        if joined is None:
            apart.append(part)
        else:
            result = joined
    if apart:
        result = {**result, "allOf": [*result.get("allOf", []), *apart]}
    return _without_what_only_answers_have(result)


def join_schemas(one: Schema, other: Schema) -> Schema | None:
    """Both in one; None where the keywords of one would change the meaning of the other's. The later words win."""
    told = {key for key in one if key not in ANNOTATIONS}, {key for key in other if key not in ANNOTATIONS}
    if all(told) and any(key.startswith("unevaluated") for key in told[0] | told[1]):
        return None
    open_objects = not any(closes(each) for each in (one, other))
    if any(tied & told[0] and tied & told[1] for tied in (_TIED if not open_objects else _TIED[1:])):
        return None
    result = {**one, **other}
    for key in told[0] & told[1]:
        if key == "required" and isinstance(one[key], list) and isinstance(other[key], list):
            result[key] = list(dict.fromkeys([*one[key], *other[key]]))
        elif key == "allOf":
            result[key] = [*one[key], *other[key]]
        elif key == "properties":
            both = {
                name: merge_schemas([one[key][name], each]) for name, each in other[key].items() if name in one[key]
            }
            result[key] = {**one[key], **other[key], **both}
        elif one[key] != other[key]:
            return None
    return result


def closes(schema: Schema) -> bool:
    """Whether it says something about members that it does not name."""
    return any(schema.get(key, True) not in (True, {}) for key in _CLOSING)


def _without_what_only_answers_have(schema: Schema) -> Schema:
    """A member that only answers have is neither required nor filled in."""
    if schema.get("readOnly") is True:
        # A default would be sent.
        schema = {key: schema[key] for key in schema if key != "default"}
    properties, required = mapping(schema.get("properties")), schema.get("required")
    if not isinstance(required, list):
        return schema
    asked = [name for name in required if not mapping(properties.get(str(name))).get("readOnly")]
    rest = {key: schema[key] for key in schema if key != "required"}
    return {**rest, "required": asked} if asked else rest


def is_small(example: Any) -> bool:
    """Whether an example can stand beside a schema."""
    return is_json(example, 20) and len(json.dumps(example)) <= LARGEST_EXAMPLE
