"""What becomes of a value in another type? clang has said where; here it becomes instructions."""

from __future__ import annotations

from clang.cindex import CursorKind

from gpusim.frontends.cuda_cpp import clang, layout, operators, types, values
from gpusim.frontends.cuda_cpp.lowering import Lowering, retyped
from gpusim.frontends.cuda_cpp.type_reader import unknown
from gpusim.frontends.cuda_cpp.types import bare
from gpusim.ir.instructions import Constant, Operand
from gpusim.ir.types import PRED, U64


def adapted(low: Lowering, result: values.Result, type_: types.CType) -> values.Result:
    """An implicit conversion: reading a place, another type, or the same object under another type."""
    wanted = bare(type_)
    whole = isinstance(result, values.FunctionValue | values.VoidValue)
    if whole or isinstance(wanted, types.FunctionType):
        return result
    if isinstance(result, values.StructValue) and isinstance(wanted, types.Struct):
        result = low.temporary(result) if result.type is not wanted else result
    if isinstance(result, values.RegisterPlace | values.StructPlace | values.MemoryPlace):
        given = bare(result.type)
        if isinstance(given, types.Struct) and isinstance(wanted, types.Struct):
            return based(low, result, type_)
        same_object = types.is_const(type_) and given == wanted
        if same_object or (isinstance(given, types.Array) and isinstance(wanted, types.Array)):
            return retyped(result, type_)
    return converted(low, low.read(result, low.at), wanted)


def converted(low: Lowering, value: values.Value, type_: types.CType) -> values.Value:
    """The value in another type."""
    wanted = bare(type_)
    if isinstance(value, values.FunctionValue):
        value = decayed(low, value)
    if isinstance(wanted, types.Pointer) and value.type in low.unit.closures:
        value = decayed(low, as_function(low, value))
    if isinstance(value, values.TextValue) and isinstance(wanted, types.Pointer):
        return value
    value = low.pointed(value)
    given = bare(value.type or types.VOID)
    decayed_array = isinstance(wanted, types.Array) and isinstance(value, values.PointerValue)
    if given == wanted or decayed_array or isinstance(wanted, types.FunctionType):
        return value  # (clang shows `int a[8]`, a parameter, as it was written)
    match wanted:
        case types.Number() | types.Enumeration():
            if isinstance(value, values.PointerValue):
                if wanted is types.BOOL:
                    return values.NumberValue(types.BOOL, truth(low, value))
                number = low.as_number(value.address, low.at)
                return values.NumberValue(wanted, low.cast(number, wanted.scalar, low.at))
            if isinstance(value, values.NumberValue):
                return values.NumberValue(wanted, low.cast(value.operand, wanted.scalar, low.at))
        case types.Pointer():
            if isinstance(value, values.PointerValue):
                return _pointer(low, value, wanted)
            if isinstance(value, values.NumberValue):
                return _to_pointer(low, value, wanted)
        case types.Void():
            return values.VoidValue(wanted)
        case types.Struct():
            if isinstance(value, values.StructValue):
                return sliced(low, value, wanted)
    raise low.refused(*(unknown(wanted) or unknown(given) or (f"`{given}` as `{wanted}`",)))


def _pointer(low: Lowering, value: values.PointerValue, wanted: types.Pointer) -> values.Value:
    """Another type of what is pointed to; a base may lie further on, a derived object further back."""
    source, target, distance = bare(value.type.target), bare(wanted.target), 0
    if isinstance(target, types.FunctionType):
        return values.NumberValue(wanted, low.as_number(value.address, low.at))
    if isinstance(source, types.Struct) and isinstance(target, types.Struct) and source is not target:
        distance = base_offset(low, source, target) or -(base_offset(low, target, source) or 0)
    return values.PointerValue(wanted, value.address.moved(0 if value.address.is_null else distance))


def base_offset(low: Lowering, struct: types.Struct, base: types.Struct) -> int | None:
    """Where in a struct does a base of it begin? None if it is none."""
    return next(low.unit.types.subobjects(struct, base), None)


def based(low: Lowering, place: values.Place, type_: types.CType) -> values.Place:
    """The same object, or the part of it that a base is."""
    given, wanted = bare(place.type), bare(type_)
    assert isinstance(given, types.Struct)
    assert isinstance(wanted, types.Struct)
    offset = base_offset(low, given, wanted) if given is not wanted else 0
    if offset is None:
        offset = -(base_offset(low, wanted, given) or 0)
    if isinstance(place, values.StructPlace) and given is not wanted:
        return low.member(place, offset, type_)
    if isinstance(place, values.MemoryPlace):
        return values.MemoryPlace(type_, place.address.moved(offset))
    return retyped(place, type_)


def sliced(low: Lowering, value: values.StructValue, wanted: types.Struct) -> values.StructValue:
    """The part of an object that a base is."""
    offset = base_offset(low, value.type, wanted)
    if offset is None:
        raise low.refused(f"`{value.type}` as `{wanted}`")
    known = {leaf.offset: part for leaf, part in zip(layout.leaves(value.type), value.leaves, strict=True)}
    return values.StructValue(wanted, tuple(known[offset + leaf.offset] for leaf in layout.leaves(wanted)))


def _to_pointer(low: Lowering, value: values.NumberValue, wanted: types.Pointer) -> values.Value:
    if isinstance(bare(wanted.target), types.FunctionType):
        return values.NumberValue(wanted, low.cast(value.operand, U64, low.at))
    if isinstance(value.operand, Constant) and value.operand.value == 0:
        return values.PointerValue(wanted, values.NULL)
    return values.PointerValue(wanted, values.Address(None, ((low.cast(value.operand, U64, low.at), 1),)))


def decayed(low: Lowering, value: values.FunctionValue) -> values.Value:
    """A function as a pointer to it: its number."""
    number = low.unit.number_of(value.declaration)
    type_ = low.unit.types.read(value.declaration.type)
    return values.NumberValue(types.Pointer(type_), Constant(number, U64))


def as_function(low: Lowering, closure: values.Result) -> values.FunctionValue:
    """A lambda without captures as the function that it is."""
    struct = bare(closure.type or types.VOID)
    assert isinstance(struct, types.Struct)
    for method in clang.children(low.unit.types.declarations[struct]):
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
    return low.cast(value.operand, PRED, low.at)
