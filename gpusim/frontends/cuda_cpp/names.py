"""What does a name stand for? Variables, members, elements, special registers, functions."""

from __future__ import annotations

from clang.cindex import Cursor, CursorKind

from gpusim.frontends import collectives, fold
from gpusim.frontends.cuda_cpp import changed, clang, layout, types, values
from gpusim.frontends.cuda_cpp.conditions import place_of
from gpusim.frontends.cuda_cpp.layout import taken
from gpusim.frontends.cuda_cpp.lowering import Lowering
from gpusim.frontends.cuda_cpp.operators import address_of, advanced, pointee
from gpusim.frontends.cuda_cpp.types import bare
from gpusim.ir.details import SpecialRegister
from gpusim.ir.instructions import ArrayOperand
from gpusim.ir.types import Space

K = CursorKind
SPECIAL_VECTORS = {
    name: {axis: SpecialRegister(f"{register}.{axis}") for axis in "xyz"}
    for name, register in {
        "threadIdx": "tid", "blockIdx": "ctaid", "blockDim": "ntid", "gridDim": "nctaid"
    }.items()
}  # fmt: skip


def named(low: Lowering, cursor: Cursor) -> values.Result:
    """A variable, a function, an enumerator."""
    declaration = cursor.referenced
    if declaration is None:  # a number that is an argument of a template
        below = clang.children(cursor)
        return low.evaluate(below[-1]) if below else low.number(cursor)
    return declared(low, declaration, cursor)


def declared(low: Lowering, declaration: Cursor, cursor: Cursor) -> values.Result:
    """What a declaration stands for where `cursor` names it."""
    kind = declaration.kind
    if kind is K.ENUM_CONSTANT_DECL:
        type_ = bare(low.type(cursor))
        return values.NumberValue(type_, fold.constant(declaration.enum_value, layout.register_of(type_)))
    if kind in clang.FUNCTIONS:
        return values.FunctionValue(declaration)
    found = low.frame.find(declaration.hash)
    if found is not None:
        return found
    if low.unit.is_special(declaration):
        if declaration.spelling == "warpSize":
            return _special(low, SpecialRegister.WARPSIZE, types.INT)
        registers = SPECIAL_VECTORS[declaration.spelling].values()
        vector = types.VECTORS["uint3" if declaration.spelling.endswith("x") else "dim3"]
        return values.StructValue(vector, tuple(_special(low, one, types.UINT) for one in registers))
    return low.unit.outside(low, declaration)


def _special(low: Lowering, register: SpecialRegister, type_: types.Number) -> values.NumberValue:
    return values.NumberValue(type_, collectives.special(low.site, register, type_.scalar))


def this(low: Lowering, _cursor: Cursor) -> values.Value:
    """The object, as `this` points to it."""
    return address_of(low, low.frame.this)


def member(low: Lowering, cursor: Cursor) -> values.Result:
    """`owner.name`, `pointer->name`, and `name` in a method."""
    declaration, children = cursor.referenced, clang.children(cursor)
    # template arguments may follow a name that stands alone; in a macro, all stands at one place
    alone = clang.begin(cursor) == clang.offset(cursor.location)[1]
    alone = alone and clang.text(cursor).startswith(declaration.spelling)
    owners = [] if alone else [child for child in children if child.kind.is_expression()]
    if declaration.kind in (K.VAR_DECL, K.ENUM_CONSTANT_DECL):
        return declared(low, declaration, cursor)
    if owners and owners[0].kind is K.DECL_REF_EXPR and low.unit.is_special(owners[0].referenced):
        register = SPECIAL_VECTORS[owners[0].spelling].get(cursor.spelling)
        if register is not None:
            return _special(low, register, types.UINT)
    owner = _owner(low, owners[0]) if owners else low.frame.this
    if declaration.kind in clang.FUNCTIONS:
        return values.FunctionValue(declaration, as_object(low, owner))
    low.go_to(cursor)
    return field_of(low, owner, declaration)


