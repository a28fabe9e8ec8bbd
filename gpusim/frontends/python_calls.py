"""What does a call in a kernel do? Intrinsics, casts, functions of `math`, and inlined device functions."""

from __future__ import annotations

import ast
from functools import partial
from typing import Any

import numpy as np

from gpusim.errors import KernelTypeError, UnsupportedConstruct
from gpusim.frontends import intrinsics, python_types
from gpusim.frontends.functions import FUNCTIONS
from gpusim.frontends.intrinsics import Intrinsic
from gpusim.frontends.python_numbers import Numbers
from gpusim.frontends.python_scope import Method, Static, Value, VectorValue, View, whole
from gpusim.frontends.python_types import SHUFFLED
from gpusim.ir.instructions import ArrayOperand, Constant, Opcode, Operand, Register
from gpusim.ir.types import F64, PRED, S32, S64, U32, U64, Array, Scalar, Space

AXES = ("x", "y", "z")
MAX_RANK = 3
STORAGE = "<array>"  # until it is assigned to a variable, which gives it its name
INTEGER_ATOMICS = {
    Opcode.ATOMIC_AND,
    Opcode.ATOMIC_OR,
    Opcode.ATOMIC_XOR,
    Opcode.ATOMIC_INC,
    Opcode.ATOMIC_DEC,
}
CASTS = {int: S64, float: F64, bool: PRED}


