"""Which function does a call mean? Overload resolution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gpusim.frontends.cuda_cpp import types
from gpusim.frontends.cuda_cpp.conversions import EXACT
from gpusim.frontends.cuda_cpp.functions.prototypes import Builtin
from gpusim.frontends.cuda_cpp.scope import CONST_METHOD, Function, Template
from gpusim.frontends.cuda_cpp.structs import Structs
from gpusim.frontends.cuda_cpp.types import (
    VOID,
    Array,
    CType,
    FunctionType,
    Pointer,
    Reference,
    Struct,
    bare,
    is_const,
)
from gpusim.frontends.cuda_cpp.values import (
    Address,
    FunctionValue,
    NumberValue,
    Place,
    PointerValue,
    Result,
    StructValue,
    Value,
    function_type,
    is_place,
)
from gpusim.ir.types import S32

if TYPE_CHECKING:
    from tree_sitter import Node
Candidate = Function | Builtin
Ranked = tuple[
    list[int], Template | None, Candidate
]  # conversions of the arguments; the template it came from


class Overloading(Structs):
    """The best of several functions of one name."""

    def resolve(self, called: FunctionValue, results: Sequence[Result], node: Node) -> Candidate:
        """Overload resolution, C++17 [over.match]."""
        values = [self._shadow(result) for result in results]
        ranked: list[Ranked] = []
        for candidate in called.overloads:
            found: Any = candidate
            if isinstance(candidate, Template):
                found = self.deduced(
                    candidate,
                    called.arguments,
                    [_type(value, r) for value, r in zip(values, results, strict=True)],
                    node,
                )
                if found is None:
                    continue
            elif called.arguments is not None and getattr(candidate, "arguments", ()) != called.arguments:
                continue
            ranks = self._ranks(found, values, results)
            if (
                ranks is not None
                and isinstance(found, Function)
                and found.owner is not None
                and called.this is not None
            ):
                object_rank = _object_rank(found, called.this)
                if object_rank is None:
                    continue
                ranks.append(object_rank)
            if ranks is not None:
                ranked.append((ranks, candidate if isinstance(candidate, Template) else None, found))
        best = [one for one in ranked if not any(_better(other, one) for other in ranked)]
        if not best:
            self._no_overload(called, values, node)
        best = self._most_special(best, node)
        if len(best) > 1 and not isinstance(best[0][2], Builtin):
            raise self.wrong(
                f"the call of `{called.name}` is ambiguous: {len(best)} overloads fit equally well", node
            )
        return min(best, key=lambda one: sum(one[0]))[2]

    def _most_special(self, best: list[Ranked], node: Node) -> list[Ranked]:
        """Of templates that fit equally well, that one whose arguments all others would take, too."""
        templates = [one[1] for one in best if one[1] is not None]
        if len(templates) < 2 or len(templates) < len(best):
            return best
        special = [
            one
            for one, mine in zip(best, templates, strict=True)
            if all(other is mine or self.more_special(mine, other, node) for other in templates)
        ]
        return special or best

    def _ranks(
        self, candidate: Candidate, values: list[Value], results: Sequence[Result]
    ) -> list[int] | None:
        if isinstance(candidate, Builtin):
            wanted = list(candidate.parameters)
            required = len(wanted) - len(candidate.defaults)
            if not required <= len(values) or (len(values) > len(wanted) and not candidate.variadic):
                return None
        else:
            wanted = [parameter.type for parameter in candidate.parameters]
            required = sum(parameter.default is None for parameter in candidate.parameters)
            if not required <= len(values) <= len(wanted):
                return None
        ranks = []
        for type_, value, result in zip(wanted, values, results, strict=False):
            rank = self._argument_rank(type_, value, result)
            if rank is None:
                return None
            ranks.append(rank)
        return ranks

    def _argument_rank(self, type_: CType, value: Value, result: Result) -> int | None:
        if isinstance(type_, Reference) and not is_const(type_.target):
            if not is_place(result) or is_const(result.type or VOID):
                return None
            given, wanted = bare(result.type or VOID), bare(type_)
            related = isinstance(given, Struct) and wanted in given.bases
            return EXACT if given == wanted or related else None
        if isinstance(type_, Reference) and isinstance(bare(type_), Array):
            return EXACT if types.same_apart_from_const(bare(result.type or VOID), bare(type_)) else None
        return self.rank(value, type_)

    def _shadow(self, result: Result) -> Value:
        """The value of an argument as far as its type, before anything is loaded."""
        if not is_place(result):
            return result  # type: ignore[return-value]
        type_ = bare(result.type or VOID)
        if isinstance(type_, Array):
            element = types.constant(type_.element) if is_const(result.type or VOID) else type_.element
            return PointerValue(Pointer(element), Address(None, (), 1))
        if isinstance(type_, Pointer) and not isinstance(bare(type_.target), FunctionType):
            return PointerValue(type_, Address(None, (), 1))
        if isinstance(type_, Struct):
            return StructValue(type_, ())
        return NumberValue(type_, self.unknown)

    @property
    def unknown(self) -> Any:
        """An operand of which nothing is known."""
        return self.builder.temporary(S32)

    def _no_overload(self, called: FunctionValue, values: list[Value], node: Node) -> None:
        functions = [one for one in called.overloads if isinstance(one, Function)]
        if functions and not any(one.on_device for one in functions):
            hint = "declare it `__device__`"
            raise self.wrong(f"`{functions[0].name}` is a function of the host", node, hint)
        this = called.this
        if this is not None and is_const(this.type) and functions:
            hint = "declare the method const, or the object not"
            raise self.wrong(f"`{called.name}` may change its object, which is const here", node, hint)
        given = ", ".join(str(value.type) for value in values)
        shown = []
        for candidate in called.overloads[:4]:
            if isinstance(candidate, Builtin):
                shown.append(
                    f"{candidate.result} {candidate.name}({', '.join(map(str, candidate.parameters))})"
                )
            elif isinstance(candidate, Function):
                parameters = ", ".join(str(parameter.type) for parameter in candidate.parameters)
                result = "" if candidate.name == _short(candidate) else f"{candidate.result} "
                shown.append(f"{result}{candidate.name}({parameters})")
            else:
                shown.append(f"the template {candidate.name}")
        more = len(called.overloads) - len(shown)
        hint = "it is " if len(called.overloads) == 1 else "there is "
        hint += "; ".join(shown) + (f"; and {more} more" if more > 0 else "")
        raise self.wrong(f"`{called.name}` does not take ({given})", node, hint if shown else "")


def _type(value: Value, result: Result) -> CType | None:
    """The type that deduction sees."""
    if isinstance(value, FunctionValue):
        known = [one for one in value.overloads if isinstance(one, Function)]
        return Pointer(function_type(known[0])) if len(known) == 1 else None
    if is_place(result) and isinstance(bare(result.type or VOID), Array):
        return result.type
    return result.type if is_place(result) else value.type


def _better(one: Ranked, other: Ranked) -> bool:
    """Is one overload better for some argument and worse for none? Plain functions win over templates."""
    pairs = list(zip(one[0], other[0], strict=False))
    if any(first > second for first, second in pairs):
        return False
    if any(first < second for first, second in pairs):
        return True
    return one[1] is None and other[1] is not None


def _object_rank(method: Function, this: Place) -> int | None:
    """A const object takes const methods only; another one prefers those that are not const."""
    if "static" in method.qualifiers:
        return 0
    if CONST_METHOD in method.qualifiers:
        return 0 if is_const(this.type) else 1
    return None if is_const(this.type) and method.name != _short(method) else 0


def _short(function: Function) -> str:
    return "" if function.owner is None else function.owner.name.partition("<")[0]
