"""What may a kernel ask of the CUDA runtime, beside launches? Calls right and wrong, in both languages."""

from __future__ import annotations

import re

import numpy as np
import pytest

import gpusim
from gpusim import cuda, cudart
from gpusim.errors import (
    GpuSimError,
    KernelRaised,
    KernelTypeError,
    LaunchError,
    StreamMisused,
    UnsupportedConstruct,
)
from gpusim.frontends import host_calls
from gpusim.frontends.python.builtins.device_runtime import CALLS
from gpusim.ir import device_errors
from gpusim.ir.device_errors import DeviceError

HEAP = cudart.cudaLimit.cudaLimitMallocHeapSize
PENDING = cudart.cudaLimit.cudaLimitDevRuntimePendingLaunchCount
ON_DEVICE, TO_HOST = (
    cudart.cudaMemcpyKind.cudaMemcpyDeviceToDevice,
    cudart.cudaMemcpyKind.cudaMemcpyDeviceToHost,
)

TEXT = r"""
#include <cstdio>
__constant__ int table[4] = {1, 2, 3, 4};
__device__ int variable[4];
__global__ void plus(int* x, int by) { x[threadIdx.x] += by; }
template <class T, int N> __global__ void __launch_bounds__(256) wide(T* x) {
  __shared__ T tile[N];
  tile[threadIdx.x] = x[threadIdx.x];
  x[threadIdx.x] = tile[N - 1 - threadIdx.x];
}
__device__ void* kept[1];
__global__ void take() { kept[0] = malloc(16); }
__global__ void kernel(int* x, int* y) {
    STATEMENT
}
"""


def ran(statement, x=None, y=None):
    """What the statement leaves in x; x is 0, 1, …, 7 before, and y 10, 11, …, 17."""
    x = np.arange(8, dtype=np.int32) if x is None else x
    y = np.arange(10, 18, dtype=np.int32) if y is None else y
    gpusim.RawModule(code=TEXT.replace("STATEMENT", statement)).get_function("kernel")[1, 1](x, y)
    return x.tolist()


# memory -----------------------------------------------------------------------------------------------------

# statement -> what it leaves of 0, …, 7
MOVES = {
    "cudaMemcpyAsync(x, y, 16, cudaMemcpyDeviceToDevice);": [10, 11, 12, 13, 4, 5, 6, 7],
    "cudaMemcpyAsync(x + 1, y, 8, cudaMemcpyDefault);": [0, 10, 11, 3, 4, 5, 6, 7],
    "cudaMemcpyAsync((char*)x + 1, (char*)y, 1, cudaMemcpyDefault);": [10 << 8, 1, 2, 3, 4, 5, 6, 7],
    "cudaMemcpyAsync(x + 4, x, 16, cudaMemcpyDefault);": [0, 1, 2, 3, 0, 1, 2, 3],
    "cudaMemcpyAsync(x, y, 0, cudaMemcpyDefault);": [0, 1, 2, 3, 4, 5, 6, 7],
    "cudaMemcpyAsync(x, table, 16, cudaMemcpyDefault);": [1, 2, 3, 4, 4, 5, 6, 7],
    "cudaMemsetAsync(variable, 1, 16); plus<<<1, 4>>>(variable, 1);"
    "cudaMemcpyAsync(x, variable, 8, cudaMemcpyDeviceToDevice);": [0x01010102, 0x01010102, 2, 3, 4, 5, 6, 7],
    "cudaMemcpy2DAsync(x, 16, y, 8, 8, 2, cudaMemcpyDeviceToDevice);": [10, 11, 2, 3, 12, 13, 6, 7],
    "cudaMemcpy3DParms p = {}; p.dstPtr = make_cudaPitchedPtr(x, 8, 8, 2);"
    "p.extent = make_cudaExtent(4, 1, 2); p.srcPtr = make_cudaPitchedPtr(y, 8, 8, 2);"
    "p.srcPos = make_cudaPos(4, 1, 0);"
    "p.kind = cudaMemcpyDeviceToDevice;"
    "cudaMemcpy3DAsync(&p);": [13, 1, 2, 3, 17, 5, 6, 7],
    "cudaMemsetAsync(x, -1, 8);": [-1, -1, 2, 3, 4, 5, 6, 7],
    "cudaMemset2DAsync(x + 1, 12, 0x1ff, 4, 3);": [0, -1, 2, 3, -1, 5, 6, -1],
    "cudaMemset3DAsync(make_cudaPitchedPtr(x, 8, 8, 2), 255, make_cudaExtent(4, 1, 2));": [
        -1, 1, 2, 3, -1, 5, 6, 7,
    ],
    # in a stream, what was launched before comes before
    "plus<<<1, 4>>>(y, 1); cudaMemcpyAsync(x, y, 16, cudaMemcpyDefault); plus<<<1, 4>>>(x, 100);": [
        111, 112, 113, 114, 4, 5, 6, 7,
    ],
    "cudaStream_t s; cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking); plus<<<1, 4, 0, s>>>(y, 1);"
    "cudaMemcpyAsync(x, y, 8, cudaMemcpyDefault, s);": [11, 12, 2, 3, 4, 5, 6, 7],
    "cudaMemsetAsync(x, 0, 32, cudaStreamTailLaunch); plus<<<1, 8>>>(x, 1);": [0] * 8,
}  # fmt: skip

