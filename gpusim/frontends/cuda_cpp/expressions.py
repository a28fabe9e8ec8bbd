"""What do literals, operators and assignments give?"""

from __future__ import annotations

from clang.cindex import Cursor, CursorKind

from gpusim.frontends import fold
from gpusim.frontends.cuda_cpp import clang, types, values
from gpusim.frontends.cuda_cpp.changed import STEPS, assigns
from gpusim.frontends.cuda_cpp.conditions import LOGICAL, flag, logical, place_of
from gpusim.frontends.cuda_cpp.conversions import base_offset, based, converted, decayed
from gpusim.frontends.cuda_cpp.lowering import Lowering
from gpusim.frontends.cuda_cpp.operators import address_of, binary, pointee, unary
from gpusim.frontends.cuda_cpp.types import BOOL, INT, Array, CType, Number, Pointer, bare
from gpusim.ir.instructions import Constant
from gpusim.ir.types import S32

K = CursorKind


def text(low: Lowering, cursor: Cursor) -> values.Value:
    """`"a text"`; one letter a byte."""
    return values.TextValue(low.type(cursor), clang.letters(cursor).decode("latin-1"))


def null(_low: Lowering, _cursor: Cursor) -> values.Value:
    """`nullptr`."""
    return values.PointerValue(types.NULLPTR, values.NULL)


# operators --------------------------------------------------------------------------------------------------


def operator(low: Lowering, cursor: Cursor) -> values.Result:
    """`a + b`, `a && b`, `a = b`, `a, b`."""
    sign = clang.sign(cursor)
    left, right = clang.children(cursor)
    if sign in LOGICAL:
        return logical(low, cursor)
    if sign == "=":
        return _assigned(low, left, right, cursor)
    if sign == ",":
        low.discard(left)
        return low.evaluate(right)
    if sign in (".*", "->*"):
        raise low.refused("a pointer to a member", "choose the member with an if")
    one = low.value(left)
    if (
        isinstance(one, values.NumberValue)
        and assigns(right)
        and not getattr(one.operand, "is_temporary", True)
    ):
        one = low.kept(one)
    sides = (low.pointed(side) for side in (one, low.value(right)))
    one, other = (decayed(low, side) if isinstance(side, values.FunctionValue) else side for side in sides)
    low.go_to(cursor)
    wide = types.ULONG if isinstance(bare(one.type), Pointer) else None
    operand_type = types.number_type(low.type(left)) or wide or types.number_type(low.type(cursor)) or INT
    return binary(low, sign, one, other, operand_type)


def single(low: Lowering, cursor: Cursor) -> values.Result:
    """`-x`, `!x`, `*p`, `&x`, `++x`, `x--`."""
    sign, inner = clang.sign(cursor), clang.children(cursor)[0]
    match sign:
        case "!":
            site = low.site
            return values.NumberValue(BOOL, fold.negated(site, flag(low, inner)))
        case "*":
            value = low.pointed(low.value(inner))
            low.go_to(cursor)
            # else a function, or a pointer to one
            return pointee(value) if isinstance(value, values.PointerValue) else value
        case "&":
            result = place_of(low, inner)
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
    if declaration is None or not isinstance(
        value, values.NumberValue | values.PointerValue | values.StructValue
    ):
        raise low.wrong(f"`{low.text(cursor)}` is a value: it has no address", "store it in a variable")
    place = low.variable(declaration.spelling, value.type, (low.frame.path, declaration.hash, "constant"))
    low.write(place, value)
    low.frame.names[declaration.hash] = place
    return place


def unary_for_effect(low: Lowering, cursor: Cursor) -> None:
    """`x++;` without its old value; `*p;` reads."""
    sign, inner = clang.sign(cursor), clang.children(cursor)[0]
    if sign in STEPS:
        _stepped(low, cursor, sign.strip("p") + "p", inner)
    else:
        low.value(cursor)


