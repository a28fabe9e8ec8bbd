"""Which instructions are there? One table of opcodes; everything else in the package looks them up here."""

from __future__ import annotations

import builtins
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from types import NoneType
from typing import Any, TypeVar

from gpusim.ir.details import (
    Axis,
    CacheOperator,
    Callee,
    Detail,
    Format,
    Launch,
    Message,
    Part,
    Received,
    Scope,
    SpecialRegister,
    Texel,
)
from gpusim.ir.types import Element, Scalar, Space
from gpusim.source import Span


class Kind(Enum):
    """What an opcode does, and so which operands it takes."""

    ARITHMETIC = "arithmetic"  # operands and result in the instruction's type
    COMPARE = "compare"  # operands in the instruction's type, the result a predicate
    SELECT = "select"  # predicate, then two values of the instruction's type
    CONVERT = "convert"  # operands of any type, the result in the instruction's type
    SPECIAL = "special"  # reads a special register
    CLOCK = "clock"  # reads how far the machine is
    EXTENT = "extent"  # of the array at `place`: its length or byte stride along an axis, or its address
    MEMORY = "memory"  # at `place`; a store takes the value
    ATOMIC = "atomic"  # the same, and the result is what was there before
    TEXTURE = "texture"  # of the object at `place`: coordinates of any types; a write's mode and value last
    EFFECT = "effect"  # no result; what it does shows elsewhere
    RUNTIME = "runtime"  # asks the device runtime, which may answer each lane otherwise
    COLLECTIVE = "collective"  # of an `Exchange` or `Barrier`: what each lane brings, the mask first if any
    RECEIVE = "receive"  # what the lane's last `Exchange` or `Barrier` gave it


