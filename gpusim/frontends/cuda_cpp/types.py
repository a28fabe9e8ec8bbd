"""Which types has CUDA C++? Numbers, pointers, arrays and structs, laid out as nvcc does on 64-bit Linux."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from gpusim.ir.types import F16, F32, F64, PRED, S8, S16, S32, S64, U8, U16, U32, U64, Scalar

POINTER_BYTES = 8


class CType:
    """What all types have: `size` and `alignment` in bytes. Equal types are those that C++ calls the same."""

    name: str

    @property
    def size(self) -> int:
        return POINTER_BYTES

    @property
    def alignment(self) -> int:
        """Objects begin at multiples of it."""
        return self.size

    def __str__(self) -> str:
        return _spelled(self)


@dataclass(frozen=True)
class Void(CType):
    """No value; a pointer to it points to anything."""

    name = "void"
    size = 1  # what `void*` arithmetic would step, as GNU C has it


@dataclass(frozen=True)
class Number(CType):
    """An arithmetic type. `rank` orders the integers: bool 0, char 1, short 2, int 3, long 4, long long 5."""

    name: str
    scalar: Scalar
    rank: int = 0

    @property
    def size(self) -> int:
        return self.scalar.bytes


@dataclass(frozen=True, eq=False)
class Enumeration(CType):
    """Named constants of an integer type."""

    name: str
    underlying: Number

    @property
    def size(self) -> int:
        return self.underlying.size

    @property
    def scalar(self) -> Scalar:
        return self.underlying.scalar


@dataclass(frozen=True)
class Const(CType):
    """`const T`: T that is not assigned to."""

    type: CType

    @property
    def size(self) -> int:
        return self.type.size

    @property
    def alignment(self) -> int:
        return self.type.alignment


@dataclass(frozen=True)
class Pointer(CType):
    """An address of `target`s, or of a function."""

    target: CType


@dataclass(frozen=True)
class MemberPointer(CType):
    """Which member of a `struct`: so many bytes on, or the number of a method; else `none`."""

    target: CType
    struct: Struct
    alignment = POINTER_BYTES

    @property
    def of_method(self) -> bool:
        return isinstance(self.target, FunctionType)

    @property
    def none(self) -> int:
        return 0 if self.of_method else -1

    @property
    def size(self) -> int:
        return 2 * POINTER_BYTES if self.of_method else POINTER_BYTES


@dataclass(frozen=True)
class Reference(CType):
    """Another name of an object: `T&`."""

    target: CType


@dataclass(frozen=True)
class Array(CType):
    """`T[length]`; `T[]` has None."""

    element: CType
    length: int | None

    @property
    def size(self) -> int:
        return self.element.size * (self.length or 0)

    @property
    def alignment(self) -> int:
        return self.element.alignment


@dataclass(frozen=True)
class FunctionType(CType):
    """What a function takes and gives."""

    result: CType
    parameters: tuple[CType, ...]


class Field(NamedTuple):
    """A member of a struct: where it begins."""

    name: str
    type: CType
    offset: int


class Piece(NamedTuple):
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
    size, alignment = 0, 1

    @property
    def width(self) -> int:
        return sum(piece.width for piece in self.pieces)


@dataclass(eq=False)
class Struct(CType):
    """A struct, class or union. `fields` are None until it is complete; some may hold bit-fields."""

    name: str
    is_union: bool = False
    fields: list[Field] | None = None
    size: int = 0
    alignment: int = 1
    bases: list[Struct] = field(default_factory=list)
    vector_of: Number | None = None
    has_bits: bool = False

    def complete(self, members: list[tuple[str, CType]], alignment: int = 1) -> None:
        """Lay the members out, each at a multiple of its alignment, the struct at one of `alignment`."""
        self.fields, end = [], 0
        for name, type_ in members:
            offset = 0 if self.is_union else -(-end // type_.alignment) * type_.alignment
            self.fields.append(Field(name, type_, offset))
            end, alignment = max(end, offset + type_.size), max(alignment, type_.alignment)
        self.alignment, self.size = alignment, -(-max(end, 1) // alignment) * alignment

    @property
    def flat_fields(self) -> list[Field]:
        """All members that have a name, at their places; of those without one, their own members."""
        found = []
        for member in self.fields or ():
            inside = None if member.name or not isinstance(member.type, Struct) else member.type.flat_fields
            if inside is None:
                found.append(member)
            else:
                found += [one._replace(offset=member.offset + one.offset) for one in inside]
        return found


@dataclass(frozen=True)
class Parameter:
    """What a function is given, by its name."""

    name: str
    type: CType


def _spelled(type_: CType) -> str:
    match type_:
        case Const(inner):
            return f"{inner} const" if isinstance(inner, Pointer) else f"const {inner}"
        case Pointer(target) | Reference(target):
            return _around(target, "*" if isinstance(type_, Pointer) else "&")
        case Array(element, length):
            extents = f"[{'' if length is None else length}]"
            while isinstance(element, Array):
                extents += f"[{'' if element.length is None else element.length}]"
                element = element.element
            return f"{element}{extents}"
        case MemberPointer(target, struct):
            return _around(target, f"{struct}::*")
        case FunctionType(result, parameters):
            return f"{result} ({', '.join(map(str, parameters))})"
        case Bits(inner):
            return f"{inner} : {type_.width}"
    return type_.name


def _around(target: CType, sign: str) -> str:
    match bare(target):
        case FunctionType(result, parameters):
            return f"{result} ({sign})({', '.join(map(str, parameters))})"
        case Array(element, length):
            return f"{element} ({sign})[{'' if length is None else length}]"
    text = str(target)
    return f"{text}{sign}" if text.endswith(("*", "&")) else f"{text} {sign}"


def bare(type_: CType) -> CType:
    """Without `const`, without the `&` of a reference, and what a bit-field counts as."""
    while isinstance(type_, Const | Reference | Bits):
        type_ = type_.target if isinstance(type_, Reference) else type_.type
    return type_


def struct_of(type_: CType) -> Struct:
    """The struct that an object, or what a reference refers to, is known to be."""
    inner = bare(type_)
    assert isinstance(inner, Struct), inner
    return inner


def number_type(type_: CType) -> Number | None:
    """The arithmetic type of a number or an enumerator; None of all else."""
    inner = bare(type_)
    inner = inner.underlying if isinstance(inner, Enumeration) else inner
    return inner if isinstance(inner, Number) else None


def is_const(type_: CType) -> bool:
    """May objects of this type not be assigned to?"""
    while isinstance(type_, Reference | Array):
        type_ = type_.target if isinstance(type_, Reference) else type_.element
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


UNSIGNED = {INT: UINT, LONG: ULONG, LONGLONG: ULONGLONG}


def common(one: Number, other: Number = INT) -> Number:
    """The type that an operator computes in: the usual arithmetic conversions, C++17 [expr].

    With int alone, what a number is promoted to.
    """
    if one.scalar.is_float or other.scalar.is_float:
        return max(one, other, key=lambda number: (number.scalar.is_float, number.scalar.bits))
    widest = max(one, other, INT, key=lambda number: number.rank)
    unsigned = any(number.scalar.kind == "u" and number.size == widest.size for number in (one, other))
    return UNSIGNED.get(widest, widest) if unsigned else widest


def alike(one: CType, other: CType) -> bool:
    """Are they equal when every `const` is left out?"""
    return without_const(bare(one)) == without_const(bare(other))


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


# names that are known without a declaration: C's words, those of headers, vectors ---------------------------

WHOLE = CHAR, SCHAR, UCHAR, SHORT, USHORT, INT, UINT, LONG, ULONG, LONGLONG, ULONGLONG
_OF_C = VOID, BOOL, *WHOLE, FLOAT, DOUBLE
C_TYPES: dict[str, CType] = {str(type_): type_ for type_ in _OF_C}
# names that headers define
TYPEDEFS: dict[str, CType] = {
    name: type_
    for type_, names in {
        SCHAR: "int8_t",
        UCHAR: "uint8_t uchar",
        SHORT: "int16_t",
        USHORT: "uint16_t ushort",
        INT: "int32_t",
        UINT: "uint32_t uint",
        LONG: "int64_t intptr_t ssize_t ptrdiff_t clock_t",
        ULONG: "uint64_t uintptr_t size_t ulong",
        HALF: "half __half float16_t",
    }.items()
    for name in names.split()
}


def _vectors() -> dict[str, Struct]:
    """Vector types are aligned to their size up to 16 bytes; those of three to their element's."""
    found = {}
    for element in (*WHOLE[1:], FLOAT, DOUBLE):
        short = str(element).removeprefix("signed ").replace("unsigned ", "u").replace(" ", "")
        for count in (1, 2, 3, 4):
            alignment = element.size if count == 3 else min(element.size * count, 16)
            found[f"{short}{count}"] = element, count, alignment
    found |= {"__half2": (HALF, 2, 4), "dim3": (UINT, 3, 4)}
    vectors = dict[str, Struct]()
    for name, (element, count, alignment) in found.items():
        vectors[name] = Struct(name, vector_of=element)
        vectors[name].complete([(axis, element) for axis in "xyzw"[:count]], alignment)
    return vectors | {"half2": vectors["__half2"]}


VECTORS = _vectors()


def named_type(name: str) -> CType | None:
    return C_TYPES.get(name) or TYPEDEFS.get(name) or VECTORS.get(name)
