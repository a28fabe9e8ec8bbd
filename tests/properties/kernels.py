"""Random structured kernels, as the text that a student might write.

Whatever the order of threads, a kernel from here has one result: a thread writes only to its own elements,
or changes others atomically, each element by one operation whose order does not matter; it reads what others
wrote only after a barrier, of the block under conditions that are equal for all of it, or of the lanes that a
mask names. Three kinds of value follow from that:

    block-uniform   k0, parameters, blockIdx, counters of uniform loops: may decide who reaches a barrier
    thread-owned    everything else; e takes block-uniform values only, but on one side of a branch
    shared          s[…], one element a thread, exchanged between two barriers; c[…] and m[…], atomically

Where lanes of a warp come together, `Place.mask` names them: -1 where the whole block does, else what they
said at a vote before they parted. There they shuffle, vote and match.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np
from hypothesis import strategies as st

from tests.from_text import define

SLOTS = 3  # elements of each array that a thread owns
TABLE = 17  # elements of the read-only table, which every thread may read anywhere
COUNTERS = 5  # elements that all threads add to
MOST_TRIPS = 4

# unsigned and signed 64 bits together would make a float64 of a variable, as in Numba
INTEGERS = (
    "np.int8({})",
    "np.int16({})",
    "np.int32({})",
    "np.int64({})",
    "np.int32(np.uint8({}))",
    "int(np.uint16({}) - 1)",
    "np.int64(np.uint32({}))",
)
GLOBALS = ("x32", "x64", "x8", "u32", "f32", "f64")
ARRAYS = {
    "x32": np.int32, "x64": np.int64, "x8": np.int8, "u32": np.uint32, "f32": np.float32, "f64": np.float64,
}  # fmt: skip

HEADER = """\
@cuda.jit
def kernel(x32, x64, x8, u32, f32, f64, table, counted, summed, folded, turns, extremes, once, n, scale):
    i = cuda.blockIdx.x + cuda.gridDim.x * (cuda.blockIdx.y + cuda.gridDim.y * cuda.blockIdx.z)
    t = cuda.threadIdx.x + cuda.blockDim.x * (cuda.threadIdx.y + cuda.blockDim.y * cuda.threadIdx.z)
    threads = cuda.blockDim.x * cuda.blockDim.y * cuda.blockDim.z
    i = i * threads + t
    lane = cuda.laneid
    s = cuda.shared.array(256, np.int64)
    c = cuda.shared.array(4, np.int32)
    l = cuda.local.array((2, 3), np.float32)
    s[t] = i * 7
    for j in range(6):
        l[j // 3, j % 3] = j + t
    m = cuda.shared.array(3, np.int64)
    for j in range(t, 4, threads):
        c[j] = 0
    for j in range(t, 3, threads):
        m[j] = 0
    cuda.syncthreads()
    k0 = n
    e = 0
    a = x32[i, 0]
    b = i - 5
    d = np.int16(t)
    p = f64[i, 1]
    q = np.float32(t) / np.float32(3)
    flag = a > b
"""
# atomic operation -> the element of `folded` that only it changes, and of `m`
FOLDED = {"and_": 0, "or_": 1, "xor": 2, "max": 3, "min": 4, "sub": 5}
SITES = 16  # places in the text whose threads compete for an element of `once`, or draw tickets there
FOOTER = """\
x32[i, 0] = a ^ k0
x64[b % 3, i] += b
x64[2, i] ^= e
x8[i, 2] = d
f32[i, 1] = q
f64[i, 0] = p + (1 if flag else 0)
"""


class Kernel:
    """A kernel's text, the function made of it, and arguments for a launch of some threads.

    `models` can run it: lanes that exchange across a branch need a program counter each.
    """

    def __init__(self, text: str, models: tuple[str, ...]) -> None:
        self.text, self.function, self.models = text, define(text), models

    def __repr__(self) -> str:
        return f"\n{self.text}"

    def arguments(self, threads: int) -> list[Any]:
        """Fresh arrays, the same ones every time. A thread owns row i; x64 has its columns instead."""
        random = np.random.default_rng(threads)
        arrays = []
        for name in GLOBALS:
            values = random.integers(-20, 100, (threads, SLOTS))
            array = values.astype(ARRAYS[name])
            arrays.append(np.ascontiguousarray(array.T) if name == "x64" else array)
        table = random.integers(-9, 9, 2 * TABLE)[::2]
        return [
            *arrays,
            table,
            np.zeros(COUNTERS, np.int64),
            np.zeros(COUNTERS, np.float32),
            np.array([-1, 0, 0, -(1 << 40), 1 << 40, 0]),
            np.array([0, 3], np.uint32),
            np.zeros(2),
            np.zeros(SITES, np.int32),
            3,
            np.float32(0.5),
        ]


@dataclass
class Place:
    """Where a statement stands: what may be named and done there."""

    uniform: bool  # do all threads of the block that are left come here together?
    mask: str = ""  # which lanes of the warp come here together, apart from those that have left
    depth: int = 0
    loop: str = ""  # "uniform": every thread makes the same rounds; "free": lanes may leave it alone
    counters: tuple[str, ...] = ()
    uniform_counters: tuple[str, ...] = ()
    device: bool = False
    calls: tuple[tuple[str, int], ...] = ()
    names: tuple[str, ...] = ("a", "b")
    narrow: str = "d"
    floats: tuple[str, ...] = ("p", "q")
    flags: tuple[str, ...] = ("flag",)

    def inside(self, **changes: Any) -> Place:
        """A place one level further in; nobody is sure to come there together unless `changes` say so."""
        return Place(**{**self.__dict__, "depth": self.depth + 1, "mask": "", **changes})


class Writer:
    """Writes statements and expressions by drawing from Hypothesis."""

    def __init__(self, draw: Callable[[Any], Any]) -> None:
        self._draw, self._fresh, self._sites = draw, count(), count()
        self.budget = 0
        self.models: tuple[str, ...] = ("stack", "independent")

    def pick(self, *choices: Any) -> Any:
        """One of the choices; the first is the simplest."""
        return self._draw(st.sampled_from(choices))

    def number(self, low: int, high: int) -> int:
        """A whole number."""
        return self._draw(st.integers(low, high))

    def chance(self, percent: int) -> bool:
        """True in so many of a hundred cases."""
        return self.number(0, 99) >= 100 - percent

    # expressions ------------------------------------------------------------------------------------------

    def uniform(self, place: Place, depth: int = 2) -> str:
        """A whole number that is equal for all threads of a block."""
        leaves = ["k0", "n", "cuda.blockIdx.x", "cuda.gridDim.y", "threads", *place.uniform_counters]
        if depth == 0 or self.chance(50):
            return self.pick(str(self.number(-3, 9)), *leaves)
        one, other = self.uniform(place, depth - 1), self.uniform(place, depth - 1)
        return self.pick(
            f"({one} + {other})",
            f"({one} - {other})",
            f"({one} * {other})",
            f"({one} % 7)",
            f"table[{one} % {TABLE}]",
        )

    def integer(self, place: Place, depth: int = 2) -> str:
        """A whole number of the thread."""
        if depth == 0 or self.chance(25):
            leaves = [*place.names, place.narrow, *place.counters]
            if not place.device:
                leaves += ["i", "t", "lane", "n", "k0", "e", "cuda.threadIdx.x", "cuda.blockIdx.y", "threads"]
            return self.pick(str(self.number(-5, 70)), *leaves)
        one, other = self.integer(place, depth - 1), self.integer(place, depth - 1)
        match self.number(0, 15):
            case 0 | 1:
                return f"({one} {self.pick('+', '-')} {other})"
            case 2:
                return f"({one} * {other})"
            case 15:
                return f"cuda.{self.pick('popc', 'clz', 'ffs', 'brev')}({one})"
            case 3:
                return f"({one} {self.pick('//', '%')} ({other} % 9 + 1))"
            case 4:
                return f"({one} {self.pick('&', '|', '^')} {other})"
            case 5:
                return f"({one} {self.pick('<<', '>>')} ({other} % 8))"
            case 6:
                return f"({self.pick('-', '~', '+')}{one})"
            case 7:
                return f"{self.pick('min', 'max')}({one}, {other})"
            case 8:
                return f"({one} if {self.condition(place, 1)} else {other})"
            case 9:
                return self.pick(*INTEGERS).format(one)
            case 10:
                cast = self.pick("int", "np.int32", "np.int8", "np.uint16")
                return f"{cast}({self.floating(place, depth - 1)})"
            case 11:
                return f"abs({one})"
            case 13:
                return f"({one} {self.pick('and', 'or')} {other})"
            case 12 if place.calls:
                return self.call(place, depth)
        return self.load(place, one)

    def call(self, place: Place, depth: int) -> str:
        """A call of a device function."""
        name, parameters = self.pick(*place.calls)
        arguments = ["table", *(self.integer(place, depth - 1) for _ in range(parameters))]
        return f"{name}({', '.join(arguments)})"

    def load(self, place: Place, position: str) -> str:
        """An element that nobody else writes."""
        if place.device:
            return f"table[{position} % {TABLE}]"
        return self.pick(
            f"table[{position} % {TABLE}]",
            f"table[-({position} % {TABLE}) - 1]",
            f"x32[i, {position} % {SLOTS}]",
            f"x64[{position} % {SLOTS}, i]",
            f"x8[i, {position} % {SLOTS} - {SLOTS}]",
            f"np.int64(u32[i][{position} % {SLOTS}])",
        )

    def floating(self, place: Place, depth: int = 2) -> str:
        """A floating-point number of the thread."""
        if depth == 0 or self.chance(25):
            leaves = list(place.floats) if place.device else [*place.floats, "scale"]
            return self.pick(f"{self.number(-8, 8) / 4}", *leaves)
        one, other = self.floating(place, depth - 1), self.floating(place, depth - 1)
        match self.number(0, 9):
            case 0 | 1:
                return f"({one} {self.pick('+', '-')} {other})"
            case 2:
                return f"({one} {self.pick('*', '/')} {other})"
            case 3:
                return f"({one} {self.pick('//', '%')} {other})"
            case 4:
                return f"{self.pick('math.sqrt', 'abs', 'math.fabs')}({one})"
            case 5:  # not of two variables: which of 0.0 and -0.0 is less?
                return f"{self.pick('min', 'max')}({one}, {self.number(1, 9) / 2})"
            case 6:
                return f"({one} if {self.condition(place, 1)} else {other})"
            case 7:
                return f"{self.pick('np.float32', 'float', 'np.float64')}({self.integer(place, depth - 1)})"
            case 8:
                return f"({one} {self.pick('+', '*')} {self.integer(place, depth - 1)})"
        if place.device:
            return one
        where = f"{self.integer(place, depth - 1)} % {SLOTS}"
        return self.pick(f"f32[i, {where}]", f"f64[i][{where}]", f"l[{where} % 2, {where}]")

    def condition(self, place: Place, depth: int = 2) -> str:
        """A truth of the thread."""
        if depth == 0 or self.chance(40):
            kind = self.integer if self.chance(70) else self.floating
            operators = ("<", "<=", ">", ">=", "==", "!=")
            text = f"{kind(place, 1)} {self.pick(*operators)} {kind(place, 1)}"
            if self.chance(15):
                text += f" {self.pick('<', '>=')} {kind(place, 0)}"
            return self.pick(text, *place.flags, f"{self.integer(place, 1)} & 1")
        one, other = self.condition(place, depth - 1), self.condition(place, depth - 1)
        return self.pick(f"({one} and {other})", f"({one} or {other})", f"not ({one})")

    def uniform_condition(self, place: Place) -> str:
        """A truth that is equal for all threads of a block."""
        one, other = self.uniform(place, 1), self.uniform(place, 1)
        return f"{one} {self.pick('<', '==', '>', '!=')} {other}"

    # statements -------------------------------------------------------------------------------------------

    def body(self, place: Place, most: int = 4) -> list[str]:
        """Some statements."""
        lines: list[str] = []
        for _ in range(self.number(1, most)):
            if self.budget <= 0:
                break
            self.budget -= 1
            lines += self.statement(place)
        return lines or ["pass"]

    def statement(self, place: Place) -> list[str]:
        """One statement, of one or more lines."""
        compound = [self.if_, self.for_, self.while_] if place.depth < 4 else []
        plain = [self.assign, self.assign, self.assign]
        if not place.device:
            plain += [self.store, self.store, self.count_up, self.fold, self.compete]
            if place.mask:
                compound += [self.part] if place.depth < 4 else []
                plain += [self.meet, self.meet, self.meet_in_memory]
            if place.uniform:
                plain += [self.exchange, self.exchange, self.uniform_assign, self.vote_of_block]
        leave = [self.leave, self.leave] if place.depth else []
        return self.pick(*plain, *compound, *compound, *leave)(place)

    def assign(self, place: Place) -> list[str]:
        """A variable of the thread takes a new value."""
        match self.number(0, 7):
            case 6 if not place.device:
                return [f"e {self.pick('=', '+=')} {self.uniform(place, 1)}"]
            case 0 | 1:
                return [f"{self.pick(*place.names)} {self.pick('=', '+=', '-=', '^=')} {self.integer(place)}"]
            case 2 | 3:
                return [f"{self.pick(*place.floats)} {self.pick('=', '+=', '*=')} {self.floating(place)}"]
            case 4 if place.device or self.chance(50):
                return [f"{place.narrow} = np.int16({self.integer(place)})"]
            case 4:
                return [f"lane = np.int32({self.integer(place)})"]
            case 5 if len(place.names) > 1:
                one, other = place.names[:2]
                return [f"{one}, {other} = {other}, {self.integer(place)}"]
        return [f"{self.pick(*place.flags)} = {self.condition(place)}"]

    def uniform_assign(self, place: Place) -> list[str]:
        """The uniform variable takes a new value, in every thread."""
        return [f"k0 = {self.uniform(place)}"]

    def store(self, place: Place) -> list[str]:
        """An element of the thread's own takes a new value."""
        where = f"{self.integer(place, 1)} % {SLOTS}"
        target, value = self.pick(
            (f"x32[i, {where}]", self.integer),
            (f"x64[{where}, i]", self.integer),
            (f"x8[i, -1 - {where}]", self.integer),
            (f"f32[i, {where}]", self.floating),
            (f"f64[i][{where}]", self.floating),
            (f"l[{where} % 2, {where}]", self.floating),
        )
        if value == self.integer and self.chance(40):
            return [f"{target} {self.pick('+=', '^=', '*=')} {self.integer(place)}"]
        return [f"{target} = {value(place)}"]

    def count_up(self, place: Place) -> list[str]:
        """Add whole numbers where others add too; or to an element of one's own, and take its old value."""
        where = self.integer(place, 1)
        return [
            self.pick(
                f"cuda.atomic.add(counted, {where} % {COUNTERS}, {self.integer(place, 1)})",
                f"cuda.atomic.add(summed, {where} % {COUNTERS}, {self.integer(place, 1)} % 8)",
                f"cuda.atomic.add(c, {where} % 4, {self.integer(place, 1)})",
                f"{place.names[0]} = cuda.atomic.add(x32, (i, {where} % {SLOTS}), {self.integer(place, 1)})",
            )
        ]

    def fold(self, place: Place) -> list[str]:
        """Change an element atomically that only this operation changes; or one's own, by any operation."""
        operation, value = self.pick(*FOLDED), self.integer(place, 1)
        where = f"{self.integer(place, 1)} % {SLOTS}"
        taken, shared = place.names[0], self.pick("or_", "xor", "max")
        scope = self.pick("", "block.")
        return [
            self.pick(
                f"cuda.atomic.{operation}(folded, {FOLDED[operation]}, {value})",
                f"cuda.atomic.{scope}{shared}(m, {FOLDED[shared] % 3}, {value})",
                f"cuda.atomic.nanmax(extremes, 0, float({value}))",
                f"cuda.atomic.nanmin(extremes, 1, float({value}))",
                "cuda.atomic.inc(turns, 0, np.uint32(6))",
                "cuda.atomic.dec(turns, 1, np.uint32(4))",
                f"{taken} = cuda.atomic.{operation}(x32, (i, {where}), {value})",
                f"{taken} = cuda.atomic.exch(x32, (i, {where}), {value})",
                f"{taken} = cuda.atomic.cas(x32, (i, {where}), {self.integer(place, 1)}, {value})",
                self.pick("cuda.threadfence()", "cuda.threadfence_block()", "cuda.nanosleep(20)"),
            )
        ]

    def compete(self, _place: Place) -> list[str]:
        """Somebody is the first, and somebody draws every ticket: who, makes no difference."""
        site = next(self._sites)
        if site >= SITES:
            return ["pass"]
        if self.chance(50):
            return [
                f"if cuda.atomic.cas(once, {site}, 0, 1) == 0:",
                f"    cuda.atomic.add(counted, 0, {site + 1})",
            ]
        return [
            f"ticket{site} = cuda.atomic.add(once, {site}, 1)",
            f"cuda.atomic.add(counted, 1, ticket{site} * ticket{site} % 101)",
        ]

    def meet(self, place: Place) -> list[str]:
        """Lanes of a warp exchange values."""
        mask, lane = place.mask, self.integer(place, 1)
        match self.number(0, 6):
            case 0 | 1:
                kind = self.pick("", "_up", "_down", "_xor")
                name, value = self.pick((place.names[0], self.integer), (place.floats[0], self.floating))
                return [f"{name} = cuda.shfl{kind}_sync({mask}, {value(place)}, {lane})"]
            case 2:
                return [f"{place.names[0]} ^= cuda.ballot_sync({mask}, {self.condition(place)})"]
            case 3:
                kind = self.pick("all", "any", "eq")
                return [f"{place.names[0]} += cuda.{kind}_sync({mask}, {self.condition(place)})"]
            case 4:
                value = f"{self.integer(place)} % {self.pick(2, 5)}"
                return [f"{place.names[0]} ^= cuda.match_any_sync({mask}, {value})"]
            case 5:
                found, value = f"found{next(self._fresh)}", f"{self.integer(place)} % {self.pick(1, 2)}"
                return [
                    f"{found}, same = cuda.match_all_sync({mask}, {value})",
                    f"{place.names[0]} += {found}",
                    "if same:",
                    f"    {place.names[-1]} -= 1",
                ]
        if not self.chance(30):
            return [f"cuda.syncwarp({mask})"]
        # both sides of a branch name each other's lanes
        self.models = ("independent",)
        call = f"cuda.shfl_xor_sync({mask}, {{}}, {lane})"
        return [
            f"if {self.condition(place)}:",
            *indented([*self.assign(place), f"{place.names[0]} = {call.format(place.names[-1])}"]),
            "else:",
            *indented([f"{place.names[-1]} = {call.format(place.names[0])}"]),
        ]

    def meet_in_memory(self, place: Place) -> list[str]:
        """Lanes that come here together read what the others wrote before they met."""
        mask, first = place.mask, "t // cuda.warpsize * cuda.warpsize"
        neighbour = f"min({first} + {self.integer(place, 1)} % cuda.warpsize, threads - 1)"
        if mask != "-1":  # others of the warp may be elsewhere
            neighbour = f"({first} + cuda.ffs({mask}) - 1)"
        return [
            f"cuda.syncwarp({mask})",
            f"s[t] = {self.integer(place)}",
            f"cuda.syncwarp({mask})",
            f"{place.names[0]} {self.pick('=', '^=')} s[{neighbour}]",
            f"cuda.syncwarp({mask})",
        ]

    def part(self, place: Place) -> list[str]:
        """Lanes say at a vote which way they will go, and meet those who go the same way."""
        number = next(self._fresh)
        going, mask = f"going{number}", f"mask{number}"
        lines = [
            f"{going} = {self.condition(place)}",
            f"{mask} = cuda.ballot_sync({place.mask}, {going})",
            f"if {going}:",
            *indented(self.side(place, mask)),
        ]
        if self.chance(60):
            rest = f"rest{number}"
            everyone = "" if place.mask == "-1" else f"{place.mask} & "
            lines += ["else:", f"    {rest} = {everyone}~{mask}", *indented(self.side(place, rest))]
        return lines

    def side(self, place: Place, mask: str) -> list[str]:
        """What the lanes of a mask do, and how they meet."""
        inside = place.inside(uniform=False, mask=mask)
        return [*self.body(inside, most=2), *self.meet(inside)]

    def vote_of_block(self, place: Place) -> list[str]:
        """All threads of the block learn the same."""
        kind = self.pick("count", "and", "or")
        return [f"k0 {self.pick('=', '+=')} cuda.syncthreads_{kind}({self.condition(place)})"]

    def exchange(self, place: Place) -> list[str]:
        """Give a value to another thread of the block, or read what all have counted."""
        if self.chance(30):
            counted = self.pick(f"c[{self.integer(place, 1)} % 4]", f"m[{self.integer(place, 1)} % 3]")
            return ["cuda.syncthreads()", f"a += {counted}", "cuda.syncthreads()"]
        return [
            f"s[t] = {self.integer(place)}",
            "cuda.syncthreads()",
            f"a {self.pick('=', '^=')} s[(t + {self.integer(place, 1)}) % threads]",
            "cuda.syncthreads()",
        ]

    def leave(self, place: Place) -> list[str]:
        """Out of the round, the loop or the function."""
        result = f"return {self.integer(place, 1)}" if place.device else "return"
        ways = [result]
        if place.loop == "free" or (place.loop == "uniform" and place.uniform):
            ways = ["break", "continue", result]
        return [self.pick(*ways)]

    def if_(self, place: Place) -> list[str]:
        """A branch with any number of sides."""
        together = bool(place.mask) and self.chance(40)
        inside = self.within(place, together)
        condition = self.uniform_condition if together else self.condition
        lines = [f"if {condition(place)}:", *indented(self.body(inside))]
        if self.chance(25):
            lines += [f"elif {condition(place)}:", *indented(self.body(inside))]
        if self.chance(50):
            lines += ["else:", *indented(self.body(inside))]
        return lines

    def within(self, place: Place, together: bool, **changes: Any) -> Place:
        """The inside of a construct; `together`, all who come there come as they came here."""
        mask = place.mask if together else ""
        return place.inside(uniform=place.uniform and together, mask=mask, **changes)

    def for_(self, place: Place) -> list[str]:
        """A loop over a range, whose bounds may differ between threads."""
        counter, together = f"j{next(self._fresh)}", bool(place.mask) and self.chance(50)
        bound = self.uniform(place, 1) if together else self.integer(place, 1)
        start, step = self.number(-2, 2), self.pick(1, 2, -1)
        limits = self.pick(
            f"{bound} % {MOST_TRIPS}",
            f"{start}, {start} + {bound} % {MOST_TRIPS}, {step}",
            f"{MOST_TRIPS}, {start}, -2",
        )
        inside = self.within(
            place,
            together,
            loop="uniform" if together else "free",
            counters=(*place.counters, counter),
            uniform_counters=(*place.uniform_counters, *[counter] * together),
        )
        lines = [f"for {counter} in range({limits}):", *indented(self.body(inside))]
        if self.chance(20):
            lines += ["else:", *indented(self.body(self.within(place, together)))]
        return lines

    def while_(self, place: Place) -> list[str]:
        """A loop with a condition of its own, and a counter that ends it in any case."""
        counter, together = f"w{next(self._fresh)}", bool(place.mask) and self.chance(40)
        condition = (self.uniform_condition if together else self.condition)(place)
        inside = self.within(
            place,
            together,
            loop="uniform" if together else "free",
            counters=(*place.counters, counter),
            uniform_counters=(*place.uniform_counters, *[counter] * together),
        )
        lines = [
            f"{counter} = 0",
            f"while {counter} < {self.number(1, MOST_TRIPS)} and {condition}:",
            f"    {counter} += 1",
            *indented(self.body(inside)),
        ]
        if self.chance(20):
            lines += ["else:", *indented(self.body(self.within(place, together)))]
        return lines

    def device_function(self, name: str, calls: tuple[tuple[str, int], ...]) -> tuple[list[str], int]:
        """A device function of one to three whole numbers, and how many."""
        parameters = ("v", "w", "z")[: self.number(1, 3)]
        place = Place(
            uniform=False,
            device=True,
            names=(*parameters, "m"),
            narrow="h",
            floats=("g",),
            flags=("yes",),
            calls=calls,
        )
        self.budget = 6
        lines = [
            "@cuda.jit(device=True)",
            f"def {name}({', '.join(('table', *parameters))}):",
            f"    m = {parameters[-1]}",
            f"    h = np.int16({parameters[0]})",
            f"    g = {parameters[0]} * 0.5",
            "    yes = False",
            *indented(self.body(place)),
            f"    return {self.integer(place, 1)}",
        ]
        return lines, len(parameters)


def indented(lines: list[str]) -> list[str]:
    """One level further in."""
    return [f"    {line}" for line in lines]


def write(draw: Callable[[Any], Any]) -> Kernel:
    """A kernel, with the device functions it calls."""
    writer = Writer(draw)
    text: list[str] = []
    calls: tuple[tuple[str, int], ...] = ()
    for number in range(writer.number(0, 2)):
        lines, parameters = writer.device_function(f"device{number}", calls)
        text += [*lines, "", ""]
        calls = (*calls, (f"device{number}", parameters))
    writer.budget = 14
    body = writer.body(Place(uniform=True, mask="-1", calls=calls), most=8)
    text += [HEADER.rstrip("\n"), *indented(body), *indented(FOOTER.splitlines())]
    return Kernel("\n".join(text) + "\n", writer.models)


kernels = st.composite(write)
