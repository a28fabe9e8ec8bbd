"""Which names of `numba.cuda` work here? Every one is tried; what is refused shows the message it gets.

The lists are found, not kept: what a kernel may use is what `gpusim.cuda` holds, and its example is made of
the parameters that it says it takes. Written down are only the host's examples, and what Numba lacks.
"""

from __future__ import annotations

import functools
import linecache
import math
import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

import gpusim
from course.listed import Lines, code
from gpusim import cuda
from gpusim.cuda import options
from gpusim.cuda.dispatcher import Kernel
from gpusim.cuda.missing import MISSING
from gpusim.cuda.types import OF_CUDA, Number
from gpusim.errors import GpuSimError
from gpusim.frontends.python.builtins import libdevice
from gpusim.frontends.python.builtins.intrinsics import Intrinsic
from gpusim.frontends.python.builtins.wide_tiles import KINDS
from gpusim.ir.details import SpecialRegister
from gpusim.runtime import settings
from gpusim.views.table import Table

SUPPORTED, EXTENSION, REFUSED = "supported", "our extension", "refused"
Row = tuple[str, str, str]  # name, verdict, example or message

# A parameter of an intrinsic -> what stands for it in its example; of several, the first that compiles.
# The kernel has t = threadIdx.x, and arrays of 64: v of float64, n of int64, u of uint32, h of float16.
EXAMPLES = {
    "ndim": ("1",),
    "shape": ("32",),
    "dtype": ("np.float32",),
    "alignment": ("128",),
    "mask": ("cuda.activemask()",),
    "array": ("n", "u"),
    "index": ("t",),
    "value": ("n[t]",),
    "predicate": ("np.int32(t > 3)",),
    "condition": ("t > 3",),
    "src_lane": ("0",),
    "delta": ("1",),
    "lane_mask": ("1",),
    "nanoseconds": ("100",),
    "old": ("0",),
    "ary": ("np.arange(3)",),
    "group": ("cuda.cg.coalesced_threads()",),
    "size": ("8",),
    "label": ("t",),
    "rank": ("0",),
    "operation": ("cuda.cg.plus()",),
    "copies": ("0",),
}
NUMBERS = ("v[t]", "n[t]", "h[t]")
MATH_ARGUMENTS = (("v[t]",), ("v[t]", "v[t]"), ("v[t]", "t"), ("n[t]",), ("n[t]", "n[t]"))

TYPES_OF_NUMBERS = rf"({'|'.join(OF_CUDA)})$"
# What the names that a kernel may use are for: the first pattern that a name begins with counts.
PARTS = {
    "threads and shapes": r"(thread|block)Idx|(block|grid)Dim|grid|laneid|warpsize|lanemask",
    "barriers and fences": r"syncthreads|syncwarp|threadfence|nanosleep",
    "cooperative groups": r"cg\.",
    "votes and shuffles": r"\w+_sync|activemask",
    "memory": r"shared|local|const|ld[a-z]{2}$|st[a-z]{2}$",
    "atomic operations": r"atomic\.(?!block)",
    "atomic operations for one block": r"atomic\.block",
    "half precision": r"fp16",
    "functions of libdevice": r"libdevice",
    "types of numbers": TYPES_OF_NUMBERS,
    "loops over several types": r"literal_unroll",
    "vector types": r"[a-z]+(\d+x)?[1-4]$",
    "bits and arithmetic": r"",
}

EXTENSIONS = "atomic.block", "cg"  # ours, not in numba.cuda

