"""Which types has CUDA C++? Numbers, pointers, arrays and structs, laid out as nvcc does on 64-bit Linux."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from gpusim.ir.types import (
    F16,
    F32,
    F64,
    PRED,
    S8,
    S16,
    S32,
    S64,
    U8,
    U16,
    U32,
    U64,
    Scalar,
)

POINTER_BYTES = 8


class CType:
    """What all types have: `size` and `alignment` in bytes. Equal types are those that C++ calls the same."""

    size: int
    alignment: int


@dataclass(frozen=True)
class Void(CType):
    """No value; a pointer to it points to anything."""

    size: int = 1  # of what `void*` arithmetic would step, as GNU C has it
    alignment: int = 1

    def __str__(self) -> str:
        return "void"


@dataclass(frozen=True)
class Number(CType):
    """An arithmetic type. `rank` orders the integers: bool 0, char 1, short 2, int 3, long 4, long long 5."""

    name: str
    scalar: Scalar
    rank: int = 0

    @property
    def size(self) -> int:  # type: ignore[override]
        return self.scalar.bytes

    @property
    def alignment(self) -> int:  # type: ignore[override]
        return self.scalar.bytes

    @property
    def is_integer(self) -> bool:
        """True for bool, too."""
        return not self.scalar.is_float

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, eq=False)
class Enumeration(CType):
    """Named constants of an integer type. A `scoped` one (`enum class`) converts to nothing by itself."""

    name: str
    underlying: Number
    scoped: bool = False

    @property
    def size(self) -> int:  # type: ignore[override]
        return self.underlying.size

    @property
    def alignment(self) -> int:  # type: ignore[override]
        return self.underlying.size

    @property
    def scalar(self) -> Scalar:
        """How a register holds it."""
        return self.underlying.scalar

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Const(CType):
    """`const T`: T that is not assigned to."""

    type: CType

    @property
    def size(self) -> int:  # type: ignore[override]
        return self.type.size

    @property
    def alignment(self) -> int:  # type: ignore[override]
        return self.type.alignment

    def __str__(self) -> str:
        return f"{self.type} const" if isinstance(self.type, Pointer) else f"const {self.type}"


@dataclass(frozen=True)
class Pointer(CType):
    """An address of `target`s, or of a function."""

    target: CType
    size: int = POINTER_BYTES
    alignment: int = POINTER_BYTES

    def __str__(self) -> str:
        return _around(self.target, "*")


@dataclass(frozen=True)
class Reference(CType):
    """Another name of an object: `T&`."""

    target: CType
    size: int = POINTER_BYTES
    alignment: int = POINTER_BYTES

    def __str__(self) -> str:
        return _around(self.target, "&")


@dataclass(frozen=True)
class Array(CType):
    """`T[length]`; `T[]` has None."""

    element: CType
    length: int | None

    @property
    def size(self) -> int:  # type: ignore[override]
        return self.element.size * (self.length or 0)

    @property
    def alignment(self) -> int:  # type: ignore[override]
        return self.element.alignment

    def __str__(self) -> str:
        extents, inner = "", self
        while True:
            extents += f"[{'' if inner.length is None else inner.length}]"
            if not isinstance(inner.element, Array):
                return f"{inner.element}{extents}"
            inner = inner.element


@dataclass(frozen=True)
class FunctionType(CType):
    """What a function takes and gives."""

    result: CType
    parameters: tuple[CType, ...]
    size: int = POINTER_BYTES
    alignment: int = POINTER_BYTES

    def __str__(self) -> str:
        return f"{self.result} ({', '.join(map(str, self.parameters))})"


@dataclass(frozen=True)
class Field:
    """A member of a struct: where it begins."""

    name: str
    type: CType
    offset: int


@dataclass(frozen=True)
class Piece:
    """Bits of a bit-field: `width` of them, from bit `first` on, are those from bit `shift` on in a unit."""

    offset: int
    unit: Number
    shift: int
    width: int
    first: int = 0


@dataclass(frozen=True)
class Bits(CType):
    """A bit-field: `unsigned exponent : 8`, a number of that type in the bits of one unit, or of several."""

    type: CType
    pieces: tuple[Piece, ...]
    size: int = 0
    alignment: int = 1

    @property
    def width(self) -> int:
        """How many bits it has."""
        return sum(piece.width for piece in self.pieces)

    def __str__(self) -> str:
        return f"{self.type} : {self.width}"


@dataclass(eq=False)
class Struct(CType):
    """A struct, class or union. `fields` are None until it is complete.

    `members` holds all else that has a name in it: methods, static members, types. A `wide` one is moved in
    accesses of its alignment, as vector types are; `origin` is the template that it came from, and `defaults`
    the syntax of the members' initializers.
    """

    name: str
    is_union: bool = False
    fields: list[Field] | None = None
    size: int = 0
    alignment: int = 1
    members: dict[str, Any] = field(default_factory=dict)
    bases: list[Struct] = field(default_factory=list)
    vector_of: Number | None = None
    wide: bool = False
    defaults: dict[str, Any] = field(default_factory=dict)
    origin: tuple[Any, tuple[Any, ...]] | None = None

    def __str__(self) -> str:
        return self.name

    def complete(self, members: list[tuple[str, CType]], alignment: int = 1) -> None:
        """Lay the members out, each at a multiple of its alignment, the struct at one of `alignment`."""
        fields, end, widest = list[Field](), 0, alignment
        for base in self.bases:
            fields += [Field(f.name, f.type, f.offset) for f in base.fields or ()]
            end, widest = base.size, max(widest, base.alignment)
        for name, type_ in members:
            unit = type_.alignment
            offset = 0 if self.is_union else -(-end // unit) * unit
            fields.append(Field(name, type_, offset))
            end, widest = max(end, offset + type_.size), max(widest, unit)
        self.fields, self.alignment = fields, widest
        self.size = -(-max(end, 1) // widest) * widest

    def field(self, name: str) -> Field | None:
        """The member of that name; those of a struct or union without a name count as its owner's."""
        return next((found for found in self.flat_fields if found.name == name), None)

    @property
    def flat_fields(self) -> list[Field]:
        """All members that have a name, at their places."""
        found = []
        for member in self.fields or ():
            inner = member.type
            if member.name or not isinstance(inner, Struct):
                found.append(member)
            else:
                found += [Field(f.name, f.type, member.offset + f.offset) for f in inner.flat_fields]
        return found


