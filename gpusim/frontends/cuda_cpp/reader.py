"""How does a text become Clang's tree? With a header before it, and each place traced to the reader's lines.

>>> from gpusim import devices
>>> from gpusim.source import Source
>>> text = "__global__ void twice(int* x) { x[threadIdx.x] *= 2; }"
>>> parsed = parse(Source("text", "text.cu", 1, (text,)), devices.get("H200"))
>>> [cursor.spelling for cursor in parsed.cursors], parsed.diagnostics
(['twice'], [])
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from clang import cindex
from clang.cindex import CursorKind

from gpusim.devices import Device
from gpusim.errors import GpuSimError
from gpusim.frontends.cuda_cpp import clang, header, launch_text, shapes, texts
from gpusim.frontends.cuda_cpp.functions import prototypes
from gpusim.frontends.cuda_cpp.functions.prototypes import Builtin
from gpusim.source import CPP, Source, Span

K = CursorKind
Definitions = Sequence[tuple[str, str]]
DOUBTS = (
    "-Wuninitialized",
    "-Wsometimes-uninitialized",
    "-Wreturn-type",
    "-Wunused-value",
)
KEEP_GOING = 0x200  # past a header that was not found
NOT_FOUND = re.compile(r"'(.*)' file not found")
PASSED_OVER, CLASH, KNOWN = (texts.pattern("reader", name) for name in ("passed_over", "clash", "known"))
NOT_OFFERED = texts.table("reader", "not_offered")
# Instructions are counted as written, so loops are; and no mistake in it is worth a message.
UNROLLING = re.compile(r"^([ \t]*#[ \t]*pragma[ \t]+(?:no)?)unroll\b", re.MULTILINE)
ALIGNED = re.compile(r"(\b__shared__\s+)alignas\b")  # a word of as many letters
OWN = "__own"
# where a declaration without an indent begins, what stands before it has ended
WITH_BODY = (K.FUNCTION_DECL, K.FUNCTION_TEMPLATE, *clang.CLASSES)
BROKEN = re.compile(r"expected |extraneous |function definition is not allowed|kernel function '")
NEXT = re.compile(r"^(?:template\b|(?:[\w\"]+[ \t]+)*__(?:global|device)__)", re.MULTILINE)
# A toolkit's own headers say what is built in, in ways that only its compiler reads.
TOOLKIT = ("cuda_runtime.h", "stdio.h", "mc_runtime.h")


class Parsed:
    """A text as Clang understands it. Cursors live as long as this does."""

    def __init__(self, source: Source, device: Device, unit: Any, path: str) -> None:
        self.source, self.device, self.unit, self.path = source, device, unit, path
        self._header = header.path_of(device)
        self._files: dict[int, Source | None] = {}
        self.lost: dict[str, tuple[Parsed, Any]] = {}  # what had to be left out, as it was read before

    @cached_property
    def cursors(self) -> list[Any]:
        """What the text declares at its top level, and the files that it includes; nothing of our own.

        Clang lists functions that it made of templates, too; they are found where they are used.
        """
        found, templates = list[Any](), set[tuple[int, int, int]]()
        for cursor in clang.children(self.unit.cursor):
            place = clang.place(cursor.location)
            if cursor.kind is K.FUNCTION_TEMPLATE:
                templates.add(place)
            made = place in templates or cursor.lexical_parent.kind is not K.TRANSLATION_UNIT
            if self._source(place[0]) and (not made or cursor.kind is K.FUNCTION_TEMPLATE):
                found.append(cursor)
        return found

    @cached_property
    def methods(self) -> dict[int, list[Any]]:
        """The methods that Clang made for classes that it made of templates, by these."""
        found = dict[int, list[Any]]()
        for cursor in clang.children(self.unit.cursor):
            if cursor.lexical_parent.kind is not K.TRANSLATION_UNIT:
                found.setdefault(cursor.semantic_parent.canonical.hash, []).append(cursor)
        return found

    @cached_property
    def diagnostics(self) -> list[Any]:
        """What Clang finds wrong anywhere, in the order of the text; no missing headers, no warnings."""
        found = (one for one in self.unit.diagnostics if one.severity >= cindex.Diagnostic.Error)
        return [one for one in found if not PASSED_OVER.match(one.spelling)]

    @cached_property
    def doubts(self) -> list[Any]:
        """Reads of what was never written, ends without a promised value, names in vain."""
        found = (one for one in self.unit.diagnostics if one.option in DOUBTS)
        return [one for one in found if one.option != "-Wunused-value" or self._is_a_name(one.location)]

    def _is_a_name(self, location: Any) -> bool:
        """Is the whole statement there a name, such as a function's without the brackets?"""
        place = self.place(location)
        return re.match(r"\w+\s*;", place.text[place.column :]) is not None

    @property
    def clashing(self) -> tuple[str, ...]:
        """Names of our header that the text declares as something else."""
        found = []
        for one in self.diagnostics:
            place = self.place(one.location)
            notes = [self.source_of(note.location) for note in list(one.children)[:1]]
            if CLASH.search(one.spelling) and notes == [None]:
                found += re.findall(r"^\w+", place.text[place.column :])
        return tuple(dict.fromkeys(found))

    @cached_property
    def missing(self) -> tuple[str, ...]:
        """The headers that were not found, and of which nobody can say that they do not matter."""
        found = filter(None, (NOT_FOUND.fullmatch(one.spelling) for one in self.unit.diagnostics))
        return tuple(one[1] for one in found if one[1] in NOT_OFFERED or not KNOWN.fullmatch(one[1]))

    def span(self, cursor: Any, caller: Span | None = None) -> Span:
        """Where does the reader see this? An expression where it begins, a declaration at its name.

        What a macro stands for is where the macro is used; what our header does, where it is called.
        """
        if "written" not in cursor.__dict__:  # asked again for each call that is inlined
            place = cursor.location if cursor.kind.is_declaration() else cursor.extent.start
            cursor.written = self._written(place)
        return self._called(cursor.written, caller)

    def place(self, location: Any, caller: Span | None = None) -> Span:
        """Where the reader sees a location of Clang's."""
        return self._called(self._written(location), caller)

    def _called(self, written: Span | None, caller: Span | None) -> Span:
        if written is None:  # ours, or appended
            return caller or Span(self.source, self.source.first_line)
        return Span(written.source, written.line, written.column, caller) if caller else written

    def _written(self, location: Any) -> Span | None:
        file, line, column = clang.place(location)
        source = self._source(file)
        if source is None or (source is self.source and line > len(source.lines)):
            return None
        written = Span(source, source.first_line + line - 1, source.indent + column - 1)
        text = written.text[source.indent :]
        if text.isascii():
            return written
        before = text.encode()[: column - 1].decode(errors="ignore")  # Clang counts bytes
        return replace(written, column=source.indent + len(before))

    def source_of(self, location: Any) -> Source | None:
        """The text or the included file in which a location lies; None in our header, or nowhere."""
        return self._source(clang.place(location)[0])

    def builtin(self, cursor: Any) -> Builtin | None:
        """Which built-in function does a declaration stand for? None for those of the text.

        A text may declare one again, as C programs do with printf.
        """
        defined = cursor.get_definition()
        found = self.builtin_at((defined or cursor).location)
        if found is None and defined is None:
            given = [str(argument.type.get_canonical().spelling) for argument in cursor.get_arguments()]
            known = prototypes.find(str(cursor.spelling), self.device.warp_size)
            found = next((one for one in known if [*map(str, one.parameters)] == given), None)
        return found

    def builtin_at(self, location: Any) -> Builtin | None:
        """The built-in function whose declaration stands there."""
        file, line, _column = clang.place(location)
        return header.builtin_at(self.device, line) if file and clang.name(file) == self._header else None

    def _source(self, file: int) -> Source | None:
        if file not in self._files:
            name = clang.name(file) if file else ""
            ours = name in ("", self._header) or name.startswith((header.PARTS, header.INCLUDE))
            self._files[file] = None if ours else self.source
            if not ours and name != self.path:
                lines = Path(name).read_text(encoding="utf-8", errors="replace").splitlines()
                self._files[file] = Source(Path(name).stem, name, 1, tuple(lines), CPP)
        return self._files[file]