HOST = {
    "HAS_NUMBA": "cuda.HAS_NUMBA",
    "In": "add_one[1, 4](cuda.In(host))",
    "InOut": "add_one[1, 4](cuda.InOut(host))",
    "Out": "add_one[1, 4](cuda.Out(host))",
    "as_cuda_array": "cuda.as_cuda_array(cuda.managed_array(4))",
    "close": "cuda.close()",
    "config": "cuda.config.CUDA_WARN_ON_IMPLICIT_COPY",
    "cuda_error": "cuda.cuda_error()",
    "current_context": "cuda.current_context().get_memory_info()",
    "Reduce": "cuda.Reduce(lambda a, b: a + b)(host)",
    "default_stream": "cuda.default_stream()",
    "defer_cleanup": "with cuda.defer_cleanup(): cuda.device_array(4)",
    "detect": "cuda.detect()",
    "device_array": "cuda.device_array((2, 3), np.float32)",
    "device_array_like": "cuda.device_array_like(host)",
    "errors": "cuda.errors.TypingError",
    "event": "cuda.event(timing=True).record()",
    "event_elapsed_time": "e = cuda.event(); e.record(); cuda.event_elapsed_time(e, e)",
    "external_stream": "cuda.external_stream(0)",
    "get_current_device": "cuda.get_current_device().MULTIPROCESSOR_COUNT",
    "gpus": "cuda.gpus[0]",
    "guvectorize": 'cuda.guvectorize(["(float64[:], float64[:])"], "(n)->(n)")(lambda x, y: None)(host)',
    "is_available": "cuda.is_available()",
    "is_bfloat16_supported": "cuda.is_bfloat16_supported()",
    "is_cuda_array": "cuda.is_cuda_array(host)",
    "is_float16_supported": "cuda.is_float16_supported()",
    "is_fp8_supported": "cuda.is_fp8_supported()",
    "is_supported_version": "cuda.is_supported_version()",
    "jit": 'cuda.jit("void(float64[:])", max_registers=32)(add_one.py_func)',
    "legacy_default_stream": "cuda.legacy_default_stream()",
    "list_devices": "cuda.list_devices()",
    "managed_array": "cuda.managed_array(4)",
    "mapped": "with cuda.mapped(host) as shared: add_one[1, 4](shared)",
    "mapped_array": "cuda.mapped_array(4)",
    "mapped_array_like": "cuda.mapped_array_like(host)",
    "none": "cuda.jit(cuda.none(cuda.float64[:]))(add_one.py_func)",
    "per_thread_default_stream": "cuda.per_thread_default_stream()",
    "pinned": "with cuda.pinned(host): cuda.to_device(host)",
    "pinned_array": "cuda.pinned_array(4)",
    "pinned_array_like": "cuda.pinned_array_like(host)",
    "random": "cuda.random.create_xoroshiro128p_states(32, seed=1)",
    "reduce": "cuda.reduce(lambda a, b: a + b)(host, init=1)",
    "select_device": "cuda.select_device(0)",
    "stream": "add_one[1, 4, cuda.stream()](host)",
    "synchronize": "cuda.synchronize()",
    "to_device": "cuda.to_device(host).copy_to_host()",
    "types": "cuda.jit(cuda.types.void(cuda.types.float64[:]))(add_one.py_func)",
    "void": "cuda.jit(cuda.void(cuda.float64[::1], cuda.intp))(lambda x, n: None)",
    "vectorize": 'cuda.vectorize(["float64(float64)"])(lambda x: x + 1)(host)',
}
KERNEL_METHODS = {
    "kernel[grid, block]": "add_one[1, 4](host)",
    "kernel[grid, block, stream, shared_bytes]": "add_one[1, 4, 0, 1024](host)",
    "configure": "add_one.configure(1, 4)(host)",
    "forall": "add_one.forall(4)(host)",
    "compile": 'add_one.compile("(float64[:],)")',
    "specialize": "add_one.specialize(host)",
    "specialized": "add_one.specialized",
    "signatures": "add_one.signatures",
    "overloads": "add_one.overloads",
    "get_regs_per_thread": "add_one.get_regs_per_thread()",
    "get_const_mem_size": "add_one.get_const_mem_size()",
    "get_shared_mem_per_block": "add_one.get_shared_mem_per_block()",
    "get_local_mem_per_thread": "add_one.get_local_mem_per_thread()",
    "get_max_threads_per_block": "add_one.get_max_threads_per_block()",
    "max_cooperative_grid_blocks": 'add_one.compile("(float64[:],)").max_cooperative_grid_blocks(256)',
    "py_func": "add_one.py_func",
    "inspect_ir": "add_one.inspect_ir(host)",
    "inspect_asm": "add_one.inspect_asm()",
    "inspect_llvm": "add_one.inspect_llvm()",
    "inspect_sass": "add_one.inspect_sass()",
    "inspect_sass_cfg": "add_one.inspect_sass_cfg()",
    "inspect_types": "add_one.inspect_types()",
}


