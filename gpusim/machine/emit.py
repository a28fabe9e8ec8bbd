"""Which NumPy call does each instruction become? One row an opcode, or a kind of opcodes.

`r3 = c2(r1, r2)`: in a block function, `r…` are registers and `c…` values that were bound to a name. It gets
`A`, the arrays in memory, `S`, the special registers, and `step`, whose `rows` are the warps that execute.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from gpusim.ir.conversion import truncated
from gpusim.ir.details import Axis, Callee, Format, Part, Received, SpecialRegister
from gpusim.ir.instructions import ArrayOperand, Instruction, Kind, Opcode, Operand, Register
from gpusim.machine.functions import library
from gpusim.machine.functions.arithmetic import ARITHMETIC, packed, unpacked
from gpusim.machine.functions.complex_numbers import COMPLEX
from gpusim.machine.memory.textures import BY_OBJECT

MANY_WARPS = 256
PARTS = {Received.VALUE: 0, Received.AGREED: 1}


@dataclass(frozen=True, eq=False)
class Site:
    """One instruction in its block function, which can `read` an operand and `bind` a value to a name.

    Where its result is `kept` in a register, or needed when registers have been written, it must not be an
    array that belongs to somebody else. An atomic whose result nobody has `wanted` need not fetch old values.
    Registers that are not `divergent` may be the same for all warps. With `several` grids, arrays are not.
    """

    instruction: Instruction
    read: Callable[[Operand], str]
    bind: Callable[[Any], str]
    arrays: dict[ArrayOperand, int]
    divergent: frozenset[Register]
    kept: bool
    wanted: bool
    several: bool

    @cached_property
    def operands(self) -> list[str]:
        """The names of its operands."""
        return [self.read(operand) for operand in self.instruction.operands]

    @property
    def arguments(self) -> str:
        """The same, as a call takes them."""
        return ", ".join(self.operands)

    @property
    def dtype(self) -> str:
        """The NumPy type of its result."""
        return self.bind(self.instruction.type.dtype)

    @property
    def own(self) -> str:
        """What makes an array one's own, if the result must be that."""
        return ".copy()" if self.kept else ""

    @property
    def array(self) -> str:
        """The memory of the array that it goes to."""
        assert self.instruction.array is not None
        return f"A[{self.arrays[self.instruction.array]}]{'.of(rows)' * self.several}"

    @property
    def how(self) -> str:
        """Under which mask, and for which instruction: the last arguments of all that concerns memory."""
        return f"step, {self.bind(self.instruction)}"

    def names(self, operands: Sequence[Operand]) -> str:
        """Operands as a tuple."""
        return tuple_of([self.read(operand) for operand in operands])


Emitter = Callable[[Site], str]


def computed(at: Site) -> str:
    """What opcodes compute from numbers alone."""
    given, names, divergent = at.instruction.operands, at.operands, at.divergent
    if given[0].type.is_integer and not divergent.isdisjoint(at.instruction.reads):
        names = [
            f"{at.bind(alike)}({name})" if isinstance(one, Register) and one not in divergent else name
            for one, name in zip(given, names, strict=True)
        ]
    table = COMPLEX if given[0].type.is_complex and at.instruction.opcode in COMPLEX else ARITHMETIC
    return f"{at.bind(table[at.instruction.opcode])}({', '.join(names)})"


def converted(at: Site) -> str:
    """A number in another type: the same bits, if both are integers of one width."""
    before, after = at.instruction.operands[0].type, at.instruction.type
    if before.is_float and after.is_integer:
        return f"{at.bind(truncated)}({at.arguments}, {at.dtype})"
    if before.is_integer and after.is_integer and before.bits == after.bits:
        return same_bits(at)
    return f"{at.arguments}.astype({at.dtype})"


def same_bits(at: Site) -> str:
    """The bits of a register as another type."""
    return f"{at.arguments}{at.own}.view({at.dtype})"


def called(at: Site) -> str:
    """A function of the library."""
    function = library.function(at.instruction.the(Callee).name, at.instruction.type.dtype)
    return f"{at.bind(function)}({at.arguments})"


def special(at: Site) -> str:
    """A special register; which lanes are active is known to the step alone."""
    register = at.instruction.the(SpecialRegister)
    if register is SpecialRegister.ACTIVEMASK:
        return f"step.running({at.dtype})"
    return f"S({register.value!r}, {at.dtype}, rows){at.own}"