# statement -> what is said of it
MOVED_WRONGLY = {
    "__shared__ int s[4]; cudaMemcpyAsync(x, s, 16, cudaMemcpyDefault);": (
        "the address of shared memory for 'source'"
    ),
    "int t[4] = {x[0]}; cudaMemcpyAsync(t, x, 16, cudaMemcpyDefault);": "the address of local memory",
    "__shared__ int s[4]; cudaMemsetAsync(s, 0, 16);": "the address of shared memory for 'to'",
    "int t[4] = {x[0]}; cudaMemset2DAsync(t, 8, 0, 8, 2);": "the address of local memory for 'to'",
    "cudaMemcpyAsync(x, y, 16, cudaMemcpyDeviceToHost);": "copies with cudaMemcpyDeviceToHost",
    "cudaMemcpyAsync(x, y, 16, cudaMemcpyHostToDevice);": "copies with cudaMemcpyHostToDevice",
    "cudaMemcpyAsync(x, y, 36, cudaMemcpyDefault);": "beyond its memory: bytes 0 to 35 of 32",
    "cudaMemcpyAsync(x + 1, x, 16, cudaMemcpyDefault);": "copies 16 bytes to a place 4 bytes away",
    "cudaMemcpyAsync(x, x + 2, 12, cudaMemcpyDefault);": "copies 12 bytes to a place 8 bytes away",
    "cudaMemcpyAsync(x, (int*)64, 4, cudaMemcpyDefault);": "where no memory of the device is",
    "cudaMemcpy2DAsync(x, 4, y, 8, 8, 2, cudaMemcpyDefault);": "rows of 8 bytes that lie 4 bytes apart",
}


@pytest.mark.parametrize("statement", MOVES)
def test_memory_is_moved_in_a_stream(statement):
    assert ran(statement) == MOVES[statement]


@pytest.mark.parametrize("schedule", ["serial", *range(4)])
def test_whatever_the_order_moves_come_after_what_their_stream_had_before(schedule):
    for statement in list(MOVES)[-3:]:
        with gpusim.use(schedule=schedule):
            assert ran(statement) == MOVES[statement]


@pytest.mark.parametrize("statement", MOVED_WRONGLY)
def test_what_cannot_be_moved_is_refused_with_its_line(statement):
    with pytest.raises(StreamMisused, match=re.escape(MOVED_WRONGLY[statement])) as caught:
        ran(statement)
    assert caught.value.span.outermost.text.strip() == statement


def test_cuda_arrays_are_not_copied():
    with pytest.raises(KernelRaised, match="a kernel copies no CUDA arrays"):
        ran("cudaMemcpy3DParms p = {}; p.srcArray = (cudaArray*)y; cudaMemcpy3DAsync(&p);")


def test_constants_are_not_written():
    with pytest.raises(LaunchError, match="cudaMemsetAsync writes to 'to', which is read-only"):
        ran("cudaMemsetAsync((void*)table, 0, 16);")


