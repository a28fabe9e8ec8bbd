"""What is a type of clang's to us? Numbers, pointers, arrays and structs, laid out as clang lays them out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from clang.cindex import Cursor, CursorKind, Type, TypeKind

from gpusim.errors import UnsupportedConstruct
from gpusim.frontends.cuda_cpp import clang, types
from gpusim.frontends.cuda_cpp.asking import Answers
from gpusim.frontends.cuda_cpp.bit_fields import bits_of, units
from gpusim.frontends.cuda_cpp.shapes import initializer
from gpusim.frontends.cuda_cpp.type_names import VECTORS
from gpusim.frontends.cuda_cpp.types import (
    Array,
    Bits,
    CType,
    Enumeration,
    Field,
    FunctionType,
    Number,
    Pointer,
    Reference,
    Struct,
    bare,
)
from gpusim.source import Span

NUMBERS: dict[TypeKind, CType] = {
    TypeKind.VOID: types.VOID,
    TypeKind.BOOL: types.BOOL,
    TypeKind.CHAR_S: types.CHAR,
    TypeKind.CHAR_U: types.CHAR,
    TypeKind.SCHAR: types.SCHAR,
    TypeKind.UCHAR: types.UCHAR,
    TypeKind.CHAR16: types.USHORT,
    TypeKind.CHAR32: types.UINT,
    TypeKind.WCHAR: types.INT,
    TypeKind.SHORT: types.SHORT,
    TypeKind.USHORT: types.USHORT,
    TypeKind.INT: types.INT,
    TypeKind.UINT: types.UINT,
    TypeKind.LONG: types.LONG,
    TypeKind.ULONG: types.ULONG,
    TypeKind.LONGLONG: types.LONGLONG,
    TypeKind.ULONGLONG: types.ULONGLONG,
    TypeKind.FLOAT16: types.HALF,
    TypeKind.HALF: types.HALF,
    TypeKind.FLOAT: types.FLOAT,
    TypeKind.DOUBLE: types.DOUBLE,
    TypeKind.NULLPTR: types.NULLPTR,
}


TABLE = "(virtual)"  # the member that says which virtual methods an object has


class Unknown(CType):
    """A type that kernels do not have: `__int128`, a pointer to a member."""

    size = alignment = 1

    def __init__(self, name: str) -> None:
        self.name = name

    def __str__(self) -> str:
        return self.name


HINTS = {
    "__int128": "use two unsigned long long, and __umul64hi",
    "::*": "choose the member with an if",
    "_Complex": "write its two parts out",
    "vector_size": "use float4 and its kin",
}


def unknown(type_: CType) -> tuple[str, str] | None:
    """What to call a type that kernels do not have, and what to do instead; None of others."""
    inner = types.bare(type_)
    if not isinstance(inner, Unknown):
        return None
    if inner.name.endswith("]"):
        return "an array of a length that is known at run time only", "declare an array of a constant length"
    return f"`{inner.name}`", next((hint for word, hint in HINTS.items() if word in inner.name), "")


class TypeReader:
    """Types of one text. `built_in` says whether a declaration is ours, as that of `float4`."""

    def __init__(self, answers: Answers, place: Callable[[Cursor], Span]) -> None:
        self._answers, self._place = answers, place
        self.used: dict[int, Cursor] = {}
        self._named: dict[int, CType] = {}
        self.declarations: dict[Struct, Cursor] = {}
        self.bits: dict[int, Bits] = {}
        self._parts: dict[Struct, list[tuple[int, CType, Cursor | None]]] = {}
        self._used_bytes: dict[Struct, int] = {}  # without padding at the end that a derived struct may use

    def read(self, type_: Type) -> CType:
        """The type without names that stand for others."""
        type_ = type_.get_canonical()
        found = self._read(type_)
        return types.constant(found) if type_.is_const_qualified() else found

    def _read(self, type_: Type) -> CType:
        kind = type_.kind
        if kind in NUMBERS:
            return NUMBERS[kind]
        match kind:
            case TypeKind.POINTER:
                return Pointer(self.read(type_.get_pointee()))
            case TypeKind.LVALUEREFERENCE | TypeKind.RVALUEREFERENCE:
                return Reference(self.read(type_.get_pointee()))
            case TypeKind.CONSTANTARRAY | TypeKind.INCOMPLETEARRAY:
                element, name = self.read(type_.element_type), type_.spelling
                # clang shows it in the name alone
                is_const = "*const[" in name if "*" in name else name.startswith("const ")
                length = type_.element_count if kind is TypeKind.CONSTANTARRAY else None
                return Array(types.constant(element) if is_const else element, length)
            case TypeKind.FUNCTIONPROTO | TypeKind.FUNCTIONNOPROTO:
                given = type_.argument_types() if kind is TypeKind.FUNCTIONPROTO else ()
                return FunctionType(self.read(type_.get_result()), tuple(self.read(one) for one in given))
            case TypeKind.RECORD | TypeKind.ENUM:
                declaration = type_.get_declaration().canonical
                key = declaration.hash
                self.used[key] = declaration
                if key not in self._named:
                    make = self._enumeration if kind is TypeKind.ENUM else self._struct
                    make(type_, declaration, key)
                return self._named[key]
        return Unknown(re.sub(r"\((lambda|unnamed \w+) at [^()]*\)", r"(\1)", type_.spelling))

    def _enumeration(self, type_: Type, declaration: Cursor, key: int) -> None:
        underlying = self.read(declaration.enum_type)
        assert isinstance(underlying, Number)
        self._named[key] = Enumeration(declaration.type.spelling, underlying, declaration.is_scoped_enum())

    def _struct(self, type_: Type, declaration: Cursor, key: int) -> None:
        name = re.sub(r"\((lambda|unnamed \w+) at [^()]*\)", r"(\1)", declaration.type.spelling)
        if name in VECTORS:
            vector = self._named[key] = VECTORS[name]
            self.declarations[vector] = declaration.get_definition() or declaration
            fields_ = zip(vector.fields or (), type_.get_fields(), strict=True)
            self._parts[vector] = [(field.offset, field.type, cursor) for field, cursor in fields_]
            return
        struct = Struct(name, is_union=declaration.kind is CursorKind.UNION_DECL)
        self._named[key] = struct  # before its members, which may point to it
        size = type_.get_size()
        if size < 0:
            return
        definition = declaration.get_definition() or declaration
        self.declarations[struct] = definition
        struct.size, struct.alignment = size, type_.get_align()
        for base in self.bases(struct):
            struct.bases.append(base)
        parts = self._parts[struct] = list(self._bases_at(struct, self._has_table(definition)))
        members = list(type_.get_fields())
        own = {name_of(field) for field in members}
        fields: list[Field] = []
        for at, part, _ in parts:
            base = bare(part)  # type: ignore[assignment]
            assert isinstance(base, Struct)
            for one in base.fields or ():
                taken = one.name in own or (at and one.name == TABLE)
                fields.append(Field(f"{base}::{one.name}" if taken else one.name, one.type, at + one.offset))
        if self._has_table(definition) and not any(map(has_table, struct.bases)):
            fields.insert(0, Field(TABLE, types.ULONG, 0))
        end = max((one.offset + one.type.size for one in fields), default=0)
        bits, held = self._bit_fields(struct, members, end), dict[tuple[int, Number], list[str]]()
        for field in members:
            if field.is_bitfield():
                if (found := bits.get(field.hash)) is not None:
                    parts.append((0, found, field))
                    self.bits[field.hash] = found
                    for piece in found.pieces:
                        held.setdefault((piece.offset, piece.unit), []).append(field.spelling)
                continue
            member, offset = self.read(field.type), field.get_field_offsetof() // 8
            if isinstance(member, Reference):
                member = Pointer(member.target)
            fields.append(Field(name_of(field), member, offset))
            parts.append((offset, member, field))
        names = [one.name for one in fields]
        for (offset, unit), inside in held.items():
            name = "_".join(inside)
            names.append(name if name not in names else f"{name}_{offset}")
            fields.append(Field(names[-1], unit, offset))
        struct.fields = sorted(fields, key=lambda one: one.offset)
        plain = not struct.bases and type_.is_pod()
        ends = [one.offset + one.type.size for one in fields]
        self._used_bytes[struct] = size if plain else max(ends, default=0)

    def _bit_fields(self, struct: Struct, members: list[Cursor], end: int) -> dict[int, Bits]:
        """Its bit-fields, by their declarations; those without a name only take room."""
        found, run = dict[int, Bits](), list[Cursor]()
        for field in [*members, None]:
            if field is not None and field.is_bitfield() and field.get_bitfield_width():
                run.append(field)
                continue
            start = struct.size if field is None else field.get_field_offsetof() // 8
            named = [one for one in run if one.spelling]
            extents = [(at := one.get_field_offsetof(), at + one.get_bitfield_width()) for one in named]
            if struct.is_union:
                held_in = [units([extent], (0, struct.size)) for extent in extents]
            else:
                held_in = [units(extents, (end, start))] * len(named) if named else []
            for one, extent, places in zip(named, extents, held_in, strict=True):
                found[one.hash] = bits_of(self.read(one.type), extent, places)
            run = []
            if field is not None:
                end = -(
                    -(
                        field.get_field_offsetof()
                        + 8 * max(field.type.get_size(), 0) * (not field.is_bitfield())
                    )
                    // 8
                )
        return found

    def parts(self, struct: Struct) -> list[tuple[int, CType, Cursor | None]]:
        """Its bases and members in order: where each begins, its type, and a member's declaration."""
        return self._parts[struct]

    def subobjects(self, struct: Struct, part: Struct) -> Iterator[int]:
        """Where in a struct do bases of a type begin, or itself?"""
        if struct is part:
            yield 0
        for offset, type_, field in self.parts(struct):
            if field is None and isinstance(type_, Struct):
                yield from (offset + inner for inner in self.subobjects(type_, part))

    def offset_of(self, struct: Struct, part: Struct) -> int | None:
        """Where in a struct do the members of a base lie, or those of a struct or union without a name?"""
        if struct is part:
            return 0
        for offset, type_, field in self.parts(struct):
            if isinstance(type_, Struct) and (field is None or not name_of(field)):
                inner = self.offset_of(type_, part)
                if inner is not None:
                    return offset + inner
        return None

    def _bases_at(self, struct: Struct, table: bool) -> Iterator[tuple[int, CType, None]]:
        """Where bases lie in the ABI of Linux: the first that has a table leads, empty ones take no room."""
        leading = next((base for base in struct.bases if has_table(base)), None)
        end = self._used(leading) if leading else types.POINTER_BYTES if table else 0
        empty: list[tuple[int, Struct]] = []
        for base in struct.bases:
            used = self._used(base)
            offset = 0 if base is leading else -(-end // base.alignment) * base.alignment
            if not used or not base.fields:
                offset = 0 if all(other is not base for _, other in empty) else offset
                empty.append((offset, base))
            elif base is not leading:
                end = offset + used
            yield offset, base, None

    def _used(self, base: Struct) -> int:
        return self._used_bytes.get(base, base.size)

    def default(self, field: Cursor | None) -> Cursor | None:
        """The initializer that stands with a member; of a bit-field, clang shows it as text alone."""
        if field is not None and field.is_bitfield():
            written = re.search("[={].*", clang.printed(field))
            return written and initializer(
                self._answers.to(f"static {field.type.spelling} {{name}} {written[0]};")
            )
        below = [] if field is None else [one for one in clang.children(field) if one.kind.is_expression()]
        if not below or not re.search("[={]", clang.printed(field)):
            return None
        return below[-1]

    @staticmethod
    def derives(struct: CType, base: CType) -> bool:
        """Is one a base of the other, or of its bases?"""
        assert isinstance(struct, Struct)
        return any(one is base or TypeReader.derives(one, base) for one in struct.bases)

    def bases(self, struct: Struct) -> list[Struct]:
        """What it is derived from."""
        declaration = self.declarations[struct]
        template = None if clang.children(declaration) else clang.template_of(declaration)
        found = []
        for child in clang.children(template or declaration):
            if child.kind is CursorKind.CXX_BASE_SPECIFIER:
                if re.search(r"\bvirtual\b", clang.text(child)):
                    what = "a virtual base is not supported in a kernel"
                    raise UnsupportedConstruct(what, self._place(child), "derive without `virtual`")
                base = self.read(child.type)
                if not isinstance(base, Struct):
                    answer = self._answers.base(template, child, declaration.type.spelling)
                    base = self.read(answer.type.get_pointee())
                assert isinstance(base, Struct)
                found.append(base)
        return found

    def _has_table(self, declaration: Cursor) -> bool:
        return any(
            child.kind in (CursorKind.CXX_METHOD, CursorKind.DESTRUCTOR) and child.is_virtual_method()
            for child in clang.children(clang.template_of(declaration) or declaration)
        )


def name_of(field: Cursor) -> str:
    """The name of a member; none for a struct or union whose members count as its owner's."""
    return "" if "(" in field.spelling else field.spelling


def has_table(struct: Struct) -> bool:
    """Has it virtual methods? Then its first bytes say which."""
    return any(field.name == TABLE for field in (struct.fields or ())[:1])
