"""What is a type of clang's to us? Numbers, pointers, arrays and structs, laid out as clang lays them out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from clang.cindex import Cursor, CursorKind, Type, TypeKind

from gpusim.errors import UnsupportedConstruct
from gpusim.frontends.cuda_cpp import asking, clang, layout, shapes, types
from gpusim.frontends.cuda_cpp.types import Array, Bits, CType, Field, Number, Pointer, Reference, Struct
from gpusim.source import Span

K = TypeKind
NUMBERS: dict[TypeKind, CType] = {
    K.VOID: types.VOID, K.BOOL: types.BOOL, K.CHAR_S: types.CHAR, K.CHAR_U: types.CHAR, K.SCHAR: types.SCHAR,
    K.UCHAR: types.UCHAR, K.CHAR16: types.USHORT, K.CHAR32: types.UINT, K.WCHAR: types.INT,
    K.SHORT: types.SHORT, K.USHORT: types.USHORT, K.INT: types.INT, K.UINT: types.UINT, K.LONG: types.LONG,
    K.ULONG: types.ULONG, K.LONGLONG: types.LONGLONG, K.ULONGLONG: types.ULONGLONG, K.FLOAT16: types.HALF,
    K.HALF: types.HALF, K.FLOAT: types.FLOAT, K.DOUBLE: types.DOUBLE, K.NULLPTR: types.NULLPTR,
}  # fmt: skip
NAMELESS = re.compile(r"\((lambda|unnamed \w+) at [^()]*\)")  # clang says where it stands
TABLE = "(virtual)"  # the member that says which virtual methods an object has


@dataclass(eq=False)
class Unknown(CType):
    """A type that kernels do not have: `__int128`, an array of a length that only the run knows."""

    name: str
    size = alignment = 1


HINTS = {
    **dict.fromkeys(("long double", "__float128"), "a GPU has `double` at most"),
    "__int128": "use two of 64 bits: __umul64hi(a, b) is the upper half of a product",
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
    """Types of one text, and those declarations of them that were `used`."""

    def __init__(self, answers: asking.Answers, place: Callable[[Cursor], Span]) -> None:
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
            case K.POINTER:
                return Pointer(self.read(type_.get_pointee()))
            case K.LVALUEREFERENCE | K.RVALUEREFERENCE:
                return Reference(self.read(type_.get_pointee()))
            case K.MEMBERPOINTER:
                struct = types.struct_of(self.read(type_.get_class_type()))
                return types.MemberPointer(self.read(type_.get_pointee()), struct)
            case K.CONSTANTARRAY | K.INCOMPLETEARRAY:
                element, name = self.read(type_.element_type), type_.spelling
                # clang shows it in the name alone
                is_const = "*const[" in name if "*" in name else name.startswith("const ")
                length = type_.element_count if kind is K.CONSTANTARRAY else None
                return Array(types.constant(element) if is_const else element, length)
            case K.FUNCTIONPROTO | K.FUNCTIONNOPROTO:
                given = type_.argument_types() if kind is K.FUNCTIONPROTO else ()
                return types.FunctionType(self.read(type_.get_result()), tuple(map(self.read, given)))
            case K.RECORD | K.ENUM:
                declaration = type_.get_declaration().canonical
                key = declaration.hash
                self.used[key] = declaration
                if key not in self._named and kind is K.ENUM:
                    underlying = self.read(declaration.enum_type)
                    assert isinstance(underlying, Number)
                    self._named[key] = types.Enumeration(declaration.type.spelling, underlying)
                elif key not in self._named:
                    try:
                        self._struct(type_, declaration, key)
                    except asking.Asked:  # another reader has the answer; the next kernel asks this one again
                        del self._named[key]
                        raise
                return self._named[key]
        return Unknown(NAMELESS.sub(r"(\1)", type_.spelling))

    def _struct(self, type_: Type, declaration: Cursor, key: int) -> None:
        name = NAMELESS.sub(r"(\1)", declaration.type.spelling)
        if name in types.VECTORS:
            vector = self._named[key] = types.VECTORS[name]
            self.declarations[vector] = declaration.get_definition() or declaration
            fields_ = zip(vector.fields or (), type_.get_fields(), strict=True)
            self._parts[vector] = [(field.offset, field.type, cursor) for field, cursor in fields_]
            return
        struct = Struct(name, is_union=declaration.kind is CursorKind.UNION_DECL)
        self._named[key] = struct  # before its members, which may point to it
        if type_.get_size() < 0:
            return
        definition = self.declarations[struct] = declaration.get_definition() or declaration
        struct.size, struct.alignment = type_.get_size(), type_.get_align()
        struct.bases = self.bases(struct)
        parts = self._parts[struct] = list(self._bases_at(struct, self._has_table(definition)))
        members = list(type_.get_fields())
        own = {name_of(field) for field in members}
        fields: list[Field] = []
        for at, part, _ in parts:
            assert isinstance(part, Struct)
            for one in part.fields or ():
                taken = one.name in own or (at and one.name == TABLE)
                fields.append(Field(f"{part}::{one.name}" if taken else one.name, one.type, at + one.offset))
        if self._has_table(definition) and not any(map(has_table, struct.bases)):
            fields.insert(0, Field(TABLE, types.ULONG, 0))
        end = max((one.offset + one.type.size for one in fields), default=0)
        bits, held = self._bit_fields(struct, members, end), dict[tuple[int, Number], list[str]]()
        for field in members:
            if field.is_bitfield():
                if found := bits.get(field.hash):
                    parts.append((0, found, field))
                    self.bits[field.hash] = found
                    for piece in found.pieces:
                        held.setdefault((piece.offset, piece.unit), []).append(field.spelling)
                continue
            member, offset = self.read(field.type), field.get_field_offsetof() // 8
            if isinstance(member, Reference):
                member = Pointer(member.target)
            known = f"captured{len(fields)}" if struct.name.startswith("(lambda") else name_of(field)
            fields.append(Field(known, member, offset))
            parts.append((offset, member, field))
        names, struct.has_bits = [one.name for one in fields], bool(held)
        for (offset, unit), inside in held.items():
            name = "_".join(inside)
            names.append(name if name not in names else f"{name}_{offset}")
            fields.append(Field(names[-1], unit, offset))
        struct.fields = sorted(fields, key=lambda one: one.offset)
        plain = not struct.bases and type_.is_pod()
        end = max((one.offset + one.type.size for one in fields), default=0)
        self._used_bytes[struct] = struct.size if plain else end

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
            aligned = struct.alignment
            if struct.is_union:
                held_in = [layout.units([extent], (0, struct.size), aligned) for extent in extents]
            else:
                held_in = [layout.units(extents, (end, start), aligned)] * len(named) if named else []
            for one, extent, places in zip(named, extents, held_in, strict=True):
                found[one.hash] = layout.bits_of(self.read(one.type), extent, places)
            run = []
            if field is not None:
                size = 0 if field.is_bitfield() else max(field.type.get_size(), 0)
                end = size - (-field.get_field_offsetof() // 8)
        return found

    def parts(self, struct: Struct) -> list[tuple[int, CType, Cursor | None]]:
        """Its bases and members in order: where each begins, its type, and a member's declaration."""
        return self._parts[struct]

    def names(self, type_: CType, field: Cursor | None) -> set[str]:
        """What is a member called where it gets a value? One without a name as its own members are."""
        if field is None or name_of(field) or not isinstance(type_, Struct):
            return set() if field is None else {field.spelling}
        return set[str]().union(*(self.names(part, one) for _, part, one in self.parts(type_)))

    def subobjects(self, struct: Struct, part: Struct, nameless: bool = False) -> Iterator[int]:
        """Where in a struct do bases of a type begin, or itself? Or, too, its members without a name."""
        if struct is part:
            yield 0
        for offset, type_, field in self.parts(struct):
            if isinstance(type_, Struct) and (field is None or (nameless and not name_of(field))):
                yield from (offset + inner for inner in self.subobjects(type_, part, nameless))

    def _bases_at(self, struct: Struct, table: bool) -> Iterator[tuple[int, CType, None]]:
        """Where bases lie in the ABI of Linux: the first that has a table leads, empty ones take no room."""
        leading = next((base for base in struct.bases if has_table(base)), None)
        end = self._used_bytes[leading] if leading else types.POINTER_BYTES if table else 0
        empty: list[tuple[int, Struct]] = []
        for base in struct.bases:
            used = self._used_bytes.get(base, base.size)
            offset = 0 if base is leading else -(-end // base.alignment) * base.alignment
            if not used or not base.fields:
                offset = 0 if all(other is not base for _, other in empty) else offset
                empty.append((offset, base))
            elif base is not leading:
                end = offset + used
            yield offset, base, None

    def default(self, field: Cursor | None) -> Cursor | None:
        """The initializer that stands with a member; of a bit-field, clang shows it as text alone."""
        if field is not None and field.is_bitfield():
            written = re.search("[={].*", clang.printed(field))
            question = written and f"static {field.type.spelling} {{name}} {written[0]};"
            return question and shapes.initializer(self._answers.to(question))
        below = [] if field is None else [one for one in clang.children(field) if one.kind.is_expression()]
        return below[-1] if below and re.search("[={]", clang.printed(field)) else None

    @staticmethod
    def derives(struct: CType, base: CType) -> bool:
        """Is one a base of the other, or of its bases?"""
        assert isinstance(struct, Struct)
        return any(one is base or TypeReader.derives(one, base) for one in struct.bases)

    def bases(self, struct: Struct) -> list[Struct]:
        declaration = self.declarations[struct]
        template = None if clang.children(declaration) else clang.template_of(declaration)
        found = []
        for child in clang.children(template or declaration):
            if child.kind is CursorKind.CXX_BASE_SPECIFIER:
                if re.search(r"\bvirtual\b", clang.text(child)):
                    what = "a virtual base is not supported in a kernel"
                    raise UnsupportedConstruct(what, self._place(child), "derive without `virtual`")
                known = isinstance(self.read(child.type), Struct)
                given = [child.type] if known else self._answers.bases(template, child, declaration.type)
                found += [types.struct_of(self.read(one)) for one in given]
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
