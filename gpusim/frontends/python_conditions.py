"""How does a condition become predicates, selects and branches? `and`, `or`, comparisons, `a if c else b`.

Where the later parts only compute, they are computed anyway and combined as predicates, as compilers do. A
part that reads memory or calls a function must not run where an earlier part decides: it takes a branch, and
that can diverge.
"""

from __future__ import annotations

import ast
from typing import Any

from gpusim.errors import KernelTypeError
from gpusim.frontends import python_constants, python_types
from gpusim.frontends.intrinsics import Special
from gpusim.frontends.python_arrays import Arrays
from gpusim.frontends.python_indices import ATTRIBUTES
from gpusim.frontends.python_scope import Item, Static, Value, VectorValue, View
from gpusim.ir.instructions import Constant, Jump, Opcode, Operand, Register
from gpusim.ir.types import PRED, S64, U64
from gpusim.source import Span


class Kept(ast.expr):
    """An expression that stands at two places and is evaluated at the first: b in `a < b < c`."""

    _fields = ("value",)

    def __init__(self, value: ast.expr) -> None:
        super().__init__()
        self.value = value
        self.result: Value | None = None


PURE = (
    ast.Name, ast.Constant, ast.Attribute, ast.BinOp, ast.UnaryOp, ast.Compare, ast.BoolOp, ast.IfExp, Kept,
    ast.expr_context, ast.operator, ast.unaryop, ast.cmpop, ast.boolop,
)  # fmt: skip


