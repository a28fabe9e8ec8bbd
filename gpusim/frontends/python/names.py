"""What does a name, a literal or an attribute stand for? Python's objects are frozen as they are."""

from __future__ import annotations

import ast
import re
from enum import Enum
from functools import partial
from typing import Any

import numpy as np

from gpusim.errors import UndefinedName, UnsupportedConstruct, suggestion
from gpusim.frontends import collectives
from gpusim.frontends.python import arrays, constants, types
from gpusim.frontends.python.builtins.groups import Group
from gpusim.frontends.python.builtins.intrinsics import PUBLIC, Intrinsic, conjugate
from gpusim.frontends.python.builtins.vectors import AXES
from gpusim.frontends.python.builtins.wide_tiles import METHODS
from gpusim.frontends.python.families.numbers import parts_of
from gpusim.frontends.python.lowering import Into, Lowering
from gpusim.frontends.python.values import (
    GroupValue,
    Item,
    Static,
    Value,
    VectorValue,
    View,
    described,
    whole,
)
from gpusim.frontends.python.variables import copied
from gpusim.ir.details import SpecialRegister
from gpusim.ir.instructions import Constant, Register
from gpusim.ir.types import PRED, S32, S64

# names that kernels use, and what is at the top of a file that has them
IMPORTS = {
    "cuda": "from gpusim import cuda",
    "cudart": "from gpusim import cudart",
    "math": "import math",
    "np": "import numpy as np",
}


def literal(lowering: Lowering, node: ast.Constant, _into: Into) -> Value:
    """A number, a text, None or `...`."""
    return constants.number(lowering, node) or Static(node.value)


def name(lowering: Lowering, node: ast.Name, _into: Into) -> Value:
    """A variable, or something from outside the kernel."""
    scope = lowering.scope
    if node.id in scope.assigned:
        if node.id not in scope.values and scope.exits.loops:
            # an earlier round of the loop may have given it one; its type settles in the next pass
            scope.values[node.id] = Register(node.id, lowering.settle(node.id, PRED))
        if node.id not in scope.values:
            raise lowering.wrong(f"{node.id!r} is used before it has a value", node, "assign to it first")
        value = scope.values[node.id]
        return copied(lowering, value, lowering.span(node)) if scope.is_overtaken(node) else value
    if not scope.knows(node.id):
        known = [*scope.assigned, *scope.outer]
        hint = _home(node.id) or suggestion(node.id, known, "is it misspelt or not imported?")
        raise UndefinedName(f"the name {node.id!r} is not defined", lowering.span(node), hint)
    return from_outside(lowering, scope.free(node.id), node)


def _home(name: str) -> str:
    """Where does a name come from that is often left without its module?"""
    if name in IMPORTS:
        return f"write `{IMPORTS[name]}` at the top"
    if name in PUBLIC:
        return f"it is cuda.{name}"
    return f"it is cudart.{name}" if re.match("cuda[A-Z]", name) else ""


def from_outside(lowering: Lowering, found: Any, node: ast.AST) -> Value:
    """A Python object as a kernel sees it: numbers and tuples are frozen, special registers read."""
    if isinstance(found, SpecialRegister):
        return collectives.special(lowering.site(node), found, S32)  # its type in Numba
    if isinstance(found, tuple):
        return tuple(from_outside(lowering, item, node) for item in found)
    if isinstance(found, np.ndarray):
        return _frozen(lowering, found, node)
    type_ = types.of_constant(found)
    if type_ is None:
        return Static(found)
    if isinstance(found, Enum):
        found = found.value  # of an IntEnum
    return Constant(found.item() if isinstance(found, np.generic) else found, type_)


def _frozen(lowering: Lowering, array: np.ndarray[Any, Any], node: ast.AST) -> View:
    """A NumPy array of the host as it is now, in constant memory."""
    found = types.array_of(array)
    if found is None:
        raise lowering.wrong(f"an array of {array.dtype} is not for kernels", node, "use .astype(…)")
    return whole(lowering.builder.constant(ast.unparse(node), found.element, array, found.layout))


def attribute(lowering: Lowering, node: ast.Attribute, _into: Into) -> Value:
    """`owner.name`, of an array, a record, a vector, a complex number or a module."""
    value = lowering.value(node.value)
    if isinstance(value, View | Item):
        return arrays.attribute(lowering, value, node)
    if isinstance(value, VectorValue) and node.attr in AXES[: len(value)]:
        part: Value = value[AXES.index(node.attr)]
        return part
    if isinstance(value, GroupValue):
        return _of_group(lowering, value, node)
    if isinstance(value, Register | Constant) and node.attr in ("real", "imag", "conjugate"):
        if node.attr == "conjugate":
            return Static(partial(conjugate, value))
        return parts_of(lowering, value, node)[node.attr == "imag"]
    if isinstance(value, Static) and hasattr(value.object, node.attr):
        return from_outside(lowering, getattr(value.object, node.attr), node)
    raise UnsupportedConstruct(
        f"{ast.unparse(node.value)} has no {node.attr!r} in a kernel",
        lowering.span(node),
        suggestion(node.attr, [name for name in dir(getattr(value, "object", None)) if name[0] != "_"]),
    )


def _of_group(lowering: Lowering, group: GroupValue, node: ast.Attribute) -> Value:
    """A number that the group is made of, or a method, which knows its group."""
    kind: type[Group] = group.type
    if node.attr in kind.PARTS:
        part: Value = group[kind.PARTS.index(node.attr)]
        return part
    found = getattr(kind, node.attr, None)
    if isinstance(found, int | type):
        return Static(found) if isinstance(found, type) else Constant(found, S64)
    if isinstance(found, Intrinsic):
        return Static(partial(found, group))
    has = sorted(name for name in METHODS if name[0] != "_" and hasattr(kind, name))
    hint = kind.HINT if node.attr in METHODS else suggestion(node.attr, has, f"it has {', '.join(has)}")
    what = "a collective" if lowering.scope.pinned else repr(node.attr)
    raise lowering.unsupported(node, hint, f"{what} of {described(group)}")


def pair(lowering: Lowering, node: ast.Tuple, _into: Into) -> Value:
    """`a, b`."""
    return tuple(lowering.value(item) for item in node.elts)
