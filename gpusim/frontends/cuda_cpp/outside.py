"""What do variables stand for that are declared outside of functions, and what do they hold at first?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from clang.cindex import Cursor, CursorKind, StorageClass

from gpusim.errors import UnsupportedConstruct
from gpusim.frontends import flow, fold
from gpusim.frontends.cuda_cpp import clang, initializers, layout, lowering, names, objects, shapes, variables
from gpusim.frontends.cuda_cpp.memory import is_address
from gpusim.frontends.cuda_cpp.types import Array, CType, Number, Pointer, bare, is_const
from gpusim.frontends.cuda_cpp.values import Address, Place, Result
from gpusim.ir import program, reference
from gpusim.ir.builder import Builder
from gpusim.ir.instructions import ArrayOperand
from gpusim.ir.types import Space

if TYPE_CHECKING:
    from gpusim.frontends.cuda_cpp.unit import Unit

K = CursorKind
HEAP = "gpusim_heap"


@dataclass(frozen=True)
class Symbol:
    """A `__device__` or `__constant__` variable. `initial` are its first bytes; None leaves them zero."""

    name: str
    type: CType
    space: Space
    initial: bytes | None = None
    managed: bool = False


def symbol(unit: Unit, cursor: Cursor, name: str) -> Symbol:
    words, type_ = clang.attributes(cursor), unit.types.read(cursor.type)
    value, initial = shapes.initializer(cursor), None
    default = value is not None and value.kind is K.CALL_EXPR and not list(value.get_arguments())
    if value is not None and not (default and not clang.text(cursor).endswith(("}", ")"))):
        initial = initial_bytes(unit, type_, value)
    space = Space.CONSTANT if "__constant__" in words else Space.GLOBAL
    return Symbol(name, type_, space, initial, "managed" in words)


def initial_bytes(unit: Unit, type_: CType, value: Cursor) -> bytes:
    """What a variable holds before anybody writes to it: one thread carries out its initializer."""
    numbers, element = _known_numbers(value), layout.innermost(type_)
    if numbers is not None and isinstance(element, Number) and len(numbers) * element.size == type_.size:
        with np.errstate(all="ignore"):
            known = [fold.constant(number, element.scalar).value for number in numbers]
            return np.array(known, element.scalar.dtype).tobytes()
    choices: dict[Any, str] = {}

    def attempt() -> program.Function:
        low = lowering.Lowering(unit, Builder("initial", unit.source), choices)
        memory = ArrayOperand("initial", layout.element_of(type_), 1, Space.GLOBAL, pointer=True)
        low.builder.parameters.append(memory)
        low.go_to(value)
        objects.start(low, Place(_writable(type_), Address(memory)), value)
        return low.builder.finish(low.at)

    function = flow.settled(attempt)
    given = np.zeros(type_.size, np.uint8).view(layout.dtype_of(element))
    reference.run(function, (1, 1, 1), (1, 1, 1), [given])
    first = given.tobytes()
    for leaf in layout.leaves(type_) if _has_pointer(type_) else ():
        if is_address(bare(leaf.type)) and any(first[leaf.offset : leaf.offset + leaf.type.size]):
            what = "an address as what a variable of the device holds at first is not supported"
            raise UnsupportedConstruct(what, unit.parsed.span(value), "write it in a kernel")
    return first


def static(low: lowering.Lowering, declaration: Cursor, type_: CType) -> Place:
    """`static int n;` in a function: a variable of the device that this function alone names."""
    function, unit = declaration.semantic_parent, low.unit
    key = f"{function.get_usr()} {declaration.get_usr()}"
    if key not in unit.statics:
        alike = [name for name in unit.statics.values() if name.startswith(f"{function.spelling}::")]
        name = f"{function.spelling}::{declaration.spelling}"
        unit.statics[key] = name if name not in alike else f"{name}({len(alike)})"
    name = unit.statics[key]
    if name not in unit.symbols:
        unit.symbols[name] = symbol(unit, declaration, name)
    return names.symbol(low, name, type_, Space.GLOBAL)


def variable(low: lowering.Lowering, declaration: Cursor) -> Result:
    """What a variable stands for that is declared outside of functions, or `static` in one."""
    unit, type_ = low.unit, low.unit.types.read(declaration.type)
    if declaration.spelling == HEAP:
        return names.symbol(low, HEAP, type_, Space.GLOBAL)
    unit.used[declaration.hash] = declaration
    known = unit.declared.get(declaration.canonical.hash)
    definition = declaration.get_definition() or declaration
    value = shapes.initializer(definition)
    if isinstance(known, Exception):
        only_read = "__constant__" in clang.attributes(declaration) or not unit.changes(declaration)
        if only_read and value is not None and _has_pointer(type_):
            return table(low, definition, type_, value)
        raise known
    if known is not None:
        return names.symbol(low, known, type_, unit.symbols[known].space)
    if "__shared__" in clang.attributes(declaration):
        return variables.shared(low, declaration, type_)
    unit.used[definition.hash] = definition
    known_number = low.known(definition, type_) if is_const(type_) and value is not None else None
    if known_number is not None:
        return known_number
    of_function = declaration.semantic_parent.kind in clang.FUNCTIONS
    if of_function and declaration.storage_class is not StorageClass.STATIC:
        raise low.wrong(f"`{declaration.spelling}` is used before it holds anything", "give it a value first")
    if of_function and not is_const(type_):
        return static(low, declaration, type_)
    if is_const(type_) and value is not None:
        return table(low, definition, type_, value)
    hint = "pass it as an argument, or declare it `__device__` or `__constant__`"
    raise low.wrong(f"`{declaration.spelling}` is a variable of the host", hint)


def table(low: lowering.Lowering, declaration: Cursor, type_: CType, value: Cursor) -> Result:
    """`constexpr int table[] = {…}` is in constant memory where kernels index it."""
    key, tables = declaration.hash, low.unit.tables
    if isinstance(bare(type_), Pointer):
        return initializers.initial(low, type_, value)
    if _has_pointer(type_):  # an address differs from launch to launch
        place = low.variable(declaration.spelling, _writable(type_), (low.frame.path, "table", key))
        objects.start(low, place, value)
        return place
    if key not in tables:
        data = initial_bytes(low.unit, type_, value)
        tables[key] = np.frombuffer(data, layout.dtype_of(layout.innermost(type_)))
    if ("table", key) not in low.dynamic:
        array = low.builder.constant(declaration.spelling, layout.element_of(type_), tables[key], "C")
        low.dynamic["table", key] = replace(array, pointer=True)
    return Place(type_, Address(low.dynamic["table", key]))


def _known_numbers(value: Cursor) -> list[Any] | None:
    """The numbers of `{1, 2, 3}` or `{{1, 2}, {3, 4}}`; None where one is not written out, or left out."""
    if value.kind is not K.INIT_LIST_EXPR:
        known = None if value.kind is K.STRING_LITERAL else clang.constant(value)
        return None if known is None else [known]
    found = [_known_numbers(child) for child in clang.children(value)]
    return None if None in found else [number for numbers in found for number in numbers or ()]


def _has_pointer(type_: CType) -> bool:
    return any(is_address(bare(leaf.type)) for leaf in layout.leaves(layout.innermost(type_)))


def _writable(type_: CType) -> CType:
    inner = bare(type_)
    return Array(_writable(inner.element), inner.length) if isinstance(inner, Array) else inner
