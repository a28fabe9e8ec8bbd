"""What does clang know and not show? Of classes made from templates it shows no bases and no overloads.

It is asked in C++: a declaration that uses what is wanted is appended to the text, which is then read again.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from clang.cindex import Cursor, CursorKind, Type

from gpusim.frontends.cuda_cpp import clang, shapes

NAME = "gpusim_asked_"
_INLINE = "__attribute__((device)) inline "
RANGE = _INLINE + "void {name}({type}& r) { auto b = r.begin(); auto e = r.end(); if (b != e) ++b; }"
FREE_RANGE = RANGE.replace("r.begin()", "begin(r)").replace("r.end()", "end(r)")
CONSTRUCT = _INLINE + "{type} {name}({parameters}) { return {type}({names}); }"
OVERRIDER = _INLINE + "void {name}({const}{type}* x{comma}{parameters}) { x->{method}({casts}); }"
FUNCTION = "static auto* {name} = {function};"
PARAMETERS = (
    CursorKind.TEMPLATE_TYPE_PARAMETER, CursorKind.TEMPLATE_NON_TYPE_PARAMETER,
    CursorKind.TEMPLATE_TEMPLATE_PARAMETER,
)  # fmt: skip
NONE_FITS = ("no matching", "no viable", "call to deleted", "cannot initialize")


class Asked(Exception):
    """A question that is not among those that were appended to the text."""


class Unanswered(Exception):
    """A question about a type that cannot be named outside of its function."""


class Answers:
    """Answers to the `questions` that were appended to a text, in their order."""

    def __init__(self, questions: tuple[str, ...]) -> None:
        self.questions = questions
        self.found: dict[str, Cursor] = {}
        lines = (one.replace("{name}", f"{NAME}{place}") for place, one in enumerate(questions))
        self.text = "".join(f"\n{line}" for line in lines)  # what is appended
        self.wrong: dict[str, str] = {}  # what is said of an answer that does not parse

    def take(self, cursor: Cursor) -> bool:
        found = re.fullmatch(rf"{NAME}(\d+)(_base)?", cursor.spelling)
        if found and not found[2]:
            self.found[self.questions[int(found[1])]] = cursor
        return found is not None

    def to(self, question: str) -> Cursor:
        """The declaration that answers a question; raises `Asked` where it was not asked yet."""
        if "(lambda at " in question or "(unnamed " in question:
            raise Unanswered(question)
        if question not in self.questions:
            raise Asked(question)
        if question not in self.found:
            raise Unanswered(question)
        return self.found[question]

    def called(self, form: str, type_: str, given: Sequence[str], **words: str) -> Cursor | None:
        """The function that an answer of one of the forms above calls with arguments of these types."""
        words["parameters"] = ", ".join(f"{one} a{at}" for at, one in enumerate(given))
        words["names"] = ", ".join(f"a{at}" for at in range(len(given)))
        words["casts"] = ", ".join(f"static_cast<{one}>(a{at})" for at, one in enumerate(given))
        words["type"] = type_
        question = re.sub(r"\{(\w+)\}", lambda found: words.get(found[1], found[0]), form)
        found = self.to(question)
        if not self.wrong.get(question, NONE_FITS[0]).startswith(NONE_FITS):
            raise Unanswered(type_)
        calls = (one.referenced for one in clang.walk(found) if one.kind is CursorKind.CALL_EXPR)
        return next(filter(None, calls), None)

    def bases(self, template: Cursor, specifier: Cursor, made: Type) -> list[Type]:
        """What a base that depends on template parameters is in a class made from it; several of a pack."""
        base = re.sub(r"^((public|private|protected|virtual)\s+)*", "", clang.text(specifier))
        named = next(iter(clang.children(specifier)), specifier).referenced
        owner = named and named.semantic_parent
        if owner and owner.kind in clang.CLASSES and base.startswith(named.spelling):
            base = f"{owner.type.spelling}::{base}"
        text = clang.text(template)
        behind = text.encode()[clang.end(specifier) - clang.begin(template) :].lstrip()
        of_pack = "..." * behind.startswith(b"...")
        parameters = [one for one in clang.children(template) if one.kind in PARAMETERS]
        given, type_ = _arguments(made), made.spelling
        for place, parameter in enumerate(parameters):
            if base == parameter.spelling:  # perhaps lambdas, which have no name
                return given[place:] if of_pack else given[place : place + 1]
        end = shapes.closing(text, text.index("<"), ("<", ">"))
        alias = f"template {text[text.index('<') : end]} using {{name}}_base = {{name}}_all<{base}{of_pack}>;"
        alias = f"template <class...> struct {{name}}_all; {alias}"
        question = f"{alias} static {{name}}_base{type_[type_.index('<') :]}* {{name}};"
        answer = self.to(question := clang.beside(template, question))
        if question in self.wrong:
            raise Unanswered(base)
        return _arguments(answer.type.get_pointee().get_canonical())


def _arguments(made: Type) -> list[Type]:
    """The arguments of a class made from a template, those of a pack one by one."""
    return [made.get_template_argument_type(place) for place in range(made.get_num_template_arguments())]
