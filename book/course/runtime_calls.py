"""Which calls may a kernel make, which not, and what does a run answer? Each is tried in CUDA C++."""

from __future__ import annotations

import re
import warnings
from importlib import resources

import numpy as np

import gpusim
from course.device_runtime import name_of
from course.records import recorded
from gpusim.errors import GpuSimError
from gpusim.frontends import host_calls
from gpusim.frontends.python.builtins.device_runtime import CALLS
from gpusim.views.table import Table, table

TEXT = r"""
__global__ void nothing(int* x) {}
__global__ void __launch_bounds__(128) bounded(int* x) {}
__global__ void deeper(int* x, int depth) {
    if (x[0] == 0) deeper<<<1, 1>>>(x, depth + 1);
    int error = cudaGetLastError();
    if (error) x[0] = error;
}
__global__ void kernel(int* x, int* y) { STATEMENT }
"""


def answered(statement: str, cdp: int = 2) -> int:
    """What the statement leaves in x[0], which is 0 before."""
    x, y = np.zeros(64, np.int32), np.arange(64, dtype=np.int32)
    module = gpusim.RawModule(code=TEXT.replace("STATEMENT", statement))
    with gpusim.use("H200", cdp=cdp), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module.get_function("kernel")[1, 1](x, y)
    return int(x[0])


# why launches fail ------------------------------------------------------------------------------------------

# what -> the launch, the runtime, and its name in the record
CAUSES = {
    "1,025 threads in a block": ("nothing<<<1, 1025>>>(y);", 2, "<<<1,1025>>>"),
    "a grid without a block": ("nothing<<<0, 32>>>(y);", 2, "<<<0,32>>>"),
    "65,536 blocks along y": ("nothing<<<dim3(1, 65536), 1>>>(y);", 2, "grid (1,65536,1)"),
    "48 KB of shared memory and a byte": ("nothing<<<1, 32, 49153>>>(y);", 2, "dynamic shared 49153"),
    "more threads than launch bounds": ("bounded<<<1, 256>>>(y);", 2, "launch_bounds(128) <<<1,256>>>"),
    "null in place of a kernel": ("cudaLaunchDevice(nullptr, nullptr, dim3(1), dim3(1), 0, 0);", 2, ""),
    "nested too deep, under CDP1": ("deeper<<<1, 1>>>(x, 1);", 1, ""),
    "too many pending, under CDP2": ("for (int k = 0; k < 3000; k++) nothing<<<1, 1>>>(y);", 2, "pending"),
}


def causes() -> Table:
    """How does each launch fail, here and on an H200?"""
    names = {
        shape: name
        for process, shape, name, *_ in recorded("dynamic_parallelism")["invalid_launches"]
        if process == "invalid"
    }
    names["pending"] = next(
        one["device_error"]
        for one in recorded("dynamic_parallelism")["tests"]
        if one["process"] == "cdp pending" and one.get("children") == 3000
    )
    rows = []
    for what, (launch, cdp, shape) in CAUSES.items():
        own = "" if launch.startswith("deeper") else " x[0] = cudaGetLastError();"
        code = answered(launch + own, cdp)
        there = names[shape] if shape else "not recorded"
        rows.append((what, code, f"`{name_of(code)}`", "the same" if there == name_of(code) else there))
    return table(
        rows,
        ("the launch", "number", "the thread gets", "on an H200"),
        caption="Why launches in kernels fail.",
    )


# what is refused --------------------------------------------------------------------------------------------

MOVES = {
    "a copy that waits": "cudaMemcpy(x, y, 16, cudaMemcpyDeviceToDevice);",
    "a copy to the host": "cudaMemcpyAsync(x, y, 16, cudaMemcpyDeviceToHost);",
    "a copy from shared memory": "__shared__ int s[4]; cudaMemcpyAsync(x, s, 16, cudaMemcpyDefault);",
    "a set of local memory": "int t[4] = {x[0]}; cudaMemsetAsync(t, 0, 16);",
}


def refusal(statement: str) -> str:
    """What is said of it."""
    try:
        answered(statement)
    except GpuSimError as error:
        message = re.sub(r"^thread .* of block \(\d+, \d+, \d+\) ", "", error.message)
        return f"{message}: {error.hint}" if error.hint else message
    raise AssertionError(f"{statement} is not refused")


