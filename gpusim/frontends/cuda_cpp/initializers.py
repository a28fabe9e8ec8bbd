"""What does `= {1, 2}`, `(1, 2)` or nothing at all make of a variable?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpusim.frontends import fold
from gpusim.frontends.cuda_cpp import types
from gpusim.frontends.cuda_cpp.access import has_array
from gpusim.frontends.cuda_cpp.expressions import Expressions
from gpusim.frontends.cuda_cpp.layout import leaves, scalar_of
from gpusim.frontends.cuda_cpp.literals import unescaped
from gpusim.frontends.cuda_cpp.syntax import entries
from gpusim.frontends.cuda_cpp.types import CHAR, Array, CType, Pointer, Struct, bare
from gpusim.frontends.cuda_cpp.values import (
    NULL,
    Address,
    MemoryPlace,
    NumberValue,
    PointerValue,
    StructValue,
    TextValue,
    Value,
)
from gpusim.ir.types import Space

if TYPE_CHECKING:
    from tree_sitter import Node


class Initializers(Expressions):
    """Initial values."""

    def listed(self, type_: CType, node: Node) -> Value:
        """The value of `{…}` for a number, a pointer or a struct; what is not given is zero."""
        inner, items = bare(type_), entries(node)
        if isinstance(inner, Struct):
            if self.has_constructor(inner) and not (items and items[0].type == "initializer_pair"):
                return self.constructed(inner, [self.value(item) for item in items], node)
            if len(items) == 1 and items[0].type not in ("initializer_list", "initializer_pair"):
                only = self.value(items[0])
                if bare(only.type or types.VOID) is inner:
                    return only
            return self.aggregate(inner, items, node)
        if isinstance(inner, Array):
            raise self.wrong("an array is initialized where it is declared", node)
        if len(items) > 1:
            raise self.wrong(f"{len(items)} values for one `{type_}`", node)
        if not items:
            return self.zero(inner)
        if items[0].type == "initializer_list":
            return self.listed(type_, items[0])
        return self.converted(self.value(items[0]), type_, items[0])

    def has_constructor(self, struct: Struct) -> bool:
        """Does the struct declare one? See `Calls`."""
        raise NotImplementedError

    def zero(self, type_: CType) -> Value:
        """The value of an object that nobody gave one: zero."""
        inner = bare(type_)
        if isinstance(inner, Struct):
            found = tuple(self.zero(leaf.type) for leaf in leaves(inner))
            return StructValue(inner, found)  # type: ignore[arg-type]
        if isinstance(inner, Pointer) and not isinstance(bare(inner.target), types.FunctionType):
            return PointerValue(inner, NULL)
        scalar = scalar_of(inner)
        assert scalar is not None
        return NumberValue(inner, fold.constant(0, scalar))

    def empty(self, type_: CType, node: Node) -> Value:
        """The value of `{}`: what stands with the members of a struct, else zero."""
        inner = bare(type_)
        if not isinstance(inner, Struct):
            return self.zero(inner)
        return (
            self.constructed(inner, [], node)
            if self.has_constructor(inner)
            else self.aggregate(inner, [], node)
        )

    def aggregate(self, struct: Struct, items: list[Node], node: Node) -> Value:
        """A struct without constructors from the values of its members."""
        if not has_array(struct):
            return self._aggregate(struct, items, node)
        place = MemoryPlace(struct, Address(self.storage(struct.name, struct, Space.LOCAL)))
        self.fill(place, node if items else None)
        return self.read(place, self.span(node))

    def _aggregate(self, struct: Struct, items: list[Node], node: Node) -> Value:
        members, parts = struct.fields or [], list[Value]()
        given: dict[str, Node] = {}
        for position, item in enumerate(items):
            if item.type == "initializer_pair":
                designator, value = item.named_children[0], item.child_by_field_name("value")
                name = self.text(designator).lstrip(".")
                assert value is not None
                if struct.field(name) is None:
                    raise self.wrong(f"`{struct.name}` has no member `{name}`", designator)
                given[name] = value
            elif position >= len(members):
                raise self.wrong(
                    f"{len(items)} values for the {len(members)} members of `{struct.name}`", item
                )
            else:
                given[members[position].name] = item
        for member in members:
            written = given.get(member.name, struct.defaults.get(member.name))
            if written is None:
                parts.append(self.empty(member.type, node))
            else:
                parts.append(self.initial(member.type, written))
        found = [part.leaves if isinstance(part, StructValue) else (part,) for part in parts]
        return StructValue(struct, tuple(leaf for group in found for leaf in group))  # type: ignore[misc]

    def initial(self, type_: CType, node: Node) -> Value:
        """The value of an initializer: `{…}` or an expression."""
        if node.type == "initializer_list":
            return self.listed(type_, node)
        return self.converted(self.value(node), type_, node)

    def fill(self, place: MemoryPlace, node: Node | None) -> None:
        """Initialize an object in memory, element by element; what is not given becomes zero."""
        inner, span = bare(place.type), self.at
        if isinstance(inner, Array):
            self._fill_array(place, inner, node)
        elif (
            isinstance(inner, Struct)
            and has_array(inner)
            and (node is None or node.type == "initializer_list")
        ):
            items = [] if node is None else entries(node)
            most = 1 if inner.is_union else len(inner.fields or ())
            if len(items) > most:
                raise self.wrong(
                    f"{len(items)} values for the {most} member(s) of `{inner.name}`", items[most]
                )
            for position, member in enumerate((inner.fields or [])[: 1 if inner.is_union else None]):
                default = inner.defaults.get(member.name)
                item = items[position] if position < len(items) else default
                self.fill(MemoryPlace(member.type, place.address.moved(member.offset)), item)
        elif node is None:
            self.store(place.address, self.empty(inner, self.unit.tree.root), span)
        else:
            self.store(place.address, self.initial(inner, node), self.span(node))

    def complete_array(self, type_: Array, node: Node) -> Array:
        """`int a[] = {1, 2}` has two elements, `char t[] = "abc"` four."""
        if type_.length is not None:
            return type_
        is_text = "string" in node.type
        return Array(type_.element, len(unescaped(self.text(node))) + 1 if is_text else len(entries(node)))

    def _fill_array(self, place: MemoryPlace, type_: Array, node: Node | None) -> None:
        length, size = type_.length or 0, type_.element.size
        if node is not None and "string" in node.type:
            self._fill_text(place, type_, node)
            return
        items = [] if node is None else entries(node)
        if items and isinstance(bare(type_.element), Array) and "initializer" not in items[0].type:
            self._fill_flat(place, type_, items)
            return
        if len(items) > length:
            raise self.wrong(f"{len(items)} values for {length} elements", items[length])
        for position in range(length):
            item = items[position] if position < len(items) else None
            self.fill(MemoryPlace(type_.element, place.address.moved(position * size)), item)

    def _fill_flat(self, place: MemoryPlace, type_: Array, items: list[Node]) -> None:
        """`int a[2][2] = {1, 2, 3, 4}`: rows without braces of their own."""
        parts = list(leaves(type_))
        if len(items) > len(parts):
            raise self.wrong(f"{len(items)} values for {len(parts)} elements", items[len(parts)])
        for position, leaf in enumerate(parts):
            item = items[position] if position < len(items) else None
            self.fill(MemoryPlace(leaf.type, place.address.moved(leaf.offset)), item)

    def _fill_text(self, place: MemoryPlace, type_: Array, node: Node) -> None:
        value = self.value(node)
        assert isinstance(value, TextValue)
        if len(value.text) + 1 > (type_.length or 0):
            hint = f"with the zero behind it, it takes {len(value.text) + 1}"
            raise self.wrong(f"the text does not fit into {type_.length} characters", node, hint)
        text = value.text + "\0" * max((type_.length or 0) - len(value.text), 0)
        for position, letter in enumerate(text[: type_.length]):
            number = NumberValue(CHAR, fold.constant(ord(letter), CHAR.scalar))
            self.store(place.address.moved(position), number, self.span(node))
