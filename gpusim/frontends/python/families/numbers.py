"""What does a function of numbers compute? One function a family; most make one instruction.

It is in the type that the function's own rule gives.
"""

from __future__ import annotations

import ast

import numpy as np

from gpusim.frontends import fold
from gpusim.frontends.python.arrays import element_named
from gpusim.frontends.python.builtins.intrinsics import Namespace
from gpusim.frontends.python.families.call import Call
from gpusim.frontends.python.lowering import Lowering
from gpusim.frontends.python.operators import binary, check_divisor
from gpusim.frontends.python.types import COMPLEX_OF, PART_OF
from gpusim.frontends.python.values import Static, Value, VectorValue, is_object, is_tuple
from gpusim.ir.details import TEXT_WORDS, Format
from gpusim.ir.instructions import Constant, Kind, Opcode, Operand, Register
from gpusim.ir.types import F16, F32, F64, PRED, S8, S32, S64, U8, U64, Scalar

MAX_PRINTED = 32
TRUE, FALSE = (Constant(int.from_bytes(text, "little"), U64) for text in (b"True", b"False"))  # letters
BEYOND = {Opcode.MIN: Opcode.LT, Opcode.MAX: Opcode.GT}


def _type(call: Call, numbers: list[Operand]) -> Scalar:
    """The type that a function computes in, by its rule."""
    called = call.called
    assert called.rule is not None
    type_ = called.rule(*(number.type for number in numbers))
    if type_ is None:
        given = " and ".join(str(number.type.dtype) for number in numbers)
        hint = "convert with int(…)" if not numbers[0].type.is_complex else "take .real, .imag or abs(…)"
        raise call.wrong(f"{called.home}{called.name}() does not take {given}", hint)
    return type_


def _taken(call: Call, count: int | None = None) -> tuple[Scalar, list[Operand]]:
    """The type that the function computes in, and its arguments in that type."""
    numbers = call.numbers(count)
    type_ = _type(call, numbers)
    return type_, [call.convert(number, type_) for number in numbers]


def _integer(call: Call, value: Value) -> Operand:
    number = call.lowering.number(value, call.node)
    if not number.type.is_integer and number.type is not PRED:
        raise call.wrong(f"{number.type.dtype} where an integer is needed", "convert with int(…)")
    return call.convert(number, S32)


def computed(call: Call) -> Value:
    """One instruction."""
    type_, operands = _taken(call)
    if call.called.result is PRED:
        return call.compute(call.called.detail, type_, *operands, result=PRED)
    value = call.compute(call.called.detail, type_, *operands)
    return call.convert(value, call.called.result or type_)


def named(call: Call) -> Value:
    """A function of the machine's library."""
    type_, operands = _taken(call)
    return call.by_name(call.called.detail, type_, *operands)


def scaled(call: Call) -> Value:
    """Times a constant."""
    type_, operands = _taken(call)
    return call.compute(Opcode.MUL, type_, *operands, Constant(call.called.detail, type_))


def extreme(call: Call) -> Value:
    """The least or greatest of numbers or of one tuple; of each two, in the type that holds both.

    Two float32 or float64 are one instruction, which drops a NaN. All else is compared and selected, as in
    Numba: there min(nan, 1, 2) is nan, and max(-0.0, 0) is -0.0.
    """
    items = call.arguments[0] if len(call.arguments) == 1 else tuple(call.arguments)
    if type(items) is not tuple or not items:
        raise call.wrong("wrong arguments", f"use {call.called.usage}")
    for item in items:
        call.lowering.mark_member(item, call.node, f"an argument of {call.called.name}()")
    booleans = sum(isinstance(item, Register | Constant) and item.type is PRED for item in items)
    if booleans and (booleans < len(items) or len(call.arguments) > 2):
        call.here_only(f"{call.called.name}() of a bool and other numbers", "convert it: int(…)")
    if len(call.arguments) == 1:
        for item in items:
            call.lowering.mark_maybe(item, call.node, "an item of a tuple")
    result, *others = [call.lowering.number(item, call.node) for item in items]
    selects = len(call.arguments) != 2 or not {result.type, others[0].type} <= {F32, F64}
    for number in others:
        type_ = _type(call, [result, number])
        result, other = call.convert(result, type_), call.convert(number, type_)
        if type_.is_float and selects:
            beyond = fold.compared(call.site, BEYOND[call.called.detail], other, result)
            result = fold.select(call.site, beyond, other, result)
        else:
            result = call.compute(call.called.detail, type_, result, other)
    return result


