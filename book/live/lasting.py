"""What does a session carry from run to run that no name of a cell holds? A setting, a seed, a module's part.

Nothing takes that back: once the text that did it stands there no more, only a new Python is without it
(ran.py). It is read from the text; what a text does in a way that cannot be read is seen in `carried`.
"""

from __future__ import annotations

import ast
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

# a call of these lasts
SETS = re.compile(
    r"use$|seed|set(?!$)|select|reset|defer|close|cuda[A-Z]|chdir|putenv|filterwarnings|simplefilter|register$"
)
CONSTANT = re.compile(r"cuda[A-Z]")  # what is named so and not called may be one: `cudart.cudaEventDefault`
# names that are not said: all that follows may use them
ANYTHING = re.compile(r"exec$|eval$|globals$|vars$|locals$")
# what changes a table that a module holds: `sys.path.append(…)`
CHANGES = re.compile(r"append|insert|extend|remove|pop|clear|update|setdefault|add|discard|sort|reverse")
# settings that a cell may reach in any way, each with what it is now
CARRIED: dict[str, Callable[[Any], Any]] = {
    "gpusim": lambda gpusim: repr(gpusim.use()),
    "numpy": lambda numpy: (numpy.get_printoptions(), numpy.geterr()),
}


def carried() -> list[Any]:
    """What is set now, of what can be asked? As a list, to be compared with a later one."""
    asked = [ask(import_module(name)) for name, ask in CARRIED.items() if name in sys.modules]
    return [asked, [*warnings.filters], dict(os.environ), [*sys.path], Path.cwd()]


def last(node: ast.expr) -> str:
    """Of `a.b.c` the last name, `c`; of a name that was imported the name there."""
    if meant := getattr(node, "means", ""):
        return str(meant).rpartition(".")[2]
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def of_module(node: ast.expr) -> str:
    """Of what a part of a module is a part: of `os.environ["A"]` "os"; "" if of none."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return str(getattr(node, "means", ""))


def asks_only(call: ast.Call) -> bool:
    """`gpusim.use()` shows what is set."""
    return last(call.func) == "use" and not call.args and not call.keywords


def left_out(statement: ast.stmt) -> Iterator[ast.expr]:
    """Calls that change nothing that lasts, and what they call: `with` takes it back, or they only ask."""
    for node in ast.walk(statement):
        opened = [each.context_expr for each in node.items] if isinstance(node, ast.With) else [node]
        for call in opened:
            if isinstance(call, ast.Call) and (call is not node or asks_only(call)):
                yield from (call, call.func)


def lasts(node: ast.AST) -> bool:
    """Is it a call that lasts, the name of one (`u = gpusim.use`), or a part of a module that is given?"""
    match node:
        case ast.Call(func=function):
            in_table = str(getattr(function, "means", "")).count(".") > 1 and CHANGES.fullmatch(
                last(function)
            )
            return bool(in_table or SETS.match(last(function)))
        case ast.Attribute(ctx=ast.Load()) | ast.Name(ctx=ast.Load()):
            is_constant = CONSTANT.match(last(node))
            return bool(getattr(node, "means", "") and SETS.match(last(node)) and not is_constant)
        case ast.Subscript(ctx=ast.Store() | ast.Del()):
            return bool(of_module(node))
    return False


def sets(statement: ast.stmt) -> bool:
    """Does it change a setting, a seed, a part of a module, or what the device knows?"""
    out = {*left_out(statement)}
    return any(lasts(node) for node in ast.walk(statement) if node not in out)


def gives_anything(statement: ast.stmt) -> bool:
    """Does it give names that are not said, as `from math import *` and `exec`?"""
    nodes = [*ast.walk(statement)]
    stars = any(isinstance(node, ast.alias) and node.name == "*" for node in nodes)
    calls = (node.func for node in nodes if isinstance(node, ast.Call))
    return stars or any(ANYTHING.match(last(each)) for each in calls)