@cuda.jit
def moves(x, y, image, cube):
    cudart.cudaMemcpyAsync(x[1:], y, 8)
    cudart.cudaMemcpyAsync(x[4:], y[::1], 4, cudart.cudaMemcpyKind.cudaMemcpyDeviceToDevice, None)
    cudart.cudaMemsetAsync(x[6:], 255, 4, 0)
    cudart.cudaMemcpy2DAsync(image, 16, y, 8, 8, 2, ON_DEVICE)
    cudart.cudaMemset2DAsync(image[0, 2:], 16, -1, 8, 2)
    cudart.cudaMemset3DAsync((cube, 8, 8, 2), 1, (4, 1, 2))
    cudart.cudaMemcpy3DAsync((cube[0, 1, 1:], 8, 8, 2), (y, 8, 8, 2), (4, 1, 2))


def test_memory_is_moved_from_python():
    x, y = np.arange(8, dtype=np.int32), np.arange(10, 18, dtype=np.int32)
    image, cube = np.zeros((2, 4), np.int32), np.zeros((2, 2, 2), np.int32)
    moves[1, 1](x, y, image, cube)
    assert x.tolist() == [0, 10, 11, 3, 10, 5, -1, 7]
    assert image.tolist() == [[10, 11, -1, -1], [12, 13, -1, -1]]
    assert cube.tolist() == [[[0x01010101, 0], [0, 10]], [[0x01010101, 0], [0, 14]]]


@cuda.jit
def from_shared(x, how):
    tile = cuda.shared.array(4, np.int32)
    cudart.cudaMemcpyAsync(x, tile, 16)


@cuda.jit
def to_local(x, how):
    own = cuda.local.array(4, np.int32)
    cudart.cudaMemsetAsync(own, 0, 16)


@cuda.jit
def too_many(x, how):
    cudart.cudaMemsetAsync(x, 0, how)


@cuda.jit
def to_the_host(x, how):
    cudart.cudaMemcpyAsync(x, x, how, TO_HOST)


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (from_shared, "shared memory, which only its block sees"),
        (to_local, "local memory, which only its thread sees"),
        (too_many, "reaches beyond its memory"),
        (to_the_host, "cudaMemcpyDeviceToHost"),
    ],
)
def test_what_cannot_be_moved_from_python_is_refused_with_its_line(kernel, message):
    with pytest.raises((KernelTypeError, StreamMisused), match=message) as caught:
        kernel[1, 1](np.zeros(4, np.int32), 20)
    assert caught.value.span.outermost.text.strip().startswith("cudart.cudaMem")


@cuda.jit
def a_copy_each(x, y):
    i = cuda.grid(1)
    if i % 2:
        cudart.cudaMemcpyAsync(x[4 * i :], y[4 * i :], 4 * i)


def test_each_active_thread_moves_its_own_and_the_tree_shows_it():
    x, y = np.zeros(16, np.int32), np.arange(16, dtype=np.int32)
    with gpusim.profile() as run:
        a_copy_each[1, 4](x, y)
    assert x.tolist() == [0] * 4 + [4] + [0] * 7 + [12, 13, 14, 0]
    assert [one.kernel for one in run.launch_tree().grids] == [
        "a_copy_each",
        "cudaMemcpyAsync",
        "cudaMemcpyAsync",
    ]


@cuda.jit
def copies_at_the_bottom(codes, depth):
    if depth < 24:
        copies_at_the_bottom[1, 1](codes, depth + 1)
    (codes[depth],) = cudart.cudaMemsetAsync(codes, 0, 0)
    cudart.cudaGetLastError()


def test_a_move_is_a_launch_and_nests_as_deep():
    codes = np.full(25, -1, np.int64)
    with gpusim.use(cdp=1):
        copies_at_the_bottom[1, 1](codes, 0)
    assert codes.tolist() == [0] * 24 + [DeviceError.cudaErrorLaunchMaxDepthExceeded]


# the heap ---------------------------------------------------------------------------------------------------

# who takes -> who may give back in a kernel; host and device do not mix
TAKES = {"malloc": "int* p = (int*)malloc(16);", "cudaMalloc": "int* p; cudaMalloc(&p, 16);"}
GIVES = {"free": "free(p);", "cudaFree": "x[1] = cudaFree(p);"}


@pytest.mark.parametrize("gives", GIVES)
@pytest.mark.parametrize("takes", TAKES)
def test_a_kernel_gives_back_what_a_kernel_took(takes, gives):
    """CUDA maps cudaMalloc and cudaFree of a kernel to malloc and free: each of them pairs with each."""
    assert ran(f"{TAKES[takes]} p[0] = 5; x[1] = 0; x[0] = p[0]; {GIVES[gives]}")[:2] == [5, 0]


