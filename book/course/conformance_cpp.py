"""What of CUDA C++ runs here? Every construct is compiled and run, every built-in function called.

The functions and the refused names are those of the front-end's tables. The language has no table: its
constructs are the examples in conformance_cpp.cu, and each is tried when the page is built.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import gpusim
from course.listed import Lines, code
from gpusim.cpp import options
from gpusim.cpp.module import RawModule
from gpusim.devices import get
from gpusim.errors import GpuSimError, KernelRaised
from gpusim.frontends.cuda_cpp.functions.prototypes import REFUSED as NAMES_REFUSED
from gpusim.frontends.cuda_cpp.functions.prototypes import Row, overloads
from gpusim.frontends.cuda_cpp.functions.prototypes import table as rows_of
from gpusim.frontends.cuda_cpp.header import PARTS, header
from gpusim.frontends.cuda_cpp.types import Pointer
from gpusim.runtime import settings
from gpusim.views.table import Table

H200, C500 = "H200", "MetaX C500"
KERNEL = "{}__global__ void {}(int* n, float* v) {{\n    int t = threadIdx.x;\n{}}}\n"


@dataclass(frozen=True)
class Tried:
    """What became of an example; `message` is empty where it ran."""

    name: str
    example: str
    message: str


def _examples() -> dict[str, dict[str, str]]:
    """The parts of conformance_cpp.cu, the names of their examples, and these."""
    parts: dict[str, dict[str, str]] = {}
    for line in Path(__file__).with_suffix(".cu").read_text(encoding="utf-8").splitlines():
        if line.startswith("//// "):
            part = parts.setdefault(line[5:], {})
        elif line.startswith("/// "):
            name = line[4:]
        elif parts and line:
            part[name] = part.get(name, "") + line + "\n"
    return parts


EXAMPLES = _examples()
REFUSED, WRONG = "Refused", "Wrong"
# Names whose example no prototype gives.
WRITTEN_OUT = {
    "printf": 'if (t < 0) printf("%d", t)',
    "alloca": "alloca(4)",
    **{
        name: f"{name}(1, ({'float' if name[-1] == 'f' else 'double'}*)0)"
        for name in ("norm", "rnorm", "normf", "rnormf")
    },
}


def _text(example: str, name: str = "tiny") -> str:
    before, _, statements = example.rpartition("---\n")
    indented = "".join(f"    {line}\n" for line in statements.splitlines())
    return KERNEL.format(before, name, indented)


def attempt(text: str | RawModule, device: str = H200, name: str = "tiny") -> GpuSimError | None:
    """Compile the kernel of this name, and run a warp of it; what went wrong, if anything did."""
    lanes = get(device).warp_size
    try:
        with settings.during(settings.changed(device)):
            module = RawModule(code=text) if isinstance(text, str) else text
            kernel = module.get_function(name)
            kernel[1, lanes](np.zeros(256, np.int32), np.ones(256, np.float32))
    except KernelRaised:  # a __trap() works when it ends the kernel
        return None
    except GpuSimError as error:
        return error
    return None


def _said(error: GpuSimError | None) -> str:
    if error is None:
        return ""
    return f"{error.message}; {error.hint}" if error.hint else str(error.message)


def constructs(part: str) -> list[Tried]:
    """The examples of a part, tried."""
    return [Tried(name, text, _said(attempt(_text(text)))) for name, text in EXAMPLES[part].items()]


def messages(part: str) -> list[str]:
    """All that is said of a part's examples: place, line, caret and hint."""
    return [str(attempt(_text(text)) or "") for text in EXAMPLES[part].values()]


# functions --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Functions:
    """Functions of one prototype, in which `…` stands for the name; `failed`: what some said that failed."""

    prototype: str
    types: tuple[str, ...]
    names: tuple[str, ...]
    failed: dict[str, str]


def functions(table: str, device: str = H200, only: int = 0) -> list[Functions]:
    """The functions of one of the front-end's tables, those with the same prototype together.

    only: those alone that there are just where a warp has so many lanes.
    """
    grouped: dict[tuple[str, tuple[str, ...]], list[Row]] = {}
    lanes = get(device).warp_size
    for row in rows_of(table):
        ours = row.name.startswith("__gpusim")  # for headers, not for kernels
        if row.lanes in (0, lanes) and only in (0, row.lanes) and not ours:
            prototype = re.sub(rf"\b{row.name}\(", "…(", row.prototype)
            grouped.setdefault((prototype, row.types), []).append(row)
    failed = _failed([row for rows in grouped.values() for row in rows], device)
    return [
        Functions(
            prototype,
            types,
            names := tuple(row.name for row in rows),
            {name: failed[name] for name in names if name in failed},
        )
        for (prototype, types), rows in grouped.items()
    ]


