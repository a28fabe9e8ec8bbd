"""What becomes of a value in another type? clang has said where; here it becomes instructions."""

from __future__ import annotations

from typing import Any

from clang.cindex import Cursor, CursorKind

from gpusim.frontends import fold
from gpusim.frontends.cuda_cpp import clang, layout, memory, operators, types, values
from gpusim.frontends.cuda_cpp.lowering import Lowering
from gpusim.frontends.cuda_cpp.type_reader import unknown
from gpusim.frontends.cuda_cpp.types import bare
from gpusim.ir.instructions import Constant, Opcode, Operand
from gpusim.ir.types import PRED, S64, U64


def adapted(low: Lowering, result: values.Result, type_: types.CType) -> values.Result:
    """An implicit conversion: reading a place, another type, or the same object under another type."""
    wanted = bare(type_)
    whole = isinstance(result, values.FunctionValue | values.VoidValue)
    if whole or isinstance(wanted, types.FunctionType):
        return result
    if isinstance(result, values.StructValue) and isinstance(wanted, types.Struct):
        result = low.temporary(result) if result.type is not wanted else result
    if isinstance(result, values.Place) and not isinstance(result.type, types.Bits):
        given = bare(result.type)
        if isinstance(given, types.Struct) and isinstance(wanted, types.Struct):
            return based(low, result, type_)
        same_object = types.is_const(type_) and given == wanted
        if same_object or (isinstance(given, types.Array) and isinstance(wanted, types.Array)):
            return values.Place(type_, result.address)
    return converted(low, low.read(result), wanted)


def converted(low: Lowering, value: values.Value, type_: types.CType) -> values.Value:
    wanted = bare(type_)
    if isinstance(value, values.FunctionValue):
        value = decayed(low, value)
    if isinstance(wanted, types.Pointer) and value.type in low.unit.closures:
        value = decayed(low, as_function(low, value))
    if isinstance(value, values.TextValue) and isinstance(wanted, types.Pointer):
        return value
    value = low.pointed(value)
    given = bare(value.type)
    decayed_array = isinstance(wanted, types.Array) and isinstance(value, values.PointerValue)
    if given == wanted or decayed_array or isinstance(wanted, types.FunctionType):
        return value  # (clang shows `int a[8]`, a parameter, as it was written)
    match wanted:
        case types.Number() | types.Enumeration() if isinstance(value, values.LeafValue):
            if wanted is types.BOOL:
                return values.NumberValue(wanted, truth(low, value))
            return values.NumberValue(wanted, low.cast(low.operand(value), wanted.scalar))
        case types.MemberPointer():
            return _member(low, value, wanted)
        case types.Pointer() if isinstance(value, values.PointerValue):
            return _pointer(low, value, wanted)
        case types.Pointer() if isinstance(value, values.NumberValue):
            return memory.held_in(wanted, low.cast(value.operand, U64))
        case types.Void():
            return values.VoidValue(wanted)
        case types.Struct() if isinstance(value, values.StructValue):
            if (offset := base_offset(low, value.type, wanted)) is not None:
                pairs = zip(layout.leaves(value.type), value.leaves, strict=True)
                known = {leaf.offset - offset: part for leaf, part in pairs}
                return values.StructValue(wanted, tuple(known[leaf.offset] for leaf in layout.leaves(wanted)))
    raise low.refused(*(unknown(wanted) or unknown(given) or (f"`{given}` as `{wanted}`",)))


def _member(low: Lowering, value: values.Value, wanted: types.MemberPointer) -> values.NumberValue:
    """`nullptr`; or a member of a base, which in what is derived from it may lie further on."""
    given = bare(value.type)
    if not isinstance(value, values.NumberValue) or not isinstance(given, types.MemberPointer):
        return values.NumberValue(wanted, Constant(wanted.none, S64))
    number, distance = value.operand, 0 if wanted.of_method else _distance(low, wanted.struct, given.struct)
    if distance:
        some = fold.compared(low.site, Opcode.NE, number, Constant(given.none, S64))
        moved = fold.computed(low.site, Opcode.ADD, number, Constant(distance, S64))
        number = fold.select(low.site, some, moved, number)
    return values.NumberValue(wanted, number)


