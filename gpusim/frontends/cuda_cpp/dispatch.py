"""Which function runs where only the run knows? That with a number, which an object has, or a pointer.

A number in the first bytes of an object of a class with virtual methods stands for the class and for one of
the places in it where a base with virtual methods begins. It is made of the name, so that one kernel may call
methods of objects that another one made. A pointer to a function or method holds the number of that; one to a
variable of a class says how far on that lies in its struct.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from zlib import crc32

from clang.cindex import Cursor, CursorKind, TypeKind

from gpusim.frontends import flow, fold
from gpusim.frontends.cuda_cpp import clang, types, values
from gpusim.frontends.cuda_cpp.asking import OVERRIDER
from gpusim.frontends.cuda_cpp.conversions import Outcome, base_offset, based
from gpusim.frontends.cuda_cpp.inlining import again, inline, parameters_of, results_of
from gpusim.frontends.cuda_cpp.layout import leaves
from gpusim.frontends.cuda_cpp.lowering import Lowering
from gpusim.frontends.cuda_cpp.names import as_object
from gpusim.frontends.cuda_cpp.operators import pointee
from gpusim.frontends.cuda_cpp.type_reader import TABLE, has_table
from gpusim.frontends.cuda_cpp.types import CType, MemberPointer, Struct, bare, struct_of
from gpusim.frontends.cuda_cpp.values import NumberValue, Place, PointerValue, Result, Results, StructValue
from gpusim.ir.instructions import Constant, Opcode
from gpusim.ir.types import S64, U64

K = CursorKind
Run = Callable[[], Result | None]
Ways = Sequence[tuple[int, Run]]
Method = Callable[[Cursor, Place], Result | None]
_WHY = "one that the host made has no methods here, nor has one that ended"
NONE = f"a virtual method of an object that has none: {_WHY}"
NO_METHOD = "a pointer to a method that is null, or to none of this kernel's"
SIGNS = (".*", "->*")


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
        home = _home(low, found)
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
    arguments: Sequence[Cursor],
    cursor: Cursor,
    fits: Callable[[Cursor], bool],
    run: Callable[[Cursor, Results], Result],
    otherwise: str,
) -> Result:
    """A call of the function of this number: of each of this type that fits, where it is not known."""
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


# pointers to members ----------------------------------------------------------------------------------------


def pointer_to_member(low: Lowering, type_: MemberPointer, cursor: Cursor) -> NumberValue:
    """`&S::x`, `&S::method`."""
    member = cursor.referenced
    if type_.of_method:
        return NumberValue(type_, Constant(low.unit.number_of(member.get_definition() or member), S64))
    start = next(low.unit.types.subobjects(type_.struct, _home(low, member), nameless=True))
    return NumberValue(type_, Constant(start + member.get_field_offsetof() // 8, S64))


def is_use(cursor: Cursor) -> bool:
    """Is it `object.*pointer` or `object->*pointer`?"""
    return cursor.kind is K.BINARY_OPERATOR and clang.sign(cursor) in SIGNS


def _sides(low: Lowering, cursor: Cursor) -> tuple[Place, MemberPointer, NumberValue]:
    left, right = clang.children(cursor)
    owner = low.value(left) if clang.sign(cursor) == "->*" else low.evaluate(left)
    owner, number = pointee(owner) if isinstance(owner, PointerValue) else owner, low.value(right)
    type_ = bare(number.type)
    assert isinstance(number, NumberValue)
    assert isinstance(type_, MemberPointer)
    low.go_to(cursor)
    return based(low, as_object(low, owner), type_.struct), type_, number


def used(low: Lowering, cursor: Cursor) -> Place:
    """The variable in the object."""
    owner, type_, number = _sides(low, cursor)
    if isinstance(number.operand, Constant):
        return owner.part(int(number.operand.value), type_.target)
    if isinstance(owner.address.region, values.Variable):
        low.into_memory(owner.address.region)
    terms = (*owner.address.terms, (low.copied(number.operand), 1))
    return Place(type_.target, replace(owner.address, terms=terms))


def called(low: Lowering, use: Cursor, arguments: Sequence[Cursor], cursor: Cursor) -> Result:
    """`(object.*pointer)(…)`: of each method that it may be, by its number."""
    owner, type_, number = _sides(low, use)
    signature = bare(type_.target)
    assert isinstance(signature, types.FunctionType)

    def fits(one: Cursor) -> bool:
        method = one.kind is K.CXX_METHOD and low.unit.types.read(one.type) == signature
        return method and base_offset(low, type_.struct, _home(low, one)) is not None

    run = partial(_run, low, owner, cursor)
    return by_number(low, number, signature, arguments, cursor, fits, run, NO_METHOD)


def _home(low: Lowering, member: Cursor) -> Struct:
    return struct_of(low.unit.types.read(member.semantic_parent.type))


def _run(low: Lowering, owner: Place, cursor: Cursor, method: Cursor, results: Results) -> Result:
    this = based(low, owner, _home(low, method))
    if not method.is_virtual_method():
        return inline(low, method, results, this, cursor)
    result = low.unit.types.read(method.result_type)
    return dispatch(low, this, method, lambda one, at: inline(low, one, results, at, cursor), result)
