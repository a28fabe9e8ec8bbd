"""What looks like a reach and is none, as long as nothing else is reached? It is told as a note.

A class has fields of its own, a function may draw, and a text may begin with `_`. The `ast` nodes of a cell
are known by their `id`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

# What of matplotlib.pyplot only draws: no file, no other module
DRAWS = frozenset(
    (
        *("annotate", "axhline", "axis", "axvline", "bar", "barh", "boxplot", "cla", "clf", "close"),
        *("colorbar", "errorbar", "figure", "fill_between", "gca", "gcf", "grid", "hist", "imshow"),
        *("legend", "loglog", "matshow", "pcolormesh", "plot", "scatter", "semilogx", "semilogy", "show"),
        *("stem", "step", "subplot", "subplots", "suptitle", "text", "tight_layout", "title", "xlabel"),
        *("xlim", "xscale", "xticks", "ylabel", "ylim", "yscale", "yticks"),
    )
)
PYPLOT = "matplotlib.pyplot"


def formats(tree: ast.AST) -> bool:
    """Does it format by a text that is not written there? Such a text may name any attribute."""
    return any(
        (isinstance(each, ast.MatchClass) and {"format", "format_map"} & {*each.kwd_attrs})
        or (
            isinstance(each, ast.Attribute)
            and each.attr in ("format", "format_map")
            and not isinstance(each.value, ast.Constant)
        )
        for each in ast.walk(tree)
    )


def slight(tree: ast.Module) -> frozenset[int]:
    """Fields that a class takes of itself, and imports of what only draws."""
    return frozenset((*_fields(tree), *_drawing(tree)))


def _fields(tree: ast.Module) -> Iterator[int]:
    classes = [each for each in ast.walk(tree) if isinstance(each, ast.ClassDef)]
    # `A.method(other)` would make another object of what a method takes for its own
    opened = {each.value.id for each in _attributes(tree) if isinstance(each.value, ast.Name)}
    typed = any(isinstance(each, ast.Name) and each.id == "type" for each in ast.walk(tree))
    for made in classes:
        if typed or made.name in opened:
            continue
        methods = [each for each in made.body if isinstance(each, ast.FunctionDef)]
        parts = [(part, _is_self(part, each)) for each in methods for part in _attributes(each)]
        own = {part.attr for part, is_self in parts if is_self and isinstance(part.ctx, ast.Store)}
        own |= {each.name for each in methods}
        own |= {
            each.target.id
            for each in made.body
            if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)
        }
        yield from (id(part) for part, is_self in parts if is_self and part.attr in own)


def _is_self(part: ast.Attribute, method: ast.FunctionDef) -> bool:
    """Is it taken of a method's first parameter, which nothing else binds?"""
    first = [*method.args.posonlyargs, *method.args.args][:1]
    if not first or method.decorator_list or not isinstance(part.value, ast.Name):
        return False
    bound = any(
        (isinstance(each, ast.Name) and each.id == first[0].arg and not isinstance(each.ctx, ast.Load))
        or (isinstance(each, ast.arg) and each.arg == first[0].arg and each is not first[0])
        or (isinstance(each, ast.alias) and (each.asname or each.name) == first[0].arg)
        for each in ast.walk(method)
    )
    return part.value.id == first[0].arg and not bound and not part.attr.startswith("__")


def _drawing(tree: ast.Module) -> Iterator[int]:
    drawn = {id(each.value) for each in _attributes(tree) if each.attr in DRAWS}
    other = {each.id for each in ast.walk(tree) if isinstance(each, ast.Name) and id(each) not in drawn}
    shared = {name for each in ast.walk(tree) if isinstance(each, ast.Global) for name in each.names}
    for each in ast.walk(tree):
        match each:
            case ast.Import(names=[ast.alias(name=name, asname=str(own))]) if name == PYPLOT:
                pass
            case ast.ImportFrom(module="matplotlib", names=[ast.alias(name="pyplot", asname=asname)]):
                own = asname or "pyplot"
            case _:
                continue
        if own not in other | shared:
            yield id(each)


def _attributes(tree: ast.AST) -> Iterator[ast.Attribute]:
    return (each for each in ast.walk(tree) if isinstance(each, ast.Attribute))