class Conditions(Arrays):
    """Expressions, and conditions among them."""

    def only_computes(self, node: ast.expr) -> bool:
        """Does evaluating it read no array and call nothing?"""
        return all(isinstance(part, PURE) and not self._reads_field(part) for part in ast.walk(node))

    def _reads_field(self, node: ast.AST) -> bool:
        """`record.x` reads memory; `array.shape` and `math.pi` do not."""
        if not isinstance(node, ast.Attribute) or node.attr in ATTRIBUTES:
            return False
        owner = node.value
        while isinstance(owner, ast.Attribute):
            owner = owner.value
        return isinstance(owner, ast.Name) and isinstance(self.scope.values.get(owner.id), Item | View)

    def compare(self, operator_: ast.cmpop, left: Operand, right: Operand, node: ast.AST) -> Operand:
        """One comparison, in the type that holds both sides."""
        opcode, span = python_types.COMPARISONS[type(operator_)], self.scope.span(node)
        if (left.type.is_complex or right.type.is_complex) and opcode not in (Opcode.EQ, Opcode.NE):
            raise KernelTypeError(
                f"{opcode.mnemonic} does not take {left.type} and {right.type}", span, "compare abs(…)"
            )
        if left.type.is_integer and right.type.is_integer and left.type.kind != right.type.kind:
            left, right = self._signed(left, span), self._signed(right, span)
            if U64 in (left.type, right.type):
                return self._compare_signs(opcode, left, right, span)
        type_ = python_types.unify(left.type, right.type)
        if isinstance(left, Constant) and isinstance(right, Constant):
            return Constant(bool(python_constants.RELATIONS[opcode](left.value, right.value)), PRED)
        operands = (self.convert(left, type_, span), self.convert(right, type_, span))
        return self.builder.value(opcode, type_, operands, span, result=PRED)

    def _signed(self, value: Operand, span: Span) -> Operand:
        """Any integer but u64 fits s64."""
        return value if value.type is U64 else self.convert(value, S64, span)

    def _compare_signs(self, opcode: Opcode, left: Operand, right: Operand, span: Span) -> Operand:
        """s64 with u64, exactly: numbers of 2^63 and more, which look negative as s64, exceed every s64."""
        if left.type is U64:
            opcode, left, right = MIRRORED[opcode], right, left
        large = self.convert(right, S64, span)
        join = Opcode.AND if opcode in (Opcode.EQ, Opcode.GT, Opcode.GE) else Opcode.OR
        sign = Opcode.GE if join is Opcode.AND else Opcode.LT
        in_range = self.builder.value(sign, S64, (large, Constant(0, S64)), span, result=PRED)
        compared = self.builder.value(opcode, S64, (left, large), span, result=PRED)
        return self.builder.value(join, PRED, (in_range, compared), span)

    def _Compare(self, node: ast.Compare, _into: Register | None) -> Value:
        if len(node.ops) > 1:
            return self.value(_unchained(node))
        return self._related(node.ops[0], self.value(node.left), self.value(node.comparators[0]), node)

    def _related(self, operator_: ast.cmpop, left: Value, right: Value, node: ast.Compare) -> Operand:
        """One comparison of any two values: numbers lane by lane, Python objects while compiling."""
        opcode = python_types.COMPARISONS.get(type(operator_))
        tuples = [isinstance(side, tuple) and not isinstance(side, VectorValue) for side in (left, right)]
        objects = isinstance(left, Static) and isinstance(right, Static)
        if isinstance(operator_, ast.Is | ast.IsNot) and (objects or Static(None) in (left, right)):
            return Constant((left == right) is isinstance(operator_, ast.Is), PRED)
        if isinstance(operator_, ast.In | ast.NotIn) and tuples[1]:
            assert isinstance(right, tuple)
            found: Operand = Constant(False, PRED)
            for item in right:
                found = self._joined(Opcode.OR, found, self._related(ast.Eq(), left, item, node), node)
            return found if isinstance(operator_, ast.In) else self._negated(found, node)
        if isinstance(operator_, ast.In | ast.NotIn):
            raise self.unsupported(node, "compare element by element, in a loop", "`in` but for a tuple")
        if opcode is None:
            spelled = type(operator_).__name__.replace("Not", "not ").lower().replace("isnot", "is not")
            raise self.unsupported(node, "compare numbers with == != < <= > >=", f"`{spelled}`")
        if all(tuples):
            assert isinstance(left, tuple)
            assert isinstance(right, tuple)
            return self._compared_in_order(operator_, left, right, node)
        if objects and opcode in (Opcode.EQ, Opcode.NE):
            return Constant((left == right) is (opcode is Opcode.EQ), PRED)
        return self.compare(operator_, self.number(left, node), self.number(right, node), node)

    def _compared_in_order(
        self, operator_: ast.cmpop, left: tuple[Any, ...], right: tuple[Any, ...], node: ast.Compare
    ) -> Operand:
        """Tuples compare by the first items that differ, or else by their lengths."""
        opcode = python_types.COMPARISONS[type(operator_)]
        result: Operand = Constant(python_constants.RELATIONS[opcode](len(left), len(right)), PRED)
        if opcode in (Opcode.EQ, Opcode.NE) and len(left) != len(right):
            return result
        for one, other in reversed(list(zip(left, right, strict=False))):
            if opcode is not Opcode.EQ:
                strictly = STRICT.get(type(operator_), operator_)
                decided = self._related(strictly, one, other, node)
            if opcode is not Opcode.NE:
                same = self._related(ast.Eq(), one, other, node)
                result = self._joined(Opcode.AND, same, result, node)
            if opcode is not Opcode.EQ:
                result = self._joined(Opcode.OR, decided, result, node)
        return result

    def _joined(self, opcode: Opcode, one: Operand, other: Operand, node: ast.AST) -> Operand:
        """`one and other`, or `one or other`, of two predicates."""
        for flag, rest in ((one, other), (other, one)):
            if isinstance(flag, Constant):
                return flag if flag.value is (opcode is Opcode.OR) else rest
        return self.builder.value(opcode, PRED, (one, other), self.scope.span(node))

    def _negated(self, flag: Operand, node: ast.AST) -> Operand:
        if isinstance(flag, Constant):
            return Constant(not flag.value, PRED)
        return self.builder.value(Opcode.NOT, PRED, (flag,), self.scope.span(node))

    def _Kept(self, node: Kept, _into: Register | None) -> Value:
        if node.result is None:
            node.result = self.value(node.value)
        return node.result

    # what is decided while compiling ----------------------------------------------------------------------

    def known(self, node: ast.expr) -> bool | None:
        """The truth of a condition in which no thread has a say, like `scale is None`; else None."""
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            inner = self.known(node.operand)
            return None if inner is None else not inner
        if isinstance(node, ast.BoolOp):
            rest = self._undecided(node)
            return self.known(rest[0]) if len(rest) == 1 else None
        held = self.scope.values.get(node.id) if isinstance(node, ast.Name) else None
        if isinstance(held, tuple):
            return bool(held)
        if not self._is_static(node):
            return None
        value = self.value(node)
        if isinstance(value, Static):
            return bool(value.object)
        return bool(value.value) if isinstance(value, Constant) else None

    def _is_static(self, node: ast.expr) -> bool:
        """Do only constants and objects from outside decide? Then evaluating it makes no instruction."""
        match node:
            case ast.Constant():
                return True
            case ast.Name(id=name) if name in self.scope.assigned:
                return isinstance(self.scope.values.get(name), Constant | Static)
            case ast.Name(id=name):
                return self.scope.knows(name) and not isinstance(self.scope.free(name), Special)
            case ast.Attribute(value=ast.Name(id=name), attr="ndim"):
                return isinstance(self.scope.values.get(name), View)
            case ast.Attribute(value=owner, attr=attribute) if self._is_static(owner):
                value = self.value(owner)
                found = getattr(value.object, attribute, None) if isinstance(value, Static) else None
                return found is not None and not isinstance(found, Special)
            case ast.Compare(ops=[ast.Is() | ast.IsNot()], left=ast.Name() as left, comparators=[right]):
                known = left.id in self.scope.values if left.id in self.scope.assigned else True
                return known and isinstance(right, ast.Constant)
            case ast.Compare() | ast.UnaryOp() | ast.BinOp():
                parts = [part for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr)]
                return all(self._is_static(part) for part in parts)
        return False

    def _undecided(self, node: ast.BoolOp) -> list[ast.expr]:
        """The parts of `and` or `or` that matter: what is known to be neutral says nothing, what is known to
        decide is the last.
        """
        parts: list[ast.expr] = []
        for part in node.values[:-1]:
            known = self.known(part)
            if known is None:
                parts.append(part)
            elif known is isinstance(node.op, ast.Or):
                return [*parts, part]
        return [*parts, node.values[-1]]

    def _BoolOp(self, node: ast.BoolOp, _into: Register | None) -> Value:
        """`a or b` is a where a is true, else b."""
        parts = self._undecided(node)
        if len(parts) < len(node.values):
            rest = ast.copy_location(ast.BoolOp(op=node.op, values=parts), node)
            return self.value(parts[0] if len(parts) == 1 else rest)
        if all(self.only_computes(item) for item in node.values[1:]):
            return self._selected(node)
        span, join = self.scope.span(node), self.builder.label()
        result: Register | None = None
        for position, item in enumerate(node.values):
            value = self.scalar(item)
            type_ = self.settle(f"<{node.lineno}:{node.col_offset}>", value.type)
            result = result or self.builder.temporary(type_)
            self.move(value, result, span)
            if position < len(node.values) - 1:
                following, flag = self.builder.label(), self.truth(result, node)
                decided = (join, following) if isinstance(node.op, ast.Or) else (following, join)
                self._branch(flag, *decided, span)
                self.builder.place(following, span)
        self.builder.place(join, span)
        assert result is not None
        return result

    def _selected(self, node: ast.BoolOp) -> Operand:
        span, result = self.scope.span(node), self.scalar(node.values[0])
        for item in node.values[1:]:
            value, either = self.scalar(item), isinstance(node.op, ast.Or)
            if result.type is value.type is PRED:
                opcode = Opcode.OR if either else Opcode.AND
                result = self.builder.value(opcode, PRED, (result, value), span)
                continue
            flag = self.truth(result, node)
            result = self.select(flag, *((result, value) if either else (value, result)), span)
        return result

    def condition(self, node: ast.expr, then: int, otherwise: int) -> None:
        """Branch on an expression, with one branch for each part that must not always run."""
        known = self.known(node)
        if known is not None:
            self.builder.end(Jump(then if known else otherwise, self.scope.span(node)))
            return
        match node:
            case ast.BoolOp(op=op):
                undecided = self._undecided(node)
                if len(undecided) == 1:
                    self.condition(undecided[0], then, otherwise)
                    return
                *parts, last = self._parts(op, undecided)
                for part in parts:
                    following = self.builder.label()
                    decided = (following, otherwise) if isinstance(op, ast.And) else (then, following)
                    self.condition(part, *decided)
                    self.builder.place(following, self.scope.span(node))
                if parts or not isinstance(last, ast.BoolOp):
                    self.condition(last, then, otherwise)
                    return
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                self.condition(operand, otherwise, then)
                return
            case ast.Compare() if len(node.ops) > 1:
                self.condition(_unchained(node), then, otherwise)
                return
        self._branch(self.truth(self.scalar(node), node), then, otherwise, self.scope.span(node))

    def _parts(self, op: ast.boolop, values: list[ast.expr]) -> list[ast.expr]:
        """Operands of `and` or `or`, those that only compute joined to the one before them."""
        runs: list[list[ast.expr]] = []
        for value in values:
            if runs and self.only_computes(value):
                runs[-1].append(value)
            else:
                runs.append([value])
        return [
            run[0] if len(run) == 1 else ast.copy_location(ast.BoolOp(op=op, values=run), run[0])
            for run in runs
        ]

    def _branch(self, flag: Operand, then: int, otherwise: int, span: Span) -> None:
        if isinstance(flag, Constant):
            self.builder.end(Jump(then if flag.value else otherwise, span))
        else:
            self.builder.branch(flag, then, otherwise, span)

    def _IfExp(self, node: ast.IfExp, into: Register | None) -> Value:
        """`a if c else b`: a select where both sides are plain arithmetic, else a branch."""
        known = self.known(node.test)
        if known is not None:
            return self.value(node.body if known else node.orelse, into)
        span = self.scope.span(node)
        if self.only_computes(node.body) and self.only_computes(node.orelse):
            flag = self.truth(self.scalar(node.test), node)
            one, other = self.scalar(node.body), self.scalar(node.orelse)
            return self.select(flag, one, other, span, into)
        result: Register | None = None
        then, otherwise, join = (self.builder.label() for _ in range(3))
        self.condition(node.test, then, otherwise)
        for label, side in ((then, node.body), (otherwise, node.orelse)):
            self.builder.place(label, span)
            value = self.scalar(side)
            type_ = self.settle(f"<{node.lineno}:{node.col_offset}>", value.type)
            result = result or self.builder.temporary(type_)
            self.move(value, result, span)
            self.builder.end(Jump(join, span))
        self.builder.place(join, span)
        assert result is not None
        return result


def _unchained(node: ast.Compare) -> ast.BoolOp:
    """`a < b < c` as `a < b and b < c`, with b evaluated once."""
    *middle, last = node.comparators
    sides = [node.left, *(ast.copy_location(Kept(value), value) for value in middle), last]
    pairs = [
        ast.copy_location(ast.Compare(left=left, ops=[op], comparators=[right]), node)
        for left, op, right in zip(sides, node.ops, sides[1:], strict=False)
    ]
    return ast.copy_location(ast.BoolOp(op=ast.And(), values=list[ast.expr](pairs)), node)


STRICT: dict[type[ast.cmpop], ast.cmpop] = {ast.LtE: ast.Lt(), ast.GtE: ast.Gt()}
MIRRORED = {
    Opcode.EQ: Opcode.EQ,
    Opcode.NE: Opcode.NE,
    Opcode.LT: Opcode.GT,
    Opcode.LE: Opcode.GE,
    Opcode.GT: Opcode.LT,
    Opcode.GE: Opcode.LE,
}
