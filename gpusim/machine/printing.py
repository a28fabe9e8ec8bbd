r"""What does C's `printf` write? Python's % writes nearly the same; where it does not, a rule here does.

`formatter("%5.2f\n")((1.5,))` is " 1.50\n". Lengths (%lld) are gone already: each value has the type it is
printed as.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any

from gpusim.ir.details import TEXT_WORDS

CONVERSION = re.compile(r"%([-+ #0]*)(\*|\d+)?(?:\.(\*|\d*))?([diuoxXcfFeEgGaAps%])")
UNSIGNED = "uoxX"
INTEGERS = "di" + UNSIGNED


@lru_cache
def formatter(form: str) -> Callable[[Sequence[Any]], str]:
    """A function that writes values as the format says; those of a `%s` are the words of its text."""
    literals, conversions, end = list[str](), list[tuple[Any, ...]](), 0
    for found in CONVERSION.finditer(form):
        literals.append(form[end : found.start()])
        conversions.append(found.groups())
        end = found.end()
    tail = form[end:]

    def write(values: Sequence[Any]) -> str:
        rest, pieces = iter(values), list[str]()
        for literal, (flags, width, precision, kind) in zip(literals, conversions, strict=True):
            pieces.append(literal)
            if kind == "%":
                pieces.append("%")
                continue
            width = next(rest) if width == "*" else int(width or 0)
            if width < 0:
                flags, width = flags + "-", -width
            if precision is not None:
                precision = next(rest) if precision == "*" else int(precision or 0)
                precision = None if precision < 0 else precision
            value = _text(islice(rest, TEXT_WORDS)) if kind == "s" else next(rest)
            pieces.append(written(value, flags, width, precision, kind))
        return "".join(pieces) + tail

    return write


def _text(words: Iterable[int]) -> str:
    letters = b"".join(word.to_bytes(8, "little") for word in words)
    return letters.partition(b"\0")[0].decode("latin-1")


def written(value: Any, flags: str, width: int, precision: int | None, kind: str) -> str:
    """One value: C17 7.21.6.1."""
    if kind in "cs":
        text = chr(value) if kind == "c" else value[:precision]
        return text.ljust(width) if "-" in flags else text.rjust(width)
    if kind == "p":
        text = f"0x{value:x}" if value else "(nil)"
        return text.ljust(width) if "-" in flags else text.rjust(width)
    if kind in INTEGERS:
        digits, sign = _digits(value, flags, precision, kind), "-" if value < 0 else ""
        pads = precision is None
    else:
        digits, sign = _fraction(value, flags, precision, kind)
        pads = digits[-1:].lower() not in ("f", "n") or "x" in digits.lower()  # not inf, not nan
    if kind not in UNSIGNED and not sign:
        sign = "+" if "+" in flags else " " if " " in flags else ""
    prefix = digits[:2] if digits[:2] in ("0x", "0X") else ""
    digits, sign = digits[len(prefix) :], sign + prefix
    missing = width - len(sign) - len(digits)
    if "-" in flags:
        return sign + digits + " " * missing
    return sign + "0" * missing + digits if "0" in flags and pads else " " * missing + sign + digits


def _digits(value: int, flags: str, precision: int | None, kind: str) -> str:
    """Of an integer, without a sign: at least `precision` of them; 0 has none where that is 0."""
    base = kind if kind in "oxX" else "d"
    digits = format(abs(value), base) if value or precision != 0 else ""
    digits = digits.rjust(precision or 0, "0")
    if "#" in flags and kind == "o" and not digits.startswith("0"):
        return "0" + digits
    return f"0{kind}{digits}" if "#" in flags and kind in "xX" and value else digits


def _fraction(value: float, flags: str, precision: int | None, kind: str) -> tuple[str, str]:
    """Of a floating-point number, without its sign; and the sign."""
    sign = "-" if str(value).startswith("-") else ""
    if kind in "aA":
        digits = _hexadecimal(abs(value), precision)
        if "#" in flags and "." not in digits:
            digits = digits.replace("p", ".p")
        return (digits.upper() if kind == "A" else digits), sign
    form = f"%{'#' if '#' in flags else ''}.{6 if precision is None else precision}{kind}"
    return form % abs(value), sign


def _hexadecimal(value: float, precision: int | None) -> str:
    """0x1.8p+0 is 1.5; `precision` hexadecimal digits, or as many as there are."""
    if value != value or value in (float("inf"), 0.0):
        zeros = "." + "0" * precision if precision else ""
        return f"0x0{zeros}p+0" if value == 0 else str(value)
    mantissa, exponent = value.hex()[2:].split("p")
    whole, _, fraction = mantissa.partition(".")
    if precision is None:
        fraction = fraction.rstrip("0")
    elif precision < len(fraction):
        kept = len(fraction) - precision
        scaled, low = divmod(int(whole + fraction, 16), 16**kept)
        scaled += low * 2 > 16**kept or (low * 2 == 16**kept and scaled % 2 == 1)
        text = format(scaled, "x").rjust(precision + 1, "0")
        whole, fraction = text[: len(text) - precision], text[len(text) - precision :]
    else:
        fraction = fraction.ljust(precision, "0")
    return f"0x{whole}{'.' if fraction else ''}{fraction}p{exponent}"
