"""How does a kernel begin? Its parameters and bounds; its body is lowered as any other."""

from __future__ import annotations

import re
from dataclasses import dataclass

from clang.cindex import Cursor

from gpusim.errors import GpuSimError, KernelTypeError
from gpusim.frontends.cuda_cpp import asking, clang, inlining, layout, lowering, memory, outside, values
from gpusim.frontends.cuda_cpp.types import CType, Parameter, Reference, Struct, bare
from gpusim.ir import program
from gpusim.ir.instructions import ArrayOperand, Register
from gpusim.ir.types import Space

GAPS = (AssertionError, AttributeError, IndexError, KeyError, ValueError)


@dataclass(frozen=True)
class Compiled:
    """A kernel for the machine: `function` takes the leaves of `parameters`, then the arrays of `symbols`.

    Behind those it takes the heap of the device, where it `takes_heap`. `doubts` are a compiler's warnings.
    `bounds` are the numbers of `__launch_bounds__`: threads a block, and blocks on a multiprocessor.
    """

    function: program.Function
    parameters: tuple[Parameter, ...]
    symbols: tuple[str, ...]
    bounds: tuple[int, int] | None = None
    takes_heap: bool = False
    doubts: tuple[str, ...] = ()


def compiled(low: lowering.Lowering, function: Cursor) -> Compiled:
    """The kernel, once all that it needs to know of itself is known."""
    span = low.at = low.span(function)
    body = inlining.body_of(function)
    if body is None:
        name = function.spelling
        raise KernelTypeError(f"the kernel {name} is declared, but has no body", span, "define it")
    changes, parameters = low.unit.changed(function), list[Parameter]()
    for cursor in inlining.parameters_of(function):
        parameter = Parameter(cursor.spelling or f"unnamed{len(parameters) + 1}", low.type(cursor))
        low.go_to(cursor)
        parameters.append(parameter)
        low.frame.names[cursor.hash] = _taken(low, parameter, cursor.hash in changes)
    try:
        low.statement(body)
    except asking.Unanswered as gap:
        raise low.refused(f"`{gap}` here", "give the type a name outside of the function") from gap
    except GAPS as gap:
        if isinstance(gap, GpuSimError) or low.unit.parsed.diagnostics:
            raise
        hint = "the simulator should take it, or say what is wrong: please report it"
        raise low.refused(f"`{low.text(low.cursor)}`", hint) from gap
    heap = low.symbols.pop(outside.HEAP, None)
    low.builder.parameters.extend([*low.symbols.values(), *([heap] if heap else ())])
    finished = low.builder.finish(low.closing(body))
    return Compiled(finished, tuple(parameters), tuple(low.symbols), _bounds(low, function), heap is not None)


def _bounds(low: lowering.Lowering, function: Cursor) -> tuple[int, int] | None:
    """`__launch_bounds__(threads, blocks)`; blocks is 1 where it is left out."""
    if not (given := clang.launch_bounds(function)):
        return None
    written = re.search(r"__launch_bounds__\s*\(((?:[^()]|\([^()]*\))*)\)", clang.text(function))
    if written and re.sub(r"\([^()]*\)|<[^<>]*>", "", written[1]).count(",") > 1:
        low.go_to(function)
        raise low.refused("a cluster of thread blocks", "leave the third number out")
    found = []
    for text in given:  # a number, or a constant expression of the kernel's namespace
        number: int | float | None = int(text.strip("UuLl()")) if text.strip("UuLl()").isdigit() else None
        if number is None:
            question = clang.beside(function, f"static constexpr long {{name}} = {text};")
            number = clang.constant(low.unit.answers.to(question))
        if not isinstance(number, int):
            raise low.refused(f"`{text}` in __launch_bounds__", "write a number")
        found.append(number)
    return found[0], found[1] if len(found) > 1 else 1


def _taken(low: lowering.Lowering, parameter: Parameter, assigned: bool) -> values.Result:
    """Declare a parameter, the members of a struct one by one, and say what its name stands for."""
    type_, name = parameter.type, parameter.name
    inner = bare(type_)
    if isinstance(type_, Reference):
        raise low.refused(f"the reference `{name}` as a parameter of a kernel", "pass a pointer")
    parts = tuple(_leaf(low, f"{name}{leaf.name}", leaf.type) for leaf in layout.leaves(type_))
    value = values.StructValue(inner, parts) if isinstance(inner, Struct) else parts[0]
    if not assigned and not memory.has_array(inner):
        return value
    place = low.variable(name, type_, ("parameter", name))
    if isinstance(place.address.region, values.Variable) and isinstance(value, values.NumberValue):
        assert isinstance(value.operand, Register)
        place.address.region.slots[0].register = value.operand
    else:
        low.write(place, value)
    return place


def _leaf(low: lowering.Lowering, name: str, type_: CType) -> values.LeafValue:
    inner = bare(type_)
    if memory.is_address(inner):
        array = ArrayOperand(name, layout.element_of(inner.target), 1, Space.GLOBAL, pointer=True)
        low.builder.parameters.append(array)
        return values.PointerValue(inner, values.Address(array))
    scalar = layout.scalar_of(inner)
    if scalar is None:
        raise low.refused(f"`{type_} {name}` as a parameter of a kernel", "pass a number instead")
    register = Register(name, scalar)
    low.builder.parameters.append(register)
    return values.NumberValue(inner, register)
