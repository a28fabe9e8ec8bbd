"""How do statements of CUDA C++ become basic blocks? One method a kind of statement."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from gpusim.frontends import flow
from gpusim.frontends.cuda_cpp import types
from gpusim.frontends.cuda_cpp.declarators import Auto, number_type
from gpusim.frontends.cuda_cpp.scope import Function, Scope
from gpusim.frontends.cuda_cpp.syntax import child_of
from gpusim.frontends.cuda_cpp.type_declarations import TypeDeclarations
from gpusim.frontends.cuda_cpp.types import Array, CType, Pointer, Reference, Struct, bare, is_const
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
)
from gpusim.ir.instructions import Constant, Jump
from gpusim.ir.types import S64
from gpusim.source import Span

if TYPE_CHECKING:
    from tree_sitter import Node

REFUSED = {
    "goto_statement": ("`goto`", "write a loop, or `break` and `continue`"),
    "labeled_statement": ("a label", "write a loop, or `break` and `continue`"),
    "try_statement": ("`try`", "GPUs have no exceptions"),
    "throw_statement": ("`throw`", "GPUs have no exceptions; write a flag for the host"),
    "co_return_statement": ("`co_return`", "kernels do not suspend"),
    "seh_try_statement": ("`__try`", "GPUs have no exceptions"),
}
IGNORED = ("comment", "empty_statement", "attribute_declaration", "preproc_call", "access_specifier")


class Statements(TypeDeclarations):
    """Statements of a kernel, or of a function lowered into one."""

    def body(self, function: Function) -> Result:
        """The body of a called function, up to where it leaves; what it returns."""
        frame, block, result = self.frame, function.body, function.result
        assert block is not None
        span = self.span(block)
        statements = [child for child in block.named_children if child.type not in IGNORED]
        frame.single = bool(statements) and statements[-1].type == "return_statement" and _returns(block) == 1

        def lower() -> None:
            for statement in statements:
                self.statement(statement)

        flow.inlined(self.site(span), lower)
        if not _returns(block) and not isinstance(bare(result), types.Void | Auto):
            hint = "return a value"
            raise self.wrong(f"`{function.name}` returns nothing, and should return `{result}`", block, hint)
        if frame.result is None:
            return VoidValue(types.VOID)
        if frame.single:
            single: Result = frame.result
            return single
        return self.read(frame.result, span)

    def statement(self, node: Node) -> None:
        """Lower one statement. What cannot be reached is checked, and makes no instruction."""
        if node.type in IGNORED:
            return
        self.at = self.span(node)
        method = getattr(self, f"_{node.type}", None)
        if method is None or not node.type.endswith(
            ("statement", "declaration", "definition", "specifier", "loop")
        ):
            what, hint = REFUSED.get(node.type, (f"`{self.text(node)[:40]}`", ""))
            raise self.refused(what, node, hint)
        method(node)

    def scoped(self, node: Node | None) -> None:
        """A statement with names of its own."""
        if node is None:
            return
        self.scope = Scope(self.scope)
        self.statement(node)
        assert self.scope.outer is not None
        self.scope = self.scope.outer

    def _compound_statement(self, node: Node) -> None:
        self.scope = Scope(self.scope)
        for child in node.named_children:
            self.statement(child)
        assert self.scope.outer is not None
        self.scope = self.scope.outer

    def _expression_statement(self, node: Node) -> None:
        for child in node.named_children:
            if child.type != "comment":
                self.discard(child)

    # branches ---------------------------------------------------------------------------------------------

    def _clause(self, node: Node) -> Node:
        """What stands in the parentheses; a declaration there is made."""
        clause = child_of(node, "condition")
        initializer = clause.child_by_field_name("initializer")
        if initializer is not None:
            for child in initializer.named_children:
                if child.type.endswith("declaration"):
                    self.statement(child)
                else:
                    self.discard(child)
        value = clause.child_by_field_name("value")
        if value is None:
            value = next(child for child in clause.named_children if child.type != "comment")
        return value

    def _branch_on(self, node: Node, then: int, otherwise: int) -> None:
        """Branch on a condition, which may declare a variable."""
        if node.type == "declaration":
            place = self._declare_one(child_of(node, "declarator"), self.specified(node), node, node)
            self.branch(self.truth(self.read(place, self.at), node), then, otherwise, self.span(node))
        else:
            self.condition(node, then, otherwise)

    def _if_statement(self, node: Node) -> None:
        span = self.span(node)
        alternative = node.child_by_field_name("alternative")
        self.scope = Scope(self.scope)
        test = self._clause(node)
        if any(child.type == "constexpr" for child in node.children):
            chosen = child_of(node, "consequence") if self.constant(test) else alternative
            if chosen is not None:
                self.scoped(chosen.named_children[-1] if chosen.type == "else_clause" else chosen)
            self.scope = self.scope.outer or self.scope
            return
        sides = []
        for side in (child_of(node, "consequence"), alternative):
            if side is not None:
                body = side.named_children[-1] if side.type == "else_clause" else side
                sides.append(flow.Side(partial(self.scoped, body), self.span(body)))
        flow.choose(self.site(span), partial(self._branch_on, test), sides)
        self.scope = self.scope.outer or self.scope

    def _while_statement(self, node: Node) -> None:
        self.scope = Scope(self.scope)
        started = child_of(node, "condition").child_by_field_name("initializer")
        if started is not None:
            raise self.wrong("`while` takes one condition", started, "`for` has a part that runs before")
        self._loop(node, lambda then, otherwise: self._branch_on(self._clause(node), then, otherwise))
        self.scope = self.scope.outer or self.scope

    def _loop(self, node: Node, test: flow.Test, step: flow.Part | None = None) -> None:
        """A loop over the body of a statement."""
        body = partial(self.scoped, child_of(node, "body"))
        flow.loop(self.site(self.span(node)), test, body, step)

    def _do_statement(self, node: Node) -> None:
        inside, test, after = (self.builder.label() for _ in range(3))
        self.builder.place(inside, self.span(child_of(node, "body")))
        with self.frame.exits.looping(after, test, join=test):
            self.scoped(child_of(node, "body"))
        span = self.span(child_of(node, "condition"))
        self.builder.place(test, span)
        self.condition(child_of(node, "condition"), inside, after)
        self.builder.place(after, span)

    def _for_statement(self, node: Node) -> None:
        self.scope = Scope(self.scope)
        initializer, test = (node.child_by_field_name(field) for field in ("initializer", "condition"))
        if initializer is not None:
            if initializer.type == "declaration":
                self.statement(initializer)
            else:
                self.discard(initializer)
        update = node.child_by_field_name("update")

        def more(inside: int, exhausted: int) -> None:
            if test is not None:
                self._branch_on(test, inside, exhausted)

        self._loop(node, more, lambda: None if update is None else self.discard(update))
        self.scope = self.scope.outer or self.scope

    def _for_range_loop(self, node: Node) -> None:
        """`for (auto& item : array)`: over an array of known length."""
        span = self.span(node)
        over = self.evaluate(child_of(node, "right"))
        array = bare(over.type or types.VOID)
        if isinstance(array, Struct) and "begin" in array.members and "end" in array.members:
            self._for_pointers(node, over)
            return
        if not isinstance(array, Array) or not isinstance(over, MemoryPlace):
            raise self.wrong(
                f"`{over.type}` has no length to loop over", node, "loop over an array, or count"
            )
        self.scope = Scope(self.scope)
        counter = self.builder.temporary(S64)
        self.builder.hold(counter)

        def body() -> None:
            first = PointerValue(Pointer(array.element), over.address)
            self._declare_item(node, MemoryPlace(array.element, self.advanced(first, counter, node)))
            self.scoped(child_of(node, "body"))

        length = Constant(array.length, S64)
        flow.counted(self.site(span), counter, length, body)
        self.scope = self.scope.outer or self.scope

    def _for_pointers(self, node: Node, over: Result) -> None:
        """`for (auto item : range)`: from what begin() gives to what end() gives."""
        span = self.span(node)
        limits = []
        for name in ("begin", "end"):
            called = self.member(over, name, node)
            assert isinstance(called, FunctionValue)
            limit = self.read(self.call(called, [], node), span)
            if not isinstance(limit, PointerValue):
                raise self.refused(f"a range whose {name}() gives no pointer", node, "count with an index")
            limits.append(limit)
        self.scope = Scope(self.scope)
        place = self.variable("item", limits[0].type, (self.frame.path, node.start_byte, "pointer"))
        self.write(place, limits[0], span)

        def test(inside: int, exhausted: int) -> None:
            item = self.builder.label()
            more = self.binary("!=", self.read(place, span), limits[1], node)
            self.branch(self.truth(more, node), item, exhausted, span)
            self.builder.place(item, span)
            pointer = self.read(place, span)
            assert isinstance(pointer, PointerValue)
            self._declare_item(node, self.pointee(pointer, node))

        def step() -> None:
            one = NumberValue(types.INT, Constant(1, types.INT.scalar))
            self.write(place, self.binary("+", self.read(place, span), one, node), span)

        self._loop(node, test, step)
        self.scope = self.scope.outer or self.scope

    def _declare_item(self, node: Node, item: Place) -> None:
        """The variable of a range-based for."""
        span, type_ = self.span(node), item.type
        declared = self.declared(child_of(node, "declarator"), self.specified(node))
        if isinstance(declared.type, Reference):
            self.scope.names[declared.name] = item
            return
        wanted = bare(type_) if isinstance(bare(declared.type), Auto) else bare(declared.type)
        place = self.variable(declared.name, wanted, (self.frame.path, node.start_byte))
        self.write(place, self.converted(self.read(item, span), wanted, node), span)
        self.scope.names[declared.name] = place

    def _switch_statement(self, node: Node) -> None:
        """A chain of comparisons, then the cases in order: one falls through to the next."""
        self.scope = Scope(self.scope)
        test = self._clause(node)
        if test.type == "declaration":
            raise self.refused("a declaration in a switch", test, "declare it before")
        value, span = self.value(test), self.span(test)
        if isinstance(value, StructValue):
            value = self.converted(value, types.INT, test)
        kind = number_type(value.type or types.VOID)
        if isinstance(bare(value.type or types.VOID), types.Enumeration):
            kind = bare(value.type or types.VOID).underlying  # type: ignore[attr-defined]
        if not isinstance(value, NumberValue) or kind is None or not kind.is_integer:
            raise self.wrong(f"`switch` takes an integer, not `{value.type}`", test)
        type_ = types.promoted(kind)
        operand = self.cast(value.operand, type_.scalar, span)
        self.builder.hold(operand)
        operand = self.copied(operand)
        body, after = child_of(node, "body"), self.builder.label()
        cases = [child for child in body.named_children if child.type == "case_statement"]
        labels = {case.id: self.builder.label() for case in cases}
        default, seen = after, set[Any]()
        for case in cases:
            wanted = case.child_by_field_name("value")
            if wanted is None:
                if default != after:
                    raise self.wrong("a second `default`", case, "a switch has one")
                default = labels[case.id]
                continue
            place = self.span(case)
            number = self.cast(Constant(self.constant(wanted), types.LONG.scalar), type_.scalar, place)
            assert isinstance(number, Constant)
            if number.value in seen:
                raise self.wrong(f"`case {self.text(wanted)}` stands here twice", case)
            seen.add(number.value)
            following = self.builder.label()
            flag = self.compared("==", operand, number, place)
            self.branch(flag.operand, labels[case.id], following, place)
            self.builder.place(following, place)
        self.builder.end(Jump(default, span))
        exits = self.frame.exits
        around = exits.loops[-1][1] if exits.loops else None
        with exits.looping(after, around, join=after):
            self.scope = Scope(self.scope)
            for child in body.named_children:
                if child.type == "case_statement":
                    self.builder.place(labels[child.id], self.span(child))
                    wanted = child.child_by_field_name("value")
                    for inner in child.named_children:
                        if wanted is None or inner.id != wanted.id:
                            self.statement(inner)
                else:
                    self.statement(child)
        assert self.scope.outer is not None
        self.scope = self.scope.outer.outer or self.scope.outer
        self.builder.place(after, span)

    def _case_statement(self, node: Node) -> None:
        raise self.refused(
            "a `case` outside of its switch, or inside another statement",
            node,
            "put it directly in the switch",
        )

    def _break_statement(self, node: Node) -> None:
        if not self.frame.exits.loops:
            raise self.wrong("`break` outside of a loop or switch", node)
        self.builder.end(Jump(self.frame.exits.loops[-1][0], self.span(node)))

    def _continue_statement(self, node: Node) -> None:
        loops = self.frame.exits.loops
        target = loops[-1][1] if loops else None
        if target is None:
            raise self.wrong("`continue` outside of a loop", node)
        self.builder.end(Jump(target, self.span(node)))

    def _return_statement(self, node: Node) -> None:
        span, frame = self.span(node), self.frame
        value = next((child for child in node.named_children if child.type != "comment"), None)
        wanted = frame.result_type
        if isinstance(wanted, types.Void):
            if value is not None:
                given = self.evaluate(value)
                if not isinstance(given, VoidValue):
                    what = "a kernel" if frame.exits.leave is None else f"`{frame.source.name}`"
                    raise self.wrong(f"{what} returns nothing", node, "write the result through a pointer")
        elif value is None:
            raise self.wrong(f"a value of type `{wanted}` is to be returned", node)
        else:
            self._give_back(value, wanted, node)
        if not frame.single:
            flow.returned(self.site(span))

    def _give_back(self, node: Node, wanted: CType, statement: Node) -> None:
        """The result of a called function."""
        frame, span = self.frame, self.span(statement)
        if isinstance(wanted, Reference):
            place = (
                self.evaluate(node) if is_const(wanted.target) else self.place(node, "returned by reference")
            )
            if not frame.single and frame.result not in (None, place):
                raise self.refused("a reference from several `return`s", statement, "return a pointer")
            frame.result = place
            return
        if node.type == "initializer_list":
            value: Value = self.listed(wanted, node)
        else:
            value = self.value(node)
            if isinstance(bare(wanted), Auto):
                wanted = bare(value.type or types.VOID)
            value = self.converted(value, wanted, node, what="be returned as")
        if frame.single:
            frame.result = value
            return
        if frame.result is None:
            frame.result = self.variable("result", bare(wanted), (frame.path, "result"))
        self.write(frame.result, value, span)

    # declarations -----------------------------------------------------------------------------------------

    def closing(self, body: Node) -> Span:
        """Where the brace at the end of a body stands."""
        place = self.tree.end(body)
        return Span(self.frame.source, place.line, place.column, self.frame.caller)

    # types and names --------------------------------------------------------------------------------------


def _returns(node: Node) -> int:
    """How many `return`s stand in a body?"""
    if node.type == "return_statement":
        return 1
    return sum(_returns(child) for child in node.named_children if child.type != "lambda_expression")