def _around(target: CType, sign: str) -> str:
    inner = bare(target)
    if isinstance(inner, FunctionType):
        return f"{inner.result} ({sign})({', '.join(map(str, inner.parameters))})"
    if isinstance(inner, Array):
        return f"{inner.element} ({sign})[{'' if inner.length is None else inner.length}]"
    text = str(target)
    return f"{text}{sign}" if text.endswith(("*", "&")) else f"{text} {sign}"


def bare(type_: CType) -> CType:
    """Without `const` and without the `&` of a reference."""
    while isinstance(type_, Const | Reference):
        type_ = type_.type if isinstance(type_, Const) else type_.target
    return type_


def is_const(type_: CType) -> bool:
    """May objects of this type not be assigned to?"""
    if isinstance(type_, Reference):
        return is_const(type_.target)
    if isinstance(type_, Array):
        return is_const(type_.element)
    return isinstance(type_, Const)


def constant(type_: CType) -> CType:
    """The type with `const`; of an array, that of its elements."""
    if isinstance(type_, Array):
        return Array(constant(type_.element), type_.length)
    return type_ if isinstance(type_, Const | Reference | FunctionType) else Const(type_)


VOID = Void()
BOOL = Number("bool", PRED, 0)
CHAR, SCHAR, UCHAR = Number("char", S8, 1), Number("signed char", S8, 1), Number("unsigned char", U8, 1)
SHORT, USHORT = Number("short", S16, 2), Number("unsigned short", U16, 2)
INT, UINT = Number("int", S32, 3), Number("unsigned int", U32, 3)
LONG, ULONG = Number("long", S64, 4), Number("unsigned long", U64, 4)
LONGLONG, ULONGLONG = Number("long long", S64, 5), Number("unsigned long long", U64, 5)
HALF, FLOAT, DOUBLE = Number("__half", F16), Number("float", F32), Number("double", F64)
NULLPTR = Pointer(VOID)  # of `nullptr`; converts to every pointer


def promoted(number: Number) -> Number:
    """Integers narrower than int become int; C++17 [conv.prom]."""
    return INT if number.is_integer and number.rank < INT.rank else number


def common(one: Number, other: Number) -> Number:
    """The type that an operator computes in: the usual arithmetic conversions, C++17 [expr]."""
    if one.scalar.is_float or other.scalar.is_float:
        floats = [number for number in (one, other) if number.scalar.is_float]
        return max(floats, key=lambda number: number.scalar.bits)
    one, other = promoted(one), promoted(other)
    if one.scalar.kind == other.scalar.kind:
        return max(one, other, key=lambda number: number.rank)
    unsigned, signed = (one, other) if one.scalar.kind == "u" else (other, one)
    if unsigned.rank >= signed.rank:
        return unsigned
    if signed.size > unsigned.size:
        return signed
    return UNSIGNED[signed]


UNSIGNED = {INT: UINT, LONG: ULONG, LONGLONG: ULONGLONG, SHORT: USHORT, CHAR: UCHAR, SCHAR: UCHAR}


def same_apart_from_const(one: CType, other: CType) -> bool:
    """Are they equal when every `const` is left out?"""
    return without_const(one) == without_const(other)


def without_const(type_: CType) -> CType:
    """The type with every `const` left out, also behind pointers."""
    match type_:
        case Const(inner):
            return without_const(inner)
        case Pointer(target):
            return Pointer(without_const(target))
        case Array(element, length):
            return Array(without_const(element), length)
    return type_