@pytest.mark.parametrize("gives", ["free(p);", "cudaFree(p);", "delete p;"])
@pytest.mark.parametrize("source", ["y", "variable", "x + 4"])
def test_a_kernel_gives_back_nothing_of_the_hosts(source, gives):
    with pytest.raises(KernelRaised, match="the host gives back with cudaFree") as caught:
        ran(f"int* p = {source}; {gives}")
    assert gives in caught.value.span.outermost.text


def test_of_an_array_that_the_host_took_with_cudamalloc_neither():
    _, array = cudart.cudaMalloc(32)
    with pytest.raises(KernelRaised, match="memory that the host took with cudaMalloc"):
        ran("cudaFree(x);", x=array.view(np.int32))
    assert cudart.cudaFree(array) == (0,)


def test_the_host_gives_back_nothing_of_a_kernels():
    module = gpusim.RawModule(code=TEXT.replace("STATEMENT", ""))
    module.get_function("take")[1, 1]()
    address = int(module.get_global("kept").copy_to_host().view(np.uint64)[0])
    with pytest.raises(
        LaunchError, match=r"(?s)not what cudaMalloc gave the host.*with malloc or cudaMalloc, a kernel"
    ):
        cudart.cudaFree(address)


WALKED = r"""
__device__ int variable = 8;
__device__ const int* found;
__global__ void child() { found = WHERE; }
__global__ void between() { child<<<1, 1>>>(); cudaDeviceSynchronize(); }
__global__ void parent(int* x) { between<<<1, 1>>>(); cudaDeviceSynchronize(); x[0] = *found; }
"""


@pytest.mark.parametrize("where", ["&variable", "new int(8)"])
def test_a_parent_reads_where_a_grandchild_points_whatever_it_names_itself(where):
    """Of a variable, or of the heap, which nobody has used before."""
    cuda.current_context().reset()
    x = np.zeros(1, np.int32)
    with gpusim.use(cdp=1):
        gpusim.RawModule(code=WALKED.replace("WHERE", where)).get_function("parent")[1, 1](x)
    assert x[0] == 8


def test_cudafree_of_null_and_cudamalloc_of_nothing():
    assert ran("int* p = x; x[0] = cudaMalloc(&p, 0); x[1] = p == nullptr; x[2] = cudaFree(p);")[:3] == [
        0,
        1,
        0,
    ]


def test_the_heap_has_its_limit():
    cuda.current_context().reset()
    _, before = cudart.cudaDeviceGetLimit(HEAP)
    count = (
        "int n = 0; int* p; size_t limit; while (cudaMalloc(&p, 65536) == cudaSuccess) ++n;"
        "cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize);"
        "x[0] = n; x[1] = cudaGetLastError(); x[2] = p == nullptr; x[3] = limit; x[4] = cudaGetLastError();"
    )
    try:
        cudart.cudaDeviceSetLimit(HEAP, 1 << 20)
        # 1 MiB holds 15 blocks of 64 KiB, with the 16 bytes in front of each
        assert ran(count)[:5] == [15, DeviceError.cudaErrorMemoryAllocation, 1, 1 << 20, 0]
    finally:
        cuda.current_context().reset()
    assert cudart.cudaDeviceGetLimit(HEAP)[1] == before


# figures ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("device", ["H200", "V100", "MetaX C500"])
def test_figures_of_the_device_are_those_that_the_host_gets(device):
    names = cudart.cudaDeviceAttr.__members__
    lines = [f"cudaDeviceGetAttribute(x + {place}, {name}, 0);" for place, name in enumerate(names)]
    with gpusim.use(device):
        found = ran("".join(lines), x=np.zeros(len(names), np.int32))
        expected = [cudart.cudaDeviceGetAttribute(which, 0)[1] for which in names.values()]
    assert found == [one or 0 for one in expected]