def parse(
    source: Source,
    device: Device,
    definitions: Definitions = (),
    appended: str = "",
    folders: Sequence[str] = (),
) -> Parsed:
    """Read a text for a device, with macros defined before it, and declarations `appended` to it.

    Headers are looked for beside the text, then in `folders`, then among ours.
    """
    file = Path(source.filename).absolute()
    text = ALIGNED.sub(r"\1_aligns", UNROLLING.sub(r"\1ignore", source.text)) + appended
    compiled = header.precompiled(device, definitions)
    flags = [*header.FLAGS, "-include-pch", compiled, f"-fmacro-prefix-map={file.parent}/="]
    flags += [f"-I{folder}" for folder in folders if not any(Path(folder, name).exists() for name in TOOLKIT)]
    flags.append(f"-I{header.INCLUDE}")
    for name, value in definitions:
        if not name.partition("(")[0].isidentifier():
            raise GpuSimError(f"-D{name} defines no macro: a name is wanted, as in -DN=4")
        flags.append(f"-D{name}={value}")
        if name == "NDEBUG":  # which the header before the text did not know
            flags += ["-include", f"{header.INCLUDE}/assert.h"]

    def read(text: str, more: Sequence[str]) -> Parsed:
        unit = header.index().parse(str(file), [*flags, *more], [(str(file), text)], KEEP_GOING)
        return Parsed(source, device, unit, str(file))

    parsed = read(text, ())
    clashing = [f"-D{name}={name}{OWN}" for name in (parsed.clashing if parsed.diagnostics else ())]
    parsed = read(text, clashing) if clashing else parsed
    while (marked := launch_text.in_lambdas(text, parsed.diagnostics, str(file))) != text:
        text, parsed = marked, read(marked, clashing)
    while parsed.diagnostics and (rest := _without_body(parsed.cursors, parsed.diagnostics, text)):
        broken, text = rest
        before, parsed = parsed, read(text, clashing)
        parsed.lost = {**before.lost, str(broken.spelling): (before, broken)}
    return parsed


