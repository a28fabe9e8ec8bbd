"""What does lowering know at each moment? The text, the function it is in, and how to go on with a cursor."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from clang.cindex import Cursor, CursorKind

from gpusim.errors import KernelTypeError, UnsupportedConstruct
from gpusim.frontends import flow, fold
from gpusim.frontends.cuda_cpp import addresses, clang, memory, type_reader, types, values
from gpusim.frontends.site import Exits, Site
from gpusim.ir.builder import Builder
from gpusim.ir.instructions import ArrayOperand, Constant, Opcode, Operand, Register
from gpusim.ir.types import PRED, S8, Scalar
from gpusim.source import Source, Span

if TYPE_CHECKING:
    from gpusim.frontends.cuda_cpp.recursion import Activation
    from gpusim.frontends.cuda_cpp.unit import Unit

Expression = Callable[["Lowering", Cursor], values.Result]
Statement = Callable[["Lowering", Cursor], object]


@dataclass
class Whole:
    """An expression that stands for itself: the objects without a name that end behind it.

    Those in a part of it that is left out `perhaps` end where their flag says that they have `begun`.
    """

    key: tuple[Any, ...] = ()
    begun: list[Register] = field(default_factory=list)
    objects: list[tuple[values.Place, Register | None]] = field(default_factory=list)
    perhaps: int = 0


@dataclass
class Scope:
    """A block: its objects with destructors, each with the place where it is declared."""

    cursor: Cursor
    objects: list[tuple[int, values.Place]] = field(default_factory=list)

    def without(self, kept: values.Result | None) -> Scope:
        """The same, but this object does not end."""
        return Scope(self.cursor, [one for one in self.objects if one[1] is not kept])


@dataclass
class Frame:
    """A function being lowered, perhaps inside another. `path` tells its call apart from all others.

    `names` are its variables, by their declarations; those it does not know are of `outer`, the function that
    a lambda stands in. `scopes` are the objects to be destroyed, innermost block last; `depths` says for each
    loop and switch how many of these blocks stay where `break` leads, and where `continue` does. `kept` is
    the variable that all `return`s name; a `result` is given at the end, an `outcome` anywhere. `first` is
    what a constructor does before its body. All of it stands at `pinned`, if that is given.
    """

    source: Source
    function: Any = None
    path: tuple[Any, ...] = ()
    caller: Span | None = None
    result_type: types.CType = types.VOID
    result: values.Result | None = None
    outcome: Any = None
    single: bool = False
    kept: int | None = None
    recursive: bool = False
    this: Any = None
    first: Callable[[Any], None] | None = None
    outer: Frame | None = None
    pinned: Span | None = None
    names: dict[int, values.Result] = field(default_factory=dict)
    labels: dict[str, int] = field(default_factory=dict)
    scopes: list[Scope] = field(default_factory=list)
    depths: list[tuple[int, int]] = field(default_factory=list)
    exits: Exits = field(default_factory=Exits)

    def find(self, declaration: int) -> values.Result | None:
        """What a variable stands for; None if it is none of this function."""
        if declaration in self.names or self.outer is None:
            return self.names.get(declaration)
        return self.outer.find(declaration)


class Lowering:
    """Lowers cursors by the tables of `expressions` and `statements` of its unit.

    `frame` is the function being lowered and `at` the place in it. `choices` says how those variables are
    held whose usual form did not do. What was met so far: `symbols` of the device and `dynamic` shared
    arrays, each with its array; `registers` of variables; `parts` of arrays, as other elements. `activations`
    are the functions that call themselves and are being lowered, by their definitions.
    """

    def __init__(self, unit: Unit, builder: Builder, choices: dict[Any, str]) -> None:
        self.unit, self.device, self.builder, self.choices = unit, unit.device, builder, choices
        self.frame, self.at = Frame(builder.source), Span(builder.source, builder.source.first_line)
        self.full, self.cursor = Whole(), Cursor()
        self.symbols: dict[str, ArrayOperand] = {}
        self.dynamic: dict[Any, ArrayOperand] = {}
        self.parts: dict[Any, ArrayOperand] = {}
        self.registers: list[Register] = []
        self.activations: dict[int, Activation] = {}

    # functions of other modules, under the names that all use
    access, as_number, scaled, frozen = (
        addresses.access, addresses.as_number, addresses.scaled, addresses.frozen,
    )  # fmt: skip
    variable, local, stack, storage = memory.variable, memory.local, memory.stack, memory.storage
    read, write, load, store = memory.read, memory.write, memory.load, memory.store
    operand, check_writable = memory.operand, memory.check_writable

    # where it stands --------------------------------------------------------------------------------------

    @property
    def site(self) -> Site:
        """Where instructions go, and lanes that leave."""
        return Site(self.builder, self.at, self.frame.exits)

    @property
    def activation(self) -> Activation | None:
        """The innermost function that calls itself and is being lowered."""
        return next(reversed(self.activations.values()), None)

    def span(self, cursor: Cursor) -> Span:
        """Where a piece of the text stands, and from where its function was called."""
        return self.frame.pinned or self._of_function(self.unit.parsed.span(cursor, self.frame.caller))

    def go_to(self, cursor: Cursor) -> None:
        """What follows is made of this piece of the text."""
        self.at = self.span(cursor)

    def site_of(self, cursor: Cursor) -> Site:
        """Where instructions go that are made of this piece of the text."""
        return Site(self.builder, self.span(cursor), self.frame.exits)

    def _of_function(self, place: Span) -> Span:
        """The same place in the lines of the function alone."""
        own = self.frame.source
        inside = 0 <= place.line - own.first_line < len(own.lines) and own.filename == place.source.filename
        return Span(own, place.line, place.column, place.caller) if inside else place

    def closing(self, body: Cursor) -> Span:
        """Where the brace at the end of a body stands."""
        place = self.unit.parsed.place(body.extent.end, self.frame.caller)
        return self._of_function(replace(place, column=max(place.column - 1, 0)))

    def text(self, cursor: Cursor) -> str:
        written = " ".join(clang.text(cursor).split())
        return written if len(written) <= 40 else f"{written[:37]}..."

    def wrong(self, message: str, hint: str = "") -> KernelTypeError:
        """The program is wrong here."""
        return KernelTypeError(message, self.at, hint)

    def refused(self, what: str, hint: str = "") -> UnsupportedConstruct:
        """The program is right, but what stands here is not for kernels."""
        return UnsupportedConstruct(f"{what} is not supported in a kernel", self.at, hint)

    def choose(self, key: Any, choice: str) -> NoReturn:
        """Start again with another representation of a variable."""
        assert self.choices.get(key) != choice, (key, choice)
        self.choices[key] = choice
        raise flow.Again

    def into_memory(self, variable: values.Variable) -> NoReturn:
        """The address of this variable is used as a number: it must live in memory."""
        self.choose(variable.key, "memory")

    # numbers ----------------------------------------------------------------------------------------------

    def emit(self, opcode: Opcode, type_: Scalar, *operands: Operand, **more: Any) -> Register:
        return self.builder.value(opcode, type_, operands, self.at, **more)

    def cast(self, operand: Operand, scalar: Scalar) -> Operand:
        """The number in another type, as a cast of C does it."""
        return fold.truth(self.site, operand) if scalar is PRED else fold.cast(self.site, operand, scalar)

    def bits(self, operand: Operand, scalar: Scalar) -> Operand:
        """The same bits as another type of the same width."""
        if operand.type is scalar:
            return operand
        if isinstance(operand, Constant):
            number = np.asarray(operand.value).astype(operand.type.dtype).view(scalar.dtype)[()]
            return Constant(number.item(), scalar)
        return self.emit(Opcode.REINTERPRET, scalar, operand)

    def copied(self, operand: Operand) -> Operand:
        """A value that later assignments to the variable it came from do not change."""
        kept = fold.copied(self.site, operand)
        if kept is not operand:
            self.builder.hold(kept)
        return kept

    def kept(self, value: values.Value) -> values.Value:
        """The value, also after the variables that it was computed from have changed."""
        match value:
            case values.NumberValue(type_, operand):
                return values.NumberValue(type_, self.copied(operand))
            case values.PointerValue(type_, address):
                return values.PointerValue(type_, self.frozen(address))
            case values.StructValue(type_, leaves):
                return values.StructValue(type_, tuple(map(self.kept, leaves)))  # type: ignore[arg-type]
        return value

    def move(self, operand: Operand, into: Register, among_last: int = 1) -> None:
        """Assign to a register; the instruction that made the value, among the last, may do it itself."""
        if operand is into or not self.builder.retarget(operand, into, among_last):
            fold.move(self.site, operand, into)

    # expressions ------------------------------------------------------------------------------------------

    def type(self, cursor: Cursor) -> types.CType:
        """The type that clang gave it."""
        found = self.unit.types.read(cursor.type)
        if (refusal := type_reader.unknown(found)) is not None and refusal[1]:
            raise self.refused(*refusal)
        if cursor.kind is CursorKind.PARM_DECL and isinstance(found, types.Array | types.FunctionType):
            return types.Pointer(found.element if isinstance(found, types.Array) else found)
        return found

    def evaluate(self, cursor: Cursor) -> values.Result:
        """The place or the value that an expression stands for."""
        self.at, self.cursor = self.span(cursor), cursor
        lower = self.unit.expressions.get(cursor.kind)
        if lower is None:
            raise self.refused(f"`{self.text(cursor)}`")
        return lower(self, cursor)

    def value(self, cursor: Cursor) -> values.Value:
        """The value of an expression; arrays become pointers."""
        return self.read(self.evaluate(cursor))

    def known(self, cursor: Cursor, type_: types.CType) -> values.NumberValue | None:
        """The number that an expression, or a variable, is while compiling: `42`, `'a'`, `sizeof(x)`."""
        kind = types.number_type(type_)
        found = None if kind is None else clang.constant(cursor)
        if kind is None or found is None:
            return None
        return values.NumberValue(types.bare(type_), fold.constant(found, kind.scalar))

    def number(self, cursor: Cursor) -> values.Value:
        """What must be known while compiling."""
        type_ = types.bare(self.type(cursor))
        found = self.known(cursor, type_)
        if found is None:
            of_type = f", of type {type_}," * (types.number_type(type_) is None)
            raise self.refused(f"`{self.text(cursor)}`{of_type}")
        return found

    @contextmanager
    def aside(self) -> Iterator[None]:
        """What is lowered here never runs: only its value or its type is wanted."""
        around, known, full = self.builder, dict(self.dynamic), self.full
        self.builder, self.full = Builder(self.builder.name, self.builder.source), Whole()
        try:
            yield
        finally:
            self.builder, self.dynamic, self.full = around, known, full

    @contextmanager
    def of(self, this: values.Result) -> Iterator[None]:
        """What is lowered here belongs to this object, as what stands with its members."""
        around, self.frame.this = self.frame.this, this
        try:
            yield
        finally:
            self.frame.this = around

    # statements -------------------------------------------------------------------------------------------

    def statement(self, cursor: Cursor) -> None:
        """Lower one statement. What cannot be reached makes no instruction."""
        self.at, self.cursor = self.span(cursor), cursor
        lower = self.unit.statements.get(cursor.kind)
        if cursor.kind.is_expression():
            with self.whole():
                self.discard(cursor)
        elif lower is not None:
            lower(self, cursor)
        elif cursor.kind.is_statement():
            raise self.refused(f"`{self.text(cursor)}`")

    @contextmanager
    def whole(self) -> Iterator[None]:
        """What is lowered here is a whole expression: objects without a name end behind it."""
        around, key = self.full, ("flags", self.frame.path, self.at.line, self.at.column)
        begun = [self.builder.temporary(PRED) for _ in range(int(self.choices.get(key, 0)))]
        for flag in begun:
            fold.move(self.site, Constant(False, PRED), flag)
        self.builder.hold(*begun)
        self.full = Whole(key, begun)
        try:
            yield
            for place, known in reversed(self.full.objects):
                site, end = self.site, partial(self.unit.end, self, place)
                if known is None:
                    end()
                else:
                    flow.choose(site, partial(flow.branch, site, known), [flow.Side(end, self.at)])
        finally:
            self.full = around

    @contextmanager
    def perhaps(self) -> Iterator[None]:
        """What is lowered here is a part of the expression that some lanes leave out."""
        self.full.perhaps += 1
        yield
        self.full.perhaps -= 1

    def ends_behind(self, place: values.Place) -> None:
        """An object that ends with the whole expression, if it has begun."""
        flag = None
        if self.full.perhaps:
            used = sum(known is not None for _, known in self.full.objects)
            if used == len(self.full.begun):
                self.choose(self.full.key, str(used + 1))
            flag = self.full.begun[used]
            fold.move(self.site, Constant(True, PRED), flag)
        self.full.objects.append((place, flag))

    def ends_with_block(self, place: values.Place, cursor: Cursor) -> None:
        """Objects without a name that would end with the expression live on, as this place is in one."""
        region = place.address.region
        bound = [one for one in self.full.objects if one[0].address.region is region]
        self.full.objects = [one for one in self.full.objects if one not in bound]
        self.frame.scopes[-1].objects += [(clang.begin(cursor), one) for one, _flag in bound]

    def temporary(self, value: values.Value) -> values.Place:
        """An object without a name, with this value."""
        key = self.frame.path, "temporary", self.at, len(self.full.objects)
        place = self.variable(str(value.type), value.type, key)
        self.write(place, value)
        if self.unit.classes.ends(value.type):
            self.ends_behind(place)
        return place

    def discard(self, cursor: Cursor) -> None:
        """Evaluate for the effects only: an assignment is not read back."""
        inner = clang.inner(cursor)
        self.go_to(inner)
        lower = self.unit.statements.get(inner.kind)
        if lower is not None:
            lower(self, inner)
        else:
            self.unused(self.value(cursor))

    def unused(self, result: values.Result) -> None:
        """A value that nobody wants; an object ends with the expression."""
        if isinstance(result, values.StructValue) and self.unit.classes.ends(result.type):
            self.temporary(result)

    # texts ------------------------------------------------------------------------------------------------

    def pointed(self, value: values.Value) -> values.Value:
        """A text as a pointer to its first character, in constant memory; other values as they are."""
        if not isinstance(value, values.TextValue):
            return value
        offset = self.unit.text_offset(value.text)
        if "texts" not in self.dynamic:
            letters = np.frombuffer(bytes(self.unit.texts), np.int8)
            region = self.builder.constant("texts", S8, letters, "C")
            self.dynamic["texts"] = replace(region, pointer=True)
        address = values.Address(self.dynamic["texts"], (), offset)
        return values.PointerValue(types.Pointer(types.constant(types.CHAR)), address)
