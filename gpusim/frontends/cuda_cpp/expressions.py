"""How does an expression become instructions? One method a kind of syntax, found by its name there."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from gpusim.frontends.cuda_cpp import types
from gpusim.frontends.cuda_cpp.casts import Casts
from gpusim.frontends.cuda_cpp.constant_evaluation import evaluated
from gpusim.frontends.cuda_cpp.literals import literal, unescaped
from gpusim.frontends.cuda_cpp.syntax import child_of, inner_of
from gpusim.frontends.cuda_cpp.types import (
    BOOL,
    CHAR,
    INT,
    Array,
    FunctionType,
    Pointer,
    Struct,
    bare,
    is_const,
)
from gpusim.frontends.cuda_cpp.values import (
    NULL,
    FunctionValue,
    MemoryPlace,
    NumberValue,
    Place,
    PointerValue,
    RegisterPlace,
    Result,
    StructPlace,
    StructValue,
    TextValue,
    Value,
    is_place,
)
from gpusim.ir.builder import Builder
from gpusim.ir.instructions import Constant, Operand, Register
from gpusim.ir.types import PRED, S32

if TYPE_CHECKING:
    from tree_sitter import Node

# names of special registers -> their PTX names
CASTS = ("static_cast", "reinterpret_cast", "const_cast")
REFUSED = {
    "lambda_expression": ("a lambda", "write a `__device__` function"),
    "new_expression": ("`new`", "declare an array, or pass memory from the host"),
    "delete_expression": ("`delete`", "declare an array, or pass memory from the host"),
    "throw_expression": ("`throw`", "GPUs have no exceptions; write a flag for the host"),
    "gnu_asm_expression": ("inline assembly", "use an intrinsic; there is no PTX here"),
    "co_await_expression": ("`co_await`", "kernels do not suspend"),
    "co_yield_statement": ("`co_yield`", "kernels do not suspend"),
    "user_defined_literal": ("a user-defined literal", "write the number with a suffix of C++"),
    "fold_expression": ("a fold expression", "write the operands out"),
    "parameter_pack_expansion": ("a parameter pack", "write the parameters out"),
    "requires_expression": ("`requires`", "write an overload for each type"),
    "generic_expression": ("`_Generic`", "write an overload for each type"),
}


class Expressions(Casts):
    """Expressions: places where they name an object, else values."""

    def value(self, node: Node) -> Value:
        """The value of an expression; arrays become pointers."""
        return self.read(self.evaluate(node), self.span(node))

    def evaluate(self, node: Node) -> Result:
        """The place or the value that an expression stands for."""
        method = getattr(self, f"_{node.type}", None)
        self.at = self.span(node)
        if method is None or not node.is_named:
            what, hint = REFUSED.get(node.type, (f"`{self.text(node)[:40]}`", ""))
            raise self.refused(what, node, hint)
        result: Result = method(node)
        return result

    def place(self, node: Node, doing: str) -> Place:
        """Insist that an expression names an object."""
        inner = node
        while inner.type == "parenthesized_expression":
            inner = inner_of(inner)
        result = self.chosen_place(inner) if inner.type == "conditional_expression" else self.evaluate(inner)
        if not is_place(result):
            constant = inner.type == "identifier" and isinstance(result, NumberValue)
            what = "const" if constant else "a value"
            raise self.wrong(f"`{self.text(node)}` is {what}: it cannot be {doing}", node)
        return result  # type: ignore[return-value]

    def discard(self, node: Node) -> None:
        """Evaluate for the effects only."""
        match node.type:
            case "update_expression":
                self._update(node, wanted=False)
            case "comma_expression":
                for side in ("left", "right"):
                    self.discard(child_of(node, side))
            case "parenthesized_expression":
                self.discard(inner_of(node))
            case "conditional_expression" | "call_expression" | "assignment_expression":
                self.evaluate(node)
            case _:
                self.value(node)

    def constant(self, node: Node) -> Any:
        """The value of an expression that is known while compiling."""
        found = self.known_number(node)
        if found is not None:
            return found
        raise self.wrong(
            f"`{self.text(node)}` is not known while compiling", node, "use constants, `constexpr` or a macro"
        )

    def known_number(self, node: Node) -> Any:
        """The value of an expression in which no thread has a say; None if one has."""
        around, self.builder = self.builder, Builder("constant", self.frame.source)
        try:
            value = self.value(node)
            if not isinstance(value, NumberValue):
                return None
            if isinstance(value.operand, Constant):
                return value.operand.value
            return evaluated(self.builder.finish(self.span(node)), value.operand)
        finally:
            self.builder = around

    # literals ---------------------------------------------------------------------------------------------

    def _number_literal(self, node: Node) -> Value:
        text = self.text(node).replace("'", "")
        found = literal(text)
        if found is None:
            raise self.wrong(f"`{text}` is not a number", node)
        type_, number = found
        return NumberValue(type_, Constant(number, type_.scalar))

    def _char_literal(self, node: Node) -> Value:
        text = self.text(node)
        try:
            code = ast.literal_eval("b" + text[text.index("'") :].replace("'\\0'", "'\\x00'"))
        except (SyntaxError, ValueError):
            code = b""
        if len(code) != 1:
            raise self.wrong(f"{text} is not one character", node)
        return NumberValue(CHAR, Constant(code[0] - 256 if code[0] > 127 else code[0], CHAR.scalar))

    def _true(self, _node: Node) -> Value:
        return NumberValue(BOOL, Constant(True, PRED))

    def _false(self, _node: Node) -> Value:
        return NumberValue(BOOL, Constant(False, PRED))

    def _null(self, _node: Node) -> Value:
        return PointerValue(types.NULLPTR, NULL)

    def _string_literal(self, node: Node) -> Value:
        return TextValue(Pointer(types.constant(CHAR)), unescaped(self.text(node)))

    def _raw_string_literal(self, node: Node) -> Value:
        text = self.text(node)
        return TextValue(Pointer(types.constant(CHAR)), text[text.index("(") + 1 : text.rindex(")")])

    def _concatenated_string(self, node: Node) -> Value:
        parts = [self.value(child) for child in node.named_children if child.type != "comment"]
        return TextValue(
            Pointer(types.constant(CHAR)), "".join(p.text for p in parts if isinstance(p, TextValue))
        )

    # names ------------------------------------------------------------------------------------------------

    # members, indices, pointers ---------------------------------------------------------------------------

    # operators --------------------------------------------------------------------------------------------

    def _parenthesized_expression(self, node: Node) -> Result:
        return self.evaluate(inner_of(node))

    def _comma_expression(self, node: Node) -> Result:
        self.discard(child_of(node, "left"))
        return self.evaluate(child_of(node, "right"))

    def _binary_expression(self, node: Node) -> Result:
        sign = self.text(child_of(node, "operator"))
        if sign in ("&&", "||", "and", "or"):
            return self.logical(node)
        if sign == "<=>":
            raise self.refused("`<=>`", node, "compare with < and ==")
        first = self.evaluate(child_of(node, "left"))
        if is_place(first) and isinstance(bare(first.type or types.VOID), Struct):
            return self.overloaded_place(sign, first, [child_of(node, "right")], node)
        left = self.read(first, self.at)
        if isinstance(left, NumberValue) and not self.only_computes(child_of(node, "right")):
            left = NumberValue(left.type, self._steady(left.operand, child_of(node, "right")))
        return self.binary(sign, left, self.value(child_of(node, "right")), node)

    def _steady(self, operand: Operand, following: Node) -> Operand:
        """The left side of an operator, should the right side assign to its variable."""
        if isinstance(operand, Register) and not operand.is_temporary and self.assigns(following):
            return self.copied(operand)
        return operand

    def assigns(self, node: Node) -> bool:
        """Is there an assignment in it, or a call that may make one?"""
        if node.type in ("assignment_expression", "update_expression"):
            return True
        return any(self.assigns(child) for child in node.named_children)

    def _unary_expression(self, node: Node) -> Result:
        sign = self.text(child_of(node, "operator"))
        return self.unary(sign, self.value(child_of(node, "argument")), node)

    def _update_expression(self, node: Node) -> Result:
        return self._update(node, wanted=True)

    def _update(self, node: Node, *, wanted: bool) -> Result:
        """++ and --: before the argument they give the place, behind it the old value."""
        argument, sign_node = child_of(node, "argument"), child_of(node, "operator")
        place, sign = self.place(argument, "changed"), self.text(sign_node)
        self._check_assignable(place, argument)
        prefix = sign_node.start_byte < argument.start_byte
        span = self.span(node)
        if isinstance(bare(place.type), Struct):
            return self.overloaded_place(sign, place, [], node)
        before = self.read(place, span)
        if not prefix and wanted:
            before = self._copied_value(before)
        if bare(place.type) is BOOL and sign == "--":
            raise self.wrong("`--` does not take bool", node)
        after = self.binary(sign[0], before, NumberValue(INT, Constant(1, S32)), node)
        self.write(place, self.converted(after, place.type, node, explicit=True), span)
        return place if prefix else before

    def _copied_value(self, value: Value) -> Value:
        if isinstance(value, NumberValue):
            return NumberValue(value.type, self.copied(value.operand))
        if isinstance(value, PointerValue):
            return PointerValue(value.type, self.frozen(value.address))
        return value

    def _assignment_expression(self, node: Node) -> Result:
        left, right, sign = (
            child_of(node, "left"),
            child_of(node, "right"),
            self.text(child_of(node, "operator")),
        )
        if right.type == "initializer_list":
            place = self.place(left, "assigned to")
            self._check_assignable(place, left)
            value = self.listed(place.type, right)
            self.write(place, value, self.span(node))
            return place
        result = self.evaluate(right)
        if isinstance(result, StructPlace | RegisterPlace | MemoryPlace) or not isinstance(
            result, FunctionValue
        ):
            result = self.read(result, self.span(right))
        value = result
        if isinstance(value, NumberValue | PointerValue | StructValue) and self.assigns(left):
            value = self._copied_value(value)
        place = self.place(left, "assigned to")
        self.assign(place, sign, value, node, left)
        return place

    def assign(self, place: Place, sign: str, value: Value, node: Node, left: Node) -> None:
        """`place = value`, `place += value` and so on."""
        self._check_assignable(place, left)
        span = self.span(node)
        if isinstance(bare(place.type), Struct) and self.has_operator(sign, place, value):
            self.call_operator(sign, place, value, node)
            return
        if sign != "=":
            before = self.read(place, span)
            value = self.binary(sign[:-1], before, value, node)
            value = self.converted(
                value, place.type, node, explicit=not isinstance(bare(place.type), Pointer)
            )
        else:
            value = self.converted(value, place.type, node, what="be assigned to")
        self.write(place, value, span)

    def has_operator(self, sign: str, place: Place, value: Value) -> bool:
        """Does the struct define this assignment? See `Calls`."""
        raise NotImplementedError

    def call_operator(self, sign: str, place: Place, value: Value, node: Node) -> Result:
        """Call it; see `Calls`."""
        raise NotImplementedError

    def _check_assignable(self, place: Place, node: Node) -> None:
        if is_const(place.type):
            raise self.wrong(f"`{self.text(node)}` is const: it cannot be assigned to", node)
        inner = bare(place.type)
        if isinstance(inner, Array | FunctionType):
            raise self.wrong(
                f"the array `{self.text(node)}` cannot be assigned to", node, "copy its elements in a loop"
            )
        if isinstance(place, MemoryPlace):
            self.check_writable(place.address, self.span(node))

    # casts and sizes --------------------------------------------------------------------------------------
