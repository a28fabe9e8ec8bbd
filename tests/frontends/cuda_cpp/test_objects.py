"""How do objects of classes begin, behave and end in a kernel? As C++17 has it."""

from __future__ import annotations

import numpy as np
import pytest

import gpusim
from gpusim.errors import GpuSimError, UnsupportedConstruct
from tests.frontends.cuda_cpp.launches import DIFFERENT

THREADS = 70

HIERARCHY = """
struct Shape { __device__ virtual int area() const = 0; __device__ virtual ~Shape() {} int id = 3; };
struct Plain { int z = 9; };
struct Named { __device__ virtual int name() { return 1; } int number = 5; };
struct Square : Plain, Shape, Named {
  int s, *log;
  __device__ Square(int a, int* l) : s(a), log(l) {}
  __device__ int area() const override { return s * s; }
  __device__ int name() override { return s + number; }
  __device__ ~Square() override { *log += s; }
};
struct Box : Shape { int a, b; __device__ Box(int x, int y) : a(x), b(y) {} __device__ int area()
  const override { return a * b + id; } };
"""
GENERIC = """
template <class T> struct Base {
  T v;
  __device__ Base(T a) : v(a) {}
  __device__ virtual T get() { return v; }
  __device__ virtual ~Base() {}
};
template <class T> struct Twice : Base<T> {
  using Base<T>::Base;
  __device__ T get() override { return this->v * 2; }
};
struct Last : Twice<int> { using Twice<int>::Twice; __device__ int get() override {
  return Twice<int>::get() + 1; } };
"""
COUNTED = """
struct L {
  int *o, id;
  __device__ L(int* p, int i) : o(p), id(i) { *o = *o * 7 + id; }
  __device__ L(const L& l) : o(l.o), id(l.id + 1) { *o = *o * 7 + id; }
  __device__ ~L() { *o = *o * 7 - id; }
  __device__ int get() const { return id; }
};
__device__ int by_reference(const L& l) { return l.id; }
__device__ int by_value(L l) { return l.id; }
__device__ L make(int* o, int i) { return L(o, i); }
__device__ L named(int* o, int i) { L l(o, i); l.id += 1; return l; }
"""
COPIED = """
struct P { int x; __device__ P(int a) : x(a) {} __device__ P(const P& o) : x(o.x + 1) {}
           __device__ P& operator=(const P& o) { x = o.x + 10; return *this; } };
struct W { P p; int q; };
struct R { P p[2]; __device__ R(int a) : p{a, a + 1} {} };
__device__ P make(int a) { P r(a); return r; }
__device__ P same(const P& a) { return a; }
__device__ int take(P p) { return p.x; }
"""
MOVED = """
struct H { int* p; __device__ H(int a) : p(new int(a)) {} H(const H&) = delete;
           __device__ H(H&& o) : p(o.p) { o.p = nullptr; }
           __device__ H& operator=(H&& o) { int* q = p; p = o.p; o.p = q; return *this; }
           __device__ ~H() { delete p; } __device__ int get() const { return p ? *p : -1; } };
struct Two { H a, b; __device__ Two(int x) : a(x), b(x + 1) {} Two(Two&&) = default; };
__device__ H make(int a) { H h(a); return h; }
__device__ int eat(H h) { return h.get(); }
"""
PARTS = """
template <class D> struct Crtp { __device__ int run(int a) { return static_cast<D*>(this)->impl(a) + 1; } };
struct X : Crtp<X> { int m = 4; __device__ int impl(int a) { return a * m; } };
template <class T> struct Base { T v; __device__ Base() : v(2) {} __device__ Base(T a) : v(a) {} };
template <class T> struct D : Base<T> { T w; __device__ D() : w(5) {} __device__ D(T a)
  : Base<T>(a), w(a + 1) {}
                                        __device__ T sum() const { return this->v + w; } };
template <class T, int N> struct Many { Base<T> items[N]; D<T> d; __device__ T total() const; };
template <class T, int N> __device__ T Many<T, N>::total() const {
  T s = d.sum(); for (auto& item : items) s += item.v; return s; }
struct Outer { struct Inner { int a; __device__ int get() const; } in; static const int K = 6;
  mutable int m = 0;
               enum class E : short { A = 3, B }; static constexpr int T[3] = {1, 2, 3};
               __device__ void touch() const { ++m; } };
__device__ int Outer::Inner::get() const { return a + K; }
struct Del { int a, b; Del() = default; __device__ Del(int x) : Del(x, 2) { a += 1; }
  __device__ Del(int x, int y) : a(x), b(y) {} };
struct Inherits : Del { using Del::Del; int e = 7; };
struct Defaults { int a = 1; Base<int> b{8}; D<int> d; int c[3] = {1, 2}; };
union U { int i; unsigned char b[4]; __device__ int low() const { return b[0]; } };
"""
OPERATORS = """
struct F { int v;
  __device__ explicit F(int a = 0) : v(a) {}
  __device__ operator int() const { return v * 2; }
  __device__ F& operator+=(const F& r) { v += r.v; return *this; }
  __device__ F& operator++() { ++v; return *this; }
  __device__ F operator++(int) { F kept = *this; ++v; return kept; }
  __device__ int operator()(int a, int b) const { return v + a * b; }
  __device__ int& operator[](int) { return v; }
  __device__ bool operator==(const F& r) const { return v == r.v; }
  __device__ friend F operator*(const F& a, const F& b) { return F(a.v * b.v); }
  template <class T> __device__ F& operator<<(T a) { v = v * 10 + a; return *this; } };
__device__ F operator+(const F& a, const F& b) { return F(a.v + b.v); }
struct Pointer { F* p; __device__ F* operator->() const { return p; } __device__ F& operator*() const {
  return *p; } };
"""
CASES = {  # declarations, statements, and what thread t finds in o
    "a virtual method is that of the object": (
        HIERARCHY,
        """Shape* s = t % 2 ? (Shape*)new Square(t, o + 2) : (Shape*)new Box(t, 3); o[0] = s->area();
          o[1] = s->id; delete s;
        Square q(t + 1, o + 3); Named& n = q; o[4] = n.name(); Shape& r = q; o[5] = r.area() + q.z;
        o[6] = static_cast<Square&>(n).s; o[7] = q.Named::name();""",
        lambda t: [t * t if t % 2 else 3 * t + 3, 3, t if t % 2 else 0, t + 1, t + 6, (t + 1)
          ** 2 + 9, t + 1, 1],
    ),
    "class templates have virtual methods": (
        GENERIC,
        """Base<int>* p = t % 3 == 0 ? new Base<int>(t) : t % 3 == 1 ? (Base<int>*)new Twice<int>(t)
          : new Last(t);
        o[0] = p->get(); delete p; Twice<float> f(1.5f); Base<float>& g = f; o[1] = (int)g.get();""",
        lambda t: [(t, 2 * t, 2 * t + 1)[t % 3], 3],
    ),
    "while an object is made it is of its base's class": (
        """struct A { int* o; __device__ A(int* p) : o(p) { o[0] = who(); } __device__ virtual int who() {
          return 1; }
                      __device__ virtual ~A() { o[1] = o[1] * 10 + who(); } };
        struct B : A { __device__ B(int* p) : A(p) { o[2] = who(); } __device__ int who() override {
          return 2; }
                       __device__ ~B() { o[1] = o[1] * 10 + who(); } };""",
        "{ B b(o); } A* p = new B(o + 3); delete p; B b(o + 6); A a = b; A& r = a; o[9] = r.who();",
        lambda t: [1, 21, 2, 1, 21, 2, 1, 121, 2, 1],
    ),
    "temporaries end with their expression": (
        COUNTED,
        """L(o, 1); make(o + 1, 2); o[7] = L(o + 2, 3).get() + by_reference(L(o + 3, 4))
          + by_value(L(o + 4, 5));
        if (L(o + 5, 2).get() == t % 3) o[8] = 1; { L l = named(o + 6, t); o[9] = l.id; }""",
        lambda t: [6, 12, 18, 24, 30, 12, t * 7 - t - 1, 12, t % 3 == 2, t + 1],
    ),
    "copies are what the text says": (
        COPIED,
        """P a(t), b = a; o[0] = b.x; o[1] = take(a); o[2] = take(P(2)) + take(3); P c = make(5);
          o[3] = c.x + same(a).x;
        W w{P(1), 2}, w2 = w; o[4] = w2.p.x; w2 = w; o[5] = w2.p.x; P e[2] = {a, 1};
          o[6] = e[0].x * 10 + e[1].x;
        R r(t), r2 = r; o[7] = r2.p[1].x; c = a; o[8] = c.x; const P& h = make(9); o[9] = h.x;""",
        lambda t: [t + 1, t + 1, 5, t + 6, 2, 11, 10 * t + 11, t + 2, t + 10, 9],
    ),
    "what is moved is no longer there": (
        MOVED,
        """H a(t), b = std::move(a); o[0] = a.get(); o[1] = b.get(); a = std::move(b); o[2] = a.get();
          o[3] = eat(std::move(a));
        o[4] = eat(H(5)) + make(6).get(); Two w(t), v(std::move(w)); o[5] = w.a.get(); o[6] = v.b.get();""",
        lambda t: [-1, t, t, t, 11, -1, t + 1],
    ),
    "bases and members begin": (
        PARTS,
        """X x; o[0] = x.run(t); D<int> d(t), e; o[1] = d.sum() + e.sum(); Many<int, 6> m; o[2] = m.total();
        Outer u; u.in.a = t; const Outer& c = u; c.touch(); o[3] = u.in.get() + u.m;
          o[4] = (int)Outer::E::B + Outer::T[t % 3];
        Inherits i(t), j(t, 5); o[5] = i.a * 100 + i.b * 10 + i.e + j.b; Defaults f, g{5};
          o[6] = f.a + f.b.v + f.d.sum() + g.a + g.c[1];
        Base<int> h[10], k[3] = {4, 5}; o[7] = h[t % 10].v + k[1].v + k[2].v; U n; n.i = 0x1234;
          o[8] = n.low();""",
        lambda t: [
            4 * t + 1, 2 * t + 8, 19, t + 7, 4 + (t % 3 + 1), 100 * (t + 1) + 32, 23, 9, 0x34,
        ],
    ),
    "operators are functions": (
        OPERATORS,
        """F a(t), b(3), c = a + b; c += a; o[0] = c.v; ++c; o[1] = (c++).v; o[2] = c(2, 3); c[0] = 5;
          o[3] = a == b;
        o[4] = (a * b).v; c << 1 << 2; o[5] = c.v; o[6] = a; Pointer p{&c}; p->v = 4; (*p).v += 2;
          o[7] = c.v;""",
        lambda t: [2 * t + 3, 2 * t + 4, 2 * t + 11, t == 3, 3 * t, 512, 2 * t, 6],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("device", "scheduling"), DIFFERENT)
@pytest.mark.parametrize("case", CASES)
def test_as_cpp_has_it(case, device, scheduling):
    declared, statements, expected = CASES[case]
    first = "int t = threadIdx.x, *o = out + 10 * t;"
    code = f"{declared}\n__global__ void kernel(int* out) {{ {first} {statements} }}"
    out = np.zeros((THREADS, 10), np.int32)
    with gpusim.use(device=device, scheduling=scheduling):
        gpusim.RawKernel(code, "kernel")((1,), (THREADS,), (out,))
    for t, row in enumerate(out.tolist()):
        wanted = [int(number) for number in expected(t)]
        assert row == wanted + [0] * (10 - len(wanted)), t


def test_one_kernel_makes_objects_and_another_uses_them():
    code = (
        HIERARCHY
        + GENERIC
        + """
    __global__ void make(Shape** shapes, Base<int>** numbers, int* log) {
      shapes[0] = new Square(3, log); shapes[1] = new Box(4, 5); numbers[0] = new Twice<int>(21);
    }
    __global__ void use(Shape** shapes, Base<int>** numbers, int* out) {
      out[0] = shapes[0]->area(); out[1] = shapes[1]->area(); out[2] = numbers[0]->get();
      delete shapes[0]; delete shapes[1]; delete numbers[0];
    }"""
    )
    shapes, numbers, log, out = (
        np.zeros(2, np.uint64),
        np.zeros(1, np.uint64),
        np.zeros(1, np.int32),
        np.zeros(3, np.int32),
    )
    module, log = gpusim.RawModule(code=code), gpusim.cuda.to_device(log)
    module.get_function("make")((1,), (1,), (shapes, numbers, log))
    module.get_function("use")((1,), (1,), (shapes, numbers, out))
    assert out.tolist() == [9, 23, 42]
    assert log.copy_to_host().tolist() == [3]


def test_objects_of_the_host_have_no_methods():
    code = (
        HIERARCHY + "__global__ void kernel(Box* boxes, int* out) { Shape* s = boxes; out[0] = s->area(); }"
    )
    record = np.dtype(
        {"names": ["(virtual)", "id", "a", "b"], "formats": ["<u8", "<i4", "<i4", "<i4"], "itemsize": 24}
    )
    boxes = np.zeros(1, record)
    with pytest.raises(GpuSimError, match="one that the host made has no methods here"):
        gpusim.RawKernel(code, "kernel")((1,), (1,), (boxes, np.zeros(1, np.int32)))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Box b(1, 2); Shape* s = &b; out[0] = dynamic_cast<Square*>(s) != nullptr;", "`dynamic_cast`"),
        ("struct V : virtual Named {}; V v; out[0] = v.name();", "virtual base"),
    ],
)
def test_what_is_refused(text, message):
    with pytest.raises(UnsupportedConstruct, match=message):
        gpusim.RawKernel(f"{HIERARCHY}__global__ void kernel(int* out) {{ {text} }}", "kernel").compile()


