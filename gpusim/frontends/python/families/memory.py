"""What do functions of `cuda` do with arrays? Declare storage, load past a cache, change atomically."""

from __future__ import annotations

import ast

import numpy as np

from gpusim.frontends import collectives
from gpusim.frontends.python.arrays import element_named
from gpusim.frontends.python.assignments import check_writable
from gpusim.frontends.python.builtins.groups import MAX_THREADS
from gpusim.frontends.python.constants import is_literal
from gpusim.frontends.python.families.call import Call
from gpusim.frontends.python.indices import element_of, extent, loaded, part
from gpusim.frontends.python.values import (
    STORAGE,
    IntMember,
    Item,
    Static,
    Value,
    View,
    described,
    is_object,
    is_tuple,
    known_integer,
    to_keep,
    whole,
)
from gpusim.ir.details import CacheOperator, Scope
from gpusim.ir.instructions import ArrayOperand, Constant, Opcode
from gpusim.ir.types import S32, S64, U32, Space

INTEGERS, UNSIGNED = "iu", "u"
# what Numba lets an atomic work on, as NumPy's kinds of types; the others take floats, too
KINDS = {
    Opcode.ATOMIC_AND: INTEGERS, Opcode.ATOMIC_OR: INTEGERS, Opcode.ATOMIC_XOR: INTEGERS,
    Opcode.ATOMIC_CAS: INTEGERS, Opcode.ATOMIC_EXCHANGE: INTEGERS,
    Opcode.ATOMIC_INC: UNSIGNED, Opcode.ATOMIC_DEC: UNSIGNED,
}  # fmt: skip
PYTHONS = (bool, int, float, complex)  # in Numba, these are no types of elements
NAMED = {"i": "int32, int64", "u": "uint32, uint64", "f": "float32, float64"}


def storage(call: Call) -> Value:
    """A shared array of length 0 is dynamic: it has all the bytes that the launch adds."""
    shape, dtype, alignment = call.arguments
    space: Space = call.called.detail
    given = shape if isinstance(shape, tuple) else (shape,)
    known = [known_integer(call.lowering.literal(extent)) for extent in given]
    extents = tuple(extent or 0 for extent in known)
    dynamic = space is Space.SHARED and known == [0]
    if min(extents, default=0) < 1 and not dynamic:
        hint = "use numbers, or names defined outside the kernel"
        raise call.wrong(f"the shape of a {space.value} array is not a positive constant", hint)
    alignment_bytes = (
        1 if is_object(alignment, None) else known_integer(call.lowering.literal(alignment)) or 0
    )
    if alignment_bytes < 1 or alignment_bytes.bit_count() != 1:
        raise call.wrong("an alignment is a power of two", "write a constant, for example alignment=128")
    for name, place in (("shape", 0), ("alignment", 2)):
        written = [
            *call.node.args[place : place + 1],
            *(one.value for one in call.node.keywords if one.arg == name),
        ]
        if not all(is_literal(call.lowering, node) for node in written if not isinstance(node, ast.Starred)):
            hint = "write `SIZE = …` outside the kernel, and name SIZE here"
            call.here_only(f"the {name} of a {space.value} array is computed", hint)
    element = element_named(call.lowering, dtype, call.node)
    for one in PYTHONS:
        if is_object(dtype, one):
            hint = f"name NumPy's type: np.{np.dtype(one).type.__name__}"
            call.here_only(f"elements of Python's {one.__name__}", hint)
    if any(isinstance(extent, IntMember) for extent in given):
        call.here_only("a member of an enumeration in a shape", "take its .value")
    if dynamic:
        return whole(ArrayOperand(STORAGE, element, 1, space))
    return whole(call.site.builder.reserve(STORAGE, element, extents, space, alignment_bytes))


def const_array_like(call: Call) -> Value:
    """An array that is in constant memory already, as all arrays from outside are."""
    (array,) = call.arguments
    if not isinstance(array, View) or array.array.space is not Space.CONSTANT:
        hint = "name a NumPy array defined outside the kernel"
        raise call.wrong(f"{described(array)} is not an array known when the kernel is compiled", hint)
    return array


