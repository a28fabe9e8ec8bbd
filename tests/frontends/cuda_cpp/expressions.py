"""Which expressions can a kernel hold? Random ones, over every number type and operator of C.

What C leaves undefined never comes up, by construction: a divisor is neither 0 nor -1, a shift is shorter
than what it shifts is wide, a float is within an integer's range before it becomes one, and a variable that
changes is named in one subexpression only, whose parts are sequenced.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from tests.frontends.cuda_cpp import literals
from tests.frontends.cuda_cpp.c_types import (
    BOOL,
    INT,
    INTEGERS,
    TYPES,
    UNSIGNED_LONG,
    CType,
    common,
    promoted,
)  # fmt: skip

COLUMNS = 3  # variables of each type: i0, i1 and i2 are ints, us0 is an unsigned short
# how tightly operators bind
PRIMARY, POSTFIX, UNARY, MULTIPLY, ADD, SHIFT, RELATION, EQUALITY = range(17, 9, -1)
BIT_AND, BIT_XOR, BIT_OR, AND, OR, ASSIGN, COMMA = range(9, 2, -1)
ARITHMETIC = {"+": ADD, "-": ADD, "*": MULTIPLY}
BITWISE = {"&": BIT_AND, "^": BIT_XOR, "|": BIT_OR}
RELATIONS = {"<": RELATION, ">": RELATION, "<=": RELATION, ">=": RELATION, "==": EQUALITY, "!=": EQUALITY}
LOGICAL = {"&&": AND, "||": OR}
FLOAT_CHANGES = ("=", "+=", "-=", "*=", "/=")
INTEGER_CHANGES = (*FLOAT_CHANGES, "%=", "<<=", ">>=", "&=", "|=", "^=")
# a float between these can become such an integer
RANGES = {
    "char": ("-120", "120"), "signed char": ("-128", "127"), "unsigned char": ("-1", "250"),
    "short": ("-32768", "32767"), "unsigned short": ("-1", "65535"),
    "int": ("-2e9", "2e9f"), "unsigned int": ("-1", "4e9f"),
    "long": ("-9e18", "9e18"), "unsigned long": ("-0.5", "1.8e19"),
    "long long": ("-9e18f", "9e18f"), "unsigned long long": ("-1", "1.8e19f"),
}  # fmt: skip


@dataclass(frozen=True)
class Expression:
    """An expression and its type; `parts` are the expressions in it that could stand alone."""

    text: str
    type: CType
    binds: int = PRIMARY
    parts: tuple[Expression, ...] = ()
    variables: frozenset[tuple[CType, int]] = frozenset()
    locals: tuple[str, ...] = ()  # declarations of the variables that it changes

    @property
    def is_pure(self) -> bool:
        """Does it change nothing, so that it may stand there twice?"""
        return not self.locals

    def within(self, binds: int) -> str:
        """The text as an operand of something that binds so tightly."""
        return self.text if self.binds >= binds else f"({self.text})"


def whole(
    text: str, type_: CType, binds: int, *parts: Expression, declared: tuple[str, ...] = ()
) -> Expression:
    """An expression whose `text` names its parts."""
    variables = frozenset().union(*(part.variables for part in parts))
    locals_ = (*declared, *(line for part in parts for line in part.locals))
    return Expression(text, type_, binds, parts, variables, locals_)


class Generator:
    """Random expressions: the same ones for the same seed. Of their leaves, a `share` are literals."""

    def __init__(self, seed: int, share: float = 0.2) -> None:
        self.random, self.share = Random(seed), share
        self.locals = 0
        self.productions = (
            *(self.arithmetic,) * 4, *(self.division,) * 3, *(self.bitwise,) * 3, *(self.shift,) * 3,
            *(self.unary,) * 2, *(self.cast,) * 3, *(self.relation,) * 2, *(self.logical,) * 2,
            *(self.choice,) * 2, *(self.assignment,) * 4, self.chain, self.scaled, self.comma, self.size,
        )  # fmt: skip

    def expression(self, depth: int) -> Expression:
        """Any expression with at most so many operators inside each other."""
        if depth <= 0 or self.random.random() < 0.08:
            return self.leaf()
        return self.random.choice(self.productions)(depth - 1)

    def leaf(self, type_: CType | None = None) -> Expression:
        """A variable, now and then a literal."""
        if type_ is None and self.random.random() < self.share:
            return Expression(*literals.literal(self.random))
        type_, column = type_ or self.random.choice(TYPES), self.random.randrange(COLUMNS)
        return Expression(f"{type_.letter}{column}", type_, variables=frozenset({(type_, column)}))

    def local(self, type_: CType, initial: str) -> tuple[str, str]:
        """A variable that one subexpression may change: its name and its declaration."""
        self.locals += 1
        return f"m{self.locals}", f"{type_.name} m{self.locals} = {initial};"

    def operand(self, part: Expression, binds: int) -> str:
        """In parentheses where it must be, and now and then where it need not."""
        return f"({part.text})" if self.random.random() < 0.15 else part.within(binds)

    def binary(
        self, one: Expression, operator: str, other: Expression, type_: CType, binds: int
    ) -> Expression:
        text = f"{self.operand(one, binds)} {operator} {self.operand(other, binds + 1)}"
        return whole(text, type_, binds, one, other)

    # what keeps an operation defined

    def convertible(self, part: Expression, type_: CType) -> Expression:
        """The same number, or another where the type cannot hold it."""
        if not part.type.is_float or type_.is_float or type_ is BOOL:
            return part
        lowest, highest = RANGES[type_.name]
        if part.is_pure and len(part.text) < 30:
            x = part.within(SHIFT)
            text = f"({x} > {lowest} && {x} < {highest} ? {part.within(ASSIGN)} : 1)"
            return whole(text, part.type, PRIMARY, part)
        x, declared = self.local(part.type, "0")
        text = f"({x} = {part.within(ASSIGN)}, {x} > {lowest} && {x} < {highest} ? {x} : 1)"
        return whole(text, part.type, PRIMARY, part, declared=(declared,))

    def integer(self, depth: int) -> Expression:
        part = self.expression(depth)
        return self.cast_to(self.random.choice(INTEGERS), part) if part.type.is_float else part

    def divisor(self, depth: int) -> Expression:
        """An integer that is neither 0 nor -1: its lowest two bits are 01."""
        part = self.integer(depth)
        return whole(f"(({part.within(BIT_OR)} | 1) & ~2)", promoted(part.type), PRIMARY, part)

    def distance(self, depth: int, type_: CType) -> Expression:
        """How far to shift a number of this type: by less than the bits of what it is promoted to."""
        bits = promoted(type_).bits
        if self.random.random() < 0.3:
            return Expression(f"{self.random.randrange(bits)}", INT)
        part = self.integer(depth)
        return whole(f"({part.within(BIT_AND)} & {bits - 1})", common(part.type, INT), PRIMARY, part)

    # productions

    def arithmetic(self, depth: int) -> Expression:
        one, other = self.expression(depth), self.expression(depth)
        operator = self.random.choice(list(ARITHMETIC))
        return self.binary(one, operator, other, common(one.type, other.type), ARITHMETIC[operator])

    def division(self, depth: int) -> Expression:
        one, other, operator = self.expression(depth), self.expression(depth), "/"
        if not (one.type.is_float or other.type.is_float):
            other, operator = self.divisor(depth), self.random.choice("/%")
        return self.binary(one, operator, other, common(one.type, other.type), MULTIPLY)

    def bitwise(self, depth: int) -> Expression:
        one, other = self.integer(depth), self.integer(depth)
        operator = self.random.choice(list(BITWISE))
        return self.binary(one, operator, other, common(one.type, other.type), BITWISE[operator])

    def shift(self, depth: int) -> Expression:
        one = self.integer(depth)
        other = self.distance(depth - 1, one.type)
        return self.binary(one, self.random.choice(("<<", ">>")), other, promoted(one.type), SHIFT)

    def relation(self, depth: int) -> Expression:
        one, other = self.expression(depth), self.expression(depth)
        operator = self.random.choice(list(RELATIONS))
        return self.binary(one, operator, other, BOOL, RELATIONS[operator])

    def logical(self, depth: int) -> Expression:
        one, other = self.expression(depth), self.expression(depth)
        operator = self.random.choice(list(LOGICAL))
        return self.binary(one, operator, other, BOOL, LOGICAL[operator])

    def unary(self, depth: int) -> Expression:
        operator = self.random.choice("-+~!")
        part = self.integer(depth) if operator == "~" else self.expression(depth)
        text = self.operand(part, UNARY)
        space = " " if text[0] == operator else ""
        type_ = BOOL if operator == "!" else promoted(part.type)
        return whole(f"{operator}{space}{text}", type_, UNARY, part)

    def cast(self, depth: int) -> Expression:
        return self.cast_to(self.random.choice(TYPES), self.expression(depth))

    def cast_to(self, type_: CType, part: Expression) -> Expression:
        part = self.convertible(part, type_)
        ways = [
            (f"({type_.name}){self.operand(part, UNARY)}", UNARY),
            (f"static_cast<{type_.name}>({part.text})", POSTFIX),
        ]
        word = "unsigned" if type_.name == "unsigned int" else type_.name
        if " " not in word:  # `float(a, b)` would be two arguments
            ways.append((f"{word}({part.within(ASSIGN)})", POSTFIX))
        text, binds = self.random.choice(ways)
        return whole(text, type_, binds, part)

    def choice(self, depth: int) -> Expression:
        condition, one = self.expression(depth), self.expression(depth)
        other = self.leaf(one.type) if self.random.random() < 0.2 else self.expression(depth)
        # two of one type stay as they are: no promotion
        type_ = one.type if one.type is other.type else common(one.type, other.type)
        text = f"{self.operand(condition, OR)} ? {self.operand(one, ASSIGN)} : {self.operand(other, ASSIGN)}"
        return whole(text, type_, ASSIGN, condition, one, other)

    def comma(self, depth: int) -> Expression:
        one, other = self.expression(depth - 1), self.expression(depth)
        text = f"{self.operand(one, COMMA)}, {self.operand(other, ASSIGN)}"
        return whole(text, other.type, COMMA, one, other)

    def size(self, depth: int) -> Expression:
        """Of a type, or of an expression, which is then not evaluated."""
        part = self.expression(depth)
        if not part.is_pure:
            return whole(f"sizeof({part.type.name})", UNSIGNED_LONG, UNARY)
        return whole(f"sizeof({part.text})", UNSIGNED_LONG, UNARY, part)

    def change(self, depth: int, name: str, type_: CType) -> Expression:
        """Something that changes the variable and gives what it then holds."""
        operator = self.random.choice(FLOAT_CHANGES if type_.is_float else INTEGER_CHANGES)
        if type_.is_float or operator == "=":
            value = self.convertible(self.expression(depth), type_)
        elif operator in ("/=", "%="):
            value = self.divisor(depth)
        elif operator in ("<<=", ">>="):
            value = self.distance(depth, type_)
        else:
            value = self.integer(depth)
        return whole(f"{name} {operator} {self.operand(value, ASSIGN)}", type_, ASSIGN, value)

    def step(self, name: str, type_: CType) -> Expression:
        """What a variable holds before or after a step by one, in any type but `bool`, which has none."""
        sign = self.random.choice(("++", "--"))
        before = self.random.random() < 0.5
        return Expression(f"{sign}{name}" if before else f"{name}{sign}", type_, UNARY)

    def assignment(self, depth: int) -> Expression:
        """Something that changes a variable of its own: once, twice, or on a condition."""
        type_ = self.random.choice(TYPES)
        initial = self.convertible(self.leaf(), type_)
        name, declared = self.local(type_, initial.text)
        one, other = (self.change(depth - 1, name, type_) for _ in range(2))
        if type_ is not BOOL and self.random.random() < 0.3:
            one = self.step(name, type_)
        condition = self.expression(depth - 1)
        text, binds, used = self.random.choice((
            (one.text, one.binds, (one,)),
            (one.text, one.binds, (one,)),
            (f"{one.text}, {name}", COMMA, (one,)),
            (f"{one.text}, {other.text}", COMMA, (one, other)),
            (f"{condition.within(AND)} && ({one.text}), {name}", COMMA, (condition, one)),
            (f"{condition.within(OR)} || ({one.text}), {name}", COMMA, (condition, one)),
            (f"{condition.within(OR)} ? {one.text} : ({other.text}), {name}", COMMA, (condition, one, other)),
        ))  # fmt: skip
        # what changes the variable cannot stand alone, but its operand can
        parts = [alone for part in used for alone in ((part,) if part is condition else part.parts)]
        return whole(text, type_, binds, initial, *parts, declared=(declared,))

    def chain(self, depth: int) -> Expression:
        """The second variable holds what is left in the first, which may be narrower."""
        first, second = self.random.choice(INTEGERS), self.random.choice(TYPES)
        value = self.convertible(self.expression(depth), first)
        (one, declared), (other, too) = self.local(first, "0"), self.local(second, "0")
        text = f"{other} = {one} = {self.operand(value, ASSIGN)}"
        return whole(text, second, ASSIGN, value, declared=(declared, too))

    def scaled(self, depth: int) -> Expression:
        """An integer changed by a float: worked out in floating point, then cut off."""
        type_ = self.random.choice(INTEGERS)
        small = self.integer(depth - 1)
        name, declared = self.local(type_, "0")
        change = self.random.choice(("*= 0.5f", "+= 2.75", "/= 4.0f", "*= 1.5", "/= 3.0"))
        text = f"{name} = {small.within(BIT_AND)} & 15, {name} {change}"
        return whole(text, type_, COMMA, small, declared=(declared,))


@dataclass(frozen=True)
class Case:
    """Expression number `index` of those that are stored as `type`: a statement of a kernel."""

    expression: Expression
    type: CType
    index: int

    def text(self, rows: int) -> str:
        """A block that loads what the expression names, and stores what it gives at `[index][row]`."""
        loads = (
            f"const {type_.name} {type_.letter}{column} = in_{type_.word}[{column * rows} + row];"
            for type_, column in sorted(
                self.expression.variables, key=lambda known: (known[0].letter, known[1])
            )
        )
        place = f"out_{self.type.word}[{self.index * rows} + row]"
        lines = (*loads, *self.expression.locals, f"{place} = {self.expression.within(ASSIGN)};")
        return "  {\n    " + "\n    ".join(lines) + "\n  }"


PARAMETERS = tuple(
    f"{constant}{type_.name}* {way}_{type_.word}"
    for way, constant in (("in", "const "), ("out", ""))
    for type_ in TYPES
)