@pytest.mark.parametrize(("device", "scheduling"), DIFFERENT)
def test_trees_of_objects_call_themselves(device, scheduling):
    code = """
    struct Expr { __device__ virtual int eval() const = 0; __device__ virtual ~Expr() {} };
    struct Num : Expr { int v; __device__ Num(int a) : v(a) {} __device__ int eval() const override {
      return v; } };
    struct Pair : Expr { Expr *a, *b; __device__ Pair(Expr* x, Expr* y) : a(x), b(y) {} __device__ ~Pair()
      { delete a; delete b; } };
    struct Add : Pair { using Pair::Pair; __device__ int eval() const override { return a->eval()
      + b->eval(); } };
    struct Mul : Pair { using Pair::Pair; __device__ int eval() const override { return a->eval()
      * b->eval(); } };
    __global__ void kernel(int* out) {
      int t = threadIdx.x;
      Expr* e = new Add(new Mul(new Num(t), new Num(3)), new Add(new Num(4), new Num(t)));
      out[t] = e->eval();
      delete e;
    }"""
    out = np.zeros(THREADS, np.int32)
    with gpusim.use(device=device, scheduling=scheduling):
        gpusim.RawKernel(code, "kernel")((1,), (THREADS,), (out,))
    assert out.tolist() == [4 * t + 4 for t in range(THREADS)]


def test_a_base_is_named_as_it_is_from_its_own_namespace():
    text = r"""
    namespace outer { namespace parts { template <int N, bool Odd> struct Base; }
    template <int N> struct parts::Base<N, true> { int a = 7; __device__ Base(int x) : a(x + N) {} };
    template <int N> struct parts::Base<N, false> { int a = 8; __device__ Base(int x) : a(x - N) {} };
    template <int N> struct Whole : parts::Base<N, N % 2 == 1> { using parts::Base<N, N % 2 == 1>::Base; };
    }
    extern "C" __global__ void kernel(int* out, int n) {
        outer::Whole<3> odd(n);
        outer::Whole<4> even(n);
        out[0] = odd.a; out[1] = even.a;
    }
    """
    out = np.zeros(2, np.int32)
    gpusim.RawModule(code=text).get_function("kernel")((1,), (1,), (out, np.int32(10)))
    assert out.tolist() == [13, 6]
