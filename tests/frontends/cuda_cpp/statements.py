"""Which functions can a kernel call? Random ones: branches, loops, switches, arrays, references, returns.

Every loop ends: a counter of its own, which nothing else changes, bounds it. Indices are masked to the array.
"""

from __future__ import annotations

from collections.abc import Callable

from tests.frontends.cuda_cpp.c_types import BOOL, INT, LONG_LONG, TYPES, CType
from tests.frontends.cuda_cpp.expressions import ASSIGN, BIT_AND, Expression, Generator
from tests.frontends.cuda_cpp.literals import literal

LENGTH = 8  # of the array that each function has
HELPERS = """\
template <typename T> __device__ T bigger(T a, T b) { return a < b ? b : a; }
__device__ void exchange(int& a, int& b) { int held = a; a = b; b = held; }
__device__ int total(const int* x, int n) {
    int sum = 0;
    for (const int* y = x + n; y != x;) sum += *--y;
    return sum;
}
struct Pair {
    int first;
    double second;
    __device__ int sum() const { return first + (second > 0 ? 1 : -1); }
};
__device__ Pair paired(int a, double b) { Pair p = {a, b}; if (a < 0) p.first = -a; return p; }
__device__ int digits(unsigned int n) { int count = 0; do { n /= 10; ++count; } while (n); return count; }
"""


