"""Do the functions of CUDA 12.8 leave what the older ones do that they are told in?"""

import numpy as np
import pytest

import gpusim

CODE = """
#define ORDER __NV_ATOMIC_RELAXED
template <class T> __device__ void summed(T* s, T* x) {
  T one = 1, seen = __nv_atomic_load_n(s + 2, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE);
  __nv_atomic_fetch_add(s, 3, ORDER, __NV_THREAD_SCOPE_BLOCK);
  __nv_atomic_sub(s + 1, one, __NV_ATOMIC_SEQ_CST);
  while (!__nv_atomic_compare_exchange_n(s + 2, &seen, seen + threadIdx.x, false, ORDER, ORDER)) {}
  if (threadIdx.x == 3) {
    x[0] = __nv_atomic_exchange_n(s + 3, 7, ORDER);
    __nv_atomic_store_n(s + 4, 9, __NV_ATOMIC_RELEASE);
  }
}
template <class T> __global__ void reals(T* x) {
  cudaGridDependencySynchronize();
  summed(x, x + 10);
  cudaTriggerProgrammaticLaunchCompletion();
}
template <class T> __global__ void integers(T* x) {
  summed(x, x + 10);
  __nv_atomic_max(x + 5, (T)threadIdx.x, ORDER);
  __nv_atomic_fetch_min(x + 6, -(T)threadIdx.x, ORDER);
  __nv_atomic_fetch_or(x + 7, 1 << threadIdx.x, ORDER);
  __nv_atomic_xor(x + 8, threadIdx.x, ORDER);
  __nv_atomic_and(x + 9, 3, ORDER);
}
"""
INTEGERS = {"int": "i4", "unsigned": "u4", "long": "i8", "long long": "i8", "unsigned long": "u8"}


def launched(name: str, dtype: str, x: list[int]) -> list[int]:
    array = np.array(x).astype(dtype)
    with gpusim.sanitize() as found:
        gpusim.RawModule(code=CODE).get_function(name)((1,), (5,), (array,))
    assert not list(found)
    return array.tolist()


@pytest.mark.parametrize("type_", INTEGERS)
def test_atomics_that_name_their_order(type_: str) -> None:
    dtype = INTEGERS[type_]
    lowest = -4 if dtype[0] == "i" else 0  # -1 is the largest number there is without a sign
    x = launched(f"integers<{type_}>", dtype, [0, 5, 0, 6, 0, 0, 0, 0, 0, 6, 0])
    assert x == [15, 0, 10, 7, 9, 4, lowest, 31, 4, 2, 6]


@pytest.mark.parametrize(("type_", "dtype"), [("float", "f4"), ("double", "f8")])
def test_those_of_real_numbers(type_: str, dtype: str) -> None:
    x = launched(f"reals<{type_}>", dtype, [0, 5, 0, 6, 0, 0, 0, 0, 0, 0, 0])
    assert x == [15, 0, 10, 7, 9, 0, 0, 0, 0, 0, 6]