# Names whose example no table of parameters gives.
BLOCK = "cuda.cg.this_thread_block()"
WIDE = "cuda.cg.tiled_partition(cuda.cg.this_thread_block(), 64)"
GROUPS = {
    "thread_group": "cuda.cg.tiled_partition(cuda.cg.coalesced_threads(), 8)",
    "thread_block": BLOCK,
    "GridGroup": "cuda.cg.this_grid()",
    "coalesced_group": "cuda.cg.coalesced_threads()",
    "thread_block_tile": "cuda.cg.tiled_partition(cuda.cg.this_thread_block(), 8)",
    "wide_tile": WIDE,
}
WRITTEN_OUT = {
    "cg.invoke_one": "cuda.cg.invoke_one(cuda.cg.coalesced_threads(), cuda.threadfence)",
    "cg.invoke_one_broadcast": "cuda.cg.invoke_one_broadcast(cuda.cg.coalesced_threads(), cuda.activemask)",
    "cg.memcpy_async": f"cuda.cg.memcpy_async({BLOCK}, cuda.shared.array(32, np.float64), v, 32)",
    "cg.thread_block.barrier_wait": f"{BLOCK}.barrier_wait({BLOCK}.barrier_arrive())",
    "cg.wide_tile.barrier_wait": f"{WIDE}.barrier_wait({WIDE}.barrier_arrive())",
    "const.array_like": "cuda.const.array_like(TABLE)",
    "literal_unroll": "for each in literal_unroll((1, 2.5)): v[t] += each",
}
TABLE = np.arange(64.0)


def kernel_names() -> Iterator[tuple[str, Any]]:
    """What a kernel finds under `cuda`: dotted names, and the objects that the front-end knows."""
    waiting = [(name, getattr(cuda, name)) for name in dir(cuda) if not name.startswith("_")]
    while waiting:
        name, found = waiting.pop(0)
        if isinstance(found, SimpleNamespace):
            waiting = [(f"{name}.{part}", value) for part, value in vars(found).items()] + waiting
        elif isinstance(found, Intrinsic | SpecialRegister) or getattr(found, "bitwidth", False):
            yield name, found
    for kind in KINDS:
        for name, method in vars(kind).items():
            if isinstance(method, Intrinsic) and not name.startswith("_"):
                yield f"cg.{kind.__name__}.{name}", method


def spelled(name: str) -> str:
    """How a kernel writes it: a method has a group before it."""
    *_, owner, method = ["", "cuda", *name.split(".")]
    return f"{GROUPS[owner]}.{method}" if owner in GROUPS else f"cuda.{name}"


def examples(name: str, found: Any) -> Iterator[str]:
    """Statements that use a name in a kernel; one of them should compile."""
    if isinstance(found, SpecialRegister):
        yield f"v[t] = cuda.{name}"
        return
    if isinstance(found, Number):
        yield f"x = cuda.{name}(t)"
        return
    if name in WRITTEN_OUT:
        yield WRITTEN_OUT[name]
        return
    parameters = [part.partition("=")[0].strip() for part in found.usage.partition("(")[2][:-1].split(",")]
    if parameters[0].startswith("*"):  # a vector type, as wide as its name says
        parameters = ["x"] * int(name[-1])
    called = spelled(name)
    for number in NUMBERS:
        for choice in range(2):
            given = [EXAMPLES.get(p, (number,)) for p in parameters if p]
            yield f"{called}({', '.join(options_[min(choice, len(options_) - 1)] for options_ in given)})"


@functools.cache
def generators() -> np.ndarray[Any, Any]:
    """Random generators for the tiny kernels, which never use one up."""
    return cuda.random.create_xoroshiro128p_states(64, seed=1).copy_to_host()


def try_in_kernel(statement: str) -> GpuSimError | None:
    """Compile a tiny kernel around a statement, and run it; what went wrong, if anything did."""
    namespace: dict[str, Any] = {"cuda": cuda, "math": math, "np": np, "TABLE": TABLE}
    namespace["literal_unroll"] = cuda.literal_unroll
    execute(f"def tiny(v, n, u, h, s):\n    t = cuda.threadIdx.x\n    {statement}\n", namespace)
    arrays = [np.ones(64, dtype) for dtype in (np.float64, np.int64, np.uint32, np.float16)]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what is ours is said in the table
            Kernel(namespace["tiny"])[1, 64](*arrays, generators())
    except GpuSimError as error:
        return error
    return None


def try_on_host(statement: str) -> GpuSimError | None:
    """Run a statement of a host program; what went wrong, if anything did."""
    others = settings.memory().live()
    namespace = {"cuda": cuda, "np": np, "host": np.zeros(4), "add_one": cuda.jit(add_one)}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            execute(statement + "\n", namespace)
    except GpuSimError as error:
        return error
    finally:
        for allocation in others:  # cuda.close() frees what is not its own
            allocation.live = True
    return None


def execute(text: str, namespace: dict[str, Any]) -> None:
    """Run source text in such a way that the source of its functions can be read."""
    filename = f"<conformance: {text.splitlines()[-1].strip()}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    exec(compile(text, filename, "exec"), namespace)


