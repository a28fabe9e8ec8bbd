"""What does an opcode leave open? A fence has a scope, a load may pass by a cache: an instruction's detail.

`Opcode.detail` says which of these types an opcode takes. A new meaning is a new type, not a new use.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Protocol

from gpusim.ir.parameters import Packed
from gpusim.ir.types import Scalar

if TYPE_CHECKING:
    from gpusim.ir.program import Function


class SpecialRegister(Enum):
    """Which of the registers that nobody writes? By their names in PTX.

    `ctaid.linear` is none of PTX's: a block's number, from which `%smid` is made.
    """

    TID_X = "tid.x"
    TID_Y = "tid.y"
    TID_Z = "tid.z"
    NTID_X = "ntid.x"
    NTID_Y = "ntid.y"
    NTID_Z = "ntid.z"
    CTAID_X = "ctaid.x"
    CTAID_Y = "ctaid.y"
    CTAID_Z = "ctaid.z"
    CTAID_LINEAR = "ctaid.linear"
    NCTAID_X = "nctaid.x"
    NCTAID_Y = "nctaid.y"
    NCTAID_Z = "nctaid.z"
    LANEID = "laneid"
    LANEMASK_LT = "lanemask_lt"
    ACTIVEMASK = "activemask"
    WARPSIZE = "warpsize"

    def __repr__(self) -> str:
        return f"<{self.value}, for kernels>"

    @property
    def differs_between_lanes(self) -> bool:
        """`%tid.x` does; `%ctaid.x` is one number for all lanes of a warp."""
        return self.value.partition(".")[0] not in ("ntid", "ctaid", "nctaid", "warpsize")


class Scope(Enum):
    """Who sees it in order? The thread block, the device, or the host and other devices too."""

    CTA = "cta"
    GPU = "gpu"
    SYS = "sys"


class CacheOperator(Enum):
    """How does a load or a store treat caches? PTX ISA, "Cache Operators"; `nc` asks the texture cache.

    A store that is `async` is the second half of a `cp.async`: what it stores is there once it is waited for.
    """

    CA = "ca"
    CG = "cg"
    CS = "cs"
    LU = "lu"
    CV = "cv"
    NC = "nc"
    WB = "wb"
    WT = "wt"
    ASYNC = "async"


@dataclass(frozen=True)
class Texel:
    """What does an access by a texture or surface object bring? So many numbers of a type."""

    function: str
    element: Scalar
    numbers: int


class Received(Enum):
    """What does a lane take of what its last meeting gave it? As listings name it."""

    VOTE = "barrier"  # what all threads voted at a barrier
    VALUE = "exchanged"  # what an exchange among lanes gave
    AGREED = "exchanged[1]"  # and of a match of all, whether there was one


@dataclass(frozen=True)
class Axis:
    """Which of an array's dimensions? 0 is the slowest in C's order."""

    number: int


@dataclass(frozen=True)
class Part:
    """Which of the bytes in a register? The number that begins at `first_byte`."""

    first_byte: int


class Child(Protocol):
    """A kernel that kernels launch. Its `function` is known when all are compiled: it may be the same."""

    @property
    def function(self) -> Function: ...


@dataclass(frozen=True, eq=False)
class Launch:
    """Which kernel is launched? The operands: grid x, y, z; block x, y, z; shared bytes; stream; arguments.

    An argument for a register is a number; for a pointer an address; for an array the address of its element
    [0, …, 0], the extents of its axes, and their strides in bytes. With a `number`, by which a pointer names
    the kernel, all arguments lie `packed` in a buffer, whose address is the last operand.
    """

    name: str
    child: Child
    packed: Packed | None = None
    number: int = 0


@dataclass(frozen=True)
class Callee:
    """What is called? A function by name; of the device runtime, some are about a kernel."""

    name: str
    kernel: Launch | None = None

    @property
    def moves(self) -> bool:
        """Does the device runtime launch a kernel of its own, to copy or set memory?"""
        return self.name in ("cudaMemcpyAsync", "cudaMemsetAsync")


TEXT_WORDS = 32


@dataclass(frozen=True)
class Format:
    """What is printed? The `text` of C's `printf`, whose values are the operands.

    A text for `%s` is in `TEXT_WORDS` numbers of 64 bits, its first letter in the lowest bits of the first; a
    zero ends it.
    """

    text: str


@dataclass(frozen=True)
class Message:
    """What went wrong where lanes trap, and which exception of Python does the kernel name?"""

    text: str
    kind: type[Exception] | None = None


Detail = (
    SpecialRegister
    | Scope
    | CacheOperator
    | Texel
    | Received
    | Axis
    | Part
    | Callee
    | Launch
    | Format
    | Message
)