def cached(call: Call) -> Value:
    """A load, or a store where there is a value, with a cache operator."""
    array, index, *values = call.arguments
    view, operator = part(call.lowering, array, index, call.node), call.called.detail
    if view.array.space not in (Space.GLOBAL, Space.GENERIC):
        what = f"{view.array.name!r} is {view.array.space.value} memory; caches are of global memory"
        raise call.wrong(what, "index it as usual")
    element = element_of(call.lowering, view, call.node)
    if not values:
        return loaded(call.lowering, view, call.node, cache=operator)
    place = view.place
    call.site.builder.store(place, call.convert(values[0], element), call.site.span, operator)
    return Static(None)


def store_async(call: Call) -> Value:
    """A store on its way, of what was loaded: from global to shared memory, in words of 4, 8 or 16 bytes."""
    array, index, number = call.arguments
    view = part(call.lowering, array, index, call.node)
    check_writable(call.lowering, view, call.node)
    element = element_of(call.lowering, view, call.node)
    on_its_way = view.array.space is Space.SHARED and element.bytes >= S32.bytes
    operator = CacheOperator.ASYNC if on_its_way else None
    place = view.place
    call.site.builder.store(place, call.convert(number, element), call.site.span, operator)
    return Static(None)


def effect(call: Call) -> Value:
    """An instruction without a result, of numbers that are counts."""
    operands = tuple(call.convert(number, U32) for number in call.arguments)
    call.site.builder.effect(call.called.detail, U32, operands, call.site.span)
    return Static(None)


def of_warps(call: Call) -> Value:
    """An array in shared memory with a place for each warp that a block can have; one for each type."""
    type_, places = call.numbers()[0].type, MAX_THREADS // call.lowering.warp_size
    arrays = call.lowering.of_warps
    if type_ not in arrays:
        arrays[type_] = call.site.builder.reserve("values of warps", type_, (places,), Space.SHARED)
    return whole(arrays[type_])


def atomic(call: Call) -> Value:
    """Read, change and write an element as one; the result is what was there before."""
    opcode, (array, *arguments) = call.called.detail, call.arguments
    if len(arguments) == 2 and opcode is Opcode.ATOMIC_CAS:
        arguments.insert(0, Constant(0, S64))  # compare_and_swap names no index
    index, *values = arguments
    if is_tuple(index) and len(index) == 1:
        call.here_only("a tuple of one index for an atomic", "write the index itself")
    if isinstance(array, Item):
        call.here_only("an atomic on a record", "name the field first: cuda.atomic.add(r['a'], 0, 1)")
    view = part(call.lowering, array, index, call.node)
    element, kinds = element_of(call.lowering, view, call.node), KINDS.get(opcode, "iuf")
    check_writable(call.lowering, view, call.node)
    if element.kind not in kinds or element.bits < S32.bits:
        hint = f"use an array of {', '.join(NAMED[kind] for kind in kinds)}"
        raise call.wrong(f"{opcode.mnemonic} does not take {element.dtype}", hint)
    if call.called.scope is Scope.CTA:
        call.here_only(
            "cuda.atomic.block is ours", "cuda.atomic orders all threads; CUDA C++ has atomicAdd_block, …"
        )
    numbers = tuple(call.convert(value, element) for value in values)
    return collectives.atomic(call.site, opcode, view.place, numbers, call.called.scope)


def length(call: Call) -> Value:
    """`len(…)` of an array or a tuple."""
    (view,) = call.arguments
    if is_tuple(view):
        return Constant(len(view), S64)
    if not isinstance(view, View) or not view.dimensions:
        raise call.wrong("len() takes one array or tuple", to_keep(view))
    return extent(call.lowering, view, view.free[0], call.node)


FAMILIES = {
    "atomic": atomic, "cached": cached, "const_array_like": const_array_like, "effect": effect,
    "length": length, "of_warps": of_warps, "storage": storage, "store_async": store_async,
}  # fmt: skip
