"""Which C++ can a kernel hold? Random functions with structs, templates, overloads, lambdas, references.

What they declare is named after the seed, so that many make one text. Arguments change nothing, so that their
order does not matter; a function that calls itself counts down to its end; every label is behind a counter.
"""

from __future__ import annotations

from collections.abc import Callable

from tests.frontends.cuda_cpp.c_types import BOOL, INT, INTEGERS, LONG_LONG, TYPES, CType
from tests.frontends.cuda_cpp.expressions import ASSIGN, POSTFIX, Expression
from tests.frontends.cuda_cpp.statements import LENGTH, Statements

NUMBERS = tuple(type_ for type_ in TYPES if type_ is not BOOL)
WHOLE = tuple(type_ for type_ in INTEGERS if type_ is not BOOL)


class Classes(Statements):
    """Random functions, and what they use; the same ones for the same seed."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.seed, self.has_array = seed, True
        self.callable: list[tuple[str, CType, list[CType]]] = []  # name, result, parameters
        self.fields: list[CType] = []
        self.cpp: tuple[Callable[[int], str], ...] = (
            self.object, self.objects, self.box, self.template, self.overload, self.by_value, self.by_reference,
            self.mutable, self.generic, self.binding, self.pointer, self.jumps, self.again, self.scoped_enum,
            self.ranged, self.one_of_two, self.alias, self.recursion, self.functor, self.member_pointer,
            self.nested, self.forward, self.later, self.linked, self.grid, self.captured_object, self.pointers,
            self.copies, self.searched, self.shadowed, self.united, self.inherited, self.stepped,
        )  # fmt: skip
        self.kinds += (*self.cpp, *self.cpp)
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

    def cast(self, depth: int) -> Expression:
        return self.cast_to(self.random.choice(TYPES), self.expression(depth))

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

    # declarations

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
    __device__ S{s} operator+(const S{s}& o) const {{ return S{s}(x + o.x, {self.within(other, y)}, z ^ o.z); }}
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
    __device__ T total() const {{ T sum = T(); for (int i = 0; i < used && i < N; ++i) sum += v[i]; return sum; }}
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

    # statements

    def made(self) -> str:
        """A value of the struct."""
        s, (one, other, third) = self.seed, self.fields
        return self.some(
            f"S{s}()", f"S{s}({self.pure(one)})", f"S{s}({self.exact(one)}, {self.exact(other)})",
            f"S{s}{{{self.exact(one)}, {self.exact(other)}, {self.exact(third)}}}",
        )  # fmt: skip

    def object(self, depth: int) -> str:
        s, o, p = self.seed, self.name(), self.name()
        one = self.fields[0]
        lines = [f"S{s} {o} = {self.made()};", f"S{s} {p}{self.some('', f' = {o}', f'((0, {self.pure(one)}))')};"]
        for _ in range(self.random.randint(1, 4)):
            lines.append(
                self.some(
                    f"{o} += {p};", f"{p} = {o} + {self.made()};", f"{o}.set({self.pure(one)}).set({p}.x);",
                    f"if ({o} == {p}) {o} = -{p};", f"if ({o} < {p}) {{ {self.add(f'{p}.get()', one)} }}",
                    f"{o}[{self.pure(INT)}] ^= 3;", f"{self.add(f'{o}({self.pure(INT)})')}",
                    f"if ({p}) {p} = {o}++;", f"++{p};", f"{o} = ({self.condition(1)}) ? {p} : {o};",
                    f"{{ S{s}& r = ({self.condition(1)}) ? {o} : {p}; r.z += 2; r.w[1] = r.z; }}",
                    f"{{ S{s}* q = &{o}; q->x ^= 5; *q = q->operator-(); }}",
                )  # fmt: skip
            )
        lines.append(self.add(f"{o}.x * 3 + {o}.w[1] + {p}.z"))
        return "{ " + "\n".join(lines) + " }\n"

    def objects(self, depth: int) -> str:
        """An array of them, and a derived one."""
        s, o, i = self.seed, self.name(), self.name()
        one, other, third = self.fields
        if self.random.random() < 0.5:
            given = f"{{{self.exact(one)}, {self.exact(other)}}}, {self.exact(third)}"
            change = self.some(f"{o}.first ^= 1;", f"P{s}& b = {o}; b.first -= 2;", f"P{s} b = {o}; {o}.third = b.first;")
            return f"{{ D{s} {o}{{{given}}}; {change} {self.add(f'{o}.all() + weight({o})')} }}\n"
        return (
            f"{{ S{s} {o}[3]; for (int {i} = 0; {i} < 3; ++{i}) {o}[{i}].set({i} + {self.pure(one)});\n"
            f"{o}[({self.exact(INT)}) & 1] += {o}[2];\n"
            f"{self.add(f'{o}[0].x + {o}[({self.exact(INT)}) & 1].get() + {o}[2].z')} }}\n"
        )

    def box(self, depth: int) -> str:
        s, b, type_ = self.seed, self.name(), self.random.choice(WHOLE)
        size = self.some("", ", 3", ", 1 + 1")
        puts = " ".join(f"{b}.put({self.exact(type_)});" for _ in range(self.random.randint(1, 4)))
        used = self.some(
            f"{b}.total()", f"{b}.template as<{self.random.choice(WHOLE).name}>(0)".replace("template ", ""),
            f"mixed{s}({b}[0])", f"pick{s}(&{b}.v[0], 2)",
        )  # fmt: skip
        loop = self.some(f"for (auto& e : {b}) e ^= 6;", f"for (auto e : {b}) {{ {self.add('e')} }}", "")
        return f"{{ Box{s}<{type_.name}{size}> {b}{{}}; {puts} {b}[0] += 1; {loop} {self.add(used)} }}\n"

    def template(self, depth: int) -> str:
        s, type_ = self.seed, self.random.choice(WHOLE)
        calls = (
            f"mixed{s}({self.exact(type_)})", f"mixed{s}<{type_.name}>({self.pure(type_)}, {self.exact(INT)})",
            f"mixed{s}<{type_.name}, int, 5>({self.pure(type_)})", f"power{s}<3>({self.pure(INT)})",
            f"folded{s}([](auto e) {{ return (int)(e & 7); }}, {self.exact(INT)}, {self.exact(type_)})",
            f"folded{s}(S{s}::twice, {self.exact(INT)}, {self.exact(INT)}, 4)",
        )  # fmt: skip
        return self.add(self.some(*calls)) + "\n"

    def overload(self, depth: int) -> str:
        s = self.seed
        given = (f"{self.exact(INT)} + 0", f"(unsigned){self.exact(INT)}", "2.5f", "(short)3", "'c'", "a + 1",
                 f"{self.made()}", "a, 2", "&a[2]")  # fmt: skip
        return self.add(f"pick{s}({self.some(*given)})") + "\n"

    def by_value(self, depth: int) -> str:
        f, (name, type_) = self.name(), self.target
        change = f"{name} = ({type_.name})1;" if self.random.random() < 0.5 else ""
        body = self.within(INT, (name, type_), ("k", INT))
        head = self.some(f"[{name}]", "[=]")
        return f"{{ auto {f} = {head}(int k) {{ return {body}; }}; {change} {self.add(f'{f}({self.pure(INT)}) + {f}(2)')} }}\n"

    def by_reference(self, depth: int) -> str:
        f, (name, type_) = self.name(), self.target
        restore = self.local_scope(*self.scope, ("k", INT), array=self.has_array)
        lines = "".join(self.change_one(1) for _ in range(2))
        restore()
        used = self.some(f"{f}(1); {f}({self.pure(INT)});", f"for (int i = 0; i < 3; ++i) {f}(i);", f"if ({self.condition(1)}) {f}(4);")
        early = f"if ({self.within(INT, ('k', INT))}) return;" if self.random.random() < 0.4 else ""
        return f"{{ auto {f} = [&](int k) {{ {early} {lines} {name} = ({type_.name})k; }}; {used} }}\n"

    def mutable(self, depth: int) -> str:
        f, type_ = self.name(), self.random.choice(WHOLE)
        start = self.pure(type_)
        return (
            f"{{ auto {f} = [c = ({type_.name})({start})](int k) mutable {{ c += k; return c; }};\n"
            f"{f}(3); {self.add(f'{f}({self.pure(INT)})')} {self.add(f'{f}(1)')} }}\n"
        )

    def generic(self, depth: int) -> str:
        f, one, other = self.name(), self.exact(self.random.choice(WHOLE)), self.exact(self.random.choice(WHOLE))
        body = self.some("x * 2 + y", "x ^ (decltype(x))y", "x < y ? x : y", "sizeof(x) + sizeof(x + y)")
        return (
            f"{{ auto {f} = [](auto x, const auto& y) {{ return {body}; }};\n"
            f"{self.add(f'{f}({one}, {other})')} {self.add(f'{f}({other}, 2)')} }}\n"
        )

    def binding(self, depth: int) -> str:
        s, p, q, o = self.seed, self.name(), self.name(), self.name()
        one, other, _third = self.fields
        made = f"P{s} {o}{{{self.exact(one)}, {self.exact(other)}}};"
        kind = self.some("auto", "auto&", "const auto&")
        change = "" if kind.startswith("const") else f"{p} += 2; {q} = {self.exact(other)};"
        array = f"auto& [{p}0, {p}1, {p}2] = {o}a; {p}1 ^= {p}2;"
        return (
            f"{{ {made} {kind} [{p}, {q}] = {o}; {change} {self.add(f'{p} * 7 + {o}.first')}\n"
            f"int {o}a[3] = {{1, {self.pure(INT)}, 3}}; {array} {self.add(f'{o}a[1]')} }}\n"
        )

    def pointer(self, depth: int) -> str:
        s, f = self.seed, self.name()
        functions = [f"plus{s}", f"times{s}", f"last{s}"]
        one, other = self.random.sample(functions, 2)
        made = self.some(
            f"int (*{f})(int, int) = ({self.condition(1)}) ? {one} : {other};",
            f"int (*{f})(int, int) = {one}; if ({self.condition(1)}) {f} = {other};",
            f"int (*{f}s[2])(int, int) = {{{one}, {other}}}; auto {f} = {f}s[({self.exact(INT)}) & 1];",
        )
        return f"{{ {made} {self.add(f'{f}({self.pure(INT)}, {self.pure(INT)})')} }}\n"

    def jumps(self, depth: int) -> str:
        """`goto` out of two loops."""
        i, j, out = self.name(), self.name(), self.name()
        inner = self.change_one(1)
        return (
            f"{{ for (int {i} = 0; {i} < 3; ++{i}) for (int {j} = 0; {j} < 3; ++{j}) {{\n"
            f"{inner} if ({self.condition(1)}) goto l{out}; if ({self.condition(1)}) {self.some('break', 'continue')};\n"
            f"{self.change_one(1)} }}\n{self.change_one(1)} l{out}:; }}\n"
        )

    def again(self, depth: int) -> str:
        """`goto` back, a few times."""
        i, back = self.name(), self.name()
        return (
            f"{{ int {i} = 0; l{back}: {self.change_one(1)} if (++{i} < 4 && ({self.condition(1)})) goto l{back}; }}\n"
        )

    def scoped_enum(self, depth: int) -> str:
        s, e = self.seed, self.name()
        cases = "".join(
            f"case E{s}::{letter}: {self.change_one(1)} {self.some('break;', '', '[[fallthrough]];' if letter != 'D' else '')}\n"
            for letter in self.random.sample("ABCD", 3)
        ) + self.some("", "default: a[3] += 1;\n")
        cases = cases.replace("[[fallthrough]];\ndefault", "\ndefault")
        cases = cases.rstrip().removesuffix("[[fallthrough]];") + " ;"
        chosen = f"({self.condition(1)}) ? E{s}::B : ({self.condition(1)}) ? E{s}::A : (E{s})(({self.exact(INT)}) & 15)"
        return f"{{ E{s} {e} = {chosen}; switch ({e}) {{ {cases} }} {self.add(f'(int){e} + (E{s}::C < {e})')} }}\n"

    def ranged(self, depth: int) -> str:
        e = self.name()
        if not self.has_array:
            return ";\n"
        body = self.some(f"{e} ^= 3;", f"if ({e} & 1) continue; {e} += {self.exact(INT)};", f"{self.add(e)} if ({e} > 9) break;")
        return f"for ({self.some('auto&', 'int&')} {e} : a) {{ {body} }}\n"

    def one_of_two(self, depth: int) -> str:
        """A choice of two variables that is assigned to."""
        name, type_ = self.target
        others = [known for known, of in self.scope if of is type_]
        return f"(({self.condition(1)}) ? {name} : {self.random.choice(others)}) = {self.exact(type_)};\n"

    def alias(self, depth: int) -> str:
        """References to variables, elements, and what a function gives a reference to."""
        s, r, (name, type_) = self.seed, self.name(), self.target
        third = self.fields[2]
        lines = (
            f"{type_.name}& {r} = {name}; {r} = {self.exact(type_)};",
            f"const {type_.name}& {r} = {name}; {self.add(f'{r} > 0')} ",
            f"int& {r} = larger{s}(a[1], {self.place()}); {r} -= 7;",
            f"larger{s}(a[0], a[4]) += {self.exact(INT)};",
            f"{self.fields[1].name} {r} = {self.exact(self.fields[1])}; change{s}({self.place()}, {r}, {self.exact(third)}); {self.add(f'{r} > 3')}",
            f"auto&& {r} = {self.place()}; {r}++;",
            f"rotate{s}(a[0], a[2], a[({self.exact(INT)}) & 7]);",
        )
        return f"{{ {self.some(*lines)} }}\n"

    def recursion(self, depth: int) -> str:
        s, f, one = self.seed, self.name(), self.fields[0]
        walk = f"auto {f} = [&](auto&& self, int n) -> int {{ if (n <= 0) return 1; {self.change_one(0)} return self(self, n - 1) + n; }};"
        lines = (
            self.add(f"down{s}(({self.exact(INT)}) & 3, {self.exact(one)})"),
            self.add(f"fill{s}(a, ({self.exact(INT)}) & 7, {self.made()})"),
            f"{walk} {self.add(f'{f}({f}, ({self.exact(INT)}) & 3)')}",
        )
        return f"{{ {self.some(*lines)} }}\n"

    def functor(self, depth: int) -> str:
        s, f, seen = self.seed, self.name(), self.name()
        return (
            f"{{ int {seen} = {self.pure(INT)} ; F{s} {f}({self.pure(INT)}, {self.some(seen, 'a[2]')}); {f}(1);\n"
            f"{self.add(f'{f}({self.pure(INT)})')} {self.add(f'folded{s}({f}, 1, 2)')} {self.add(seen)} }}\n"
        )

    def member_pointer(self, depth: int) -> str:
        """A pointer into an object, and to one of several."""
        s, o, p = self.seed, self.name(), self.name()
        third = self.fields[2]
        return (
            f"{{ S{s} {o} = {self.made()}, {o}b; {third.name}* {p} = ({self.condition(1)}) ? &{o}.z : &{o}b.w[1];\n"
            f"*{p} += 3; {third.name}* {p}e = {o}.w + 4; while ({p}e-- != {o}.w) *{p}e ^= *{p};\n"
            f"{self.add(f'{o}.w[2] + {o}.z + {o}b.w[1]')} }}\n"
        )

    def nested(self, depth: int) -> str:
        """A struct in a function, with an array in it, copied as a whole."""
        t, o = self.name(), self.name()
        type_ = self.random.choice(WHOLE)
        return (
            f"{{ struct T{t} {{ {type_.name} v[2][2]; int k; }}; T{t} {o} = {{{{{{1, 2}}, {{{self.exact(type_)}}}}}, {self.exact(INT)}}};\n"
            f"T{t} {o}c = {o}; {o}.v[({self.exact(INT)}) & 1][1] += 5; if ({self.condition(1)}) {o}c = {o};\n"
            f"{self.add(f'{o}c.v[1][0] * 3 + {o}c.v[1][1] + {o}c.k')} }}\n"
        )

    def forward(self, depth: int) -> str:
        """A lambda that is handed to a function, or into another lambda."""
        s, f, g = self.seed, self.name(), self.name()
        name, type_ = self.target
        inner = f"auto {g} = [&](int k) {{ {self.add('k')} return {f}(k) + {f}(k + 1); }};"
        return (
            f"{{ auto {f} = [&{name}](int k) {{ return k + ({name} > 0); }}; {inner}\n"
            f"{self.add(f'folded{s}({g}, {self.exact(INT)}, 7)')} }}\n"
        )

    def later(self, depth: int) -> str:
        """A reference and a pointer stay where they are, though the index that led there changes."""
        i, r, p = self.name(), self.name(), self.name()
        change = self.some(f"{i} = (int)({self.pure(INT)});", f"{i}++;", f"for (; {i} < 6; {i} += 2) {r} += {i};")
        return (
            f"{{ int {i} = ({self.exact(INT)}) & 3; int& {r} = a[{i}]; int* {p} = a + {i} + 1; {change}\n"
            f"{r} += {self.exact(INT)}; *{p} ^= {r}; {p} = &{r} == {p} ? a : {p} + 1; *{p} -= 1;\n"
            f"{self.add(f'{r} + *{p} + ({p} - a)')} }}\n"
        )

    def linked(self, depth: int) -> str:
        """A list of objects that point to each other."""
        t, n, p = self.name(), self.name(), self.name()
        return (
            f"{{ struct T{t} {{ int v; T{t}* next; }}; T{t} {n}[3] = {{{{{self.exact(INT)}, nullptr}}, {{2, {n}}}, {{3, &{n}[1]}}}};\n"
            f"if ({self.condition(1)}) {n}[1].next = nullptr; int sum = 0;\n"
            f"for (T{t}* {p} = &{n}[({self.exact(INT)}) & 1 ? 2 : 1]; {p}; {p} = {p}->next) {{ sum = sum * 3 + {p}->v; {p}->v ^= 1; }}\n"
            f"{self.add(f'sum + {n}[1].v')} }}\n"
        )

    def grid(self, depth: int) -> str:
        """An array of two dimensions, its rows by reference and by pointer."""
        g, i, type_ = self.name(), self.name(), self.random.choice(WHOLE)
        used = self.some(
            f"for (auto& row : {g}) for (auto& e : row) e ^= 1;", f"auto& row = {g}[({self.exact(INT)}) & 1]; row[1] += 4;",
            f"{type_.name} (*row)[3] = {g}; ++row; (*row)[2] -= 1;", f"{type_.name}* e = {g}[1]; e[-1] += e[2];",
        )  # fmt: skip
        return (
            f"{{ {type_.name} {g}[2][3] = {{{{1}}, {{{self.exact(type_)}, 2}}}}; for (int {i} = 0; {i} < 6; ++{i}) {{ if ({self.condition(1)}) continue; {g}[{i} / 3][{i} % 3] += {i}; }}\n"
            f"{{ {used} }} {self.add(f'{g}[0][2] + {g}[1][0] * 3 + {g}[1][1]')} }}\n"
        )

    def captured_object(self, depth: int) -> str:
        """A lambda that takes a struct and an array along, or gives one."""
        s, o, f, b = self.seed, self.name(), self.name(), self.name()
        head = self.some("[=]", "[&]", f"[{o}, &{b}]", f"[&{o}, {b}]")
        one = self.fields[0]
        given = self.some(f"auto r = {o}; r.x += {b}[k & 1]; return r;", f"if (k & 1) return {o}; return {o} + {o};")
        return (
            f"{{ S{s} {o} = {self.made()}; int {b}[2] = {{1, {self.exact(INT)}}}; auto {f} = {head}(int k) {{ {given} }};\n"
            f"{o}.x = {self.pure(one)}; {b}[1] = 7; {self.add(f'{f}({self.exact(INT)}).x + {f}(1).get()')} }}\n"
        )

    def pointers(self, depth: int) -> str:
        """Pointers that trade places, and a pointer to one."""
        p, q, r = self.name(), self.name(), self.name()
        trade = self.some(
            f"int* t = {p}; {p} = {q}; {q} = t;", f"int** {r} = ({self.condition(1)}) ? &{p} : &{q}; *{r} += 1; **{r} ^= 3;",
            f"rotate{self.seed}({p}, {q}, {q});", f"int*& {r} = {p}; {r}++; *{r} = 4;", f"auto {r} = [&] {{ {p} += 1; return *{p}; }}; {r}(); {self.add(f'{r}()')}",
        )  # fmt: skip
        return (
            f"{{ int *{p} = a, *{q} = a + (({self.exact(INT)}) & 3); if ({self.condition(1)}) {{ {trade} }}\n"
            f"*{p} += 2; *{q} ^= *{p}; {self.add(f'({p} < {q}) + *{p} * 3 + *{q}')} }}\n"
        )

    def copies(self, depth: int) -> str:
        """Structs in a loop, by a choice, from and to functions."""
        s, o, p, i = self.seed, self.name(), self.name(), self.name()
        return (
            f"{{ S{s} {o} = {self.made()}, {p} = {o}; for (int {i} = 0; {i} < 3; ++{i}) {{\n"
            f"S{s} t = {i} & 1 ? {o} : {p}; if ({self.condition(1)}) {{ {o} = t + {p}; continue; }} {p} = -t; t.w[{i}] += 1; {o}.w[2] = t.w[{i}]; if (t.x == {o}.x) break; }}\n"
            f"{self.add(f'pick{s}({o}) + {p}.x * 3 + {o}.w[2] + (({self.condition(1)}) ? {o} : {p}).get()')} }}\n"
        )

    def searched(self, depth: int) -> str:
        """A lambda that leaves loops and switches by `return`."""
        f, i = self.name(), self.name()
        return (
            f"{{ auto {f} = [&](int k) -> int {{ for (int {i} = 0; {i} < 4; ++{i}) {{ switch (k + {i}) {{ case 3: return {i}; case 4: continue;\n"
            f"case 5: {{ if ({self.condition(1)}) break; return k; }} default: a[{i}] += k; }} if (a[{i}] & 1) return a[{i}]; }} return -1; }};\n"
            f"{self.add(f'{f}(({self.exact(INT)}) & 7)')} {self.add(f'{f}(2)')} }}\n"
        )

    def shadowed(self, depth: int) -> str:
        """Variables of one name, in blocks, loops, conditions and lambdas."""
        x = self.name()
        return (
            f"{{ int {x} = {self.pure(INT)}; if (int {x} = a[2] & 3; {x} > 1) {{ a[0] += {x}; }} else {{ {{ int {x} = 9; a[1] ^= {x}; }} }}\n"
            f"for (int {x} = 0; {x} < 2; ++{x}) {{ unsigned char {x}2 = {x}; {{ short {x} = 300 * {x}2; a[3] += {x}; }} }}\n"
            f"auto f = [{x}](int k) {{ int y = {x} + k; {{ int {x} = y * 2; return {x}; }} }}; {self.add(f'f({x})')} {self.add(x)} }}\n"
        )

    def united(self, depth: int) -> str:
        """The bits of one number as others."""
        t, u = self.name(), self.name()
        return (
            f"{{ union T{t} {{ unsigned u; float f; unsigned char b[4]; short h[2]; }}; T{t} {u}; {u}.u = {self.exact(INT)} & 0x7fffff;\n"
            f"{u}.b[({self.exact(INT)}) & 1] ^= 5; {u}.h[0] += 3; T{t} {u}c = {u}; {u}c.h[1] = {u}.b[0]; {self.add(f'{u}.u + {u}c.u * 3')} }}\n"
        )

    def inherited(self, depth: int) -> str:
        """A base with a method of the same name, by reference, pointer and value."""
        t, o = self.name(), self.name()
        type_ = self.random.choice(WHOLE)
        return (
            f"{{ struct A{t} {{ {type_.name} k = 3; __device__ int m(int x) const {{ return x + (int)k; }} }};\n"
            f"struct B{t} : A{t} {{ int j; __device__ B{t}(int j) : j(j) {{ k += j; }} __device__ int m(int x) const {{ return A{t}::m(x) * 2 + j; }} }};\n"
            f"B{t} {o}({self.exact(INT)}); A{t}& r = {o}; A{t}* p = &{o}; p->k ^= 6; A{t} v = {o}; v.k = 1;\n"
            f"{self.add(f'{o}.m(3) + r.m({self.exact(INT)}) * 3 + v.m(1) + static_cast<B{t}*>(p)->j')} }}\n"
        )

    def stepped(self, depth: int) -> str:
        """Steps and assignments as values, each of a variable of its own."""
        i, j = self.name(), self.name()
        return (
            f"{{ int {i} = 0, {j} = ({self.exact(INT)}) & 3; a[{i}++] = {j}--; a[++{i}] += {j} += 2; *(a + {i}++) ^= 1;\n"
            f"while ({i}-- > 0 && a[{i}] != {j}) {j} ^= a[{i}]; int k = {i} = {j}; do {{ k >>= 1; a[k & 7]--; }} while (k > 0 && k != 4);\n"
            f"{self.add(f'{i} + {j} * 3 + k')} }}\n"
        )

    def text(self, name: str) -> tuple[str, list[CType]]:
        """All that a function uses, a smaller function that it calls, the function; and its parameters' types."""
        text = self.prologue()
        small, types = self.function(f"{name}_inner")
        self.callable.append((f"{name}_inner", LONG_LONG, types))
        self.callable += self.callable[-1:]
        whole, types = self.function(name)
        return text + small + whole, types