def limits(call: Call) -> Value:
    """`np.iinfo(type)` and `np.finfo(type)`, of a type or of a number of that type."""
    (of,), asked = call.arguments, getattr(np, call.called.name.removeprefix("np."))
    type_ = of.type if isinstance(of, Register | Constant) else element_named(call.lowering, of, call.node)
    if is_object(of, int) or is_object(of, float):
        call.here_only(f"{call.called.name}() of a type of Python's", f"name NumPy's: np.{type_.dtype}")
    if not isinstance(type_, Scalar) or type_.is_float != (asked is np.finfo) or type_ is PRED:
        raise call.wrong(
            f"{call.called.name}() does not take {type_.dtype}", "finfo is of floats, iinfo of the others"
        )
    found = asked(type_.dtype)
    return Static(Namespace(**{name: getattr(found, name) for name in call.called.detail}))


def power(call: Call) -> Value:
    """`pow(base, exponent)`."""
    base, exponent = call.arguments
    return binary(call.lowering, ast.Pow(), base, exponent, call.node)


def several(call: Call) -> Value:
    """Several results of the same numbers: `divmod`, `frexp`, `modf`."""
    type_, operands = _taken(call)
    types = [S32 if opcode is Opcode.EXPONENT else type_ for opcode in call.called.detail]
    if Opcode.FLOOR_DIV in call.called.detail:
        check_divisor(call.lowering, operands[1], call.node)
    return tuple(
        call.compute(opcode, type_, *operands)
        for opcode, type_ in zip(call.called.detail, types, strict=True)
    )


def rounded(call: Call) -> Value:
    """To an integer, or to a number of digits: then the result is floating-point."""
    (number,), digits = call.numbers(1), call.arguments[1]
    call.lowering.mark_member(number, call.node, "an argument of round()")
    type_ = _type(call, [number])
    if not is_object(digits, None):
        places = _integer(call, digits)
        return call.compute(Opcode.ROUND_TO, type_, call.convert(number, type_), places)
    if number.type.is_float:
        number = call.compute(Opcode.RINT, type_, call.convert(number, type_))
    return call.convert(number, S64)


def shifted(call: Call) -> Value:
    """`ldexp(x, exponent)`."""
    type_, (number,) = _taken(call, 1)
    return call.compute(Opcode.SCALE, type_, number, _integer(call, call.arguments[1]))


def selected(call: Call) -> Value:
    """`selp(condition, a, b)`."""
    condition, one, other = call.numbers()
    if one.type is not other.type or one.type.is_complex or one.type in (F16, PRED, S8, U8):
        hint = "Numba takes two of one type, no float16: convert them, or use `a if c else b`"
        raise call.wrong(f"cuda.selp() does not take {one.type.dtype} and {other.type.dtype}", hint)
    return call.lowering.select(call.lowering.truth(condition, call.node), one, other, call.node)


def typed(call: Call) -> Value:
    """A function of libdevice, which has one signature."""
    (opcode, types, own), result = call.called.detail, call.called.result
    assert result is not None
    operands = [call.convert(n, type_) for n, type_ in zip(call.numbers(), types, strict=True)]
    if isinstance(opcode, Scalar):
        return call.convert(call.convert(operands[0], opcode), result)
    if isinstance(opcode, str):
        return call.convert(call.by_name(opcode, own, *operands), result)
    if opcode is Opcode.REINTERPRET:
        return call.compute(opcode, result, *operands)
    found = PRED if opcode.kind is Kind.COMPARE else types[0]
    return call.convert(call.convert(call.compute(opcode, types[0], *operands, result=found), own), result)


def vector(call: Call) -> Value:
    """A vector of numbers and of other vectors' parts, in order."""
    (element, width), parts = call.called.detail, list[Operand]()
    for argument in call.arguments:
        if isinstance(argument, VectorValue) and argument.type.detail[0] is element:
            parts += argument
        else:
            parts.append(call.convert(argument, element))
    if len(parts) != width:
        hint = f"give it {width}, or vectors of them"
        raise call.wrong(f"cuda.{call.called.name}() of {len(parts)} number(s)", hint)
    return VectorValue(parts, call.called)


def printed(call: Call) -> Value:
    """`print(…)` as Numba does it on the device: through `vprintf`, floats with six decimals."""
    pieces, numbers = list[str](), list[Operand]()
    if len(call.arguments) > MAX_PRINTED:
        raise call.wrong(f"print() of {len(call.arguments)} values", f"print {MAX_PRINTED} at most")
    for argument in call.arguments:
        piece, values = _printed(call, argument)
        pieces.append(piece)
        numbers += values
    form = Format(" ".join(pieces) + "\n")
    call.site.builder.effect(Opcode.PRINT, PRED, tuple(numbers), call.site.span, form)
    return Static(None)


