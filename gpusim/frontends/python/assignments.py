"""What does an assignment do? A name gets a register, a view or a tuple; an element gets a value."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from gpusim.frontends import flow, fold
from gpusim.frontends.python.checks import insist
from gpusim.frontends.python.indices import element_of, extent, loaded, part, place
from gpusim.frontends.python.lowering import Into, Lowering
from gpusim.frontends.python.operators import binary
from gpusim.frontends.python.values import (
    GroupValue,
    Item,
    MaybeValue,
    MemberValue,
    Static,
    Value,
    View,
    described,
    is_tuple,
    made_a_number,
    to_keep,
)
from gpusim.frontends.python.variables import as_now, bind, variable
from gpusim.ir.instructions import Constant, Opcode, Operand, Register
from gpusim.ir.types import S64, U64, Record, Space


def plain(lowering: Lowering, node: ast.Assign) -> None:
    """`a = b = value`."""
    into = variable(lowering, node.targets[0]) if len(node.targets) == 1 else None
    value = lowering.value(node.value, into)
    for target in node.targets[:-1]:
        own = value
        if isinstance(value, Register):
            own = lowering.compute(Opcode.MOVE, value.type, (value,), node)
        elif is_tuple(value):
            own = value = as_now(lowering, value, lowering.span(node))
        assign(lowering, target, own)
    assign(lowering, node.targets[-1], value)


def annotated(lowering: Lowering, node: ast.AnnAssign) -> None:
    """`a: int = value`; the annotation says nothing."""
    if node.value is not None:
        assign(lowering, node.target, lowering.value(node.value, variable(lowering, node.target)))


def augmented(lowering: Lowering, node: ast.AugAssign) -> None:
    """`a += value`."""
    target = node.target
    if isinstance(target, ast.Name):
        before = lowering.value(ast.copy_location(ast.Name(target.id, ast.Load()), node))
        into = variable(lowering, target)
        assign(lowering, target, binary(lowering, node.op, before, lowering.value(node.value), node, into))
        return
    view, _ = place(lowering, target)
    if view.dimensions:
        raise lowering.unsupported(node, "index the array fully", "an update of a whole array")
    check_writable(lowering, view, node)
    before, by = loaded(lowering, view, node), lowering.value(node.value)
    if isinstance(node.op, ast.Div) and view.array.element in (S64, U64) and not _is_inexact(by):
        hint = f"write {ast.unparse(target)} = … / …, or //="
        lowering.here_only(f"`/=` of whole numbers in an array of {view.array.element.dtype}", node, hint)
    store(lowering, view, binary(lowering, node.op, before, by, node), node)


def _is_inexact(value: Value) -> bool:
    return isinstance(value, Register | Constant) and (value.type.is_float or value.type.is_complex)


def walrus(lowering: Lowering, node: ast.NamedExpr, _into: Into) -> Value:
    """`(a := value)`. Of one that is no statement's whole value, Numba does not find the type."""
    statements = [one for one in ast.walk(lowering.scope.tree) if isinstance(one, ast.Assign | ast.Expr)]
    if not any(one.value is node for one in statements):
        raise lowering.unsupported(node, "assign in a statement of its own", "`:=` within an expression")
    assign(lowering, node.target, lowering.value(node.value))
    return lowering.value(ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target))


def assign(lowering: Lowering, target: ast.expr, value: Value) -> None:
    """Give a name, an element or several of them a value."""
    span = lowering.span(target)
    match target:
        case ast.Name(id=name):
            bind(lowering, name, value, span)
        case ast.Subscript() | ast.Attribute():
            view, of_record = place(lowering, target)
            if of_record and isinstance(value, View) and value.dimensions:
                _copy_nested(lowering, view, value, target)
            elif type(value) is tuple and view.dimensions == 1:
                _spread(lowering, view, value, target)
            else:
                store(lowering, view, value, target)
        case ast.Tuple(elts=targets):
            if not is_tuple(value) or len(value) != len(targets):
                hint = to_keep(value) or f"here is {described(value)}"
                raise lowering.wrong(
                    f"{len(targets)} names need a tuple of {len(targets)} values", span, hint
                )
            parts = [as_now(lowering, part, span) for part in value]
            for item, part in zip(targets, parts, strict=True):
                assign(lowering, item, part)
        case _:
            raise lowering.unsupported(target)


