"""What does lowering know at each moment? The text, the function it is in, and how to go on with a cursor."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from clang.cindex import Cursor, CursorKind

from gpusim.errors import KernelTypeError, UnsupportedConstruct
from gpusim.frontends import flow, fold
from gpusim.frontends.cuda_cpp import clang, types, values
from gpusim.frontends.cuda_cpp.frame import Frame
from gpusim.frontends.cuda_cpp.memory import Memory
from gpusim.frontends.cuda_cpp.types import CType
from gpusim.ir.builder import Builder
from gpusim.ir.instructions import Constant, Opcode, Operand, Register
from gpusim.ir.types import PRED, S8, U64
from gpusim.source import Span

if TYPE_CHECKING:
    from gpusim.frontends.cuda_cpp.unit import Unit

Expression = Callable[["Lowering", Cursor], values.Result]
Statement = Callable[["Lowering", Cursor], None]
_HALVES = "use two of 64 bits: __umul64hi(a, b) is the upper half of a product"
TOO_WIDE = {
    "long double": "a GPU has `double` at most",
    "__float128": "a GPU has `double` at most",
    "__int128": _HALVES,
    "unsigned __int128": _HALVES,
}


@dataclass
class Whole:
    """An expression that stands for itself: the objects without a name that end behind it.

    Those in a part of it that is left out `perhaps` end where their flag says that they have `begun`.
    """

    key: tuple[Any, ...] = ()
    begun: list[Register] = field(default_factory=list)
    objects: list[tuple[values.Place, Register | None]] = field(default_factory=list)
    perhaps: int = 0


class Lowering(Memory):
    """Lowers cursors by the tables of `expressions` and `statements` of its unit."""

    def __init__(
        self,
        unit: Unit,
        builder: Builder,
        choices: dict[Any, str],
        expressions: Mapping[CursorKind, Expression],
        statements: Mapping[CursorKind, Statement],
    ) -> None:
        super().__init__(builder, unit.device, choices, Frame(builder.source))
        self.unit, self._expressions, self._statements = unit, expressions, statements
        self.full, self.cursor = Whole(), Cursor()

    def span(self, cursor: Cursor) -> Span:
        """Where a piece of the text stands, and from where its function was called."""
        return self.frame.pinned or self._of_function(self.unit.parsed.span(cursor, self.frame.caller))

    def _of_function(self, place: Span) -> Span:
        """The same place in the lines of the function alone."""
        own = self.frame.source
        inside = 0 <= place.line - own.first_line < len(own.lines) and own.filename == place.source.filename
        return replace(place, source=own) if inside else place

    def closing(self, body: Cursor) -> Span:
        """Where the brace at the end of a body stands."""
        place = self.unit.parsed.place(body.extent.end, self.frame.caller)
        return self._of_function(replace(place, column=max(place.column - 1, 0)))

    def type(self, cursor: Cursor) -> CType:
        """The type that clang gave it."""
        found = self.unit.types.read(cursor.type)
        if str(found) in TOO_WIDE:
            raise self.refused(f"`{found}`", TOO_WIDE[str(found)])
        if cursor.kind is CursorKind.PARM_DECL and isinstance(found, types.Array | types.FunctionType):
            return types.Pointer(found.element if isinstance(found, types.Array) else found)
        return found

    # expressions ------------------------------------------------------------------------------------------

    def evaluate(self, cursor: Cursor) -> values.Result:
        """The place or the value that an expression stands for."""
        self.at, self.cursor = self.span(cursor), cursor
        lower = self._expressions.get(cursor.kind)
        if lower is None:
            raise self.refused(f"`{self.text(cursor)}`")
        return lower(self, cursor)

    def value(self, cursor: Cursor) -> values.Value:
        """The value of an expression; arrays become pointers."""
        result = self.evaluate(cursor)
        return self.read(result, self.at)

    def number(self, cursor: Cursor) -> values.Value:
        """What is known while compiling: `42`, `1e-3f`, `'a'`, `true`, `sizeof(x)`."""
        type_ = types.bare(self.type(cursor))
        kind = number_type(type_)
        found = None if kind is None else clang.constant(cursor)
        if kind is None or found is None:
            raise self.refused(f"`{self.text(cursor)}`" + (f", of type {type_}," if kind is None else ""))
        return values.NumberValue(type_, fold.constant(found, kind.scalar))

    def place(self, cursor: Cursor) -> values.Place:
        """An expression that names an object."""
        result = self.evaluate(cursor)
        if not isinstance(result, values.Place):
            raise self.wrong(f"`{self.text(cursor)}` is const, or a value: it cannot be changed here")
        return result

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

    def text(self, cursor: Cursor) -> str:
        """What the reader wrote, in one line of at most 40 letters."""
        written = " ".join(clang.text(cursor).split())
        return written if len(written) <= 40 else f"{written[:37]}..."

    # statements -------------------------------------------------------------------------------------------

    def statement(self, cursor: Cursor) -> None:
        """Lower one statement. What cannot be reached makes no instruction."""
        self.at, self.cursor = self.span(cursor), cursor
        lower = self._statements.get(cursor.kind)
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
            fold.move(self.site(self.at), Constant(False, PRED), flag)
        self.builder.hold(*begun)
        self.full = Whole(key, begun)
        try:
            yield
            for place, known in reversed(self.full.objects):
                site, end = self.site(self.at), partial(self.unit.end, self, place)
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
            fold.move(self.site(self.at), Constant(True, PRED), flag)
        self.full.objects.append((place, flag))

    def temporary(self, value: values.Value) -> values.Place:
        """An object without a name, with this value."""
        type_ = value.type or types.VOID
        key = self.frame.path, "temporary", self.at, len(self.full.objects)
        place = self.variable(str(type_), type_, key)
        self.write(place, value, self.at)
        if self.unit.ends(self, type_):
            self.ends_behind(place)
        return place

    def discard(self, cursor: Cursor) -> None:
        """Evaluate for the effects only: an assignment is not read back."""
        inner = clang.inner(cursor)
        self.at = self.span(inner)
        lower = self._statements.get(inner.kind)
        if lower is not None:
            lower(self, inner)
        else:
            self.unused(self.value(cursor))

    def unused(self, result: values.Result) -> None:
        """A value that nobody wants; an object ends with the expression."""
        if isinstance(result, values.StructValue) and self.unit.ends(self, result.type):
            self.temporary(result)

    def write(self, place: values.Place, value: values.Value, span: Span, among_last: int = 1) -> None:
        """Assign a value of the place's own type."""
        super().write(place, self.pointed(value), span, among_last)

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

    def letters_of(self, value: values.Value, span: Span) -> tuple[Operand, bytes]:
        """Where a text begins among all texts of the program, and these."""
        start, value = self.pointed(values.TextValue(types.CHAR, "")), self.pointed(value)
        assert isinstance(start, values.PointerValue)
        if not isinstance(value, values.PointerValue) or value.type.target.size != 1:
            raise KernelTypeError(f"'%s' of {value.type}", span, "print numbers with %d or %f")
        letters = bytes(self.unit.texts)
        if value.address.region is start.address.region:
            begin = self.scaled(value.address, 1, span)
            assert begin is not None
            return begin, letters
        if value.address.region is not None:
            hint = "print a text that is written out, or an array character by character, with %c"
            raise UnsupportedConstruct("%s of an array of characters", span, hint)
        ends = (self.as_number(one, span) for one in (value.address, values.Address(start.address.region)))
        return self.builder.value(Opcode.SUB, U64, tuple(ends), span), letters

    # values -----------------------------------------------------------------------------------------------

    def kept(self, value: values.Value) -> values.Value:
        """The value, also after the variables that it was computed from have changed."""
        if isinstance(value, values.NumberValue):
            return values.NumberValue(value.type, self.copied(value.operand))
        if isinstance(value, values.PointerValue):
            return values.PointerValue(value.type, self.frozen(value.address))
        if isinstance(value, values.StructValue):
            return replace(value, leaves=tuple(self.kept(leaf) for leaf in value.leaves))  # type: ignore[misc]
        return value

    def member(self, place: values.StructPlace, offset: int, type_: CType) -> values.Place:
        """The member at this offset, under that type; it takes memory to see several as one."""
        found = self.part(place, offset, type_)
        if found is None:
            self.into_memory(place)
        return retyped(found, type_)


def retyped(place: values.Place, type_: CType) -> values.Place:
    """The same object, seen as another type of the same layout."""
    return replace(place, type=type_)


def number_type(type_: CType) -> types.Number | None:
    """The arithmetic type of a number or an enumerator; None of all else."""
    inner = types.bare(type_)
    if isinstance(inner, types.Enumeration):
        return inner.underlying
    return inner if isinstance(inner, types.Number) else None
