"""How does a basic block run for thousands of warps at once? As one Python function of NumPy calls.

Each block is translated once per kernel. Values that only live within a block are plain local variables of
that function and need no mask; registers that outlive it are stored in arrays, (W, 1) where uniform, else
(W, L), and written under the mask.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from gpusim.ir import control_flow
from gpusim.ir.control_flow import Block
from gpusim.ir.conversion import truncated
from gpusim.ir.instructions import (
    ArrayOperand,
    Barrier,
    Branch,
    Exchange,
    Instruction,
    Kind,
    Opcode,
    Operand,
    Register,
)
from gpusim.ir.program import Function
from gpusim.machine.functions import library
from gpusim.machine.functions.arithmetic import ARITHMETIC, packed, unpacked
from gpusim.machine.step import Step

MANY_WARPS = 256
SAME_BITS = (Opcode.CONVERT, Opcode.REINTERPRET)

Registers = list[npt.NDArray[Any]]
BlockFunction = Callable[..., Any]


@dataclass(frozen=True, eq=False)
class Translation:
    """A kernel ready to run: a function per block, and which registers need storage of which width.

    Parameters that no instruction writes are `constant` and need no storage per warp. A block function takes
    (registers, arrays, specials, step) and returns the branch condition or what is exchanged, if any.
    """

    blocks: tuple[Block, ...]
    functions: tuple[BlockFunction, ...]
    stored: tuple[Register, ...]
    per_lane: frozenset[Register]
    constant: frozenset[Register]
    reconvergence: tuple[int | None, ...]
    unreconverged: frozenset[int]
    arrays: tuple[ArrayOperand, ...]


def translate(function: Function, *, uniform: bool, cut_at_memory: bool) -> Translation:
    """Translate a kernel.

    With `uniform`, registers that cannot differ within a warp are stored once per warp, and masks are left
    out where no other lane needs a register: right as long as a warp's lanes meet again where they should.
    With `cut_at_memory`, each access ends a block, so that others may run in between.
    """
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
    constant = frozenset(parameters) - written
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
        )
        for index in range(len(blocks))
    )
    per_lane = frozenset(function.divergent if uniform else stored)
    meeting = control_flow.immediate_post_dominators(blocks) if cut_at_memory else function.reconvergence
    # only an adversary cuts blocks, and its lanes meet nowhere for certain
    apart = frozenset[int]() if cut_at_memory else function.unreconverged
    return Translation(blocks, functions, stored, per_lane, constant, meeting, apart, tuple(arrays))


def _translate_block(
    index: int,
    blocks: Sequence[Block],
    live_in: Sequence[frozenset[Register]],
    slots: dict[Register, int],
    constant: frozenset[Register],
    arrays: dict[ArrayOperand, int],
    masked: frozenset[Register],
    divergent: frozenset[Register],
) -> BlockFunction:
    block = blocks[index]
    names: dict[Register, str] = {}
    namespace: dict[str, Any] = {"put": put}
    lines: list[str] = []

    def bind(value: Any) -> str:
        name = f"c{len(namespace)}"
        namespace[name] = value
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
    needed = lasting.union(*(instruction.operands for instruction in block.instructions))
    for instruction in block.instructions:
        kept, wanted = instruction.destination in lasting, instruction.destination in needed
        given = own.intersection(instruction.operands) if instruction.opcode in SAME_BITS else set[Operand]()
        expression = _expression(instruction, read, bind, arrays, kept and not given, wanted, divergent)
        own -= {*given, instruction.destination}
        if not kept and instruction.destination and (given or instruction.opcode.kind is Kind.ARITHMETIC):
            own.add(instruction.destination)
        if instruction.destination is None:
            lines.append(expression)
        else:
            name = names.setdefault(instruction.destination, f"r{len(names)}")
            lines.append(f"{name} = {expression}")
    end = block.terminator
    result = "None"
    if isinstance(end, Branch):
        result = read(end.condition)
    elif isinstance(end, Exchange | Barrier):
        result = _tuple([read(operand) for operand in end.operands])
    written = {i.destination for i in block.instructions if i.destination is not None}
    outliving = sorted(
        (slots[r], names[r], r in masked) for r in written & control_flow.live_after(blocks, live_in, index)
    )
    lines.extend(f"put(R, {slot}, {name}, step, {mask})" for slot, name, mask in outliving)
    lines.append(f"return {result}")
    code = f"def block_{index}(R, A, S, step):\n    rows = step.rows\n    " + "\n    ".join(lines)
    exec(compile(code, f"<block {index}>", "exec"), namespace)
    translated: BlockFunction = namespace[f"block_{index}"]
    return translated


def _expression(
    instruction: Instruction,
    read: Callable[[Operand], str],
    bind: Callable[[Any], str],
    arrays: dict[ArrayOperand, int],
    kept: bool,
    wanted: bool,
    divergent: frozenset[Register],
) -> str:
    """The Python expression of one instruction.

    Where it is kept in a register, or needed when registers have been written, it must not be an array that
    belongs to somebody else. An atomic whose result nobody has `wanted` need not fetch old values. Registers
    that are not `divergent` may be the same for all warps.
    """
    opcode = instruction.opcode
    operands = [read(operand) for operand in instruction.operands]
    match opcode.kind:
        case Kind.SPECIAL if instruction.name == "activemask":
            return f"step.running({bind(instruction.type.dtype)})"
        case Kind.SPECIAL:
            return f"S({instruction.name!r}, {bind(instruction.type.dtype)}, rows)" + ".copy()" * kept
        case Kind.RECEIVE if instruction.name == "barrier":
            return f"step.agreed({bind(instruction.type.dtype)})"
        case Kind.RECEIVE:
            return f"step.received({instruction.axis}, {bind(instruction.type.dtype)})"
        case Kind.EFFECT:
            if opcode is Opcode.PRINT:
                return f"step.print({instruction.name!r}, ({''.join(f'{name}, ' for name in operands)}))"
            observed = {Opcode.FENCE: "fence", Opcode.TRAP: "trap"}
            return f"step.{observed[opcode]}({bind(instruction)})" if opcode in observed else "pass"
        case Kind.CONVERT if opcode is Opcode.CONVERT:
            if instruction.operands[0].type.is_float and instruction.type.is_integer:
                return f"{bind(truncated)}({operands[0]}, {bind(instruction.type.dtype)})"
            before, after = instruction.operands[0].type, instruction.type
            if before.is_integer and after.is_integer and before.bits == after.bits:
                return f"{operands[0]}{'.copy()' * kept}.view({bind(after.dtype)})"
            return f"{operands[0]}.astype({bind(after.dtype)})"
        case Kind.CONVERT if opcode is Opcode.REINTERPRET:
            return f"{operands[0]}{'.copy()' * kept}.view({bind(instruction.type.dtype)})"
        case Kind.CONVERT if opcode is Opcode.PACK:
            return f"{bind(packed)}({bind(instruction.type.dtype)}, {', '.join(operands)})"
        case Kind.CONVERT if opcode is Opcode.PART:
            return f"{bind(unpacked)}({bind(instruction.type.dtype)}, {instruction.axis}, {operands[0]})"
        case Kind.EXTENT if opcode is Opcode.ADDRESS:
            return f"{bind(np.uint64)}(A[{arrays[_array(instruction)]}].generic_address)"
        case Kind.CONVERT if opcode is Opcode.CALL:
            function_ = library.function(instruction.name, instruction.type.dtype)
            return f"{bind(function_)}({', '.join(operands)})"
        case Kind.EXTENT:
            property_ = "strides_bytes" if opcode is Opcode.STRIDE else "shape"
            return f"{bind(np.int64)}(A[{arrays[_array(instruction)]}].{property_}[{instruction.axis}])"
        case Kind.MEMORY | Kind.ATOMIC:
            operand, place = _array(instruction), f"A[{arrays[_array(instruction)]}]"
            rank, where = operand.dimensions, operands[: operand.place_operands]
            values, rest = operands[operand.place_operands :], f"step, {bind(instruction)})"
            positions = f"{place}.positions({_tuple(where)}, {rest}"
            if operand.root is not None and operand.pointer:
                geometry = f"{_tuple(where[:rank])}, {where[rank]}, {_tuple(where[rank + 1 :])}"
                positions = f"{place}.reached({geometry}, {rest}"
            elif operand.root is not None:
                indices, first, shape = where[:rank], where[rank], where[rank + 1 :]
                geometry = f"{first}, {_tuple(shape[:rank])}, {_tuple(shape[rank:])}"
                positions = f"{place}.placed({_tuple(indices)}, {geometry}, {rest}"
            if opcode is Opcode.LOAD:
                return f"{place}.load({positions}, {rest}"
            if opcode is Opcode.STORE:
                return f"{place}.store({positions}, {values[0]}, {rest}"
            return f"{place}.atomic({positions}, {_tuple(values)}, {wanted}, {rest}"
    if opcode is Opcode.MOVE:
        return f"{operands[0]}.copy()"
    if instruction.operands[0].type.is_integer and not divergent.isdisjoint(instruction.operands):
        operands = [
            f"{bind(alike)}({name})" if isinstance(given, Register) and given not in divergent else name
            for given, name in zip(instruction.operands, operands, strict=True)
        ]
    return f"{bind(ARITHMETIC[opcode])}({', '.join(operands)})"


def _tuple(names: Sequence[str]) -> str:
    return f"({''.join(f'{name}, ' for name in names)})"


def _array(instruction: Instruction) -> ArrayOperand:
    assert instruction.array is not None
    return instruction.array


def alike(value: Any) -> Any:
    """A uniform value, (n, 1), as (1, 1) if all warps have the same: NumPy adds that to (n, L) faster."""
    if np.ndim(value) == 0 or len(value) < MANY_WARPS or value.shape[1] > 1:
        return value
    first = value[:1]
    return first if (value == first).all() else value


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
