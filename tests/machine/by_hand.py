"""Kernels written in IR by hand, one instruction a call: what C++ needs, without C++."""

from __future__ import annotations

import numpy as np

from gpusim.ir import reference
from gpusim.ir.builder import Builder
from gpusim.ir.details import SpecialRegister
from gpusim.ir.instructions import ArrayOperand, Constant, Geometry, Opcode, Place, Register
from gpusim.ir.types import F32, PRED, S32, S64, U64, Space
from gpusim.runtime import settings, streams
from tests.ir.handmade import SOURCE, SPAN


def number(value, type=S64):
    return value if isinstance(value, Register | Constant) else Constant(value, type)


def place_of(array, operands):
    """Where an access goes: indices, a part's first byte, extents and strides behind them; or an address."""
    operands, rank = tuple(map(number, operands)), array.dimensions
    if array.space is Space.GENERIC:
        return Place(array, address=operands[0])
    if array.root is None:
        return Place(array, operands)
    extents = 0 if array.pointer else rank
    first, rest = operands[rank], operands[rank + 1 :]
    return Place(array, operands[:rank], Geometry(first, rest[extents:], rest[:extents]))


def stands_alone(argument):
    """Is it no part of another array, and is there no address in it?"""
    number = np.asarray(argument)
    whole = not isinstance(argument, np.ndarray) or (argument.base is None and type(argument) is np.ndarray)
    return whole and not (number.dtype == np.uint64 and (number >> 32).any())


class Kernel:
    """Instructions in order; numbers stand for themselves."""

    def __init__(self, name="kernel"):
        self.builder = Builder(name, SOURCE)

    def pointer(self, name, element=F32, space=Space.GLOBAL):
        """A parameter `T *name`."""
        operand = ArrayOperand(name, element, 1, space, pointer=True)
        self.builder.parameters.append(operand)
        return operand

    def scalar(self, name, type=S32):
        """A parameter that is a number."""
        register = Register(name, type)
        self.builder.parameters.append(register)
        return register

    def array(self, name, element, shape, space=Space.SHARED):
        """`__shared__ T name[…]`, or a local array."""
        return self.builder.reserve(name, element, shape, space, pointer=True)

    def part(self, root, element, dimensions):
        """Memory of `root` seen otherwise: accesses bring indices, the first byte, and strides."""
        return ArrayOperand(f"{root.name}.part", element, dimensions, root.space, root=root, pointer=True)

    def generic(self, name, element):
        """`*name` for an address that may lie anywhere."""
        return ArrayOperand(name, element, 0, Space.GENERIC, pointer=True)

    def special(self, name, type=S32):
        return self.builder.value(Opcode.SPECIAL, type, (), SPAN, detail=SpecialRegister(name))

    def do(self, opcode, type, *operands, result=None, into=None, detail=None):
        """An instruction on numbers."""
        operands = tuple(number(operand, type) for operand in operands)
        return self.builder.value(opcode, type, operands, SPAN, result=result, into=into, detail=detail)

    def convert(self, value, type):
        return self.do(Opcode.CONVERT, type, value)

    def thread(self):
        """blockIdx.x * blockDim.x + threadIdx.x, as an int."""
        block, size, own = (self.special(name) for name in ("ctaid.x", "ntid.x", "tid.x"))
        return self.do(Opcode.ADD, S32, self.do(Opcode.MUL, S32, block, size), own)

    def load(self, array, *place, type=None):
        return self.builder.value(Opcode.LOAD, type or array.element, (), SPAN, place=place_of(array, place))

    def store(self, array, *operands):
        *place, value = operands
        self.builder.store(place_of(array, place), number(value, array.element), SPAN)

    def atomic(self, opcode, array, *operands):
        values = opcode.values
        what = tuple(number(value, array.element) for value in operands[-values:])
        place = place_of(array, operands[:-values])
        return self.builder.value(opcode, array.element, what, SPAN, place=place)

    def address(self, array):
        """`&array[0]`."""
        return self.builder.value(Opcode.ADDRESS, U64, (), SPAN, place=Place(array))

    def at(self, address, index, bytes_):
        """address + index * bytes, as an address."""
        offset = self.do(Opcode.MUL, U64, self.convert(number(index), U64), bytes_)
        return self.do(Opcode.ADD, U64, address, offset)

    def only_if(self, opcode, one, other):
        """All that follows is done only by lanes for which this holds: `if (one < other) …`."""
        condition = self.builder.value(opcode, one.type, (one, number(other, one.type)), SPAN, result=PRED)
        then, end = self.builder.label(), self.builder.label()
        self.builder.branch(condition, then, end, SPAN)
        self.builder.place(then, SPAN)
        self.ends = [*getattr(self, "ends", []), end]

    def function(self):
        for end in reversed(getattr(self, "ends", [])):
            self.builder.place(end, SPAN)
        self.ends = []
        return self.builder.finish(SPAN)

    def run(self, threads, *arguments, blocks=1, shared_bytes=0):
        """One launch, on the device and in the order that are in force."""
        launched = settings.current().configuration(
            self.function(), (blocks, 1, 1), (threads, 1, 1), arguments, shared_bytes
        )
        streams.DEFAULT.launch(launched)


class DefinedKernel(Kernel):
    """One that leaves the same in any order."""

    def run(self, threads, *arguments, blocks=1, shared_bytes=0):
        """It must leave what the IR's definition says, where all that it can reach are arrays of its own."""
        alone = all(map(stands_alone, arguments))
        copies = [argument.copy() if isinstance(argument, np.ndarray) else argument for argument in arguments]
        super().run(threads, *arguments, blocks=blocks, shared_bytes=shared_bytes)
        if alone:
            lanes, shape = settings.current().device.warp_size, ((blocks, 1, 1), (threads, 1, 1))
            reference.run(self.function(), *shape, copies, lanes, shared_bytes)
            for argument, copy in zip(arguments, copies, strict=True):
                np.testing.assert_array_equal(argument, copy)
