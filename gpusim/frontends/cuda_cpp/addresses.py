"""Where does an object lie? In an array, at a distance from its start; what does an access need of that?"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from gpusim.devices import Device
from gpusim.errors import KernelTypeError, UnsupportedConstruct
from gpusim.frontends import fold
from gpusim.frontends.cuda_cpp import values
from gpusim.frontends.cuda_cpp.frame import Frame
from gpusim.frontends.cuda_cpp.layout import leaves, scalar_of
from gpusim.frontends.cuda_cpp.types import CType, Struct, bare
from gpusim.frontends.flow import Again
from gpusim.frontends.site import Site
from gpusim.ir import instructions
from gpusim.ir.builder import Builder
from gpusim.ir.instructions import ArrayOperand, Constant, Geometry, Opcode, Operand, Register
from gpusim.ir.types import PRED, S64, U64, Element, Scalar, Space
from gpusim.source import Span

if TYPE_CHECKING:
    from gpusim.frontends.cuda_cpp.recursion import Activation


class Addresses:
    """Arithmetic of addresses and numbers on the way into an instruction.

    `frame` is the function being lowered and `at` the place in it. `choices` says how those variables are
    held whose usual form did not do. What was met so far: `symbols` of the device and `dynamic` shared
    arrays, each with its array; `structs` in registers, by key; `registers` of variables. `activations` are
    the functions that call themselves and are being lowered, by their definitions.
    """

    def __init__(self, builder: Builder, device: Device, choices: dict[Any, str], frame: Frame) -> None:
        self.builder, self.device, self.choices, self.frame = builder, device, choices, frame
        self.warp_size = device.warp_size
        self.symbols: dict[str, ArrayOperand] = {}
        self.dynamic: dict[Any, ArrayOperand] = {}
        self.structs: dict[Any, values.StructPlace] = {}
        self.registers: list[Register] = []
        self.activations: dict[int, Activation] = {}
        self._parts: dict[Any, ArrayOperand] = {}
        self.at = Span(builder.source, builder.source.first_line)

    def wrong(self, message: str, hint: str = "") -> KernelTypeError:
        """The program is wrong here."""
        return KernelTypeError(message, self.at, hint)

    def refused(self, what: str, hint: str = "") -> UnsupportedConstruct:
        """The program is right, but what stands here is not for kernels."""
        return UnsupportedConstruct(f"{what} is not supported in a kernel", self.at, hint)

    def site(self, span: Span) -> Site:
        """Where instructions that come from there go, and lanes that leave."""
        return Site(self.builder, span, self.frame.exits)

    def choose(self, key: Any, choice: str) -> NoReturn:
        """Start again with another representation of a variable."""
        assert self.choices.get(key) != choice, (key, choice)
        self.choices[key] = choice
        raise Again

    def into_memory(self, place: values.Place | None) -> NoReturn:
        """The address of this variable is used as a number: it must live in memory."""
        assert isinstance(place, values.RegisterPlace | values.StructPlace)
        self.choose(place.key if isinstance(place, values.StructPlace) else place.variable.owner, "memory")

    def access(self, address: values.Address, element: Scalar, span: Span) -> instructions.Place:
        """Where does an access of such an element go, as instructions say it?"""
        region = address.region
        if isinstance(region, values.RegisterPlace | values.StructPlace):
            self.into_memory(region)
        if region is None:
            number = self.as_number(address, span)
            return instructions.Place(self._part(None, element, 0), address=number)
        assert isinstance(region, ArrayOperand)
        indices = self._indices(region, address, element)
        if indices is not None:
            return instructions.Place(region, indices)
        strides = tuple(Constant(stride, S64) for _, stride in address.terms)
        part, indices = self._part(region, element, len(strides)), tuple(one for one, _ in address.terms)
        return instructions.Place(part, indices, Geometry(Constant(address.shift, S64), strides))

    def _part(self, region: ArrayOperand | None, element: Scalar, dimensions: int) -> ArrayOperand:
        key = region, element, dimensions
        if key not in self._parts:
            name, space = ("*", Space.GENERIC) if region is None else (region.name, region.space)
            self._parts[key] = ArrayOperand(name, element, dimensions, space, root=region, pointer=True)
        return self._parts[key]

    @staticmethod
    def _indices(
        region: ArrayOperand, address: values.Address, element: Element
    ) -> tuple[Operand, ...] | None:
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

    def as_number(self, address: values.Address, span: Span) -> Operand:
        """The 64-bit address."""
        if isinstance(address.region, values.RegisterPlace | values.StructPlace):
            self.into_memory(address.region)
        if isinstance(address.region, ArrayOperand):
            where = instructions.Place(address.region)
            base = self.builder.value(Opcode.ADDRESS, U64, (), span, place=where)
            address = replace(address, region=None, terms=((base, 1), *address.terms))
        total = self.scaled(address, 1, span, U64)
        assert total is not None
        return total

    def scaled(self, address: values.Address, unit: int, span: Span, type_: Scalar = S64) -> Operand | None:
        """How many units from the start of its region? None where it is not a whole number."""
        if address.shift % unit or any(stride % unit for _, stride in address.terms):
            return None
        total: Operand | None = None
        for operand, stride in address.terms:
            term = self.cast(operand, type_, span)
            if stride != unit:
                factor = fold.constant(stride // unit, type_)
                if isinstance(term, Constant):
                    term = fold.constant(term.value * factor.value, type_)
                else:
                    term = self.builder.value(Opcode.MUL, type_, (term, factor), span)
            total = term if total is None else self.builder.value(Opcode.ADD, type_, (total, term), span)
        distance = fold.constant(address.shift // unit, type_)
        if total is None:
            return distance
        if address.shift:
            total = self.builder.value(Opcode.ADD, type_, (total, distance), span)
        return total

    def frozen(self, address: values.Address) -> values.Address:
        """The same place, also after the variables that it was computed from have changed."""
        return replace(address, terms=tuple((self.copied(one), stride) for one, stride in address.terms))

    def copied(self, operand: Operand) -> Operand:
        """A value that later assignments to the variable it came from do not change."""
        kept = fold.copied(self.site(self.at), operand)
        if kept is not operand:
            self.builder.hold(kept)
        return kept

    def move(self, operand: Operand, into: Register, span: Span, among_last: int = 1) -> None:
        """Assign to a register; the instruction that made the value, among the last, may do it itself."""
        if operand is into or not self.builder.retarget(operand, into, among_last):
            fold.move(self.site(span), operand, into)

    def cast(self, operand: Operand, scalar: Scalar, span: Span) -> Operand:
        """The number in another type, as a cast of C does it."""
        if scalar is PRED:
            return fold.truth(self.site(span), operand)
        return fold.cast(self.site(span), operand, scalar)

    def bits(self, operand: Operand, scalar: Scalar, span: Span) -> Operand:
        """The same bits as another type of the same width."""
        if operand.type is scalar:
            return operand
        if isinstance(operand, Constant):
            number = np.asarray(operand.value).astype(operand.type.dtype).view(scalar.dtype)[()]
            return Constant(number.item(), scalar)
        return self.builder.value(Opcode.REINTERPRET, scalar, (operand,), span)

    def spot(self, address: values.Address, type_: CType) -> values.Place | None:
        """The variable, or the member of one, that an address of a register means; None if it is not one."""
        place = address.region
        if address.terms or not isinstance(place, values.RegisterPlace | values.StructPlace):
            return None
        if isinstance(place, values.RegisterPlace):
            fits = address.shift == 0 and place.type.size == type_.size and scalar_of(type_) is not None
            return place if fits else None
        struct = bare(place.type)
        if address.shift == 0 and struct is bare(type_):
            return place
        return self.part(place, address.shift, type_)

    def part(self, place: values.StructPlace, offset: int, type_: CType) -> values.Place | None:
        """The member at this offset."""
        inner = bare(type_)
        known = {leaf.offset: part for leaf, part in zip(leaves(place.type), place.leaves, strict=True)}
        wanted = list(leaves(inner))
        found = tuple(known[offset + leaf.offset] for leaf in wanted if offset + leaf.offset in known)
        if [one.type.size for one in found] != [leaf.type.size for leaf in wanted]:
            return None
        return values.StructPlace(type_, found, place.key) if isinstance(inner, Struct) else found[0]
