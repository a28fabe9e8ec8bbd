"""What does a call in a kernel do? Intrinsics, casts, functions of `math`, and inlined device functions."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from gpusim.errors import KernelTypeError, UnsupportedConstruct
from gpusim.frontends import intrinsics, python_types
from gpusim.frontends.python_conditions import Conditions
from gpusim.frontends.python_scope import Method, Static, Value, View, whole
from gpusim.ir.instructions import ArrayOperand, Constant, Opcode, Operand, Register
from gpusim.ir.types import F32, F64, PRED, S32, S64, U32, U64, Scalar, Space
from gpusim.source import Span

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
NONE = (1, 0)
MANY = 255
DEFAULTS: dict[str, Value] = {"-1": Constant(-1, S64), "None": Static(None)}
# function -> fewest and most arguments
ARITIES: dict[Any, tuple[int, int]] = {
    pow: (2, 2),
    **dict.fromkeys([abs, *intrinsics.UNARY, *intrinsics.TESTS, *intrinsics.SCALING], (1, 1)),
    **dict.fromkeys(intrinsics.BINARY, (2, 2)),
    **dict.fromkeys(intrinsics.ROUNDING, (1, 1)),
    **dict.fromkeys(intrinsics.EXTREMES, (2, MANY)),
}


class Calls(Conditions):
    """Expressions, and calls among them."""

    warp_size = 32

    def _Call(self, node: ast.Call, into: Register | None) -> Value:
        span = self.scope.span(node)
        target = self.value(node.func)
        if not isinstance(target, Static):
            raise KernelTypeError(f"{self._kind(target)} cannot be called", span)
        if any(isinstance(argument, ast.Starred) for argument in node.args):
            raise self.unsupported(node.args[0], "write the arguments out")
        called = target.object
        arguments = [self.value(argument) for argument in node.args]
        keywords = {keyword.arg or "**": self.value(keyword.value) for keyword in node.keywords}
        if isinstance(called, intrinsics.Intrinsic):
            return self._intrinsic(called, arguments, keywords, node)
        if isinstance(called, Method) and not keywords:
            return self.method(called, arguments, node)
        device_function = getattr(called, "device_function", None)
        if device_function is not None:
            return self.inline(device_function, arguments, keywords, node)
        if keywords:
            raise self.unsupported(node, f"{self._kind(target)} takes no keyword arguments in a kernel")
        return self._builtin(called, arguments, node, into)

    def inline(
        self, function: Any, arguments: list[Value], keywords: dict[str, Value], node: ast.Call
    ) -> Value:
        """Lower a device function in place; statements are needed for that."""
        raise NotImplementedError

    # intrinsics -------------------------------------------------------------------------------------------

    def _intrinsic(
        self, called: intrinsics.Intrinsic, arguments: list[Value], keywords: dict[str, Value], node: ast.Call
    ) -> Value:
        parts = [part.strip() for part in called.usage[called.usage.index("(") + 1 : -1].split(",") if part]
        names = [part.partition("=")[0] for part in parts]
        arguments += [keywords.pop(name) for name in names[len(arguments) :] if name in keywords]
        missing = [part.partition("=")[2] for part in parts[len(arguments) :]]
        arguments += [DEFAULTS[default] for default in missing if default]
        if len(arguments) != len(names) or keywords:
            raise KernelTypeError("wrong arguments", self.scope.span(node), f"use cuda.{called.usage}")
        family, _, name = called.name.rpartition(".")
        if family in intrinsics.SCOPES:
            return self._atomic(name, intrinsics.SCOPES[family], arguments, node)
        if called.name in intrinsics.BLOCK_VOTES:
            return self._block_vote(intrinsics.BLOCK_VOTES[called.name], arguments[0], node)
        if called.name in intrinsics.FENCES:
            return self._fence(intrinsics.FENCES[called.name], node)
        if called.name in intrinsics.BITS:
            return self._bits(intrinsics.BITS[called.name], arguments[0], node)
        if called.name in intrinsics.SHUFFLES:
            return self._shuffle(intrinsics.SHUFFLES[called.name], arguments, node)
        if called.name in intrinsics.VOTES:
            return self._vote(intrinsics.VOTES[called.name], arguments, node)
        if called.name in intrinsics.MATCHES:
            return self._match(intrinsics.MATCHES[called.name], arguments, node)
        if called.name in intrinsics.CACHED:
            return self._cached(called.name, arguments, node)
        lower = getattr(self, "_" + called.name.replace(".", "_"))
        result: Value = lower(*arguments, node)
        return result

    def _rank(self, rank: Value, node: ast.AST) -> int:
        if not isinstance(rank, Constant) or rank.value not in range(1, MAX_RANK + 1):
            raise KernelTypeError("the number of dimensions is the constant 1, 2 or 3", self.scope.span(node))
        return int(rank.value)

    def _grid(self, rank: Value, node: ast.Call) -> Value:
        positions: list[Value] = []
        for axis in AXES[: self._rank(rank, node)]:
            thread, extent, block = (
                self.special(getattr(v, axis).register, S64, node)
                for v in (intrinsics.threadIdx, intrinsics.blockDim, intrinsics.blockIdx)
            )
            positions.append(
                self.binary(ast.Add(), thread, self.binary(ast.Mult(), extent, block, node), node)
            )
        return positions[0] if len(positions) == 1 else tuple(positions)

    def _gridsize(self, rank: Value, node: ast.Call) -> Value:
        sizes: list[Value] = [
            self.binary(
                ast.Mult(),
                self.special(getattr(intrinsics.blockDim, axis).register, S64, node),
                self.special(getattr(intrinsics.gridDim, axis).register, S64, node),
                node,
            )
            for axis in AXES[: self._rank(rank, node)]
        ]
        return sizes[0] if len(sizes) == 1 else tuple(sizes)

    def _syncthreads(self, node: ast.Call) -> Value:
        self.builder.barrier(self.scope.span(node))
        return Static(None)

    def _block_vote(self, opcode: Opcode, value: Value, node: ast.Call) -> Value:
        span, flag = self.scope.span(node), self.truth(self.number(value, node), node)
        self.builder.barrier(span, opcode, (flag,))
        return self.builder.value(Opcode.RECEIVE, S32, (), span, name="barrier")

    def _fence(self, scope: str, node: ast.Call) -> Value:
        self.builder.effect(Opcode.FENCE, PRED, (), self.scope.span(node), scope)
        return Static(None)

    def _nanosleep(self, nanoseconds: Value, node: ast.Call) -> Value:
        span = self.scope.span(node)
        duration = self.convert(self.number(nanoseconds, node), U32, span)
        self.builder.effect(Opcode.NANOSLEEP, U32, (duration,), span)
        return Static(None)

    # arrays -----------------------------------------------------------------------------------------------

    def _shared_array(self, shape: Value, dtype: Value, alignment: Value, node: ast.Call) -> Value:
        return self._storage(shape, dtype, alignment, Space.SHARED, node)

    def _local_array(self, shape: Value, dtype: Value, alignment: Value, node: ast.Call) -> Value:
        return self._storage(shape, dtype, alignment, Space.LOCAL, node)

    def _storage(self, shape: Value, dtype: Value, alignment: Value, space: Space, node: ast.Call) -> Value:
        """A shared array of length 0 is dynamic: it has all the bytes that the launch adds."""
        span = self.scope.span(node)
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

    def _const_array_like(self, array: Value, node: ast.Call) -> Value:
        if not isinstance(array, View) or array.array.space is not Space.CONSTANT:
            raise KernelTypeError(
                f"{self._kind(array)} is not an array known when the kernel is compiled",
                self.scope.span(node),
                "name a NumPy array defined outside the kernel",
            )
        return array

    def _cached(self, called: str, arguments: list[Value], node: ast.Call) -> Value:
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
            return self.loaded(view, node, name=intrinsics.CACHED[called])
        number = self.convert(self.number(values[0], node), element, span)
        self.builder.store(view.array, (*view.operands, number), span, intrinsics.CACHED[called])
        return Static(None)

    def _atomic(self, name: str, scope: str, arguments: list[Value], node: ast.Call) -> Value:
        if name == "compare_and_swap":
            arguments = [arguments[0], Constant(0, S64), *arguments[1:]]
        array, index, *values = arguments
        opcode = intrinsics.ATOMICS.get(name, Opcode.ATOMIC_CAS)
        span, view = self.scope.span(node), self.view(array, index, node)
        element = self.element(view, node)
        self.check_writable(view, node)
        if opcode in INTEGER_ATOMICS and not element.is_integer:
            raise KernelTypeError(
                f"{opcode.mnemonic} does not take {element}", span, "use an array of integers"
            )
        numbers = (self.convert(self.number(value, node), element, span) for value in values)
        operands = (*view.operands, *numbers)
        return self.builder.value(opcode, element, operands, span, array=view.array, name=scope)

    # the lanes of a warp ----------------------------------------------------------------------------------

    @property
    def _mask_type(self) -> Scalar:
        """Masks are int32 in Numba; those of 64 lanes need an int64."""
        return S32 if self.warp_size == S32.bits else S64

    def _exchange(self, opcode: Opcode, values: list[Operand], node: ast.Call) -> None:
        span, mask = self.scope.span(node), values[0]
        if not mask.type.is_integer:
            raise KernelTypeError(f"a mask of type {mask.type}", span, "a mask is an integer, one bit a lane")
        operands = (self.convert(mask, U64, span), *values[1:])
        self.builder.exchange(opcode, operands, span)

    def _received(self, type_: Scalar, node: ast.Call, part: int = 0) -> Register:
        return self.builder.value(Opcode.RECEIVE, type_, (), self.scope.span(node), axis=part)

    def _shuffle(self, opcode: Opcode, arguments: list[Value], node: ast.Call) -> Value:
        mask, value, lane = (self.number(argument, node) for argument in arguments)
        self._exchange(opcode, [mask, value, self.convert(lane, S64, self.scope.span(node))], node)
        return self._received(value.type, node)

    def _vote(self, opcode: Opcode, arguments: list[Value], node: ast.Call) -> Value:
        mask, value = (self.number(argument, node) for argument in arguments)
        self._exchange(opcode, [mask, self.truth(value, node)], node)
        return self._received(self._mask_type if opcode is Opcode.BALLOT else PRED, node)

    def _match(self, opcode: Opcode, arguments: list[Value], node: ast.Call) -> Value:
        mask, value = (self.number(argument, node) for argument in arguments)
        self._exchange(opcode, [mask, value], node)
        found = self._received(self._mask_type, node)
        return found if opcode is Opcode.MATCH_ANY else (found, self._received(PRED, node, 1))

    def _syncwarp(self, mask: Value, node: ast.Call) -> Value:
        self._exchange(Opcode.SYNC_WARP, [self.number(mask, node)], node)
        return Static(None)

    def _activemask(self, node: ast.Call) -> Value:
        return self.special("activemask", self._mask_type, node)

    def _lanemask_lt(self, node: ast.Call) -> Value:
        return self.special("lanemask_lt", self._mask_type, node)

    # arithmetic -------------------------------------------------------------------------------------------

    def _bits(self, opcode: Opcode, value: Value, node: ast.Call) -> Value:
        span, number = self.scope.span(node), self.number(value, node)
        if not number.type.is_integer:
            raise KernelTypeError(
                f"{opcode.mnemonic} does not take {number.type}", span, "convert with int(…)"
            )
        return self.builder.value(opcode, number.type, (number,), span)

    def _cbrt(self, value: Value, node: ast.Call) -> Value:
        return self._floating(Opcode.CBRT, [self.number(value, node)], node)

    def _fma(self, one: Value, other: Value, addend: Value, node: ast.Call) -> Value:
        return self._floating(Opcode.FMA, [self.number(v, node) for v in (one, other, addend)], node)

    def _selp(self, condition: Value, one: Value, other: Value, node: ast.Call) -> Value:
        span, flag = self.scope.span(node), self.truth(self.number(condition, node), node)
        return self.select(flag, self.number(one, node), self.number(other, node), span)

    def _floating(
        self, opcode: Opcode, numbers: list[Operand], node: ast.AST, result: Scalar | None = None
    ) -> Operand:
        """A function that computes in float32 where all operands are, else in float64."""
        span = self.scope.span(node)
        type_ = F32 if all(number.type is F32 for number in numbers) else F64
        operands = tuple(self.convert(number, type_, span) for number in numbers)
        return self.builder.value(opcode, type_, operands, span, result=result)

    # functions of Python and math -------------------------------------------------------------------------

    def _builtin(self, called: Any, arguments: list[Value], node: ast.Call, into: Register | None) -> Value:
        span = self.scope.span(node)
        if called is len:
            return self._length(arguments, span)
        cast = CASTS.get(called) if _hashable(called) else None
        if (cast is None and isinstance(called, type)) or hasattr(called, "bitwidth"):
            cast = python_types.of_name(called)
        fewest, most = (
            (1, 1) if cast is not None else ARITIES.get(called, NONE) if _hashable(called) else NONE
        )
        if not fewest <= len(arguments) <= most:
            name = getattr(called, "__name__", repr(called))
            plain = hasattr(called, "__code__")
            hint = "mark it @cuda.jit(device=True)" if plain else ""
            raise UnsupportedConstruct(f"{name}() with {len(arguments)} argument(s) in a kernel", span, hint)
        numbers = [self.number(argument, node) for argument in arguments]
        first = numbers[0]
        if cast is PRED:
            return self.truth(first, node)
        if cast is not None:
            return first if called is int and first.type.is_integer else self.convert(first, cast, span, into)
        if called is pow:
            return self.binary(ast.Pow(), first, numbers[1], node, into)
        if called in intrinsics.EXTREMES:
            return self._extreme(intrinsics.EXTREMES[called], numbers, node)
        if called in intrinsics.ROUNDING:
            if not first.type.is_float:
                return self.convert(first, python_types.widened(first.type, first.type), span)
            rounded = self.builder.value(intrinsics.ROUNDING[called], first.type, (first,), span)
            return self.convert(rounded, S64, span)
        if called in intrinsics.SCALING:
            factor = Constant(intrinsics.SCALING[called], F32 if first.type is F32 else F64)
            return self._floating(Opcode.MUL, [first, factor], node)
        if called in intrinsics.TESTS:
            return self._floating(intrinsics.TESTS[called], numbers, node, result=PRED)
        if called is abs:
            return self.builder.value(Opcode.ABS, first.type, (first,), span)
        table = intrinsics.BINARY if called in intrinsics.BINARY else intrinsics.UNARY
        return self._floating(table[called], numbers, node)

    def _length(self, arguments: list[Value], span: Span) -> Value:
        view = arguments[0] if len(arguments) == 1 else None
        if isinstance(view, tuple):
            return Constant(len(view), S64)
        if not isinstance(view, View) or not view.dimensions:
            raise KernelTypeError("len() takes one array or tuple", span)
        return self.extent(view, view.free[0], span)

    def _extreme(self, opcode: Opcode, numbers: list[Operand], node: ast.AST) -> Operand:
        span, result = self.scope.span(node), numbers[0]
        for number in numbers[1:]:
            type_ = python_types.unify(result.type, number.type)
            operands = (self.convert(result, type_, span), self.convert(number, type_, span))
            result = self.builder.value(opcode, type_, operands, span)
        return result


def _hashable(called: Any) -> bool:
    return not isinstance(called, np.ndarray | list | dict | set)
