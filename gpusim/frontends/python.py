"""How does a Python kernel become IR? Statements, parameters, and passes until variable types settle."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from gpusim.errors import KernelTypeError
from gpusim.frontends.python_assignments import RESULT, Assignments
from gpusim.frontends.python_iterables import Iterable
from gpusim.frontends.python_scope import (
    Item,
    Static,
    Value,
    VariableKey,
    VariableTypes,
    open_scope,
    whole,
)
from gpusim.ir.builder import Builder
from gpusim.ir.instructions import ArrayOperand, Constant, Jump, Opcode, Operand, Register, Return
from gpusim.ir.program import Function
from gpusim.ir.types import PRED, S64, Array, Record, Space
from gpusim.source import Span


def compile_kernel(
    function: Callable[..., Any], argument_types: Sequence[Any], warp_size: int = 32
) -> Function:
    """Compile a Python function for arguments of these types and warps of this size.

    An argument of type None is the object None, and no parameter of the function that is returned. A
    variable has one type: that of all its values together, as where `total = 0` meets `total += 0.5`.
    Passes repeat until no variable widens any more. Raises `UnsupportedConstruct` and `KernelTypeError`,
    which point at the place.
    """
    types: VariableTypes = {}
    moving: dict[VariableKey, str] = {}
    while True:
        scope = open_scope(function)
        lowering = Statements(Builder(scope.source.name, scope.source), scope, types)
        lowering.warp_size, lowering.moving = warp_size, moving
        lowering.parameters(argument_types)
        lowering.body(scope.tree.body)
        if not lowering.retyped:
            return lowering.builder.finish(scope.span(scope.tree.body[-1]))


class Statements(Assignments):
    """Statements of a kernel or of a device function inlined into it."""

    def parameters(self, argument_types: Sequence[Any]) -> None:
        """Declare the kernel's parameters with the types of this launch."""
        names, given = self.scope.parameters, self.scope.tree.args
        if given.vararg or given.kwarg or given.kwonlyargs or given.posonlyargs or given.defaults:
            raise self.unsupported(given, "kernels take plain positional parameters")
        if len(names) != len(argument_types):
            raise KernelTypeError(
                f"{self.scope.source.name}() takes {len(names)} argument(s), {len(argument_types)} given",
                self.scope.span(self.scope.tree),
            )
        for name, type_ in zip(names, argument_types, strict=True):
            self.scope.values[name] = self._parameter(name, type_)

    def _parameter(self, name: str, type_: Any) -> Value:
        """Declare a parameter, or those of a tuple, and give its value."""
        if isinstance(type_, tuple):
            return tuple(self._parameter(f"{name}.{place}", part) for place, part in enumerate(type_))
        if isinstance(type_, Array):
            array = ArrayOperand(name, type_.element, type_.dimensions, Space.GLOBAL, layout=type_.layout)
            self.builder.parameters.append(array)
            is_record = isinstance(type_.element, Record) and not type_.dimensions
            return Item(whole(array)) if is_record else whole(array)
        if type_ is None:
            return Static(None)
        register = Register(name, type_)
        self.builder.parameters.append(register)
        if self.settle(name, type_) is type_:
            return register
        variable = Register(name, self.types[self.scope.path, name])
        self.move(register, variable, self.scope.span(self.scope.tree))
        return variable

    def body(self, statements: Sequence[ast.stmt]) -> None:
        """Lower statements in order, as far as control can come."""
        for statement in statements:
            if not self.builder.reachable:
                return
            method = getattr(self, f"_{type(statement).__name__}", None)
            if method is None or isinstance(statement, ast.expr):
                raise self.unsupported(statement)
            method(statement)

    # control flow -----------------------------------------------------------------------------------------

    def _If(self, node: ast.If) -> None:
        span, known = self.scope.span(node), self.known(node.test)
        if known is not None:
            self.body(node.body if known else node.orelse)
            return
        then, otherwise, join = (self.builder.label() for _ in range(3))
        self.condition(node.test, then, otherwise if node.orelse else join)
        self.scope.joins.append(join)
        before = dict(self.scope.values)
        self.builder.place(then, span)
        self.body(node.body)
        self.builder.end(Jump(join, self.scope.span(node.body[-1])))
        if node.orelse:
            self.scope.values = {**self.scope.values, **before}
            self.builder.place(otherwise, span)
            self.body(node.orelse)
            self.builder.end(Jump(join, self.scope.span(node.orelse[-1])))
        self.scope.joins.pop()
        self.builder.place(join, span)

    def _While(self, node: ast.While) -> None:
        span = self.scope.span(node)
        head, inside, exhausted, after = (self.builder.label() for _ in range(4))
        self.builder.place(head, span)
        self.condition(node.test, inside, exhausted)
        self._loop(node.body, inside, head, after, span)
        self.builder.end(Jump(head, span))
        self._after_loop(node, exhausted, after, span)

    def _loop(self, body: Sequence[ast.stmt], inside: int, again: int, after: int, span: Span) -> None:
        self.builder.place(inside, span)
        self.scope.loops.append((after, again))
        self.scope.joins.append(again)
        self.body(body)
        self.scope.joins.pop()
        self.scope.loops.pop()

    def _after_loop(self, node: ast.While | ast.For, exhausted: int, after: int, span: Span) -> None:
        self.builder.place(exhausted, span)
        self.body(node.orelse)
        self.builder.place(after, span)

    def _For(self, node: ast.For) -> None:
        """`for i in range(…)`: the loop variable is the counter where nothing can tell the difference."""
        span, name = self.scope.span(node), getattr(node.target, "id", None)
        if name is None or not isinstance(node.iter, ast.Call) or self.called(node.iter) is not range:
            self._for_each(node)
            return
        start, stop, step = self.range_limits(node.iter)
        if self._changed_or_kept(name, node):
            counter = Register(f"{name}'", self.settle(f"{name}'", start.type))
        else:
            counter = self._declare(name, start.type)
        self.move(start, counter, span)
        head, inside, latch, exhausted, after = (self.builder.label() for _ in range(5))
        self.builder.place(head, span)
        self.builder.branch(self._in_range(counter, stop, step, node), inside, exhausted, span)
        self.builder.place(inside, span)
        if self.scope.values.get(name) is not counter:
            self._bind(name, counter, span)
        self._loop(node.body, self.builder.label(), latch, after, span)
        self.builder.place(latch, span)
        self.builder.value(
            Opcode.ADD,
            counter.type,
            (counter, self.convert(step, counter.type, span)),
            span,
            into=counter,
        )
        self.builder.end(Jump(head, span))
        self._after_loop(node, exhausted, after, span)

    def _for_each(self, node: ast.For) -> None:
        """A loop that counts, and takes item k at the start of each round."""
        span, items = self.scope.span(node), self.iterable(node.iter)
        exhausted, after = self.builder.label(), self.builder.label()
        if items.written_out:
            self._write_out(node, items, after)
        else:
            head, inside, latch = (self.builder.label() for _ in range(3))
            counter = Register(f"{ast.unparse(node.target)}'", S64)
            self.move(Constant(0, S64), counter, span)
            self.builder.place(head, span)
            more = self.builder.value(Opcode.LT, S64, (counter, items.length), span, result=PRED)
            self.builder.branch(more, inside, exhausted, span)
            self.scope.loops.append((after, latch))
            self.builder.place(inside, span)
            self.assign(node.target, items.item(counter))
            self.scope.loops.pop()
            self._loop(node.body, self.builder.label(), latch, after, span)
            self.builder.place(latch, span)
            one = Constant(1, S64)
            self.builder.value(Opcode.ADD, S64, (counter, one), span, into=counter)
            self.builder.end(Jump(head, span))
        self._after_loop(node, exhausted, after, span)

    def _write_out(self, node: ast.For, items: Iterable, after: int) -> None:
        """The body once for each item; what the loop variables are is known in each copy only."""
        if not isinstance(items.length, Constant):
            hint = "index the tuple's items by constants"
            raise self.unsupported(node.iter, hint, "a loop over a tuple together with an array")
        span = self.scope.span(node)
        names = [part.id for part in ast.walk(node.target) if isinstance(part, ast.Name)]
        for position in range(items.length.value):
            following = self.builder.label()
            self._forget_arrays(names)
            self.assign(node.target, items.item(Constant(position, S64)))
            self._loop(node.body, self.builder.label(), following, after, span)
            self.builder.place(following, span)
        self._forget_arrays(names)

    def _forget_arrays(self, names: list[str]) -> None:
        for name in names:
            if not isinstance(self.scope.values.get(name), Register | None):
                del self.scope.values[name]

    def _in_range(self, counter: Register, stop: Operand, step: Operand, node: ast.For) -> Register:
        span, type_ = self.scope.span(node), counter.type
        stop = self.convert(stop, type_, span)

        def test(opcode: Opcode) -> Register:
            return self.builder.value(opcode, type_, (counter, stop), span, result=PRED)

        if isinstance(step, Constant):
            return test(Opcode.LT if step.value > 0 else Opcode.GT)
        zero = Constant(0, type_)
        upward = self.builder.value(
            Opcode.GT, type_, (self.convert(step, type_, span), zero), span, result=PRED
        )
        return self.builder.value(Opcode.SELECT, PRED, (upward, test(Opcode.LT), test(Opcode.GT)), span)

    def _changed_or_kept(self, name: str, loop: ast.For) -> bool:
        """Is the loop variable assigned in the loop, or mentioned outside it?"""
        inside = list(ast.walk(loop))
        mentions = [n for n in ast.walk(self.scope.tree) if isinstance(n, ast.Name) and n.id == name]
        stores = [
            n for n in inside if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store)
        ]
        elsewhere = [n for n in mentions if all(n is not other for other in inside)]
        return len(stores) > 1 or bool(elsewhere) or name in self.scope.parameters

    def _Break(self, node: ast.Break) -> None:
        self.builder.end(Jump(self.scope.loops[-1][0], self.scope.span(node)))

    def _Continue(self, node: ast.Continue) -> None:
        self.builder.end(Jump(self.scope.loops[-1][1], self.scope.span(node)))

    def _Return(self, node: ast.Return) -> None:
        span = self.scope.span(node)
        if self.scope.leave is not None:
            if node.value is not None:
                self._bind(RESULT, self.value(node.value), span)
            self.builder.end(Jump(self.scope.leave, span))
            return
        if node.value is not None and not (isinstance(node.value, ast.Constant) and node.value.value is None):
            raise KernelTypeError("a kernel returns nothing", span, "write the result into an array")
        self.builder.end(Return(span, self.scope.joins[-1] if self.scope.joins else None))

    def _Assert(self, node: ast.Assert) -> None:
        """Threads for which the condition does not hold end the launch with an error."""
        known, span = self.known(node.test), self.scope.span(node)
        if known:
            return
        holds, fails = self.builder.label(), self.builder.label()
        self.condition(node.test, holds, fails)
        self.builder.place(fails, span)
        reason = f"{self._reason(node.msg)}; " if node.msg else ""
        text = f"AssertionError: {reason}`{ast.unparse(node.test)}` does not hold"
        self.trap(text, holds, span)

    def _Raise(self, node: ast.Raise) -> None:
        """Threads that come here end the launch with an error."""
        span, error = self.scope.span(node), node.exc
        called, given = (error.func, error.args) if isinstance(error, ast.Call) else (error, [])
        kind = getattr(self.value(called), "object", None) if called else None
        if node.cause or not isinstance(kind, type) or not issubclass(kind, BaseException):
            raise self.unsupported(node, "raise an exception of Python, with constants")
        reasons = ", ".join(self._reason(argument) for argument in given)
        text = f"{kind.__name__}: {reasons}" if reasons else kind.__name__
        self.builder.effect(Opcode.TRAP, PRED, (), span, text)
        self.builder.end(Return(span, self.scope.joins[-1] if self.scope.joins else None))

    def _reason(self, node: ast.expr) -> str:
        value = self.value(node)
        if isinstance(value, Static) and isinstance(value.object, str):
            return value.object
        if isinstance(value, Constant):
            return str(value)
        raise self.unsupported(node, "write a text", "a computed text")

    def _Pass(self, node: ast.Pass) -> None:
        """Nothing to do."""

    def _Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):
            self.value(node.value)

    # device functions -------------------------------------------------------------------------------------

    def inline(
        self, function: Any, arguments: list[Value], keywords: dict[str, Value], node: ast.Call
    ) -> Value:
        """Lower the body of a device function here, with its own names."""
        span, caller = self.scope.span(node), self.scope
        function = inspect.unwrap(function)
        if function in caller.calls:
            raise KernelTypeError(f"{function.__name__}() calls itself", span, "write it as a loop")
        callee = open_scope(function, span, caller.calls)
        given = self._bound(function, arguments, keywords, node)
        callee.leave = self.builder.label()
        self.scope = callee
        written = {
            n.id for n in ast.walk(callee.tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
        }
        for name, argument in given.items():
            passing = isinstance(argument, tuple) or (
                isinstance(argument, Register) and argument.is_temporary
            )
            if passing or name in written:
                self._bind(name, argument, span)
            else:
                callee.values[name] = argument
        self.body(callee.tree.body)
        self.scope = caller
        self.builder.place(callee.leave, span)
        return callee.values.get(RESULT, Static(None))

    def _bound(
        self, function: Any, arguments: list[Value], keywords: dict[str, Value], node: ast.Call
    ) -> dict[str, Value]:
        """Which value does each parameter of a device function get? Defaults are what they are now."""
        signature = inspect.signature(function)
        try:
            given = signature.bind(*arguments, **keywords).arguments
        except TypeError:
            count = len(arguments) + len(keywords)
            raise KernelTypeError(
                f"{function.__name__}{signature} called with {count} argument(s)", self.scope.span(node)
            ) from None
        for name, parameter in signature.parameters.items():
            if parameter.kind is parameter.VAR_KEYWORD:
                raise self.unsupported(node, "name the parameters", f"`**{name}`")
            if parameter.kind is parameter.VAR_POSITIONAL:
                given.setdefault(name, ())
            elif name not in given:
                given[name] = self._from_outside(parameter.default, node)
        return given
