"""Which kernel does a name such as "axpy<float, 4>" stand for? clang says, of a pointer that is appended."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from clang.cindex import Cursor, CursorKind

from gpusim.errors import GpuSimError, KernelTypeError
from gpusim.frontends.cuda_cpp import asking, clang, messages
from gpusim.frontends.cuda_cpp.reader import Parsed

K = CursorKind
CHOSEN = "gpusim_chosen"
CALLS = K.CALL_EXPR, K.DECL_REF_EXPR, K.MEMBER_REF_EXPR


class Launched(NamedTuple):
    """An instance that a kernel launches, and what was appended to the text in which that was found."""

    identity: str
    chosen: str
    questions: tuple[str, ...] = ()


def distinct(kernels: Sequence[Cursor]) -> list[Cursor]:
    """Those that are no templates, each once, however often it is declared; the defined ones, if any is."""
    found = list({one.canonical.hash: one for one in kernels if one.kind is K.FUNCTION_DECL}.values())
    return [one for one in found if one.get_definition() is not None] or found


def identity(instance: Cursor) -> str:
    """What tells an instance from others, however often a text is read: two lambdas have two places."""
    return f"{instance.mangled_name} {instance.displayname}"


def called(cursors: Iterable[Cursor], wanted: str) -> Cursor | None:
    """The instance of a template that some function calls, or one that is made for those does."""
    seen, waiting = set[str](), list(cursors)
    while waiting:
        for one in clang.walk(waiting.pop()):
            function = one.referenced if one.kind in CALLS else None
            if function is None or clang.template_of(function) is None:
                continue
            name = identity(function)
            if name == wanted:
                return function
            if name not in seen:
                seen.add(name)
                waiting.append(function)
    return None


def choice(name: str, template: Cursor | None = None) -> str:
    """A pointer to the kernel that a name with arguments of a template, or types of parameters, stands for.

    A function of the host may be called as the template; that has its parameters.
    """
    if template is not None:
        space = name.partition("<")[0].rpartition("::")[0]
        written = re.match(
            rf"(template <.+?>)\s.*\b{template.spelling}\((.*)\)", clang.printed(template), re.DOTALL
        )
        assert written
        form = f"{written[1]} using {CHOSEN}_form = void({re.sub(' = [^,]+', '', written[2])});"
        form = f"namespace {space} {{ {form} }}" if space else form
        space = f"{space}::" if space else ""
        return f"{form} static {space}{CHOSEN}_form<{name.partition('<')[2]}* {CHOSEN} = &{name}"
    kernel = name.partition("(")[0] if name.strip().endswith(")") else name
    cast = f"static_cast<void (*){name[len(kernel) :]}>" if kernel != name else ""
    return f"static auto* {CHOSEN} = {cast}(&{kernel})"


def arguments(template: Cursor, name: str) -> str:
    """How is an instance named?"""
    written = (child for child in clang.children(template) if child.kind in asking.PARAMETERS)
    wanted = ", ".join(child.spelling for child in written)
    return f'name its arguments: "{name}<{wanted}>"'


def unknown(parsed: Parsed, kernels: Sequence[Cursor], name: str, short: str) -> GpuSimError:
    """What is wrong with the name of an instance of a template?"""
    one, functions = kernels[0], distinct(kernels)
    span = parsed.span(one)
    if len(functions) > 1:
        forms = " or ".join(f'"{short}{each.displayname[len(each.spelling) :]}"' for each in functions)
        return KernelTypeError(f"{len(functions)} kernels are called {short}", span, f"name {forms}")
    if one.kind is not K.FUNCTION_TEMPLATE:
        return KernelTypeError(f"{short} is no template", span, f'its name is "{short}"')
    if name.strip() == short:
        return KernelTypeError(f"{short} is a template", span, arguments(one, short))
    places = ((str(one.spelling), clang.place(one.location)) for one in parsed.diagnostics)
    ends = len(parsed.source.lines)  # behind which the choice was appended
    appended = (said for said, at in places if at[1] > ends and clang.name(at[0]) == parsed.path)
    said = next(appended, CHOSEN)
    why = f": {messages.ticked(said)}" if CHOSEN not in said else ""
    wrong = re.search("undeclared identifier '(\\w+)'", said)
    meant = messages.similar_type(wrong[1]) if wrong else []
    hint = arguments(one, short) + "".join(f"; did you mean `{one}`?" for one in meant)
    return KernelTypeError(f'"{name}" names no kernel{why}', span, hint)
