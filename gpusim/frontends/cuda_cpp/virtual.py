"""Which method does an object of a derived class have? A number in its first bytes says which class it is of.

The number stands for a class and for one of the places in it where a base with virtual methods begins. It is
made of the name, so that one kernel may call methods of objects that another one made. What a pointer to a
function holds is a number, too, and finds what is called in the same way.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from zlib import crc32

from clang.cindex import Cursor, CursorKind, TypeKind

from gpusim.frontends import flow, fold
from gpusim.frontends.cuda_cpp import clang, types, values
from gpusim.frontends.cuda_cpp.asking import OVERRIDER
from gpusim.frontends.cuda_cpp.conversions import Outcome, based
from gpusim.frontends.cuda_cpp.inlining import again, parameters_of, results_of
from gpusim.frontends.cuda_cpp.layout import leaves
from gpusim.frontends.cuda_cpp.lowering import Lowering
from gpusim.frontends.cuda_cpp.type_reader import TABLE, has_table
from gpusim.frontends.cuda_cpp.types import CType, Struct, struct_of
from gpusim.frontends.cuda_cpp.values import NumberValue, Place, Result, Results, StructValue
from gpusim.ir.instructions import Constant, Opcode
from gpusim.ir.types import U64

K = CursorKind
Run = Callable[[], Result | None]
Ways = Sequence[tuple[int, Run]]
Method = Callable[[Cursor, Place], Result | None]
_WHY = "one that the host made has no methods here, nor has one that ended"
NONE = f"a virtual method of an object that has none: {_WHY}"


def number_of(low: Lowering, struct: Struct, offset: int) -> int:
    """What stands so many bytes into an object of this class."""
    low.unit.classes.note(struct)
    name = f"{struct.name} {clang.begin(low.unit.types.declarations[struct])} {offset}"
    return crc32(name.encode()) + 1


def _mark(low: Lowering, struct: Struct, offset: int) -> NumberValue:
    return NumberValue(types.ULONG, Constant(number_of(low, struct, offset), U64))


def marked(low: Lowering, place: Place) -> None:
    """The object is of the class of `place` from now on."""
    struct = struct_of(place.type)
    for field in (struct.fields or ()) if has_table(struct) else ():
        if field.name.endswith(TABLE):
            low.write(place.part(field.offset, types.ULONG), _mark(low, struct, field.offset))


def as_class(
    low: Lowering, value: StructValue, struct: Struct, own: StructValue | None = None
) -> StructValue:
    """A copy of an object is of its own class; one that is assigned to, `own`, stays what it is."""
    if not has_table(struct):
        return value
    parts = list(value.leaves)
    for place, leaf in enumerate(leaves(struct)):
        if leaf.name.endswith(TABLE):
            parts[place] = own.leaves[place] if own else _mark(low, struct, leaf.offset)
    return StructValue(struct, tuple(parts))


def is_dynamic(function: Cursor, callee: Cursor) -> bool:
    """Does the object decide which method runs? Not one that is named itself, nor where the class is named.

    `callee` is `owner.method`, or the owner itself, of an operator.
    """
    if not function.is_virtual_method():
        return False
    owner: Cursor | None = callee
    if callee.kind is K.MEMBER_REF_EXPR and callee.referenced.kind is not K.FIELD_DECL:
        parts = clang.children(callee)
        space = any(
            not part.kind.is_expression() for part in parts
        )  # none, where it is a template's parameter
        space = space or re.search(r"::\s*(operator\W+|\w+)$", clang.text(callee)) is not None
        if function.kind is not K.DESTRUCTOR and space:
            return False  # Base::method()
        owner = next((part for part in parts if part.kind.is_expression()), None)
    owner = owner and clang.inner(owner)
    if owner is None or owner.kind not in (K.DECL_REF_EXPR, K.MEMBER_REF_EXPR) or owner.referenced is None:
        return True
    return owner.referenced.type.get_canonical().kind is not TypeKind.RECORD


def overrider(low: Lowering, struct: Struct, function: Cursor) -> Cursor | None:
    """What a virtual method is in a class that is derived from its own, perhaps by way of others."""
    below = clang.children(low.unit.types.declarations[struct])
    if function.kind is K.DESTRUCTOR:
        return function
    if not below:
        given = [one.type.get_canonical().spelling for one in parameters_of(function)]
        const, comma = "const " * function.is_const_method(), ", " * bool(given)
        words = {"method": str(function.spelling), "const": const, "comma": comma}
        return low.unit.answers.called(OVERRIDER, struct.name, given, **words)
    alike = (one for one in below if (one.kind, one.spelling) == (function.kind, function.spelling))
    inherited = (overrider(low, base, function) for base in struct.bases)
    own = (child for child in alike if _signature(child) == _signature(function))
    return next(own, None) or next((found for found in inherited if found is not None), None)


def _signature(function: Cursor) -> tuple[object, ...]:
    given = tuple(one.get_canonical().spelling for one in function.type.argument_types())
    return (*given, function.is_const_method())


def dispatch(low: Lowering, this: Place, function: Cursor, run: Method, type_: CType = types.VOID) -> Result:
    """Run the method that an object has, on the whole object; what that gives."""
    struct = struct_of(this.type)
    number = low.read(this.part(0, types.ULONG))
    assert isinstance(number, NumberValue)

    def one(whole: Struct, offset: int, found: Cursor) -> Result | None:
        """The method runs on that part of the object in which it was declared."""
        if isinstance(this.address.region, values.Variable) and whole is not struct:
            low.into_memory(this.address.region)
        place = Place(whole, this.address.moved(-offset))
        home = low.unit.types.read(found.semantic_parent.type)
        return run(found, place if found.kind is K.DESTRUCTOR or home is whole else based(low, place, home))

    ways = list[tuple[int, Run]]()
    for whole in low.unit.classes.derived(struct):  # those that the object may be of
        for offset in low.unit.types.subobjects(whole, struct):
            found = overrider(low, whole, function)
            if found is not None and not found.is_pure_virtual_method():
                ways.append((number_of(low, whole, offset), partial(one, whole, offset, found)))
    return one_of(low, number, ways, NONE, type_)


def by_number(
    low: Lowering,
    number: NumberValue,
    signature: types.FunctionType,
    call: tuple[Sequence[Cursor], Cursor],
    fits: Callable[[Cursor], bool],
    run: Callable[[Cursor, Results], Result],
    otherwise: str,
) -> Result:
    """A call, with arguments, at a cursor, of the function of this number: of each that it may be."""
    arguments, cursor = call
    if isinstance(number.operand, Constant) and (known := low.unit.numbered(int(number.operand.value))):
        return run(known, results_of(low, known, arguments))
    low.unit.find_functions()
    results = [again(low, low.evaluate(argument)) for argument in arguments]
    fitting = (one for one in low.unit.functions.values() if fits(one))
    alike = (one for one in fitting if low.unit.types.read(one.type) == signature)
    ways = [(low.unit.number_of(one), partial(run, one, results)) for one in alike]
    low.go_to(cursor)
    return one_of(low, number, ways, otherwise, signature.result)


def one_of(
    low: Lowering, number: NumberValue, ways: Ways, otherwise: str, type_: CType = types.VOID
) -> Result:
    """What one of several functions gives: that with this number. Any other number ends the launch."""
    site, outcome = low.site, Outcome(low, type_, "called", (low.frame.path, low.at, "called"))
    low.unit.dispatched = True
    low.builder.hold(number.operand)

    def settle(run: Run) -> None:
        if (given := run()) is not None:
            outcome.put(given)

    def choose(ways: Ways) -> None:
        if not ways:
            flow.trapped(site, otherwise)
            return
        (key, run), *rest = ways

        def test(then: int, other: int) -> None:
            same = fold.compared(site, Opcode.EQ, number.operand, Constant(key, number.operand.type))
            flow.branch(site, same, then, other)

        sides = [partial(settle, run), partial(choose, rest)]
        flow.choose(site, test, [flow.Side(side, site.span) for side in sides])

    choose(ways)
    low.at = site.span
    return outcome.found()
