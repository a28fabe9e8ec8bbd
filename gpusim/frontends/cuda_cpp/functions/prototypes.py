"""How does a table write down a function of CUDA C++? As a prototype: `T atomicAdd(T*, T)`, for types T.

Three words stand for types. `T` is one of the row's types, the same everywhere. `R` is any arithmetic type,
each `R` its own: the result is float where all are, else double, as <cmath> has it. `mask` has a bit a lane.

The tables are texts, a line for each prototype and what becomes of it, for types:

    T __reduce_{and,or}_sync(mask, T) : reduce REDUCE_{1^} | int, unsigned int

`{and,or}` stands for each of its words. Elsewhere in the line `{1}` is the word chosen in the first such
place, `{1^}` that in capitals, and `{1:x,y}` what stands at the same position here. `NAME = …` gives `$NAME`.
What is made of others is written in C++, of arguments a, b and c: `float sum(float, float) : = a + b`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import chain, product
from typing import Any, NamedTuple

from gpusim.frontends import host_calls
from gpusim.frontends.cuda_cpp import layout, texts
from gpusim.frontends.cuda_cpp.types import UINT, ULONGLONG, VECTORS, Const, CType, Pointer, named_type
from gpusim.ir.details import CacheOperator, Scope, SpecialRegister
from gpusim.ir.instructions import Opcode
from gpusim.ir.types import S32, S64, U32, U64, Scalar, Space

OFFERED = ("thread_functions", "math_functions", "word_functions", "half_functions")
TABLES = (*OFFERED, "texture_functions", "own_functions")
REALS = ("float", "double", "int", "unsigned int", "long", "unsigned long", "long long", "unsigned long long")
FEW_REALS = ("float", "double", "int")  # of three and more: else there would be hundreds of overloads
PROTOTYPE = re.compile(r"(?P<result>.*\W)(?P<name>\w+)\((?P<parameters>.*)\)")
FOLLOWING = re.compile(r"(\d+)(\^?)(?::(.*))?")
# what tables name in capitals
NAMED: dict[str, Any] = {
    name: member
    for enum in (Opcode, Scope, Space, SpecialRegister, CacheOperator)
    for name, member in enum.__members__.items()
} | {"S32": S32, "S64": S64, "U32": U32, "U64": U64}
SEVERAL = ("half",)  # families whose `detail` is a sequence
IN_CPP = "="  # the family of what is written in C++
# functions that CUDA has and this machine does not offer, by name, and what a kernel can do instead
REFUSED = texts.table("functions/refused_functions", "functions") | host_calls.INSTEAD


@dataclass(frozen=True)
class Builtin:
    """A function that kernels may call without declaring it: one of the overloads of its name.

    `family` names the way it is lowered; `detail` tells it apart from the rest of its family: an opcode, or
    a function of the library. `scope` says who sees an atomic in time. `defaults` are of the last parameters.
    """

    name: str
    result: CType
    parameters: tuple[CType, ...]
    family: str
    detail: Any = None
    scope: Scope | None = None
    defaults: tuple[Any, ...] = ()
    variadic: bool = False

    @property
    def scalar(self) -> Scalar:
        return layout.register_of(self.result)

    def __str__(self) -> str:
        given = [*map(str, self.parameters), *(["..."] if self.variadic else [])]
        return f"{self.result} {self.name}({', '.join(given)})"


class Row(NamedTuple):
    """A prototype, and what becomes of it; for warps of `lanes` lanes only, where that is not 0."""

    prototype: str
    family: str
    detail: Any = None
    scope: Scope | None = None
    types: tuple[str, ...] = ()
    lanes: int = 0

    @property
    def name(self) -> str:
        return self.prototype.partition("(")[0].rpartition(" ")[2].lstrip("*")


def table(name: str) -> Iterator[Row]:
    """The rows of one of the `TABLES`; `make_float4` and its kin are among those of threads and memory."""
    text = (resources.files(__package__) / f"{name}.txt").read_text(encoding="utf-8")
    names: dict[str, str] = {}
    for line in re.sub("\n  +", " ", re.sub("#.*", "", text)).splitlines():
        line = re.sub(r"\$(\w+)", lambda found: names[found[1]], line)
        if named := re.fullmatch(r"([A-Z]+) = (.*)", line):
            names[named[1]] = named[2]
        elif line.strip():
            yield from map(_row, _each(line))
    for vector, struct in VECTORS.items() if name == TABLES[0] else ():
        if vector not in ("dim3", "half2", "__half2"):
            given = ", ".join(str(member.type) for member in struct.fields or ())
            yield Row(f"{vector} make_{vector}({given})", "make")


@cache
def rows() -> dict[str, list[Row]]:
    """All rows of the tables, by the names of their functions."""
    found: dict[str, list[Row]] = {}
    for row in chain.from_iterable(map(table, TABLES)):
        found.setdefault(row.name, []).append(row)
    return found


@cache
def find(name: str, warp_size: int) -> tuple[Builtin, ...]:
    """The overloads of a name; none where there is no such function."""
    return tuple(builtin for row in rows().get(name, ()) for builtin in overloads(row, warp_size))


def _each(line: str) -> Iterator[str]:
    """The line with one word of each choice, for all of them."""
    parts = re.split("[{}]", line)  # every other one stands in braces
    choices = [part.split(",") for part in parts[1::2] if not FOLLOWING.fullmatch(part)]
    slots, own = list[tuple[int, list[str]]](), iter(range(len(choices)))
    for part in parts[1::2]:
        found = FOLLOWING.fullmatch(part)
        number = int(found[1]) - 1 if found else next(own)
        words = found[3].split(",") if found and found[3] is not None else choices[number]
        if found and found[2]:
            words = [word.upper() for word in words]
        slots.append((number, [word.strip() for word in words]))
    for places in product(*(range(len(words)) for words in choices)):
        parts[1::2] = [words[places[number]] for number, words in slots]
        yield "".join(parts)


def _row(line: str) -> Row:
    prototype, _, rest = line.partition(" : ")
    meaning, _, types = rest.partition(" | ")
    family, *words = meaning.split()
    given = tuple(t.strip() for t in types.split(",") if t)
    if family == IN_CPP:
        return Row(prototype, family, " ".join(words), types=given)
    options = dict(word.split("=") for word in words if "=" in word)
    plain = [word for word in words if "=" not in word]
    found = [NAMED[word] if word.isupper() else int(word) if word.isdecimal() else word for word in plain]
    detail = tuple(found) if len(found) > 1 or (found and family in SEVERAL) else next(iter(found), None)
    scope, lanes = NAMED.get(options.get("scope", "")), int(options.get("lanes", 0))
    return Row(prototype, family, detail, scope, given, lanes)


def overloads(row: Row, warp_size: int) -> Iterator[Builtin]:
    for result, given in signatures(row, warp_size):
        parts = [text.partition(" = ") for text in given if text not in ("", "...")]
        types = tuple(type_of(type_, warp_size) for type_, _, _ in parts)
        defaults = tuple(default_of(default, warp_size) for _, _, default in parts if default)
        meaning = row.family, row.detail, row.scope, defaults, "..." in given
        yield Builtin(row.name, type_of(result, warp_size), types, *meaning)


def signatures(row: Row, warp_size: int) -> Iterator[tuple[str, list[str]]]:
    """The results and parameters of all functions that a row stands for, still as they are written."""
    if row.lanes not in (0, warp_size):
        return
    for type_ in row.types or ("T",):
        prototype = re.sub(r"\bT\b", type_, row.prototype)
        found = PROTOTYPE.fullmatch(prototype)
        assert found, prototype
        result, given = found["result"].strip(), [part.strip() for part in found["parameters"].split(",")]
        places = [place for place, parameter in enumerate(given) if parameter == "R"]
        for reals in product(REALS if len(places) < 3 else FEW_REALS, repeat=len(places)):
            chosen = dict(zip(places, reals, strict=True))
            real = "float" if all(name == "float" for name in reals) else "double"
            texts = [chosen.get(place, parameter) for place, parameter in enumerate(given)]
            yield real if result == "R" else result, texts


def default_of(text: str, warp_size: int) -> int:
    """The value of a parameter that is left out: a number, the mask of a `full` warp, a `warp`'s lanes."""
    words = {"full": (1 << warp_size) - 1, "warp": warp_size}
    return words[text] if text in words else int(text)


@cache
def type_of(text: str, warp_size: int) -> CType:
    """The type that a text such as `const unsigned int*` names."""
    if text.endswith("*"):
        return Pointer(type_of(text[:-1].rstrip(), warp_size))
    if text == "mask":
        return UINT if warp_size <= UINT.scalar.bits else ULONGLONG
    found = named_type(text.removeprefix("const "))
    assert found is not None, text
    return Const(found) if text.startswith("const ") else found
