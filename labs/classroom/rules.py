"""By which rules is a class graded? By what decides points: `twice`, all that it imports, and the checks.

Where these change, all is graded again, and by one set of rules. Comments and docstrings are none.
"""

from __future__ import annotations

import ast
import functools
import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from classroom.bubblewrap import PACKAGE
from classroom.names import without_texts

HERE = Path(__file__).parent
FIRST = "twice"


@functools.cache
def rules() -> str:
    """It changes with every line of code that decides points."""
    return digest_of(
        [*deciding(), *sorted((HERE / "inside").glob("*.py")), *sorted((PACKAGE / "grading").glob("*.py"))]
    )


def deciding() -> list[Path]:
    """The modules here that `twice` is made of."""
    found, rest = set[str](), [FIRST]
    while rest:
        if (name := rest.pop()) not in found and (HERE / f"{name}.py").exists():
            found.add(name)
            rest += _imported(ast.parse((HERE / f"{name}.py").read_text(encoding="utf-8")))
    return [HERE / f"{each}.py" for each in sorted(found)]


def digest_of(files: Iterable[Path]) -> str:
    told = hashlib.sha256()
    for file in files:
        tree = without_texts(ast.parse(file.read_text(encoding="utf-8")))
        told.update(file.name.encode() + ast.dump(tree).encode())
    return told.hexdigest()


def _imported(tree: ast.Module) -> Iterator[str]:
    for each in ast.walk(tree):
        if isinstance(each, ast.ImportFrom) and (each.module or "").startswith("classroom."):
            yield (each.module or "").split(".")[1]
