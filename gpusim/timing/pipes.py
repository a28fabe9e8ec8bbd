"""Which pipe of a multiprocessor executes an opcode, in how many instructions, and when is its result there?

`x * y + z` of floats is one instruction on the FP32 pipe, a division ten and a reciprocal; what the compiler
knows, and what is only another name for the same register, is none. A model: nobody publishes what nvcc does.
"""

from __future__ import annotations

import math
from enum import IntEnum
from typing import NamedTuple

import numpy as np

from gpusim.devices.device import Device
from gpusim.devices.speeds import Speeds
from gpusim.ir.instructions import Constant, Instruction, Kind, Opcode


class Pipe(IntEnum):
    """What a scheduler issues to: each takes a warp's instruction every few clocks."""

    FP32 = 0
    INT32 = 1  # additions, logic, comparisons
    IMAD = 2  # integer products; from Volta on beside the FP32 cores, at half their rate
    FP64 = 3
    SFU = 4  # roots, exponentials, conversions, bit counts
    LSU = 5  # all that goes to memory, shuffles, special registers
    TENSOR = 6
    CONTROL = 7  # branches, barriers: no pipe, an issue slot


class Cost(NamedTuple):
    """`slots` instructions, the last of them on `pipe`; the result after `latency` clocks, none before."""

    pipe: Pipe
    slots: int
    latency: int


FREE = Cost(Pipe.CONTROL, 0, 0)


def intervals(device: Device) -> tuple[float, ...]:
    """Every how many clocks does a pipe of one scheduler take a warp? H200: FP32 1, FP64 2, SFU 8, LSU 4."""
    units = {
        Pipe.FP32: device.fp32_units,
        Pipe.INT32: device.int32_units,
        Pipe.IMAD: device.int32_units,
        Pipe.FP64: device.fp64_units or device.fp32_units // 32,  # none: in software
        Pipe.SFU: device.sfu_units,
        Pipe.LSU: device.load_store_units,
        Pipe.TENSOR: device.tensor_units * device.warp_size or 1,
        Pipe.CONTROL: device.warp_size * device.schedulers_per_multiprocessor,
    }
    lanes = device.warp_size * device.schedulers_per_multiprocessor
    return tuple(max(lanes / max(units[pipe], 1), 1.0) for pipe in Pipe)


# (slots, latency) of what has no instruction of its own; latencies: timing.json, dependent_op_latency
SINGLE = {
    **dict.fromkeys((Opcode.DIV, Opcode.FLOOR_DIV), (10, 44)),
    Opcode.SQRT: (8, 43),
    Opcode.RSQRT: (5, 41),
    Opcode.RCP: (6, 34),
    Opcode.EXP2: (2, 20),
    Opcode.EXP: (4, 28),
    Opcode.EXP10: (5, 32),
    Opcode.LOG2: (4, 30),
    Opcode.LOG: (12, 46),
    Opcode.LOG10: (12, 46),
    **dict.fromkeys((Opcode.SIN, Opcode.COS), (18, 60)),
    Opcode.POW: (40, 120),
}
OTHER_FUNCTION = (30, 90)
DOUBLE_FUNCTION, DOUBLE_QUOTIENT = (40, 250), (14, 100)
INTEGER_QUOTIENT = {32: (18, 80), 64: (60, 260)}
QUOTIENT_BY_CONSTANT = (3, 13)
COMPLEX = {Opcode.ADD: 2, Opcode.SUB: 2, Opcode.MUL: 4}  # instructions, two at a time
SIMPLE = (
    *(Opcode.ADD, Opcode.SUB, Opcode.MUL, Opcode.FMA, Opcode.MIN, Opcode.MAX, Opcode.MIN_NAN, Opcode.MAX_NAN),
    *(Opcode.AND, Opcode.OR, Opcode.XOR, Opcode.SHL, Opcode.SHR, Opcode.NEG, Opcode.NOT, Opcode.ABS),
    *(Opcode.COPYSIGN, Opcode.MUL_HI),
)
OF_SIGN = (Opcode.NEG, Opcode.ABS)  # float operands take them for nothing
COUNTED = (Opcode.POPC, Opcode.BREV, Opcode.CLZ, Opcode.FFS)
RENAMED = (
    Opcode.MOVE,
    Opcode.REINTERPRET,
    Opcode.PACK,
    Opcode.PART,
    Opcode.COMPLEX,
    Opcode.REAL,
    Opcode.IMAG,
)
QUOTIENTS = (Opcode.DIV, Opcode.FLOOR_DIV, Opcode.FLOOR_MOD, Opcode.DIV_TRUNC, Opcode.MOD_TRUNC)