class Calls(Numbers):
    """Expressions, and calls among them."""

    warp_size = 32

    def _Call(self, node: ast.Call, into: Register | None) -> Value:
        span = self.scope.span(node)
        target = self.value(node.func)
        if not isinstance(target, Static):
            raise KernelTypeError(f"{self._kind(target)} cannot be called", span)
        called: Any = target.object
        arguments = self._given(node)
        keywords = {keyword.arg or "**": self.value(keyword.value) for keyword in node.keywords}
        if isinstance(called, Method) and not keywords:
            return self.method(called, arguments, node)
        if isinstance(called, partial):
            called, arguments = called.func, [*called.args, *arguments]
        if _hashable(called):
            called = FUNCTIONS.get(called, called)
        if isinstance(called, Intrinsic):
            return self._intrinsic(called, arguments, keywords, node)
        device_function = getattr(called, "device_function", None)
        if device_function is not None:
            if called.declared is None:
                return self.inline(device_function, arguments, keywords, node)
            given = self._as_declared(called.declared.args, arguments, keywords, node)
            result = self.inline(device_function, given, {}, node)
            wanted, span = called.declared.result, self.scope.span(node)
            return result if wanted is None else self.convert(self.number(result, node), wanted, span)
        return self._cast(called, arguments, keywords, node, into)

    def _as_declared(
        self, types: tuple[Any, ...], arguments: list[Value], keywords: dict[str, Value], node: ast.Call
    ) -> list[Value]:
        """Arguments of a device function with a signature: numbers are converted, arrays must fit."""
        span = self.scope.span(node)
        if keywords or len(types) != len(arguments):
            raise KernelTypeError(f"the signature asks for {len(types)} positional argument(s)", span)
        given: list[Value] = []
        for type_, argument in zip(types, arguments, strict=True):
            if isinstance(type_, Scalar):
                given.append(self.convert(self.number(argument, node), type_, span))
                continue
            fits = not isinstance(type_, Array) or (
                isinstance(argument, View)
                and (argument.array.element, argument.dimensions) == (type_.element, type_.dimensions)
            )
            if not fits:
                raise KernelTypeError(f"{self._kind(argument)} is not {type_}, as the signature asks", span)
            given.append(argument)
        return given

    def _given(self, node: ast.Call) -> list[Value]:
        """The positional arguments; `*pair` stands for the items of a tuple."""
        arguments: list[Value] = []
        for argument in node.args:
            if isinstance(argument, ast.Starred):
                items = self.value(argument.value)
                if not isinstance(items, tuple) or isinstance(items, VectorValue):
                    raise self.unsupported(argument, "only a tuple can be written out with *")
                arguments += items
            else:
                arguments.append(self.value(argument))
        return arguments

    def inline(
        self, function: Any, arguments: list[Value], keywords: dict[str, Value], node: ast.Call
    ) -> Value:
        """Lower a device function in place; statements are needed for that."""
        raise NotImplementedError

    # intrinsics -------------------------------------------------------------------------------------------

    def _intrinsic(
        self, called: Intrinsic, arguments: list[Value], keywords: dict[str, Value], node: ast.Call
    ) -> Value:
        names = called.parameters
        rest = next((name for name in names if name.startswith("*")), None)
        for name, default in list(names.items())[len(arguments) :]:
            if name in keywords:
                arguments.append(keywords.pop(name))
            elif default is not ...:
                arguments.append(Static(None) if default is None else Constant(default, S64))
        fits = len(arguments) >= len(names) - 1 if rest else len(arguments) == len(names)
        if not fits or keywords:
            raise KernelTypeError(
                "wrong arguments", self.scope.span(node), f"use {called.home}{called.usage}"
            )
        result: Value = getattr(self, f"_{called.family}")(called, arguments, node)
        return result

    def _rank(self, rank: Value, node: ast.AST) -> int:
        if not isinstance(rank, Constant) or rank.value not in range(1, MAX_RANK + 1):
            raise KernelTypeError("the number of dimensions is the constant 1, 2 or 3", self.scope.span(node))
        return int(rank.value)

    def _grid(self, _called: Intrinsic, arguments: list[Value], node: ast.Call) -> Value:
        positions: list[Value] = []
        for axis in AXES[: self._rank(arguments[0], node)]:
            thread, extent, block = (
                self.special(getattr(v, axis).register, S64, node)
                for v in (intrinsics.threadIdx, intrinsics.blockDim, intrinsics.blockIdx)
            )
            positions.append(
                self.binary(ast.Add(), thread, self.binary(ast.Mult(), extent, block, node), node)
            )
        return positions[0] if len(positions) == 1 else tuple(positions)

    def _gridsize(self, _called: Intrinsic, arguments: list[Value], node: ast.Call) -> Value:
        sizes: list[Value] = [
            self.binary(
                ast.Mult(),
                self.special(getattr(intrinsics.blockDim, axis).register, S64, node),
                self.special(getattr(intrinsics.gridDim, axis).register, S64, node),
                node,
            )
            for axis in AXES[: self._rank(arguments[0], node)]
        ]
        return sizes[0] if len(sizes) == 1 else tuple(sizes)

    def _barrier(self, _called: Intrinsic, _arguments: list[Value], node: ast.Call) -> Value:
        self.builder.barrier(self.scope.span(node))
        return Static(None)

    def _block_vote(self, called: Intrinsic, arguments: list[Value], node: ast.Call) -> Value:
        span, flag = self.scope.span(node), self.truth(self.number(arguments[0], node), node)
        self.builder.barrier(span, called.detail, (flag,))
        return self.builder.value(Opcode.RECEIVE, S32, (), span, name="barrier")

    def _fence(self, called: Intrinsic, _arguments: list[Value], node: ast.Call) -> Value:
        self.builder.effect(Opcode.FENCE, PRED, (), self.scope.span(node), called.scope)
        return Static(None)

    def _nanosleep(self, _called: Intrinsic, arguments: list[Value], node: ast.Call) -> Value:
        span = self.scope.span(node)
        duration = self.convert(self.number(arguments[0], node), U32, span)
        self.builder.effect(Opcode.NANOSLEEP, U32, (duration,), span)
        return Static(None)

    def _this_grid(self, _called: Intrinsic, _arguments: list[Value], _node: ast.Call) -> Value:
        return Static(intrinsics.cg.GridGroup)

    def _grid_barrier(self, _called: Intrinsic, _arguments: list[Value], node: ast.Call) -> Value:
        self.builder.barrier(self.scope.span(node), Opcode.GRID_BARRIER)
        return Static(None)

    # arrays -----------------------------------------------------------------------------------------------

    def _storage(self, called: Intrinsic, arguments: list[Value], node: ast.Call) -> Value:
        """A shared array of length 0 is dynamic: it has all the bytes that the launch adds."""
        (shape, dtype, alignment), span = arguments, self.scope.span(node)
        space: Space = called.detail
        given = shape if isinstance(shape, tuple) else (shape,)
        extents = tuple(int(e.value) if isinstance(e, Constant) and e.type.is_integer else -1 for e in given)
        dynamic = space is Space.SHARED and extents == (0,)
        if min(extents) < 1 and not dynamic:
            raise KernelTypeError(
                f"the shape of a {space.value} array is not a positive constant",
                span,
                "use numbers, or names defined outside the kernel",
            )
        element = python_types.element_named(dtype.object) if isinstance(dtype, Static) else None
        if element is None:
            raise KernelTypeError("the element type is not a number type", span, "use for example np.float32")
        if dynamic:
            return whole(ArrayOperand(STORAGE, element, 1, space))
        alignment_bytes = alignment.value if isinstance(alignment, Constant) else 1
        if alignment_bytes < 1 or alignment_bytes.bit_count() != 1:
            raise KernelTypeError("an alignment is a power of two", span, "for example alignment=128")
        return whole(self.builder.reserve(STORAGE, element, extents, space, alignment_bytes))

    def _const_array_like(self, _called: Intrinsic, arguments: list[Value], node: ast.Call) -> Value:
        array = arguments[0]
        if not isinstance(array, View) or array.array.space is not Space.CONSTANT:
            raise KernelTypeError(
                f"{self._kind(array)} is not an array known when the kernel is compiled",
                self.scope.span(node),
                "name a NumPy array defined outside the kernel",
            )
        return array

    def _cached(self, called: Intrinsic, arguments: list[Value], node: ast.Call) -> Value:
        """A load, or a store where there is a value, with a cache operator."""
        (array, index, *values), span = arguments, self.scope.span(node)
        view = self.view(array, index, node)
        if view.array.space is not Space.GLOBAL:
            raise KernelTypeError(
                f"{view.array.name!r} is {view.array.space.value} memory; caches are of global memory",
                span,
                "index it as usual",
            )
        element = self.element(view, node)
        if not values:
            return self.loaded(view, node, name=called.detail)
        number = self.convert(self.number(values[0], node), element, span)
        self.builder.store(view.array, (*view.operands, number), span, called.detail)
        return Static(None)

    def _atomic(self, called: Intrinsic, arguments: list[Value], node: ast.Call) -> Value:
        if len(arguments) == 3 and called.detail is Opcode.ATOMIC_CAS:
            arguments = [arguments[0], Constant(0, S64), *arguments[1:]]  # compare_and_swap names no index
        opcode, (array, index, *values) = called.detail, arguments
        span, view = self.scope.span(node), self.view(array, index, node)
        element = self.element(view, node)
        self.check_writable(view, node)
        if element.is_complex or element.bits < S32.bits or (opcode in INTEGER_ATOMICS and element.is_float):
            kinds = "integers" if opcode in INTEGER_ATOMICS else "numbers"
            raise KernelTypeError(
                f"{opcode.mnemonic} does not take {element}", span, f"use an array of 32- or 64-bit {kinds}"
            )
        numbers = (self.convert(self.number(value, node), element, span) for value in values)
        operands = (*view.operands, *numbers)
        return self.builder.value(opcode, element, operands, span, array=view.array, name=called.scope)

    # the lanes of a warp ----------------------------------------------------------------------------------

    @property
    def _mask_type(self) -> Scalar:
        """Masks that lanes find are int32 in Numba; those of 64 lanes need an int64."""
        return S32 if self.warp_size == S32.bits else S64

    def _exchange(self, called: Intrinsic, values: list[Operand], node: ast.Call) -> None:
        span, mask = self.scope.span(node), values[0]
        if not mask.type.is_integer:
            raise KernelTypeError(f"a mask of type {mask.type}", span, "a mask is an integer, one bit a lane")
        operands = (self.convert(mask, U64, span), *values[1:])
        self.builder.exchange(called.detail, operands, span)

    def _exchanged(self, value: Operand, node: ast.Call) -> Operand:
        """What a lane brings, in one of the four types that lanes exchange in Numba."""
        type_ = SHUFFLED.get(value.type)
        if type_ is None:
            hint = "exchange .real and .imag"
            raise KernelTypeError(f"lanes do not exchange {value.type}", self.scope.span(node), hint)
        return self.convert(value, type_, self.scope.span(node))

    def _received(self, type_: Scalar, node: ast.Call, part: int = 0) -> Register:
        return self.builder.value(Opcode.RECEIVE, type_, (), self.scope.span(node), axis=part)

    def _shuffle(self, called: Intrinsic, arguments: list[Value], node: ast.Call) -> Value:
        mask, value, lane = (self.number(argument, node) for argument in arguments)
        value = self._exchanged(value, node)
        self._exchange(called, [mask, value, self.convert(lane, S64, self.scope.span(node))], node)
        return self._received(value.type, node)

    def _vote(self, called: Intrinsic, arguments: list[Value], node: ast.Call) -> Value:
        mask, value = (self.number(argument, node) for argument in arguments)
        self._exchange(called, [mask, self.truth(value, node)], node)
        return self._received(self._mask_type if called.detail is Opcode.BALLOT else PRED, node)

    def _match(self, called: Intrinsic, arguments: list[Value], node: ast.Call) -> Value:
        mask, value = (self.number(argument, node) for argument in arguments)
        self._exchange(called, [mask, self._exchanged(value, node)], node)
        found = self._received(self._mask_type, node)
        return found if called.detail is Opcode.MATCH_ANY else (found, self._received(PRED, node, 1))

    def _syncwarp(self, called: Intrinsic, arguments: list[Value], node: ast.Call) -> Value:
        self._exchange(called, [self.number(arguments[0], node)], node)
        return Static(None)

    def _lane_mask(self, called: Intrinsic, _arguments: list[Value], node: ast.Call) -> Value:
        return self.special(called.name, U32 if self.warp_size == U32.bits else U64, node)

    # functions of Python ----------------------------------------------------------------------------------

    def _cast(
        self,
        called: Any,
        arguments: list[Value],
        keywords: dict[str, Value],
        node: ast.Call,
        into: Register | None,
    ) -> Value:
        """`int(x)`, `np.float32(x)`, `numba.float32(x)`; nothing else is left that could be called."""
        span = self.scope.span(node)
        cast = CASTS.get(called) if _hashable(called) else None
        if (cast is None and isinstance(called, type)) or hasattr(called, "bitwidth"):
            cast = python_types.of_name(called)
        if cast is None or len(arguments) != 1 or keywords:
            name = getattr(called, "__name__", repr(called))
            if keywords:
                raise self.unsupported(node, f"{name}() takes no keyword arguments in a kernel")
            hint = "mark it @cuda.jit(device=True)" if hasattr(called, "__code__") else ""
            raise UnsupportedConstruct(f"{name}() with {len(arguments)} argument(s) in a kernel", span, hint)
        number = self.number(arguments[0], node)
        if cast is PRED:
            return self.truth(number, node)
        if (called is int and number.type.is_integer) or (called is float and number.type.is_float):
            return number
        return self.convert(number, cast, span, into)

    def _length(self, _called: Intrinsic, arguments: list[Value], node: ast.Call) -> Value:
        (view,), span = arguments, self.scope.span(node)
        if isinstance(view, tuple) and not isinstance(view, VectorValue):
            return Constant(len(view), S64)
        if not isinstance(view, View) or not view.dimensions:
            raise KernelTypeError("len() takes one array or tuple", span)
        return self.extent(view, view.free[0], span)


def _hashable(called: Any) -> bool:
    return not isinstance(called, np.ndarray | list | dict | set)
