"""How does a text become Clang's tree? With a header before it, and each place traced to the reader's lines.

>>> from gpusim import devices
>>> from gpusim.source import Source
>>> text = "__global__ void twice(int* x) { x[threadIdx.x] *= 2; }"
>>> parsed = parse(Source("text", "text.cu", 1, (text,)), devices.get("H200"))
>>> [cursor.spelling for cursor in parsed.cursors], parsed.diagnostics
(['twice'], [])
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from clang import cindex

from gpusim.devices import Device
from gpusim.frontends.clang_cpp import clang, header
from gpusim.frontends.cuda_cpp.functions.prototypes import Builtin
from gpusim.source import CPP, Source, Span

Definitions = Sequence[tuple[str, str]]
FLAGS = (
    "-x cuda --cuda-host-only -nocudainc -nocudalib -nostdinc -nostdinc++ -std=c++17 -target x86_64-linux-gnu "
    "-Xclang -aux-triple -Xclang x86_64-linux-gnu -fgnuc-version=13.3.0 -fno-builtin -ferror-limit=0 -w"
)
KEEP_GOING = 0x200  # past a header that was not found
HEADER = "/gpusim/header.h"


class Parsed:
    """A text as Clang understands it. Cursors live as long as this does."""

    def __init__(self, source: Source, device: Device, unit: Any, path: str) -> None:
        self.source, self.device, self.unit, self.path = source, device, unit, path
        self._builtins = header.header(device)[1]
        self._files: dict[int, Source | None] = {}

    @cached_property
    def cursors(self) -> list[Any]:
        """What the text declares at its top level, included files too; nothing of our own header."""
        return [cursor for cursor in clang.children(self.unit.cursor) if not self._of_header(cursor)]

    @property
    def diagnostics(self) -> list[Any]:
        """What Clang finds wrong anywhere, in the order of the text."""
        return list(self.unit.diagnostics)

    def span(self, cursor: Any, caller: Span | None = None) -> Span:
        """Where does the reader see this? An expression where it begins, a declaration at its name.

        What a macro stands for is where the macro is used; what our header does, where it is called.
        """
        place = cursor.location if cursor.kind.is_declaration() else cursor.extent.start
        return self.place(place, caller)

    def place(self, location: Any, caller: Span | None = None) -> Span:
        """Where the reader sees a location of Clang's."""
        file, line, column = clang.place(location)
        source = self._source(file)
        if source is None:
            return caller or Span(self.source, self.source.first_line)
        return Span(source, source.first_line + line - 1, source.indent + column - 1, caller)

    def builtin(self, cursor: Any) -> Builtin | None:
        """Which built-in function does a declaration stand for? None for those of the text."""
        file, line, _column = clang.place(cursor.location)
        if file and self._name(file) == HEADER:
            return self._builtins.get(line)
        return None

    def _of_header(self, cursor: Any) -> bool:
        file, _line, _column = clang.place(cursor.location)
        return self._source(file) is None

    def _source(self, file: int) -> Source | None:
        """The text of a file; None for ours."""
        if file not in self._files:
            name = self._name(file) if file else ""
            ours = name in ("", HEADER) or name.startswith(header.include_folder())
            self._files[file] = self.source if name == self.path else None if ours else _included(name)
        return self._files[file]

    def _name(self, file: int) -> str:
        return str(cindex.File(ctypes.cast(file, cindex.c_object_p)).name)


def parse(source: Source, device: Device, definitions: Definitions = (), appended: str = "") -> Parsed:
    """Read a text for a device, with macros defined before it, and declarations `appended` to it."""
    path = str(Path(source.filename).absolute())
    files = [(path, source.text + appended), (HEADER, header.header(device)[0])]
    flags = [*FLAGS.split(), "-include", HEADER, f"-I{header.include_folder()}"]
    flags += [f"-D{name}={text}" for name, text in definitions]
    unit = _index().parse(path, flags, files, KEEP_GOING)
    return Parsed(source, device, unit, path)


@cache
def _index() -> Any:
    return cindex.Index.create(excludeDecls=True)


def _included(path: str) -> Source:
    lines = Path(path).read_text(encoding="utf-8", errors="replace").splitlines()
    return Source(Path(path).stem, path, 1, tuple(lines), CPP)
