"""How is a number written in C, and which type has it then? 2147483648 is a `long`, 0x80000000 `unsigned`."""

from __future__ import annotations

import string
from random import Random

from tests.frontends.cuda_cpp.c_types import BOOL, BY_NAME, CHAR, DOUBLE, FLOAT, CType

FLOATING = (
    "1.0", "0.5", "2.5", ".25", "3.", "1e3", "1E-3", "0.1", "1.5e+300", "0x1.8p3", "1'000.5", "0.0", "1e-310",
    "1.0f", "0.5f", ".1f", "3.f", "2e5f", "1e-40f", "16777217.0f", "0.1F", "0x1p-3f", "3.4e38f", "0.f",
)  # fmt: skip
CHARACTERS = [f"'{letter}'" for letter in string.ascii_letters + string.digits + "+-*/(){}<>,;?:"]
ESCAPES = [r"'\n'", r"'\0'", r"'\\'", r"'\''", r"'\x7f'", r"'\xff'", r"'\101'", r"'\t'", "'\"'"]
NUMBERS = (0, 1, 2, 3, 7, 10, 31, 32, 63, 64, 100, 127, 128, 255, 256, 1000, 32768, 65535, 65536, 0x12345678)
LIMITS = (2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**63 - 1, 2**63, 2**64 - 1)
SUFFIXES = {
    "": "int", "u": "unsigned int", "U": "unsigned int", "l": "long", "L": "long", "ul": "unsigned long",
    "LU": "unsigned long", "ll": "long long", "LL": "long long", "ull": "unsigned long long",
    "ULL": "unsigned long long", "llU": "unsigned long long",
}  # fmt: skip
SPELLINGS = (str, str, hex, bin, "0X{:X}".format, "0{:o}".format, "{:,}".format)


def integer_type(value: int, suffix: str, decimal: bool) -> CType:
    """The first type of C's list that holds the number."""
    first = BY_NAME[SUFFIXES[suffix]]
    for name in ("int", "long", "long long"):
        signed, unsigned = BY_NAME[name], BY_NAME[f"unsigned {name}"]
        if signed.rank >= first.rank:
            if first.kind == "i" and value < 2 ** (signed.bits - 1):
                return signed
            if (first.kind == "u" or not decimal) and value < 2**signed.bits:
                return unsigned
    raise ValueError(f"no type holds {value}{suffix}")


def integer(random: Random) -> tuple[str, CType]:
    """A whole number in base 2, 8, 10 or 16, with any suffix."""
    suffix = random.choice(list(SUFFIXES))
    value = random.choice(NUMBERS if random.random() < 0.7 else LIMITS)
    text = random.choice(SPELLINGS)(value).replace(",", "'")
    if value >= 2**63 and text[0] != "0" and "u" not in suffix.lower():
        text = hex(value)  # in decimal, no type holds it
    return text + suffix, integer_type(value, suffix, decimal=text[0] != "0")


def literal(random: Random) -> tuple[str, CType]:
    """Any literal, and its type."""
    kind = random.random()
    if kind < 0.25:
        text = random.choice(FLOATING)
        return text, FLOAT if text[-1] in "fF" else DOUBLE
    if kind < 0.35:
        return random.choice(CHARACTERS + ESCAPES), CHAR
    if kind < 0.4:
        return random.choice(("true", "false")), BOOL
    return integer(random)