@cuda.jit
def figures(out):
    error, value = cudart.cudaDeviceGetAttribute(cudart.cudaDeviceAttr.cudaDevAttrWarpSize, 0)
    out[0] = 100 * error + value
    error, value = cudart.cudaDeviceGetAttribute(cudart.cudaDeviceAttr.cudaDevAttrWarpSize, 1)
    out[1] = 100 * error + value
    (out[2],) = cudart.cudaPeekAtLastError()
    (out[3],) = cudart.cudaGetLastError()
    error, out[4] = cudart.cudaDeviceGetLimit(PENDING)
    error, out[5] = cudart.cudaDeviceGetLimit(77)
    out[6] = error
    out[7] = cudart.cudaGetDeviceCount()[1]
    out[8] = cudart.cudaGetDevice()[1]
    out[9] = cudart.cudaDeviceGetCacheConfig()[1]
    out[10] = cudart.cudaRuntimeGetVersion()[1]


IN_CPP = """
int n = 0; size_t l = 0; cudaFuncCache c;
x[0] = 100 * cudaDeviceGetAttribute(&n, cudaDevAttrWarpSize, 0); x[0] += n; n = 0;
x[1] = 100 * cudaDeviceGetAttribute(&n, cudaDevAttrWarpSize, 1); x[1] += n;
x[2] = cudaPeekAtLastError(); x[3] = cudaGetLastError();
cudaDeviceGetLimit(&l, cudaLimitDevRuntimePendingLaunchCount); x[4] = l; l = 0;
x[6] = cudaDeviceGetLimit(&l, (cudaLimit)77); x[5] = l;
cudaGetDeviceCount(x + 7); cudaGetDevice(x + 8); cudaDeviceGetCacheConfig(&c); x[9] = c;
cudaRuntimeGetVersion(x + 10);
"""


def test_what_is_asked_of_the_device_right_and_wrong():
    out = np.full(11, -1, np.int64)
    figures[1, 1](out)
    assert out.tolist() == ran(IN_CPP, x=np.full(11, -1, np.int32))
    assert out.tolist() == [32, 10100, 101, 101, 2048, 0, 215, 1, 0, 0, 6000]


def test_names_and_texts_of_errors_are_cudas(capsys):
    for error in DeviceError:
        ran(
            f"cudaError_t e = (cudaError_t)({error} + x[0]);"
            'printf("%s|%s", cudaGetErrorName(e), cudaGetErrorString(e));'
        )
        name, text = (
            call(error)[1].decode() for call in (cudart.cudaGetErrorName, cudart.cudaGetErrorString)
        )
        assert capsys.readouterr().out == f"{name}|{text}"
        assert (name, text) == (error.name, device_errors.TEXTS[error])
    ran('printf("%s", cudaGetErrorString((cudaError_t)12345));')
    assert (
        capsys.readouterr().out == cudart.cudaGetErrorString(12345)[1].decode() == "unrecognized error code"
    )


# kernels ----------------------------------------------------------------------------------------------------


def test_what_a_kernel_needs_and_how_many_of_its_blocks_fit():
    module = gpusim.RawModule(code=TEXT.replace("STATEMENT", ""))
    for name in ("plus", "wide<float, 64>", "wide<double, 256>"):
        asked = ran(
            f"cudaFuncAttributes a; cudaFuncGetAttributes(&a, {name});"
            "x[0] = a.sharedSizeBytes; x[1] = a.constSizeBytes;"
            "x[2] = a.localSizeBytes; x[3] = a.maxThreadsPerBlock; x[4] = a.numRegs;"
            "x[5] = a.maxDynamicSharedSizeBytes; x[6] = a.preferredShmemCarveout;"
            f"cudaOccupancyMaxActiveBlocksPerMultiprocessor(x + 7, {name}, 128, 1000);"
            f"cudaOccupancyMaxPotentialBlockSize(x + 8, x + 9, {name}, 2000);"
            f"cudaOccupancyMaxPotentialBlockSize(x + 10, x + 11, {name}, 0, 100);"
            f"cudaOccupancyMaxPotentialBlockSizeVariableSMem(x + 12, x + 13, {name}, "
            "[](int t) { return 40 * t; });",
            x=np.zeros(14, np.int32),
        )
        kernel = module.get_function(name)
        expected = [*vars(cudart.cudaFuncGetAttributes(kernel)[1]).values()]
        expected += cudart.cudaOccupancyMaxActiveBlocksPerMultiprocessor(kernel, 128, 1000)[1:]
        expected += cudart.cudaOccupancyMaxPotentialBlockSize(kernel, 2000)[1:]
        expected += cudart.cudaOccupancyMaxPotentialBlockSize(kernel, 0, 100)[1:]
        expected += cudart.cudaOccupancyMaxPotentialBlockSizeVariableSMem(kernel, lambda size: 40 * size)[1:]
        assert asked == expected, name


