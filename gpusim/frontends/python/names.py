"""What does a name, a literal or an attribute stand for? Python's objects are frozen as they are."""

from __future__ import annotations

import ast
import inspect
import re
from enum import Enum, Flag
from functools import partial
from typing import Any

import numpy as np

from gpusim.errors import UndefinedName, UnsupportedConstruct, suggestion
from gpusim.frontends import collectives
from gpusim.frontends.python import anywhere, arrays, constants, types
from gpusim.frontends.python.builtins.groups import Group
from gpusim.frontends.python.builtins.intrinsics import BY_MODULE, OF_NUMBERS, PUBLIC, Intrinsic, Namespace
from gpusim.frontends.python.builtins.vectors import AXES
from gpusim.frontends.python.builtins.wide_tiles import METHODS
from gpusim.frontends.python.families.numbers import parts_of
from gpusim.frontends.python.indices import one_of
from gpusim.frontends.python.lowering import Into, Lowering
from gpusim.frontends.python.scope import Inner, as_def, captured
from gpusim.frontends.python.usable import is_usable
from gpusim.frontends.python.values import (
    GroupValue,
    IntMember,
    Item,
    MemberValue,
    NamedValue,
    Static,
    Value,
    VectorValue,
    View,
    described,
    known_integer,
    type_of,
    whole,
)
from gpusim.frontends.python.variables import as_now, unassigned
from gpusim.ir.details import SpecialRegister
from gpusim.ir.instructions import Constant, Register
from gpusim.ir.types import S32, S64

# names that kernels use, and what is at the top of a file that has them
IMPORTS = {
    "cuda": "from gpusim import cuda",
    "cudart": "from gpusim import cudart",
    "math": "import math",
    "np": "import numpy as np",
    "numpy": "import numpy",
}
# names of CUDA C++ -> what they are in Python, where it is not the same name without the underscores
OF_CPP = {"warpSize": "warpsize", **dict.fromkeys(("threadIdx", "blockIdx", "blockDim", "gridDim"), "")}


def literal(lowering: Lowering, node: ast.Constant, _into: Into) -> Value:
    """A number, a text, None or `...`."""
    return constants.number(lowering, node) or Static(node.value)


def name(lowering: Lowering, node: ast.Name, _into: Into) -> Value:
    """A variable, or something from outside the kernel."""
    scope = lowering.scope
    if holder := scope.holder(node.id):
        if node.id not in holder.values:
            unassigned(lowering, node)
        return holder.values[node.id]
    if not scope.knows(node.id):
        outer = [one for one, found in scope.outer.items() if one[:2] != "__" and is_usable(found)]
        known = (*scope.assigned, *outer)
        hint = _home(node.id) or suggestion(node.id, known, "is it misspelt or not imported?")
        raise UndefinedName(f"the name {node.id!r} is not defined", lowering.span(node), hint)
    found = scope.free(node.id)
    if isinstance(found, SpecialRegister) or any(found is one for one in BY_MODULE):
        lowering.here_only(f"{node.id!r} without its module", node, f"write cuda.{node.id}")
    return from_outside(lowering, found, node)


def _home(name: str) -> str:
    """Where does a name come from that is often left without its module?"""
    if name in IMPORTS:
        return f"write `{IMPORTS[name]}` at the top"
    if in_python := _of_cpp(name):
        return f"in Python: cuda.{in_python}"
    if name in PUBLIC:
        return f"it is cuda.{name}"
    if types.of_name(name) is not None and hasattr(np, name):
        return f"it is np.{name}"
    return f"it is cudart.{name}" if re.match("cuda[A-Z]", name) else ""


def _of_cpp(name: str) -> str:
    """What does a name that is spelled as in CUDA C++ become, behind `cuda.`? Empty for any other."""
    if name in OF_CPP:
        return OF_CPP[name] or name
    plain = name.removeprefix("__")
    if plain != name and plain in PUBLIC:
        return plain
    atomic = re.fullmatch("atomic([A-Z][A-Za-z]+)", name)
    spelled = (f"{atomic[1].lower()}{ending}" for ending in ("", "_")) if atomic else ()
    return next((f"atomic.{each}" for each in spelled if hasattr(PUBLIC["atomic"], each)), "")


