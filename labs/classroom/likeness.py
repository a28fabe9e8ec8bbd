r"""Are two texts the same answer? Letter for letter, but for comments and layout, or but for their own names.

>>> same = ["total = a[0] + 1  # one", "s=a[0]+1", "total = b[0] + 1"]
>>> [forms(each, code=True)[BUT_NAMES] == forms(same[0], code=True)[BUT_NAMES] for each in same]
[True, True, False]
"""

from __future__ import annotations

import ast

from classroom.courses_own import lines, words
from classroom.names import parsed, python_of, without_texts

LETTERS, BUT_LAYOUT, BUT_NAMES = "letter for letter", "but for comments and layout", "but for names"


def forms(source: str, *, code: bool) -> dict[str, str]:
    """The answer, as far as it is compared: in each way what has to be equal. {} for code that is none."""
    text = lines(source)
    if not code:
        return {LETTERS: text, BUT_LAYOUT: words(text)}
    tree = parsed(python_of(source))
    if tree is None:
        return {}
    plain = ast.dump(without_texts(tree))
    return {LETTERS: text, BUT_LAYOUT: plain, BUT_NAMES: ast.dump(_renamed(tree))}


def _renamed(tree: ast.Module) -> ast.Module:
    """Names that the answer binds are numbered as they come; what it takes from elsewhere stays."""
    parts = [*ast.walk(tree)]
    own = {each.id for each in parts if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}
    own |= {each.arg for each in parts if isinstance(each, ast.arg)}
    own |= {each.name for each in parts if isinstance(each, ast.FunctionDef | ast.ClassDef)}
    numbers = dict[str, str]()
    for each in parts:
        for field in ("id", "arg", "name"):
            name = getattr(each, field, None)
            if isinstance(name, str) and name in own and not isinstance(each, ast.keyword | ast.alias):
                setattr(each, field, numbers.setdefault(name, f"name {len(numbers)}"))
    return tree


def are_alike(one: str, other: str) -> bool:
    """Are two cells of code the same in any of these ways?

    >>> are_alike("n = 1", "n=1  # one"), are_alike("n = 1", "n = 2")
    (True, False)
    """
    found = [{lines(each), *forms(each, code=True).values()} for each in (one, other)]
    return not found[0].isdisjoint(found[1])