def test_what_was_set_for_a_kernel_is_seen():
    module = gpusim.RawModule(
        code=TEXT.replace("STATEMENT", "cudaFuncAttributes a; cudaFuncGetAttributes(&a, plus); x[0] = "
        "a.maxDynamicSharedSizeBytes; "
        "cudaOccupancyMaxActiveBlocksPerMultiprocessor(x + 1, plus, 32, 100000);")
    )  # fmt: skip
    x = np.zeros(8, np.int32)
    module.get_function("kernel")[1, 1](x, x)
    assert x[:2].tolist() == [49152, 0]
    module.get_function("plus").max_dynamic_shared_size_bytes = 100000
    module.get_function("kernel")[1, 1](x, x)
    assert x[:2].tolist() == [100000, 2]


@cuda.jit
def tile(x):
    shared = cuda.shared.array(64, np.float32)
    shared[cuda.threadIdx.x] = x[cuda.threadIdx.x]
    cuda.syncthreads()
    x[cuda.threadIdx.x] = shared[63 - cuda.threadIdx.x]


@cuda.jit(device=True)
def forty(size):
    return 40 * size


@cuda.jit
def needs(out):
    error, found = cudart.cudaFuncGetAttributes(tile)
    out[0], out[1], out[2], out[3] = error, found.sharedSizeBytes, found.numRegs, found.maxThreadsPerBlock
    out[4], out[5] = found.maxDynamicSharedSizeBytes, found.preferredShmemCarveout
    out[6] = cudart.cudaOccupancyMaxActiveBlocksPerMultiprocessor(tile, 128, 1000)[1]
    error, out[7], out[8] = cudart.cudaOccupancyMaxPotentialBlockSize(tile, 2000)
    error, out[9], out[10] = cudart.cudaOccupancyMaxPotentialBlockSize(tile, 0, 100)
    error, out[11], out[12] = cudart.cudaOccupancyMaxPotentialBlockSizeVariableSMem(tile, forty)
    error, out[13] = cudart.cudaOccupancyMaxActiveBlocksPerMultiprocessor(tile, 0, 0)
    out[14] = error


def test_the_same_from_python():
    out = np.full(15, -1, np.int64)
    tile[1, 64](np.zeros(64, np.float32))
    needs[1, 1](out)
    needed = cudart.cudaFuncGetAttributes(tile)[1]
    assert out.tolist() == [
        0, 256, needed.numRegs, needed.maxThreadsPerBlock, needed.maxDynamicSharedSizeBytes, -1,
        *cudart.cudaOccupancyMaxActiveBlocksPerMultiprocessor(tile, 128, 1000)[1:],
        *cudart.cudaOccupancyMaxPotentialBlockSize(tile, 2000)[1:],
        *cudart.cudaOccupancyMaxPotentialBlockSize(tile, 0, 100)[1:],
        *cudart.cudaOccupancyMaxPotentialBlockSizeVariableSMem(tile, lambda size: 40 * size)[1:],
        0, DeviceError.cudaErrorInvalidValue,
    ]  # fmt: skip


def test_what_is_no_kernel_is_not_asked_about():
    with pytest.raises(KernelTypeError, match="what is asked about is no kernel"):
        ran("cudaOccupancyMaxActiveBlocksPerMultiprocessor(x, x, 32, 0);")

    @cuda.jit
    def asks(x):
        cudart.cudaFuncGetAttributes(x)

    with pytest.raises(KernelTypeError, match="is no kernel"):
        asks[1, 1](np.zeros(4))


# what the host has alone ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", host_calls.INSTEAD)
def test_calls_of_the_host_alone_say_what_a_kernel_does_instead(name):
    with pytest.raises(UnsupportedConstruct, match=f"(?s){name}.*{re.escape(host_calls.INSTEAD[name][:30])}"):
        ran(f"{name}(x);")


