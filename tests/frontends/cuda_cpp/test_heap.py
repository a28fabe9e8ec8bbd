"""What do malloc, free, new and delete do in a kernel? They take memory of the device's heap, or give it."""

from __future__ import annotations

import numpy as np
import pytest

import gpusim
from gpusim.errors import GpuSimError, KernelTypeError, UnsupportedConstruct
from gpusim.runtime import settings
from tests.frontends.cuda_cpp.launches import EVERYWHERE

everywhere = pytest.mark.parametrize(("device", "scheduling"), EVERYWHERE)


def kernel(code, name="kernel"):
    return gpusim.RawModule(code=code).get_function(name)


def books():
    """What the books of the heap say: bytes ever taken, and of each list the blocks in it."""
    heap = settings.current().grids.state.heap(settings.current().device).data.view(np.uint64)
    lists = {}
    for number in range(32, 960):
        place = int(heap[number]) & 0xFFFFFFFF
        while place:
            assert int(heap[2 * place]) >> 32 == number
            lists.setdefault(number, []).append(place)
            assert len(lists[number]) == len(set(lists[number]))
            place = int(heap[2 * place]) & 0xFFFFFFFF
    return int(heap[0]), lists


LISTS = r"""
struct Node { int value; Node* next; };
__global__ void kernel(int* out, int rounds) {
  int t = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
  Node* list = nullptr;
  for (int i = 0; i < rounds; ++i) {
    Node* node = (Node*)malloc(sizeof(Node) + 40 * (i % 2));
    node->value = t * 10 + i;
    node->next = list;
    list = node;
  }
  while (list) { sum += list->value; Node* next = list->next; free(list); list = next; }
  out[t] = sum;
}"""


@everywhere
def test_each_thread_has_memory_of_its_own(device, scheduling):
    with gpusim.use(device=device, scheduling=scheduling):
        out = np.zeros(256, np.int32)
        for _ in range(3):
            kernel(LISTS)((2,), (128,), (out, 3))
            assert out.tolist() == [3 * (t * 10) + 3 for t in range(256)]
        taken, lists = books()
        blocks = {16: 2, 64: 1}  # bytes and blocks of each thread
        assert sum(map(len, lists.values())) <= 256 * 3
        assert taken <= 8192 + 256 * sum(count * (size + 16) for size, count in blocks.items())


@pytest.mark.parametrize(("device", "scheduling"), EVERYWHERE[::3])
def test_no_checker_finds_fault_with_it(device, scheduling):
    for tool in ("racecheck", "memcheck", "initcheck"):
        with gpusim.use(device=device, scheduling=scheduling), gpusim.sanitize(tool) as report:
            kernel(LISTS)((2,), (70,), (np.zeros(140, np.int32), 3))
        assert not report.findings, tool


def test_what_is_too_large_is_null():
    code = """
    __global__ void kernel(unsigned long n, int* out) {
        char* p = (char*)malloc(n);
        out[threadIdx.x] = p != nullptr;
        __syncthreads();
        free(p);
        p = (char*)malloc(16);
        out[threadIdx.x + 32] = p != nullptr;
        free(p);
    }"""
    out = np.zeros(64, np.int32)
    for size, expected in ((1 << 20, 7), (1 << 34, 0), (1 << 23, 0), (8, 32)):
        kernel(code)((1,), (32,), (np.uint64(size), out))
        assert (out[:32].sum(), out[32:].sum()) == (expected, 32)


@pytest.mark.parametrize(
    "twice",
    [
        "int* p = (int*)malloc(64); free(p); free(p);",
        "int* p = new int[4]; delete[] p; cudaFree(p);",
        "int* p = (int*)malloc(64); free(p); p = (int*)malloc(64); free(p); free(p);",
    ],
)
def test_nobody_gives_back_twice(twice):
    """Who does it is named."""
    give = kernel(f"__global__ void kernel() {{ if (threadIdx.x == 1) {{ {twice} }} }}")
    with pytest.raises(GpuSimError, match=r"(?s)thread \(1, 0, 0\).*given back already"):
        give[1, 2]()