class Opcode(Enum):
    """Every opcode: its mnemonic, its kind, how many operands it takes, and the type of its detail."""

    ADD = ("add", Kind.ARITHMETIC, 2)
    SUB = ("sub", Kind.ARITHMETIC, 2)
    MUL = ("mul", Kind.ARITHMETIC, 2)
    DIV = ("div", Kind.ARITHMETIC, 2)
    FLOOR_DIV = ("div.floor", Kind.ARITHMETIC, 2)
    FLOOR_MOD = ("mod.floor", Kind.ARITHMETIC, 2)
    DIV_TRUNC = ("div.trunc", Kind.ARITHMETIC, 2)  # C's / and % of integers: toward zero
    MOD_TRUNC = ("rem", Kind.ARITHMETIC, 2)
    POW = ("pow", Kind.ARITHMETIC, 2)
    MIN = ("min", Kind.ARITHMETIC, 2)
    MAX = ("max", Kind.ARITHMETIC, 2)
    MIN_NAN = ("min.nan", Kind.ARITHMETIC, 2)  # NaN where an operand is
    MAX_NAN = ("max.nan", Kind.ARITHMETIC, 2)
    AND = ("and", Kind.ARITHMETIC, 2)
    OR = ("or", Kind.ARITHMETIC, 2)
    XOR = ("xor", Kind.ARITHMETIC, 2)
    SHL = ("shl", Kind.ARITHMETIC, 2)
    SHR = ("shr", Kind.ARITHMETIC, 2)
    ATAN2 = ("atan2", Kind.ARITHMETIC, 2)
    HYPOT = ("hypot", Kind.ARITHMETIC, 2)
    COPYSIGN = ("copysign", Kind.ARITHMETIC, 2)
    FMOD = ("fmod", Kind.ARITHMETIC, 2)
    REMAINDER = ("remainder", Kind.ARITHMETIC, 2)
    MUL_HI = ("mul.hi", Kind.ARITHMETIC, 2)
    FMA = ("fma", Kind.ARITHMETIC, 3)
    NEG = ("neg", Kind.ARITHMETIC, 1)
    NOT = ("not", Kind.ARITHMETIC, 1)
    ABS = ("abs", Kind.ARITHMETIC, 1)
    SQRT = ("sqrt", Kind.ARITHMETIC, 1)
    RCP = ("rcp", Kind.ARITHMETIC, 1)
    RSQRT = ("rsqrt", Kind.ARITHMETIC, 1)
    EXP = ("exp", Kind.ARITHMETIC, 1)
    LOG = ("log", Kind.ARITHMETIC, 1)
    SIN = ("sin", Kind.ARITHMETIC, 1)
    COS = ("cos", Kind.ARITHMETIC, 1)
    TAN = ("tan", Kind.ARITHMETIC, 1)
    ASIN = ("asin", Kind.ARITHMETIC, 1)
    ACOS = ("acos", Kind.ARITHMETIC, 1)
    ATAN = ("atan", Kind.ARITHMETIC, 1)
    SINH = ("sinh", Kind.ARITHMETIC, 1)
    COSH = ("cosh", Kind.ARITHMETIC, 1)
    TANH = ("tanh", Kind.ARITHMETIC, 1)
    ASINH = ("asinh", Kind.ARITHMETIC, 1)
    ACOSH = ("acosh", Kind.ARITHMETIC, 1)
    ATANH = ("atanh", Kind.ARITHMETIC, 1)
    EXP2 = ("exp2", Kind.ARITHMETIC, 1)
    EXP10 = ("exp10", Kind.ARITHMETIC, 1)
    EXPM1 = ("expm1", Kind.ARITHMETIC, 1)
    LOG1P = ("log1p", Kind.ARITHMETIC, 1)
    LOG2 = ("log2", Kind.ARITHMETIC, 1)
    LOG10 = ("log10", Kind.ARITHMETIC, 1)
    CBRT = ("cbrt", Kind.ARITHMETIC, 1)
    ERF = ("erf", Kind.ARITHMETIC, 1)
    ERFC = ("erfc", Kind.ARITHMETIC, 1)
    GAMMA = ("tgamma", Kind.ARITHMETIC, 1)
    LGAMMA = ("lgamma", Kind.ARITHMETIC, 1)
    FLOOR = ("floor", Kind.ARITHMETIC, 1)
    CEIL = ("ceil", Kind.ARITHMETIC, 1)
    TRUNC = ("trunc", Kind.ARITHMETIC, 1)
    RINT = ("rint", Kind.ARITHMETIC, 1)
    FRACTION = ("modf.fraction", Kind.ARITHMETIC, 1)
    MANTISSA = ("frexp.mantissa", Kind.ARITHMETIC, 1)
    POPC = ("popc", Kind.ARITHMETIC, 1)
    BREV = ("brev", Kind.ARITHMETIC, 1)
    CLZ = ("clz", Kind.ARITHMETIC, 1)
    FFS = ("ffs", Kind.ARITHMETIC, 1)
    MOVE = ("mov", Kind.ARITHMETIC, 1)
    EQ = ("setp.eq", Kind.COMPARE, 2)
    NE = ("setp.ne", Kind.COMPARE, 2)
    LT = ("setp.lt", Kind.COMPARE, 2)
    LE = ("setp.le", Kind.COMPARE, 2)
    GT = ("setp.gt", Kind.COMPARE, 2)
    GE = ("setp.ge", Kind.COMPARE, 2)
    ISNAN = ("testp.nan", Kind.COMPARE, 1)
    ISINF = ("testp.infinite", Kind.COMPARE, 1)
    ISFINITE = ("testp.finite", Kind.COMPARE, 1)
    SELECT = ("selp", Kind.SELECT, 3)
    CONVERT = ("cvt", Kind.CONVERT, 1)
    REINTERPRET = ("mov.bits", Kind.CONVERT, 1)
    PACK = ("mov.pack", Kind.CONVERT, None)  # operands of any types, one behind the other, as bits
    PART = ("mov.unpack", Kind.CONVERT, 1, Part)  # one of the numbers in such bits
    EXPONENT = ("frexp.exponent", Kind.CONVERT, 1)
    SCALE = ("ldexp", Kind.CONVERT, 2)
    ROUND_TO = ("round.digits", Kind.CONVERT, 2)
    CALL = ("call", Kind.CONVERT, None, Callee)  # a function of the library, of operands of any types
    COMPLEX = ("complex", Kind.CONVERT, 2)
    REAL = ("real", Kind.CONVERT, 1)
    IMAG = ("imag", Kind.CONVERT, 1)
    SPECIAL = ("mov", Kind.SPECIAL, 0, SpecialRegister)
    CLOCK = ("mov.clock", Kind.CLOCK, 0)  # steps of the machine, not cycles
    EXTENT = ("extent", Kind.EXTENT, 0, Axis)
    STRIDE = ("stride", Kind.EXTENT, 0, Axis)
    ADDRESS = ("cvta", Kind.EXTENT, 0)
    LOAD = ("ld", Kind.MEMORY, 0, CacheOperator | None)
    STORE = ("st", Kind.MEMORY, 1, CacheOperator | None)
    TEX = ("tex", Kind.TEXTURE, None, Texel)
    SULD = ("suld", Kind.TEXTURE, None, Texel)
    SUST = ("sust", Kind.TEXTURE, None, Texel)
    ATOMIC_ADD = ("atom.add", Kind.ATOMIC, 1, Scope | None)
    ATOMIC_SUB = ("atom.sub", Kind.ATOMIC, 1, Scope | None)
    ATOMIC_AND = ("atom.and", Kind.ATOMIC, 1, Scope | None)
    ATOMIC_OR = ("atom.or", Kind.ATOMIC, 1, Scope | None)
    ATOMIC_XOR = ("atom.xor", Kind.ATOMIC, 1, Scope | None)
    ATOMIC_MIN = ("atom.min", Kind.ATOMIC, 1, Scope | None)
    ATOMIC_MAX = ("atom.max", Kind.ATOMIC, 1, Scope | None)
    ATOMIC_NANMIN = ("atom.nanmin", Kind.ATOMIC, 1, Scope | None)
    ATOMIC_NANMAX = ("atom.nanmax", Kind.ATOMIC, 1, Scope | None)
    ATOMIC_INC = ("atom.inc", Kind.ATOMIC, 1, Scope | None)
    ATOMIC_DEC = ("atom.dec", Kind.ATOMIC, 1, Scope | None)
    ATOMIC_EXCHANGE = ("atom.exch", Kind.ATOMIC, 1, Scope | None)
    ATOMIC_CAS = ("atom.cas", Kind.ATOMIC, 2, Scope | None)
    FENCE = ("fence.acq_rel", Kind.EFFECT, 0, Scope)
    COPIES_COMMIT = ("cp.async.commit_group", Kind.EFFECT, 0)
    COPIES_WAIT = ("cp.async.wait_group", Kind.EFFECT, 1)  # how many groups may still be on their way
    NANOSLEEP = ("nanosleep", Kind.EFFECT, 1)
    TRAP = ("trap", Kind.EFFECT, 0, Message)
    PRINT = ("call.vprintf", Kind.EFFECT, None, Format)  # any number of operands
    LAUNCH = ("call.cudaLaunchDevice", Kind.RUNTIME, None, Launch)
    RUNTIME = ("call", Kind.RUNTIME, None, Callee)  # one of its other functions
    BARRIER = ("bar.sync", Kind.COLLECTIVE, 0)
    GRID_BARRIER = ("barrier.grid.sync", Kind.COLLECTIVE, 0)
    CHILDREN = ("call.cudaDeviceSynchronize", Kind.COLLECTIVE, 0)  # each lane for those of its block
    BARRIER_COUNT = ("bar.red.popc", Kind.COLLECTIVE, 1)
    BARRIER_AND = ("bar.red.and", Kind.COLLECTIVE, 1)
    BARRIER_OR = ("bar.red.or", Kind.COLLECTIVE, 1)
    NAMED_SYNC = ("barrier.sync", Kind.COLLECTIVE, 2)  # number, threads
    NAMED_ARRIVE = ("barrier.arrive", Kind.COLLECTIVE, 2)
    NAMED_DROP = ("barrier.drop", Kind.COLLECTIVE, 2)  # arrives, and counts as having come ever after
    NAMED_WAIT = ("barrier.wait", Kind.COLLECTIVE, 1)
    SHFL_IDX = ("shfl.sync.idx", Kind.COLLECTIVE, 3)
    SHFL_UP = ("shfl.sync.up", Kind.COLLECTIVE, 3)
    SHFL_DOWN = ("shfl.sync.down", Kind.COLLECTIVE, 3)
    SHFL_XOR = ("shfl.sync.bfly", Kind.COLLECTIVE, 3)
    BALLOT = ("vote.sync.ballot", Kind.COLLECTIVE, 2)
    VOTE_ALL = ("vote.sync.all", Kind.COLLECTIVE, 2)
    VOTE_ANY = ("vote.sync.any", Kind.COLLECTIVE, 2)
    VOTE_EQ = ("vote.sync.uni", Kind.COLLECTIVE, 2)
    MATCH_ANY = ("match.any.sync", Kind.COLLECTIVE, 2)
    MATCH_ALL = ("match.all.sync", Kind.COLLECTIVE, 2)
    REDUCE_ADD = ("redux.sync.add", Kind.COLLECTIVE, 2)
    REDUCE_MIN = ("redux.sync.min.s32", Kind.COLLECTIVE, 2)
    REDUCE_MAX = ("redux.sync.max.s32", Kind.COLLECTIVE, 2)
    REDUCE_MIN_UNSIGNED = ("redux.sync.min.u32", Kind.COLLECTIVE, 2)
    REDUCE_MAX_UNSIGNED = ("redux.sync.max.u32", Kind.COLLECTIVE, 2)
    REDUCE_AND = ("redux.sync.and.b32", Kind.COLLECTIVE, 2)
    REDUCE_OR = ("redux.sync.or.b32", Kind.COLLECTIVE, 2)
    REDUCE_XOR = ("redux.sync.xor.b32", Kind.COLLECTIVE, 2)
    SYNC_WARP = ("bar.warp.sync", Kind.COLLECTIVE, 1)
    RECEIVE = ("mov", Kind.RECEIVE, 0, Received)

    def __init__(self, mnemonic: str, kind: Kind, values: int | None, detail: Any = NoneType) -> None:
        self.mnemonic, self.kind, self.values, self.detail = mnemonic, kind, values, detail

    @property
    def accesses_memory(self) -> bool:
        """Loads, stores and atomics, also by objects."""
        return self.kind in (Kind.MEMORY, Kind.ATOMIC, Kind.TEXTURE)

    @property
    def writes_memory(self) -> bool:
        """Stores and atomics."""
        return self in (Opcode.STORE, Opcode.SUST) or self.kind is Kind.ATOMIC


