"""What does `printf` in a kernel take? A format whose conversions say what each argument is printed as."""

from __future__ import annotations

import re

from gpusim.errors import KernelTypeError, UnsupportedConstruct
from gpusim.frontends.cuda_cpp import inlining, lowering, types
from gpusim.frontends.cuda_cpp.functions.lowered import Call
from gpusim.frontends.cuda_cpp.values import NumberValue, PointerValue, StructValue, Value
from gpusim.ir.details import TEXT_WORDS, Format
from gpusim.ir.instructions import Constant, Opcode, Operand
from gpusim.ir.types import F64, PRED, S8, S16, S32, S64, U8, U16, U32, U64, Scalar

MAX_PRINTED = 32
# flags, width, precision, length, conversion
CONVERSION = re.compile(r"%([-+ #0]*)(\*|\d*)(\.(?:\*|\d*))?(hh|h|ll|l|z|j|t)?(.?)", re.DOTALL)
WIDE = ("l", "ll", "z", "j", "t")
SIGNED: dict[str | None, Scalar] = {"hh": S8, "h": S16, None: S32, **dict.fromkeys(WIDE, S64)}
UNSIGNED: dict[str | None, Scalar] = {"hh": U8, "h": U16, None: U32, **dict.fromkeys(WIDE, U64)}
REAL: dict[str | None, Scalar] = {None: F64, "l": F64}
# conversion -> the type that it prints, by length
PRINTED: dict[str, dict[str | None, Scalar]] = {
    **dict.fromkeys("di", SIGNED),
    **dict.fromkeys("uxXo", UNSIGNED),
    **dict.fromkeys("fFeEgGaA", REAL),
    "c": {None: U8},
    "p": {None: U64},
}


def printf(call: Call) -> Operand:
    """Arguments are converted as the format says; texts are known here and become part of it."""
    low, values = call.low, call.values
    form = getattr(values[0], "text", None)
    if form is None:
        raise UnsupportedConstruct("a format that is not a string literal", low.at, "write the format out")
    if len(values) - 1 > MAX_PRINTED:
        raise KernelTypeError(f"printf() of {len(values) - 1} values", low.at, f"print {MAX_PRINTED} at most")
    arguments, operands, pieces, end = iter(values[1:]), list[Operand](), list[str](), 0

    def argument(conversion: str) -> Value:
        value = next(arguments, None)
        if value is None:
            raise KernelTypeError(f"printf() has no argument for {conversion}", low.at, "give one for each %")
        return value

    for found in CONVERSION.finditer(form):
        pieces.append(form[end : found.start()])
        end = found.end()
        flags, width, precision, length, kind = found.groups()
        place = f"{flags}{width}{precision or ''}"
        operands += [_printed(low, argument(found[0]), "d", None) for _star in range(place.count("*"))]
        if kind == "%":
            pieces.append("%%")
        elif kind == "s":
            value = argument(found[0])
            text = None if "*" in place else getattr(value, "text", None)
            if text is None:
                operands += _words(low, value)
            pieces.append(f"%{place}s" if text is None else (f"%{place}s" % text).replace("%", "%%"))
        else:
            operands.append(_printed(low, argument(found[0]), kind, length))
            pieces.append(f"%{place}{kind}")
    pieces.append(form[end:])
    low.builder.effect(Opcode.PRINT, PRED, tuple(operands), low.at, Format("".join(pieces)))
    return Constant(len(values) - 1, S32)


def _words(low: lowering.Lowering, value: Value) -> list[Operand]:
    """The letters of a text in memory, as numbers."""
    if not isinstance(value, PointerValue) or value.type.target.size != 1:
        raise KernelTypeError(f"'%s' of {value.type}", low.at, "print numbers with %d or %f")
    place = low.variable("text", types.Array(types.ULONG, TEXT_WORDS), (low.frame.path, low.at, "text"))
    words = low.read(place)
    inlining.inline(low, low.unit.function("gpusim_letters"), [value, words], None, low.cursor)
    return [low.operand(low.read(place.part(8 * at, types.ULONG))) for at in range(TEXT_WORDS)]


def _printed(low: lowering.Lowering, value: Value, kind: str, length: str | None) -> Operand:
    scalar = PRINTED.get(kind, {}).get(length)
    if scalar is None:
        hint = "a kernel prints with %d %i %u %x %X %o %c %f %e %g %a %s %p, lengths hh h l ll z"
        raise KernelTypeError(f"'%{length or ''}{kind}' in a format", low.at, hint)
    if kind == "p" and isinstance(value, PointerValue):
        return low.as_number(value.address)
    is_function = isinstance(value, NumberValue) and isinstance(value.type, types.Pointer)
    number = isinstance(value, NumberValue) and (kind == "p") == is_function
    if not isinstance(value, NumberValue) or not number or value.operand.type.is_float != scalar.is_float:
        if isinstance(value, StructValue):
            hint = "nvcc lets it pass, and its first bytes are printed: name a member"
            raise UnsupportedConstruct(f"'%{length or ''}{kind}' of {value.type}", low.at, hint)
        hint = "print whole numbers with %d, fractions with %f, addresses with %p"
        raise KernelTypeError(f"'%{length or ''}{kind}' of {value.type}", low.at, hint)
    return low.cast(value.operand, scalar)
