"""What decides where lanes go? `&&`, `||`, `!`, and `c ? a : b`: branches, or both sides and a choice."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from clang.cindex import Cursor, CursorKind

from gpusim.frontends import flow, fold
from gpusim.frontends.cuda_cpp import changed, clang, conversions, operators, types, values
from gpusim.frontends.cuda_cpp.lowering import Lowering
from gpusim.frontends.cuda_cpp.types import BOOL, VOID, bare
from gpusim.ir.instructions import Constant, Opcode, Operand
from gpusim.ir.types import PRED

K = CursorKind
PURE = (
    K.INTEGER_LITERAL, K.FLOATING_LITERAL, K.CHARACTER_LITERAL, K.STRING_LITERAL, K.CXX_BOOL_LITERAL_EXPR,
    K.CXX_NULL_PTR_LITERAL_EXPR, K.BINARY_OPERATOR, K.UNARY_OPERATOR, K.PAREN_EXPR, K.UNEXPOSED_EXPR,
    K.CONDITIONAL_OPERATOR, *clang.CASTS, K.MEMBER_REF_EXPR, K.DECL_REF_EXPR, K.CXX_UNARY_EXPR,
    K.CXX_THIS_EXPR,
)  # fmt: skip
CHANGES = {K.UNARY_OPERATOR: ("*", *changed.STEPS), K.BINARY_OPERATOR: ("=",)}
PARENTHESES = (K.PAREN_EXPR,)
LOGICAL = {"&&": Opcode.AND, "||": Opcode.OR}
Given = Callable[[Cursor], values.Result]


def in_memory(result: values.Result) -> bool:
    """Does it take a load to read it?"""
    return isinstance(result, values.Place) and not result.in_registers


def only_computes(low: Lowering, cursor: Cursor) -> bool:
    """Does evaluating it read no memory, call nothing and change nothing?"""
    kind = cursor.kind
    if not kind.is_expression():
        return True  # the name of a type
    if kind not in PURE:
        return False
    declaration = cursor.referenced if kind is K.DECL_REF_EXPR else None
    if kind is K.CXX_UNARY_EXPR or (kind is K.DECL_REF_EXPR and declaration is None):
        return True
    if declaration is not None:
        if declaration.kind in (K.ENUM_CONSTANT_DECL, K.FUNCTION_DECL) or low.unit.is_special(declaration):
            return True
        found = low.frame.find(declaration.hash)
        return found is not None and not in_memory(found)
    if kind is K.MEMBER_REF_EXPR:
        owner = next(iter(clang.children(cursor)), None)
        if owner is None and (low.frame.this is None or in_memory(low.frame.this)):
            return False
        if owner is not None and isinstance(bare(low.type(owner)), types.Pointer):
            return False
    if kind in (K.UNARY_OPERATOR, K.BINARY_OPERATOR) and clang.sign(cursor) in CHANGES[kind]:
        return False
    return all(only_computes(low, child) for child in clang.children(cursor))


def operands(cursor: Cursor, sign: str) -> list[Cursor]:
    """`a && b && c` has three."""
    inner = clang.inner(cursor, PARENTHESES)
    if inner.kind is K.BINARY_OPERATOR and clang.sign(inner) == sign:
        left, right = clang.children(inner)
        return [*operands(left, sign), *operands(right, sign)]
    return [cursor]


def flag(low: Lowering, cursor: Cursor) -> Operand:
    return conversions.truth(low, low.value(cursor))


def condition(low: Lowering, cursor: Cursor, then: int, otherwise: int) -> None:
    with low.whole():
        ends = branches(low, cursor, then, otherwise)
    if ends is not None:
        flow.branch(low.site, ends, then, otherwise)


def branches(low: Lowering, cursor: Cursor, then: int, otherwise: int) -> Operand | None:
    """Branch on an expression, with one branch for each part that must not always run.

    An expression that leaves objects to end behind it is a value instead.
    """
    key, before = ("value", low.frame.path, clang.begin(cursor)), len(low.full.objects)
    if key in low.choices:
        return low.copied(flag(low, cursor))

    def part(one: Cursor) -> Operand:
        decided = flag(low, one)
        if len(low.full.objects) > before:
            low.choose(key, "value")
        return decided

    def parting(one: Cursor, then: int, otherwise: int) -> None:
        inner = clang.inner(one, PARENTHESES)
        site = low.site_of(inner)
        sign = clang.sign(inner) if inner.kind in (K.UNARY_OPERATOR, K.BINARY_OPERATOR) else ""
        if sign == "!":
            parting(clang.children(inner)[0], otherwise, then)
        elif sign in LOGICAL:
            runs = flow.runs(operands(inner, sign), partial(only_computes, low))
            flow.short_circuit(site, sign == "&&", [partial(run, sign, one) for one in runs], then, otherwise)
        else:
            flow.branch(site, part(inner), then, otherwise)

    def run(sign: str, together: list[Cursor], then: int, otherwise: int) -> None:
        if len(together) == 1:
            parting(together[0], then, otherwise)
            return
        joined: Operand = Constant(sign == "&&", PRED)
        for one in together:
            decided = part(one)
            joined = fold.joined(low.site, LOGICAL[sign], joined, decided)
        flow.branch(low.site, joined, then, otherwise)

    parting(cursor, then, otherwise)
    return None


def logical(low: Lowering, cursor: Cursor) -> values.Value:
    (left, right), opcode = clang.children(cursor), LOGICAL[clang.sign(cursor)]
    site, first = low.site, flag(low, left)
    if isinstance(first, Constant):
        decides = first.value is not (opcode is Opcode.AND)
        return values.NumberValue(BOOL, first if decides else flag(low, right))
    if only_computes(low, right):
        return values.NumberValue(BOOL, fold.joined(site, opcode, first, flag(low, right)))
    result = low.builder.temporary(PRED)
    low.builder.hold(result, first)

    def second() -> None:
        with low.perhaps():
            fold.move(site, flag(low, right), result)

    puts = [lambda: fold.move(site, first, result), second]
    flow.in_turn(site, opcode is Opcode.AND, puts, lambda: result)
    return values.NumberValue(BOOL, result)


def conditional(low: Lowering, cursor: Cursor) -> values.Result:
    """`c ? a : b`: both sides and a choice where they only compute, else branches."""
    test, one, other = clang.children(cursor)
    type_ = bare(low.type(cursor))
    if isinstance(type_, types.FunctionType | types.Array):  # where does one of two arrays begin?
        type_ = types.Pointer(type_ if isinstance(type_, types.FunctionType) else type_.element)
    simple = only_computes(low, one) and only_computes(low, other)
    decided: Operand | None = None
    if only_computes(low, test) or simple:
        decided = flag(low, test)
        if isinstance(decided, Constant):
            return low.evaluate(one if decided.value else other)
        if simple:
            low.builder.hold(decided)
            sides = [conversions.converted(low, low.pointed(low.value(side)), type_) for side in (one, other)]
            low.go_to(cursor)
            return operators.selected(low, decided, sides[0], sides[1])
    return _parted(low, cursor, type_, decided, low.value)


def without_middle(low: Lowering, cursor: Cursor) -> values.Result:
    """GNU's `a ?: b`: `a` where that is not zero; it is evaluated once."""
    first, *_, other = clang.children(cursor)
    site, outcome = low.site, _outcome(low, cursor, low.type(cursor), "?:")
    outcome.put(low.pointed(low.value(first)), cursor)
    decided = conversions.truth(low, low.read(outcome.found()))

    def put() -> None:
        with low.perhaps():
            outcome.put(low.value(other), cursor)

    sides = [flow.Side(lambda: None, site.span), flow.Side(put, site.span)]
    flow.choose(site, partial(flow.branch, site, decided), sides)
    return outcome.found()