def cost(instruction: Instruction, speeds: Speeds) -> Cost:
    """What does an instruction that computes cost a warp?"""
    opcode, of = instruction.opcode, instruction.type
    if opcode in RENAMED or opcode.kind in (Kind.EXTENT, Kind.RECEIVE):
        return FREE
    if opcode.kind is Kind.SPECIAL:
        return Cost(Pipe.LSU, 1, speeds.shared_latency)
    if opcode.kind is Kind.COMPARE:
        of = instruction.operands[0].type
        return _on(Pipe.FP64 if of.is_float and of.bits == 64 else Pipe.INT32, speeds, of.bits > 32)
    if opcode.kind is Kind.SELECT:
        return _on(Pipe.INT32, speeds, of.bits > 32)
    if opcode is Opcode.CONVERT:
        return _converted(instruction, speeds)
    if of.is_float or of.is_complex:
        return _of_floats(instruction, speeds)
    return _of_integers(instruction, speeds)


def _on(pipe: Pipe, speeds: Speeds, wide: bool = False) -> Cost:
    latency = speeds.double_latency if pipe is Pipe.FP64 else speeds.arithmetic_latency
    twice = wide and pipe is not Pipe.FP64
    return Cost(pipe, 1 + twice, latency + 2 * twice)


def _converted(instruction: Instruction, speeds: Speeds) -> Cost:
    before, after = instruction.operands[0].type, instruction.type
    if before.is_integer and after.is_integer:
        free = after.bits <= before.bits or before.kind == "u"
        return FREE if free else _on(Pipe.INT32, speeds)
    if "b" in (before.kind, after.kind):
        return FREE if after.is_integer else _on(Pipe.INT32, speeds)
    return Cost(Pipe.SFU, 1, speeds.special_latency)


def _of_floats(instruction: Instruction, speeds: Speeds) -> Cost:
    opcode, of = instruction.opcode, instruction.type
    bits = of.bits // 2 if of.is_complex else of.bits
    if opcode in OF_SIGN:
        return FREE
    pipe = Pipe.FP64 if bits == 64 else Pipe.FP32
    if opcode is Opcode.DIV and _is_power_of_two(getattr(instruction.operands[1], "value", None)):
        return _on(pipe, speeds)  # x / 4 is x * 0.25, to the last bit
    if of.is_complex and opcode in COMPLEX:
        return Cost(pipe, COMPLEX[opcode], _on(pipe, speeds).latency * COMPLEX[opcode] // 2)
    if opcode in SIMPLE:
        bounded = opcode.mnemonic.startswith(("min", "max")) and bits < 64
        return _on(Pipe.INT32 if bounded else pipe, speeds)
    if bits == 64:
        return Cost(pipe, *(DOUBLE_QUOTIENT if opcode in (*QUOTIENTS, Opcode.SQRT) else DOUBLE_FUNCTION))
    if opcode in (Opcode.FLOOR, Opcode.CEIL, Opcode.TRUNC, Opcode.RINT):
        return Cost(Pipe.SFU, 1, speeds.special_latency)
    return Cost(Pipe.SFU, *SINGLE.get(opcode, OTHER_FUNCTION))


def _of_integers(instruction: Instruction, speeds: Speeds) -> Cost:
    opcode, of = instruction.opcode, instruction.type
    if of.bits == 1:
        return FREE  # predicates are combined by the comparisons that make them
    if opcode in COUNTED:
        return Cost(Pipe.SFU, 1, speeds.special_latency)
    if opcode in QUOTIENTS:
        divisor = instruction.operands[1]
        if not isinstance(divisor, Constant):
            return Cost(Pipe.IMAD, *INTEGER_QUOTIENT[max(of.bits, 32)])
        if _is_power_of_two(divisor.value):
            return _on(Pipe.INT32, speeds)
        return Cost(Pipe.IMAD, *QUOTIENT_BY_CONSTANT)
    if opcode in (Opcode.MUL, Opcode.MUL_HI):
        shifted = any(isinstance(o, Constant) and _is_power_of_two(o.value) for o in instruction.operands)
        return _on(Pipe.INT32 if shifted else Pipe.IMAD, speeds, of.bits > 32)
    if opcode in SIMPLE:
        return _on(Pipe.INT32, speeds, of.bits > 32)
    return Cost(Pipe.SFU, *OTHER_FUNCTION)


def _is_power_of_two(value: object) -> bool:
    if isinstance(value, float | np.floating):
        return math.frexp(value)[0] == 0.5
    return isinstance(value, int) and value > 0 and value & (value - 1) == 0
