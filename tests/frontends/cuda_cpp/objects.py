"""What does a function do with objects? Random statements with structs, pointers, references, arrays."""

from __future__ import annotations

from tests.frontends.cuda_cpp.c_types import INT
from tests.frontends.cuda_cpp.declarations import WHOLE, Declarations


class Objects(Declarations):
    """Statements that make objects, change them, and let them have a part in a variable."""

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
        lines = [
            f"S{s} {o} = {self.made()};",
            f"S{s} {p}{self.some('', f' = {o}', f'((0, {self.pure(one)}))')};",
        ]
        lines += (
            self.some(
                f"{o} += {p};",
                f"{p} = {o} + {self.made()};",
                f"{o}.set({self.pure(one)}).set({p}.x);",
                f"if ({o} == {p}) {o} = -{p};",
                f"if ({o} < {p}) {{ {self.add(f'{p}.get()', one)} }}",
                f"{o}[{self.pure(INT)}] ^= 3;",
                f"{self.add(f'{o}({self.pure(INT)})')}",
                f"if ({p}) {p} = {o}++;",
                f"++{p};",
                f"{o} = ({self.condition(1)}) ? {p} : {o};",
                f"{{ S{s}& r = ({self.condition(1)}) ? {o} : {p}; r.z += 2; r.w[1] = r.z; }}",
                f"{{ S{s}* q = &{o}; q->x ^= 5; *q = q->operator-(); }}",
            )
            for _ in range(self.random.randint(1, 4))
        )
        lines.append(self.add(f"{o}.x * 3 + {o}.w[1] + {p}.z"))
        return "{ " + "\n".join(lines) + " }\n"

    def objects(self, depth: int) -> str:
        """An array of them, and a derived one."""
        s, o, i = self.seed, self.name(), self.name()
        one, other, third = self.fields
        if self.random.random() < 0.5:
            given = f"{{{self.exact(one)}, {self.exact(other)}}}, {self.exact(third)}"
            change = self.some(
                f"{o}.first ^= 1;", f"P{s}& b = {o}; b.first -= 2;", f"P{s} b = {o}; {o}.third = b.first;"
            )
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
            f"mixed{s}({self.exact(type_)})",
            f"mixed{s}<{type_.name}>({self.pure(type_)}, {self.exact(INT)})",
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

    def alias(self, depth: int) -> str:
        """References to variables, elements, and what a function gives a reference to."""
        s, r, (name, type_) = self.seed, self.name(), self.target
        third = self.fields[2]
        lines = (
            f"{type_.name}& {r} = {name}; {r} = {self.exact(type_)};",
            f"const {type_.name}& {r} = {name}; {self.add(f'{r} > 0')} ",
            f"int& {r} = larger{s}(a[1], {self.place()}); {r} -= 7;",
            f"larger{s}(a[0], a[4]) += {self.exact(INT)};",
            (
                f"{self.fields[1].name} {r} = {self.exact(self.fields[1])}; change{s}({self.place()}, {r}, "
                f"{self.exact(third)}); {self.add(f'{r} > 3')}"
            ),
            f"auto&& {r} = {self.place()}; {r}++;",
            f"rotate{s}(a[0], a[2], a[({self.exact(INT)}) & 7]);",
        )
        return f"{{ {self.some(*lines)} }}\n"

    def one_of_two(self, depth: int) -> str:
        """A choice of two variables that is assigned to."""
        name, type_ = self.target
        others = [known for known, of in self.scope if of is type_]
        return f"(({self.condition(1)}) ? {name} : {self.random.choice(others)}) = {self.exact(type_)};\n"

    def member_pointer(self, depth: int) -> str:
        """A pointer into an object, and to one of several."""
        s, o, p = self.seed, self.name(), self.name()
        third = self.fields[2]
        return (
            f"{{ S{s} {o} = {self.made()}, {o}b; {third.name}* {p} = ({self.condition(1)}) ? &{o}.z : "
            f"&{o}b.w[1];\n"
            f"*{p} += 3; {third.name}* {p}e = {o}.w + 4; while ({p}e-- != {o}.w) *{p}e ^= *{p};\n"
            f"{self.add(f'{o}.w[2] + {o}.z + {o}b.w[1]')} }}\n"
        )

    def nested(self, depth: int) -> str:
        """A struct in a function, with an array in it, copied as a whole."""
        t, o = self.name(), self.name()
        type_ = self.random.choice(WHOLE)
        return (
            f"{{ struct T{t} {{ {type_.name} v[2][2]; int k; }}; T{t} {o} = {{{{{{1, 2}}, "
            f"{{{self.exact(type_)}}}}}, {self.exact(INT)}}};\n"
            f"T{t} {o}c = {o}; {o}.v[({self.exact(INT)}) & 1][1] += 5; if ({self.condition(1)}) {o}c = {o};\n"
            f"{self.add(f'{o}c.v[1][0] * 3 + {o}c.v[1][1] + {o}c.k')} }}\n"
        )

    def linked(self, depth: int) -> str:
        """A list of objects that point to each other."""
        t, n, p = self.name(), self.name(), self.name()
        return (
            f"{{ struct T{t} {{ int v; T{t}* next; }}; T{t} {n}[3] = {{{{{self.exact(INT)}, nullptr}}, "
            f"{{2, {n}}}, {{3, &{n}[1]}}}};\n"
            f"if ({self.condition(1)}) {n}[1].next = nullptr; int sum = 0;\n"
            f"for (T{t}* {p} = &{n}[({self.exact(INT)}) & 1 ? 2 : 1]; {p}; {p} = {p}->next) {{ sum = sum * "
            f"3 + {p}->v; {p}->v ^= 1; }}\n"
            f"{self.add(f'sum + {n}[1].v')} }}\n"
        )

    def grid(self, depth: int) -> str:
        """An array of two dimensions, its rows by reference and by pointer."""
        g, i, type_ = self.name(), self.name(), self.random.choice(WHOLE)
        used = self.some(
            f"for (auto& row : {g}) for (auto& e : row) e ^= 1;",
            f"auto& row = {g}[({self.exact(INT)}) & 1]; row[1] += 4;",
            f"{type_.name} (*row)[3] = {g}; ++row; (*row)[2] -= 1;",
            f"{type_.name}* e = {g}[1]; e[-1] += e[2];",
        )
        return (
            f"{{ {type_.name} {g}[2][3] = {{{{1}}, {{{self.exact(type_)}, 2}}}}; for (int {i} = 0; {i} < "
            f"6; ++{i}) {{ if ({self.condition(1)}) continue; {g}[{i} / 3][{i} % 3] += {i}; }}\n"
            f"{{ {used} }} {self.add(f'{g}[0][2] + {g}[1][0] * 3 + {g}[1][1]')} }}\n"
        )

    def pointers(self, depth: int) -> str:
        """Pointers that trade places, and a pointer to one."""
        p, q, r = self.name(), self.name(), self.name()
        trade = self.some(
            f"int* t = {p}; {p} = {q}; {q} = t;",
            f"int** {r} = ({self.condition(1)}) ? &{p} : &{q}; *{r} += 1; **{r} ^= 3;",
            f"rotate{self.seed}({p}, {q}, {q});",
            f"int*& {r} = {p}; {r}++; *{r} = 4;",
            f"auto {r} = [&] {{ {p} += 1; return *{p}; }}; {r}(); {self.add(f'{r}()')}",
        )
        return (
            f"{{ int *{p} = a, *{q} = a + (({self.exact(INT)}) & 3); if ({self.condition(1)}) {{ {trade} }}\n"
            f"*{p} += 2; *{q} ^= *{p}; {self.add(f'({p} < {q}) + *{p} * 3 + *{q}')} }}\n"
        )

    def copies(self, depth: int) -> str:
        """Structs in a loop, by a choice, from and to functions."""
        s, o, p, i = self.seed, self.name(), self.name(), self.name()
        return (
            f"{{ S{s} {o} = {self.made()}, {p} = {o}; for (int {i} = 0; {i} < 3; ++{i}) {{\n"
            f"S{s} t = {i} & 1 ? {o} : {p}; if ({self.condition(1)}) {{ {o} = t + {p}; continue; }} {p} = "
            f"-t; t.w[{i}] += 1; {o}.w[2] = t.w[{i}]; if (t.x == {o}.x) break; }}\n"
            + self.add(f"pick{s}({o}) + {p}.x * 3 + {o}.w[2] + (({self.condition(1)}) ? {o} : {p}).get()")
            + " }\n"
        )

    def united(self, depth: int) -> str:
        """The bits of one number as others."""
        t, u = self.name(), self.name()
        return (
            f"{{ union T{t} {{ unsigned u; float f; unsigned char b[4]; short h[2]; }}; T{t} {u}; {u}.u = "
            f"{self.exact(INT)} & 0x7fffff;\n"
            f"{u}.b[({self.exact(INT)}) & 1] ^= 5; {u}.h[0] += 3; T{t} {u}c = {u}; {u}c.h[1] = {u}.b[0]; "
            f"{self.add(f'{u}.u + {u}c.u * 3')} }}\n"
        )

    def inherited(self, depth: int) -> str:
        """A base with a method of the same name, by reference, pointer and value."""
        t, o = self.name(), self.name()
        type_ = self.random.choice(WHOLE)
        return (
            f"{{ struct A{t} {{ {type_.name} k = 3; __device__ int m(int x) const {{ return x + (int)k; }} "
            f"}};\n"
            f"struct B{t} : A{t} {{ int j; __device__ B{t}(int j) : j(j) {{ k += j; }} __device__ int "
            f"m(int x) const {{ return A{t}::m(x) * 2 + j; }} }};\n"
            f"B{t} {o}({self.exact(INT)}); A{t}& r = {o}; A{t}* p = &{o}; p->k ^= 6; A{t} v = {o}; v.k = 1;\n"
            f"{self.add(f'{o}.m(3) + r.m({self.exact(INT)}) * 3 + v.m(1) + static_cast<B{t}*>(p)->j')} }}\n"
        )

    def later(self, depth: int) -> str:
        """A reference and a pointer stay where they are, though the index that led there changes."""
        i, r, p = self.name(), self.name(), self.name()
        change = self.some(
            f"{i} = (int)({self.pure(INT)});", f"{i}++;", f"for (; {i} < 6; {i} += 2) {r} += {i};"
        )
        return (
            f"{{ int {i} = ({self.exact(INT)}) & 3; int& {r} = a[{i}]; int* {p} = a + {i} + 1; {change}\n"
            f"{r} += {self.exact(INT)}; *{p} ^= {r}; {p} = &{r} == {p} ? a : {p} + 1; *{p} -= 1;\n"
            f"{self.add(f'{r} + *{p} + ({p} - a)')} }}\n"
        )

    def ranged(self, depth: int) -> str:
        e = self.name()
        if not self.has_array:
            return ";\n"
        body = self.some(
            f"{e} ^= 3;",
            f"if ({e} & 1) continue; {e} += {self.exact(INT)};",
            f"{self.add(e)} if ({e} > 9) break;",
        )
        return f"for ({self.some('auto&', 'int&')} {e} : a) {{ {body} }}\n"
