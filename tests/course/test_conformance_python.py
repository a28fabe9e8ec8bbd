"""Is every name of `numba.cuda` here, or refused with a message? Compared with the installed Numba."""

from __future__ import annotations

import functools
import importlib.util
import inspect
import math
import re
from pathlib import Path
from types import ModuleType

import numba.cuda.libdevice
import pytest
from numba.cuda import cudamath, libdevicefuncs, stubs
from numba.cuda.cudadrv.devicearray import DeviceNDArray
from numba.cuda.cudadrv.driver import Event, Stream
from numba.cuda.dispatcher import CUDADispatcher

from course import conformance_python as conformance
from course import dialect
from course.conformance_python import EXTENSION, REFUSED, SUPPORTED
from course.listed import Lines
from gpusim import cuda
from gpusim.cuda.dispatcher import Kernel
from gpusim.errors import NotOffered
from gpusim.frontends.cuda_cpp.functions.prototypes import rows
from gpusim.frontends.python.builtins import libdevice
from gpusim.runtime import streams

# names that numba.cuda's modules have for their own use
OWN_USE = {
    "CudaSupportError", "Dim3", "GridGroup", "KernelRuntimeError", "MemoryInfo", "alias", "config_default_cc",
    "deferred_type", "dim3", "ffi", "ffi_forced_object", "grid_group", "implementation",
    "numba_cuda_default_ptx_cc", "prepare_shape_strides_dtype", "require_context",
}  # fmt: skip
MODULES = {"cg", "config", "cudadrv", "errors", "extending", "fp16", "libdevice", "nvvm", "runtime", "types"}
NAMES = set((Path(__file__).parent / "numba_cuda_names.txt").read_text().split())  # of numba-cuda 0.30
NO_USE_WITHOUT_A_DRIVER = {
    "as_cuda_arg", "device_ctypes_pointer", "get_ipc_handle",
    "add_overload", "call", "compile_device", "disable_compile", "dump", "enable_caching", "extensions",
    "fold_argument_types", "get_annotation_info", "get_call_template", "get_compile_result",
    "get_const_mem_size", "get_function_type", "get_metadata", "get_overload", "inspect_cfg",
    "inspect_disasm_cfg", "is_compiling", "nopython_signatures", "parallel_diagnostics", "recompile", "stats",
    "targetdescr", "typeof_pyval",
}  # fmt: skip


@functools.cache
def in_kernels():
    """Verdict and example of every name that a kernel may use, tried once for all tests."""
    return {name: (verdict, shown) for name, verdict, shown in conformance.in_kernels()}


def public(owner):
    return {name for name in dir(owner) if not name.startswith("_")}


def test_the_names_are_those_of_numba_cuda():
    if importlib.util.find_spec("numba_cuda") is None:
        pytest.skip("numba-cuda is not installed: its names are those that were recorded")
    found = {name for name in public(numba.cuda) if not isinstance(getattr(numba.cuda, name), ModuleType)}
    assert found == NAMES


@pytest.mark.parametrize("name", sorted(NAMES.union(MODULES) - OWN_USE))
def test_every_name_of_numba_is_here_or_refused_with_a_reason(name):
    if hasattr(cuda, name):
        listed = {
            known.partition(".")[0] for known, _ in conformance.kernel_names()
        } | conformance.HOST.keys()
        assert name in listed, "it works, and the page does not say so"
    else:
        with pytest.raises(NotOffered, match=rf"cuda\.{name} is not simulated: \w"):
            getattr(cuda, name)


def test_every_function_of_the_stubs_is_here():
    wanted = {f"atomic.{name}" for name in public(stubs.atomic)}
    wanted |= {f"fp16.{name}" for name in public(stubs.fp16)}
    wanted |= {"shared.array", "local.array", "const.array_like"}
    assert wanted - in_kernels().keys() == set()


@pytest.mark.parametrize("name", sorted(name for name, _ in conformance.kernel_names()))
def test_every_name_that_we_have_works_in_a_kernel(name):
    verdict, shown = in_kernels()[name]
    assert verdict != REFUSED, shown
    assert conformance.spelled(name) in shown or name in conformance.WRITTEN_OUT


def test_what_numba_lacks_is_marked_as_ours():
    """Of numba-cuda the names are recorded; what stands behind a dot is asked of the installed one."""
    ours = set()
    for name in in_kernels():
        first, *rest = name.split(".")
        found = getattr(numba.cuda, first, None)
        for part in rest:
            found = getattr(found, part, None)
        if first not in NAMES | MODULES or (rest and found is None):
            ours.add(name)
    assert ours == {name for name, (verdict, _) in in_kernels().items() if verdict == EXTENSION}


