"""How are kernels in CUDA C++ compiled and launched, and what do they need?"""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import gpusim
from gpusim import cuda
from gpusim.cpp import options
from gpusim.cpp.program import HostCodeWarning
from gpusim.errors import (
    GpuSimError,
    KernelTypeError,
    LaunchError,
    NotOffered,
    OutOfBounds,
    UnsupportedConstruct,
)

SAXPY = r"""
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += a * x[i];
}
"""


@pytest.fixture
def saxpy():
    return gpusim.RawKernel(SAXPY, "saxpy")


@pytest.fixture
def x():
    return np.arange(100, dtype=np.float32)


# launching --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "launch",
    [
        lambda kernel, *args: kernel((4,), (32,), args),
        lambda kernel, *args: kernel((4, 1, 1), (32, 1), list(args), shared_mem=1024),
        lambda kernel, *args: kernel[4, 32](*args),
        lambda kernel, *args: kernel[(4,), (32, 1, 1)](*args),
        lambda kernel, *args: kernel[4, 32, cuda.stream(), 1024](*args),
        lambda kernel, *args: kernel.forall(100)(*args),
    ],
)
def test_a_kernel_is_launched_in_the_manner_of_cupy_and_of_numba(saxpy, x, device, launch):
    y = np.ones(100, np.float32)
    with gpusim.use(device=device):
        launch(saxpy, 100, 2.0, x, y)
    assert (y == 2 * x + 1).all()


def test_device_arrays_are_used_and_copies_are_made_where_asked_for(saxpy, x):
    y = cuda.to_device(np.zeros(100, np.float32))
    saxpy[4, 32](100, 1.0, x, y)
    assert (y.copy_to_host() == x).all()
    kept, filled = np.zeros(100, np.float32), np.zeros(100, np.float32)
    saxpy[4, 32](100, 1.0, x, cuda.In(kept))
    assert not kept.any()
    saxpy[4, 32](100, 1.0, x, cuda.InOut(filled))
    assert (filled == x).all()


def test_an_array_that_the_kernel_writes_must_be_writable(saxpy, x):
    y = np.zeros(100, np.float32)
    y.flags.writeable = x.flags.writeable = False
    with pytest.raises(LaunchError, match="saxpy writes to 'y', which is read-only; pass a copy"):
        saxpy[4, 32](100, 1.0, x, y)


def test_arguments_must_be_a_tuple(saxpy, x):
    for arguments in ((x,), (), (None,)):
        with pytest.raises(LaunchError, match=r"takes the arguments as a tuple: saxpy\(\(4,\), \(256,\)"):
            saxpy((4,), (32,), *arguments)
    with pytest.raises(KernelTypeError, match=r"saxpy\(int n, float a, const float \*x, float \*y\) takes 4"):
        saxpy((4,), (32,), (x,))


def test_the_arguments_are_checked_before_anything_runs(saxpy, x):
    with pytest.raises(KernelTypeError, match=r"argument 1 of saxpy, int n, takes a whole number, not 1\.5"):
        saxpy[4, 32](1.5, 2.0, x, x)
    with pytest.raises(KernelTypeError, match=r"const float \*x, takes an array of float32, not of float64"):
        saxpy[4, 32](1, 2.0, np.zeros(3), x)


def test_an_error_names_the_line_of_the_text(saxpy, x):
    with pytest.raises(OutOfBounds, match=r"^code:4: .*\n    if \(i < n\) y\[i\] \+= a \* x\[i\];"):
        saxpy[4, 32](101, 2.0, x, x.copy())


def test_null_is_none(x):
    kernel = gpusim.RawKernel(
        r"""__global__ void fill(const float* x, float* y) {
            y[threadIdx.x] = x == nullptr ? -1.0f : x[threadIdx.x];
        }""",
        "fill",
    )
    y = np.zeros(4, np.float32)
    kernel[1, 4](None, y)
    assert y.tolist() == [-1] * 4
    kernel[1, 4](x, y)
    assert y.tolist() == [0, 1, 2, 3]
    with pytest.raises(GpuSimError, match="null pointer"):
        kernel[1, 4](x, None)


def test_structs_by_value_reach_the_kernel():
    kernel = gpusim.RawKernel(
        r"""
        struct View { float* data; int shape[2]; float2 scale; };
        __global__ void fill(View v) {
            int row = threadIdx.y, column = threadIdx.x;
            if (row < v.shape[0] && column < v.shape[1])
                v.data[row * v.shape[1] + column] = v.scale.x * row + v.scale.y * column;
        }""",
        "fill",
    )
    data = np.zeros((3, 5), np.float32)
    kernel[1, (8, 8)]({"data": data, "shape": data.shape, "scale": (10, 1)})
    assert data.tolist() == [[10 * i + j for j in range(5)] for i in range(3)]
    again = cuda.device_array((3, 5), np.float32)
    kernel[1, (8, 8)]((again, [3, 5], 10 + 1j))
    assert (again.copy_to_host() == data).all()


