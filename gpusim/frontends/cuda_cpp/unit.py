"""What does a text of CUDA C++ offer? Kernels that can be compiled, and variables of the device.

>>> from gpusim import devices
>>> from gpusim.source import Source
>>> text = "__global__ void twice(int* x) { x[threadIdx.x] *= 2; }"
>>> unit = Unit(Source("text", "text.cu", 1, (text,)), devices.get("H200"))
>>> unit.kernels
('twice',)
>>> [str(parameter.type) for parameter in unit.compile("twice").parameters]
['int*']
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gpusim.devices import Device
from gpusim.errors import GpuSimError, KernelTypeError
from gpusim.frontends import flow
from gpusim.frontends.cuda_cpp import layout, types
from gpusim.frontends.cuda_cpp.access import has_array
from gpusim.frontends.cuda_cpp.assigned import assigned_names
from gpusim.frontends.cuda_cpp.declarations import DEVICE, Declarations
from gpusim.frontends.cuda_cpp.frame import Frame
from gpusim.frontends.cuda_cpp.layout import leaves, scalar_of
from gpusim.frontends.cuda_cpp.scope import (
    Function,
    Overloads,
    Parameter,
    Scope,
    Symbol,
    Template,
    changes_itself,
)
from gpusim.frontends.cuda_cpp.text import parser
from gpusim.frontends.cuda_cpp.types import CType, FunctionType, Pointer, Reference, Struct, bare
from gpusim.frontends.cuda_cpp.values import (
    Address,
    LeafValue,
    NumberValue,
    PointerValue,
    RegisterPlace,
    Result,
    StructValue,
)
from gpusim.ir import program
from gpusim.ir.builder import Builder
from gpusim.ir.instructions import ArrayOperand, Register
from gpusim.ir.types import Space
from gpusim.source import Source

Definitions = Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Compiled:
    """A kernel for the machine: `function` takes the leaves of `parameters`, then the arrays of `symbols`.

    `bounds` are the numbers of `__launch_bounds__`: threads a block, and blocks on a multiprocessor.
    """

    function: program.Function
    parameters: tuple[Parameter, ...]
    symbols: tuple[str, ...]
    bounds: tuple[int, int] | None = None


class Unit:
    """A text, read once for a device. Raises a `KernelSyntaxError` or a `GpuSimError` with its place."""

    def __init__(self, source: Source, device: Device, definitions: Definitions = ()) -> None:
        self.source, self.device = source, device
        self.tree = parser.parse(source, device, tuple(definitions))
        self.scope = Scope()
        self.kernel_names: list[str] = []
        self.symbols: dict[str, Symbol] = {}
        self.functions: list[Function] = []
        self.texts = bytearray(1)  # so that no text begins where nothing does
        self.enumerators: dict[Any, dict[str, Any]] = {}
        self.has_main = self.dispatched = False
        self.has_host_code = self._has_host_code(self.tree.root)
        self._assigned: dict[int, frozenset[str]] = {}
        self._declarations = Declarations(self, Builder(source.name, source), device, {})
        self._declarations.read_all(self.tree.root)

    def _has_host_code(self, root: Any) -> bool:
        """Is there a function for the host? Then types of the host may be in the text, too."""
        for node in root.named_children:
            if node.type == "linkage_specification":
                continue
            words = {child.type for child in node.children}
            if node.type == "function_definition" and not words & DEVICE:
                return True
        return False

    @property
    def kernels(self) -> tuple[str, ...]:
        """The names of the kernels, templates too."""
        return tuple(dict.fromkeys(self.kernel_names))

    @property
    def templates(self) -> tuple[str, ...]:
        """Those kernels that need template arguments."""
        found = []
        for name in self.kernels:
            overloads = self._named(name)
            if not any(isinstance(one, Function) and one.is_kernel for one in overloads.functions):
                found.append(name)
        return tuple(found)

    def _named(self, name: str) -> Overloads:
        scope: Any = self.scope
        *spaces, last = name.split("::")
        for space in spaces:
            scope = scope.names[space]
        found: Overloads = scope.names[last]
        return found

    # functions --------------------------------------------------------------------------------------------

    def number_of(self, function: Function) -> int:
        """What a pointer to a function holds: its place in `functions`, from 1."""
        if function not in self.functions:
            self.functions.append(function)
        return self.functions.index(function) + 1

    def text_offset(self, text: str) -> int:
        """Where a text begins among those that pointers point to."""
        letters = text.encode("latin-1") + b"\0"
        if letters not in self.texts:
            self.texts += letters
        return self.texts.index(letters)

    def definition(self, function: Function) -> Function:
        """The function with its body, where this is a declaration of it."""
        if function.body is None and function.owner is None:
            found = function.scope.find(function.name)
            wanted = [types.without_const(parameter.type) for parameter in function.parameters]
            for one in found.functions if isinstance(found, Overloads) else []:
                if not isinstance(one, Function) or one.body is None:
                    continue
                if [types.without_const(parameter.type) for parameter in one.parameters] == wanted:
                    return one
        return function

    def assigned_names(self, function: Function) -> frozenset[str]:
        """Which names does a body assign to, or hand out so that others may?"""
        if function.body is None:
            return frozenset()
        if function.body.id not in self._assigned:
            self._assigned[function.body.id] = assigned_names(function, self.tree.text)
        return self._assigned[function.body.id]

    # compiling --------------------------------------------------------------------------------------------

    def compile(self, name: str) -> Compiled:
        """A kernel by its name, with template arguments where it has parameters: "axpy<float, 4>"."""
        function = self._kernel(name)
        choices: dict[Any, str] = {}
        return flow.settled(lambda: self._attempt(function, choices))

    def _attempt(self, function: Function, choices: dict[Any, str]) -> Compiled:
        known, letters = len(self.functions), len(self.texts)
        self.dispatched = False
        compiled = self._lowered(function, choices)
        if (self.dispatched and len(self.functions) != known) or len(self.texts) != letters:
            raise flow.Again
        return compiled

    def _kernel(self, name: str) -> Function:
        short = name.partition("<")[0].strip()
        overloads = self._named(short)
        if short != name.strip():
            arguments = self._template_arguments(name)
            for one in overloads.functions:
                if isinstance(one, Template):
                    known = {p.name: a for p, a in zip(one.parameters, arguments, strict=False)}
                    complete = self._declarations.complete(one.parameters, known, one.scope, one.node)
                    if complete is not None and len(arguments) <= len(one.parameters):
                        made = self._declarations.function_instance(one, complete, one.node)
                        if made is not None and made.is_kernel:
                            return made
        for one in overloads.functions:
            if isinstance(one, Function) and one.is_kernel:
                if one.body is None:
                    raise KernelTypeError(
                        f"the kernel {short} is declared, but has no body",
                        self.tree.span(one.node),
                        "define it",
                    )
                return one
            if isinstance(one, Template):
                wanted = ", ".join(parameter.name for parameter in one.parameters)
                raise KernelTypeError(
                    f"{short} is a template",
                    self.tree.span(one.node),
                    f'name its arguments: "{short}<{wanted}>"',
                )
        raise KernelTypeError(f"{short} is not a kernel", hint="declare it __global__")

    def _template_arguments(self, name: str) -> tuple[Any, ...]:
        """What stands between < and > of "axpy<float, 4>"."""
        try:
            parsed = parser.parse(Source(name, name, 1, (f"using x = {name};",)), self.device)
            node: Any = parsed.root
            while node is not None and node.type != "template_type":
                node = node.named_children[-1] if node.named_children else None
            if node is not None:
                return self._declarations.template_arguments(node.child_by_field_name("arguments"))
        except GpuSimError as error:
            raise KernelTypeError(f'the kernel "{name}": {error.message}', hint=error.hint) from None
        raise KernelTypeError(
            f'"{name}" is not the name of a kernel', hint='write "name" or "name<float, 4>"'
        )

    def _lowered(self, function: Function, choices: dict[Any, str]) -> Compiled:
        builder = Builder(function.name, function.source)
        lowering = Declarations(self, builder, self.device, choices)
        lowering.frame = Frame(function, function.source)
        lowering.at = lowering.span(function.node)
        lowering.scope = scope = Scope(function.scope)
        assigned = self.assigned_names(function)
        for parameter in function.parameters:
            if not parameter.name:
                raise lowering.wrong("a parameter of a kernel has no name", function.node)
            scope.names[parameter.name] = self._parameter(lowering, parameter, parameter.name in assigned)
        body = function.body
        assert body is not None
        lowering.scope = Scope(scope)
        for statement in body.named_children:
            lowering.statement(statement)
        builder.parameters.extend(lowering.symbols.values())
        compiled = builder.finish(lowering.closing(body))
        bounds = self._bounds(function, lowering)
        return Compiled(compiled, function.parameters, tuple(lowering.symbols), bounds)

    def _bounds(self, function: Function, lowering: Declarations) -> tuple[int, int] | None:
        """`__launch_bounds__(threads, blocks)`; blocks is 1 where it is left out."""
        lowering.scope = function.scope
        for node in function.node.named_children:
            if node.type == "launch_bounds":
                threads, *blocks = (int(lowering.constant(value)) for value in node.named_children)
                if len(blocks) > 1:
                    raise lowering.refused("a cluster of thread blocks", node, "leave the third number out")
                return threads, blocks[0] if blocks else 1
        return None

    def _parameter(self, lowering: Declarations, parameter: Parameter, assigned: bool) -> Result:
        """Declare a parameter, the members of a struct one by one, and say what its name stands for."""
        type_, name = parameter.type, parameter.name
        inner = bare(type_)
        if isinstance(type_, Reference):
            raise lowering.refused(
                f"the reference `{name}` as a parameter of a kernel", lowering.at, "pass a pointer"
            )
        if isinstance(inner, Struct) and inner.fields is None:
            raise lowering.wrong(
                f"`{inner.name}` is declared, but not defined", lowering.at, "define its members first"
            )
        parts = tuple(self._leaf(lowering, f"{name}{leaf.path}", leaf.type) for leaf in leaves(type_))
        value = StructValue(inner, parts) if isinstance(inner, Struct) else parts[0]
        if not assigned and not (isinstance(inner, Struct) and (has_array(inner) or changes_itself(inner))):
            return value
        place = lowering.variable(name, type_, ("parameter", name))
        if isinstance(place, RegisterPlace) and isinstance(value, NumberValue):
            assert isinstance(value.operand, Register)
            place.variable.register = value.operand
        else:
            lowering.write(place, value, lowering.at)
        return place

    def _leaf(self, lowering: Declarations, name: str, type_: CType) -> LeafValue:
        inner = bare(type_)
        if isinstance(inner, Pointer) and not isinstance(bare(inner.target), FunctionType):
            array = ArrayOperand(name, layout.element_of(inner.target), 1, Space.GLOBAL, pointer=True)
            lowering.builder.parameters.append(array)
            return PointerValue(inner, Address(array))
        scalar = scalar_of(inner)
        if scalar is None or isinstance(inner, Pointer):
            raise lowering.refused(
                f"`{type_} {name}` as a parameter of a kernel", lowering.at, "pass a number instead"
            )
        register = Register(name, scalar)
        lowering.builder.parameters.append(register)
        return NumberValue(inner, register)
