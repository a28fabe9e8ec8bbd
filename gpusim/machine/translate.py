"""How does a basic block run for thousands of warps at once? As one Python function of NumPy calls.

Each block is translated once per kernel. Values that only live within a block are plain local variables of
that function and need no mask; registers that outlive it are stored in arrays, (W, 1) where uniform, else
(W, L), and written under the mask.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gpusim.ir import control_flow
from gpusim.ir.control_flow import Block
from gpusim.ir.deciding import deciding
from gpusim.ir.instructions import ArrayOperand, Kind, Opcode, Operand, Register
from gpusim.ir.program import Function
from gpusim.ir.terminators import Barrier, Branch, Exchange
from gpusim.ir.types import Space
from gpusim.machine.emit import Site, expression, tuple_of
from gpusim.machine.step import Step

SAME_BITS = (Opcode.CONVERT, Opcode.REINTERPRET)

Registers = list[npt.NDArray[Any]]
BlockFunction = Callable[..., Any]


class Form(NamedTuple):
    """How shall a kernel be translated? For how its warps run, and for how many grids at once.

    `uniform`: registers that cannot differ within a warp are stored once per warp, and masks are left out
    where no other lane needs a register: right as long as a warp's lanes meet again where they should.
    `cut_at_memory`: each access ends a block, so that others may run in between. `several`: the warps are of
    several grids, and parameters may differ between them. `tells`: what variables are given is told as it
    happens.
    """

    uniform: bool
    cut_at_memory: bool = False
    several: bool = False
    tells: bool = False


@dataclass(frozen=True, eq=False)
class Translation:
    """A kernel ready to run: a function per block, and which registers need storage of which width.

    Parameters that no instruction writes are `constant` and need no storage per warp. A block function takes
    (registers, arrays, specials, step) and returns the branch condition or what is exchanged, if any; its
    docstring is its text. Are there any `exchanges`, barriers that count `votes`, `named_barriers`? What
    `unlike` blocks find is in no register and no memory: they read the clock, vote at a barrier, come to one
    that counts who comes, or ask the device runtime.
    """

    blocks: tuple[Block, ...]
    functions: tuple[BlockFunction, ...]
    stored: tuple[Register, ...]
    per_lane: frozenset[Register]
    constant: frozenset[Register]
    reconvergence: tuple[int | None, ...]
    unreconverged: frozenset[int]
    arrays: tuple[ArrayOperand, ...]
    exchanges: bool
    votes: bool
    named_barriers: bool
    unlike: frozenset[int]

    @cached_property
    def deciding(self) -> tuple[list[bool], frozenset[Space]]:
        """Which of the `stored` registers can decide where lanes go, and which kinds of memory?"""
        registers, spaces = deciding(self.blocks)
        return [register in registers for register in self.stored], spaces


def translate(function: Function, form: Form) -> Translation:
    """Translate a kernel."""
    uniform, cut_at_memory = form.uniform, form.cut_at_memory
    blocks = control_flow.split_at_memory(function.blocks) if cut_at_memory else function.blocks
    live_in = control_flow.live_registers(blocks) if cut_at_memory else function.live_in
    parameters = [p for p in function.parameters if isinstance(p, Register)]
    stored = (*parameters, *sorted(frozenset().union(*live_in) - set(parameters), key=lambda r: r.name))
    arrays: dict[ArrayOperand, int] = {}
    for operand in function.parameters:
        if isinstance(operand, ArrayOperand):
            arrays.setdefault(operand, len(arrays))
    for block in blocks:
        for instruction in block.instructions:
            if instruction.array is not None:
                arrays.setdefault(instruction.array, len(arrays))
    slots = {register: slot for slot, register in enumerate(stored)}
    written = {i.destination for block in blocks for i in block.instructions}
    constant = frozenset[Register]() if form.several else frozenset(parameters) - written
    reads_clock = [any(i.opcode is Opcode.CLOCK for i in block.instructions) for block in blocks]
    functions = tuple(
        _translate_block(
            index,
            blocks,
            live_in,
            slots,
            constant,
            arrays,
            function.needed_elsewhere[index] if uniform and not cut_at_memory else frozenset(stored),
            function.divergent,
            form,
            any(reads_clock),
        )
        for index in range(len(blocks))
    )
    per_lane = frozenset(function.divergent if uniform else stored)
    meeting = control_flow.immediate_post_dominators(blocks) if cut_at_memory else function.reconvergence
    # only an adversary cuts blocks, and its lanes meet nowhere for certain
    apart = frozenset[int]() if cut_at_memory else function.unreconverged
    ends = [block.terminator for block in blocks]
    exchanges = any(isinstance(end, Exchange) for end in ends)
    named = [isinstance(end, Barrier) and end.named for end in ends]
    votes = [isinstance(end, Barrier) and bool(end.operands) and not end.named for end in ends]
    asks = [any(i.opcode.kind is Kind.RUNTIME for i in block.instructions) for block in blocks]
    unlike = frozenset(np.flatnonzero(np.logical_or.reduce([reads_clock, votes, named, asks])).tolist())
    return Translation(
        blocks,
        functions,
        stored,
        per_lane,
        constant,
        meeting,
        apart,
        tuple(arrays),
        exchanges,
        any(votes),
        any(named),
        unlike,
    )


def _translate_block(
    index: int,
    blocks: Sequence[Block],
    live_in: Sequence[frozenset[Register]],
    slots: dict[Register, int],
    constant: frozenset[Register],
    arrays: dict[ArrayOperand, int],
    masked: frozenset[Register],
    divergent: frozenset[Register],
    form: Form,
    clocked: bool,
) -> BlockFunction:
    block = blocks[index]
    names: dict[Register, str] = {}
    namespace: dict[str, Any] = {"put": put}
    lines: list[str] = []

    bound: dict[int, str] = {}

    def bind(value: Any) -> str:
        name = bound.setdefault(id(value), f"c{len(namespace)}")
        namespace[name] = value  # and so no other value can have its identity
        return name

    def read(operand: Operand) -> str:
        if not isinstance(operand, Register):
            return bind(operand.type.dtype.type(operand.value))
        if operand not in names:
            names[operand] = f"r{len(names)}"
            slot = slots[operand]
            whole = "" if operand in constant else f" if rows is None else R[{slot}].take(rows, 0)"
            lines.append(f"{names[operand]} = R[{slot}]{whole}")
        return names[operand]

    lasting = set(slots) | control_flow.read_by(block.terminator)
    own: set[Operand | None] = set()  # temporaries whose arrays nobody else has
    needed = lasting.union(*(instruction.reads for instruction in block.instructions))
    counted = 0
    for place, instruction in enumerate(block.instructions):
        if instruction.opcode is Opcode.CLOCK:
            lines.append(f"step.instructions += {place - counted}")
            counted = place
        kept, wanted = instruction.destination in lasting, instruction.destination in needed
        given = own.intersection(instruction.operands) if instruction.opcode in SAME_BITS else set[Operand]()
        own_result = kept and not given
        made = expression(Site(instruction, read, bind, arrays, divergent, own_result, wanted, form.several))
        own -= {*given, instruction.destination}
        if not kept and instruction.destination and (given or instruction.opcode.kind is Kind.ARITHMETIC):
            own.add(instruction.destination)
        if instruction.destination is None:
            lines.append(made)
        else:
            name = names.setdefault(instruction.destination, f"r{len(names)}")
            lines.append(f"{name} = {made}")
            if form.tells and instruction.destination.is_variable:
                lines.append(f"step.tell({bind(instruction)}, {name})")
    end = block.terminator
    result = "None"
    if isinstance(end, Branch):
        result = read(end.condition)
    elif isinstance(end, Exchange | Barrier):
        result = tuple_of([read(operand) for operand in end.operands])
    written = {i.destination for i in block.instructions if i.destination is not None}
    outliving = sorted(
        (slots[r], names[r], r in masked) for r in written & control_flow.live_after(blocks, live_in, index)
    )
    lines.extend(f"put(R, {slot}, {name}, step, {mask})" for slot, name, mask in outliving)
    if clocked:
        lines.append(f"step.instructions += {len(block.instructions) + 1 - counted}")
    lines.append(f"return {result}")
    code = f"def block_{index}(R, A, S, step):\n    rows = step.rows\n    " + "\n    ".join(lines)
    exec(compile(code, f"<block {index}>", "exec"), namespace)
    translated: BlockFunction = namespace[f"block_{index}"]
    translated.__doc__ = code
    return translated


def put(registers: Registers, slot: int, value: Any, step: Step, masked: bool) -> None:
    """Write a value to a register of the executing warps, under the mask; whole arrays are just exchanged."""
    store, rows, active = registers[slot], step.rows, step.active
    if not masked or store.shape[1] == 1:
        active = None
    if active is None and rows is None and np.shape(value) == store.shape:
        registers[slot] = value
        return
    step.overwritten += 1
    if active is None:
        store[slice(None) if rows is None else rows] = value
    elif rows is None:
        np.copyto(store, value, where=active)
    else:
        store[rows] = np.where(active, value, store[rows])
