"""What can a function of C++ use? Random structs, templates, overloads, an enumeration, recursion.

What they declare is named after the seed, so that many make one text. Arguments change nothing, so that their
order does not matter; a function that calls itself counts down to its end.
"""

from __future__ import annotations

from collections.abc import Callable

from tests.frontends.cuda_cpp.c_types import BOOL, INT, INTEGERS, LONG_LONG, TYPES, CType
from tests.frontends.cuda_cpp.expressions import ASSIGN, POSTFIX, Expression
from tests.frontends.cuda_cpp.statements import LENGTH, Statements

NUMBERS = tuple(type_ for type_ in TYPES if type_ is not BOOL)
WHOLE = tuple(type_ for type_ in INTEGERS if type_ is not BOOL)


class Declarations(Statements):
    """What random functions use; the same for the same seed."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.seed, self.has_array = seed, True
        self.callable: list[tuple[str, CType, list[CType]]] = []  # name, result, parameters
        self.fields: list[CType] = []
        self.productions += (self.called,) * 3

    def leaf(self, type_: CType | None = None) -> Expression:
        while True:
            found = super().leaf(type_)
            if self.has_array or not found.text.startswith("a["):
                return found

    def pure(self, type_: CType, depth: int = 1) -> str:
        """An expression that changes nothing and fits the type, as an argument."""
        while not (found := self.convertible(self.expression(depth), type_)).is_pure:
            pass
        return found.within(ASSIGN)

    def exact(self, type_: CType) -> str:
        """The same, of exactly this type."""
        return f"({type_.name})({self.pure(type_)})"

    def called(self, depth: int) -> Expression:
        """A call of one of the functions that were made before."""
        if not self.callable:
            return self.leaf()
        name, result, parameters = self.random.choice(self.callable)
        given = ", ".join(self.exact(type_) for type_ in parameters)
        return Expression(f"{name}({given})", result, POSTFIX)

    def some(self, *lines: str) -> str:
        """One of these."""
        return self.random.choice(lines)

    @property
    def target(self) -> tuple[str, CType]:
        """A variable that may be changed."""
        return self.random.choice(self.scope)

    def add(self, value: str, type_: CType = LONG_LONG) -> str:
        """Let a value have a part in a variable."""
        name, of = self.target
        if of.is_float or of is BOOL:
            return f"a[{self.random.randrange(LENGTH)}] ^= (int)({value});"
        return f"{name} += ({of.name})({value});"

    def local_scope(self, *names: tuple[str, CType], array: bool = False) -> Callable[[], None]:
        """Only these variables are known until the result is called."""
        before = self.scope, self.has_array
        self.scope, self.has_array = list(names), array

        def restore() -> None:
            self.scope, self.has_array = before

        return restore

    def within(self, type_: CType, *names: tuple[str, CType], depth: int = 2) -> str:
        """An expression of this type over these variables alone."""
        restore = self.local_scope(*names)
        text = self.pure(type_, depth)
        restore()
        return f"({type_.name})({text})"

    def cast(self, depth: int) -> Expression:
        return self.cast_to(self.random.choice(TYPES), self.expression(depth))

    def prologue(self) -> str:
        """What functions of this seed use: structs, templates, overloads, an enumeration, recursion."""
        s, choose = self.seed, self.random.choice
        one, other, third = choose(WHOLE), choose(NUMBERS), choose(WHOLE)
        self.fields = [one, other, third]
        x, y, z = ("x", one), ("y", other), ("z", third)
        members = (x, y, z)
        text = f"enum class E{s} : {choose(('int', 'unsigned char', 'short'))} {{ A, B = 3, C, D = 9 }};\n"
        text += f"""struct S{s} {{
    {one.name} x; {other.name} y = {self.random.randrange(9)}; {third.name} z{{1}};
    __device__ S{s}() : x({self.random.randrange(9)}) {{}}
    __device__ explicit S{s}({one.name} x) : x(x), z(x & 1) {{}}
    __device__ S{s}({one.name} x, {other.name} y, {third.name} z = 2) : x(x), y(y), z(z) {{ x = 0; }}
    __device__ {one.name} get() const {{ return {self.within(one, *members)}; }}
    __device__ S{s}& set({one.name} v) {{ x = v; z ^= {self.within(third, ("v", one), x)}; return *this; }}
    __device__ S{s} operator+(const S{s}& o) const {{
        return S{s}(x + o.x, {self.within(other, y)}, z ^ o.z);
    }}
    __device__ S{s}& operator+=(const S{s}& o) {{ x += o.x; z -= o.z; return *this; }}
    __device__ S{s} operator-() const {{ S{s} r = *this; r.x = -r.x; return r; }}
    __device__ S{s}& operator++() {{ ++x; return *this; }}
    __device__ S{s} operator++(int) {{ S{s} old = *this; ++*this; return old; }}
    __device__ bool operator==(const S{s}& o) const {{ return x == o.x && z == o.z; }}
    __device__ bool operator<(const S{s}& o) const {{ return x < o.x; }}
    __device__ {third.name}& operator[](int i) {{ return i & 1 ? z : w[i & 3]; }}
    __device__ int operator()(int k, int j = {self.random.randrange(5)}) const {{ return k * (int)z + j; }}
    __device__ explicit operator bool() const {{ return x != 0; }}
    static __device__ int twice(int k) {{ return {self.within(INT, ("k", INT))}; }}
    {third.name} w[4] = {{1, 2}};
}};
struct P{s} {{ {one.name} first; {other.name} second; }};
struct D{s} : P{s} {{
    {third.name} third;
    __device__ long long all() const {{ return first * 3 + third; }}
    friend __device__ int weight(const D{s}& d) {{ return (int)d.third * 5; }}
}};
template <typename T, int N = 4> struct Box{s} {{
    T v[N]; int used = 0;
    __device__ void put(T x) {{ v[used++ % N] = x; }}
    __device__ T& operator[](int i) {{ return v[(unsigned)i % N]; }}
    __device__ const T& operator[](int i) const {{ return v[(unsigned)i % N]; }}
    __device__ T total() const {{
        T sum = T();
        for (int i = 0; i < used && i < N; ++i) sum += v[i];
        return sum;
    }}
    template <typename U> __device__ U as(int i) const {{ return (U)(v[(unsigned)i % N] & 63); }}
    __device__ T* begin() {{ return v; }}
    __device__ T* end() {{ return v + (used < N ? used : N); }}
}};
template <typename T, typename U = int, int K = {self.random.randint(2, 9)}>
__device__ T mixed{s}(T a, U b = K) {{ return a + (T)(b & K) * (T)K; }}
template <int N> __device__ int power{s}(int x) {{
    if constexpr (N == 0) return 1; else return x * power{s}<N - 1>(x);
}}
template <typename F, typename... R> __device__ int folded{s}(F f, R... rest) {{
    int sum = 0;
    ((sum = sum * 3 + f(rest)), ...);
    return sum + (int)sizeof...(rest);
}}
__device__ int pick{s}(int x) {{ return {self.within(INT, ("x", INT))}; }}
__device__ int pick{s}(unsigned x) {{ return x >> 3; }}
__device__ int pick{s}(double x) {{ return x > 0 ? 1 : 2; }}
__device__ int pick{s}(const S{s}& x) {{ return (int)x.z; }}
__device__ int pick{s}(const int* x) {{ return *x + 1; }}
template <typename T> __device__ int pick{s}(T* x, int k) {{ return (int)x[0] + k; }}
__device__ void change{s}(int& a, {other.name}& b, const {third.name}& c) {{
    a ^= {self.within(INT, ("a", INT), ("c", third))};
    if (a & 1) b = {self.within(other, ("b", other), ("c", third))};
}}
__device__ int& larger{s}(int& a, int& b) {{ if (a < b) return b; return a; }}
__device__ int plus{s}(int a, int b) {{ return a + b; }}
__device__ int times{s}(int a, int b) {{ return a * b; }}
__device__ int last{s}(int a, int b) {{ return {self.within(INT, ("a", INT), ("b", INT))}; }}
template <typename T> __device__ void rotate{s}(T& a, T& b, T& c) {{ T t = a; a = b; b = c; c = t; }}
struct F{s} {{
    int k; int& seen;
    __device__ F{s}(int k, int& seen) : k(k), seen(seen) {{}}
    __device__ int operator()(int x) {{ ++seen; return x * k + seen; }}
}};
__device__ {one.name} down{s}(int n, {one.name} v) {{
    if (n <= 0) return {self.within(one, ("v", one))};
    {one.name} kept = {self.within(one, ("n", INT), ("v", one))};
    return down{s}(n - 1, kept) {self.some("+", "^", "-")} {self.some("v", "kept", f"down{s}(n - 2, v)")};
}}
__device__ int fill{s}(int* a, int n, S{s} s) {{
    int own[3] = {{n, (int)s.z, 2}};
    if (n > 0) {{ a[n & {LENGTH - 1}] ^= fill{s}(own, n - 2, -s) + own[{self.random.randrange(3)}]; }}
    s += S{s}(n);
    return (int)s.x + a[0] + own[n & 1];
}}
"""
        self.callable += [
            (f"pick{s}", INT, [INT]), (f"plus{s}", INT, [INT, INT]), (f"last{s}", INT, [INT, INT]),
            (f"S{s}::twice", INT, [INT]), (f"power{s}<{self.random.randrange(4)}>", INT, [INT]),
        ]  # fmt: skip
        type_ = choose(NUMBERS)
        if not type_.is_float:
            self.callable.append((f"mixed{s}<{type_.name}, {INT.name}>", type_, [type_, INT]))
        return text
