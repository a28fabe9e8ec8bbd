"""How does the host reach `__device__` and `__constant__` variables, and how long do they live?"""

from __future__ import annotations

import numpy as np
import pytest

import gpusim
from gpusim import cuda
from gpusim.errors import KernelTypeError, LaunchError
from gpusim.runtime.device_array import DeviceNDArray

TEXT = r"""
struct Particle { char kind; float mass; };
__constant__ float weights[2][3];
__constant__ int primes[4] = {2, 3, 5, 7};
__device__ int hits = 40;
__device__ Particle particles[2];
__device__ float* where;

__global__ void count(const int* x) {
    if (x[threadIdx.x] > 0) atomicAdd(&hits, 1);
}
__global__ void weigh(float* y) { y[threadIdx.x] = weights[threadIdx.x / 3][threadIdx.x % 3]; }
__global__ void prime(int* y) { y[threadIdx.x] = primes[threadIdx.x]; }
__global__ void heavier() { particles[threadIdx.x].mass += 1; }
__global__ void write() { where[threadIdx.x] = threadIdx.x; }
"""


@pytest.fixture
def module():
    return gpusim.RawModule(code=TEXT)


def test_variables_have_their_type_and_shape(module):
    arrays = {name: module.get_global(name) for name in ("weights", "primes", "hits", "particles", "where")}
    assert all(isinstance(array, DeviceNDArray) for array in arrays.values())
    assert {
        name: (array.shape, str(array.dtype)) for name, array in arrays.items() if name != "particles"
    } == {
        "weights": ((2, 3), "float32"),
        "primes": ((4,), "int32"),
        "hits": ((1,), "int32"),
        "where": ((1,), "uint64"),
    }
    particles = arrays["particles"].dtype
    assert (particles.names, particles.itemsize) == (("kind", "mass"), 8)


def test_variables_begin_with_their_initial_value_or_zero(module):
    assert module.get_global("hits")[0] == 40
    assert module.get_global("primes").copy_to_host().tolist() == [2, 3, 5, 7]
    assert not module.get_global("weights").copy_to_host().any()


def test_a_kernel_finds_what_the_host_wrote(module):
    module.get_global("weights")[:] = [[1, 2, 3], [4, 5, 6]]
    y = np.zeros(6, np.float32)
    module.get_function("weigh")[1, 6](y)
    assert y.tolist() == [1, 2, 3, 4, 5, 6]
    module.get_global("primes")[1] = 30
    z = np.zeros(4, np.int32)
    module.get_function("prime")[1, 4](z)
    assert z.tolist() == [2, 30, 5, 7]


def test_the_host_finds_what_kernels_left_from_launch_to_launch(module):
    count, x = module.get_function("count"), np.array([1, 0, 1, 0], np.int32)
    hits = module.get_global("hits")
    for expected in (42, 44):
        count[1, 4](x)
        assert int(hits[0]) == expected
    with gpusim.use(device="MetaX C500"):
        count[1, 4](x)
    assert int(hits[0]) == 46, "one memory, whatever device is simulated"
    hits[:] = 0
    module.get_function("count")[1, 4](x)
    assert hits.copy_to_host().tolist() == [2]


def test_modules_share_no_variables():
    one, other = gpusim.RawModule(code=TEXT), gpusim.RawModule(code=TEXT)
    one.get_global("hits")[0] = 0
    assert other.get_global("hits")[0] == 40


def test_records_of_a_variable_are_read_and_written(module):
    particles = module.get_global("particles")
    particles[:] = np.array([(1, 2.5), (2, 3.5)], particles.dtype)
    module.get_function("heavier")[1, 2]()
    assert particles.copy_to_host()["mass"].tolist() == [3.5, 4.5]


def test_a_variable_that_is_a_pointer_is_given_an_address(module):
    x = cuda.to_device(np.zeros(4, np.float32))
    module.get_global("where")[0] = x.device_ctypes_pointer.value
    module.get_function("write")[1, 4]()
    assert x.copy_to_host().tolist() == [0, 1, 2, 3]


def test_managed_variables_are_arrays_of_the_host_too():
    module = gpusim.RawModule(code="__managed__ int total = 3; __global__ void add() { total += 4; }")
    total = module.get_global("total")
    assert isinstance(total, np.ndarray)
    total[0] *= 10
    module.get_function("add")[1, 1]()
    assert total.tolist() == [34]


def test_variables_live_as_long_as_their_module():
    kernel = gpusim.RawModule(code=TEXT).get_function("count")
    kernel[1, 4](np.ones(4, np.int32))
    kernel[1, 4](np.ones(4, np.int32))
    assert {name: array[0] for name, array in kernel.variables.items()} == {"hits": 48}
    cuda.close()
    assert kernel.variables["hits"][0] == 40, "a closed device has forgotten its modules"


def test_unknown_variables_are_named(module):
    with pytest.raises(KernelTypeError, match="variable 'weight'; did you mean `weights`"):
        module.get_global("weight")


def test_constant_memory_is_finite():
    module = gpusim.RawModule(code="__constant__ double table[8193]; __global__ void f() {}")
    with pytest.raises(LaunchError, match="65,544 bytes of __constant__ variables; H200 has 65,536"):
        module.get_function("f")


def test_schedules_begin_with_the_same_variables(module):
    count, x = module.get_function("count"), np.ones(4, np.int32)
    found = gpusim.explore_schedules(count[1, 4], x, schedules=4)
    assert found.deterministic
    assert found.outcomes[0].arguments["hits"].tolist() == [44]
    assert found.outcomes[0].changed == ["hits"]
    assert module.get_global("hits")[0] == 40


def test_schedules_are_compared_by_what_they_leave_in_variables():
    module = gpusim.RawModule(code="__device__ int hits; __global__ void count() { hits += 1; }")
    found = gpusim.explore_schedules(module.get_function("count")[1, 64], schedules=["serial", 1, 2, 3])
    assert not found.deterministic


TAKE = 'extern "C" __global__ void take(int* found) { found[0] = malloc(2 << 20) != nullptr; }'


@pytest.mark.parametrize("taken_before", [0, 2, 3])
def test_schedules_begin_with_the_same_heap(taken_before):
    cuda.close()
    take, x = gpusim.RawKernel(TAKE, "take"), np.zeros(1, np.int32)
    for _ in range(taken_before):
        take[1, 1](x)
    found = gpusim.explore_schedules(take[1, 1], np.zeros(1, np.int32), schedules=4)
    assert found.deterministic
    assert found.outcomes[0].arguments["found"].tolist() == [int(taken_before < 3)]
    take[1, 1](x)
    assert x[0] == (taken_before < 3)


def test_a_static_variable_of_a_function_outlives_launches_and_is_its_own():
    code = """
    template <class T> __device__ int counted() { static int n = 10; return atomicAdd(&n, 1); }
    __global__ void k(int* x) {
        static unsigned calls;
        static int table[2][2] = {{1, 2}, {3, 4}};
        if (threadIdx.x == 0) { atomicAdd(&calls, 1u); table[1][0] += 5; }
        x[threadIdx.x] = counted<int>();
        x[32] = counted<float>();
        x[33] = calls;
        x[34] = table[1][0];
    }
    """
    kernel, x = gpusim.RawModule(code=code).get_function("k"), np.zeros(35, np.int32)
    for launch in (1, 2):
        kernel((1,), (32,), (x,))
        assert sorted(x[:32]) == list(range(10 + 32 * (launch - 1), 10 + 32 * launch))
        assert x[33] == launch
        assert x[34] == 3 + 5 * launch
