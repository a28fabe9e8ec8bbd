"""What may the JSON of a report hold? A JSON Schema (draft 2020-12), read from the fields of the dataclasses.

>>> from gpusim.reports.warp import SoFar
>>> of(SoFar)["$defs"]["SoFar"]["properties"]["instructions"]
{'type': 'integer'}
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from gpusim.reports.report import SPREAD, Report

DIALECT = "https://json-schema.org/draft/2020-12/schema"
TYPES = {str: "string", bool: "boolean", int: "integer", float: "number", NoneType: "null"}
Schema = dict[str, Any]


def of(kind: type[Report]) -> Schema:
    """The schema of a kind of report, with a definition for each dataclass in it; nothing else may occur."""
    definitions: dict[str, Schema] = {}
    return {"$schema": DIALECT, **_reference(kind, definitions), "$defs": definitions}


def _reference(kind: type[Report], definitions: dict[str, Schema]) -> Schema:
    if kind.__name__ not in definitions:
        definitions[kind.__name__] = {}  # while its fields are looked at
        definitions[kind.__name__] = _object(kind, definitions)
    return {"$ref": f"#/$defs/{kind.__name__}"}


def _object(kind: type[Report], definitions: dict[str, Schema]) -> Schema:
    hints = get_type_hints(kind)
    found: Schema = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
    for each in fields(kind):
        hint = hints[each.name]
        if each.metadata == SPREAD:
            held = _object(hint, definitions) if _is(hint, Report) else _schema(hint, definitions)
            found["properties"] |= held.get("properties", {})
            found["required"] += held.get("required", [])
            found["additionalProperties"] = found["additionalProperties"] or held["additionalProperties"]
        else:
            found["properties"][each.name] = _schema(hint, definitions)
            found["required"] += [each.name] if each.default is MISSING else []
    return found


def _schema(hint: Any, definitions: dict[str, Schema]) -> Schema:
    """Of any type that a field may have."""
    kind, arguments = get_origin(hint), get_args(hint)
    if hint in TYPES:
        return {"type": TYPES[hint]}
    if _is(hint, Report):
        return _reference(hint, definitions)
    if kind is Literal:
        return {"enum": list(arguments)}
    if kind in (Union, UnionType):
        return {"anyOf": [_schema(one, definitions) for one in arguments]}
    if kind is tuple and arguments[1:] == (...,):
        return {"type": "array", "items": _schema(arguments[0], definitions)}
    if kind is tuple or _is(hint, tuple):
        items = [_schema(one, definitions) for one in arguments or get_type_hints(hint).values()]
        return {"type": "array", "prefixItems": items, "minItems": len(items), "items": False}
    assert _is(kind, Mapping), f"no field of a report may be a {hint}"
    name, value = arguments[0], _schema(arguments[1], definitions)
    names = list(get_args(name)) if get_origin(name) is Literal else []
    return {
        "type": "object",
        "properties": dict.fromkeys(names, value),
        "required": names,
        "additionalProperties": False if names else value,
    }


def _is(hint: Any, kind: type) -> bool:
    return isinstance(hint, type) and issubclass(hint, kind)
