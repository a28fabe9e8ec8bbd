"""What stands before the first line of every kernel? A header, made of the tables of built-in functions.

It declares vectors, `threadIdx` and its kin, and each built-in function, one a line: a function's line says
which one it is. Overloads are templates without a parameter that matters, so that a text may define one of
its own, even with the same parameters: C++ prefers what is no template. A function alone with its name is
none, so that it can be handed on: `apply(sinf, x)`. What is easier said in C++ than in tables stands in
`prelude/`; `include/` has headers that a text asks for.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from importlib import metadata, resources
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from clang import cindex

from gpusim.devices import Device
from gpusim.errors import GpuSimError
from gpusim.frontends.cuda_cpp.functions import prototypes
from gpusim.frontends.cuda_cpp.functions.prototypes import IN_CPP, Builtin, Row, overloads
from gpusim.frontends.cuda_cpp.types import TYPEDEFS, VECTORS
from gpusim.ir.device_errors import TEXTS
from gpusim.ir.types import WINDOWS, Space

PARTS, INCLUDE = (str(resources.files(__package__) / name) for name in ("prelude", "include"))
# Read as the host's compiler does, which knows launches in kernels too. The target says how long a `long` is,
# and that a GPU has no functions but those of the header.
_FLAGS = """
-x cuda --cuda-host-only -nocudainc -nocudalib -nostdinc -nostdinc++ -std=gnu++17 -fgnuc-version=13.3.0
-target x86_64-linux-gnu -Xclang -aux-triple -Xclang x86_64-linux-gnu -fno-builtin -ferror-limit=0
-fpch-instantiate-templates -Werror=vla-cxx-extension -Wno-c++11-narrowing -Wno-reserved-user-defined-literal
-Wuninitialized -Wsometimes-uninitialized -Wreturn-type -Wunused-value
"""
FLAGS = _FLAGS.split()
OF_HEADER = frozenset(("GPUSIM_SCRUB",))  # memory is written to as a kernel gives it back
INCOMPLETE, FOR_SERIALIZATION = 0x2, 0x10
OLD_SECONDS = 60 * 86400
# a text may declare it its own way
OWN = ("printf", "memcpy", "memmove", "memset", "alloca", "norm", "normf", "rnorm", "rnormf", "__assert_that")
BUILT_IN = "template <int = 0>"
REFUSED = f"template <class T, class... Rest> T {{0}}(T, Rest...); {BUILT_IN} long {{0}}();"
MACROS = ("__builtin_expect", "__builtin_assume", "__assume")  # of these, `words.h` makes what they stand for
# what lengths of arrays and arguments of templates are computed with
CONSTANT = {"min": "(R)b < (R)a ? (R)b : (R)a", "max": "(R)a < (R)b ? (R)b : (R)a"}


@cache
def header(device: Device) -> tuple[str, dict[int, tuple[Row, int]]]:
    """The text for a device; for each line that declares a built-in function, its row and which of it it is.

    Lines count from 1.
    """
    lines, found = list(_beginning(device)), dict[int, tuple[Row, int]]()
    rows = sorted(_rows(device.warp_size), key=lambda row: row.family == IN_CPP)  # those it calls stand above
    how_many = Counter(row.name for row in rows)
    for row in rows:
        signed = list(prototypes.signatures(row, device.warp_size))
        calls = row.family == IN_CPP and "(" in row.detail  # which Clang reads sooner in a template
        alone = how_many[row.name] == len(signed) == 1 and row.name not in OWN and not calls
        for number, (result, given) in enumerate(signed):
            lines.append(_declaration(row, result, given, device.warp_size, "" if alone else BUILT_IN))
            if row.family != IN_CPP:
                found[len(lines)] = row, number
    lines += _include(
        "heap", "runtime", "texts", "assembly", "copying", "half2", "standard", "gnu", "atomics", "textures"
    )
    for row in prototypes.table("math_functions"):
        if row.name[0] != "_" and row.name not in ("nan", "nanf"):  # which are made of these
            lines.append(f"#define __builtin_{row.name} {row.name}")
    return "\n".join(lines) + "\n", found


@cache
def builtin_at(device: Device, line: int) -> Builtin | None:
    row, number = header(device)[1].get(line, (None, 0))
    return next(islice(overloads(row, device.warp_size), number, None)) if row else None


def _beginning(device: Device) -> Iterator[str]:
    major, minor = device.compute_capability or (8, 0)  # what MACA reports to CUDA programs for a C500
    yield "#undef __CUDA_ARCH__"
    yield f"#define __CUDA_ARCH__ {major * 100 + minor * 10}"
    yield f"#define __GPUSIM_WARP_SIZE {device.warp_size}"
    yield f"#define __GPUSIM_SHARED {WINDOWS[Space.SHARED]}ul"
    yield from _include("words", "limits")
    yield "typedef _Float16 __half;"
    yield from (f"typedef {type_} {name};" for name, type_ in TYPEDEFS.items() if name != str(type_))
    for name, struct in VECTORS.items():
        if name not in ("dim3", "__half2", "half2"):  # which have constructors, in `base.h`
            members = ", ".join(field.name for field in struct.fields or ())
            alignment = f"__attribute__((aligned({struct.alignment})))"
            yield f"struct {alignment} {name} {{ {struct.vector_of} {members}; }};"
    errors = (f'EACH({error.name}, {error.value}, "{text}")' for error, text in TEXTS.items())
    yield f"#define GPUSIM_ERRORS(EACH) {' '.join(errors)}"
    yield from _include("base")


def _include(*names: str) -> Iterator[str]:
    yield from (f'#include "{PARTS}/{name}.h"' for name in names)


def _rows(warp_size: int) -> Iterator[Row]:
    """Those of the tables, and then those functions of CUDA that are refused."""
    tables = [row for rows in prototypes.rows().values() for row in rows if row.lanes in (0, warp_size)]
    offered = [row for row in tables if row.name not in MACROS]
    yield from offered
    taken = {row.name for row in offered}
    yield from (Row(f"void {name}(...)", "refused") for name in prototypes.REFUSED if name not in taken)


def _declaration(row: Row, result: str, given: list[str], warp_size: int, before: str) -> str:
    if row.family == "refused" and given == ["..."]:
        return REFUSED.format(row.name)
    mask = str(prototypes.type_of("mask", warp_size))
    before += "__attribute__((noreturn))" * (row.family == "trap")
    result = mask if result == "mask" else result
    body = row.detail if row.family == IN_CPP else CONSTANT.get(row.name, "").replace("R", result)
    if body:
        named = ", ".join(f"{type_} {name}" for type_, name in zip(filter(None, given), "abc", strict=False))
        word = "inline" if row.family == IN_CPP else "constexpr"
        return f"{before} {word} {result} {row.name}({named}) {{ return {body}; }}"
    written = []
    for parameter in given:
        type_, sign, default = parameter.partition(" = ")
        value = f"{prototypes.default_of(default, warp_size)}ull" if sign else ""
        written.append(f"{mask if type_ == 'mask' else type_}{sign}{value}")
    return f"{before} {result} {row.name}({', '.join(written)});"


def names(warp_size: int) -> Iterable[str]:
    """All names of functions that the header declares: one of them may have been meant."""
    return dict.fromkeys(row.name for row in _rows(warp_size))


@cache
def index() -> Any:
    """What holds all that Clang has read. Of a text it shows what the text declares, not its header."""
    return cindex.Index.create(excludeDecls=True)


@cache
def _folder() -> Path:
    """Where headers are kept from one Python to the next; where nothing may be written, for this one."""
    kept = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "gpusim"
    with suppress(OSError):
        kept.mkdir(parents=True, exist_ok=True)
    return kept if os.access(kept, os.W_OK) else Path(_for_this_python().name)


@cache
def _for_this_python() -> TemporaryDirectory[str]:
    return TemporaryDirectory(prefix="gpusim-", ignore_cleanup_errors=True)


@cache
def path_of(device: Device) -> str:
    """The header for a device as it was written to a file, named by all that it is made of."""
    made_of = [header(device)[0], metadata.version("libclang"), *FLAGS]
    made_of += (f"{part} {part.stat().st_mtime_ns}" for part in sorted(Path(PARTS).iterdir()))
    digest = hashlib.sha256("\n".join(made_of).encode()).hexdigest()[:16]
    return str(_folder() / f"cuda_{digest}.h")


def precompiled(device: Device, definitions: Iterable[tuple[str, str]] = ()) -> str:
    """The file from which Clang reads the header for a device; it is made when it is first needed.

    Of the macros that are defined before a text it knows those in `OF_HEADER`.
    """
    path = Path(path_of(device))
    known = sorted(name for name, _ in definitions if name in OF_HEADER)
    compiled = path.with_suffix("".join(f".{each}" for each in (*known, "pch")))
    if not (path.exists() and compiled.exists()):
        own = path.with_suffix(f".{os.getpid()}")  # two may make it at once
        own.parent.mkdir(parents=True, exist_ok=True)  # some systems clear away what lies unused for days
        own.write_text(header(device)[0], encoding="utf-8")
        with suppress(FileExistsError):
            os.link(own, path)  # never anew: Clang reads nothing that is older than what it was made of
        flags = [*FLAGS, *(f"-D{each}=1" for each in known)]
        unit = index().parse(str(path), flags, options=INCOMPLETE | FOR_SERIALIZATION)
        wrong = [str(found) for found in unit.diagnostics if found.severity >= cindex.Diagnostic.Error]
        if wrong:
            raise GpuSimError(f"the header of the simulator itself is wrong: {wrong[0]}")
        unit.save(str(own))
        own.replace(compiled)
        for old in path.parent.glob("cuda_*"):  # of what the package was before
            with suppress(OSError):
                if old.stat().st_mtime < time.time() - OLD_SECONDS:
                    old.unlink()
    return str(compiled)