def test_pointers_to_device_memory_may_lie_in_memory():
    kernel = gpusim.RawKernel(
        r"""__global__ void sums(const float* const* rows, const int* lengths, float* sum) {
            float s = 0;
            for (int k = 0; k < lengths[threadIdx.x]; k++) s += rows[threadIdx.x][k];
            sum[threadIdx.x] = s;
        }""",
        "sums",
    )
    rows = [cuda.to_device(np.arange(n, dtype=np.float32)) for n in (3, 5)]
    addresses = np.array([row.device_ctypes_pointer.value for row in rows], np.uint64)
    total = np.zeros(2, np.float32)
    kernel[1, 2](addresses, np.array([3, 5], np.int32), total)
    assert total.tolist() == [3, 10]


# what watches launches --------------------------------------------------------------------------------------


def test_profile_sanitize_and_explore_take_these_kernels(saxpy, x):
    with gpusim.profile() as run, gpusim.sanitize() as report:
        saxpy[1, 64](64, 2.0, x, x.copy())
    assert run.sectors_per_request == 4
    assert report.clean
    lines = [row["source"] for row in run.as_dict()["kernels"][0]["lines"]]
    assert "if (i < n) y[i] += a * x[i];" in lines
    assert gpusim.explore_schedules(saxpy[1, 64], 64, 2.0, x, x.copy(), schedules=4).deterministic
    with pytest.raises(LaunchError, match="give saxpy a grid and a block"):
        gpusim.explore_schedules(saxpy, 64, 2.0, x, x)


def test_the_instructions_stand_beside_the_source(saxpy):
    listing = saxpy.inspect_ir()
    assert ".entry saxpy(s32 %n, f32 %a, " in listing
    assert "if (i < n) y[i] += a * x[i];" in listing
    assert repr(saxpy) == "<kernel saxpy>"
    assert saxpy.signature == "saxpy(int n, float a, const float *x, float *y)"


# modules ----------------------------------------------------------------------------------------------------

TWO = r"""
template <typename T, int K> __global__ void times(T* x) { x[threadIdx.x] *= K; }
__global__ void __launch_bounds__(128, 4) plus(int* x, int n) { x[threadIdx.x] += n; }
"""


def test_a_module_holds_many_kernels():
    module = gpusim.RawModule(code=TWO)
    assert repr(module) == "<module code, not compiled yet>"
    x = np.arange(4, dtype=np.int32)
    module.get_function("plus")[1, 4](x, 1)
    module.get_function("times<int, 3>")[1, 4](x)
    assert x.tolist() == [3, 6, 9, 12]
    assert repr(module) == "<module code: kernels times, plus>"
    with pytest.raises(KernelTypeError, match="no __global__ function 'pluss'; did you mean `plus`"):
        module.get_function("pluss")


def test_name_expressions_are_compiled_with_the_module():
    module = gpusim.RawModule(code=TWO, name_expressions=["times<float, 2>", "times<double, 2>"])
    module.compile()
    x = np.ones(4)
    module.get_function("times<double, 2>")[1, 4](x)
    assert x.tolist() == [2] * 4
    with pytest.raises(GpuSimError, match="Q"):
        gpusim.RawModule(code=TWO, name_expressions=["times<Q, 2>"]).compile()
    with pytest.raises(KernelTypeError, match="name_expressions is a list"):
        gpusim.RawModule(code=TWO, name_expressions="times<Q, 2>")


def test_a_template_without_its_arguments_is_refused():
    with pytest.raises(GpuSimError, match="times"):
        gpusim.RawModule(code=TWO).get_function("times")


def test_a_module_is_read_from_a_file(tmp_path):
    file = tmp_path / "saxpy.cu"
    file.write_text(SAXPY.replace("a * x", "b * x"), encoding="utf-8")
    with pytest.raises(GpuSimError, match=r"^saxpy.cu:4: "):
        gpusim.RawModule(path=file).get_function("saxpy")
    file.write_text(SAXPY, encoding="utf-8")
    assert gpusim.RawModule(path=str(file)).get_function("saxpy").name == "saxpy"


def test_either_text_or_file():
    for given in ({}, {"code": SAXPY, "path": "saxpy.cu"}):
        with pytest.raises(KernelTypeError, match="give either code"):
            gpusim.RawModule(**given)
    with pytest.raises(UnsupportedConstruct, match="machine code; pass the CUDA C"):
        gpusim.RawModule(path="saxpy.ptx")
    with pytest.raises(KernelTypeError, match="not a list"):
        gpusim.RawModule(code=[SAXPY])


