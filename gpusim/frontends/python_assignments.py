"""What does an assignment do? A name gets a register, a view or a tuple; an element gets a value."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager

from gpusim.errors import KernelTypeError
from gpusim.frontends import python_types
from gpusim.frontends.intrinsics import Intrinsic
from gpusim.frontends.python_calls import STORAGE
from gpusim.frontends.python_iterables import Iterables
from gpusim.frontends.python_scope import Item, Static, Value, VariableKey, VectorValue, View
from gpusim.ir.instructions import Constant, Jump, Opcode, Operand, Register
from gpusim.ir.types import PRED, S64, Record, Scalar
from gpusim.source import Span

RESULT = "<result>"  # the variable that a device function returns in


class Assignments(Iterables):
    """Assignments to names, elements, fields and slices.

    `moving` are variables that hold different parts of an array at different times, with the layout of these
    parts ("A" where they differ, as in Numba); as with types, the passes find them.
    """

    moving: dict[VariableKey, str]

    def _Assign(self, node: ast.Assign) -> None:
        into = self._variable(node.targets[0]) if len(node.targets) == 1 else None
        value = self.value(node.value, into)
        span = self.scope.span(node)
        for target in node.targets[:-1]:
            if isinstance(value, Register):
                self.assign(target, self.builder.value(Opcode.MOVE, value.type, (value,), span))
            else:
                self.assign(target, value)
        self.assign(node.targets[-1], value)

    def _AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.assign(node.target, self.value(node.value, self._variable(node.target)))

    def _AugAssign(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Subscript | ast.Attribute):
            view = self.place(node.target)
            if view.dimensions:
                raise self.unsupported(node, "index the array fully", "an update of a whole array")
            self.check_writable(view, node)
            before = self.loaded(view, node)
            self.store(view, self.binary(node.op, before, self.value(node.value), node), node)
            return
        before_ = self.value(ast.copy_location(ast.Name(_name(node.target), ast.Load()), node))
        into = self._variable(node.target)
        self.assign(node.target, self.binary(node.op, before_, self.value(node.value), node, into))

    def _variable(self, target: ast.expr) -> Register | None:
        """The register of a variable that already has one, so that results are computed in place."""
        value = self.scope.values.get(target.id) if isinstance(target, ast.Name) else None
        return value if isinstance(value, Register) else None

    def assign(self, target: ast.expr, value: Value) -> None:
        """Give a name, an element or several of them a value."""
        span = self.scope.span(target)
        match target:
            case ast.Name(id=name):
                self._bind(name, value, span)
            case ast.Subscript() | ast.Attribute():
                self.store(self.place(target), value, target)
            case ast.Tuple(elts=targets):
                if not isinstance(value, tuple) or _shape(value) != (None, len(targets)):
                    raise KernelTypeError(f"{len(targets)} names need a tuple of {len(targets)} values", span)
                for item, part in zip(targets, [self._copy(part, span) for part in value], strict=True):
                    self.assign(item, part)
            case _:
                raise self.unsupported(target)

    def _copy(self, value: Value, span: Span) -> Value:
        """A value that later assignments to the variable it came from do not change: `a, b = b, a`."""
        if isinstance(value, Item):
            return Item(self._held_still(value.view, span))
        if isinstance(value, View):
            return self._held_still(value, span)
        return self._copied(value, span) if isinstance(value, Register) else value

    def _held_still(self, view: View, span: Span) -> View:
        return view.with_parts([self._copied(part, span) for part in view.parts])

    def _bind(self, name: str, value: Value, span: Span) -> None:
        before = self.scope.values.get(name)
        if isinstance(value, tuple):
            self._keep_meaning(name, before is None or _shape(before) == _shape(value), span)
            for position, part in enumerate([self._copy(part, span) for part in value]):
                self._bind(f"{name}.{position}", part, span)
            parts = tuple(self.scope.values[f"{name}.{position}"] for position in range(len(value)))
            self.scope.values[name] = (
                VectorValue(parts, value.type) if isinstance(value, VectorValue) else parts
            )
            return
        if isinstance(value, Item):
            self._bind_view(name, value.view, before.view if isinstance(before, Item) else before, span)
            held = self.scope.values[name]
            assert isinstance(held, View)
            self.scope.values[name] = Item(held)
            return
        if isinstance(value, View):
            self._bind_view(name, value, before, span)
            return
        if isinstance(value, Static) and python_types.of_constant(value.object) is None:
            self._keep_meaning(name, before is None or before == value, span)
            self.scope.values[name] = value
            return
        number = self.number(value, self.scope.tree)
        self._keep_meaning(name, before is None or isinstance(before, Register | Constant), span)
        variable = self._declare(name, number.type)
        if number is not variable and not self.builder.retarget(number, variable):
            self.move(number, variable, span)

    def _bind_view(self, name: str, view: View, before: Value | None, span: Span) -> None:
        """A variable that holds an array: where threads may hold different parts of it, in registers."""
        key = self.scope.path, name
        moves = before is not None and before != view and self._for_some_threads(name)
        if moves and key not in self.moving and view.agrees(before):
            self.moving[key] = view.array.layout
            self.retyped = True  # the next pass gives it registers from its first value on
        elif key in self.moving and (before is None or view.agrees(before)):
            if self.moving[key] not in (view.array.layout, "A"):
                self.moving[key], self.retyped = "A", True
            view = self.movable(view, name, self.moving[key], span)
            for position, part in enumerate([self._copied(part, span) for part in view.parts]):
                self._bind(f"{name}.{position}", part, span)
            view = view.with_parts(self._held(f"{name}.{p}") for p in range(len(view.parts)))
        else:
            self._keep_meaning(name, not moves, span)
            view = self._held_still(view, span)
        if view.array.root is not None or view.array.name == STORAGE:
            view = self.renamed(view, name)
        self.scope.values[name] = view

    def _held(self, name: str) -> Operand:
        held = self.scope.values[name]
        assert isinstance(held, Register | Constant)
        return held

    def _for_some_threads(self, name: str) -> bool:
        """May some threads skip the assignment that stands here? To a result, those that returned before."""
        return bool(self.scope.joins or self.scope.loops) or name.startswith(RESULT)

    def _keep_meaning(self, name: str, kept: bool, span: Span) -> None:
        """A name that stands for an array, a tuple or a function does so for all threads."""
        if not kept and self._for_some_threads(name):
            what = "what the function returns" if name.startswith(RESULT) else repr(name)
            raise KernelTypeError(
                f"{what} would mean something else from here on, for some threads only",
                span,
                "give the new value its own name",
            )

    def _declare(self, name: str, type_: Scalar) -> Register:
        """The register of a variable, which is about to take a value of this type."""
        type_ = self.settle(name, type_)
        variable = self.scope.values.get(name)
        if not isinstance(variable, Register):
            prefix = f"{self.scope.source.name}." if self.scope.path else ""
            variable = self.scope.values[name] = Register(prefix + name, type_)
        return variable

    def store(self, view: View, value: Value, node: ast.AST) -> None:
        """Write to an element, or the same value to every element of a view, in a loop over it."""
        span = self.scope.span(node)
        self.check_writable(view, node)
        if isinstance(value, View | tuple):
            hint = "Numba's CUDA target does not copy arrays: assign element by element, in a loop"
            raise self.unsupported(node, hint, f"an assignment of {self._kind(value)} to a part of an array")
        if view.dimensions:
            value = self._copied(value, span) if isinstance(value, Register) else value
            with self._counting(self.extent(view, view.free[0], span), span) as counter:
                self.store(self.view(view, counter, node), value, node)
        elif isinstance(value, Item):
            self._copy_record(view, value.view, node)
        else:
            element = self.element(view, node)
            number = self.convert(self.number(value, node), element, span)
            self.builder.store(view.array, (*view.operands, number), span)

    def _copy_record(self, view: View, other: View, node: ast.AST) -> None:
        """Field by field, nested arrays element by element; padding stays."""
        record = view.array.element
        if not isinstance(record, Record) or record != other.array.element:
            raise KernelTypeError(
                f"{self._kind(Item(other))} does not fit {view.array.name!r}", self.scope.span(node)
            )
        for name in record.names:
            one, another = (self.view(Item(whole), Static(name), node) for whole in (view, other))
            self._copy_all(one, another, node)

    def _copy_all(self, view: View, other: View, node: ast.AST) -> None:
        if not view.dimensions:
            self.store(view, self.loaded(other, node), node)
            return
        span = self.scope.span(node)
        with self._counting(self.extent(view, view.free[0], span), span) as counter:
            self._copy_all(self.view(view, counter, node), self.view(other, counter, node), node)

    @contextmanager
    def _counting(self, length: Operand, span: Span) -> Iterator[Register]:
        """A loop over 0 … length - 1, around what is lowered inside the `with`."""
        head, inside, after = (self.builder.label() for _ in range(3))
        counter = self.builder.temporary(S64)
        self.move(Constant(0, S64), counter, span)
        self.builder.place(head, span)
        more = self.builder.value(Opcode.LT, S64, (counter, length), span, result=PRED)
        self.builder.branch(more, inside, after, span)
        self.builder.place(inside, span)
        yield counter
        self.builder.value(Opcode.ADD, S64, (counter, Constant(1, S64)), span, into=counter)
        self.builder.end(Jump(head, span))
        self.builder.place(after, span)

    def _NamedExpr(self, node: ast.NamedExpr, _into: Register | None) -> Value:
        self.assign(node.target, self.value(node.value))
        return self.scope.values[node.target.id]


def _shape(value: Value) -> tuple[Intrinsic | None, int] | None:
    """What kind of tuple, and of how many parts? None for anything else."""
    kind = value.type if isinstance(value, VectorValue) else None
    return (kind, len(value)) if isinstance(value, tuple) else None


def _name(target: ast.expr) -> str:
    return target.id if isinstance(target, ast.Name) else ""
