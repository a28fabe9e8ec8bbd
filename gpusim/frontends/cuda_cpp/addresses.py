"""Where does an object lie? In an array, at a distance from its start; what does an access need of that?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING

from gpusim.frontends import fold
from gpusim.frontends.cuda_cpp.values import Address, Variable
from gpusim.ir.instructions import ArrayOperand, Constant, Geometry, Opcode, Operand, Place
from gpusim.ir.types import S64, U64, Element, Scalar, Space

if TYPE_CHECKING:
    from gpusim.frontends.cuda_cpp.lowering import Lowering


def access(low: Lowering, address: Address, element: Scalar) -> Place:
    """Where does an access of such an element go, as instructions say it?"""
    region = address.region
    if not isinstance(region, ArrayOperand):
        number = as_number(low, address)
        return Place(_part(low, None, element, 0), address=number)
    indices = _indices(region, address, element)
    if indices is not None:
        return Place(region, indices)
    strides = tuple(Constant(stride, S64) for _, stride in address.terms)
    part, indices = _part(low, region, element, len(strides)), tuple(one for one, _ in address.terms)
    return Place(part, indices, Geometry(Constant(address.shift, S64), strides))


def _part(low: Lowering, region: ArrayOperand | None, element: Scalar, dimensions: int) -> ArrayOperand:
    key = region, element, dimensions
    if key not in low.parts:
        name, space = ("*", Space.GENERIC) if region is None else (region.name, region.space)
        low.parts[key] = ArrayOperand(name, element, dimensions, space, root=region, pointer=True)
    return low.parts[key]


def _indices(region: ArrayOperand, address: Address, element: Element) -> tuple[Operand, ...] | None:
    """One index for each dimension of the array, where the address is that of one of its elements."""
    if region.element != element or region.root is not None:
        return None
    strides, width = list[int](), element.bytes
    for extent in reversed(region.shape or (1,)):
        strides.insert(0, width)
        width *= extent
    strides = strides[-region.dimensions :] if region.dimensions else []
    given = {stride: operand for operand, stride in address.terms}
    if len(given) < len(address.terms) or not given.keys() <= set(strides) or address.shift < 0:
        return None
    rest, indices = address.shift, list[Operand]()
    for stride in strides:
        constant, rest = divmod(rest, stride)
        if stride in given and constant:
            return None
        indices.append(given.get(stride, Constant(constant, S64)))
    return None if rest else tuple(indices)


def as_number(low: Lowering, address: Address) -> Operand:
    if isinstance(address.region, Variable):
        low.into_memory(address.region)
    if isinstance(address.region, ArrayOperand):
        base = low.emit(Opcode.ADDRESS, U64, place=Place(address.region))
        address = replace(address, region=None, terms=((base, 1), *address.terms))
    total = scaled(low, address, 1, U64)
    assert total is not None
    return total


def scaled(low: Lowering, address: Address, unit: int, type_: Scalar = S64) -> Operand | None:
    """How many units from the start of its region? None where it is not a whole number."""
    if address.shift % unit or any(stride % unit for _, stride in address.terms):
        return None

    def parts() -> Iterator[Operand]:
        for operand, stride in address.terms:
            part, factor = low.cast(operand, type_), fold.constant(stride // unit, type_)
            yield part if stride == unit else fold.computed(low.site, Opcode.MUL, part, factor)
        if address.shift or not address.terms:
            yield fold.constant(address.shift // unit, type_)

    return reduce(lambda one, other: low.emit(Opcode.ADD, type_, one, other), parts())


def frozen(low: Lowering, address: Address) -> Address:
    """The same place, also after the variables that it was computed from have changed."""
    return replace(address, terms=tuple((low.copied(one), stride) for one, stride in address.terms))
