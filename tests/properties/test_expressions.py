"""Is a random expression what Numba says, in its type and in its bits, for numbers of every type?

`numba.njit` has the typing rules of Numba's CUDA target, and its arithmetic, but for float16, which it lacks.
What the language leaves open is not written: a division by what may be zero, a shift by more than the width,
a float that no integer holds. A hundred expressions are compiled at once: `--hypothesis-profile=hunt` tries
100,000, which takes hours on two cores.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass

import numba
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gpusim import cuda
from gpusim.frontends.python import types
from gpusim.frontends.python.builtins import rules
from gpusim.ir.types import BY_DTYPE, C128, F16, F64, PRED, S64, Scalar
from tests.from_text import define
from tests.hunting import ALL

LANES = 32
LONGEST = 25  # items of a tuple: Python builds longer ones in a way that Numba does not know
TOGETHER = 100 if ALL else 25
DTYPES = [np.dtype(type_) for type_ in ["?", "b", "h", "i", "q", "B", "H", "I", "Q", "f", "d", "F", "D"]]
NAMES = {f"v_{dtype.name}": BY_DTYPE[dtype] for dtype in DTYPES}
SIGNS = {sign: node for node, sign in zip(
    types.BINARY, ("+", "-", "*", "/", "//", "%", "**", "&", "|", "^", "<<", ">>"), strict=True
)}  # fmt: skip
CONSTANTS = (
    "0", "1", "2", "3", "7", "-1", "-5", "100", "255", "65537", "2**31", "2**40", "0.0", "0.5", "-2.0", "1.5",
    "3e5", "1e-3", "True", "2j", "np.int8(-3)", "np.uint16(9)", "np.float32(0.1)", "np.uint64(6)",
)  # fmt: skip
KINDS = "binary binary binary binary unary negation comparison chain choice logical cast extreme magnitude"


@dataclass(frozen=True)
class Expression:
    """Its text, and the type that it has here."""

    text: str
    type: Scalar


def varies(expression: Expression) -> bool:
    """Does it name a variable? What does not, Numba may know, and drop the branch that is not taken."""
    return re.search(r"\b(v_|r\d)", expression.text) is not None


def ordered(expression: Expression) -> Expression:
    """For what tells its sign, or 0: Numba's compiler relies on that a sum or product does not wrap."""
    if not expression.type.is_integer or expression.text in NAMES:
        return expression
    return Expression(f"({expression.text} & 65535)", types.widened(expression.type, S64))