def received(at: Site) -> str:
    """What a lane got when it last met others."""
    received = at.instruction.the(Received)
    if received is Received.VOTE:
        return f"step.agreed({at.dtype})"
    return f"step.received({PARTS[received]}, {at.dtype})"


def positions(at: Site) -> str:
    """Which element of its memory does each lane mean?"""
    place = at.instruction.place
    assert place is not None
    indices = at.names(place.indices if place.address is None else (place.address,))
    geometry = place.geometry
    if geometry is None:
        return f"{at.array}.positions({indices}, {at.how})"
    first, extents = at.read(geometry.first_byte), at.names(geometry.extents)
    strides = at.names(geometry.strides_bytes)
    if place.array.pointer:
        return f"{at.array}.reached({indices}, {first}, {strides}, {at.how})"
    return f"{at.array}.placed({indices}, {first}, {extents}, {strides}, {at.how})"


def by_object(at: Site) -> str:
    """An access by a texture or surface object, whose handle is the address of its place."""
    place = at.instruction.place
    assert place is not None
    assert place.address is not None
    access = at.bind(BY_OBJECT[at.instruction.opcode])
    return f"{access}({at.array}, {at.read(place.address)}, {tuple_of(at.operands)}, {at.how})"


# an opcode's own row comes before that of its kind
EMIT: dict[Opcode | Kind, Emitter] = {
    Kind.ARITHMETIC: computed,
    Kind.COMPARE: computed,
    Kind.SELECT: computed,
    Kind.CONVERT: computed,
    Kind.SPECIAL: special,
    Kind.RECEIVE: received,
    Kind.TEXTURE: by_object,
    Kind.RUNTIME: lambda at: f"step.ask({at.bind(at.instruction)}, {tuple_of(at.operands)})",
    Kind.CLOCK: lambda at: f"step.clock({at.dtype})",
    Kind.ATOMIC: lambda at: (
        f"{at.array}.atomic({positions(at)}, {tuple_of(at.operands)}, {at.wanted}, {at.how})"
    ),
    Opcode.LOAD: lambda at: f"{at.array}.load({positions(at)}, {at.how})",
    Opcode.STORE: lambda at: f"{at.array}.store({positions(at)}, {at.arguments}, {at.how})",
    Opcode.EXTENT: lambda at: f"{at.array}.extent({at.instruction.the(Axis).number}, rows)",
    Opcode.STRIDE: lambda at: f"{at.array}.stride({at.instruction.the(Axis).number}, rows)",
    Opcode.ADDRESS: lambda at: f"{at.array}.generic_address(rows)",
    Opcode.MOVE: lambda at: f"{at.arguments}.copy()",
    Opcode.CONVERT: converted,
    Opcode.REINTERPRET: same_bits,
    Opcode.PACK: lambda at: f"{at.bind(packed)}({at.dtype}, {at.arguments})",
    Opcode.PART: lambda at: (
        f"{at.bind(unpacked)}({at.dtype}, {at.instruction.the(Part).first_byte}, {at.arguments})"
    ),
    Opcode.CALL: called,
    Opcode.FENCE: lambda at: f"step.fence({at.bind(at.instruction)})",
    Opcode.COPIES_COMMIT: lambda at: f"step.copies({at.bind(at.instruction)})",
    Opcode.COPIES_WAIT: lambda at: f"step.copies({at.bind(at.instruction)}, {at.arguments})",
    Opcode.TRAP: lambda at: f"step.trap({at.bind(at.instruction)})",
    Opcode.PRINT: lambda at: f"step.print({at.bind(at.instruction.the(Format))}, {tuple_of(at.operands)})",
    Opcode.NANOSLEEP: lambda _at: "pass",
}


def expression(at: Site) -> str:
    """The Python expression of one instruction."""
    opcode = at.instruction.opcode
    return (EMIT.get(opcode) or EMIT[opcode.kind])(at)


def tuple_of(names: Sequence[str]) -> str:
    """`(r1, r2, )`."""
    return f"({''.join(f'{name}, ' for name in names)})"


def alike(value: Any) -> Any:
    """A uniform value, (n, 1), as (1, 1) if all warps have the same: NumPy adds that to (n, L) faster."""
    if np.ndim(value) == 0 or len(value) < MANY_WARPS or value.shape[1] > 1:
        return value
    first = value[:1]
    return first if (value == first).all() else value