class Statements(Generator):
    """Random functions of a few numbers; the same ones for the same seed."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed, share=0.15)
        self.scope: list[tuple[str, CType]] = []
        self.counters = 0
        self.loops = 0  # around the statement at hand
        self.kinds: tuple[Callable[[int], str], ...] = (
            *(self.change_one,) * 5, self.branch, self.branch, self.count, self.repeat, self.switch,
            self.declaration, self.jump, self.element, self.swap, self.call, self.walk, self.pair,
        )  # fmt: skip

    def leaf(self, type_: CType | None = None) -> Expression:
        """A variable in scope; where there is none of the type, a number cast to it."""
        known = [(name, of) for name, of in self.scope if type_ in (None, of)]
        if not known:
            assert type_ is not None
            return Expression(f"({type_.name}){self.random.randrange(9)}", type_, ASSIGN + 1)
        if type_ is None and self.random.random() < self.share:
            return Expression(*literal(self.random))
        if type_ in (None, INT) and self.random.random() < 0.1:
            return Expression(f"a[{self.random.randrange(LENGTH)}]", INT)
        return Expression(*self.random.choice(known))

    def condition(self, depth: int = 2) -> str:
        """An expression that changes nothing."""
        while not (found := self.expression(depth)).is_pure:
            pass
        return found.text

    def name(self) -> str:
        self.counters += 1
        return f"n{self.counters}"

    # statements: each ends its lines, and leaves the scope as it was, but for a declaration

    def block(self, depth: int, most: int = 3) -> str:
        before = len(self.scope)
        lines = "".join(self.statement(depth) for _ in range(self.random.randint(1, most)))
        del self.scope[before:]
        return f"{{\n{lines}}}\n"

    def statement(self, depth: int) -> str:
        simple = depth <= 0 or self.random.random() < 0.4
        return self.change_one(depth) if simple else self.random.choice(self.kinds)(depth - 1)

    def using(self, expression: Expression, statement: str) -> str:
        """A statement, after the declarations of what its expression changes."""
        if expression.is_pure:
            return f"{statement}\n"
        return "{ " + " ".join(expression.locals) + f" {statement} }}\n"

    def change_one(self, depth: int) -> str:
        name, type_ = self.random.choice(self.scope)
        if type_ is not BOOL and self.random.random() < 0.1:
            return f"{self.step(name, type_).text};\n"
        change = self.change(2, name, type_)
        return self.using(change, f"{change.text};")

    def branch(self, depth: int) -> str:
        text = f"if ({self.condition()}) " + self.block(depth)
        kind = self.random.random()
        if kind < 0.3:
            text += f"else if ({self.condition()}) " + self.block(depth)
        if kind < 0.6:
            text += "else " + self.block(depth)
        return text

    def count(self, depth: int) -> str:
        """A `for` with a fixed or varying number of rounds, up or down."""
        name = self.name()
        limit = self.random.choice(("3", "4", "5u", "{} & 3"))
        if "{}" in limit:
            limit = f"({self.whole_number()} & 3)"
        head = self.random.choice(
            (
                f"int {name} = 0; {name} < {limit}; ++{name}",
                f"int {name} = {limit}; {name} > 0; {name}--",
                f"unsigned {name} = 1; {name} < 9 && !({self.condition(1)}); {name} *= 2",
                f"int {name} = 0, end{name} = {limit}; {name} != end{name}; {name} += 1",
            )
        )
        return f"for ({head}) {self.loop(depth)}"

    def whole_number(self) -> str:
        """An expression of an integer type that changes nothing."""
        while not (found := self.integer(1)).is_pure:
            pass
        return found.within(BIT_AND)

    def loop(self, depth: int) -> str:
        self.loops += 1
        text = self.block(depth)
        self.loops -= 1
        return text

    def repeat(self, depth: int) -> str:
        """A `while` or `do` whose counter bounds it."""
        name = self.name()
        start = f"int {name} = {self.whole_number()} & 3;\n"
        if self.random.random() < 0.5:
            return f"{{ {start}while ({name}-- > 0) {self.loop(depth)}}}\n"
        text = self.loop(depth).rstrip()
        return f"{{ {start}do {text} while (--{name} > 0 && ({self.condition(1)}));\n}}\n"

    def switch(self, depth: int) -> str:
        """Some cases fall through; the default may stand anywhere, or nowhere."""
        labels = self.random.sample((0, 1, 2, 3, "default"), self.random.randint(1, 4))
        text = f"switch ({self.whole_number()} & 3) {{\n"
        for label in labels:
            text += f"{label}:\n" if label == "default" else f"case {label}:\n"
            if self.random.random() < 0.8:
                text += self.block(depth, 2)
            if self.random.random() < 0.6:
                text += "break;\n"
        return text + ";\n}\n"

    def declaration(self, depth: int) -> str:
        """A variable, known to the end of the block."""
        type_ = self.random.choice(TYPES)
        initial = self.convertible(self.expression(1), type_)
        if not initial.is_pure:
            return ";\n"
        name = self.name()
        self.scope.append((name, type_))
        return f"{type_.name} {name} = {initial.within(ASSIGN)};\n"

    def jump(self, depth: int) -> str:
        """Out of a loop, on to its next round, or out of the function."""
        words = ["return " + self.result() + ";"]
        if self.loops:
            words += ["break;", "continue;"] * 2
        return f"if ({self.condition()}) {self.random.choice(words)}\n"

    def place(self) -> str:
        return f"a[{self.whole_number()} & {LENGTH - 1}]"

    def element(self, depth: int) -> str:
        """A store into the array and a load from it."""
        name, _type = self.random.choice(self.scope)
        value = self.convertible(self.expression(1), INT)
        operator = "=" if value.type.is_float else self.random.choice(("=", "+=", "^="))
        stored = f"{self.place()} {operator} {value.within(ASSIGN)};"
        return self.using(value, f"{stored} {name} = {self.place()};")

    def swap(self, depth: int) -> str:
        """A function that takes references: to variables or elements."""
        places = ["a[0]", "a[3]", self.place()]
        places += [name for name, type_ in self.scope if type_ is INT]
        return f"exchange({self.random.choice(places)}, {self.random.choice(places)});\n"

    def walk(self, depth: int) -> str:
        """A pointer into the array, moved, compared and subtracted."""
        q, (name, _type) = self.name(), self.random.choice(self.scope)
        start = self.random.choice((f"a + ({self.whole_number()} & 3)", f"({self.condition()}) ? &a[1] : a"))
        moved = self.random.choice((f"*{q}++ += {self.whole_number()};", f"{q} += 2; {q}[-1] ^= *{q};"))
        used = self.random.choice((f"{q} - a", f"total({q}, 3)", f"*({q} + 1)", f"{q} > &a[2]", f"-*{q}--"))
        return f"{{ int* {q} = {start}; {moved} {name} = {used}; }}\n"

    def pair(self, depth: int) -> str:
        """A struct: from a function, copied, changed, asked."""
        p, (name, _type) = self.name(), self.random.choice(self.scope)
        made = f"Pair {p} = paired({self.whole_number()}, {self.leaf().text});"
        another = f"if ({self.condition()}) {p} = paired(1, -1.0);"
        changed = self.random.choice((f"{p}.first ^= 5;", another, ""))
        return f"{{ {made} {changed} {name} = {p}.sum(); }}\n"

    def call(self, depth: int) -> str:
        """Of a template, its type given or deduced; and of a function, on what is converted to its type."""
        name, type_ = self.random.choice([known for known in self.scope if known[1] is not BOOL])
        other = self.leaf(type_).text
        given = self.random.choice(("", f"<{type_.name}>"))
        lines = [f"{name} = bigger{given}({name}, {other});", f"a[5] += digits({self.whole_number()});"]
        return self.random.choice(lines) + "\n"

    # the whole

    def result(self) -> str:
        """A number that each variable in scope has a part in."""
        parts = [self.convertible(Expression(*known), LONG_LONG).text for known in self.scope]
        return (
            " + ".join(f"{2 * place + 3} * (long long){part}" for place, part in enumerate(parts)) + " + a[2]"
        )

    def function(self, name: str) -> tuple[str, list[CType]]:
        """The text of a function, and the types of its parameters."""
        types = [INT, *(self.random.choice(TYPES) for _ in range(3))]
        self.scope = [(f"p{place}", type_) for place, type_ in enumerate(types)]
        parameters = ", ".join(f"{type_.name} {known}" for known, type_ in self.scope)
        body = "".join(self.statement(3) for _ in range(6))
        array = f"int a[{LENGTH}] = {{p0, 1, -2}};"
        text = f"__device__ long long {name}({parameters}) {{\n{array}\n{body}return {self.result()};\n}}\n"
        return text, types