def test_host_code_is_said_not_to_run():
    with pytest.warns(
        HostCodeWarning, match=r"main\(\) is host code and is not run: launch .* saxpy\[blocks"
    ) as warned:
        gpusim.RawModule(code=SAXPY + "\nint main() { return 0; }").get_function("saxpy")
    assert warned[0].filename == __file__


def test_a_call_without_a_grid_says_what_a_kernel_in_python_says(saxpy):
    for arguments in ((), (np.zeros(1),)):
        with pytest.raises(LaunchError, match=r"saxpy is a kernel: launch it with saxpy\[blocks"):
            saxpy(*arguments)


def test_a_kernel_is_compiled_once_for_each_device(saxpy):
    first = saxpy.compiled()
    assert saxpy.compiled() is first
    with gpusim.use(device="MetaX C500"):
        assert saxpy.compiled() is not first
    assert saxpy.compiled() is first


# what a kernel needs ----------------------------------------------------------------------------------------

TILE = r"""
__constant__ float weights[4];
__global__ void tile(float* x) {
    __shared__ float own[64];
    extern __shared__ float more[];
    own[threadIdx.x] = x[threadIdx.x];
    more[threadIdx.x] = weights[threadIdx.x % 4];
    __syncthreads();
    x[threadIdx.x] = own[63 - threadIdx.x] + more[threadIdx.x];
}
"""


def test_attributes_have_cupys_names():
    kernel = gpusim.RawKernel(TILE, "tile")
    assert list(kernel.attributes) == [
        "max_threads_per_block",
        "shared_size_bytes",
        "const_size_bytes",
        "local_size_bytes",
        "num_regs",
        "max_dynamic_shared_size_bytes",
        "preferred_shared_memory_carveout",
    ]
    assert kernel.shared_size_bytes == 256
    assert kernel.const_size_bytes == 16
    assert kernel.local_size_bytes == 0
    assert kernel.num_regs == kernel.compiled().registers_per_thread > 0
    assert kernel.max_threads_per_block == 1024
    with pytest.raises(NotOffered, match="binary_version is not simulated: there is no machine code"):
        _ = kernel.binary_version
    with pytest.raises(AttributeError, match="RawKernel has no 'colour'; it has"):
        _ = kernel.colour


def test_more_than_48_kib_of_shared_memory_must_be_asked_for():
    kernel = gpusim.RawKernel(TILE, "tile")
    x = np.arange(64, dtype=np.float32)
    assert kernel.max_dynamic_shared_size_bytes == 48 * 1024 - 256
    with pytest.raises(LaunchError, match="opt in to more before the launch"):
        kernel((1,), (64,), (x,), shared_mem=64 * 1024)
    kernel.max_dynamic_shared_size_bytes = 64 * 1024
    kernel((1,), (64,), (x,), shared_mem=64 * 1024)
    assert x.tolist() == list(range(63, -1, -1))
    with pytest.raises(LaunchError, match=r"has opted in to 65536 \(max_dynamic_shared_size_bytes\)"):
        kernel((1,), (64,), (x,), shared_mem=64 * 1024 + 4)
    with pytest.raises(LaunchError, match="H200 allows 232448 a block"):
        kernel.max_dynamic_shared_size_bytes = 227 * 1024


def test_launch_bounds_limit_blocks_and_registers():
    plus = gpusim.RawModule(code=TWO).get_function("plus")
    x = np.zeros(256, np.int32)
    assert plus.max_threads_per_block == 128
    assert plus.compiled().max_registers == 128, "65536 registers / (4 blocks of 128 threads)"
    with pytest.raises(LaunchError, match="compiled for at most 128"):
        plus[1, 256](x, 1)


# options ----------------------------------------------------------------------------------------------------


def constant(*flags, text="N"):
    x = np.zeros(1, np.int32)
    gpusim.RawKernel(f"__global__ void f(int* x) {{ x[0] = {text}; }}", "f", options=flags)[1, 1](x)
    return int(x[0])


def test_macros_are_defined_by_flags():
    assert constant("-DN=16") == 16
    assert constant("-D", "N=17") == 17
    assert constant("--define-macro=N=18") == 18
    assert constant("-DN") == 1
    assert constant("-DN=1", "-DN=2") == 2
    with pytest.raises(GpuSimError, match="N"):
        constant("-DN=3", "-UN")


def test_maxrregcount_bounds_registers(saxpy):
    needed = saxpy.num_regs
    bounded = gpusim.RawKernel(SAXPY, "saxpy", options=(f"--maxrregcount={needed - 1}",))
    assert (bounded.num_regs, bounded.local_size_bytes) == (needed - 1, 4)
    with pytest.raises(KernelTypeError, match="takes a positive whole number, not 'x'"):
        gpusim.RawKernel(SAXPY, "saxpy", options=("-maxrregcount=x",))