# elements ---------------------------------------------------------------------------------------------------


def check_writable(lowering: Lowering, view: View, node: ast.AST) -> None:
    """Constants are frozen when the kernel is compiled."""
    if view.array.space is Space.CONSTANT:
        raise lowering.wrong(
            f"{view.array.name!r} is constant: it was frozen when the kernel was compiled",
            node,
            "pass the array as an argument to write to it",
        )


def store(lowering: Lowering, view: View, value: Value, node: ast.AST) -> None:
    """Write to an element, or the same value to every element of a view, in a loop over it."""
    check_writable(lowering, view, node)
    if isinstance(value, MaybeValue):
        value = lowering.number(value, node)
    if isinstance(value, View | tuple):
        hint = "Numba's CUDA target does not copy arrays: assign element by element, in a loop"
        if isinstance(value, GroupValue):
            hint = "keep a group in a variable, and pass it to device functions"
        elif isinstance(value, MemberValue):
            hint = made_a_number(value)
        elif isinstance(value, tuple) and not view.dimensions:
            hint = (
                "an element takes one number: unpack the tuple, or add [0]; calls of cudart give a "
                "tuple that begins with the error"
            )
        what = f"an assignment of {described(value)} to a part of an array"
        raise lowering.unsupported(node, hint, what)
    if view.dimensions:
        held = lowering.copied(value, node) if isinstance(value, Register) else value
        for_each(lowering, [view], lambda parts: store(lowering, parts[0], held, node), node)
    elif isinstance(value, Item):
        _copy_record(lowering, view, value.view, node)
    else:
        element = element_of(lowering, view, node)
        lowering.mark_member(value, node, element)
        number = lowering.number_as(value, element, node)
        lowering.builder.store(view.place, number, lowering.span(node))


def _copy_record(lowering: Lowering, view: View, other: View, node: ast.AST) -> None:
    """Field by field, nested arrays element by element; padding stays."""
    record = view.array.element
    if not isinstance(record, Record) or record != other.array.element:
        raise lowering.wrong(f"{described(Item(other))} does not fit {view.array.name!r}", node)
    for name in record.names:
        _copy_all(lowering, [part(lowering, Item(v), Static(name), node) for v in (view, other)], node)


def _copy_nested(lowering: Lowering, view: View, value: View, node: ast.AST) -> None:
    """`record.field = array`, of one shape; to another part of an array Numba's CUDA target copies none."""
    check_writable(lowering, view, node)
    if view.dimensions != value.dimensions:
        what = f"{described(value)} has {value.dimensions} dimension(s), and the field {view.dimensions}"
        raise lowering.wrong(what, node)
    for one, other in zip(view.free, value.free, strict=True):
        _insist_extent(lowering, view, one, extent(lowering, value, other, node), node)
    _copy_all(lowering, [view, value], node)


def _spread(lowering: Lowering, view: View, items: tuple[Value, ...], node: ast.AST) -> None:
    """`row[:] = a, b, c`: an item for each element."""
    _insist_extent(lowering, view, view.free[0], Constant(len(items), S64), node)
    for place_, item in enumerate(items):
        store(lowering, part(lowering, view, Constant(place_, S64), node), item, node)


def _insist_extent(lowering: Lowering, view: View, axis: int, length: Operand, node: ast.AST) -> None:
    """NumPy would stretch a length of 1; Numba copies lengths as they are."""
    same = fold.compared(lowering.site(node), Opcode.EQ, extent(lowering, view, axis, node), length)
    insist(lowering, same, "the lengths on both sides of the assignment differ", node)


def _copy_all(lowering: Lowering, views: Sequence[View], node: ast.AST) -> None:
    if views[0].dimensions:
        for_each(lowering, views, lambda parts: _copy_all(lowering, parts, node), node)
    else:
        store(lowering, views[0], loaded(lowering, views[1], node), node)


def for_each(
    lowering: Lowering, views: Sequence[View], do: Callable[[Sequence[View]], None], node: ast.AST
) -> None:
    """A loop over the first axis of views of one shape."""
    length = extent(lowering, views[0], views[0].free[0], node)
    counter = lowering.builder.temporary(S64)

    def body() -> None:
        do([part(lowering, view, counter, node) for view in views])

    flow.counted(lowering.site(node), counter, length, body)