@dataclass(frozen=True, eq=False)
class Register:
    """One slot per lane. There is no SSA: a masked write to a register is how two paths merge."""

    name: str
    type: Scalar

    @property
    def is_temporary(self) -> bool:
        """True for an intermediate value, which is read by the expression around it only."""
        return self.name.isdigit()

    @property
    def is_variable(self) -> bool:
        """True for what bears a name that its author gave it."""
        return self.name.isidentifier()

    def __str__(self) -> str:
        return f"%{self.name}"


@dataclass(frozen=True)
class Constant:
    """A value known when the kernel is compiled."""

    value: Any
    type: Scalar

    def __str__(self) -> str:
        return f"{self.value}"


Operand = Register | Constant


@dataclass(frozen=True, eq=False)
class ArrayOperand:
    """An array that a kernel names: a parameter, a constant, shared or local storage, or a part of one.

    `shape` is empty where the launch gives it. `offset` is the first byte within the block's shared window,
    the thread's local memory or the constants; `data` is what a constant holds. An array with a `root` is
    a part of its memory, such as a slice or the field of a record.

    A `pointer` is memory in C's sense: an index may run over the end of its axis, within the memory.
    """

    name: str
    element: Element
    dimensions: int
    space: Space
    shape: tuple[int, ...] = ()
    offset: int = 0
    layout: str = "C"
    root: ArrayOperand | None = None
    data: Any = None
    pointer: bool = False

    @property
    def memory(self) -> ArrayOperand:
        """The array whose memory this is."""
        return self.root or self