def _owner(low: Lowering, cursor: Cursor) -> values.Result:
    result = place_of(low, cursor)
    if isinstance(bare(result.type), types.Pointer):
        pointer = low.read(result)
        if not isinstance(pointer, values.PointerValue):
            raise low.refused(f"`{low.text(cursor)}` as an object")
        return pointee(pointer)
    if isinstance(result, values.StructValue) and low.unit.classes.ends(result.type):
        return low.temporary(result)
    return result


def as_object(low: Lowering, owner: values.Result) -> values.Place:
    """The place of an object; a value is put into a variable."""
    return low.temporary(owner) if isinstance(owner, values.StructValue) else owner  # type: ignore[return-value]


def field_of(low: Lowering, owner: values.Result, declaration: Cursor) -> values.Result:
    """The member that a declaration names, of an object."""
    struct = types.struct_of(owner.type)
    home = types.struct_of(low.unit.types.read(declaration.semantic_parent.type))
    start = next(low.unit.types.subobjects(struct, home, nameless=True), None)
    if start is None:
        raise low.refused(f"`{declaration.spelling}` of `{struct}`")
    type_: types.CType | None = low.unit.types.bits.get(declaration.hash)
    if type_ is None:
        start += declaration.get_field_offsetof() // 8
        type_ = low.unit.types.read(declaration.type)
        type_ = types.constant(type_) if types.is_const(owner.type) else type_
    return part_of(low, owner, start, type_)


def part_of(low: Lowering, owner: values.Result, offset: int, type_: types.CType) -> values.Result:
    """The part of an object `offset` bytes on. A member that is a reference is what it refers to."""
    if isinstance(type_, types.Reference):
        value = low.read(part_of(low, owner, offset, types.Pointer(type_.target)))
        assert isinstance(value, values.PointerValue)
        return pointee(value)
    if isinstance(owner, values.Place):
        return owner.part(offset, type_)
    if not isinstance(owner, values.StructValue):
        raise low.refused(f"a member of `{owner.type}`")
    if isinstance(type_, types.Bits):
        units = [part_of(low, owner, offset + piece.offset, piece.unit) for piece in type_.pieces]
        numbers = [low.operand(low.read(unit)) for unit in units]
        return values.NumberValue(bare(type_), taken(low.site, type_, numbers))
    inner = bare(type_)
    if isinstance(inner, types.Array) or owner.type.is_union:
        address = low.local(owner.type.name, owner.type)
        low.store(address, owner)
        return values.Place(type_, address.moved(offset))
    offsets, wanted = [leaf.offset for leaf in layout.leaves(owner.type)], list(layout.leaves(type_))
    if not wanted:
        return values.StructValue(inner, ())  # type: ignore[arg-type]
    first = offsets.index(offset + wanted[0].offset)
    found = owner.leaves[first : first + len(wanted)]
    return values.StructValue(inner, found) if isinstance(inner, types.Struct) else found[0]


def element(low: Lowering, cursor: Cursor) -> values.Place:
    left, right = clang.children(cursor)
    base = low.pointed(low.value(left))
    base, index = low.kept(base) if changed.assigns(right) else base, low.pointed(low.value(right))
    if isinstance(index, values.PointerValue):
        base, index = index, base
    if not isinstance(base, values.PointerValue) or not isinstance(index, values.NumberValue):
        raise low.refused(f"`{low.text(cursor)}`")
    low.go_to(cursor)
    return pointee(values.PointerValue(base.type, advanced(low, base, index.operand)))


def symbol(low: Lowering, name: str, type_: types.CType, space: Space) -> values.Place:
    """A variable of the device: an array that follows the kernel's parameters."""
    if name not in low.symbols:
        low.symbols[name] = ArrayOperand(name, layout.element_of(type_), 1, space, pointer=True)
    return values.Place(type_, values.Address(low.symbols[name]))
