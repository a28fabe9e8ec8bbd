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
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from importlib import resources
from typing import Any

from clang.cindex import Cursor, CursorKind

from gpusim.devices import Device
from gpusim.errors import GpuSimError
from gpusim.frontends import flow
from gpusim.frontends.cuda_cpp import asking, clang, diagnostics, entry, instances, objects, outside, shapes
from gpusim.frontends.cuda_cpp.changed import changed
from gpusim.frontends.cuda_cpp.classes import Classes
from gpusim.frontends.cuda_cpp.inlining import body_of
from gpusim.frontends.cuda_cpp.lowering import Frame, Lowering
from gpusim.frontends.cuda_cpp.names import SPECIAL_VECTORS
from gpusim.frontends.cuda_cpp.reader import Definitions, parse
from gpusim.frontends.cuda_cpp.tables import EXPRESSIONS, STATEMENTS
from gpusim.frontends.cuda_cpp.type_reader import TypeReader
from gpusim.frontends.cuda_cpp.types import CType, FunctionType, Pointer, bare
from gpusim.frontends.cuda_cpp.values import Captured
from gpusim.ir.builder import Builder
from gpusim.source import CPP, Source

K = CursorKind
OUTSIDE = frozenset(("__device__", "__constant__", "managed"))
AS_POINTERS = frozenset(("__device__", "__global__"))
RUNTIME = (resources.files(__package__) / "prelude" / "runtime.h").read_text(encoding="utf-8")
OF_RUNTIME = frozenset(re.findall(r"^template <int = 0> .*? (cuda\w+)\(", RUNTIME, re.MULTILINE))
SPECIAL = (*SPECIAL_VECTORS, "warpSize")