@dataclass(frozen=True)
class Geometry:
    """Where does a part of an array lie in the memory of its root? A part of a pointer has no extents."""

    first_byte: Operand
    strides_bytes: tuple[Operand, ...]
    extents: tuple[Operand, ...] = ()

    @property
    def operands(self) -> tuple[Operand, ...]:
        """All of them."""
        return (self.first_byte, *self.extents, *self.strides_bytes)


@dataclass(frozen=True, eq=False)
class Place:
    """Where does an access go? To an element of an array, `x[i, j]`; with `geometry`, of a part of one.

    Where the array is `Space.GENERIC`, to an `address`, which may lie anywhere. A place without indices is
    the array itself, whose extent is asked for.
    """

    array: ArrayOperand
    indices: tuple[Operand, ...] = ()
    geometry: Geometry | None = None
    address: Operand | None = None

    @cached_property
    def operands(self) -> tuple[Operand, ...]:
        """All values that it is computed from."""
        if self.address is not None:
            return (self.address,)
        return self.indices + (self.geometry.operands if self.geometry is not None else ())


DetailType = TypeVar("DetailType", bound=Detail)


@dataclass(frozen=True, eq=False)
class Instruction:
    """One step of one lane; at a `place`, if it is about memory. `detail` is what the opcode leaves open."""

    opcode: Opcode
    type: Scalar
    destination: Register | None
    operands: tuple[Operand, ...]
    span: Span
    place: Place | None = None
    detail: Detail | None = None

    @property
    def array(self) -> ArrayOperand | None:
        """The array that it goes to, or asks about."""
        return self.place.array if self.place is not None else None

    @cached_property
    def reads(self) -> tuple[Register, ...]:
        """The registers that it needs, for the place and as values."""
        where = self.place.operands if self.place is not None else ()
        return tuple(operand for operand in where + self.operands if isinstance(operand, Register))

    @property
    def launches(self) -> bool:
        """Does it give the device a grid: a kernel, or one with which the runtime copies or sets memory?"""
        moves = isinstance(self.detail, Callee) and self.detail.moves
        return self.opcode is Opcode.LAUNCH or moves

    def the(self, kind: builtins.type[DetailType]) -> DetailType:
        """The detail, where the opcode takes just this type: `instruction.the(Axis).number`."""
        assert isinstance(self.detail, kind)
        return self.detail
