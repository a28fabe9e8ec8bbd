"""How does a condition become predicates, selects and branches? `&&`, `||`, `a ? b : c`.

As in the Python front-end: where the later parts only compute, they are computed anyway and combined as
predicates, as compilers do. A part that reads memory, calls or assigns takes a branch, and that can diverge.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from gpusim.frontends import flow, fold
from gpusim.frontends.cuda_cpp import types
from gpusim.frontends.cuda_cpp.declarators import number_type
from gpusim.frontends.cuda_cpp.operators import Operators
from gpusim.frontends.cuda_cpp.scope import Member, Symbol
from gpusim.frontends.cuda_cpp.types import BOOL, VOID, CType, Pointer, Struct, bare
from gpusim.frontends.cuda_cpp.values import (
    FunctionValue,
    MemoryPlace,
    NumberValue,
    Place,
    PointerValue,
    Result,
    StructValue,
    Value,
    VoidValue,
    is_place,
)
from gpusim.ir.instructions import Constant, Opcode, Operand
from gpusim.ir.types import PRED
from gpusim.source import Span

if TYPE_CHECKING:
    from tree_sitter import Node

PURE = (
    "identifier", "number_literal", "string_literal", "char_literal", "true", "false", "null",
    "binary_expression",
    "unary_expression", "parenthesized_expression", "conditional_expression", "cast_expression",
    "field_expression", "field_identifier", "type_descriptor", "primitive_type", "sized_type_specifier",
    "type_identifier", "sizeof_expression", "qualified_identifier", "namespace_identifier", "type_qualifier",
)  # fmt: skip
CASTS = ("static_cast", "reinterpret_cast", "const_cast", "unsigned", "signed", "long", "short")
NEGATION = ("!", "not")
CONJUNCTION = ("&&", "and")


class Conditions(Operators):
    """Expressions that decide what runs."""

    def only_computes(self, node: Node) -> bool:
        """Does evaluating it read no memory, call nothing and change nothing?"""
        if node.type not in PURE:
            return False
        if node.type == "identifier":
            found = self.scope.find(self.text(node))
            if isinstance(found, Member):
                found = self.scope.object()
            return not isinstance(found, MemoryPlace | Symbol)
        if (
            node.type == "field_expression"
            and self.text(node.child_by_field_name("operator") or node) == "->"
        ):
            return False
        return all(self.only_computes(child) for child in node.named_children)

    def condition_value(self, node: Node) -> Operand:
        """The truth of an expression."""
        return self.truth(self.value(node), node)

    def logical(self, node: Node) -> Value:
        """`a && b`, `a || b`: the later part runs where the first does not decide."""
        left, right = _sides(node)
        conjunction = self.text(_operator(node)) in CONJUNCTION
        span, first = self.span(node), self.condition_value(left)
        if isinstance(first, Constant):
            if first.value is not conjunction:
                self._checked_only(right)
                return NumberValue(BOOL, first)
            return NumberValue(BOOL, self.condition_value(right))
        if self.only_computes(right):
            opcode, second = Opcode.AND if conjunction else Opcode.OR, self.condition_value(right)
            return NumberValue(BOOL, fold.joined(self.site(span), opcode, first, second))
        result = self.builder.temporary(PRED)
        self.builder.hold(result, first)

        def put(flag: Operand) -> None:
            fold.move(self.site(span), flag, result)

        puts = [lambda: put(first), lambda: put(self.condition_value(right))]
        flow.in_turn(self.site(span), conjunction, puts, lambda: result)
        return NumberValue(BOOL, result)

    def _checked_only(self, node: Node) -> None:
        """An expression that never runs must be right all the same."""
        around, self.builder = self.builder, type(self.builder)(self.builder.name, self.builder.source)
        self.condition_value(node)
        self.builder = around

    def condition(self, node: Node, then: int, otherwise: int) -> None:
        """Branch on an expression, with one branch for each part that must not always run."""
        while node.type in ("parenthesized_expression", "condition_clause"):
            node = next(child for child in node.named_children if child.type != "comment")
        span = self.span(node)
        if node.type == "unary_expression" and self.text(_operator(node)) in NEGATION:
            argument = node.child_by_field_name("argument")
            assert argument is not None
            if not self._is_object(argument):
                self.condition(argument, otherwise, then)
                return
        if node.type == "binary_expression" and self.text(_operator(node)) in ("&&", "||", "and", "or"):
            conjunction = self.text(_operator(node)) in CONJUNCTION
            runs = flow.runs(self._operands(node, conjunction), self.only_computes)
            tests = [partial(self._run, run, conjunction, span) for run in runs]
            flow.short_circuit(self.site(span), conjunction, tests, then, otherwise)
            return
        self.branch(self.condition_value(node), then, otherwise, span)

    def _is_object(self, node: Node) -> bool:
        if node.type != "identifier":
            return False
        found = self.scope.find(self.text(node))
        return isinstance(bare(getattr(found, "type", None) or VOID), Struct)

    def _run(self, run: list[Node], conjunction: bool, span: Span, then: int, otherwise: int) -> None:
        """Branch on operands that are evaluated together."""
        if len(run) == 1:
            self.condition(run[0], then, otherwise)
            return
        flag: Operand = Constant(conjunction, PRED)
        for node in run:
            opcode, part = Opcode.AND if conjunction else Opcode.OR, self.condition_value(node)
            flag = fold.joined(self.site(span), opcode, flag, part)
        self.branch(flag, then, otherwise, span)

    def _operands(self, node: Node, conjunction: bool) -> list[Node]:
        while node.type == "parenthesized_expression":
            node = next(child for child in node.named_children if child.type != "comment")
        if node.type == "binary_expression":
            sign = self.text(_operator(node))
            if sign in ("&&", "||", "and", "or") and (sign in CONJUNCTION) is conjunction:
                left, right = _sides(node)
                return [*self._operands(left, conjunction), *self._operands(right, conjunction)]
        return [node]

    def branch(self, flag: Operand, then: int, otherwise: int, span: Span) -> None:
        """Close the block; a known condition jumps."""
        flow.branch(self.site(span), flag, then, otherwise)

    # a ? b : c --------------------------------------------------------------------------------------------

    def _conditional_expression(self, node: Node) -> Result:
        test, one, other = (
            node.child_by_field_name(field) for field in ("condition", "consequence", "alternative")
        )
        assert test is not None
        assert other is not None
        if one is None:
            raise self.refused("`a ?: b`", node, "write `a ? a : b`")
        span = self.span(node)
        if self.only_computes(test):
            flag = self.condition_value(test)
            if isinstance(flag, Constant):
                chosen, left_out = (one, other) if flag.value else (other, one)
                result = self.evaluate(chosen)
                if not self._can_end(left_out):
                    return result
                rest = self._aside(left_out)
                if bare(result.type or VOID) == bare(rest.type or VOID):
                    return result
                value = self.read(result, span)
                return self.converted(value, self._joined_type(value, rest, node), node)
            if self.only_computes(one) and self.only_computes(other):
                return self._selected(flag, one, other, node)
        elif self.only_computes(one) and self.only_computes(other):
            return self._selected(self.condition_value(test), one, other, node)
        else:
            flag = None
        type_: CType = VOID
        place: Place | None = None

        def choose(then: int, otherwise: int) -> None:
            nonlocal type_, place
            if flag is None:
                self.condition(test, then, otherwise)
            else:
                self.branch(flag, then, otherwise, span)
            type_ = self._common_type(one, other, node)
            if not isinstance(bare(type_), types.Void):
                place = self.variable("?", bare(type_), (self.frame.path, node.start_byte, "?"))

        def put(side: Node) -> None:
            value = self.value(side)
            if place is not None:
                self.write(place, self.converted(value, type_, side), span)

        sides = [flow.Side(partial(put, side), span) for side in (one, other)]
        flow.choose(self.site(span), choose, sides)
        return VoidValue(VOID) if place is None else self.read(place, span)

    def chosen_place(self, node: Node) -> Result:
        """`(a ? b : c) = d`: one of two objects, by its address."""
        test, one, other = (
            node.child_by_field_name(field) for field in ("condition", "consequence", "alternative")
        )
        assert test is not None
        assert one is not None
        assert other is not None
        flag = self.condition_value(test)
        sides = [self.evaluate(side) for side in (one, other)]
        types_ = [bare(side.type or VOID) for side in sides]
        if not all(map(is_place, sides)) or types_[0] != types_[1]:
            return VoidValue(VOID)
        pointers = [self.address_of(side, node) for side in sides]  # type: ignore[arg-type]
        address = self._selected_address(flag, pointers[0], pointers[1], self.span(node))
        return MemoryPlace(sides[0].type or VOID, address)

    def address_of(self, place: Place, node: Node) -> PointerValue:
        """A pointer to an object; see `Expressions`."""
        raise NotImplementedError

    def _can_end(self, node: Node) -> bool:
        """May the side of a known condition that never runs be looked at? It could call itself for ever."""
        called = [child.children[0] for child in _all(node) if child.type == "call_expression"]
        return all(
            function.type in ("primitive_type", "sized_type_specifier")
            or self.text(function).partition("<")[0] in CASTS
            for function in called
        )

    def type_of(self, node: Node) -> CType:
        """The type of an expression; see `Expressions`."""
        raise NotImplementedError

    def _selected(self, flag: Operand, one: Node, other: Node, node: Node) -> Result:
        """Both sides are computed, and one is taken."""
        span = self.span(node)
        self.builder.hold(flag)
        sides = [self.evaluate(side) for side in (one, other)]
        values = [self.pointed(self.read(side, span)) for side in sides]
        type_ = self._joined_type(values[0], values[1], node)
        values = [self.converted(value, type_, node) for value in values]
        return self._selected_value(flag, values[0], values[1], node)

    def _selected_value(self, flag: Operand, one: Value, other: Value, node: Node) -> Value:
        span = self.span(node)
        if isinstance(one, NumberValue) and isinstance(other, NumberValue):
            return NumberValue(one.type, self.select(flag, one.operand, other.operand, span))
        if isinstance(one, StructValue) and isinstance(other, StructValue):
            pairs = zip(one.leaves, other.leaves, strict=True)
            parts = tuple(self._selected_value(flag, *pair, node) for pair in pairs)
            return StructValue(one.type, parts)  # type: ignore[arg-type]
        if isinstance(one, PointerValue) and isinstance(other, PointerValue):
            return PointerValue(one.type, self._selected_address(flag, one, other, span))
        raise self.wrong(f"`? :` does not take {one.type} and {other.type}", node)

    def _selected_address(self, flag: Operand, one: PointerValue, other: PointerValue, span: Span) -> Any:
        same = one.address.region is other.address.region and one.address.region is not None
        unit = one.type.target.size
        if same and not is_place(one.address.region):  # type: ignore[arg-type]
            numbers = [self.scaled(side.address, unit, span) for side in (one, other)]
            if None not in numbers:
                first, second = (self.cast(n, types.LONG.scalar, span) for n in numbers if n is not None)
                index = self.select(flag, first, second, span)
                return type(one.address)(one.address.region, ((index, unit),))
        first, second = (self.as_number(side.address, span) for side in (one, other))
        return type(one.address)(None, ((self.select(flag, first, second, span), 1),))

    def _common_type(self, one: Node, other: Node, node: Node) -> CType:
        """The type of `c ? one : other` before either side has run: found once, for sides may nest."""
        key = self.frame.path, node.start_byte, node.end_byte
        if key not in self.joined:
            self.joined[key] = self._joined_type(self._aside(one), self._aside(other), node)
        return self.joined[key]

    def _aside(self, node: Node) -> Value:
        """What an expression would give; nothing of it runs."""
        around, self.builder = self.builder, type(self.builder)(self.builder.name, self.builder.source)
        try:
            return self.value(node)
        finally:
            self.builder = around

    def _joined_type(self, one: Value, other: Value, node: Node) -> CType:
        """The type that holds both, C++17 [expr.cond]."""
        if isinstance(one, FunctionValue) or isinstance(other, FunctionValue):
            one, other = (self.decayed(side, node) for side in (one, other))
        kinds = [bare(side.type or VOID) for side in (one, other)]
        if kinds[0] == kinds[1]:
            return kinds[0]
        numbers = [number_type(kind) for kind in kinds]
        if numbers[0] is not None and numbers[1] is not None:
            return types.common(numbers[0], numbers[1])
        tried = [(kinds[0], other), (kinds[1], one)]
        if kinds[0] == types.NULLPTR:
            tried.reverse()
        for kind, value in tried:
            if isinstance(kind, Pointer | Struct) and self.rank(value, kind) is not None:
                return kind
        raise self.wrong(
            f"`? :` has `{one.type}` on one side and `{other.type}` on the other", node, "cast one of them"
        )


def _operator(node: Node) -> Node:
    found = node.child_by_field_name("operator")
    assert found is not None
    return found


def _sides(node: Node) -> tuple[Node, Node]:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    assert left is not None
    assert right is not None
    return left, right


def _all(node: Node) -> list[Node]:
    return [node, *(inner for child in node.named_children for inner in _all(child))]
