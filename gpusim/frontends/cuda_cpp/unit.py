"""What does a text of CUDA C++ offer? Kernels that can be compiled, and variables of the device.

>>> from gpusim import devices
>>> from gpusim.source import CPP, Source
>>> text = "__global__ void twice(int* x) { x[threadIdx.x] *= 2; }"
>>> unit = Unit(Source("text", "text.cu", 1, (text,)), devices.get("H200"))
>>> unit.kernels
('twice',)
>>> [str(parameter.type) for parameter in unit.compile("twice").parameters]
['int *']
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from clang.cindex import Cursor, CursorKind, TypeKind

from gpusim.devices import Device
from gpusim.errors import GpuSimError, KernelTypeError
from gpusim.frontends import flow, fold
from gpusim.frontends.cuda_cpp import clang, initializers, layout, names, objects, shapes, variables
from gpusim.frontends.cuda_cpp.asking import (
    ASSIGN,
    CONSTRUCT,
    COPY,
    DESTROY,
    FUNCTION,
    MOVE,
    MOVE_ASSIGN,
    START,
    Answers,
    Asked,
)
from gpusim.frontends.cuda_cpp.changed import changed
from gpusim.frontends.cuda_cpp.diagnostics import errors_within, first_error, ticked
from gpusim.frontends.cuda_cpp.frame import Frame
from gpusim.frontends.cuda_cpp.inlining import body_of, parameters_of
from gpusim.frontends.cuda_cpp.layout import leaves, scalar_of
from gpusim.frontends.cuda_cpp.lowering import Lowering
from gpusim.frontends.cuda_cpp.memory import has_array
from gpusim.frontends.cuda_cpp.reader import Definitions, Parsed, parse
from gpusim.frontends.cuda_cpp.tables import EXPRESSIONS, STATEMENTS
from gpusim.frontends.cuda_cpp.type_reader import TypeReader, has_table
from gpusim.frontends.cuda_cpp.types import (
    Array,
    CType,
    Enumeration,
    FunctionType,
    Number,
    Pointer,
    Reference,
    Struct,
    bare,
    is_const,
)
from gpusim.frontends.cuda_cpp.values import (
    Address,
    Captured,
    LeafValue,
    MemoryPlace,
    NumberValue,
    PointerValue,
    RegisterPlace,
    Result,
    StructValue,
)
from gpusim.ir import program, reference
from gpusim.ir.builder import Builder
from gpusim.ir.instructions import ArrayOperand, Register
from gpusim.ir.types import Space
from gpusim.source import CPP, Source

K = CursorKind
CHOSEN = "gpusim_chosen"
OUTSIDE = frozenset(("__device__", "__constant__", "managed"))
HEAP = "gpusim_heap"
SPECIAL = (*names.SPECIAL_VECTORS, "warpSize")


@dataclass(frozen=True)
class Parameter:
    """A parameter of a kernel."""

    name: str
    type: CType


@dataclass(frozen=True)
class Symbol:
    """A `__device__` or `__constant__` variable. `initial` are its first bytes; None leaves them zero."""

    name: str
    type: CType
    space: Space
    initial: bytes | None = None
    managed: bool = False


@dataclass(frozen=True)
class Compiled:
    """A kernel for the machine: `function` takes the leaves of `parameters`, then the arrays of `symbols`.

    Behind those it takes the heap of the device, where it `takes_heap`.
    `bounds` are the numbers of `__launch_bounds__`: threads a block, and blocks on a multiprocessor.
    """

    function: program.Function
    parameters: tuple[Parameter, ...]
    symbols: tuple[str, ...]
    bounds: tuple[int, int] | None = None
    takes_heap: bool = False


class Unit:
    """A text, read once for a device. Raises a `KernelSyntaxError` or a `GpuSimError` with its place."""

    def __init__(
        self,
        source: Source,
        device: Device,
        definitions: Definitions = (),
        folders: Sequence[str] = (),
        chosen: str = "",
        questions: tuple[str, ...] = (),
    ) -> None:
        self.source, self.device, self._options = source, device, (definitions, folders)
        self.answers = Answers(questions)
        choice = f"\nstatic auto* {CHOSEN} = &{chosen};\n" if chosen else ""
        self.parsed: Parsed = parse(source, device, definitions, choice + self.answers.text, folders)
        self.types = TypeReader(self.answers, self.parsed.span)
        self.symbols: dict[str, Symbol] = {}
        self.instances: list[str] = []  # of class templates with virtual methods, of which there are objects
        self._classes: dict[Struct, None] = {}
        self._looked: set[int] = set()
        self.functions: list[Cursor] = []
        self.closures: dict[Any, tuple[list[Captured], Frame]] = {}
        self.texts = bytearray(1)  # so that no text begins where nothing does
        self.has_main = self.dispatched = False
        self.used: dict[int, Cursor] = {}
        self._kernels: dict[str, list[Cursor]] = {}
        self._variables: dict[int, str] = {}
        self._spoiled: dict[int, Exception] = {}
        self._changed: dict[int, frozenset[int]] = {}
        self._tables: dict[int, Any] = {}
        self._chosen: Cursor | None = None
        for cursor, title in self._declared(self.parsed.cursors, ""):
            self._take(cursor, title + cursor.spelling)

    def _declared(self, cursors: Sequence[Cursor], title: str) -> Iterator[tuple[Cursor, str]]:
        for cursor in cursors:
            if cursor.kind is K.NAMESPACE:
                yield from self._declared(clang.children(cursor), f"{title}{cursor.spelling}::")
            elif cursor.kind in (K.LINKAGE_SPEC, K.UNEXPOSED_DECL):
                yield from self._declared(clang.children(cursor), title)
            else:
                yield cursor, title

    def _take(self, cursor: Cursor, name: str) -> None:
        if self.answers.take(cursor):
            return
        if cursor.kind in (K.FUNCTION_DECL, K.FUNCTION_TEMPLATE):
            if "__global__" in clang.attributes(cursor):
                self._kernels.setdefault(name, []).append(cursor)
            self.has_main |= name == "main"
        elif cursor.kind is K.VAR_DECL and cursor.spelling == CHOSEN:
            found = shapes.initializer(cursor)
            while found is not None and found.kind is not K.DECL_REF_EXPR:
                found = (clang.children(found) or [None])[-1]
            self._chosen = None if found is None else found.referenced
        elif cursor.kind is K.VAR_DECL and clang.attributes(cursor) & OUTSIDE:
            try:
                self._symbol(cursor, name)
            except Exception as failure:  # kernels that do not name it do not mind
                self._spoiled[cursor.canonical.hash] = failure

    def _symbol(self, cursor: Cursor, name: str) -> None:
        words, type_ = clang.attributes(cursor), self.types.read(cursor.type)
        value = shapes.initializer(cursor)
        default = value is not None and value.kind is K.CALL_EXPR and not list(value.get_arguments())
        initial = None
        if value is not None and not (default and not clang.text(cursor).endswith(("}", ")"))):
            initial = self.initial_bytes(type_, value)
        space = Space.CONSTANT if "__constant__" in words else Space.GLOBAL
        self._variables[cursor.canonical.hash] = name
        self.symbols[name] = Symbol(name, type_, space, initial, "managed" in words)

    def initial_bytes(self, type_: CType, value: Cursor) -> bytes:
        """What a variable holds before anybody writes to it: one thread carries out its initializer."""
        numbers = known_numbers(value)
        element = _element(type_)
        if numbers is not None and isinstance(element, Number) and len(numbers) * element.size == type_.size:
            with np.errstate(all="ignore"):
                return np.array(
                    [fold.constant(n, element.scalar).value for n in numbers], element.scalar.dtype
                ).tobytes()
        choices: dict[Any, str] = {}

        def attempt() -> program.Function:
            builder = Builder("initial", self.source)
            low = self._lowering(builder, choices)
            memory = ArrayOperand("initial", layout.element_of(type_), 1, Space.GLOBAL, pointer=True)
            builder.parameters.append(memory)
            low.at = low.span(value)
            objects.start(low, MemoryPlace(_writable(type_), Address(memory)), value)
            return builder.finish(low.at)

        function = flow.settled(attempt)
        data = np.zeros(type_.size, np.uint8)
        given = data.view(layout.dtype_of(_element(type_)))
        reference.run(function, (1, 1, 1), (1, 1, 1), [given])
        return given.tobytes()

    # what the text offers ---------------------------------------------------------------------------------

    @property
    def kernels(self) -> tuple[str, ...]:
        """The names of the kernels, templates too."""
        return tuple(self._kernels)

    @property
    def templates(self) -> tuple[str, ...]:
        """Those kernels that need template arguments."""
        return tuple(
            name
            for name, cursors in self._kernels.items()
            if all(cursor.kind is K.FUNCTION_TEMPLATE for cursor in cursors)
        )

    def number_of(self, function: Cursor) -> int:
        """What a pointer to a function holds: its place in `functions`, from 1."""
        known = [one.canonical.hash for one in self.functions]
        if function.canonical.hash not in known:
            self.functions.append(function)
            return len(self.functions)
        return known.index(function.canonical.hash) + 1

    def text_offset(self, text: str) -> int:
        """Where a text begins among those that pointers point to."""
        letters = text.encode("latin-1") + b"\0"
        if letters not in self.texts:
            self.texts += letters
        return self.texts.index(letters)

    # functions and objects --------------------------------------------------------------------------------

    def definition(self, function: Cursor) -> Cursor:
        """The function with its body, where this is a declaration of it."""
        self.used[function.hash] = function
        return function if body_of(function) is not None else function.get_definition() or function

    def changed(self, function: Cursor) -> frozenset[int]:
        """Which variables may its body change?"""
        key = function.hash
        if key not in self._changed:
            self._changed[key] = changed(function)
        return self._changed[key]

    def excerpt(self, function: Cursor) -> Source:
        """The lines of a function, as a source of its own; `template <…>` is one of them."""
        written = clang.template_of(function) or function
        begin, end = (self.parsed.place(at) for at in (written.extent.start, written.extent.end))
        whole = begin.source
        lines = whole.lines[begin.line - whole.first_line : end.line - whole.first_line + 1]
        return Source(function.spelling, whole.filename, begin.line, lines, CPP)

    def check_defined(self, low: Lowering, function: Cursor) -> None:
        """Refuse a function without a body, unless clang makes it."""
        if not self.is_implicit(function):
            raise low.wrong(f"`{function.spelling}` is declared, but has no body", "define it in this text")

    def check_callable(self, low: Lowering, function: Cursor) -> None:
        """Refuse a function of the host."""
        if function.kind is not K.FUNCTION_DECL or self.parsed.source_of(function.location) is None:
            return
        words = clang.attributes(function) | clang.attributes(function.canonical)
        words |= clang.attributes(clang.template_of(function) or function)
        if not words & {"__device__", "__global__"} and not clang.is_constexpr(function):
            name = function.spelling
            raise low.wrong(f"`{name}` is a function of the host", f"declare it `__device__ {name}(…)`")

    def is_implicit(self, function: Cursor) -> bool:
        """Does clang make it: a copy, or a start member by member?"""
        if function.kind not in (K.CONSTRUCTOR, K.DESTRUCTOR, K.CXX_METHOD):
            return False
        return function.is_default_method() or _at(function) == _at(function.semantic_parent)

    def default_constructor(self, struct: Struct) -> Cursor | None:
        """The one that the text gives a struct for no arguments."""
        return self._method(struct, K.CONSTRUCTOR, START, lambda child: child.is_default_constructor())

    def destructor(self, struct: Struct) -> Cursor | None:
        """The one that the text gives a struct."""
        return self._method(struct, K.DESTRUCTOR, DESTROY)

    def copier(self, struct: Struct, assigning: bool = False, moving: bool = False) -> Cursor | None:
        """The constructor or assignment by which the text says how a struct is copied or moved."""
        kind = K.CXX_METHOD if assigning else K.CONSTRUCTOR

        def copies(child: Cursor) -> bool:
            return bool(
                child.is_copy_constructor() if not assigning else _assigns(child, TypeKind.LVALUEREFERENCE)
            )

        def moves(child: Cursor) -> bool:
            return bool(
                child.is_move_constructor() if not assigning else _assigns(child, TypeKind.RVALUEREFERENCE)
            )

        moved = self._method(struct, kind, MOVE_ASSIGN if assigning else MOVE, moves) if moving else None
        return moved or self._method(struct, kind, ASSIGN if assigning else COPY, copies)

    def constructor(self, struct: Struct, given: list[str]) -> Cursor | None:
        """The constructor for arguments of these types; None where a struct has none of its own."""
        own = self._own(
            struct, lambda child: child.kind in (K.CONSTRUCTOR, K.FUNCTION_TEMPLATE) and not _copies(child)
        )
        if not any(one.kind is K.CONSTRUCTOR or one.spelling == one.semantic_parent.spelling for one in own):
            return None
        fitting = [one for one in own if len(parameters_of(one)) == len(given)]
        known = [one for one in fitting if one.kind is K.CONSTRUCTOR]
        made_of_template = len(known) < len(fitting) or not clang.children(self.types.declarations[struct])
        exact = [one for one in known if _given(one) == given]
        if not made_of_template and len(exact or known) == 1:
            return (exact or known)[0]
        types = ", ".join(f"{one} a{at}" for at, one in enumerate(given))
        names = ", ".join(f"a{at}" for at in range(len(given)))
        return self.answers.called(
            CONSTRUCT.replace("{parameters}", types).replace("{arguments}", names), struct.name
        )

    def inherited(self, struct: Struct, constructor: Cursor) -> tuple[Struct, Cursor | None] | None:
        """The base whose constructor `using Base::Base` means, and that; None if the base inherits it."""
        name = constructor.spelling.partition("<")[0]
        if name == self.types.declarations[struct].spelling:
            return None
        for base in struct.bases:
            if self.types.declarations[base].spelling == name:
                return base, self.constructor(base, _given(constructor))
            if self.inherited(base, constructor) is not None:
                return base, None
        return None

    def _method(
        self,
        struct: Struct,
        kind: CursorKind,
        question: str,
        wanted: Callable[[Cursor], bool] = lambda _: True,
    ) -> Cursor | None:
        for child in self._own(struct, lambda one: one.kind is kind and wanted(one)):
            if clang.children(self.types.declarations[struct]):
                return child
            return self.answers.called(question, struct.name)
        return None

    def _own(self, struct: Struct, wanted: Callable[[Cursor], bool]) -> list[Cursor]:
        """What is written in a class, or in the template that it was made from, and has a body of its own."""
        declaration = self.types.declarations.get(struct)
        if declaration is None:
            return []
        below, template = clang.children(declaration), clang.template_of(declaration)
        found = below or (clang.children(template) if template is not None else ())
        return [
            one for one in found if wanted(one) and not self.is_implicit(one) and not one.is_deleted_method()
        ]

    # what the text calls by name, and what objects end with
    end = staticmethod(objects.end)
    ends, item, default = (
        staticmethod(objects.ends),
        staticmethod(objects.item),
        staticmethod(objects.default),
    )

    def function(self, name: str) -> Cursor:
        """A function of the prelude."""
        found = shapes.initializer(self.answers.to(FUNCTION.replace("{function}", name)))
        while found is not None and found.kind is not K.DECL_REF_EXPR:
            found = clang.children(found)[-1]
        assert found is not None
        return found.referenced

    def classes(self, struct: Struct) -> list[Struct]:
        """The class itself and those that are derived from it."""
        for name in self.instances:
            pointed = self.types.read(self.answers.to(f"static {name}* {{name}};").type.get_pointee())
            assert isinstance(pointed, Struct)
            self._classes.setdefault(pointed)
        for cursor in _records(self.parsed.cursors):
            if cursor.canonical.hash not in self._looked:
                self._looked.add(cursor.canonical.hash)
                found = self.types.read(cursor.type)
                if isinstance(found, Struct) and has_table(found):
                    self._classes.setdefault(found)
        return [one for one in self._classes if one is struct or self.types.derives(one, struct)]

    def note_class(self, struct: Struct) -> None:
        """There are objects of this class."""
        self._classes.setdefault(struct)
        declaration = self.types.declarations[struct]
        if clang.template_of(declaration) is not None and struct.name not in self.instances:
            self.instances.append(struct.name)

    def is_special(self, declaration: Cursor) -> bool:
        """Is it `threadIdx` or one of its kin?"""
        return declaration.spelling in SPECIAL and self.parsed.source_of(declaration.location) is None

    def outside(self, low: Lowering, declaration: Cursor) -> Result:
        """What a variable stands for that is declared outside of functions, or `static` in one."""
        name = self._variables.get(declaration.canonical.hash)
        type_ = self.types.read(declaration.type)
        if declaration.spelling == HEAP:
            return names.symbol(low, HEAP, type_, Space.GLOBAL)
        self.used[declaration.hash] = declaration
        if failure := self._spoiled.get(declaration.canonical.hash):
            raise failure
        if name is not None:
            return names.symbol(low, name, type_, self.symbols[name].space)
        if "__shared__" in clang.attributes(declaration):
            return variables.shared(low, declaration, type_)
        definition = declaration.get_definition() or declaration
        self.used[definition.hash] = definition
        value = shapes.initializer(definition)
        if is_const(type_) and value is not None:
            inner = bare(type_)
            kind = inner if isinstance(inner, Number) else getattr(inner, "underlying", None)
            known = clang.constant(definition) if isinstance(inner, Number | Enumeration) else None
            if known is not None and kind is not None:
                return NumberValue(inner, fold.constant(known, kind.scalar))
            return self.table(low, definition, type_, value)
        hint = "pass it as an argument, or declare it `__device__` or `__constant__`"
        raise low.wrong(f"`{declaration.spelling}` is a variable of the host", hint)

    def table(self, low: Lowering, declaration: Cursor, type_: CType, value: Cursor) -> Result:
        """`constexpr int table[] = {…}` is in constant memory where kernels index it."""
        key = declaration.hash
        if isinstance(bare(type_), Pointer):
            return initializers.initial(low, type_, value)
        if key not in self._tables:
            made = np.frombuffer(self.initial_bytes(type_, value), layout.dtype_of(_element(type_)))
            self._tables[key] = made
        if ("table", key) not in low.dynamic:
            element = layout.element_of(type_)
            table = low.builder.constant(declaration.spelling, element, self._tables[key], "C")
            low.dynamic["table", key] = replace(table, pointer=True)
        return MemoryPlace(type_, Address(low.dynamic["table", key]))

    # compiling --------------------------------------------------------------------------------------------

    def compile(self, name: str) -> Compiled:
        """A kernel by its name, with template arguments where it has parameters: "axpy<float, 4>"."""
        short = name.partition("<")[0].strip()
        chosen = "" if short == name.strip() else name
        unit = self._read_again(chosen, ()) if chosen else self
        while True:
            try:
                return unit._compiled(name, short, chosen)
            except Asked as asked:
                unit = self._read_again(chosen, (*unit.answers.questions, asked.question))

    def _read_again(self, chosen: str, questions: tuple[str, ...]) -> Unit:
        unit = Unit(self.source, self.device, *self._options, chosen, questions)
        unit.symbols, unit.instances = self.symbols, self.instances
        return unit

    def _compiled(self, name: str, short: str, chosen: str) -> Compiled:
        if chosen:
            if self._chosen is None or body_of(self._chosen) is None:
                raise errors_within(self.parsed, self._kernels[short]) or self._unknown(name)
            return self._settled(self._chosen)
        for one in self._kernels[short]:
            if one.kind is K.FUNCTION_DECL:
                return self._settled(one.get_definition() or one)
        one = self._kernels[short][0]
        raise KernelTypeError(f"{short} is a template", self.parsed.span(one), _arguments(one, short))

    def _unknown(self, name: str) -> GpuSimError:
        """What is wrong with the name of an instance of a template?"""
        short, end = name.partition("<")[0].strip(), len(self.source.lines)
        one = self._kernels[short][0]
        if one.kind is not K.FUNCTION_TEMPLATE:
            return KernelTypeError(f"{short} is no template", self.parsed.span(one), f'its name is "{short}"')
        said = [one for one in self.parsed.diagnostics if clang.place(one.location)[1] > end]
        why = f": {ticked(said[0].spelling)}" if said and CHOSEN not in said[0].spelling else ""
        span = self.parsed.span(one)
        return KernelTypeError(f'"{name}" names no kernel{why}', span, _arguments(one, short))

    def _settled(self, function: Cursor) -> Compiled:
        """Compile; what clang found wrong in what the kernel uses is told, and nothing else."""
        choices: dict[Any, str] = {}
        used = self.used = {function.hash: function}
        self.types.used.clear()
        error = self._wrong()
        if error is not None:
            raise error
        try:
            compiled = flow.settled(lambda: self._attempt(function, choices))
        except Asked:
            raise
        except Exception as failure:  # what Clang made of a mistake need not make sense
            error = self._wrong() or (None if isinstance(failure, GpuSimError) else self.first_error())
            if error is None:
                raise
        else:
            error = self._wrong() if len(used) > 1 or self.types.used else None
        if error is not None:
            raise error
        return compiled

    def _wrong(self) -> GpuSimError | None:
        cursors = [*self.used.values(), *self.types.used.values()]
        for name, (before, broken) in self.parsed.lost.items():
            if any(re.search(rf"\b{name}\b", clang.text(one)) for one in cursors):
                return errors_within(before, [broken]) or first_error(before)
        return errors_within(self.parsed, [clang.template_of(one) or one for one in cursors])

    def first_error(self) -> GpuSimError | None:
        """What may hide a kernel."""
        return first_error(self.parsed)

    def _attempt(self, function: Cursor, choices: dict[Any, str]) -> Compiled:
        known, letters = (len(self.functions), len(self._classes)), len(self.texts)
        self.dispatched = False
        compiled = self._lowered(function, choices)
        if (self.dispatched and (len(self.functions), len(self._classes)) != known) or len(
            self.texts
        ) != letters:
            raise flow.Again
        return compiled

    def _lowering(self, builder: Builder, choices: dict[Any, str]) -> Lowering:
        return Lowering(self, builder, choices, EXPRESSIONS, STATEMENTS)

    def _lowered(self, function: Cursor, choices: dict[Any, str]) -> Compiled:
        span = self.parsed.span(function)
        builder = Builder(function.spelling, self.excerpt(function))
        low = self._lowering(builder, choices)
        span = low.at = low.span(function)
        body = body_of(function)
        if body is None:
            raise KernelTypeError(
                f"the kernel {function.spelling} is declared, but has no body", span, "define it"
            )
        changes, parameters = self.changed(function), list[Parameter]()
        for cursor in parameters_of(function):
            parameter = Parameter(cursor.spelling, low.type(cursor))
            if not parameter.name:
                raise low.wrong("a parameter of a kernel has no name")
            low.at = low.span(cursor)
            parameters.append(parameter)
            low.frame.names[cursor.hash] = self._parameter(low, parameter, cursor.hash in changes)
        try:
            low.statement(body)
        except (AssertionError, AttributeError, IndexError, KeyError, ValueError) as gap:
            if isinstance(gap, GpuSimError) or self.parsed.diagnostics:
                raise
            hint = "the simulator should take it, or say what is wrong: please report it"
            raise low.refused(f"`{low.at.text.strip()}`", hint) from gap
        heap = low.symbols.pop(HEAP, None)
        builder.parameters.extend([*low.symbols.values(), *([heap] if heap else ())])
        compiled = builder.finish(low.closing(body))
        bounds = self._bounds(low, function)
        return Compiled(compiled, tuple(parameters), tuple(low.symbols), bounds, heap is not None)

    def _bounds(self, low: Lowering, function: Cursor) -> tuple[int, int] | None:
        """`__launch_bounds__(threads, blocks)`; blocks is 1 where it is left out."""
        given = clang.launch_bounds(function)
        if not given:
            return None
        written = re.search(r"__launch_bounds__\s*\(((?:[^()]|\([^()]*\))*)\)", clang.text(function))
        if written and re.sub(r"\([^()]*\)|<[^<>]*>", "", written[1]).count(",") > 1:
            low.at = low.span(function)
            raise low.refused("a cluster of thread blocks", "leave the third number out")
        threads, *blocks = (int(part.strip("UuLl()")) for part in given)
        return threads, blocks[0] if blocks else 1

    def _parameter(self, low: Lowering, parameter: Parameter, assigned: bool) -> Result:
        """Declare a parameter, the members of a struct one by one, and say what its name stands for."""
        type_, name = parameter.type, parameter.name
        inner = bare(type_)
        if isinstance(type_, Reference):
            raise low.refused(f"the reference `{name}` as a parameter of a kernel", "pass a pointer")
        parts = tuple(self._leaf(low, f"{name}{leaf.path}", leaf.type) for leaf in leaves(type_))
        value = StructValue(inner, parts) if isinstance(inner, Struct) else parts[0]
        if not assigned and not (isinstance(inner, Struct) and has_array(inner)):
            return value
        place = low.variable(name, type_, ("parameter", name))
        if isinstance(place, RegisterPlace) and isinstance(value, NumberValue):
            assert isinstance(value.operand, Register)
            place.variable.register = value.operand
        else:
            low.write(place, value, low.at)
        return place

    def _leaf(self, low: Lowering, name: str, type_: CType) -> LeafValue:
        inner = bare(type_)
        if isinstance(inner, Pointer) and not isinstance(bare(inner.target), FunctionType):
            array = ArrayOperand(name, layout.element_of(inner.target), 1, Space.GLOBAL, pointer=True)
            low.builder.parameters.append(array)
            return PointerValue(inner, Address(array))
        scalar = scalar_of(inner)
        if scalar is None or isinstance(inner, Pointer):
            raise low.refused(f"`{type_} {name}` as a parameter of a kernel", "pass a number instead")
        register = Register(name, scalar)
        low.builder.parameters.append(register)
        return NumberValue(inner, register)


def _given(function: Cursor) -> list[str]:
    return [one.get_canonical().spelling for one in function.type.argument_types()]


def _copies(function: Cursor) -> bool:
    return bool(function.is_copy_constructor() or function.is_move_constructor())


def _assigns(function: Cursor, kind: TypeKind) -> bool:
    """Is it an assignment of the same type, by this kind of reference?"""
    given = list(function.type.argument_types())
    own = len(given) == 1 and given[0].kind is kind
    return (
        own
        and function.spelling == "operator="
        and _record(given[0].get_pointee()) == function.semantic_parent.canonical
    )


def _record(type_: Any) -> Cursor:
    return type_.get_canonical().get_declaration().canonical


def _records(cursors: Sequence[Cursor]) -> Iterator[Cursor]:
    """Classes that are defined here, in namespaces, or in others; no templates."""
    for cursor in cursors:
        if cursor.kind in (K.STRUCT_DECL, K.CLASS_DECL) and cursor.is_definition():
            yield cursor
        if cursor.kind in (K.STRUCT_DECL, K.CLASS_DECL, K.NAMESPACE, K.LINKAGE_SPEC, K.UNEXPOSED_DECL):
            yield from _records(clang.children(cursor))


def known_numbers(value: Cursor) -> list[Any] | None:
    """The numbers of `{1, 2, 3}` or `{{1, 2}, {3, 4}}`; None where one is not written out, or left out."""
    if value.kind is not K.INIT_LIST_EXPR:
        known = None if value.kind is K.STRING_LITERAL else clang.constant(value)
        return None if known is None else [known]
    found = [known_numbers(child) for child in clang.children(value)]
    return None if None in found else [number for numbers in found for number in numbers or ()]


def _arguments(template: Cursor, name: str) -> str:
    """How is an instance named?"""
    kinds = (K.TEMPLATE_TYPE_PARAMETER, K.TEMPLATE_NON_TYPE_PARAMETER, K.TEMPLATE_TEMPLATE_PARAMETER)
    wanted = ", ".join(child.spelling for child in clang.children(template) if child.kind in kinds)
    return f'name its arguments: "{name}<{wanted}>"'


def _at(cursor: Cursor) -> tuple[int, int, int]:
    return clang.place(cursor.location)


def _element(type_: CType) -> CType:
    inner = bare(type_)
    while isinstance(inner, Array):
        inner = bare(inner.element)
    return inner


def _writable(type_: CType) -> CType:
    inner = bare(type_)
    return Array(_writable(inner.element), inner.length) if isinstance(inner, Array) else inner
