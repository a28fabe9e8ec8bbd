"""What do the CUDA runtime's calls do to a kernel, in either language, and what do they refuse?"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import gpusim
from gpusim import cuda, cudart, devices
from gpusim.errors import KernelTypeError, LaunchError, MisalignedAccess, NotOffered
from gpusim.runtime import settings

KIB = 1024
BYTES = cudart.cudaFuncAttribute.cudaFuncAttributeMaxDynamicSharedMemorySize
PERCENT = cudart.cudaFuncAttribute.cudaFuncAttributePreferredSharedMemoryCarveout
SUCCESS = (cudart.cudaError_t.cudaSuccess,)
GUIDE = (
    'CUDA C++ Programming Guide, table "Technical Specifications per Compute Capability" (release 5.0 for '
    "1.x and 2.x, 11 for 3.x, 12 from 6.x on)"
)
MEASURED = "measured: H200, 2026-11-21"
OPT_IN = (
    "cudart.cudaFuncSetAttribute(kernel, "
    "cudart.cudaFuncAttribute.cudaFuncAttributeMaxDynamicSharedMemorySize, {})"
)
TEXT = """
__global__ void last(float* x) {
    extern __shared__ float tile[];
    int end = (int)x[0];
    if (threadIdx.x == 0) tile[end] = 7;
    __syncthreads();
    x[threadIdx.x] = tile[end];
}
__global__ void fixed(float* x) {
    __shared__ float tile[16384];
    tile[threadIdx.x] = x[threadIdx.x];
    x[threadIdx.x] = tile[0];
}
"""


def last(x):
    tile = cuda.shared.array(0, np.float32)
    end = int(x[0])
    if cuda.threadIdx.x == 0:
        tile[end] = 7
    cuda.syncthreads()
    x[cuda.threadIdx.x] = tile[end]


def fixed(x):
    tile = cuda.shared.array(16384, np.float32)
    tile[cuda.threadIdx.x] = x[cuda.threadIdx.x]
    x[cuda.threadIdx.x] = tile[0]


@pytest.fixture(params=["Python", "C++"])
def kernel(request):
    """`kernel("last")`: a fresh kernel in one of the languages."""
    here = {"last": last, "fixed": fixed}
    module = gpusim.RawModule(code=TEXT)
    return lambda name: cuda.jit(here[name]) if request.param == "Python" else module.get_function(name)


def message(call, error=LaunchError):
    with pytest.raises(error) as caught:
        call()
    return str(caught.value)


def launched(kernel, size):
    """Ask for `size` bytes and use the last four of them."""
    x = np.full(32, size // 4 - 1, np.float32)
    kernel[1, 32, 0, size](x)
    assert x.tolist() == [7] * 32


# more than 48 KB -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("device", "most"), [("V100", 96), ("T4", 64), ("A100", 163), ("RTX 4090", 99), ("H200", 227)]
)
def test_one_block_gets_all_that_the_device_has_if_it_opts_in(kernel, device, most):
    tile = kernel("last")
    with gpusim.use(device):
        launched(tile, 48 * KIB)
        with pytest.raises(LaunchError, match="opt in to more"):
            launched(tile, 48 * KIB + 4)
        assert cudart.cudaFuncSetAttribute(tile, BYTES, most * KIB) == SUCCESS
        launched(tile, most * KIB)
        with pytest.raises(LaunchError, match="cudaErrorInvalidValue"):
            cudart.cudaFuncSetAttribute(tile, BYTES, most * KIB + 1)


@pytest.mark.parametrize("device", ["G80", "C2050", "K40", "P100"])
def test_before_volta_there_is_no_opt_in(kernel, device):
    tile, found = kernel("last"), devices.get(device)
    with gpusim.use(device):
        launched(tile, found.shared_bytes_per_block)
        text = message(lambda: launched(tile, found.shared_bytes_per_block + 4))
    assert text == (
        f"last declares 0 bytes of shared memory, and the launch adds {found.shared_bytes_per_block + 4}; "
        f"{device} allows {found.shared_bytes_per_block} a block (shared_bytes_per_block; {GUIDE}); no block "
        f"gets more on {device}"
    )


def test_without_an_opt_in_the_message_says_how(kernel):
    assert message(lambda: launched(kernel("last"), 64 * KIB)) == (
        "last declares 0 bytes of shared memory, and the launch adds 65536; H200 allows 49152 a block "
        f"(shared_bytes_per_block; {MEASURED}); opt in to more before the launch: {OPT_IN.format(65536)}"
    )


def test_arrays_of_a_fixed_size_get_48_kib_and_no_more(kernel):
    tile = kernel("fixed")
    dynamic = (
        "cuda.shared.array(0, dtype)" if tile.__module__ == __name__ else "extern __shared__ float tile[]"
    )
    expected = (
        f"fixed declares 65536 bytes of shared memory; V100 allows 49152 a block (shared_bytes_per_block; "
        f"{GUIDE}); for arrays of a fixed size there is no more, and a GPU's assembler, ptxas, refuses them, "
        f"too: declare `{dynamic}`, give its bytes with the launch, and opt in before it: "
        + OPT_IN.format(65536)
    )
    with gpusim.use("V100"):
        assert message(lambda: tile[1, 32](np.zeros(32, np.float32))) == expected
        if tile.__module__ == __name__:
            cudart.cudaFuncSetAttribute(tile, BYTES, 1024)  # an opt-in is to dynamic memory only
            assert message(lambda: tile[1, 32](np.zeros(32, np.float32))) == expected


def test_a_size_beyond_the_device(kernel):
    tile = kernel("last")
    assert message(lambda: launched(tile, 256 * KIB)) == (
        "last declares 0 bytes of shared memory, and the launch adds 262144; H200 allows 49152 a block "
        f"(shared_bytes_per_block; {MEASURED}); with an opt-in it is 232448, and never more "
        f"(shared_bytes_per_block_optin; {MEASURED})"
    )
    with gpusim.use("T4"):
        assert message(lambda: cudart.cudaFuncSetAttribute(tile, BYTES, 98304)) == (
            "cudaErrorInvalidValue: last cannot have 98304 bytes of dynamic shared memory: T4 allows 65536 a "
            f"block (shared_bytes_per_block_optin; {GUIDE}), of which 0 are static"
        )
    with gpusim.use("V100"):
        cudart.cudaFuncSetAttribute(tile, BYTES, 98304)
    with gpusim.use("T4"):
        assert message(lambda: launched(tile, 98304)) == (
            "last declares 0 bytes of shared memory, and the launch adds 98304; T4 allows 65536 a block "
            f"(shared_bytes_per_block_optin; {GUIDE}); no block gets more on T4"
        )


# carve-outs -------------------------------------------------------------------------------------------------


def test_a_carve_out_is_set_and_read_under_all_its_names(kernel):
    tile = kernel("last")
    launched(tile, 128)
    for value in (50, 0, cudart.cudaSharedCarveout.cudaSharedmemCarveoutMaxShared, -1):
        assert cudart.cudaFuncSetAttribute(tile, PERCENT, value) == SUCCESS
        error, attributes = cudart.cudaFuncGetAttributes(tile)
        assert error is cudart.cudaError_t.cudaSuccess
        assert attributes.preferredShmemCarveout == tile.preferred_shared_memory_carveout == value
    assert [int(named) for named in cudart.cudaSharedCarveout] == [-1, 0, 100]
    tile.preferred_shared_memory_carveout = 50
    with gpusim.profile("V100") as run:
        launched(tile, 128)
    assert (run.kernels[0].carveout_bytes, run.kernels[0].l1_bytes) == (64 * KIB, 64 * KIB)


@pytest.mark.parametrize("percent", [101, -2, 1000, 49152])
def test_a_carve_out_out_of_range(kernel, percent):
    tile = kernel("last")
    expected = (
        f"cudaErrorInvalidValue: last cannot prefer a carve-out of {percent}: it is a whole number of "
        "percent, from 0 (cudaSharedmemCarveoutMaxL1) to 100 (cudaSharedmemCarveoutMaxShared) of the 98304 "
        f"bytes that a multiprocessor of V100 has at most (shared_bytes_per_multiprocessor; {GUIDE}), or -1 "
        "(cudaSharedmemCarveoutDefault)"
    )
    with gpusim.use("V100"):
        assert message(lambda: cudart.cudaFuncSetAttribute(tile, PERCENT, percent)) == expected
        assert message(lambda: setattr(tile, "preferred_shared_memory_carveout", percent)) == expected
    assert tile.preferred_shared_memory_carveout == -1


@pytest.mark.parametrize("percent", [0.5, "50", None, True])
def test_a_carve_out_is_a_whole_number(kernel, percent):
    with pytest.raises(LaunchError, match="a whole number of percent"):
        cudart.cudaFuncSetAttribute(kernel("last"), PERCENT, percent)


def test_where_there_is_no_choice_a_preference_is_taken_and_ignored(kernel):
    """As on a GPU: the call succeeds. The report says what became of it."""
    tile = kernel("last")
    with gpusim.profile("P100") as run:
        assert cudart.cudaFuncSetAttribute(tile, PERCENT, 100) == SUCCESS
        assert cudart.cudaFuncSetCacheConfig(tile, 1) == SUCCESS
        launched(tile, 128)
    assert run.kernels[0].carveout_bytes == 64 * KIB
    assert run.kernels[0].carveout_reason == (
        "P100 has shared memory (64 KB) and L1 (24 KB) apart: a preference changes nothing."
    )


def test_numba_cudas_option():
    for value, percent in (("MaxL1", 0), ("maxshared", 100), ("default", -1), (50, 50), (-1, -1)):
        assert cuda.jit(shared_memory_carveout=value)(last).preferred_shared_memory_carveout == percent
    tile = cuda.jit("void(float32[:])", shared_memory_carveout=50)(last)
    with gpusim.profile("V100") as run:
        launched(tile, 128)
    assert run.kernels[0].carveout_bytes == 64 * KIB
    for value in (101, -2, "MaxAll", 50.0, True):
        assert message(lambda value=value: cuda.jit(shared_memory_carveout=value)(last), KernelTypeError) == (
            "shared_memory_carveout is a whole number of percent from 0 to 100, -1 for the default, or one "
            f"of 'default', 'MaxL1' and 'MaxShared', not {value!r}"
        )


def test_a_cooperative_grid_must_fit_under_the_preference():
    """16 blocks of 128 threads fill a multiprocessor of an H200; 8 KB hold 8, with 1 KB reserved each."""

    @cuda.jit
    def together(x):
        cuda.cg.this_grid().sync()
        x[cuda.grid(1)] = 1

    x = np.zeros(132 * 9 * 128, np.float32)
    together[132 * 9, 128](x)
    together.preferred_shared_memory_carveout = 0
    together[132 * 8, 128](x)
    with pytest.raises(LaunchError, match="H200 holds 1056 of them at once"):
        together[132 * 9, 128](x)


def test_a_specialized_kernel_keeps_what_was_asked():
    tile, x = cuda.jit(last), np.zeros(32, np.float32)
    cudart.cudaFuncSetAttribute(tile, BYTES, 64 * KIB)
    tile.preferred_shared_memory_carveout = 50
    _, attributes = cudart.cudaFuncGetAttributes(tile.specialize(x))
    assert (attributes.maxDynamicSharedSizeBytes, attributes.preferredShmemCarveout) == (64 * KIB, 50)


# other calls ------------------------------------------------------------------------------------------------


def test_the_attributes_of_a_kernel(kernel):
    tile = kernel("last")
    launched(tile, 128)
    _, attributes = cudart.cudaFuncGetAttributes(tile)
    assert attributes.sharedSizeBytes == attributes.constSizeBytes == attributes.localSizeBytes == 0
    assert attributes.maxThreadsPerBlock == 1024
    assert attributes.numRegs == tile.function.registers_per_thread
    assert attributes.maxDynamicSharedSizeBytes == 48 * KIB
    cudart.cudaFuncSetAttribute(tile, BYTES, 64 * KIB)
    assert cudart.cudaFuncGetAttributes(tile)[1].maxDynamicSharedSizeBytes == 64 * KIB
    with pytest.raises(NotOffered, match="ptxVersion is not simulated: there is no machine code"):
        _ = attributes.ptxVersion


def test_the_occupancy_depends_on_the_preference(kernel):
    tile = kernel("last")
    launched(tile, 128)
    blocks = cudart.cudaOccupancyMaxActiveBlocksPerMultiprocessor
    for percent, expected in ((-1, 6), (0, 1), (50, 4), (100, 6)):
        cudart.cudaFuncSetAttribute(tile, PERCENT, percent)
        assert blocks(tile, 128, 32 * KIB) == (*SUCCESS, expected)
    assert blocks(tile, 128, 228 * KIB) == (*SUCCESS, 0)


def test_the_figures_of_a_device():
    ask = cudart.cudaDeviceAttr
    with gpusim.use("V100"):
        for attribute, value in (
            (ask.cudaDevAttrMaxSharedMemoryPerBlock, 49152),
            (ask.cudaDevAttrMaxSharedMemoryPerBlockOptin, 98304),
            (ask.cudaDevAttrMaxSharedMemoryPerMultiprocessor, 98304),
            (ask.cudaDevAttrReservedSharedMemoryPerBlock, 0),
            (ask.cudaDevAttrWarpSize, 32),
        ):
            assert cudart.cudaDeviceGetAttribute(attribute, 0) == (*SUCCESS, value)
        for attribute in ask:
            assert isinstance(cudart.cudaDeviceGetAttribute(attribute, 0)[1], int)
    with pytest.raises(LaunchError, match="cudaErrorInvalidDevice: there is no device 1, only 0"):
        cudart.cudaDeviceGetAttribute(ask.cudaDevAttrWarpSize, 1)


RECORDED = json.loads((Path(__file__).parent / "hardware" / "occupancy.json").read_text())


def test_the_properties_of_an_h200_are_those_of_a_real_one():
    recorded, (_, found) = RECORDED["properties"], cudart.cudaGetDeviceProperties(0)
    for name in set(vars(found)) & set(recorded):
        value = getattr(found, name)
        assert (list(value) if isinstance(value, tuple) else value) == recorded[name], name
    assert set(vars(found)) - set(recorded) == {
        "major", "minor", "waveSize", "clockRate", "singleToDoublePrecisionPerfRatio"
    }  # fmt: skip
    attributes = {row["name"]: row["value"] for row in RECORDED["attributes"]}
    assert found.clockRate == attributes["clockRate_kHz"]
    assert found.singleToDoublePrecisionPerfRatio == attributes["singleToDoublePrecisionPerfRatio"]
    assert "maxThreadsPerMultiProcessor       2048" in repr(found)
    with pytest.raises(NotOffered, match="no figure for 'memoryBusWidth'; there are name, totalGlobalMem"):
        _ = found.memoryBusWidth
    assert not hasattr(found, "__len__")


@pytest.mark.parametrize("device", ["MetaX C500", "H200"])
def test_example_5_3_of_the_textbook(kernel, device):
    """How full is a multiprocessor with a kernel's blocks of 128 threads? In MXMACA's names."""
    with gpusim.use(device):
        tile = kernel("last")
        launched(tile, 128)
        error, number = cudart.mcGetDevice()
        assert error == cudart.mcError_t.mcSuccess
        error, properties = cudart.mcGetDeviceProperties(number)
        error, blocks = cudart.mcOccupancyMaxActiveBlocksPerMultiprocessor(tile, 128, 16 * KIB)
        active_waves = blocks * 128 / properties.waveSize
        max_waves = properties.maxThreadsPerMultiProcessor / properties.waveSize
        found = tile.occupancy(128, 16 * KIB)
        assert (active_waves, max_waves) == (found.warps, found.max_warps)
        assert active_waves / max_waves == found.theoretical_occupancy


def test_potential_block_sizes(kernel):
    tile = kernel("last")
    launched(tile, 128)
    for device, width in (("H200", 132), ("V100", 80), ("MetaX C500", 104)):
        with gpusim.use(device):
            _, grid, block = cudart.cudaOccupancyMaxPotentialBlockSize(tile)
            assert (grid, block) == (2 * width, 1024)
            _, grid, block = cudart.mcOccupancyMaxPotentialBlockSize(tile, 0, 500)
            assert (grid, block) == (8 * width, 256)  # 2048 threads; 4 blocks of 500 would be 2000
    variable = cudart.cudaOccupancyMaxPotentialBlockSizeVariableSMem
    _, grid, block = variable(tile, lambda threads: 128 * threads)
    allowed = (size for size in range(32, 1025, 32) if 128 * size <= tile.max_dynamic_shared_size_bytes)
    most = max(tile.occupancy(size, 128 * size).warps for size in allowed)
    assert tile.occupancy(block, 128 * block).warps == most
    assert grid == 132 * tile.occupancy(block, 128 * block).blocks
    assert cudart.cudaOccupancyMaxPotentialBlockSize(tile, 228 * KIB) == (*SUCCESS, 0, 0)
    with pytest.raises(LaunchError, match="cudaErrorInvalidValue: 7 is no function of the block size"):
        variable(tile, 7)


def test_flags_change_nothing_but_must_be_some(kernel):
    tile = kernel("last")
    launched(tile, 128)
    for flags in (cudart.cudaOccupancyDefault, cudart.mcOccupancyDisableCachingOverride):
        found = cudart.cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(tile, 128, 32 * KIB, flags)
        assert found == (*SUCCESS, 6)
        assert cudart.cudaOccupancyMaxPotentialBlockSizeWithFlags(tile, flags=flags)[2] == 1024
        variable = cudart.cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags
        assert variable(tile, lambda _size: 0, flags=flags)[2] == 1024
    with pytest.raises(LaunchError, match="flags are cudaOccupancyDefault"):
        cudart.cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(tile, 128, 0, 2)


def test_numbas_calculators(kernel):
    tile, context = kernel("last"), cuda.current_context()
    launched(tile, 128)
    assert context.get_active_blocks_per_multiprocessor(tile, 128, 32 * KIB) == 6
    assert context.get_max_potential_block_size(tile, None, 0, 0) == (264, 1024)
    assert context.get_max_potential_block_size(tile, lambda size: 32 * size, 0, 256, flags=0)[1] <= 256


def test_there_is_one_device_and_no_other_spelling():
    assert cudart.cudaGetDeviceCount() == (*SUCCESS, 1)
    assert cudart.cudaSetDevice(0) == SUCCESS
    with pytest.raises(LaunchError, match="there is no device 1, only 0"):
        cudart.cudaSetDevice(1)
    attribute = cudart.mcFuncAttribute.mcFuncAttributeMaxDynamicSharedMemorySize
    assert attribute is cudart.cudaFuncAttribute.cudaFuncAttributeMaxDynamicSharedMemorySize
    for missing in ("mcNothing", "hipMalloc"):
        with pytest.raises(AttributeError, match=missing):
            getattr(cudart, missing)
    with pytest.raises(AttributeError, match="cudaFuncAttribute has no 'cudaNothing'"):
        _ = cudart.mcFuncAttribute.mcNothing


def test_what_is_no_kernel_or_no_attribute():
    no_kernel = "cudaErrorInvalidDeviceFunction: 7 is no kernel; pass what @cuda.jit or RawModule gave"
    assert message(lambda: cudart.cudaFuncSetAttribute(7, PERCENT, 50)) == no_kernel
    helper = cuda.jit(device=True)(last)
    with pytest.raises(LaunchError, match="<device function last> is no kernel"):
        cudart.cudaFuncSetCacheConfig(helper, 1)
    assert message(lambda: cudart.cudaFuncSetCacheConfig(cuda.jit(last), 4)) == (
        "cudaErrorInvalidValue: 4 is no cudaFuncCache; there are cudaFuncCachePreferNone, "
        "cudaFuncCachePreferShared, cudaFuncCachePreferL1, cudaFuncCachePreferEqual"
    )
    assert message(lambda: cudart.cudaFuncGetAttributes(cuda.jit(last))) == (
        "cudaErrorInvalidDeviceFunction: last has not been compiled; launch it once, or give @cuda.jit a "
        "signature"
    )


# alignment --------------------------------------------------------------------------------------------------

RULE = 'CUDA C++ Programming Guide, "Size and Alignment Requirement"'


def test_a_wide_access_must_be_aligned_in_cpp():
    wide = gpusim.RawKernel(
        "__global__ void wide(float* x) { float4 v = *(float4*)(x + 1); *x = v.w; }", "wide"
    )
    text = message(lambda: wide[1, 1](np.zeros(64, np.float32)), MisalignedAccess)
    assert text.splitlines()[0] == (
        "code:1: thread (0, 0, 0) of block (0, 0, 0) uses 16 bytes of 'x' at address 0x7f0000000004, which "
        "is not a multiple of 16"
    )
    assert text.endswith(
        f"^ a pointer to 16 bytes, such as a cast makes, must hold a multiple of 16 ({RULE})"
    )


def test_a_wide_access_must_be_aligned_in_python():
    @cuda.jit
    def wide(x):
        x[0] = x[1:].view(np.float64)[0]

    text = message(lambda: wide[1, 1](np.zeros(65, np.float32)), MisalignedAccess)
    assert text.splitlines()[0].endswith(
        "uses 8 bytes of 'x[1:].view(np.float64)' at address 0x7f0000000004, which is not a multiple of 8"
    )
    assert text.endswith(f"^ let the view begin at a multiple of 8 bytes ({RULE})")


@cuda.jit
def needs_a_large_stack(x):
    found = cuda.local.array(1000, np.float64)
    found[x[0]] = 1
    x[0] = found[x[0]]


def test_a_kernel_that_needs_more_stack_gets_it_and_it_stays():
    limit = cudart.cudaLimit.cudaLimitStackSize
    assert cudart.cudaDeviceGetLimit(limit)[1] == 1024
    needs_a_large_stack[1, 1](np.ones(1, np.int64))
    assert cudart.cudaDeviceGetLimit(limit)[1] == 8000
    cuda.current_context().reset()
    assert cudart.cudaDeviceGetLimit(limit)[1] == 1024


def test_the_heap_of_the_device_has_a_limit():
    limit, state = cudart.cudaLimit.cudaLimitMallocHeapSize, settings.current().grids.state
    assert cudart.cudaDeviceGetLimit(limit) == (cudart.cudaError_t.cudaSuccess, 8 << 20)
    cudart.cudaDeviceSetLimit(limit, 1 << 20)
    heap = state.heap(devices.get("H200"))
    assert (len(heap.data), heap is state.heap(devices.get("H200"))) == (1 << 20, True)
    assert cuda.current_context().get_memory_info().free == devices.get("H200").memory_bytes - (1 << 20)
    with pytest.raises(LaunchError, match="the heap has 1048576 bytes, and is in use already"):
        cudart.cudaDeviceSetLimit(limit, 2 << 20)
    cuda.current_context().reset()
    assert cudart.cudaDeviceGetLimit(limit)[1] == 8 << 20
    with pytest.raises(LaunchError, match="a heap cannot have -1 bytes: H200 has 150109880320"):
        cudart.cudaDeviceSetLimit(limit, -1)
    with pytest.raises(LaunchError, match="7 is no cudaLimit; there are cudaLimitStackSize"):
        cudart.cudaDeviceGetLimit(7)


@pytest.mark.parametrize(
    ("block", "shared", "what"),
    [(0, 0, "blockSize"), (-1, 0, "blockSize"), (2.5, 0, "blockSize"), (32, -5000, "dynamicSMemSize")],
)
def test_occupancy_is_of_blocks_that_can_be(block, shared, what):
    @cuda.jit("void(float32[:])")
    def kernel(x):
        x[0] = 0

    with pytest.raises(LaunchError, match=f"cudaErrorInvalidValue: {what} is a"):
        cudart.cudaOccupancyMaxActiveBlocksPerMultiprocessor(kernel, block, shared)
    assert cudart.cudaOccupancyMaxActiveBlocksPerMultiprocessor(kernel, np.int64(1024), 0)[1] == 2
    assert cudart.cudaOccupancyMaxActiveBlocksPerMultiprocessor(kernel, 4096, 0)[1] == 0
    (overload,) = kernel.overloads.values()
    with pytest.raises(LaunchError, match="x is 0, and H200 takes 1 to 1024 there"):
        overload.max_cooperative_grid_blocks(0)
