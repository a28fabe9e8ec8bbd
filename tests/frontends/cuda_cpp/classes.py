"""Which C++ can a kernel hold? Random functions with structs, templates, overloads, lambdas, references.

Every label that is jumped back to is behind a counter.
"""

from __future__ import annotations

from collections.abc import Callable

from tests.frontends.cuda_cpp.c_types import INT, LONG_LONG, CType
from tests.frontends.cuda_cpp.declarations import WHOLE
from tests.frontends.cuda_cpp.objects import Objects


class Classes(Objects):
    """Random functions, and what they use; the same ones for the same seed."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.cpp: tuple[Callable[[int], str], ...] = (
            self.object, self.objects, self.box, self.template, self.overload, self.by_value,
            self.by_reference, self.mutable, self.generic, self.binding, self.pointer, self.jumps,
            self.again, self.scoped_enum, self.ranged, self.one_of_two, self.alias, self.recursion,
            self.functor, self.member_pointer, self.nested, self.forward, self.later, self.linked,
            self.grid, self.captured_object, self.pointers, self.copies, self.searched, self.shadowed,
            self.united, self.inherited, self.stepped,
        )  # fmt: skip
        self.kinds += (*self.cpp, *self.cpp)

    def by_value(self, depth: int) -> str:
        f, (name, type_) = self.name(), self.target
        change = f"{name} = ({type_.name})1;" if self.random.random() < 0.5 else ""
        body = self.within(INT, (name, type_), ("k", INT))
        head = self.some(f"[{name}]", "[=]")
        return (
            f"{{ auto {f} = {head}(int k) {{ return {body}; }}; {change} "
            f"{self.add(f'{f}({self.pure(INT)}) + {f}(2)')} }}\n"
        )

    def by_reference(self, depth: int) -> str:
        f, (name, type_) = self.name(), self.target
        restore = self.local_scope(*self.scope, ("k", INT), array=self.has_array)
        lines = "".join(self.change_one(1) for _ in range(2))
        restore()
        used = self.some(
            f"{f}(1); {f}({self.pure(INT)});",
            f"for (int i = 0; i < 3; ++i) {f}(i);",
            f"if ({self.condition(1)}) {f}(4);",
        )
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
        f, one, other = (
            self.name(),
            self.exact(self.random.choice(WHOLE)),
            self.exact(self.random.choice(WHOLE)),
        )
        body = self.some("x * 2 + y", "x ^ (decltype(x))y", "x < y ? x : y", "sizeof(x) + sizeof(x + y)")
        return (
            f"{{ auto {f} = [](auto x, const auto& y) {{ return {body}; }};\n"
            f"{self.add(f'{f}({one}, {other})')} {self.add(f'{f}({other}, 2)')} }}\n"
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
            f"{inner} if ({self.condition(1)}) goto l{out}; if ({self.condition(1)}) "
            f"{self.some('break', 'continue')};\n"
            f"{self.change_one(1)} }}\n{self.change_one(1)} l{out}:; }}\n"
        )

    def again(self, depth: int) -> str:
        """`goto` back, a few times."""
        i, back = self.name(), self.name()
        return (
            f"{{ int {i} = 0; l{back}: {self.change_one(1)} if (++{i} < 4 && ({self.condition(1)})) goto "
            f"l{back}; }}\n"
        )

    def scoped_enum(self, depth: int) -> str:
        s, e = self.seed, self.name()
        cases = "".join(
            f"case E{s}::{letter}: {self.change_one(1)} "
            f"{self.some('break;', '', '[[fallthrough]];' if letter != 'D' else '')}\n"
            for letter in self.random.sample("ABCD", 3)
        ) + self.some("", "default: a[3] += 1;\n")
        cases = cases.replace("[[fallthrough]];\ndefault", "\ndefault")
        cases = cases.rstrip().removesuffix("[[fallthrough]];") + " ;"
        chosen = (
            f"({self.condition(1)}) ? E{s}::B : ({self.condition(1)}) ? E{s}::A : "
            f"(E{s})(({self.exact(INT)}) & 15)"
        )
        return (
            f"{{ E{s} {e} = {chosen}; switch ({e}) {{ {cases} }} {self.add(f'(int){e} + (E{s}::C < {e})')} "
            f"}}\n"
        )

    def recursion(self, depth: int) -> str:
        s, f, one = self.seed, self.name(), self.fields[0]
        walk = (
            f"auto {f} = [&](auto&& self, int n) -> int {{ if (n <= 0) return 1; {self.change_one(0)} "
            f"return self(self, n - 1) + n; }};"
        )
        lines = (
            self.add(f"down{s}(({self.exact(INT)}) & 3, {self.exact(one)})"),
            self.add(f"fill{s}(a, ({self.exact(INT)}) & 7, {self.made()})"),
            f"{walk} {self.add(f'{f}({f}, ({self.exact(INT)}) & 3)')}",
        )
        return f"{{ {self.some(*lines)} }}\n"

    def functor(self, depth: int) -> str:
        s, f, seen = self.seed, self.name(), self.name()
        return (
            f"{{ int {seen} = {self.pure(INT)} ; F{s} {f}({self.pure(INT)}, {self.some(seen, 'a[2]')}); "
            f"{f}(1);\n"
            f"{self.add(f'{f}({self.pure(INT)})')} {self.add(f'folded{s}({f}, 1, 2)')} {self.add(seen)} }}\n"
        )

    def forward(self, depth: int) -> str:
        """A lambda that is handed to a function, or into another lambda."""
        s, f, g = self.seed, self.name(), self.name()
        name, _type = self.target
        inner = f"auto {g} = [&](int k) {{ {self.add('k')} return {f}(k) + {f}(k + 1); }};"
        return (
            f"{{ auto {f} = [&{name}](int k) {{ return k + ({name} > 0); }}; {inner}\n"
            f"{self.add(f'folded{s}({g}, {self.exact(INT)}, 7)')} }}\n"
        )

    def captured_object(self, depth: int) -> str:
        """A lambda that takes a struct and an array along, or gives one."""
        s, o, f, b = self.seed, self.name(), self.name(), self.name()
        head = self.some("[=]", "[&]", f"[{o}, &{b}]", f"[&{o}, {b}]")
        one = self.fields[0]
        given = self.some(
            f"auto r = {o}; r.x += {b}[k & 1]; return r;", f"if (k & 1) return {o}; return {o} + {o};"
        )
        return (
            f"{{ S{s} {o} = {self.made()}; int {b}[2] = {{1, {self.exact(INT)}}}; auto {f} = {head}(int k) "
            f"{{ {given} }};\n"
            f"{o}.x = {self.pure(one)}; {b}[1] = 7; {self.add(f'{f}({self.exact(INT)}).x + {f}(1).get()')} "
            f"}}\n"
        )

    def searched(self, depth: int) -> str:
        """A lambda that leaves loops and switches by `return`."""
        f, i = self.name(), self.name()
        return (
            f"{{ auto {f} = [&](int k) -> int {{ for (int {i} = 0; {i} < 4; ++{i}) {{ switch (k + {i}) {{ "
            f"case 3: return {i}; case 4: continue;\n"
            f"case 5: {{ if ({self.condition(1)}) break; return k; }} default: a[{i}] += k; }} if (a[{i}] "
            f"& 1) return a[{i}]; }} return -1; }};\n"
            f"{self.add(f'{f}(({self.exact(INT)}) & 7)')} {self.add(f'{f}(2)')} }}\n"
        )

    def shadowed(self, depth: int) -> str:
        """Variables of one name, in blocks, loops, conditions and lambdas."""
        x = self.name()
        return (
            f"{{ int {x} = {self.pure(INT)}; if (int {x} = a[2] & 3; {x} > 1) {{ a[0] += {x}; }} else {{ "
            f"{{ int {x} = 9; a[1] ^= {x}; }} }}\n"
            f"for (int {x} = 0; {x} < 2; ++{x}) {{ unsigned char {x}2 = {x}; {{ short {x} = 300 * {x}2; "
            f"a[3] += {x}; }} }}\n"
            f"auto f = [{x}](int k) {{ int y = {x} + k; {{ int {x} = y * 2; return {x}; }} }}; "
            f"{self.add(f'f({x})')} {self.add(x)} }}\n"
        )

    def stepped(self, depth: int) -> str:
        """Steps and assignments as values, each of a variable of its own."""
        i, j = self.name(), self.name()
        return (
            f"{{ int {i} = 0, {j} = ({self.exact(INT)}) & 3; a[{i}++] = {j}--; a[++{i}] += {j} += 2; *(a + "
            f"{i}++) ^= 1;\n"
            f"while ({i}-- > 0 && a[{i}] != {j}) {j} ^= a[{i}]; int k = {i} = {j}; do {{ k >>= 1; a[k & "
            f"7]--; }} while (k > 0 && k != 4);\n"
            f"{self.add(f'{i} + {j} * 3 + k')} }}\n"
        )

    def text(self, name: str) -> tuple[str, list[CType]]:
        """All that a function uses, a smaller one that it calls, the function; and its parameters' types."""
        text = self.prologue()
        small, types = self.function(f"{name}_inner")
        self.callable.append((f"{name}_inner", LONG_LONG, types))
        self.callable += self.callable[-1:]
        whole, types = self.function(name)
        return text + small + whole, types