def _printed(call: Call, value: Value) -> tuple[str, list[Operand]]:
    """How one value is printed, and the numbers that it takes; a tuple in brackets, as Python writes it."""
    if isinstance(value, Static) and isinstance(value.object, str):
        return value.object.replace("%", "%%"), []
    if is_tuple(value):
        pairs = [_printed(call, item) for item in value]
        pieces = ", ".join(piece for piece, _ in pairs) + "," * (len(pairs) == 1)
        return f"({pieces})", [number for _, numbers in pairs for number in numbers]
    number = call.lowering.number(value, call.node)
    if number.type.is_complex:
        raise call.wrong(f"print() does not take {number.type.dtype}", "print its parts")
    if number.type is PRED:
        word = fold.select(call.site, number, TRUE, FALSE, None)
        return "%s", [word, *[Constant(0, U64)] * (TEXT_WORDS - 1)]
    return "%d" if number.type.is_integer else "%f", [number]


# complex numbers --------------------------------------------------------------------------------------------


def parts_of(lowering: Lowering, number: Operand, node: ast.AST) -> tuple[Operand, Operand]:
    """The real and the imaginary part; of a real number, itself and 0."""
    if not number.type.is_complex:
        return number, fold.constant(0, number.type)
    type_ = PART_OF[number.type]
    if isinstance(number, Constant):
        return Constant(number.value.real, type_), Constant(number.value.imag, type_)
    real = lowering.compute(Opcode.REAL, type_, (number,), node)
    return real, lowering.compute(Opcode.IMAG, type_, (number,), node)


def _parts(call: Call) -> tuple[Operand, Operand]:
    _, (number,) = _taken(call)
    return parts_of(call.lowering, number, call.node)


def _paired(call: Call, real: Operand, imaginary: Operand) -> Operand:
    return call.compute(Opcode.COMPLEX, COMPLEX_OF[real.type], real, imaginary)


def absolute(call: Call) -> Value:
    """The distance from 0."""
    type_, (number,) = _taken(call)
    if not type_.is_complex:
        return call.compute(Opcode.ABS, type_, number)
    return call.compute(Opcode.HYPOT, PART_OF[type_], *parts_of(call.lowering, number, call.node))


def complex_number(call: Call) -> Value:
    """`complex(real, imag)`."""
    count = 1 if is_object(call.arguments[1], None) else 2
    numbers = call.numbers(count)
    part = F32 if all(number.type is F32 for number in numbers) else F64
    if count == 1:
        return call.convert(numbers[0], COMPLEX_OF[part])
    real, imaginary = (call.convert(number, part) for number in numbers)
    return _paired(call, real, imaginary)


def conjugate(call: Call) -> Value:
    """`z.conjugate()`."""
    (number,) = call.numbers()
    if not number.type.is_complex:
        return number
    real, imaginary = parts_of(call.lowering, number, call.node)
    return _paired(call, real, call.compute(Opcode.NEG, imaginary.type, imaginary))


def itself(call: Call) -> Value:
    """`x.item()`."""
    return call.numbers()[0]


def reinterpreted(call: Call) -> Value:
    """`x.view(np.int64)`: the same bits as a number of another type."""
    (number,), type_ = call.numbers(1), element_named(call.lowering, call.arguments[1], call.node)
    if not isinstance(type_, Scalar) or type_.bytes != number.type.bytes or number.type.is_complex:
        raise call.wrong(f"view() of {number.type.dtype} as {type_}", "take a type of as many bytes")
    return call.compute(Opcode.REINTERPRET, type_, number)


def phase(call: Call) -> Value:
    """The angle."""
    real, imaginary = _parts(call)
    return call.compute(Opcode.ATAN2, real.type, imaginary, real)


def polar(call: Call) -> Value:
    """Distance and angle."""
    parts = _parts(call)
    return call.compute(Opcode.HYPOT, parts[0].type, *parts), phase(call)


def rect(call: Call) -> Value:
    """The number of a distance and an angle."""
    type_, (distance, angle) = _taken(call)

    def along(opcode: Opcode) -> Register:
        return call.compute(Opcode.MUL, type_, distance, call.compute(opcode, type_, angle))

    return _paired(call, along(Opcode.COS), along(Opcode.SIN))


FAMILIES = {
    "absolute": absolute, "complex": complex_number, "computed": computed, "conjugate": conjugate,
    "extreme": extreme, "itself": itself, "ldexp": shifted, "limits": limits, "named": named,
    "phase": phase, "polar": polar, "power": power, "print": printed, "rect": rect,
    "reinterpreted": reinterpreted, "round": rounded, "scaled": scaled, "selp": selected, "several": several,
    "typed": typed, "vector": vector,
}  # fmt: skip
