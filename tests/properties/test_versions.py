"""Has each value of a variable the type that Numba gives it, and its bits, where ways part and meet?

Numba puts a function into SSA form: each assignment makes a version with a type of its own, and where those
meet one that holds them all. Random programs give three names numbers of many types, in branches
and loops, and look at them in ways that tell types apart.
"""

from __future__ import annotations

import random
import textwrap

import numba
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gpusim import cuda
from tests.from_text import define

LANES = 32
NAMES = ("x", "y", "z")
GIVEN = {
    f"v_{name}": np.dtype(name) for name in ("bool", "int8", "int32", "int64", "uint64", "float32", "float64")
}
CONSTANTS = (
    "0", "1", "2**56 + 1", "0.5", "-3", "1e-3", "True", "np.float32(0.1)", "np.uint8(200)", "np.int32(-7)",
)  # fmt: skip
# these tell an int64 of 57 bits from a float64, a float32 from what is wider, a uint64 from an int64; no
# whole number outgrows 64 bits, for Numba's compiler relies on that
LOOKS = ("{} % 1001", "(3 - {}) % 1001", "{} // 3 % 1001", "{} * np.float32(1.1)")
COMPUTED = ("{} + {}", "{} - 3", "-{}", "{} / 7", "{} * v_float32", "{} + v_int64", "{} // 3")
HEAD = "def {}({}):\n"


class Writer:
    """Programs by chance: statements that assign, look, branch and loop."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.looks = self.loops = 0

    def program(self) -> str:
        """Statements that write what they see to `out`."""
        first = [f"{name} = {self._value([])}" for name in NAMES]
        return "\n".join([*first, *self._block(3), *map(self._look, NAMES)])

    def _block(self, depth: int, loop: str = "") -> list[str]:
        return [
            line for _ in range(self.chance.randint(2, 3 + depth)) for line in self._statement(depth, loop)
        ]

    def _statement(self, depth: int, loop: str) -> list[str]:
        kinds = ["assign"] * 6 + ["look"] * 6 + ["update", "swap"]
        kinds += ["if", "if", "either", "for", "while"] * depth + ["break", "continue"] * bool(loop)
        kind, name = self.chance.choice(kinds), self.chance.choice(NAMES)
        match kind:
            case "assign":
                return [f"{name} = {self._value(list(NAMES))}"]
            case "update":
                return [f"{name} {self.chance.choice('+-/')}= {self._value([])}"]
            case "swap":
                one, other = self.chance.sample(NAMES, 2)
                return [f"{one}, {other} = {other}, {one}"]
            case "look":
                return [self._look(name)]
            case "break" | "continue":
                return [f"if {self._test(loop)}:", f"    {kind}"]
            case "if":
                return [f"if {self._test(loop)}:", *self._inner(depth, loop)]
            case "either":
                sides = [self._inner(depth, loop) for _ in range(2)]
                return [f"if {self._test(loop)}:", *sides[0], "else:", *sides[1]]
        self.loops += 1
        counter, rounds = f"k{self.loops}", f"(rounds >> {self.chance.randrange(8)}) & 3"
        otherwise = ["else:", *self._inner(depth, loop)] if self.chance.random() < 0.2 else []
        if kind == "for":
            return [f"for {counter} in range({rounds}):", *self._inner(depth, counter), *otherwise]
        body = [f"    {counter} += 1", *self._inner(depth, counter)]
        tests = [f"{counter} < ({rounds})"]
        if self.chance.random() < 0.5:
            tests.append(f"{self.chance.choice(LOOKS).format(name, name)} != {self.chance.randrange(9)}")
            self.chance.shuffle(tests)
        return [f"{counter} = 0", f"while {' and '.join(tests)}:", *body, *otherwise]

    def _inner(self, depth: int, loop: str) -> list[str]:
        return [f"    {line}" for line in self._block(depth - 1, loop)]

    def _test(self, loop: str) -> str:
        which = f"({self.chance.randrange(30)} + {loop or '0'})"
        return f"(flags >> {which}) & 1"

    def _value(self, names: list[str]) -> str:
        """A number: a given one, a constant, or computed from a name."""
        if names and self.chance.random() < 0.4:
            return self.chance.choice(COMPUTED).format(*[self.chance.choice(names)] * 2)
        if names and self.chance.random() < 0.15:
            return self.chance.choice(names)
        return self.chance.choice((self.chance.choice(list(GIVEN)), self.chance.choice(CONSTANTS)))

    def _look(self, name: str) -> str:
        self.looks += 1
        return f"out[{self.looks - 1}] = " + self.chance.choice(LOOKS).format(name, name)


def numbers(seed: int) -> dict[str, np.ndarray]:
    """For every given number a value a lane, and bits that decide where lanes go."""
    generator = np.random.default_rng(seed)
    made = {"flags": generator.integers(0, 2**40, LANES), "rounds": generator.integers(0, 2**10, LANES)}
    for name, dtype in GIVEN.items():
        if dtype.kind == "f":
            made[name] = generator.normal(size=LANES).astype(dtype)
        elif dtype.kind == "b":
            made[name] = generator.integers(0, 2, LANES).astype(bool)
        else:
            most = min(np.iinfo(dtype).max, 2**56)
            made[name] = generator.integers(0 if dtype.kind == "u" else -most, most, LANES, dtype)
    return made


def theirs(body: str, given: dict[str, np.ndarray], looks: int) -> np.ndarray:
    """What Numba sees."""
    text = HEAD.format("program", ", ".join([*given, "out"])) + textwrap.indent(body, "    ") + "\n"
    program, out = numba.njit(define(text, "program"), error_model="numpy"), np.zeros((LANES, looks))
    for lane in range(LANES):
        program(*(values[lane] for values in given.values()), out[lane])
    return out


def ours(body: str, given: dict[str, np.ndarray], looks: int) -> np.ndarray:
    """What a kernel sees."""
    loads = "".join(f"    {name} = a_{name}[i]\n" for name in given)
    start = "    i = cuda.grid(1)\n    out = outs[i]\n" + loads
    text = HEAD.format("kernel", ", ".join([*(f"a_{name}" for name in given), "outs"])) + start
    out = np.zeros((LANES, looks))
    cuda.jit(define(text + textwrap.indent(body, "    ") + "\n"))[1, LANES](*given.values(), out)
    return out


@given(st.randoms(use_true_random=False), st.integers(0, 2**63))
def test_each_value_of_a_variable_has_the_type_that_numba_gives_it(chance: random.Random, seed: int) -> None:
    writer = Writer(chance)
    body, given = writer.program(), numbers(seed)
    with np.errstate(all="ignore"):
        one, other = theirs(body, given, writer.looks), ours(body, given, writer.looks)
    assert np.array_equal(one, other, equal_nan=True), body