def told_of_moves() -> dict[str, str]:
    """What does an H200 answer to pointers to shared or local memory, and to copies from or to the host?"""
    private: set[str] = set()
    host: set[str] = set()
    for one in recorded("copies_in_kernels", "tests"):
        (private if one["test"].endswith(("shared memory", "local memory")) else host).add(one["call"])
    ((pointer,), (direction,)) = private, host - {"cudaSuccess"}
    return {"h200_pointer": pointer, "h200_direction": direction}


def moved_wrongly() -> Table:
    """Which copies are refused, and how?"""
    return table([(what, refusal(statement)) for what, statement in MOVES.items()], ("call", "what is said"))


REFUSED = (
    "cudaStreamCreate",
    "cudaStreamSynchronize",
    "cudaEventElapsedTime",
    "cudaSetDevice",
    "cudaGetDeviceProperties",
    "cudaMemcpyToSymbol",
    "cudaMallocManaged",
    "cudaDeviceSetLimit",
    "cudaCreateTextureObject",
    "cudaLaunchKernel",
)


def refused() -> Table:
    """One call of each kind that the host has alone, and its refusal."""
    rows = []
    for name in REFUSED:
        message, hint = refusal(f"{name}(x);"), host_calls.INSTEAD[name]
        if hint not in message:
            raise AssertionError(message)
        kin = [f"`{other}`" for other, told in host_calls.INSTEAD.items() if told == hint and other != name]
        more = ["…"] if len(kin) > 2 else []
        rows.append((", ".join([f"`{name}`", *kin[:2], *more]), hint))
    return table(rows, ("the host's alone", "what is said in a kernel"))


# all functions ----------------------------------------------------------------------------------------------