def binary_for_effect(low: Lowering, cursor: Cursor) -> None:
    """`a = b;` is not read back, nor are the sides of `a, b`."""
    if clang.sign(cursor) == ",":
        for side in clang.children(cursor):
            low.discard(side)
    else:
        operator(low, cursor)


def _stepped(low: Lowering, cursor: Cursor, sign: str, inner: Cursor) -> values.Result:
    place = low.place(inner)
    low.check_writable(place.address)
    low.go_to(cursor)
    before = low.read(place)
    if sign.startswith("p"):
        before = low.kept(before)
    one = values.NumberValue(INT, Constant(1, S32))
    after = binary(low, sign.strip("p")[0], before, one, _computed_in(_type_in(place), INT))
    low.write(place, converted(low, after, place.type))
    return before if sign.startswith("p") else place


def _type_in(place: values.Place) -> CType:
    """What an operator takes its left side for: a narrow bit-field fits an int, even an unsigned one."""
    narrow = isinstance(place.type, types.Bits) and place.type.width < 32
    return INT if narrow else place.type


def _computed_in(one: CType, other: CType) -> Number:
    """The type that an operator computes in: the usual arithmetic conversions, C++17 [expr]."""
    first, second = types.number_type(one), types.number_type(other)
    return INT if first is None or second is None else types.common(first, second)


def _assigned(low: Lowering, left: Cursor, right: Cursor, cursor: Cursor) -> values.Place:
    value, place = _sides(low, left, right)
    low.go_to(cursor)
    low.write(place, converted(low, value, place.type))
    return place


def _sides(low: Lowering, left: Cursor, right: Cursor) -> tuple[values.Value, values.Place]:
    """What is assigned, and to what."""
    value = low.value(right)
    if assigns(left):
        value = low.kept(value)
    place = place_of(low, left)
    if not isinstance(place, values.Place):
        raise low.wrong(f"`{low.text(left)}` cannot be assigned to")
    if isinstance(bare(place.type), Array):
        raise low.wrong(f"the array `{low.text(left)}` cannot be assigned to", "copy it in a loop")
    low.check_writable(place.address)
    return value, place


def compound(low: Lowering, cursor: Cursor) -> values.Place:
    """`a += b`."""
    left, right = clang.children(cursor)
    sign = clang.sign(cursor)[:-1]
    value, place = _sides(low, left, right)
    low.go_to(cursor)
    before = low.read(place)
    if sign in ("<<", ">>"):
        kind = types.number_type(_type_in(place))
        computed = INT if kind is None else types.promoted(kind)
    else:
        computed = _computed_in(_type_in(place), value.type)
    after = binary(low, sign, before, value, computed)
    low.write(place, converted(low, after, place.type))
    return place


# casts and sizes --------------------------------------------------------------------------------------------


def cast(low: Lowering, cursor: Cursor) -> values.Result:
    """`(T)x`: a conversion; of an object to `T&`, the same place as another type."""
    inner, type_ = clang.children(cursor)[-1], low.type(cursor)
    result = place_of(low, inner)
    low.go_to(cursor)
    if isinstance(result, values.Place) and not isinstance(bare(type_), types.Void):
        place, given, wanted = result, bare(result.type), bare(type_)
        if isinstance(given, types.Struct) and isinstance(wanted, types.Struct):
            ways = (given, wanted), (wanted, given)
            if given is wanted or any(base_offset(low, *way) is not None for way in ways):
                return based(low, place, type_)
        if isinstance(wanted, Pointer) and isinstance(given, Array):
            return converted(low, low.read(place), wanted)
        return pointee(values.PointerValue(Pointer(type_), address_of(low, place).address))
    return converted(low, result, type_)  # type: ignore[arg-type]


def measured(low: Lowering, cursor: Cursor) -> values.Value:
    """`sizeof(x)`, `alignof(T)`, `sizeof...(pack)`, `noexcept(x)`."""
    found = clang.constant(cursor)
    if not isinstance(found, int):
        raise low.refused(f"`{low.text(cursor)}`")
    return low.number(cursor)