def test_a_cooperative_grid_must_be_resident():
    kernel = gpusim.RawKernel(SAXPY, "saxpy", enable_cooperative_groups=True)
    x = np.zeros(1, np.float32)
    with pytest.raises(LaunchError, match="cooperative launch too large"):
        kernel[10_000, 1024](1, 1.0, x, x)
    kernel[4, 32](1, 1.0, x, x.copy())


LAUNCHES = r"""
__global__ void child(int* x) { x[0] = 5; }
__global__ void parent(int* x) { child<<<1, 1>>>(x); }
"""


@pytest.mark.parametrize("flags", [(), ("-rdc=true",), ("-dc", "-lcudadevrt"), ("-rdc=false", "-rdc=true")])
def test_kernels_launch_kernels_compiled_in_one_step_or_two(flags):
    x = np.zeros(1, np.int32)
    gpusim.RawModule(code=LAUNCHES, options=flags).get_function("parent")[1, 1](x)
    assert x[0] == 5


@pytest.mark.parametrize(
    ("flags", "left"), [(("-dc",), 1), (("-rdc=true",), 1), ((), 0), (("-rdc=true", "-rdc=false"), 0)]
)
def test_relocatable_code_defines_its_macro(flags, left):
    code = """
#ifdef __CUDACC_RDC__
#define LEFT 1
#else
#define LEFT 0
#endif
__global__ void k(int* x) { x[0] = LEFT; }"""
    found = np.full(1, 7, np.int32)
    gpusim.RawModule(code=code, options=flags).get_function("k")[1, 1](found)
    assert found[0] == left


def test_without_relocatable_code_no_kernel_launches_another():
    module = gpusim.RawModule(code=LAUNCHES, options=("--relocatable-device-code=false",))
    with pytest.raises(
        KernelTypeError, match="child is launched by a kernel of a module that has -rdc=false"
    ) as caught:
        module.get_function("parent")
    assert caught.value.span.line == 3
    module.get_function("child")[1, 1](np.zeros(1, np.int32))
    copies = "__global__ void copies(int* x) { cudaMemcpyAsync(x, x + 1, 4, cudaMemcpyDeviceToDevice); }"
    with pytest.raises(KernelTypeError, match=r"cudaMemcpyAsync is launched by .* -rdc=false"):
        gpusim.RawModule(code=copies, options=("-rdc=false",)).get_function("copies")
    with pytest.raises(KernelTypeError, match="-rdc= is true or false, not 'yes'"):
        gpusim.RawModule(code=LAUNCHES, options=("-rdc=yes",))


def flags(verdict):
    return [flag for flag, (what, _) in options.FLAGS.items() if what == verdict]


def test_every_option_has_a_verdict():
    keywords = {
        *inspect.signature(gpusim.RawModule).parameters,
        *inspect.signature(gpusim.RawKernel).parameters,
    }
    assert keywords == {*options.TABLE, "name"}


@pytest.mark.parametrize("flag", flags(options.NO_EFFECT))
def test_an_accepted_flag_is_accepted(flag):
    gpusim.RawModule(code=SAXPY, options=(f"{flag}value" if flag.endswith("=") else flag,))


@pytest.mark.parametrize("flag", flags(options.REFUSED))
def test_a_refused_flag_says_why(flag):
    with pytest.raises(UnsupportedConstruct, match=f"the flag {flag}.* is refused: "):
        gpusim.RawModule(code=SAXPY, options=(flag,))


@pytest.mark.parametrize(
    "flag", ["-std=c++17", "--use_fast_math", "-I/usr/local/cuda/include", "-arch=sm_90", "-lineinfo", "-O3"]
)
def test_flags_without_an_effect_here_are_accepted(flag):
    assert constant(flag, text="3") == 3


@pytest.mark.parametrize("flag", ["-lcurand", "-include", "-ptx", "-L/lib"])
def test_flags_that_cannot_be_honoured_are_refused(flag):
    with pytest.raises(UnsupportedConstruct, match=f"the flag {flag} is refused: "):
        gpusim.RawModule(code=SAXPY, options=(flag,))


def test_options_without_meaning_are_refused():
    with pytest.raises(KernelTypeError, match="did you mean `--use_fast_math`"):
        gpusim.RawModule(code=SAXPY, options=("--use-fast-math",))
    with pytest.raises(KernelTypeError, match=r"a tuple of flags, such as \('-DN=16',\)"):
        gpusim.RawModule(code=SAXPY, options="-DN=4")
    with pytest.raises(KernelTypeError, match="backend is 'nvrtc' or 'nvcc', not 'clang'"):
        gpusim.RawModule(code=SAXPY, backend="clang")
    with pytest.raises(UnsupportedConstruct, match="translate_cucomplex=True is refused"):
        gpusim.RawModule(code=SAXPY, translate_cucomplex=True)
    assert gpusim.RawKernel(SAXPY, "saxpy", backend="nvcc", jitify=True).num_regs
