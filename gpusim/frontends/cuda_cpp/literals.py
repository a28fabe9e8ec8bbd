"""Which number does a literal stand for? `0x1Fu` is an unsigned 31, `1e-3f` a float."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Any

import numpy as np

from gpusim.frontends.cuda_cpp.types import DOUBLE, FLOAT, INT, LONG, LONGLONG, UINT, ULONG, ULONGLONG, Number

if TYPE_CHECKING:
    pass

STRING = re.compile(r'"(?:\\.|[^"\\])*"')


def literal(text: str) -> tuple[Number, Any] | None:
    """The type and value of a number in C++, C++17 [lex.icon] and [lex.fcon]. `0x1Fu` is an unsigned 31."""
    negative, digits = text.startswith("-"), text.lstrip("+-").lower()
    is_hex = digits.startswith("0x")
    floating = "." in digits or ("p" in digits if is_hex else "e" in digits and not digits.startswith("0b"))
    try:
        if floating or (not is_hex and digits.endswith("f")):
            type_ = FLOAT if digits.endswith("f") and not (is_hex and "p" not in digits) else DOUBLE
            digits = digits.rstrip("fl")
            number = float.fromhex(digits) if is_hex else float(digits)
            with np.errstate(all="ignore"):
                number = type_.scalar.dtype.type(number).item()
            return type_, -number if negative else number
        body = digits.rstrip("ul")
        suffix = digits[len(body) :]
        octal = len(body) > 1 and body[0] == "0" and body.isdigit()
        value = int(body, 8) if octal else int(body, 0)
    except ValueError:
        return None
    decimal = not is_hex and not octal and not body.startswith("0b")
    order: list[Number] = [INT, UINT, LONG, ULONG]
    if "ll" in suffix:
        order = [LONGLONG, ULONGLONG]
    elif "l" in suffix:
        order = [LONG, ULONG]
    if "u" in suffix:
        order = [type_ for type_ in order if type_.scalar.kind == "u"]
    elif decimal:
        order = [type_ for type_ in order if type_.scalar.kind == "i"]
    for type_ in order:
        if value <= np.iinfo(type_.scalar.dtype).max:
            number = -value if negative else value
            return type_, number % 2**type_.scalar.bits if type_.scalar.kind == "u" else number
    if decimal and negative and value == 2**63:
        return LONG, -value
    return None


def unescaped(text: str) -> str:
    """What a string literal says, or several side by side."""
    pieces = [piece.encode("ascii", "backslashreplace").decode() for piece in STRING.findall(text)]
    return b"".join(ast.literal_eval("b" + piece) for piece in pieces).decode("latin-1")