class Unit:
    """A text, read once for a device. Raises a `KernelSyntaxError` or a `GpuSimError` with its place.

    `declared` says which symbol a variable outside of functions is, or what is wrong with it; `used` is what
    the kernel that is being compiled needs; `texts` are the letters of all literals that pointers point to.
    """

    def __init__(
        self,
        source: Source,
        device: Device,
        definitions: Definitions = (),
        folders: Sequence[str] = (),
        chosen: str = "",
        questions: tuple[str, ...] = (),
    ) -> None:
        self.source, self.device, self._options, self.chosen = source, device, (definitions, folders), chosen
        self.launched: dict[str, instances.Launched] = {}
        self.answers = answers = asking.Answers(questions)
        choice = f"\n{chosen};\n" if chosen else ""
        self.parsed = parse(source, device, definitions, choice + answers.text, folders)
        self.types = TypeReader(answers, self.parsed.span)
        self.classes = Classes(self.parsed, answers, self.types)
        before = source.text.count("\n") + choice.count("\n") + 2
        for one in self.parsed.diagnostics:
            if 0 <= (number := clang.place(one.location)[1] - before) < len(questions):
                answers.wrong.setdefault(questions[number], str(one.spelling))
        self.symbols: dict[str, outside.Symbol] = {}
        self.declared: dict[int, str | Exception] = {}
        self.tables: dict[int, Any] = {}
        self.functions: dict[str, Cursor] = {}
        self.numbers: list[str] = []
        self.statics: dict[str, str] = {}  # which symbol a static variable of a function is
        self.closures: dict[Any, tuple[list[Captured], Frame]] = {}
        self.texts = bytearray(1)  # so that no text begins where nothing does
        self.has_main = self.dispatched = self._searched = False
        self.used: dict[int, Cursor] = {}
        self._kernels: dict[str, list[Cursor]] = {}
        self._changed: dict[int, frozenset[int]] = {}
        self._chosen: Cursor | None = None
        found = self._found(self.parsed.cursors, "")
        for cursor, title in [one for one in found if not answers.take(one[0])]:
            self._take(cursor, title + cursor.spelling)

    def _found(self, cursors: Sequence[Cursor], title: str) -> Iterator[tuple[Cursor, str]]:
        for cursor in cursors:
            space = f"{cursor.spelling}::" * (cursor.kind is K.NAMESPACE)
            if space or cursor.kind in (K.LINKAGE_SPEC, K.UNEXPOSED_DECL):
                yield from self._found(clang.children(cursor), title + space)
            else:
                yield cursor, title

    def _take(self, cursor: Cursor, name: str) -> None:
        if cursor.kind in (K.FUNCTION_DECL, K.FUNCTION_TEMPLATE):
            if "__global__" in clang.attributes(cursor):
                self._kernels.setdefault(name, []).append(cursor)
            self.has_main |= name == "main"
        elif cursor.kind is K.VAR_DECL and cursor.spelling == instances.CHOSEN:
            found = shapes.function_of(cursor)
            self._chosen = found if found is not None and "__global__" in clang.attributes(found) else None
        elif cursor.kind is K.VAR_DECL and clang.attributes(cursor) & OUTSIDE:
            try:
                self.symbols[name] = outside.symbol(self, cursor, name)
                self.declared[cursor.canonical.hash] = name
            except Exception as failure:  # kernels that do not name it do not mind
                self.declared[cursor.canonical.hash] = failure

    # what the text offers ---------------------------------------------------------------------------------

    @property
    def kernels(self) -> tuple[str, ...]:
        return tuple(self._kernels)

    @property
    def templates(self) -> tuple[str, ...]:
        """Those kernels that need more than their name: template arguments, or parameters to choose by."""
        return tuple(name for name, found in self._kernels.items() if len(instances.distinct(found)) != 1)

    @property
    def left_out(self) -> tuple[str, ...]:
        """The headers of the reader's own, as their quotation marks say, that were not found."""
        return tuple(name for name in self.parsed.missing if f'"{name}"' in self.source.text)

    def first_error(self) -> GpuSimError | None:
        """What may hide a kernel."""
        return diagnostics.first_error(self.parsed)

    # what lowering asks -----------------------------------------------------------------------------------

    end, item = staticmethod(objects.end), staticmethod(objects.item)
    start, default = staticmethod(objects.start), staticmethod(objects.default)
    outside, table = staticmethod(outside.variable), staticmethod(outside.table)

    expressions, statements = EXPRESSIONS, STATEMENTS

    def number_of(self, function: Cursor) -> int:
        """What a pointer to a function holds, from 1: the same however often the text is read."""
        self.find_functions()
        name = function.get_usr()
        self.functions.setdefault(name, function)
        if name not in self.numbers:
            self.numbers.append(name)
        return self.numbers.index(name) + 1

    def numbered(self, number: int) -> Cursor | None:
        """The function to which a pointer that holds this points; None where this kernel knows of none."""
        return self.functions.get(dict(enumerate(self.numbers, 1)).get(number, ""))

    def find_functions(self) -> None:
        """Number all functions whose address is taken in the text."""
        if not self._searched:
            self._searched = True
            for cursor in self.parsed.cursors:
                self._find_handed_out(cursor)

    def _find_handed_out(self, cursor: Cursor) -> None:
        """Functions that are named where none is called: a pointer to one may come from another kernel."""
        named, below = cursor.referenced, clang.children(cursor)
        is_name = cursor.kind is K.DECL_REF_EXPR and named is not None and named.kind is K.FUNCTION_DECL
        if is_name and self.parsed.source_of(named.location) and AS_POINTERS & {*clang.attributes(named)}:
            self.number_of(named.get_definition() or named)
        called = clang.inner(below[0]) if cursor.kind is K.CALL_EXPR and below else None
        names = called is not None and called.kind is K.DECL_REF_EXPR and called.referenced is not None
        for child in below[1:] if names else below:
            self._find_handed_out(child)

    def text_offset(self, text: str) -> int:
        """Where a text begins among those that pointers point to."""
        letters = text.encode("latin-1") + b"\0"
        if letters not in self.texts:
            self.texts += letters
        return self.texts.index(letters)

    def function(self, name: str) -> Cursor:
        """The function that this expression names outside of all others."""
        return shapes.function_of(self.answers.to(asking.FUNCTION.replace("{function}", name)))

    def overload(self, cursor: Cursor, type_: CType) -> Cursor | None:
        """The function of a pointer's type that is meant by a name in `{…}` which several have."""
        of_function = isinstance(type_, Pointer) and isinstance(bare(type_.target), FunctionType)
        name = clang.overloaded(cursor) if of_function else ""
        return self.function(f"static_cast<{type_}>({name})") if name else None

    def definition(self, function: Cursor) -> Cursor:
        """The function with its body, where this is a declaration of it, perhaps of the device runtime's."""
        self.used[function.hash] = function
        found = function if body_of(function) is not None else function.get_definition()
        if found is None and function.spelling in OF_RUNTIME:
            return self.function(f"{function.spelling}<0>")
        return found or function

    def changed(self, function: Cursor) -> frozenset[int]:
        if function.hash not in self._changed:
            self._changed[function.hash] = changed(function)
        return self._changed[function.hash]

    def changes(self, variable: Cursor) -> bool:
        """May any function of the text change it?"""
        return any(variable.hash in self.changed(one) for one in self.parsed.cursors)

    def excerpt(self, function: Cursor) -> Source:
        """The lines of a function, as a source of its own; `template <…>` is one of them."""
        written = clang.template_of(function) or function
        begin, end = (self.parsed.place(at) for at in (written.extent.start, written.extent.end))
        whole = begin.source
        lines = whole.lines[begin.line - whole.first_line : end.line - whole.first_line + 1]
        return Source(function.spelling, whole.filename, begin.line, lines, CPP)

    def check_callable(self, low: Lowering, function: Cursor) -> None:
        """Refuse a function without a body, unless clang makes it, and one of the host.

        A method counts as one of the host only if it says so.
        """
        if body_of(function) is None and not self.classes.is_implicit(function):
            raise low.wrong(f"`{function.spelling}` is declared, but has no body", "define it in this text")
        if self.parsed.source_of(function.location) is None:
            return
        written = function, function.canonical, clang.template_of(function) or function
        words = frozenset[str]().union(*map(clang.attributes, written))
        of_host = function.kind is K.FUNCTION_DECL or "__host__" in words
        if of_host and not words & {"__device__", "__global__"} and not clang.is_constexpr(function):
            name = function.spelling
            raise low.wrong(f"`{name}` is a function of the host", f"declare it `__device__ {name}(…)`")

    def is_special(self, declaration: Cursor) -> bool:
        return declaration.spelling in SPECIAL and self.parsed.source_of(declaration.location) is None

    # compiling --------------------------------------------------------------------------------------------

    def compile(self, name: str) -> entry.Compiled:
        """A kernel by its name, with template arguments where it has parameters: "axpy<float, 4>".

        Of several that share a name, by that and its parameters: "axpy(int, float*)".
        """
        short = re.split("[<(]", name)[0].strip()
        choice = instances.choice(name) if short != name.strip() else ""
        instance, chosen, questions = self.launched.get(name, instances.Launched("", choice))
        unit = self._read_again(chosen, questions) if chosen or questions else self
        templates = [one for one in self._kernels[short] if chosen and one.kind is K.FUNCTION_TEMPLATE]
        if unit._chosen is None and len(templates) == 1:  # perhaps a function of the host has its name, too
            form = instances.choice(name, templates[0])
            other = self._read_again(form, ())
            unit, chosen = (unit, chosen) if other._chosen is None else (other, form)
        while True:
            try:
                return unit._instance(instance) if instance else unit._compiled(name, short, chosen)
            except asking.Asked as asked:
                unit = self._read_again(chosen, (*unit.answers.questions, asked.args[0]))

    def _read_again(self, chosen: str, questions: tuple[str, ...]) -> Unit:
        unit = Unit(self.source, self.device, *self._options, chosen, questions)
        known = unit.symbols.keys() - self.symbols.keys()  # those whose first values took a question
        self.symbols |= {name: unit.symbols[name] for name in known}
        unit.symbols, unit.numbers, unit.statics = self.symbols, self.numbers, self.statics
        unit.classes.instances, unit.launched = self.classes.instances, self.launched
        return unit

    def _instance(self, identity: str) -> entry.Compiled:
        """An instance of a template that a kernel launches: it need not have a name, as one of a lambda."""
        roots = [one for one in self.parsed.cursors if self.parsed.source_of(one.location)]
        roots += [*self.answers.found.values(), *([self._chosen] if self._chosen else [])]
        found = instances.called(roots, identity)
        assert found is not None
        return self._settled(self.definition(found))

    def _compiled(self, name: str, short: str, chosen: str) -> entry.Compiled:
        kernels = self._kernels[short]
        functions = [self._chosen] if chosen else instances.distinct(kernels)
        if len(functions) == 1 and functions[0] is not None:
            function = self.definition(functions[0])
            if not chosen or body_of(function) is not None:
                return self._settled(function)
        found = diagnostics.errors_within(self.parsed, kernels) if chosen else None
        raise found or instances.unknown(self.parsed, kernels, name, short)

    def _settled(self, function: Cursor) -> entry.Compiled:
        """Compile; what clang found wrong in what the kernel uses is told, and nothing else."""
        choices: dict[Any, str] = {}
        used = self.used = {function.hash: function}
        self.types.used.clear()
        error = self._wrong()
        if error is not None:
            raise error
        try:
            compiled = flow.settled(lambda: self._attempt(function, choices))
        except asking.Asked:
            raise
        except Exception as failure:  # what Clang made of a mistake need not make sense
            error = self._wrong() or (None if isinstance(failure, GpuSimError) else self.first_error())
            if error is None:
                raise
        else:
            error = self._wrong() if len(used) > 1 or self.types.used else None
        if error is not None:
            raise error
        return replace(compiled, doubts=diagnostics.doubts_within(self.parsed, self._written(used.values())))

    def _written(self, cursors: Iterable[Cursor]) -> list[Cursor]:
        return [clang.template_of(one) or one for one in cursors]

    def _wrong(self) -> GpuSimError | None:
        cursors = [*self.used.values(), *self.types.used.values()]
        for name, (before, broken) in self.parsed.lost.items():
            if any(re.search(rf"\b{name}\b", clang.text(one)) for one in cursors):
                return diagnostics.errors_within(before, [broken]) or diagnostics.first_error(before)
        return diagnostics.errors_within(self.parsed, self._written(cursors))

    def _attempt(self, function: Cursor, choices: dict[Any, str]) -> entry.Compiled:
        known, letters = (len(self.functions), len(self.classes.with_objects)), len(self.texts)
        self.dispatched = False
        low = Lowering(self, Builder(function.spelling, self.excerpt(function)), choices)
        compiled = entry.compiled(low, function)
        more = self.dispatched and (len(self.functions), len(self.classes.with_objects)) != known
        if more or len(self.texts) != letters:
            raise flow.Again
        return compiled