STREAM = "cudaStream_t s; x[0] = cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking); "
EVENT = "cudaEvent_t e; x[0] = cudaEventCreateWithFlags(&e, cudaEventDisableTiming); "
ASKED = "x[0] = {}(y{});"
PITCHED = (
    "cudaMemcpy3DParms p = {}; p.dstPtr = make_cudaPitchedPtr(y + 16, 8, 8, 2);"
    "p.srcPtr = make_cudaPitchedPtr(y, 8, 8, 2); p.extent = make_cudaExtent(4, 1, 2);"
    "p.kind = cudaMemcpyDeviceToDevice; "
)
MOVED = "a child in a stream; device to device; nothing shared or local"
SET = "a child in a stream; nothing shared or local"
BUFFER = "another signature; made by `<<<…>>>`"
# function -> what tries it, and how it differs from the host's, "" where it does not
FUNCTIONS = {
    "cudaDeviceSynchronize": (
        "x[0] = cudaDeviceSynchronize();",
        "CDP1 only; for what its own block launched",
    ),
    "cudaDeviceGetCacheConfig": ("cudaFuncCache c; x[0] = cudaDeviceGetCacheConfig(&c);", ""),
    "cudaDeviceGetLimit": ("size_t n; x[0] = cudaDeviceGetLimit(&n, cudaLimitMallocHeapSize);", ""),
    "cudaGetLastError": (
        "nothing<<<1, 1025>>>(y); x[0] = cudaGetLastError();",
        "of the thread, not of the block",
    ),
    "cudaPeekAtLastError": ("nothing<<<1, 1025>>>(y); x[0] = cudaPeekAtLastError();", "the same"),
    "cudaGetErrorString": ("x[0] = cudaGetErrorString(cudaSuccess)[0] != 'n';", ""),
    "cudaGetErrorName": ("x[0] = cudaGetErrorName(cudaSuccess)[0] != 'c';", ""),
    "cudaGetDeviceCount": ("x[0] = cudaGetDeviceCount(y);", ""),
    "cudaDeviceGetAttribute": ("x[0] = cudaDeviceGetAttribute(y, cudaDevAttrWarpSize, 0);", "of any device"),
    "cudaGetDevice": (
        "x[0] = cudaGetDevice(y);",
        "always the device that runs the kernel, as the host numbers it",
    ),
    "cudaStreamCreateWithFlags": (STREAM, "`cudaStreamNonBlocking` only; the stream is of the block"),
    "cudaStreamDestroy": (STREAM + "x[0] = cudaStreamDestroy(s);", "by its own block"),
    "cudaStreamWaitEvent": (
        STREAM + EVENT + "cudaEventRecord(e, 0); x[0] = cudaStreamWaitEvent(s, e, 0);",
        "within the block",
    ),
    "cudaEventCreateWithFlags": (EVENT, "`cudaEventDisableTiming` only; the event is of the block"),
    "cudaEventRecord": (EVENT + "x[0] = cudaEventRecord(e, 0);", "within the block"),
    "cudaEventDestroy": (EVENT + "x[0] = cudaEventDestroy(e);", "by its own block"),
    "cudaFuncGetAttributes": ("cudaFuncAttributes a; x[0] = cudaFuncGetAttributes(&a, nothing);", ""),
    "cudaMemcpyAsync": ("x[0] = cudaMemcpyAsync(y + 16, y, 16, cudaMemcpyDeviceToDevice);", MOVED),
    "cudaMemcpy2DAsync": (
        "x[0] = cudaMemcpy2DAsync(y + 16, 16, y, 16, 8, 2, cudaMemcpyDeviceToDevice);",
        MOVED,
    ),
    "cudaMemcpy3DAsync": (PITCHED + "x[0] = cudaMemcpy3DAsync(&p);", MOVED),
    "cudaMemsetAsync": ("x[0] = cudaMemsetAsync(y, 0, 16);", SET),
    "cudaMemset2DAsync": ("x[0] = cudaMemset2DAsync(y, 16, 0, 8, 2);", SET),
    "cudaMemset3DAsync": (
        "x[0] = cudaMemset3DAsync(make_cudaPitchedPtr(y, 8, 8, 2), 0, make_cudaExtent(4, 1, 2));",
        SET,
    ),
    "cudaRuntimeGetVersion": ("x[0] = cudaRuntimeGetVersion(y);", ""),
    "cudaMalloc": ("int* p; x[0] = cudaMalloc(&p, 16); cudaFree(p);", "from the heap; freed by kernels only"),
    "cudaFree": ("int* p; cudaMalloc(&p, 16); x[0] = cudaFree(p);", "never what the host allocated"),
    "cudaOccupancyMaxActiveBlocksPerMultiprocessor": (
        "x[0] = cudaOccupancyMaxActiveBlocksPerMultiprocessor(y, nothing, 128, 0);",
        "",
    ),
    "cudaOccupancyMaxPotentialBlockSize": (
        "x[0] = cudaOccupancyMaxPotentialBlockSize(y, y + 1, nothing);",
        "",
    ),
    "cudaOccupancyMaxPotentialBlockSizeVariableSMem": (
        "x[0] = cudaOccupancyMaxPotentialBlockSizeVariableSMem("
        "y, y + 1, nothing, [](int t) { return 4 * t; });",
        "",
    ),
    "cudaGetParameterBuffer": ("x[0] = cudaGetParameterBuffer(8, 8) == nullptr;", BUFFER),
    "cudaLaunchDevice": (
        "void* p = cudaGetParameterBuffer(8, 8); *(int**)p = y;"
        "x[0] = cudaLaunchDevice((void*)nothing, p, dim3(1), dim3(1), 0, 0);",
        BUFFER,
    ),
    "cudaGetParameterBufferV2": (
        "x[0] = cudaGetParameterBufferV2((void*)nothing, dim3(1), dim3(1), 0) == nullptr;",
        f"CDP2; {BUFFER}",
    ),
    "cudaLaunchDeviceV2": (
        "void* p = cudaGetParameterBufferV2((void*)nothing, dim3(1), dim3(1), 0); *(int**)p = y;"
        "x[0] = cudaLaunchDeviceV2(p, 0);",
        f"CDP2; {BUFFER}",
    ),
}
OF_CDP1 = ("cudaDeviceSynchronize", "cudaGetParameterBuffer", "cudaLaunchDevice")


def offered() -> set[str]:
    """The functions that the package's own header gives to kernels."""
    header = resources.files("gpusim.frontends.cuda_cpp") / "prelude" / "runtime.h"
    return set(re.findall(r"> ?(?:\w+ ?\*? )+\*?(cuda[A-Z]\w+)\(", header.read_text(encoding="utf-8")))


def functions() -> Table:
    """Each function that a kernel may call: tried in C++, by its name in Python where that has it."""
    if offered() != FUNCTIONS.keys():
        raise AssertionError(offered() ^ FUNCTIONS.keys())
    rows = []
    for name, (statement, differs) in FUNCTIONS.items():
        code = answered(statement, 1 if name in OF_CDP1 else 2)
        if code != (9 if name.endswith("AtLastError") or name == "cudaGetLastError" else 0):
            raise AssertionError(f"{name} answers {code}")
        rows.append((f"`{name}`", "yes" if name in CALLS else "–", differs or "as on the host"))
    return table(rows, ("function", "in Python", "in a kernel"))
