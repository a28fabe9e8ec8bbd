"""Which constructors, copies and ends does the text give a class? Which classes have objects?"""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import Any

from clang.cindex import Cursor, CursorKind

from gpusim.frontends.cuda_cpp import asking, clang, inlining, reader, type_reader
from gpusim.frontends.cuda_cpp.layout import innermost
from gpusim.frontends.cuda_cpp.types import Bits, CType, Struct

K = CursorKind


COPIERS: dict[tuple[bool, bool], Any] = {  # by whether they assign, and whether they move
    (False, False): (K.CONSTRUCTOR, Cursor.is_copy_constructor),
    (False, True): (K.CONSTRUCTOR, Cursor.is_move_constructor),
    (True, False): (K.CXX_METHOD, Cursor.is_copy_assignment_operator_method),
    (True, True): (K.CXX_METHOD, Cursor.is_move_assignment_operator_method),
}


class Classes:
    """The classes of a text. `instances` are those made from templates that have virtual methods."""

    def __init__(self, parsed: reader.Parsed, answers: asking.Answers, types: type_reader.TypeReader) -> None:
        self.parsed, self.answers, self.types = parsed, answers, types
        self.instances: list[str] = []
        self.with_objects: dict[Struct, None] = {}
        self._looked: set[int] = set()

    def is_implicit(self, function: Cursor) -> bool:
        """Does clang make it: a copy, or a start member by member?"""
        if function.kind not in (K.CONSTRUCTOR, K.DESTRUCTOR, K.CXX_METHOD):
            return False
        made_there = clang.place(function.location) == clang.place(function.semantic_parent.location)
        return made_there or function.is_default_method()

    def default_constructor(self, struct: Struct) -> Cursor | None:
        """The one that the text gives a struct for no arguments."""
        return self._method(struct, K.CONSTRUCTOR, Cursor.is_default_constructor)

    def destructor(self, struct: Struct) -> Cursor | None:
        return self._method(struct, K.DESTRUCTOR, lambda _: True)

    def copier(self, struct: Struct, assigning: bool = False, moving: bool = False) -> Cursor | None:
        """The constructor or assignment by which the text says how a struct is copied or moved."""
        moved = self._method(struct, *COPIERS[assigning, True]) if moving else None
        return moved or self._method(struct, *COPIERS[assigning, False])

    def constructor(self, struct: Struct, given: list[str]) -> Cursor | None:
        """The constructor for arguments of these types; None where a struct has none of its own."""
        own = self._own(struct, lambda one: one.kind in (K.CONSTRUCTOR, K.FUNCTION_TEMPLATE))
        own = [one for one in own if not one.is_copy_constructor() and not one.is_move_constructor()]
        own = [one for one in own if one.spelling.partition("<")[0] == one.semantic_parent.spelling]
        if not own:
            return None
        fitting = [one for one in own if _takes(one, len(given))]
        known = [one for one in fitting if one.kind is K.CONSTRUCTOR]
        made_of_template = len(known) < len(fitting) or not clang.children(self.types.declarations[struct])
        exact = [one for one in known if _given(one) == given] or known
        if not made_of_template and len(exact) == 1:
            return exact[0]
        return self.answers.called(asking.CONSTRUCT, struct.name, given)

    def inherited(self, struct: Struct, constructor: Cursor) -> tuple[Struct, Cursor | None] | None:
        """The base whose constructor `using Base::Base` means, and that; None if the base inherits it."""
        name, own = constructor.spelling.partition("<")[0], self.types.declarations[struct]
        written = clang.children(own) or clang.children(clang.template_of(own) or own)
        using = (one for one in written if one.kind is K.USING_DECLARATION)
        if own.spelling == name and not any(clang.extent(one).holds(constructor.location) for one in using):
            return None  # of `tile<8, G> : tile<8>` both have that name
        for base in struct.bases:
            if self.types.declarations[base].spelling == name:
                return base, self.constructor(base, _given(constructor))
            if self.inherited(base, constructor) is not None:
                return base, None
        return None

    # whole objects ----------------------------------------------------------------------------------------

    def copies(self, type_: CType, assigning: bool = False) -> bool:
        """Does the text say how an object is copied, or a part of it? Else its bytes are."""
        return self._any(type_, lambda one: not one.vector_of and bool(self.copier(one, assigning, True)))

    def ends(self, type_: CType) -> bool:
        """Has an object a destructor, or a member that has one?"""
        return self._any(type_, lambda one: not one.vector_of and bool(self.destructor(one)))

    def begins(self, type_: CType) -> bool:
        """Does an object that is given no value get one, from a constructor or with its members?"""

        def gets(struct: Struct) -> bool:
            if type_reader.has_table(struct) or self.default_constructor(struct) is not None:
                return True
            parts = self.types.parts(struct)
            return any(isinstance(part, Bits) or self.types.default(field) for _, part, field in parts)

        return self._any(type_, gets)

    def _any(self, type_: CType, holds: Callable[[Struct], bool]) -> bool:
        """Does it hold of an object, of one of its elements, or of one of their parts?"""
        inner = innermost(type_)
        if not isinstance(inner, Struct) or inner.is_union:
            return False
        parts = self.types.parts(inner) if inner.vector_of is None else ()
        return holds(inner) or any(self._any(part, holds) for _, part, _ in parts)

    # what is written -------------------------------------------------------------------------------------

    def _method(self, struct: Struct, kind: CursorKind, wanted: Callable[[Cursor], bool]) -> Cursor | None:
        """The method of a class; of one made from a template, what Clang made of it, where it is used."""
        own = next(iter(self._own(struct, lambda one: one.kind is kind and wanted(one))), None)
        if own is None or clang.children(self.types.declarations[struct]):
            return own
        made = self.parsed.methods.get(self.types.declarations[struct].canonical.hash, ())
        return next((one for one in made if one.kind is kind and wanted(one)), None)

    def _own(self, struct: Struct, wanted: Callable[[Cursor], bool]) -> list[Cursor]:
        """What is written in a class, or in the template that it was made from, and has a body of its own."""
        declaration = self.types.declarations.get(struct)
        if declaration is None:
            return []
        below, template = clang.children(declaration), clang.template_of(declaration)
        found = filter(wanted, below or clang.children(template or declaration))
        return [one for one in found if not self.is_implicit(one) and not one.is_deleted_method()]

    def derived(self, struct: Struct) -> list[Struct]:
        """The class itself and those that are derived from it."""
        for name in self.instances:
            pointed = self.types.read(self.answers.to(f"static {name}* {{name}};").type.get_pointee())
            assert isinstance(pointed, Struct)
            self.with_objects.setdefault(pointed)
        around = K.STRUCT_DECL, K.CLASS_DECL, K.NAMESPACE, K.LINKAGE_SPEC, K.UNEXPOSED_DECL
        inside = (clang.walk(one, lambda cursor: cursor.kind in around) for one in self.parsed.cursors)
        classes = (one for one in chain(*inside) if one.kind in around[:2] and one.is_definition())
        for cursor in classes:
            if cursor.canonical.hash not in self._looked:
                self._looked.add(cursor.canonical.hash)
                found = self.types.read(cursor.type)
                if isinstance(found, Struct) and type_reader.has_table(found):
                    self.with_objects.setdefault(found)
        return [one for one in self.with_objects if one is struct or self.types.derives(one, struct)]

    def note(self, struct: Struct) -> None:
        """There are objects of this class."""
        self.with_objects.setdefault(struct)
        declaration = self.types.declarations[struct]
        if clang.template_of(declaration) is not None and struct.name not in self.instances:
            self.instances.append(struct.name)


def _takes(constructor: Cursor, count: int) -> bool:
    """Has it parameters for so many arguments, and defaults for all others?"""
    parameters = inlining.parameters_of(constructor)
    more = parameters[count:]
    return count <= len(parameters) and all(
        any(c.kind.is_expression() for c in clang.children(one)) for one in more
    )


def _given(function: Cursor) -> list[str]:
    return [one.get_canonical().spelling for one in function.type.argument_types()]