def add_one(x: Any) -> None:
    """What the host's examples launch."""
    i = cuda.grid(1)
    if i < x.size:
        x[i] += 1


def said(error: GpuSimError) -> str:
    """The message of a refusal, with its hint."""
    return f"{error.message}; {error.hint}" if error.hint else error.message


def first_that_works(statements: Iterable[str], verdict: str, form: str = "{}") -> tuple[str, str]:
    """A verdict, and the statement that earned it; or what the first one was refused with."""
    errors = []
    for statement in statements:
        error = try_in_kernel(form.format(statement))
        if error is None:
            return verdict, statement
        errors.append(error)
    return REFUSED, said(errors[0])


def is_ours(name: str) -> bool:
    """Is this a name that Numba does not have?"""
    return name.startswith(EXTENSIONS) and name not in ("cg.this_grid", "cg.GridGroup.sync")


def in_kernels() -> list[Row]:
    """Every name that a kernel may use, tried."""
    return [
        (
            name,
            *first_that_works(examples(name, found), EXTENSION if is_ours(name) else SUPPORTED),
        )
        for name, found in kernel_names()
    ]


def of_math() -> list[Row]:
    """Every name of `math`, tried in a kernel."""
    rows = []
    for name in (name for name in dir(math) if not name.startswith("_")):
        given: Sequence[tuple[str, ...]] = MATH_ARGUMENTS if callable(getattr(math, name)) else [()]
        calls = (f"math.{name}" + (f"({', '.join(call)})" if call else "") for call in given)
        rows.append((f"math.{name}", *first_that_works(calls, SUPPORTED, "x = {}")))
    return rows


def on_host(statements: dict[str, str]) -> list[Row]:
    """Names that a host program may use, each tried in its statement."""
    rows = []
    for name, statement in statements.items():
        error = try_on_host(statement)
        verdict = REFUSED if error else EXTENSION if name in (*EXTENSIONS, "inspect_ir") else SUPPORTED
        rows.append((name, verdict, said(error) if error else statement))
    return rows


def missing() -> list[Row]:
    """Names of `numba.cuda` that are there on purpose not, with what a use of them says is the way out."""
    rows = []
    for name in MISSING:
        error = try_on_host(f"cuda.{name}")
        rows.append((name, REFUSED, said(error).partition("is not simulated: ")[2] if error else ""))
    return rows


def jit_options() -> list[Row]:
    """The options of `@cuda.jit`."""
    return [(name, verdict, why) for name, (verdict, why) in options.TABLE.items()]


def parts_of_kernels() -> dict[str, list[Row]]:
    """The names that a kernel may use, by what they are for."""
    found: dict[str, list[Row]] = {part: [] for part in PARTS}
    for row in in_kernels():
        found[next(part for part, names in PARTS.items() if re.match(names, row[0]))].append(row)
    found["functions of libdevice"] += [
        (name, REFUSED, instead) for name, instead in libdevice.ABSENT.items()
    ]
    return found


def table(rows: Sequence[Row], shows: str = "example", caption: str = "") -> Table:
    """Names that are used alike share a row, in which `…` stands for the name."""
    alike: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        name, verdict, shown = row
        last = re.escape(name.rpartition(".")[2])
        alike.setdefault((verdict, re.sub(rf"(?<=[.]){last}\b", "…", shown)), []).append(row)
    cells = []
    for (verdict, text), members in alike.items():
        names, one = [name for name, *_ in members], members[0][2]
        text = text if len(members) > 1 else one
        if "…" in text and len(members) > 1:
            names = [name.rpartition(".")[2] for name in names]
        example = Lines(text) if verdict in (SUPPORTED, EXTENSION) else text
        cells.append((code(names), example, "" if verdict == SUPPORTED else verdict))
    width = 3 if len({note for *_, note in cells}) > 1 else 2
    return gpusim.table([row[:width] for row in cells], ("name", shows, "here")[:width], caption)


def summary(parts: dict[str, Sequence[Row]]) -> Table:
    """How many names of each part run as in Numba, run here only, or are refused?"""
    rows = []
    for part, members in parts.items():
        verdicts = [verdict for _, verdict, _ in members]
        counts = [verdicts.count(verdict) for verdict in (SUPPORTED, EXTENSION, REFUSED)]
        rows.append((part, *(count or "–" for count in counts)))
    headings = ("names", "run as in Numba", EXTENSION, REFUSED)
    return gpusim.table(rows, headings, "Every name of numba.cuda that a program can use, tried.")
