"""What does a name stand for, and what `a.b`, `a[i]`, `*p` and `&a`? Objects, as far as they have a place."""

from __future__ import annotations

import difflib
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gpusim.frontends import collectives
from gpusim.frontends.cuda_cpp import layout, type_names, types
from gpusim.frontends.cuda_cpp.conditions import Conditions
from gpusim.frontends.cuda_cpp.declarators import number_type
from gpusim.frontends.cuda_cpp.functions import builtins
from gpusim.frontends.cuda_cpp.scope import (
    Broken,
    DynamicShared,
    Function,
    HostVariable,
    Member,
    Overloads,
    Placeholder,
    Scope,
    Symbol,
    Template,
    TypeName,
)
from gpusim.frontends.cuda_cpp.syntax import child_of
from gpusim.frontends.cuda_cpp.types import (
    INT,
    UINT,
    Array,
    CType,
    Number,
    Pointer,
    Reference,
    Struct,
    bare,
    is_const,
)
from gpusim.frontends.cuda_cpp.values import (
    NULL,
    Address,
    FunctionValue,
    MemoryPlace,
    NumberValue,
    Place,
    PointerValue,
    RegisterPlace,
    Result,
    StructPlace,
    StructValue,
    Value,
    is_place,
)
from gpusim.ir.details import SpecialRegister
from gpusim.ir.instructions import ArrayOperand
from gpusim.ir.types import Space

if TYPE_CHECKING:
    from tree_sitter import Node


SPECIAL_VECTORS = {
    name: {axis: SpecialRegister(f"{register}.{axis}") for axis in "xyz"}
    for name, register in {
        "threadIdx": "tid", "blockIdx": "ctaid", "blockDim": "ntid", "gridDim": "nctaid"
    }.items()
}  # fmt: skip