def test_memory_outlives_the_kernel():
    code = """
    struct P { int x; __device__ P(int a) : x(a) {} };
    __global__ void make(P** where) { where[threadIdx.x] = new P(threadIdx.x * 3); }
    __global__ void use(P** where, int* out) { out[threadIdx.x] = where[31 - threadIdx.x]->x;
      delete where[threadIdx.x]; }
    """
    where, out = np.zeros(32, np.uint64), np.zeros(32, np.int32)
    module = gpusim.RawModule(code=code)
    module.get_function("make")((1,), (32,), (where,))
    module.get_function("use")((1,), (32,), (where, out))
    assert out.tolist() == [3 * (31 - t) for t in range(32)]
    assert len(set(where.tolist())) == 32


@everywhere
def test_new_and_delete(device, scheduling):
    code = r"""
    struct P { int x; __device__ P() : x(7) {} __device__ P(int a) : x(a) {} };
    struct Q { int a, b; };
    struct Ends { int* log; __device__ ~Ends() { if (log) *log = *log * 3 + 1; } };
    __global__ void kernel(int* out) {
      int t = threadIdx.x, *o = out + t * 10, n = t % 3 + 1;
      P *a = new P, *b = new P(t), *c = new P[n], *d = new P[2]{4, 5};
      Q *e = new Q{1, t}, *f = new Q();
      int *g = new int(t + 5), *h = new int[n](), *i = new int[3]{1, 2};
      o[0] = a->x; o[1] = b->x; o[2] = c[n - 1].x; o[3] = d[1].x; o[4] = e->b + f->a + f->b;
      o[5] = *g; o[6] = h[n - 1]; o[7] = i[1] + i[2];
      delete a; delete b; delete[] c; delete[] d; delete e; delete f; delete g; delete[] h; delete[] i;
      Ends* ends = new Ends[n];
      for (int k = 0; k < n; ++k) ends[k].log = &o[8];
      delete[] ends;
      Ends* null = nullptr;
      delete null;
      alignas(8) char room[sizeof(Ends)];
      Ends* placed = new (room) Ends{&o[9]};
      placed->~Ends();
    }"""
    with gpusim.use(device=device, scheduling=scheduling):
        out = np.zeros((70, 10), np.int32)
        kernel(code)((1,), (70,), (out,))
    for t, row in enumerate(out.tolist()):
        assert row == [7, t, 7, 5, t, t + 5, 0, 2, (1, 4, 13)[t % 3], 1]


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("int* p = new int[n]{1, 2};", "first values for a number of objects that is not constant"),
        (
            "struct S { void* operator new(unsigned long n) { return malloc(n); } }; S* s = new S;",
            "`operator new` of",
        ),
        ("void* p = calloc(n, 4);", "calloc"),
    ],
)
def test_what_is_refused(statement, message):
    with pytest.raises((UnsupportedConstruct, KernelTypeError), match=message):
        kernel(f"__global__ void kernel(int n) {{ {statement} }}").compile()


def test_delete_in_a_macro_ends_all_objects_of_an_array():
    code = """
    #define END(p) delete[] p
    #define SAFE_END(p) do { if (p) { END(p); p = nullptr; } } while (0)
    #define SAFE_DELETE(p) { if (p) delete (p); (p) = nullptr; }
    struct Ends { int* log; __device__ ~Ends() { ++*log; } };
    __global__ void kernel(int* out) {
      Ends* many = new Ends[5];
      for (int k = 0; k < 5; ++k) many[k].log = out;
      SAFE_END(many);
      Ends* one = new Ends{out + 1};
      SAFE_DELETE(one);
    }"""
    out = np.zeros(2, np.int32)
    kernel(code)((1,), (1,), (out,))
    assert out.tolist() == [5, 1]