def _pointer(low: Lowering, value: values.PointerValue, wanted: types.Pointer) -> values.Value:
    """Another type of what is pointed to; a base may lie further on, a derived object further back."""
    if isinstance(bare(wanted.target), types.FunctionType):
        return values.NumberValue(wanted, low.as_number(value.address))
    distance = 0 if value.address.is_null else _distance(low, value.type.target, wanted.target)
    return values.PointerValue(wanted, value.address.moved(distance))


def base_offset(low: Lowering, struct: types.Struct, base: types.Struct) -> int | None:
    """Where in a struct does a base of it begin? None if it is none."""
    return next(low.unit.types.subobjects(struct, base), None)


def _distance(low: Lowering, source: types.CType, target: types.CType) -> int:
    """How far on does a base begin, or how far back what is derived from it?"""
    one, other = bare(source), bare(target)
    if not isinstance(one, types.Struct) or not isinstance(other, types.Struct) or one is other:
        return 0
    return base_offset(low, one, other) or -(base_offset(low, other, one) or 0)


def based(low: Lowering, place: values.Place, type_: types.CType) -> values.Place:
    """The same object, or the part of it that a base is."""
    return values.Place(type_, place.address.moved(_distance(low, place.type, type_)))


class Outcome:
    """One variable for what several ways give, of which each lane goes one; for a reference, a pointer."""

    def __init__(self, low: Lowering, type_: types.CType, name: str, key: Any) -> None:
        self.low, self.refers = low, isinstance(type_, types.Reference)
        held_as = types.Pointer(type_.target) if isinstance(type_, types.Reference) else bare(type_)
        self.place = None if isinstance(held_as, types.Void) else low.variable(name, held_as, key)

    def put(self, given: values.Result, cursor: Cursor | None = None) -> None:
        """A way ends with this, made at the cursor."""
        if self.place is None:
            return
        if self.refers and isinstance(given, values.Place):
            given = operators.address_of(self.low, given)
        value = converted(self.low, self.low.read(given), self.place.type)
        if cursor is not None:
            self.low.go_to(cursor)
        self.low.write(self.place, value)

    def found(self) -> values.Result:
        """What the ways gave, behind them."""
        value = values.VoidValue() if self.place is None else self.low.read(self.place)
        refers = self.refers and isinstance(value, values.PointerValue)
        return operators.pointee(value) if refers else value  # type: ignore[arg-type]


def decayed(low: Lowering, value: values.FunctionValue) -> values.Value:
    """A function as a pointer to it: its number."""
    number = low.unit.number_of(value.declaration)
    type_ = low.unit.types.read(value.declaration.type)
    return values.NumberValue(types.Pointer(type_), Constant(number, U64))


def as_function(low: Lowering, closure: values.Result) -> values.FunctionValue:
    """A lambda without captures as the function that it is."""
    for method in clang.children(low.unit.types.declarations[types.struct_of(closure.type)]):
        if method.kind is CursorKind.CXX_METHOD and method.spelling == "operator()":
            return values.FunctionValue(method)
    raise low.refused("a generic lambda as a pointer", "give its parameters types")


def truth(low: Lowering, value: values.Value) -> Operand:
    """A condition: not zero, not null."""
    if isinstance(value, values.TextValue | values.FunctionValue):
        return Constant(True, PRED)
    if isinstance(value, values.PointerValue):
        null = values.PointerValue(types.NULLPTR, values.NULL)
        return operators.compared_pointers(low, "!=", value, null).operand
    if not isinstance(value, values.NumberValue):
        raise low.wrong(f"a value of type {value.type} is not a condition")
    if isinstance(type_ := bare(value.type), types.MemberPointer):
        return fold.compared(low.site, Opcode.NE, value.operand, Constant(type_.none, S64))
    return low.cast(value.operand, PRED)