class Names(Conditions):
    """Names, members, elements and what pointers point to."""

    def _identifier(self, node: Node) -> Result:
        name = self.text(node)
        found = self.scope.find(name)
        if found is None:
            found = self.library(node)
        if found is None:
            if name == "NULL":
                return PointerValue(types.NULLPTR, NULL)
            close = difflib.get_close_matches(name, [*self.scope.visible(), *SPECIAL_VECTORS], 1)
            hint = f"did you mean `{close[0]}`?" if close else "declare it, or is it a name of the host?"
            raise self.unknown_name(f"`{name}` is not declared", node, hint)
        return self.named_result(found, node)

    def named_result(self, found: Any, node: Node) -> Result:
        """What a declared name stands for in an expression."""
        match found:
            case Overloads():
                return FunctionValue(found.name, tuple(found.functions), self._method_object(found))
            case Function():
                return FunctionValue(found.name, (found,))
            case Member():
                this = self.scope.object()
                if this is None:
                    raise self.wrong(f"`{found.name}` is a member: an object is missing", node)
                return self.member(this, found.name, node)
            case Symbol():
                return self.symbol(found)
            case DynamicShared():
                return MemoryPlace(found.type, Address(self.dynamic_shared(found.name, found.type)))
            case Broken():
                raise found.error
            case HostVariable():
                hint = "pass it as an argument, or declare it `__device__` or `__constant__`"
                raise self.wrong(f"`{found.name}` is a variable of the host", node, hint)
            case TypeName() | Template():
                raise self.wrong(f"`{self.text(node)}` is a type, not a value", node)
            case Scope():
                raise self.wrong(f"`{self.text(node)}` is a namespace", node, "name something in it with ::")
            case Placeholder():
                raise self.wrong(f"`{found.name}` has no value yet", node)
        result: Result = found
        return result

    def _method_object(self, found: Overloads) -> Place | None:
        own = any(isinstance(f, Function) and f.owner is not None for f in found.functions)
        return self.scope.object() if own else None

    def library(self, node: Node) -> Any:
        """Names that need no declaration: special registers and intrinsics."""
        name = self.text(node)
        if name in SPECIAL_VECTORS:
            parts = tuple(self._special(register, UINT, node) for register in SPECIAL_VECTORS[name].values())
            return StructValue(type_names.VECTORS["uint3" if name[-1] == "x" else "dim3"], parts)
        if name == "warpSize":
            return self._special(SpecialRegister.WARPSIZE, INT, node)
        if name == "this":
            return self.scope.object()
        found = builtins.find(name, self.warp_size)
        return FunctionValue(name, found) if found else None

    def _special(self, register: SpecialRegister, type_: Number, node: Node) -> NumberValue:
        return NumberValue(type_, collectives.special(self.site(self.span(node)), register, type_.scalar))

    def _qualified_identifier(self, node: Node) -> Result:
        found = self.meaning(node)
        if found is None:
            raise self.unknown_name(f"`{self.text(node)}` is not declared", node)
        result, inner = self.named_result(found, node), node
        while inner.type == "qualified_identifier":
            inner = child_of(inner, "name")
        if inner.type == "template_function" and isinstance(result, FunctionValue):
            return replace(result, arguments=self.template_arguments(child_of(inner, "arguments")))
        return result

    def _template_function(self, node: Node) -> Result:
        name, given = child_of(node, "name"), child_of(node, "arguments")
        found = self.meaning(name) or self.library(name)
        if isinstance(found, TypeName | Template) or found is None:
            raise self.unknown_name(f"`{self.text(name)}` is not a function", name)
        value = self.named_result(found, name)
        if not isinstance(value, FunctionValue):
            raise self.wrong(f"`{self.text(name)}` is not a template", node)
        return FunctionValue(value.name, value.overloads, value.this, self.template_arguments(given))

    def _this(self, node: Node) -> Value:
        this = self.scope.object()
        if this is None:
            raise self.wrong("`this` outside of a method", node)
        return self.address_of(this, node)

    def symbol(self, symbol: Symbol) -> Place:
        """A variable of the device: an array that follows the kernel's parameters."""
        if symbol.name not in self.symbols:
            element = layout.element_of(symbol.type)
            self.symbols[symbol.name] = ArrayOperand(symbol.name, element, 1, symbol.space, pointer=True)
        return MemoryPlace(symbol.type, Address(self.symbols[symbol.name]))

    def dynamic_shared(self, name: str, type_: CType) -> ArrayOperand:
        """The shared memory that a launch adds; under whatever name, it begins at the same place."""
        element = layout.element_of(type_)
        key = name, element
        if key not in self.dynamic:
            self.dynamic[key] = ArrayOperand(name, element, 1, Space.SHARED, pointer=True)
        return self.dynamic[key]

    def _field_expression(self, node: Node) -> Result:
        argument, name = child_of(node, "argument"), child_of(node, "field")
        sign = self.text(child_of(node, "operator"))
        if argument.type == "identifier" and self.text(argument) in SPECIAL_VECTORS:
            register = SPECIAL_VECTORS[self.text(argument)].get(self.text(name))
            if self.scope.find(self.text(argument)) is None and sign == "." and register is not None:
                return self._special(register, UINT, node)
        owner = self.evaluate(argument)
        if sign == "->":
            pointer = self.read(owner, self.span(argument))
            if not isinstance(pointer, PointerValue):
                raise self.wrong(f"`->` takes a pointer, not `{pointer.type}`", node, "use `.`")
            owner = self.pointee(pointer, node)
        elif isinstance(bare(owner.type or types.VOID), Pointer):
            raise self.wrong(f"`.` takes an object, not the pointer `{owner.type}`", node, "use `->`")
        if name.type == "dependent_name":
            name = name.named_children[0]
        if name.type in ("template_method", "template_function"):
            inner = self.member(owner, self.text(child_of(name, "name")), node)
            assert isinstance(inner, FunctionValue)
            arguments = self.template_arguments(child_of(name, "arguments"))
            return FunctionValue(inner.name, inner.overloads, inner.this, arguments)
        return self.member(owner, self.text(name), node)

    def member(self, owner: Result, name: str, node: Node) -> Result:
        """`owner.name`."""
        struct, type_ = bare(owner.type or types.VOID), owner.type
        if not isinstance(struct, Struct):
            raise self.wrong(f"`{owner.type}` has no members", node)
        field = struct.field(name)
        if field is None:
            return self._other_member(owner, struct, name, node)
        inner = types.constant(field.type) if is_const(type_ or types.VOID) else field.type
        if isinstance(bare(field.type), Reference):
            raise self.refused("a member that is a reference", node, "make it a pointer")
        match owner:
            case MemoryPlace(_, address):
                return MemoryPlace(inner, address.moved(field.offset))
            case StructPlace():
                found = self.part(owner, field.offset, inner)
                if found is None:
                    self.into_memory(owner)
                return retyped(found, inner)
            case StructValue():
                return self._part_of_value(owner, field)
        raise self.wrong(f"`{owner.type}` has no members", node)

    def _part_of_value(self, owner: StructValue, field: types.Field) -> Result:
        offsets = [leaf.offset for leaf in layout.leaves(owner.type)]
        wanted = list(layout.leaves(field.type))
        if isinstance(bare(field.type), Array) or owner.type.is_union:
            return MemoryPlace(field.type, self.spilled(owner).moved(field.offset))
        first = offsets.index(field.offset)
        found = owner.leaves[first : first + len(wanted)]
        inner = bare(field.type)
        return StructValue(inner, found) if isinstance(inner, Struct) else found[0]

    def spilled(self, value: StructValue) -> Address:
        """Put an object without a name into local memory."""
        address = Address(self.storage(value.type.name, value.type, Space.LOCAL))
        self.store(address, value, self.at)
        return address

    def _other_member(self, owner: Result, struct: Struct, name: str, node: Node) -> Result:
        found = Scope(None, struct).own(name)
        if isinstance(found, Overloads):
            this: Place
            if is_place(owner):
                this = owner  # type: ignore[assignment]
            else:
                assert isinstance(owner, StructValue)
                this = self.temporary_object(owner)
            return FunctionValue(name, tuple(found.functions), this)
        if found is not None:
            return self.named_result(found, node)
        fields = [field.name for field in struct.fields or ()]
        close = difflib.get_close_matches(name, [*fields, *struct.members], 1)
        hint = f"did you mean `{close[0]}`?" if close else f"it has {', '.join(fields) or 'none'}"
        raise self.wrong(f"`{struct.name}` has no member `{name}`", node, hint)

    def temporary_object(self, value: StructValue) -> Place:
        """A place for an object without a name."""
        place = self.variable(value.type.name, value.type, (self.frame.path, "temporary", self.at))
        self.write(place, value, self.at)
        return place

    def _subscript_expression(self, node: Node) -> Result:
        indices = [child for child in child_of(node, "indices").named_children if child.type != "comment"]
        if len(indices) != 1:
            raise self.wrong("one index at a time: a[i][j]", node)
        owner = self.evaluate(child_of(node, "argument"))
        if isinstance(bare(owner.type or types.VOID), Struct):
            return self.overloaded_place("[]", owner, indices, node)
        base = self.pointed(self.read(owner, self.span(node)))
        index = self.pointed(self.value(indices[0]))
        if isinstance(index, PointerValue) and isinstance(base, NumberValue):
            base, index = index, base
        if isinstance(base, NumberValue) and isinstance(bare(base.type), Pointer):
            raise self.wrong(f"`{base.type}` cannot be indexed", node)
        if not isinstance(base, PointerValue):
            raise self.wrong(f"`{base.type}` is neither array nor pointer: it cannot be indexed", node)
        kind = number_type(index.type or types.VOID)
        if not isinstance(index, NumberValue) or kind is None or not kind.is_integer:
            raise self.wrong(f"an index is an integer, not `{index.type}`", indices[0])
        if isinstance(base.type.target, types.Void):
            raise self.wrong("`void*` cannot be indexed", node, "cast it to a pointer to what is there")
        return self.pointee(PointerValue(base.type, self.advanced(base, index.operand, node)), node)

    def overloaded_place(self, sign: str, owner: Result, arguments: list[Node], node: Node) -> Result:
        """`owner[…]` or `owner(…)` of a struct; see `Calls`."""
        raise NotImplementedError

    def pointee(self, pointer: PointerValue, node: Node) -> Place:
        """The object that a pointer points to."""
        target, address = pointer.type.target, pointer.address
        if isinstance(bare(target), types.Void):
            raise self.wrong("`void*` cannot be dereferenced", node, "cast it to a pointer to what is there")
        if isinstance(address.region, RegisterPlace | StructPlace):
            found = self._spot(address, target)
            if found is not None and types.same_apart_from_const(bare(found.type), bare(target)):
                return found
        return MemoryPlace(target, address)

    def _pointer_expression(self, node: Node) -> Result:
        argument = child_of(node, "argument")
        if self.text(child_of(node, "operator")) == "*":
            result = self.evaluate(argument)
            value = self.pointed(self.read(result, self.span(argument)))
            if isinstance(value, StructValue):
                return self.overloaded_place("*", result, [], node)
            if isinstance(value, FunctionValue):
                return value
            if isinstance(value, NumberValue) and isinstance(bare(value.type), Pointer):
                return value  # a pointer to a function
            if not isinstance(value, PointerValue):
                raise self.wrong(f"`*` takes a pointer, not `{value.type}`", node)
            return self.pointee(value, node)
        result = self.evaluate(argument)
        if isinstance(result, FunctionValue):
            return self.decayed(result, node)
        if not is_place(result):
            raise self.wrong(
                f"`{self.text(argument)}` is a value: it has no address", node, "store it in a variable"
            )
        return self.address_of(result, node)  # type: ignore[arg-type]

    def address_of(self, place: Place, _node: Node) -> PointerValue:
        """A pointer to an object."""
        if isinstance(place, MemoryPlace):
            return PointerValue(Pointer(place.type), place.address)
        if isinstance(place, RegisterPlace) and place.variable.owner is not place.variable.key:
            # a member of a struct: the address is that of the struct, and some bytes
            whole = self.structs.get(place.variable.owner)
            if whole is not None:
                index = next(i for i, leaf in enumerate(whole.leaves) if leaf.variable is place.variable)
                offset = list(layout.leaves(whole.type))[index].offset
                return PointerValue(Pointer(place.type), Address(whole, (), offset))
        return PointerValue(Pointer(place.type), Address(place))


def retyped(place: Place, type_: CType) -> Place:
    """The same object, seen as another type of the same layout."""
    if isinstance(place, RegisterPlace):
        return RegisterPlace(type_, place.variable)
    if isinstance(place, StructPlace):
        return StructPlace(type_, place.leaves, place.key)
    return MemoryPlace(type_, place.address)