def _without_body(cursors: list[Any], diagnostics: list[Any], text: str) -> tuple[Any, str] | None:
    """The first declaration that goes on where another begins, and the text without its body.

    A brace is missing there: what it swallowed is read again without it.
    """
    wrong = [one for one in diagnostics if BROKEN.match(one.spelling)]
    letters = text.encode()
    for cursor in cursors if wrong else ():
        (file, begin), end = clang.offset(cursor.extent.start), clang.end(cursor)
        if cursor.kind in WITH_BODY and file == clang.offset(wrong[0].location)[0]:
            for one in wrong:  # it ends where a `{` right behind a struct's name is never closed
                for note in one.children:
                    opened = note.spelling.startswith("to match this") and clang.offset(note.location)[1]
                    if opened and begin <= opened <= end + 2:
                        end = max(end, clang.offset(one.location)[1])
            written = shapes.plain(letters[begin:end].decode(errors="replace"))
            brace = written.find("{")
            found = NEXT.search(written, brace) if brace >= 0 else None
            if found and any(begin <= clang.offset(one.location)[1] <= end for one in wrong):
                lost = letters[begin + brace : begin + found.start()]
                kept = letters[: begin + brace] + b";" + re.sub(rb"[^\n]", b" ", lost[1:])
                return cursor, (kept + letters[begin + found.start() :]).decode()
    return None
