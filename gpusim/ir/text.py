"""What does a compiled kernel look like? The listing of `kernel.inspect_ir()`."""

from __future__ import annotations

import json
import math

from gpusim.ir import control_flow
from gpusim.ir.control_flow import Block, Issued
from gpusim.ir.details import (
    Axis,
    CacheOperator,
    Callee,
    Format,
    Launch,
    Message,
    Part,
    Received,
    Scope,
    SpecialRegister,
)
from gpusim.ir.instructions import ArrayOperand, Constant, Instruction, Kind, Opcode, Place
from gpusim.ir.program import Function
from gpusim.ir.terminators import Barrier, Branch, Exchange, Jump, Return, Terminator
from gpusim.ir.types import Space
from gpusim.source import Span

WIDTH = 40
PROPERTIES = {Opcode.EXTENT: "shape", Opcode.STRIDE: "strides"}


def instruction_text(instruction: Instruction) -> str:
    """One instruction in the manner of PTX: `ld.global.f32 %3, x[%i]`."""
    opcode, place, operands = instruction.opcode, instruction.place, list(map(str, instruction.operands))
    mnemonic = f"{opcode.mnemonic}.{instruction.type}"
    parts = [str(instruction.destination)] if instruction.destination is not None else []
    match instruction.detail:
        case Format(text) | Message(text):
            mnemonic = opcode.mnemonic
            parts.append(json.dumps(text, ensure_ascii=False))
        case SpecialRegister(value=name) | Received(value=name):
            parts.append(f"%{name}")
        case Callee(name) | Launch(name=name):
            parts.append(name)
        case Axis(number) if place is not None:
            parts.append(f"{place.array.name}.{PROPERTIES[opcode]}[{number}]")
        case Part(first_byte):
            operands[0] += f"[{first_byte}]"
        case Scope(value=name) if place is None:
            mnemonic = f"{opcode.mnemonic}.{name}"
    if opcode is Opcode.ADDRESS and place is not None:
        parts.append(place.array.name)
    elif opcode.accesses_memory and place is not None:
        mnemonic = ".".join([opcode.mnemonic, *_qualifiers(instruction, place), str(instruction.type)])
        parts.append(_place(place))
    elif opcode.kind is Kind.CONVERT and opcode is not Opcode.CALL:
        mnemonic += f".{instruction.operands[0].type}"
    return f"{mnemonic} {', '.join([*parts, *operands])}".rstrip()


def _qualifiers(instruction: Instruction, place: Place) -> list[str]:
    """Space and cache operator, or scope and space: in this order, and only what is said."""
    space = [] if place.array.space is Space.GENERIC else [place.array.space.value]
    match instruction.detail:
        case CacheOperator(value=name):
            return [*space, name]
        case Scope(value=name):
            return [name, *space]
    return space


def _place(place: Place) -> str:
    """`x[%i, 3]` for a whole array; `[x+8+4*%i]` for a part of it: its bytes, as in PTX."""
    array, geometry = place.array, place.geometry
    if place.address is not None:
        return f"[{place.address}]"
    if geometry is None:
        return f"{array.name}[{', '.join(map(str, place.indices))}]"
    first = geometry.first_byte
    scaled = zip(place.indices, geometry.strides_bytes, strict=True)
    known, terms = 0, []
    for index, stride in [(first, Constant(1, first.type)), *scaled]:
        factors = [operand for operand in (stride, index) if not isinstance(operand, Constant)]
        factor = math.prod(operand.value for operand in (stride, index) if isinstance(operand, Constant))
        if not factors:
            known += factor
        elif factor:
            terms.append("*".join([*([str(factor)] if factor != 1 else []), *map(str, factors)]))
    return f"[{'+'.join([array.memory.name, *([str(known)] if known else []), *terms])}]".replace("+-", "-")


def terminator_text(terminator: Terminator) -> str:
    """The last instruction of a block."""
    match terminator:
        case Jump(target=target):
            return f"bra B{target}"
        case Branch(condition=condition, then=then, otherwise=otherwise):
            return f"@{condition} bra B{then}, else B{otherwise}"
        case Barrier(opcode=opcode, operands=operands, named=named):
            number = [] if named or opcode is Opcode.CHILDREN else ["0"]
            return f"{opcode.mnemonic} {', '.join([*number, *map(str, operands)])}".rstrip()
        case Exchange(opcode=opcode, operands=operands):
            return f"{opcode.mnemonic} {', '.join(str(operand) for operand in operands)}"
        case Return():
            return "exit"


def issued_text(part: Issued) -> str:
    """What a warp issues, in words."""
    return instruction_text(part) if isinstance(part, Instruction) else terminator_text(part)


def block_texts(block: Block, index: int) -> list[tuple[Span, str]]:
    """Where each instruction of a block comes from, and its text; the terminator last."""
    return [(part.span, issued_text(part)) for part in control_flow.issued(block, index)]


def listing(function: Function) -> str:
    """Instructions on the left, the source line they come from on the right, a note on every branch."""
    arrays = [p for p in function.parameters if isinstance(p, ArrayOperand)]
    parameters = ", ".join(
        f"{_array_type(p)} {p.name}" if isinstance(p, ArrayOperand) else f"{p.type} %{p.name}"
        for p in function.parameters
    )
    rows = [
        f".entry {function.name}({parameters})",
        *(
            f".{directive} {bound}"
            for directive, bound in (("maxntid", function.max_threads), ("maxnreg", function.max_registers))
            if bound is not None
        ),
        f"// {function.registers_per_thread} registers{_spills(function)}, {function.shared_bytes} bytes of "
        f"shared memory, {len(arrays)} arrays",
    ]
    shown: Span | None = None
    for index, block in enumerate(function.blocks):
        rows.append(f"B{index}:")
        for span, text in block_texts(block, index):
            new = shown is None or (span.source, span.line) != (shown.source, shown.line)
            beside = f"| {span.line:>4} {span.source.line(span.line).strip()}" if new else ""
            rows.append(f"    {text:<{WIDTH}} {beside}".rstrip())
            shown = span
        if isinstance(block.terminator, Branch):
            rows.append(f"    {_branch_note(function, index, block.terminator)}")
    return "\n".join(rows)


def _array_type(array: ArrayOperand) -> str:
    return f"{array.element}*" if array.pointer else f"{array.element}[{', '.join(':' * array.dimensions)}]"


def _spills(function: Function) -> str:
    spilled = function.spilled_registers_per_thread
    return f" ({spilled} more spill to local memory)" if spilled else ""


def _branch_note(function: Function, index: int, branch: Branch) -> str:
    if branch.condition not in function.divergent:
        return "// uniform: never splits a warp"
    meeting = function.reconvergence[index]
    where = "at the end of the kernel" if meeting is None else f"at B{meeting}"
    return f"// may diverge; lanes meet again {where}"
