"""Do functions that call themselves give what they give in Python? Every thread goes its own way."""

from __future__ import annotations

import numpy as np
import pytest

import gpusim

MACHINES = [(device, model) for device in ("H200", "MetaX C500") for model in ("stack", "independent")]
THREADS = 70  # full warps, and some lanes of one more
SEARCH = """
__device__ int gcd(int a, int b) { return b == 0 ? a : gcd(b, a % b); }
__device__ int factorial(int n) { if (n < 2) return 1; return n * factorial(n - 1); }
__device__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__device__ int ackermann(int m, int n) {
    if (m == 0) return n + 1;
    return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
__device__ double power(double x, unsigned n) {
    if (!n) return 1;
    double half = power(x, n / 2);
    return n & 1 ? half * half * x : half * half;
}
__device__ bool odd(int n);
__device__ bool even(int n) { return n == 0 ? true : odd(n - 1); }
__device__ bool odd(int n) { return n == 0 ? false : even(n - 1); }
__device__ void hanoi(int n, int from, int over, int to, int& moves) {
    if (!n) return;
    hanoi(n - 1, from, to, over, moves);
    moves++;
    hanoi(n - 1, over, from, to, moves);
}
__device__ int queens(int n, int row, int* columns) {
    if (row == n) return 1;
    int found = 0;
    for (int c = 0; c < n; c++) {
        bool free = true;
        for (int r = 0; r < row && free; r++) {
            int d = columns[r] - c;
            if (d == 0 || d == row - r || d == r - row) free = false;
        }
        if (!free) continue;
        columns[row] = c;
        found += queens(n, row + 1, columns);
    }
    return found;
}
template <typename T, int K> __device__ T weighed(T x, int n) {
    return n <= 0 ? x : K * weighed<T, K>(x, n - 1) + 1;
}
"""
VALUES = {
    "gcd(36 + t, 24)": lambda t: np.gcd(36 + t, 24),
    "factorial(t % 13)": lambda t: [int(np.prod(np.arange(1, k % 13 + 1))) for k in t],
    "fibonacci(t % 9)": lambda t: [[0, 1, 1, 2, 3, 5, 8, 13, 21][k % 9] for k in t],
    "ackermann(2, t % 4)": lambda t: 2 * (t % 4) + 3,
    "(int)power(1.5, t % 20)": lambda t: (1.5 ** (t % 20)).astype(int),
    "even(t)": lambda t: t % 2 == 0,
    "even(t) + 2 * odd(t / 2)": lambda t: (t % 2 == 0) + 2 * (t // 2 % 2),
    "weighed<int, 3>(t, t % 5)": lambda t: t * 3 ** (t % 5) + (3 ** (t % 5) - 1) // 2,
    "(hanoi(t % 6, 0, 1, 2, moves), moves)": lambda t: 2 ** (t % 6) - 1,
    "queens(t % 7, 0, columns)": lambda t: [[1, 1, 0, 0, 2, 10, 4][k % 7] for k in t],
}


def run(code, name, *arguments, threads=THREADS):
    """Launch one block."""
    gpusim.RawModule(code=code).get_function(name)((1,), (threads,), arguments)


@pytest.mark.parametrize(("device", "model"), MACHINES)
def test_values(device, model):
    stores = "".join(f"out[{place} * {THREADS} + t] = {text};\n" for place, text in enumerate(VALUES))
    out = np.zeros((len(VALUES), THREADS), np.int32)
    with gpusim.use(device, scheduling=model):
        text = f"__global__ void k(int* out) {{ int t = threadIdx.x, moves = 0, columns[8];\n{stores} }}"
        run(SEARCH + text, "k", out)
    for found, expected in zip(out, VALUES.values(), strict=True):
        np.testing.assert_array_equal(found, expected(np.arange(THREADS)))


SORTS = """
__device__ void swap(int& a, int& b) { int held = a; a = b; b = held; }
__device__ void quick(int* a, int low, int high) {
    if (low >= high) return;
    int pivot = a[(low + high) / 2], i = low, j = high;
    while (i <= j) {
        while (a[i] < pivot) i++;
        while (a[j] > pivot) j--;
        if (i <= j) swap(a[i++], a[j--]);
    }
    quick(a, low, j);
    quick(a, i, high);
}
__device__ void merge(int* a, int n) {
    if (n < 2) return;
    int m = n / 2, i = 0, j = m, k = 0, buffer[16];
    merge(a, m);
    merge(a + m, n - m);
    while (i < m && j < n) buffer[k++] = a[i] <= a[j] ? a[i++] : a[j++];
    while (i < m) buffer[k++] = a[i++];
    while (j < n) buffer[k++] = a[j++];
    for (k = 0; k < n; k++) a[k] = buffer[k];
}
__global__ void global(int* x) { quick(x + 16 * threadIdx.x, 0, 15); }
__global__ void local(int* x) {
    int own[16];
    x += 16 * threadIdx.x;
    for (int i = 0; i < 16; i++) own[i] = x[i];
    quick(own, 0, 15);
    for (int i = 0; i < 16; i++) x[i] = own[i];
}
__global__ void merged(int* x) { merge(x + 16 * threadIdx.x, 16); }
"""


@pytest.mark.parametrize(("device", "model"), MACHINES)
@pytest.mark.parametrize("name", ["global", "local", "merged"])
def test_sorting(name, device, model):
    x = np.random.default_rng(1).integers(0, 99, (THREADS, 16)).astype(np.int32)
    expected = np.sort(x)
    with gpusim.use(device, scheduling=model):
        run(SORTS, name, x)
    np.testing.assert_array_equal(x, expected)


OBJECTS = """
struct Node { int left, right; };
struct Turned { float x, y; int n; };
__device__ int depth(const Node* tree, int i) {
    if (i < 0) return 0;
    int left = depth(tree, tree[i].left), right = depth(tree, tree[i].right);
    return 1 + (left > right ? left : right);
}
__device__ Turned turn(Turned v, int n) {
    if (n == 0) return v;
    Turned w = turn(Turned{-v.y, v.x, v.n + 1}, n - 1);
    w.x += 1;
    return w;
}
__device__ int into_caller(int n, int* sum) {  // each call adds to a variable of the call before
    int mine = n;
    if (sum) *sum += n;
    return n == 0 ? 0 : into_caller(n - 1, &mine) + mine;
}
__device__ const int& largest(const int* a, int n) {
    if (n == 1) return a[0];
    const int& rest = largest(a + 1, n - 1);
    return rest > a[0] ? rest : a[0];
}
struct Counter {
    int calls = 0;
    __device__ int operator()(int n) {
        calls++;
        return n < 2 ? n : (*this)(n - 1) + (*this)(n - 2);
    }
};
__device__ int sum(const int* x, int n) { return n == 0 ? 0 : x[0] + sum(x + 1, n - 1); }
__device__ int apply(int (*f)(int), int n, int x) { return n == 0 ? x : f(apply(f, n - 1, x)); }
__device__ int twice(int x) { return 2 * x; }
__device__ int next(int x) { return x + 1; }
__global__ void k(int* out, const Node* tree, const int* x) {
    int t = threadIdx.x;
    __shared__ int shared[4];
    if (t < 4) shared[t] = 10 * t;
    __syncthreads();
    int own[4] = {t, 5, 6, 7}, calls = 0;
    auto walk = [&](auto& self, int n) -> int {
        calls++;
        return n < 2 ? n : self(self, n - 1) + self(self, n - 2);
    };
    Counter counter;
    Turned v = turn({1, 2, 0}, t % 4);
    int values[] = {
        depth(tree, t % 7), (int)v.x * 100 + (int)v.y * 10 + v.n, into_caller(t % 6, nullptr), largest(x, 8),
        counter(t % 8), counter.calls, walk(walk, t % 8), calls,
        sum(t % 3 == 0 ? x : t % 3 == 1 ? shared : own, 4), apply(t % 2 ? twice : next, t % 5, 3),
    };
    for (int i = 0; i < 10; i++) out[i * blockDim.x + t] = values[i];
}
"""


@pytest.mark.parametrize(("device", "model"), MACHINES)
def test_objects_pointers_and_lambdas(device, model):
    tree = np.array([[1, 2], [3, -1], [4, 5], [-1, -1], [6, -1], [-1, -1], [-1, -1]], np.int32)
    x = np.array([3, 1, 4, 1, 5, 9, 2, 6], np.int32)
    out, t = np.zeros((10, THREADS), np.int32), np.arange(THREADS)
    with gpusim.use(device, scheduling=model):
        run(OBJECTS, "k", out, tree.ravel(), x)

    def calls(n):
        return 1 if n < 2 else 1 + calls(n - 1) + calls(n - 2)

    fibonacci, of_t = [0, 1, 1, 2, 3, 5, 8, 13], t % 6
    spun = [120, -1 * 100 + 100 + 11, 0 - 0, 0]
    for k, (a, b) in enumerate([(1, 2), (-2, 1), (-1, -2), (2, -1)]):
        spun[k] = (a + k) * 100 + b * 10 + k
    expected = [
        [[4, 2, 3, 1, 2, 1, 1][k % 7] for k in t],
        [spun[k % 4] for k in t],
        [sum(2 * k - 1 for k in range(1, n + 1)) for n in of_t],
        [9] * THREADS,
        [fibonacci[k % 8] for k in t],
        [calls(k % 8) for k in t],
        [fibonacci[k % 8] for k in t],
        [calls(k % 8) for k in t],
        [(9, 60, 18 + k)[k % 3] for k in t],
        [3 * 2 ** (k % 5) if k % 2 else 3 + k % 5 for k in t],
    ]
    np.testing.assert_array_equal(out, expected)


FLOOD = """
__device__ void fill(char (*grid)[16], int x, int y, int* count) {
    if (x < 0 || y < 0 || x > 15 || y > 15 || grid[y][x] != '.') return;
    grid[y][x] = '#';
    ++*count;
    fill(grid, x + 1, y, count);
    fill(grid, x - 1, y, count);
    fill(grid, x, y + 1, count);
    fill(grid, x, y - 1, count);
}
__global__ void flood(char* map, int* count) {
    __shared__ char grid[16][16];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) grid[i / 16][i % 16] = map[i];
    __syncthreads();
    if (threadIdx.x == 0) fill(grid, 3, 3, count);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x) map[i] = grid[i / 16][i % 16];
}
__device__ int reduced(int* x, int n) {
    __syncthreads();
    if (n == 1) return x[0];
    if (threadIdx.x < n / 2) x[threadIdx.x] += x[threadIdx.x + n / 2];
    return reduced(x, n / 2);
}
__global__ void reduce(const int* x, int* out) {
    __shared__ int sums[128];
    sums[threadIdx.x] = x[threadIdx.x];
    out[threadIdx.x] = reduced(sums, 128);
}
"""


@pytest.mark.parametrize(("device", "model"), MACHINES)
def test_shared_memory_and_barriers(device, model):
    map_, count = np.full((16, 16), ord("."), np.int8), np.zeros(1, np.int32)
    map_[:, 9] = map_[12] = ord("|")
    x, out = np.arange(128, dtype=np.int32), np.zeros(128, np.int32)
    with gpusim.use(device, scheduling=model):
        run(FLOOD, "flood", map_.ravel(), count, threads=32)
        run(FLOOD, "reduce", x, out, threads=128)
    assert count[0] == (map_ == ord("#")).sum() == 9 * 12
    assert (map_[:12, :9] == ord("#")).all()
    assert (out == x.sum()).all()


CONSTEXPR = """
constexpr int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }
constexpr int table[] = {factorial(3), factorial(4)};
__global__ void folded(int* out) { __shared__ int x[factorial(4)]; out[0] = factorial(5) + sizeof(x); }
__global__ void both(int* out, int n) { out[0] = factorial(n) + factorial(5) + table[threadIdx.x]; }
"""


def test_what_is_known_while_compiling_is_not_called():
    out = np.zeros(1, np.int32)
    module = gpusim.RawModule(code=CONSTEXPR)
    module.get_function("folded")((1,), (1,), (out,))
    assert out[0] == 120 + 24 * 4
    assert not module.get_function("folded").local_size_bytes
    module.get_function("both")((1,), (1,), (out, 4))
    assert out[0] == 24 + 120 + 6


@pytest.mark.parametrize(("device", "model"), MACHINES)
@pytest.mark.parametrize("body", ["return deep(n + 1) + 1;", "return n == 0 ? 0 : 1 + deep(n - 1);"])
def test_a_stack_that_is_full_ends_the_launch(body, device, model):
    code = f"__device__ int deep(int n) {{ {body} }}\n"
    code += "__global__ void k(int* out) { out[threadIdx.x] = deep(900 + 50 * threadIdx.x); }"
    out = np.zeros(4, np.int32)
    with gpusim.use(device, scheduling=model), pytest.raises(gpusim.errors.KernelRaised) as caught:
        run(code, "k", out, threads=4)
    assert "`deep` calls itself too often" in str(caught.value)
    assert "8192 bytes in each thread" in str(caught.value)


def test_a_function_that_keeps_too_much_is_refused():
    code = """
    __device__ int sum(int n) { int x[2000] = {n}; return n ? sum(n - 1) + x[n] : 0; }
    __global__ void k(int* out) { out[0] = sum(3); }
    """
    with pytest.raises(gpusim.errors.UnsupportedConstruct, match="which keeps 8"):
        run(code, "k", np.zeros(1, np.int32), threads=1)


HEAP = """
struct Node {
    int v;
    Node *l = nullptr, *r = nullptr;
    __device__ Node(int v) : v(v) {}
    __device__ int depth() const {
        int left = l ? l->depth() : 0, right = r ? r->depth() : 0;
        return 1 + (left > right ? left : right);
    }
};
__device__ Node* insert(Node* n, int v) {
    if (!n) return new Node(v);
    if (v < n->v) n->l = insert(n->l, v);
    else n->r = insert(n->r, v);
    return n;
}
__device__ int sum(const Node* n) { return n ? n->v + sum(n->l) + sum(n->r) : 0; }
__device__ void clear(Node* n) { if (n) { clear(n->l); clear(n->r); delete n; } }
__device__ int parse(const char*& s);
__device__ int atom(const char*& s) {
    if (*s == '(') { int v = parse(++s); ++s; return v; }
    int v = 0;
    while (*s >= '0' && *s <= '9') v = v * 10 + *s++ - '0';
    return v;
}
__device__ int term(const char*& s) { int v = atom(s); while (*s == '*') v *= atom(++s); return v; }
__device__ int parse(const char*& s) { int v = term(s); while (*s == '+') v += term(++s); return v; }
struct Guard {
    int& depth;
    __device__ Guard(int& depth) : depth(depth) { depth++; }
    __device__ ~Guard() { depth--; }
};
__device__ int guarded(int n, int& depth, int& top) {
    Guard guard(depth);
    if (depth > top) top = depth;
    return n ? guarded(n - 1, depth, top) + guarded(n / 2, depth, top) : 1;
}
__global__ void k(int* out) {
    int x[] = {4, 2, 5, 1, 3}, depth = 0, top = 0;
    Node* tree = nullptr;
    for (int v : x) tree = insert(tree, v * (threadIdx.x + 1));
    const char* text = threadIdx.x & 1 ? "2*(3+4*(1+1))+5" : "(1+2)*3";
    int values[] = {sum(tree), tree->depth(), parse(text), guarded(threadIdx.x % 5, depth, top), top, depth};
    for (int i = 0; i < 6; i++) out[i * blockDim.x + threadIdx.x] = values[i];
    clear(tree);
}
"""


@pytest.mark.parametrize(("device", "model"), MACHINES)
def test_trees_on_the_heap_texts_and_destructors(device, model):
    out, t = np.zeros((6, 40), np.int32), np.arange(40)
    with gpusim.use(device, scheduling=model):
        run(HEAP, "k", out, threads=40)

    def guarded(n):
        return guarded(n - 1) + guarded(n // 2) if n else 1

    assert (out[0] == 15 * (t + 1)).all()
    assert (out[1] == 3).all()
    assert (out[2] == np.where(t & 1, 27, 9)).all()
    assert out[3].tolist() == [guarded(k % 5) for k in t]
    assert (out[4] == t % 5 + 1).all()
    assert not out[5].any()
