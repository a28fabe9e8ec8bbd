"""What does a `constexpr` function give? Its instructions are carried out here, on constants."""

from __future__ import annotations

from typing import Any

from gpusim.frontends import fold
from gpusim.frontends.cuda_cpp.addresses import reinterpreted
from gpusim.frontends.cuda_cpp.operators import ARITHMETIC, folded
from gpusim.ir.instructions import (
    Branch,
    Constant,
    Instruction,
    Jump,
    Kind,
    Opcode,
    Operand,
    Register,
    Return,
)
from gpusim.ir.operations import OPERATORS
from gpusim.ir.program import Function
from gpusim.ir.types import PRED

STEPS = 100_000
SIGNS = {opcode: sign for sign, opcode in ARITHMETIC.items()} | {Opcode.DIV_TRUNC: "/"}


def evaluated(function: Function, result: Register) -> Any:
    """The value of `result` when the function ends; None where only a thread could say."""
    known: dict[Register, Constant] = {}
    block = function.blocks[0]
    for _ in range(STEPS):
        for instruction in block.instructions:
            value = _computed(instruction, known)
            if value is None or instruction.destination is None:
                return None
            known[instruction.destination] = value
        match block.terminator:
            case Jump(target):
                block = function.blocks[target]
            case Branch(condition, then, otherwise) if condition in known:
                block = function.blocks[then if known[condition].value else otherwise]
            case Return():
                return known[result].value if result in known else None
            case _:
                return None
    return None


def _computed(instruction: Instruction, known: dict[Register, Constant]) -> Constant | None:
    operands = [_constant(operand, known) for operand in instruction.operands]
    if not operands or None in operands:
        return None
    values = [operand.value for operand in operands if operand is not None]
    type_, opcode = instruction.type, instruction.opcode
    match opcode:
        case Opcode.MOVE | Opcode.CONVERT:
            return fold.constant(values[0], type_)
        case Opcode.REINTERPRET:
            return reinterpreted(operands[0], type_) if operands[0] else None
        case Opcode.NEG:
            return fold.constant(-values[0], type_)
        case Opcode.NOT:
            return fold.constant(not values[0] if type_.kind == "b" else ~values[0], type_)
        case Opcode.SELECT:
            return fold.constant(values[1] if values[0] else values[2], type_)
        case Opcode.MIN | Opcode.MAX:
            return fold.constant((min if opcode is Opcode.MIN else max)(values), type_)
        case Opcode.SHL | Opcode.SHR:
            shifted = values[0] << values[1] if opcode is Opcode.SHL else values[0] >> values[1]
            return fold.constant(shifted, type_)
    if opcode.kind is Kind.COMPARE and opcode in OPERATORS:
        return Constant(bool(OPERATORS[opcode](*values)), PRED)
    sign = SIGNS.get(opcode)
    return None if sign is None else folded(sign, values[0], values[1], type_)


def _constant(operand: Operand, known: dict[Register, Constant]) -> Constant | None:
    return operand if isinstance(operand, Constant) else known.get(operand)
