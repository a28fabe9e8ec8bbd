"""How does the body of a function come to stand where it is called?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gpusim.frontends.cuda_cpp import layout, types
from gpusim.frontends.cuda_cpp.access import has_array
from gpusim.frontends.cuda_cpp.frame import Frame
from gpusim.frontends.cuda_cpp.functions.families import FAMILIES
from gpusim.frontends.cuda_cpp.functions.prototypes import Builtin
from gpusim.frontends.cuda_cpp.scope import CONST_METHOD, Function, Overloads, Scope, changes_itself
from gpusim.frontends.cuda_cpp.structs import CONSTRUCTOR
from gpusim.frontends.cuda_cpp.syntax import entries
from gpusim.frontends.cuda_cpp.types import VOID, CType, Reference, Struct, bare, is_const
from gpusim.frontends.cuda_cpp.values import (
    FunctionValue,
    MemoryPlace,
    NumberValue,
    Place,
    PointerValue,
    RegisterPlace,
    Result,
    StructPlace,
    StructValue,
    TextValue,
    Value,
    is_place,
)
from gpusim.ir.instructions import ArrayOperand, Constant

if TYPE_CHECKING:
    from tree_sitter import Node
from gpusim.frontends.cuda_cpp.names import retyped
from gpusim.frontends.cuda_cpp.overloads import Overloading, _short

DEEPEST_CALL = 64


class Inlining(Overloading):
    """Bodies of called functions."""

    def call(self, called: FunctionValue, results: Sequence[Result], node: Node) -> Result:
        """Call the overload that fits best."""
        chosen = self.resolve(called, results, node)
        if isinstance(chosen, Builtin):
            return self._call_builtin(chosen, results, node)
        this = called.this if chosen.owner is not None and "static" not in chosen.qualifiers else None
        return self.inline(chosen, results, this, node)

    def _call_builtin(self, chosen: Builtin, results: Sequence[Result], node: Node) -> Value:
        span, values = self.span(node), list[Value]()
        for position, result in enumerate(results):
            value = self.read(result, span)
            if position < len(chosen.parameters) and not isinstance(value, TextValue):
                value = self.converted(value, chosen.parameters[position], node, what="be passed as")
            values.append(value)
        missing = len(chosen.parameters) - len(values)
        for default, type_ in zip(
            chosen.defaults[len(chosen.defaults) - missing :] if missing else (),
            chosen.parameters[len(values) :],
            strict=True,
        ):
            scalar = layout.scalar_of(type_)
            assert scalar is not None
            values.append(NumberValue(bare(type_), Constant(default, scalar)))
        self.at = span
        return FAMILIES[chosen.family](self, chosen, values, span)

    def inline(self, function: Function, results: Sequence[Result], this: Place | None, node: Node) -> Result:
        """Lower the body of a function here, with its own names."""
        span, caller = self.span(node), self.frame
        function = self.unit.definition(function)
        self._check_callable(function, node)
        depth = sum(entry == id(function) for entry in caller.path)
        constexpr = "constexpr" in function.qualifiers
        if depth > (DEEPEST_CALL if constexpr else 0):
            raise self.refused(f"`{function.name}`, which calls itself,", node, "write it as a loop")
        if this is not None and CONST_METHOD in function.qualifiers:
            this = retyped(this, types.constant(this.type))
        frame = Frame(function, function.source, (*caller.path, node.start_byte, id(function)), span)
        scope = Scope(function.scope, this=None if this is None else self._steady_place(this))
        assigned = self.unit.assigned_names(function)
        shared = self._shares_variables(function, results, this)
        for position, parameter in enumerate(function.parameters):
            if position < len(results):
                result: Result = results[position]
            else:
                assert parameter.default is not None
                around, self.scope = self.scope, function.scope
                result = self.evaluate(parameter.default)
                self.scope = around
            if shared and not isinstance(parameter.type, Reference):
                result = self._standing(self.read(result, span))
            bound = self._parameter(
                parameter.name, parameter.type, result, parameter.name in assigned, frame, node
            )
            if parameter.name:
                scope.names[parameter.name] = bound
        around, self.scope, self.frame = self.scope, scope, frame
        frame.result_type = function.result
        try:
            if function.initializers is not None or (this is not None and function.name == _short(function)):
                self._initialize_members(function, this)
            result = self.body(function)
        finally:
            self.scope, self.frame = around, caller
        self.at = span
        return result

    @staticmethod
    def _shares_variables(function: Function, results: Sequence[Result], this: Place | None) -> bool:
        """May it change variables of its caller: through a reference, a pointer, or as a method?"""
        places: list[Result] = [] if this is None or function.name == _short(function) else [this]
        pointers: list[Any] = []
        for parameter, result in zip(function.parameters, results, strict=False):
            if isinstance(parameter.type, Reference):
                places += [] if is_const(parameter.type.target) else [result]
            else:
                pointers += result.leaves if isinstance(result, StructPlace | StructValue) else [result]
        regions = [
            pointer.address.region if isinstance(pointer, PointerValue) else pointer.variable.region
            for pointer in pointers
            if isinstance(pointer, PointerValue | RegisterPlace)
        ]
        changed = any(isinstance(p, RegisterPlace | StructPlace) and not is_const(p.type) for p in places)
        return changed or any(not isinstance(region, ArrayOperand | None) for region in regions)

    def _standing(self, value: Value) -> Any:
        """A value that stays, whatever becomes of the variables that it was read from."""
        match value:
            case NumberValue(type_, operand):
                return NumberValue(type_, self.copied(operand))
            case PointerValue(type_, address):
                return PointerValue(type_, self.frozen(address))
            case StructValue(type_, leaves):
                return StructValue(type_, tuple(self._standing(leaf) for leaf in leaves))
        return value

    def _steady_place(self, place: Place) -> Place:
        if isinstance(place, MemoryPlace):
            return MemoryPlace(place.type, self.frozen(place.address))
        return place

    def body(self, function: Function) -> Result:
        """The statements of a function that is called; see `Statements`."""
        raise NotImplementedError

    def _check_callable(self, function: Function, node: Node) -> None:
        if function.is_kernel:
            raise self.wrong(
                f"`{function.name}` is a kernel: it is launched, not called", node, "make it `__device__`"
            )
        if not function.on_device:
            raise self.wrong(f"`{function.name}` is a function of the host", node, "declare it `__device__`")
        if function.body is None:
            raise self.wrong(
                f"`{function.name}` is declared, but has no body", node, "define it in this text"
            )

    def _parameter(
        self, name: str, type_: CType, result: Result, assigned: bool, frame: Frame, node: Node
    ) -> Result:
        """What a parameter stands for: the argument itself where nobody can tell the difference."""
        span = self.span(node)
        if isinstance(type_, Reference):
            if is_place(result) and self._same_object(result, type_):
                return self._referred(result, type_.target)  # type: ignore[arg-type]
            value = self.converted(self.read(result, span), type_.target, node, what="be passed as")
            return self._materialized(value, name, frame) if isinstance(value, StructValue) else value
        value = self.converted(self.read(result, span), type_, node, what="be passed as")
        if isinstance(value, StructValue) and (has_array(value.type) or changes_itself(value.type)):
            assigned = True
        if assigned:
            place = self.variable(name, bare(type_), (frame.path, name))
            self.write(place, value, span)
            return place
        if isinstance(value, NumberValue) and getattr(value.operand, "is_temporary", False):
            self.builder.hold(value.operand)
        if isinstance(value, PointerValue):
            self.builder.hold(*(operand for operand, _ in value.address.terms))
        if isinstance(value, StructValue):
            self.builder.hold(*(x.operand for x in value.leaves if isinstance(x, NumberValue)))
        return value

    def _same_object(self, result: Result, type_: Reference) -> bool:
        given, wanted = bare(result.type or VOID), bare(type_)
        return types.same_apart_from_const(given, wanted) or (
            isinstance(given, Struct) and wanted in given.bases
        )

    def _referred(self, place: Place, type_: CType) -> Place:
        """The same object under the type of a reference."""
        if isinstance(place, MemoryPlace):
            return MemoryPlace(type_, self.frozen(place.address))
        if isinstance(place, StructPlace):
            base = bare(type_)
            if base is not bare(place.type):
                count = len(list(layout.leaves(base)))
                return StructPlace(type_, place.leaves[:count], place.key)
            return StructPlace(type_, place.leaves, place.key)
        return type(place)(type_, place.variable)

    def _materialized(self, value: StructValue, name: str, frame: Frame) -> Place:
        place = self.variable(name, value.type, (frame.path, name, "temporary"))
        self.write(place, value, self.at)
        return place

    def has_constructor(self, struct: Struct) -> bool:
        """Does the struct declare one, other than by default?"""
        return CONSTRUCTOR in struct.members

    def construct(self, place: Place, values: Sequence[Result], node: Node) -> None:
        """Run the constructor that fits on a new object."""
        struct = bare(place.type)
        assert isinstance(struct, Struct)
        overloads: Overloads = struct.members[CONSTRUCTOR]
        called = FunctionValue(struct.name, tuple(overloads.functions), place)
        chosen = self.resolve(called, values, node)
        assert isinstance(chosen, Function)
        self.inline(chosen, values, place, node)

    def _initialize_members(self, function: Function, this: Place | None) -> None:
        """`: x(a), y{b}`, and the initializers that stand with the members."""
        struct = function.owner
        assert struct is not None
        assert this is not None
        given: dict[str, Node] = {}
        for item in [] if function.initializers is None else function.initializers.named_children:
            if item.type != "field_initializer":
                continue
            given[self.text(item.named_children[0])] = item.named_children[-1]
        short = struct.name.partition("<")[0]
        if short in given:  # a constructor that calls another one
            self.construct(this, [self.evaluate(item) for item in entries(given[short])], given[short])
            return
        self.start_members(struct, this, given, function.node)

    def start_members(self, struct: Struct, this: Place, given: dict[str, Node], node: Node) -> None:
        """Bases and members of a new object get the values `given` by name, or those that stand with them."""
        for base in struct.bases:
            part, name = self._referred(this, base), base.name.partition("<")[0]
            if name not in given:
                self.default(part, node)
                continue
            items = [self.value(item) for item in entries(given.pop(name))]
            if self.has_constructor(base):
                self.construct(part, items, node)
            else:
                self.write(part, self.constructed(base, items, node), self.span(node))
        unknown = [name for name in given if struct.field(name) is None]
        if unknown:
            raise self.wrong(f"`{struct.name}` has no member `{unknown[0]}`", given[unknown[0]])
        inherited = {member.name for base in struct.bases for member in base.fields or ()}
        for member in struct.fields or ():
            written = given.get(member.name, struct.defaults.get(member.name))
            if member.name in inherited or (written is None and not self.begins(member.type)):
                continue
            target = self.member(this, member.name, written or node)
            assert is_place(target)
            if written is None:
                self.default(target, node)  # type: ignore[arg-type]
            else:
                self.initialize(target, written)  # type: ignore[arg-type]

    def begins(self, type_: CType) -> bool:
        """Does an object that is given no value get one? See `Statements`."""
        raise NotImplementedError

    def default(self, place: Place, node: Node) -> None:
        """Start an object that is given no value; see `Statements`."""
        raise NotImplementedError

    def initialize(self, place: Place, node: Node) -> None:
        """Give an object its first value: `(…)`, `{…}` or an expression; see `Statements`."""
        raise NotImplementedError