def _outcome(low: Lowering, cursor: Cursor, type_: types.CType, sign: str = "?") -> conversions.Outcome:
    return conversions.Outcome(low, type_, "?", (low.frame.path, clang.begin(cursor), sign))


def _parted(
    low: Lowering, cursor: Cursor, type_: types.CType, decided: Operand | None, given: Given
) -> values.Result:
    """What is `given` by the side that runs."""
    test, *sides = clang.children(cursor)
    site, outcome = low.site_of(cursor), _outcome(low, cursor, type_)

    def choose(then: int, otherwise: int) -> None:
        flag = branches(low, test, then, otherwise) if decided is None else decided
        if flag is not None:
            flow.branch(site, flag, then, otherwise)

    def put(side: Cursor) -> None:
        with low.perhaps():
            outcome.put(given(side), side)

    flow.choose(site, choose, [flow.Side(partial(put, side), site.span) for side in sides])
    low.at = site.span
    return outcome.found()


def chosen_place(low: Lowering, cursor: Cursor) -> values.Result:
    """`(c ? a : b) = d`: one of two objects, by its address."""
    test, *both = clang.children(cursor)
    if not all(_only_names(low, side) for side in both):
        return _parted(low, cursor, types.Reference(low.type(cursor)), None, partial(_place, low))
    decided = flag(low, test)
    sides = [_place(low, side) for side in both]
    if isinstance(decided, Constant):
        return sides[0 if decided.value else 1]
    pointers = [operators.address_of(low, side) for side in sides]
    low.go_to(cursor)
    return values.Place(sides[0].type, operators.selected_address(low, decided, pointers[0], pointers[1]))


def _place(low: Lowering, cursor: Cursor) -> values.Place:
    found = place_of(low, cursor)
    assert isinstance(found, values.Place)
    return found


def _only_names(low: Lowering, cursor: Cursor) -> bool:
    """Does it say where an object is, without reading memory or changing anything?"""
    if cursor.kind is K.DECL_REF_EXPR:
        return True
    naming = cursor.kind in (K.ARRAY_SUBSCRIPT_EXPR, K.MEMBER_REF_EXPR, K.PAREN_EXPR)
    if naming or (cursor.kind is K.UNARY_OPERATOR and clang.sign(cursor) == "*"):
        return all(_only_names(low, one) or only_computes(low, one) for one in clang.children(cursor))
    inner = clang.children(cursor)[-1] if cursor.kind is K.UNEXPOSED_EXPR else None
    if inner is not None and isinstance(bare(low.type(inner)), types.Array):
        return _only_names(low, inner)
    return only_computes(low, cursor)


def place_of(low: Lowering, cursor: Cursor) -> values.Result:
    """An expression that may name an object, be it a choice of two."""
    inner = clang.inner(cursor, PARENTHESES)
    while inner.kind is K.UNEXPOSED_EXPR and len(below := clang.children(inner)) == 1:  # it becomes const
        if not types.alike(low.type(inner), low.type(below[0])):
            break
        inner = clang.inner(below[0], PARENTHESES)
    if inner.kind is K.CONDITIONAL_OPERATOR and bare(low.type(inner)) is not VOID:
        _test, one, other = clang.children(inner)
        with low.aside():
            objects = all(isinstance(place_of(low, side), values.Place) for side in (one, other))
        if objects:
            return chosen_place(low, inner)
    return low.evaluate(cursor)