def test_in_python_likewise():
    @cuda.jit
    def waits(x):
        cudart.cudaStreamSynchronize(0)

    @cuda.jit
    def takes(x):
        cudart.cudaMalloc(16)

    for kernel, message in (
        (waits, "no thread waits for a stream"),
        (takes, "or write the kernel in CUDA C"),
    ):
        with pytest.raises(UnsupportedConstruct, match=message):
            kernel[1, 1](np.zeros(4))


# what children see ------------------------------------------------------------------------------------------


def test_where_a_pointer_leads_is_known_however_it_was_chosen():
    """A kernel asks before it hands a pointer to a child."""
    statement = """
    __shared__ int s[4]; int t[4] = {1};
    const int* p = x[0] == 0 ? s : x[0] == 1 ? t : y;
    x[1] = __isShared(p); x[2] = __isLocal(p); x[3] = __isGlobal(p);
    if (__isGlobal(p)) plus<<<1, 1>>>((int*)p, 5);
    """
    for which, expected in enumerate(([1, 0, 0], [0, 1, 0], [0, 0, 1])):
        x, y = np.full(8, which, np.int32), np.zeros(8, np.int32)
        assert ran(statement, x, y)[1:4] == expected
        assert y[0] == 5 * (which == 2)


@cuda.jit
def doubles(x):
    x[cuda.threadIdx.x] *= 2


@cuda.jit
def writes_and_launches(x):
    x[cuda.threadIdx.x] = cuda.threadIdx.x
    cuda.syncthreads()
    if cuda.threadIdx.x == 0:
        doubles[1, 8](x)


@pytest.mark.parametrize("schedule", [None, 0, 1])
def test_mapped_memory_is_as_coherent_as_global_memory(schedule):
    """Zero-copy: the host sees at once what a child wrote to its own memory."""
    x = cuda.mapped_array(8, np.int32)
    x[:] = -1
    with gpusim.use(schedule=schedule):
        writes_and_launches[1, 8](x)
    assert x.tolist() == [0, 2, 4, 6, 8, 10, 12, 14]


def test_children_inherit_constants_and_textures():
    module = gpusim.RawModule(
        code=r"""
        __constant__ float scale;
        __global__ void reads(cudaTextureObject_t texture, float* x) {
          x[threadIdx.x] = scale * tex1Dfetch<float>(texture, threadIdx.x);
        }
        __global__ void parent(cudaTextureObject_t texture, float* data, float* x) {
          data[threadIdx.x] = 10 + threadIdx.x;
          __syncthreads();
          if (threadIdx.x == 0) reads<<<1, 4>>>(texture, x);
        }
        """
    )
    data, x = cuda.to_device(np.zeros(4, np.float32)), np.zeros(4, np.float32)
    module.get_global("scale")[0] = 2
    resource = cudart.cudaResourceDesc()
    resource.resType = cudart.cudaResourceType.cudaResourceTypeLinear
    resource.res.linear.devPtr, resource.res.linear.sizeInBytes = data, 16
    resource.res.linear.desc = cudart.cudaCreateChannelDesc(
        32, 0, 0, 0, cudart.cudaChannelFormatKind.cudaChannelFormatKindFloat
    )[1]
    _, texture = cudart.cudaCreateTextureObject(resource, cudart.cudaTextureDesc(), None)
    module.get_function("parent")[1, 4](texture, data, x)
    assert x.tolist() == [20, 22, 24, 26]
    cudart.cudaDestroyTextureObject(texture)
    with pytest.raises(GpuSimError):
        module.get_function("parent")[1, 4](texture, data, x)


def test_help_lists_the_calls_that_a_kernel_may_make():
    (listed,) = re.findall(r"A kernel may call:\n\n(.*?)\n\n", cudart.__doc__, re.DOTALL)
    assert re.findall(r"cuda\w+", listed) == list(CALLS)


@pytest.mark.parametrize("stream", ["cudaStreamFireAndForget", "cudaStreamTailLaunch"])
def test_streams_that_nobody_creates_take_no_events(stream):
    """As CUDA's guide says of both, and as an H200 answered."""
    calls = f"x[0] = cudaEventRecord(e, {stream}); x[1] = cudaStreamWaitEvent({stream}, e);"
    created = "cudaEvent_t e; cudaEventCreateWithFlags(&e, cudaEventDisableTiming);"
    assert ran(f"{created} {calls} x[2] = cudaGetLastError();")[:3] == [1, 1, 1]
