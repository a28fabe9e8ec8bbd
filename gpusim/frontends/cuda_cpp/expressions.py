"""What do literals, operators and assignments give?"""

from __future__ import annotations

from clang.cindex import Cursor, CursorKind

from gpusim.frontends import fold
from gpusim.frontends.cuda_cpp import changed, clang, conditions, dispatch, types, values
from gpusim.frontends.cuda_cpp.conversions import base_offset, based, converted, decayed
from gpusim.frontends.cuda_cpp.inlining import materialized
from gpusim.frontends.cuda_cpp.lowering import Lowering
from gpusim.frontends.cuda_cpp.operators import address_of, binary, pointee, unary
from gpusim.frontends.cuda_cpp.types import BOOL, INT, Pointer, bare
from gpusim.ir.instructions import Constant
from gpusim.ir.types import S32

K = CursorKind


def operator(low: Lowering, cursor: Cursor) -> values.Result:
    """`a + b`, `a && b`, `a = b`, `a, b`."""
    sign = clang.sign(cursor)
    left, right = clang.children(cursor)
    if sign in conditions.LOGICAL:
        return conditions.logical(low, cursor)
    if sign == "=":
        value, place = _sides(low, left, right)
        low.go_to(cursor)
        low.write(place, converted(low, value, place.type))
        return place
    if sign == ",":
        low.discard(left)
        return low.evaluate(right)
    if sign in dispatch.SIGNS:
        return dispatch.used(low, cursor)
    one = low.value(left)
    if isinstance(one, values.NumberValue) and changed.assigns(right):
        one = low.kept(one)
    sides = (low.pointed(side) for side in (one, low.value(right)))
    one, other = (decayed(low, side) if isinstance(side, values.FunctionValue) else side for side in sides)
    low.go_to(cursor)
    wide = types.ULONG if isinstance(bare(one.type), Pointer | types.MemberPointer) else None
    operand_type = types.number_type(low.type(left)) or wide or types.number_type(low.type(cursor)) or INT
    return binary(low, sign, one, other, operand_type)


def single(low: Lowering, cursor: Cursor) -> values.Result:
    """`-x`, `!x`, `*p`, `&x`, `++x`, `x--`."""
    sign, inner = clang.sign(cursor), clang.children(cursor)[0]
    match sign:
        case "!":
            return values.NumberValue(BOOL, fold.negated(low.site, conditions.flag(low, inner)))
        case "*":
            value = low.pointed(low.value(inner))
            low.go_to(cursor)
            # else a function, or a pointer to one
            return pointee(value) if isinstance(value, values.PointerValue) else value
        case "&" if isinstance(type_ := bare(low.type(cursor)), types.MemberPointer):
            return dispatch.pointer_to_member(low, type_, inner)
        case "&":
            result = conditions.place_of(low, inner)
            if isinstance(result, values.FunctionValue):
                return result
            place = result if isinstance(result, values.Place) else _placed(low, inner, result)
            return address_of(low, place)
        case "++p" | "--p" | "p++" | "p--":
            return _stepped(low, cursor, sign, inner)
        case "-" | "+" | "~":
            value = low.value(inner)
            low.go_to(cursor)
            return unary(low, sign, value, types.number_type(low.type(cursor)) or INT)
        case "__extension__":
            return low.evaluate(inner)
    raise low.refused(f"`{sign}`")


def _placed(low: Lowering, cursor: Cursor, value: values.Value) -> values.Place:
    """A constant is its value, until its address is asked for."""
    declaration = cursor.referenced if cursor.kind is K.DECL_REF_EXPR else None
    if declaration is None or isinstance(value, values.VoidValue | values.FunctionValue | values.TextValue):
        raise low.wrong(f"`{low.text(cursor)}` is a value: it has no address", "store it in a variable")
    key = low.frame.path, declaration.hash, "constant"
    place = low.frame.names[declaration.hash] = materialized(low, value, declaration.spelling, key)
    return place


def for_effect(low: Lowering, cursor: Cursor) -> None:
    """`x++;` without its old value; `a = b;` is not read back, nor are the sides of `a, b`; `*p;` reads."""
    sign, below = clang.sign(cursor), clang.children(cursor)
    if sign in changed.STEPS:
        _stepped(low, cursor, sign.strip("p") + "p", below[0])
    elif sign == ",":
        for side in below:
            low.discard(side)
    elif len(below) == 2:
        operator(low, cursor)
    else:
        low.value(cursor)


def _stepped(low: Lowering, cursor: Cursor, sign: str, inner: Cursor) -> values.Result:
    place = low.evaluate(inner)
    if not isinstance(place, values.Place):
        raise low.wrong(f"`{low.text(inner)}` is const, or a value: it cannot be changed here")
    low.check_writable(place.address)
    low.go_to(cursor)
    before = low.read(place)
    if sign.startswith("p"):
        before = low.kept(before)
    _update(low, place, sign.strip("p")[0], before, values.NumberValue(INT, Constant(1, S32)))
    return before if sign.startswith("p") else place


def _update(low: Lowering, place: values.Place, sign: str, before: values.Value, value: values.Value) -> None:
    """`place = before sign value`, in the type that the usual arithmetic conversions give; C++17 [expr]."""
    narrow = isinstance(place.type, types.Bits) and place.type.width < 32  # it fits an int, even if unsigned
    one, other = types.number_type(INT if narrow else place.type), types.number_type(value.type)
    shifted = INT if sign in ("<<", ">>") else other
    type_ = INT if one is None or shifted is None else types.common(one, shifted)
    low.write(place, converted(low, binary(low, sign, before, value, type_), place.type))


def _sides(low: Lowering, left: Cursor, right: Cursor) -> tuple[values.Value, values.Place]:
    value = low.value(right)
    if changed.assigns(left):
        value = low.kept(value)
    place = conditions.place_of(low, left)
    if not isinstance(place, values.Place):
        raise low.wrong(f"`{low.text(left)}` cannot be assigned to")
    low.check_writable(place.address)
    return value, place


def compound(low: Lowering, cursor: Cursor) -> values.Place:
    value, place = _sides(low, *clang.children(cursor))
    low.go_to(cursor)
    _update(low, place, clang.sign(cursor)[:-1], low.read(place), value)
    return place


def cast(low: Lowering, cursor: Cursor) -> values.Result:
    """`(T)x`: a conversion; of an object to `T&`, the same place as another type."""
    inner, type_ = clang.children(cursor)[-1], low.type(cursor)
    result = conditions.place_of(low, inner)
    low.go_to(cursor)
    if isinstance(bare(type_), types.Void):
        low.unused(result)
        return values.VoidValue()
    if isinstance(result, values.Place):
        place, given, wanted = result, bare(result.type), bare(type_)
        if isinstance(given, types.Struct) and isinstance(wanted, types.Struct):
            ways = (given, wanted), (wanted, given)
            if given is wanted or any(base_offset(low, *way) is not None for way in ways):
                return based(low, place, type_)
        return pointee(values.PointerValue(Pointer(type_), address_of(low, place).address))
    return converted(low, result, type_)
