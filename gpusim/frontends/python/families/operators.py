"""What do `operator.add` and `np.less` do? What the syntax does that they stand for."""

from __future__ import annotations

import ast
from functools import partial

from gpusim.frontends import fold
from gpusim.frontends.python.assignments import store
from gpusim.frontends.python.families.call import Call
from gpusim.frontends.python.families.numbers import parts_of
from gpusim.frontends.python.indices import loaded, part
from gpusim.frontends.python.operators import STRICT, binary, related, unary
from gpusim.frontends.python.values import Static, Value
from gpusim.ir.instructions import Constant, Opcode, Operand, Register


def syntax(call: Call) -> Value:
    """`a + b`, `a < b`, `-a`."""
    kind, lowering, node = call.called.detail, call.lowering, call.node
    if issubclass(kind, ast.unaryop):
        return unary(lowering, kind, call.numbers()[0], node)
    left, right = call.arguments
    if issubclass(kind, ast.cmpop):
        if call.called.name.startswith("np.") and _is_complex(left) | _is_complex(right):
            return _of_complex(call, kind())
        return related(lowering, kind(), left, right, node)
    return binary(lowering, kind(), left, right, node)


def _is_complex(value: Value) -> bool:
    return isinstance(value, Register | Constant) and value.type.is_complex


def _of_complex(call: Call, sign: ast.cmpop) -> Operand:
    """NumPy orders complex numbers by their real parts, then by the others; NaN is in no order."""
    lowering, node, join = call.lowering, call.node, partial(fold.joined, call.site)
    one, other = (parts_of(lowering, number, node) for number in call.numbers())
    if isinstance(sign, ast.Eq | ast.NotEq):
        return related(lowering, sign, one, other, node)
    first = related(lowering, STRICT.get(type(sign), sign), one[0], other[0], node)
    for imaginary in (one[1], other[1]):
        first = join(Opcode.AND, first, related(lowering, ast.Eq(), imaginary, imaginary, node))
    same = related(lowering, ast.Eq(), one[0], other[0], node)
    return join(Opcode.OR, first, join(Opcode.AND, same, related(lowering, sign, one[1], other[1], node)))


def logical(call: Call) -> Value:
    """`np.logical_and(x, y)`: of the truth of both."""
    one, other = (call.lowering.truth(number, call.node) for number in call.numbers())
    if call.called.detail is Opcode.XOR:
        return fold.compared(call.site, Opcode.NE, one, other)
    return fold.joined(call.site, call.called.detail, one, other)


def contains(call: Call) -> Value:
    """`item in items`."""
    items, item = call.arguments
    return related(call.lowering, ast.In(), item, items, call.node)


def getitem(call: Call) -> Value:
    """`array[index]`."""
    array, index = call.arguments
    return loaded(call.lowering, part(call.lowering, array, index, call.node), call.node)


def setitem(call: Call) -> Value:
    """`array[index] = value`."""
    array, index, value = call.arguments
    store(call.lowering, part(call.lowering, array, index, call.node), value, call.node)
    return Static(None)


FAMILIES = {
    "contains": contains, "getitem": getitem, "logical": logical, "operator": syntax, "setitem": setitem,
}  # fmt: skip
