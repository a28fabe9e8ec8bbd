"""How is a variable of a function declared?"""

from __future__ import annotations

from collections.abc import Iterator

from clang.cindex import Cursor, CursorKind, StorageClass, TLSKind, TypeKind

from gpusim.frontends.cuda_cpp import clang, conditions, conversions, layout, objects, shapes, types
from gpusim.frontends.cuda_cpp.initializers import initial
from gpusim.frontends.cuda_cpp.inlining import held, materialized, referred
from gpusim.frontends.cuda_cpp.lowering import Lowering
from gpusim.frontends.cuda_cpp.names import part_of
from gpusim.frontends.cuda_cpp.types import Array, CType, Reference, Struct, bare, is_const
from gpusim.frontends.cuda_cpp.values import Address, FunctionValue, Place, Result, StructValue
from gpusim.ir.instructions import ArrayOperand
from gpusim.ir.types import Space

K = CursorKind


def declare(low: Lowering, cursor: Cursor) -> Result:
    low.go_to(cursor)
    result = low.frame.names[cursor.hash] = _declared(low, cursor)
    return result


def _declared(low: Lowering, cursor: Cursor) -> Result:
    type_, name = low.type(cursor), cursor.spelling
    value = shapes.initializer(cursor)
    if "__shared__" in clang.attributes(cursor):
        return shared(low, cursor, type_)
    if cursor.tls_kind is not TLSKind.NONE:
        raise low.refused("`thread_local`", "leave it out: each thread has variables of its own")
    is_static = cursor.storage_class is StorageClass.STATIC
    if is_static and not is_const(type_):
        return low.unit.outside(low, cursor)
    key, inner = (low.frame.path, clang.begin(cursor)), bare(type_)
    if value is not None and is_static and isinstance(inner, Array | Struct):
        return low.unit.table(low, cursor, type_, value)
    if isinstance(type_, Reference):
        assert value is not None
        inside, named = _of_temporary(value), clang.inner(value)
        itself = inside and types.alike(low.type(named), type_.target)
        result = conditions.place_of(low, named if itself else value)
        if isinstance(result, Place) and inside:
            low.ends_with_block(result, cursor)
        if isinstance(result, Place | FunctionValue):
            return referred(low, result, type_.target) if isinstance(result, Place) else result
        place = materialized(low, conversions.converted(low, result, type_.target), name, key)
        _end_with_block(low, cursor, place)
        return place
    if isinstance(inner, Array) and inner.length is None:
        raise low.wrong(f"`{name}` has no length", "give it one, or initial values")
    if value is not None and is_const(type_) and not isinstance(inner, Struct | Array):
        return low.known(cursor, type_) or held(low, low.kept(initial(low, type_, value)))
    if value is not None and not isinstance(inner, Array | Struct):
        first = initial(low, type_, value)
        low.go_to(cursor)
        place = low.variable(name, type_, key)
        low.write(place, first)
        return place
    place = low.frame.names[cursor.hash] = low.variable(name, type_, key)
    if value is None:
        objects.default(low, place)
    else:
        objects.start(low, place, value)
    _end_with_block(low, cursor, place)
    return place


def _of_temporary(cursor: Cursor) -> bool:
    """Is it a part of an object without a name: `f().member`, `f().array[1]`?"""
    inner = whole = clang.inner(cursor)
    while whole.kind in (K.MEMBER_REF_EXPR, K.ARRAY_SUBSCRIPT_EXPR) and (below := clang.children(whole)):
        whole = clang.inner(below[0])
        if whole.type.get_canonical().kind is TypeKind.POINTER:
            return False
    return whole is not inner and objects.is_new(whole)


def _end_with_block(low: Lowering, cursor: Cursor, place: Place) -> None:
    if low.unit.classes.ends(place.type):
        low.frame.scopes[-1].objects.append((clang.begin(cursor), place))


def shared(low: Lowering, cursor: Cursor, type_: CType) -> Result:
    """`__shared__ float tile[32]`, and `extern __shared__ float tile[]`."""
    name = cursor.spelling
    # what a launch adds begins at the same place, under whatever name
    of_launch, element = isinstance(type_, Array) and type_.length is None, layout.element_of(type_)
    key = (name, element) if of_launch else ("shared", cursor.hash)
    if key not in low.dynamic and of_launch:
        low.dynamic[key] = ArrayOperand(name, element, 1, Space.SHARED, pointer=True)
    elif key not in low.dynamic:
        low.dynamic[key] = low.storage(name, type_, Space.SHARED, shapes.alignment(cursor))
    return Place(type_, Address(low.dynamic[key]))


def _named_parts(low: Lowering, struct: Struct, start: int = 0) -> Iterator[tuple[int, CType]]:
    """The members of a struct, and where they begin; those of a tuple are one by one in tuples."""
    for offset, type_, field in low.unit.types.parts(struct):
        if struct.name.startswith("std::tuple<") and field is not None and field.spelling == "more":
            yield from _named_parts(low, types.struct_of(type_), start + offset)
        else:
            yield start + offset, type_


def bind(low: Lowering, cursor: Cursor) -> None:
    """`auto [a, b] = pair;`: names for the members of a struct, or the elements of an array."""
    below = clang.children(cursor)
    names = [child for child in below if child.kind is K.UNEXPOSED_DECL]
    if not names or not below[-1].kind.is_expression():
        return
    low.go_to(cursor)
    array = isinstance(bare(low.type(cursor)), Array)
    whole = clang.children(below[-1])[0] if array and below[-1].kind is K.UNEXPOSED_EXPR else below[-1]
    found, key = conditions.place_of(low, whole), (low.frame.path, clang.begin(cursor))
    refers = clang.text(cursor).split("[")[0].rstrip().endswith("&")
    if not refers or isinstance(found, StructValue):  # `auto&& [a, b] = f();`
        if isinstance(found, Place) and isinstance(bare(found.type), Array):
            source, found = found, low.variable(names[0].spelling, found.type, (*key, "copy"))
            objects.copy_object(low, found, source)
        else:
            found = materialized(low, low.read(found), names[0].spelling, key)
        _end_with_block(low, cursor, found)
    inner = bare(found.type)
    if isinstance(inner, Array):
        parts = [(place * inner.element.size, inner.element) for place in range(len(names))]
    elif isinstance(inner, Struct):
        parts = list(_named_parts(low, inner))
    else:
        raise low.refused(f"a structured binding of `{inner}`", "name the members")
    for name, (offset, type_) in zip(names, parts, strict=True):
        low.frame.names[name.hash] = part_of(low, found, offset, type_)