def _failed(rows: Sequence[Row], device: str) -> dict[str, str]:
    """What do calls say that fail? One text has a kernel for each; whoever fails there is tried alone."""
    calls = {row.name: call(row, device) for row in rows}
    text = "".join(_text(calls[name], f"tiny_{name}") for name in calls)
    module = RawModule(code=text, enable_cooperative_groups=True)
    alone = [name for name in calls if attempt(module, device, f"tiny_{name}")]
    tried = {name: _said(attempt(_text(calls[name]), device)) for name in alone}
    return {name: said for name, said in tried.items() if said}


def call(row: Row, device: str = H200) -> str:
    """Statements that call the first overload of a row."""
    lanes = get(device).warp_size
    builtin = next(overloads(row, lanes))
    if builtin.variadic:
        return f"{WRITTEN_OUT[row.name]};"
    declared, given = [], []
    texts = row.prototype.partition("(")[2].rstrip(")").split(",")
    for place, (text, type_) in enumerate(zip(texts, builtin.parameters, strict=False)):
        pointer = isinstance(type_, Pointer)
        target = str(type_.target if isinstance(type_, Pointer) else type_).removeprefix("const ")
        target = "int" if target == "void" else target
        if text.strip().startswith("mask"):
            declared.append(f"{target} a{place} = ({target})~0ull;")
        elif pointer:
            declared.append(f"__shared__ {target} a{place};")
        else:
            declared.append(f"{target} a{place} = {{}};")
        given.append(f"&a{place}" if pointer else f"a{place}")
    return f"{' '.join(declared)} {row.name}({', '.join(given)});"


def refused_functions() -> list[Tried]:
    """What CUDA has and this machine does not offer, with what a call of it says."""
    calls = {name: WRITTEN_OUT.get(name, f"{name}()") + ";" for name in NAMES_REFUSED}
    return [Tried(f"`{name}`", call, _said(attempt(_text(call)))) for name, call in calls.items()]


# tables -----------------------------------------------------------------------------------------------------


def summary(parts: Sequence[str]) -> Table:
    """What is in each part of the language?"""
    rows = [(part, "; ".join(EXAMPLES[part])) for part in parts]
    return gpusim.table(rows, ("part", "what runs"), "What of the language runs, each tried in a kernel.")


def table_of_constructs(tried: Sequence[Tried]) -> Table:
    """Name and example, or the message where it is refused."""
    rows = [(one.name, one.message or Lines(one.example.replace("---\n", ""))) for one in tried]
    return gpusim.table(rows, ("what", "example"))


def table_of_refused(tried: Sequence[Tried], caption: str) -> Table:
    """What does not run, and what to do instead; names with one way out share a row."""
    ways: dict[str, list[str]] = {}
    for one in tried:
        way = one.message.partition("; ")[2].replace(f"{one.name.strip('`')}_sync", "…_sync")
        ways.setdefault(way, []).append(one.name)
    rows = [(", ".join(names), way) for way, names in ways.items()]
    return gpusim.table(rows, ("not here", "the way out"), caption)


def table_of_functions(found: Sequence[Functions]) -> Table:
    """Prototypes, and the names that have them; at the end, prototypes of one name only."""
    prototypes: dict[tuple[str, ...], list[str]] = {}
    alone, failed = [], list[tuple[Any, str]]()
    for one in found:
        names = tuple(name for name in dict.fromkeys(one.names) if name not in one.failed)
        failed += [(f"`{name}`", f"refused: {said}") for name, said in one.failed.items()]
        if len(names) == 1 and not one.types:
            alone.append(one.prototype.replace("…", names[0]))
        elif names:
            types = f"  // T: {', '.join(one.types)}" if one.types else ""
            prototypes.setdefault(names, []).append(f"{one.prototype}{types}")
    rows: list[tuple[Any, Any]] = [
        (Lines("\n".join(texts)), code(names)) for names, texts in prototypes.items()
    ]
    rows += [("one name each", Lines("\n".join(alone)))] if alone else []
    return gpusim.table(rows + failed, ("prototype", "names"))


def table_of_options(verdicts: options.Verdicts, caption: str = "") -> Table:
    """What each option, or flag, does; those of one effect share a row."""
    effects: dict[tuple[str, str], list[str]] = {}
    for name, effect in verdicts.items():
        effects.setdefault(effect, []).append(name)
    rows = [(code(names), why, verdict) for (verdict, why), names in effects.items()]
    return gpusim.table(rows, ("option", "what it does", "here"), caption)


def predefined(device: str = H200) -> list[str]:
    """The macros that stand before the first line."""
    texts = [header(get(device))[0], *(part.read_text() for part in sorted(Path(PARTS).glob("*.h")))]
    names = re.findall(r"^#define (\w+)", "\n".join(texts), re.MULTILINE)
    gone = re.findall(r"^#undef (\w+)", "\n".join(texts[1:]), re.MULTILINE)
    return [name for name in dict.fromkeys(names) if name not in gone]