def test_every_function_of_libdevice_is_here_or_names_a_way_out():
    theirs = {name.removeprefix("__nv_") for name in libdevicefuncs.functions}
    assert theirs == libdevice.NAMES.keys() | libdevice.ABSENT.keys()
    assert not libdevice.NAMES.keys() & libdevice.ABSENT.keys()
    tried = conformance.parts_of_kernels()["functions of libdevice"]
    refused = {name for name, verdict, _ in tried if verdict == REFUSED}
    assert refused == libdevice.ABSENT.keys()


def test_cuda_cpp_has_what_libdevice_leaves_to_it():
    spelled = (re.search(r"C\+\+ has it as (\w+)", how) for how in libdevice.ABSENT.values())
    named = {
        found[1].replace("NAME", name) for name, found in zip(libdevice.ABSENT, spelled, strict=True) if found
    }
    assert len(named) == 4
    assert named <= rows().keys()


def test_what_is_not_in_libdevice_says_what_to_use():
    said = str(conformance.try_in_kernel("v[t] = cuda.libdevice.remquo(v[t], v[t])"))
    assert "it is not simulated: CUDA C++ has it as remquo" in said
    assert "did you mean `sqrt`" in str(conformance.try_in_kernel("v[t] = cuda.libdevice.sqqrt(v[t])"))


def test_math_is_numbas():
    functions = [key for key, _ in cudamath.registry.globals]
    theirs = {f"math.{name}" for name in public(math) if getattr(math, name) in functions}
    assert len(theirs) > 30
    works = {name for name, verdict, _ in conformance.of_math() if verdict == SUPPORTED}
    assert theirs - works == set()


@pytest.mark.parametrize("name", sorted(conformance.HOST))
def test_every_name_of_the_host_works(name):
    error = conformance.try_on_host(conformance.HOST[name])
    assert (error is not None) == (name == "external_stream"), error
    assert f"cuda.{name}" in conformance.HOST[name]


def test_every_name_of_the_host_is_on_the_page():
    kernels = {name.partition(".")[0] for name in in_kernels()}
    assert set(cuda.__all__) - kernels == conformance.HOST.keys()


@pytest.mark.parametrize("name", sorted(conformance.KERNEL_METHODS))
def test_what_a_kernel_object_can_do(name):
    error = conformance.try_on_host(conformance.KERNEL_METHODS[name])
    assert (error is not None) == (name.startswith("inspect_") and name != "inspect_ir")


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        (CUDADispatcher, Kernel),
        (DeviceNDArray, cuda.device_array(3)),
        (Stream, streams.Stream),
        (Event, streams.Event),
    ],
)
def test_objects_have_numbas_attributes(theirs, ours):
    assert public(theirs) - public(ours) - NO_USE_WITHOUT_A_DRIVER == set()


@pytest.mark.parametrize("name", sorted(conformance.HOST))
def test_functions_of_the_host_take_numbas_arguments(name):
    theirs, ours = getattr(numba.cuda, name, None), getattr(cuda, name)
    if inspect.isfunction(theirs) and inspect.isfunction(ours) and name != "jit":
        assert [*inspect.signature(ours).parameters] in (
            [*inspect.signature(theirs).parameters],
            [f"_{parameter}" for parameter in inspect.signature(theirs).parameters],
            [*[*inspect.signature(theirs).parameters][:-1], "stream"],  # `mapped(*arylist, **kws)`
        )


def test_names_that_are_used_alike_share_a_row():
    rows = [
        ("blockDim.x", SUPPORTED, "v[t] = cuda.blockDim.x"),
        ("blockDim.y", SUPPORTED, "v[t] = cuda.blockDim.y"),
        ("clz", SUPPORTED, "cuda.clz(n[t])"),
        ("nvvm", REFUSED, "there is no GPU"),
        ("runtime", REFUSED, "there is no GPU"),
    ]
    assert conformance.table(rows).rows == [
        ["`x`, `y`", Lines("v[t] = cuda.blockDim.…"), ""],
        ["`clz`", Lines("cuda.clz(n[t])"), ""],
        ["`nvvm`, `runtime`", "there is no GPU", REFUSED],
    ]


def test_every_name_of_a_kernel_is_in_a_part():
    parts = conformance.parts_of_kernels()
    assert all(parts.values())
    assert {name for name, *_ in parts["bits and arithmetic"]} == {
        "brev",
        "cbrt",
        "clz",
        "ffs",
        "fma",
        "popc",
        "selp",
    }


def test_every_construct_ends_as_the_page_says():
    ends = {name: dialect.tried(statements) for name, statements in dialect.CONSTRUCTS.items()}
    assert [end for end, _ in ends.values()] == [dialect.BOTH] * 25 + [dialect.HERE] * 23 + [
        dialect.REFUSED
    ] * 38
    assert all(ends[name][0] == dialect.REFUSED for name in dialect.TAKEN_BY_NUMBA)
    assert all(why for end, why in ends.values() if end != dialect.BOTH)
    assert ends["an atomic within the block"][1].startswith("cuda.atomic.block is ours; ")
