"""What do `memcpy`, `memmove` and `memset` do? They move one object as a whole, all else in a loop.

`memcpy(&bits, &number, 4)` of two variables in registers is one move; loops are in `prelude/copying.h`.
"""

from __future__ import annotations

from collections.abc import Sequence

from clang.cindex import Cursor, CursorKind

from gpusim.frontends.cuda_cpp import clang, types
from gpusim.frontends.cuda_cpp.bit_fields import UNITS
from gpusim.frontends.cuda_cpp.conversions import converted
from gpusim.frontends.cuda_cpp.functions.prototypes import Builtin
from gpusim.frontends.cuda_cpp.initializers import zero
from gpusim.frontends.cuda_cpp.inlining import inline
from gpusim.frontends.cuda_cpp.layout import scalar_of
from gpusim.frontends.cuda_cpp.lowering import Lowering
from gpusim.frontends.cuda_cpp.memory import has_array
from gpusim.frontends.cuda_cpp.types import ULONG, Pointer, bare
from gpusim.frontends.cuda_cpp.values import NumberValue, PointerValue, Value
from gpusim.ir.instructions import Constant
from gpusim.ir.types import PRED

K = CursorKind
CASTS = K.CSTYLE_CAST_EXPR, K.CXX_REINTERPRET_CAST_EXPR, K.CXX_STATIC_CAST_EXPR
WRAPPERS = K.UNEXPOSED_EXPR, K.PAREN_EXPR, *CASTS


def moved(low: Lowering, chosen: Builtin, arguments: Sequence[Cursor], cursor: Cursor) -> Value:
    """A call of one of the three; its value is where the bytes went."""
    into = _pointer(low, arguments[0])
    second = low.value(arguments[1]) if chosen.family == "memset" else _pointer(low, arguments[1])
    count = converted(low, low.value(arguments[2]), ULONG)
    assert isinstance(count, NumberValue)
    low.go_to(cursor)
    size = int(count.operand.value) if isinstance(count.operand, Constant) else None
    value = _whole(low, into, second) if size == bare(into.type.target).size else None
    if value is not None:
        low.store(into.address, value)
        return converted(low, into, chosen.result)
    pointers = [into, second] if isinstance(second, PointerValue) else [into]
    unit = UNITS[min(8, *(_alignment(pointer) for pointer in pointers))]
    given = [PointerValue(Pointer(unit), pointer.address) for pointer in pointers]
    rest = [count] if isinstance(second, PointerValue) else [second, count]
    inline(low, low.unit.function(f"gpusim_{chosen.name}<{unit}>"), [*given, *rest], None, cursor)
    return converted(low, into, chosen.result)


def _pointer(low: Lowering, cursor: Cursor) -> PointerValue:
    """A pointer as it was before it became one to `void`: what it points to says how it is aligned."""
    while cursor.kind in WRAPPERS and isinstance(bare(low.type(cursor)), Pointer):
        inner = clang.children(cursor)[-1]
        if not isinstance(bare(low.type(inner)), Pointer | types.Array):
            break
        cursor = inner
    value = low.pointed(low.value(cursor))
    value = low.kept(value if isinstance(value, PointerValue) else converted(low, value, Pointer(types.VOID)))
    assert isinstance(value, PointerValue)
    return value


def _alignment(pointer: PointerValue) -> int:
    target = bare(pointer.type.target)
    return 1 if isinstance(target, types.Void | types.FunctionType) else target.alignment


def _whole(low: Lowering, into: PointerValue, second: Value) -> Value | None:
    """What is moved into an object all of which is written; None where that is no number or plain struct."""
    type_ = bare(into.type.target)
    if isinstance(type_, types.Void | types.FunctionType) or has_array(type_):
        return None
    if isinstance(second, NumberValue):
        return zero(type_) if second.operand == Constant(0, second.operand.type) else None
    assert isinstance(second, PointerValue)
    source = bare(second.type.target)
    numbers = {scalar_of(type_), scalar_of(source)}.isdisjoint((None, PRED)) and source.size == type_.size
    alike = numbers or types.same_apart_from_const(type_, source)
    return low.load(second.address, type_) if alike else None
