"""What does a name of C++ mean? Scopes, and what can be declared in them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gpusim.errors import GpuSimError
from gpusim.frontends.cuda_cpp.types import CType, Struct, bare
from gpusim.frontends.cuda_cpp.values import Place
from gpusim.ir.types import Space
from gpusim.source import Source

if TYPE_CHECKING:
    from tree_sitter import Node

CONST_METHOD = "method() const"  # among the qualifiers of a function


@dataclass(frozen=True)
class Parameter:
    """A parameter of a function; `default` is the syntax of its default argument."""

    name: str
    type: CType
    default: Node | None = None


@dataclass(eq=False)
class Function:
    """A function of the text, as far as its first line says. `scope` is where it stands."""

    name: str
    node: Node
    scope: Scope
    source: Source
    result: CType
    parameters: tuple[Parameter, ...]
    qualifiers: frozenset[str]
    body: Node | None = None
    owner: Struct | None = None
    initializers: Node | None = None
    arguments: tuple[Any, ...] = ()

    @property
    def on_device(self) -> bool:
        """May kernels call it?"""
        return bool(self.qualifiers & {"__device__", "constexpr", "__global__"})

    @property
    def is_kernel(self) -> bool:
        """Is it launched by the host?"""
        return "__global__" in self.qualifiers


@dataclass(frozen=True)
class TemplateParameter:
    """`typename T` has no `type`; `int N` has the syntax of one."""

    name: str
    type: Node | None = None
    default: Node | None = None
    variadic: bool = False


@dataclass(eq=False)
class Template:
    """A template of a function, a struct or an alias, its specialisations, and its instances so far."""

    name: str
    node: Node
    parameters: tuple[TemplateParameter, ...]
    scope: Scope
    specialisations: list[tuple[tuple[TemplateParameter, ...], Node, Node, Scope]] = field(
        default_factory=list
    )
    instances: dict[Any, Any] = field(default_factory=dict)


@dataclass
class Overloads:
    """All functions and function templates of one name."""

    name: str
    functions: list[Function | Template] = field(default_factory=list)


def changes_itself(type_: CType) -> bool:
    """Has a struct operators that change it, as `object(3)`, `object[1] = 2` and `object << 3` may?"""
    struct = bare(type_)
    members = struct.members.items() if isinstance(struct, Struct) else ()
    return any(
        isinstance(one, Template) or CONST_METHOD not in one.qualifiers
        for name, overloads in members
        if name.startswith("operator") and isinstance(overloads, Overloads)
        for one in overloads.functions
    )


@dataclass(frozen=True)
class TypeName:
    """A name of a type."""

    type: CType


@dataclass(frozen=True)
class Placeholder(CType):
    """A template parameter whose argument is not known yet."""

    name: str
    size: int = 1
    alignment: int = 1

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Pending(CType):
    """A template with arguments of which some are not known yet."""

    template: Template
    arguments: tuple[Any, ...]
    size: int = 1
    alignment: int = 1


@dataclass(eq=False)
class Symbol:
    """A `__device__` or `__constant__` variable. `initial` are its first bytes; None leaves them zero."""

    name: str
    type: CType
    space: Space
    initial: bytes | None = None
    managed: bool = False


@dataclass(frozen=True)
class HostVariable:
    """A variable of the host, which device code cannot read."""

    name: str


@dataclass(frozen=True)
class Broken:
    """A type of the host that cannot be read; whoever uses it is told why."""

    error: GpuSimError


@dataclass(frozen=True)
class DynamicShared:
    """`extern __shared__ float s[];` outside of functions."""

    name: str
    type: CType


@dataclass(frozen=True)
class Member:
    """A data member of the struct whose method is being compiled."""

    name: str


class Scope:
    """Names declared between two braces; a name that is not here is looked up in `outer`.

    `this` is the object of the method that the scope belongs to, `struct` its type.
    """

    def __init__(
        self, outer: Scope | None = None, struct: Struct | None = None, this: Place | None = None
    ) -> None:
        self.names: dict[str, Any] = {}
        self.outer, self.struct, self.this = outer, struct, this
        self.used: list[Scope] = []
        self.title = ""  # of a namespace, with the :: behind it

    def own(self, name: str, seen: tuple[Scope, ...] = ()) -> Any:
        """What is declared here, or in a namespace that is used here."""
        if name in self.names:
            return self.names[name]
        if self.struct is not None:
            if name in self.struct.members:
                return self.struct.members[name]
            if self.struct.field(name) is not None:
                return Member(name)
            for base in self.struct.bases:
                if name in base.members:
                    return base.members[name]
        for scope in self.used:
            if scope not in seen:
                found = scope.own(name, (*seen, self))
                if found is not None:
                    return found
        return None

    def find(self, name: str) -> Any:
        """What the name means, or None."""
        for scope in self.outwards():
            found = scope.own(name)
            if found is not None:
                return found
        return None

    def outwards(self) -> Iterator[Scope]:
        """The scope, and those around it."""
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.outer

    def object(self) -> Place | None:
        """The object of the innermost method."""
        return next((scope.this for scope in self.outwards() if scope.this is not None), None)

    def visible(self) -> list[str]:
        """All names that can be written here, for suggestions."""
        return [name for scope in self.outwards() for name in scope.names]