def from_outside(lowering: Lowering, found: Any, node: ast.AST) -> Value:
    """A Python object as a kernel sees it: numbers and tuples are frozen, special registers read."""
    if isinstance(found, SpecialRegister):
        return collectives.special(lowering.site(node), found, S32)  # its type in Numba
    if isinstance(found, tuple):
        items = tuple(from_outside(lowering, item, node) for item in found)
        return NamedValue(items, type(found)) if hasattr(found, "_fields") else items
    if isinstance(found, np.ndarray):
        return _frozen(lowering, found, node)
    if hasattr(found, "device_ctypes_pointer") and (view := anywhere.of_the_device(lowering, found, node)):
        return view
    type_ = types.of_constant(found)
    if isinstance(found, Enum) and len({types.of_constant(one.value) for one in type(found)}) > 1:
        what = f"{type(found).__name__}, whose values are of several types"
        lowering.here_only(what, node, "give them one type")
    if type_ is None and isinstance(found, Enum) and not isinstance(found, Flag):
        return MemberValue([Constant(list(type(found)).index(found), S64)], type(found))
    if type_ is None:
        return Static(found)
    if isinstance(found, Enum):
        return IntMember(found.value, type_, type(found))
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
    if isinstance(member := lowering.literal(value), IntMember) and node.attr == "value":
        return Constant(member.value, member.type)
    if isinstance(value, MemberValue) and node.attr == "value":
        return _value_of(lowering, value, node)
    if isinstance(value, NamedValue) and node.attr in value.type._fields:
        item: Value = value[value.type._fields.index(node.attr)]
        return item
    if isinstance(value, View | Item):
        return arrays.attribute(lowering, value, node)
    if isinstance(value, VectorValue) and node.attr in AXES[: len(value)]:
        part: Value = value[AXES.index(node.attr)]
        return part
    if isinstance(value, GroupValue):
        return _of_group(lowering, value, node)
    if isinstance(value, Register | Constant) and node.attr in OF_NUMBERS:
        return Static(partial(OF_NUMBERS[node.attr], value))
    if isinstance(value, Register | Constant) and node.attr in ("real", "imag"):
        return parts_of(lowering, value, node)[node.attr == "imag"]
    if isinstance(value, Static) and hasattr(value.object, node.attr):
        if _is_unknown(value.object, node.attr):
            what = f"`{ast.unparse(node)}`, an attribute of a class or an object"
            lowering.here_only(what, node, "give it a name of its own outside the kernel, and use that")
        return from_outside(lowering, lowering.scope.attribute(value.object, node.attr), node)
    owner = getattr(value, "object", None)
    known = [
        one for one in dir(owner) if one[0] != "_" and is_usable(inspect.getattr_static(owner, one, None))
    ]
    raise UnsupportedConstruct(
        f"{ast.unparse(node.value)} has no {node.attr!r} in a kernel",
        lowering.span(node),
        owner.instead_of(node.attr) if isinstance(owner, Namespace) else suggestion(node.attr, known),
    )


def _is_unknown(found: Any, attribute: str) -> bool:
    """Has Numba no such attribute? Of modules and enumerations it has all, and two of a dtype."""
    if isinstance(found, np.dtype):
        return attribute not in ("kind", "type")
    kind = found if isinstance(found, type) else type(found)
    known = ("gpusim", "numba", "numba_cuda", "builtins", "functools")
    return not issubclass(kind, Enum) and kind.__module__.partition(".")[0] not in known


def _value_of(lowering: Lowering, member: MemberValue, node: ast.AST) -> Value:
    """`member.value`; where each thread has its own member, of an `Enum` whose values are of one type."""
    members, known = list(member.type), known_integer(member[0])
    if known is not None:
        return from_outside(lowering, members[known].value, node)
    values = [from_outside(lowering, one.value, node) for one in members]
    if any(type_of(one) != type_of(values[0]) for one in values):
        raise lowering.wrong(f"values of {member.type.__name__} are of several types", node)
    return one_of(lowering, tuple(values), member[0], node)


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


def inner(lowering: Lowering, node: ast.Lambda, _into: Into) -> Value:
    """`lambda x: x + 1`."""
    return inner_function(lowering, as_def(node))


def inner_function(lowering: Lowering, tree: ast.FunctionDef) -> Static:
    """A function within a kernel; its defaults are computed here, once."""
    given = tree.args
    for one in filter(None, [*tree.decorator_list, given.vararg, given.kwarg, *given.kwonlyargs]):
        what = "a decorator" if one in tree.decorator_list else "`*`"
        way_out = "define it outside, under @cuda.jit(device=True)"
        raise lowering.unsupported(one, way_out, f"{what} of an inner function")
    for name in sorted(captured(tree) - {tree.name}):
        if (holder := lowering.scope.holder(name)) and name not in holder.values:
            what = f"an inner function that uses {name!r} before it has a value"
            raise lowering.unsupported(tree, f"assign to {name!r} above the function, as Numba asks", what)
    defaults = tuple(as_now(lowering, lowering.value(one), lowering.span(one)) for one in given.defaults)
    return Static(Inner(tree, lowering.scope, defaults))


def pair(lowering: Lowering, node: ast.Tuple, _into: Into) -> Value:
    """`a, b`."""
    return tuple(lowering.value(item) for item in node.elts)