class Writer:
    """Expressions by chance, written in both languages at once."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.results: list[Expression] = []

    def program(self) -> list[str]:
        """Expressions in order, of which each may name the results `r0`, `r1`, … of those before."""
        texts = []
        for _ in range(TOGETHER):
            made = self.any(self.chance.choice((1, 1, 1, 2)))
            if varies(made):
                self.results.append(Expression(f"r{len(texts)}", made.type))
            texts.append(made.text)
        return texts

    def any(self, depth: int) -> Expression:
        """An expression of any type."""
        while True:
            made = self._leaf() if depth == 0 else self._inner(depth)
            if made is not None and made.type is not F16:
                return made

    def varying(self, depth: int) -> Expression:
        """One that no compiler knows."""
        while not varies(made := self.any(depth)):
            pass
        return made

    def whole(self, depth: int) -> Expression:
        """One of an integer type."""
        while not (made := self.any(depth)).type.is_integer:
            pass
        return made

    def real(self, depth: int) -> Expression:
        """One of a type that has an order."""
        while (made := self.any(depth)).type.is_complex:
            pass
        return made

    def _leaf(self) -> Expression:
        if self.chance.random() < 0.3:
            text = self.chance.choice(CONSTANTS)
            type_ = types.of_constant(eval(text, {"np": np}))
            assert type_ is not None
            return Expression(f"({text})", type_)
        if self.results and self.chance.random() < 0.4:
            return self.chance.choice(self.results)
        return Expression(*self.chance.choice(list(NAMES.items())))

    def _inner(self, depth: int) -> Expression | None:
        kind = self.chance.choice(KINDS.split())
        return getattr(self, f"_{kind}")(depth - 1)

    def _binary(self, depth: int) -> Expression | None:
        sign, left, right = self.chance.choice(list(SIGNS)), self.any(depth), self.any(depth)
        if sign in ("*", "<<") and not (varies(left) or (sign == "*" and varies(right))):
            return None  # which both refuse where it is too large
        if sign in ("<<", ">>"):
            right = Expression(f"({self.whole(depth).text} & 31)", S64)
        elif sign in ("/", "//", "%") and right.type.is_integer:
            right = Expression(f"(({right.text} & 7) + 1)", S64)
        elif sign in ("//", "%"):
            right = Expression(f"(abs({right.text}) + 1.0)", F64) if not right.type.is_complex else right
        elif sign == "/" and (left.type.is_complex or right.type.is_complex):
            right = Expression(f"(abs({right.text}) + {right.text} + 1.0)", types.unify(F64, right.type))
        if sign in (">>", "//", "%"):
            left = ordered(left)
        if sign == "**" and (left.type.is_complex or not varies(left)):
            return None  # Numba's CUDA target computes a complex power in its own way
        if sign == "**":
            least = -3 if left.type.is_integer else 0  # a float is not divided by zero
            right = Expression(str(self.chance.randrange(least, 6)), S64)
            if self.chance.random() < 0.5:
                right = Expression(f"({self.whole(depth).text} & 31)", S64)
        if right.type is PRED and sign in ("/", "//", "%"):
            return None
        type_ = types.binary_result(types.BINARY[SIGNS[sign]], left.type, right.type)
        return None if type_ is None else Expression(f"({left.text} {sign} {right.text})", type_)

    def _unary(self, depth: int) -> Expression | None:
        sign, value = self.chance.choice("-+~"), self.any(depth)
        if sign == "~" and not value.type.is_integer and value.type is not PRED:
            return None
        if value.type is PRED:
            return Expression(f"({sign}{value.text})", PRED if sign == "~" else S64)
        type_ = types.widened(value.type, value.type) if value.type.is_integer else value.type
        return Expression(f"({sign}{value.text})", type_)

    def _negation(self, depth: int) -> Expression:
        return Expression(f"(not {ordered(self.any(depth)).text})", PRED)

    def _comparison(self, depth: int) -> Expression | None:
        sign = self.chance.choice(["==", "!=", "<", "<=", ">", ">="])
        make = self.any if sign in ("==", "!=") else self.real
        one, other = ordered(make(depth)), ordered(make(depth))
        return Expression(f"({one.text} {sign} {other.text})", PRED) if varies(one) else None

    def _chain(self, depth: int) -> Expression | None:
        parts = [ordered(self.real(depth)) for _ in range(3)]
        return Expression(f"({' < '.join(part.text for part in parts)})", PRED) if varies(parts[1]) else None

    def _choice(self, depth: int) -> Expression:
        one, other, test = self.any(depth), self.any(depth), ordered(self.varying(0))
        return Expression(f"({one.text} if {test.text} else {other.text})", types.unify(one.type, other.type))

    def _logical(self, depth: int) -> Expression:
        # of `(a and b) or c` Numba knows that it is never a, and leaves a's type out
        one, other, sign = ordered(self.varying(0)), self.varying(depth), self.chance.choice(["and", "or"])
        return Expression(f"({one.text} {sign} {other.text})", types.unify(one.type, other.type))

    def _cast(self, depth: int) -> Expression | None:
        value, dtype = self.any(depth), self.chance.choice(DTYPES)
        type_ = BY_DTYPE[dtype]
        if value.type.is_complex and not type_.is_complex:
            return None
        if value.type.is_float and type_.is_integer:
            return None  # what does not fit is left open
        name = "bool" if type_ is PRED else f"np.{dtype.name}"
        return Expression(f"{name}({value.text})", type_)

    def _extreme(self, depth: int) -> Expression:
        # of floats a GPU's minimum is another than the host's, which knows NaN
        one, other = ordered(self.whole(depth)), ordered(self.whole(depth))
        type_, name = rules.comparable(one.type, other.type), self.chance.choice(["min", "max"])
        assert type_ is not None
        return Expression(f"{name}({one.text}, {other.text})", type_)

    def _magnitude(self, depth: int) -> Expression | None:
        value = ordered(self.any(depth))
        type_ = rules.magnitude(value.type)
        return None if type_ is None else Expression(f"abs({value.text})", types.PART_OF.get(type_, type_))


def numbers(chance: random.Random) -> dict[str, np.ndarray]:
    """For every variable a value a lane: small ones, limits, and any bits that are a number."""
    generator, made = np.random.default_rng(chance.randrange(2**32)), {}
    for name, type_ in NAMES.items():
        dtype = type_.dtype
        if dtype.kind in "iu":
            limits = np.iinfo(dtype)
            any_bits = np.frombuffer(generator.bytes(LANES * dtype.itemsize), dtype)
            values = np.where(np.arange(LANES) % 3 == 0, any_bits, (any_bits % 11).astype(dtype))
            values[:4] = limits.min, limits.max, 0, 1
        elif dtype.kind == "b":
            values = generator.integers(0, 2, LANES).astype(bool)
        else:
            values = generator.normal(size=LANES) * 10.0 ** generator.integers(-3, 4, LANES)
            values[:3] = 0, -1.5, 1
            if dtype.kind == "c":
                values = values + 1j * generator.integers(-3, 4, LANES)
        made[name] = values.astype(dtype)
    return made


def theirs(program: list[str], given: dict[str, np.ndarray]) -> list[np.ndarray]:
    """What Numba computes, in its own types."""
    lines = [f"    r{k} = {text}" for k, text in enumerate(program)]
    names = [f"r{k}, " for k in range(len(program))]
    parts = [f"({''.join(names[first : first + LONGEST])})" for first in range(0, len(names), LONGEST)]
    lines = [f"def together({', '.join(NAMES)}):", *lines, f"    return ({', '.join(parts)},)\n"]
    together = numba.njit(define("\n".join(lines), "together"), error_model="numpy")
    rows = [sum(together(*(values[lane] for values in given.values())), ()) for lane in range(LANES)]
    (signature,) = together.nopython_signatures
    dtypes = [numba.np.numpy_support.as_dtype(type_) for part in signature.return_type for type_ in part]
    return [np.array([row[k] for row in rows], dtype) for k, dtype in enumerate(dtypes)]


def ours(program: list[str], given: dict[str, np.ndarray]) -> list[np.ndarray]:
    """What a kernel computes, in the types that its variables have."""
    numbers = range(len(program))
    loads = "".join(f"    {name} = a_{name}[i]\n" for name in NAMES)
    stores = "".join(f"    r{k} = {program[k]}\n    a{k}[i] = r{k}\n" for k in numbers)
    taken = ", ".join([*(f"a_{name}" for name in NAMES), *(f"a{k}" for k in numbers)])
    kernel = cuda.jit(define(f"def kernel({taken}):\n    i = cuda.grid(1)\n{loads}{stores}"))
    compiled = kernel.compiled(*given.values(), *(np.zeros(LANES, C128.dtype) for _ in numbers))
    held = {one.destination.name: one.destination.type for one in compiled.instructions if one.destination}
    results = [np.zeros(LANES, held[f"r{k}"].dtype) for k in numbers]
    kernel[1, LANES](*given.values(), *results)
    return results


def alike(one: np.ndarray, other: np.ndarray) -> bool:
    """The same type, and bits; a NaN is any other."""
    return one.dtype == other.dtype and np.array_equal(one, other, equal_nan=one.dtype.kind in "fc")


@given(st.integers(0, 2**63))
def test_an_expression_is_what_numba_says(seed: int) -> None:
    writer = Writer(seed)
    program, given = writer.program(), numbers(writer.chance)
    with np.errstate(all="ignore"):
        pairs = zip(theirs(program, given), ours(program, given), strict=True)
        differing = {f"r{k} = {program[k]}": pair for k, pair in enumerate(pairs) if not alike(*pair)}
    assert not differing
