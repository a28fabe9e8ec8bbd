"""What do CUDA's functions on words compute? `byte_perm`, `dp4a`, `funnelshift_l`, and SIMD within a word.

Words are arrays of int32 or uint32, or single numbers; sums wrap around.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

WORD_BITS = 32
LOW_WORD = 0xFFFFFFFF


def wide(word: Any) -> Any:
    """With 64 bits, the sign kept."""
    return np.asarray(word).astype(np.int64)


def pieces(word: Any, count: int, signed: bool) -> Any:
    """The bytes or halves of words, lowest first, as int64 (…, count)."""
    bits = WORD_BITS // count
    fields = (wide(word)[..., None] >> (np.arange(count, dtype=np.int64) * bits)) & ((1 << bits) - 1)
    return np.where(fields >> (bits - 1), fields - (1 << bits), fields) if signed else fields


def joined(fields: Any) -> Any:
    """Words of such pieces; bits that do not fit are dropped."""
    count = fields.shape[-1]
    bits = WORD_BITS // count
    return (
        ((fields & ((1 << bits) - 1)) << (np.arange(count, dtype=np.int64) * bits))
        .sum(axis=-1)
        .astype(np.uint32)
    )


def byte_perm(one: Any, other: Any, selector: Any) -> Any:
    """Four of eight bytes: each hexadecimal digit of the selector names one."""
    both = np.concatenate(np.broadcast_arrays(pieces(one, 4, False), pieces(other, 4, False)), axis=-1)
    which = (wide(selector)[..., None] >> (np.arange(4, dtype=np.int64) * 4)) & 7
    shape = np.broadcast_shapes(both.shape[:-1], which.shape[:-1])
    return joined(
        np.take_along_axis(np.broadcast_to(both, (*shape, 8)), np.broadcast_to(which, (*shape, 4)), axis=-1)
    )


def funnel(low: Any, high: Any) -> Any:
    """Two words as one of 64 bits."""
    return (np.asarray(high).astype(np.uint64) << np.uint64(32)) | np.asarray(low).astype(np.uint64)


def shifted_left(low: Any, high: Any, shift: Any) -> Any:
    """The upper word of high:low << shift, for shifts up to 32."""
    places = np.asarray(shift).astype(np.uint64)
    both = funnel(low, high)
    return np.where(places == 32, both & np.uint64(LOW_WORD), (both << places) >> np.uint64(32))


def shifted_right(low: Any, high: Any, shift: Any) -> Any:
    """The lower word of high:low >> shift, for shifts up to 32."""
    return (funnel(low, high) >> np.asarray(shift).astype(np.uint64)) & np.uint64(LOW_WORD)


def find_nth_set(mask: Any, base: Any, offset: Any) -> Any:
    """The place of the n-th bit that is set from `base` on, downward if n < 0; all ones if there is none."""

    def found(bits: int, start: int, count: int) -> int:
        if not 0 <= start < WORD_BITS:
            return LOW_WORD
        if count == 0:
            return start if bits >> start & 1 else LOW_WORD
        step = 1 if count > 0 else -1
        for place in range(start, WORD_BITS if step > 0 else -1, step):
            count -= step * (bits >> place & 1)
            if count == 0:
                return place
        return LOW_WORD

    numbers = (wide(number).astype(object) for number in (mask, base, offset))
    return np.asarray(np.frompyfunc(found, 3, 1)(*numbers)).astype(np.uint32)


def dot(one: Any, other: Any, addend: Any, places: slice = slice(None), count: int = 4) -> Any:
    """The sum of products of pieces, and an addend."""
    signed = np.asarray(one).dtype.kind == "i"
    products = pieces(one, count, signed) * pieces(other, 4, signed)[..., places]
    return (products.sum(axis=-1) + wide(addend)) & LOW_WORD


def as_int32(number: Any) -> Any:
    """The low 32 bits, with a sign."""
    return (wide(number) & LOW_WORD).astype(np.uint32).view(np.int32)


def of_24_bits(word: Any) -> Any:
    """The low 24 bits, with the sign that the type has."""
    return (np.asarray(word) << 8) >> 8


def double_bits(number: Any) -> Any:
    """The bits of a double."""
    return np.asarray(number, np.float64).copy().view(np.int64)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "mul24": lambda one, other: of_24_bits(one) * of_24_bits(other),
    "umul24": lambda one, other: of_24_bits(one) * of_24_bits(other),
    "sad": lambda one, other, addend: np.abs(wide(one) - wide(other)) + wide(addend),
    "usad": lambda one, other, addend: np.abs(wide(one) - wide(other)) + wide(addend),
    "hadd": lambda one, other: (wide(one) + wide(other)) >> 1,
    "rhadd": lambda one, other: (wide(one) + wide(other) + 1) >> 1,
    "uhadd": lambda one, other: (wide(one) + wide(other)) >> 1,
    "urhadd": lambda one, other: (wide(one) + wide(other) + 1) >> 1,
    "byte_perm": byte_perm,
    "funnelshift_l": lambda low, high, shift: shifted_left(low, high, shift & 31),
    "funnelshift_lc": lambda low, high, shift: shifted_left(low, high, np.minimum(shift, 32)),
    "funnelshift_r": lambda low, high, shift: shifted_right(low, high, shift & 31),
    "funnelshift_rc": lambda low, high, shift: shifted_right(low, high, np.minimum(shift, 32)),
    "fns": find_nth_set,
    "dp4a": dot,
    "dp2a_lo": lambda one, other, addend: dot(one, other, addend, slice(0, 2), 2),
    "dp2a_hi": lambda one, other, addend: dot(one, other, addend, slice(2, 4), 2),
    "double2hiint": lambda number: as_int32(double_bits(number) >> 32),
    "double2loint": lambda number: as_int32(double_bits(number)),
    "hiloint2double": lambda high, low: ((wide(high) << 32) | (wide(low) & LOW_WORD)).view(np.float64),
}
# of pieces, as int64: name of a SIMD function without its count
LANEWISE: dict[str, Callable[..., Any]] = {
    "abs": np.abs,
    "neg": np.negative,
    "add": np.add,
    "sub": np.subtract,
    "absdiff": lambda one, other: np.abs(one - other),
    "avg": lambda one, other: (one + other + (one + other >= 0)) >> 1,
    "hadd": lambda one, other: (one + other) >> 1,
    "max": np.maximum,
    "min": np.minimum,
}
COMPARED = {
    "eq": np.equal, "ne": np.not_equal, "ge": np.greater_equal, "gt": np.greater, "le": np.less_equal,
    "lt": np.less,
}  # fmt: skip
SIMD = re.compile(r"v(abs|neg|add|sub|absdiff|avg|hadd|max|min|sad|set\w\w|cmp\w\w)(s|u|ss|us)?([24])")

# DPX, for dynamic programming: __viaddmax_s32(a, b, c) is max(a + b, c)
DYNAMIC_PROGRAMMING = re.compile(r"vi(add)?(max|min)3?_([su])(32|16x2)(_relu)?")


def simd(operation: str, suffix: str, count: int) -> Callable[..., Any]:
    """Pieces of words, each by itself. `suffix` ends in s or u for signed and unsigned; ss, us saturate."""
    signed, bits = suffix[:1] == "s" or operation in ("abs", "neg"), WORD_BITS // count
    signed = signed if suffix[1:] == "" else suffix[0] == "s"
    lowest, highest = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)

    def lanes(*words: Any) -> Any:
        given = [pieces(word, count, signed) for word in words]
        if operation == "sad":
            return np.abs(given[0] - given[1]).sum(axis=-1)
        if operation[:3] in ("set", "cmp"):
            holds = COMPARED[operation[3:]](*given)
            return joined(holds * (1 if operation[:3] == "set" else (1 << bits) - 1))
        result = LANEWISE[operation](*given)
        return joined(np.clip(result, lowest, highest) if len(suffix) == 2 else result)

    return lanes


def dynamic_programming(add: bool, extreme: str, signed: bool, count: int, relu: bool) -> Callable[..., Any]:
    """The greatest or least of words, or of halves of them; the first two may be added, 0 may take part."""

    def lanes(*words: Any) -> Any:
        given = [pieces(word, count, signed) for word in words]
        if add:
            given = [pieces(joined(given[0] + given[1]), count, signed), given[2]]
        found = given[0]
        for other in given[1:]:
            found = LANEWISE[extreme](found, other)
        return joined(np.maximum(found, 0) if relu else found)

    return lanes


def function(name: str) -> Callable[..., Any] | None:
    """The function of that name, if it is one of these."""
    if found := SIMD.fullmatch(name):
        return simd(found[1], found[2] or "", int(found[3]))
    if found := DYNAMIC_PROGRAMMING.fullmatch(name):
        add, extreme, sign, width, relu = found.groups()
        return dynamic_programming(bool(add), extreme, sign == "s", 1 if width == "32" else 2, bool(relu))
    return FUNCTIONS.get(name)
