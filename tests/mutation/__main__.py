"""Which small changes of the package does no test notice? Random mutants by cosmic-ray, run by some tests.

    pip install cosmic-ray
    python -m tests.mutation sample gpusim/checkers/races.py --count 40 > mutants.jsonl
    python -m tests.mutation run mutants.jsonl tests/checkers > outcomes.jsonl

A mutant is kept as text, a few lines as they were and as they become, so that it can be run again when its
code has moved to another file. `run` works on a copy of the tree and stops at the first test that fails; what
an earlier run found, named by `--known`, is not run again.
"""

from __future__ import annotations

import argparse
import difflib
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
OPERATORS_WITHOUT_MEANING = ("NoOp", "RemoveDecorator")
PYTEST = [
    "-m",
    "pytest",
    "-q",
    "-x",
    "--no-header",
    "--tb=no",
    "-rfE",
    "-p",
    "no:cacheprovider",
    "-p",
    "no:nbval",
]
PLAIN = ["--assert=plain", "-o", "addopts=--import-mode=importlib"]


def annotates(node: Any) -> bool:
    """Is this part of a type? No test can tell a type from another: none is evaluated."""
    while node.parent is not None:
        parent = node.parent
        place = next(index for index, child in enumerate(parent.children) if child is node)
        if (parent.type, place) in (("annassign", 1), ("tfpdef", 2)):
            return True
        if parent.type == "funcdef" and getattr(parent.children[place - 1], "value", "") == "->":
            return True
        node = parent
    return False


def positions(path: Path) -> dict[tuple[int, int], list[tuple[str, int]]]:
    """Each place of a file that can change, and how: an operator's name, and which of its matches."""
    from cosmic_ray import plugins
    from cosmic_ray.ast import ast_nodes, get_ast

    found: dict[tuple[int, int], list[tuple[str, int]]] = {}
    nodes = list(ast_nodes(get_ast(path.read_text(encoding="utf-8"))))
    for name in plugins.operator_names():
        operator = plugins.get_operator(name)
        if operator.arguments() or name.endswith(OPERATORS_WITHOUT_MEANING):
            continue
        matches = ((node, start) for node in nodes for start, _end in operator().mutation_positions(node))
        for number, (node, start) in enumerate(matches):
            if not annotates(node):
                found.setdefault(start, []).append((name, number))
    return found


def sample(paths: list[str], count: int, seed: int) -> Iterator[dict[str, Any]]:
    """Random mutants of some files or folders, one of a place."""
    from cosmic_ray import plugins
    from cosmic_ray.mutating import mutate_code

    chance = random.Random(seed)
    files = sorted(
        file
        for path in paths
        for file in ([ROOT / path] if path.endswith(".py") else (ROOT / path).rglob("*.py"))
    )
    places = [(file, ways) for file in files for _start, ways in sorted(positions(file).items())]
    for file, ways in chance.sample(places, min(count, len(places))):
        before = file.read_text(encoding="utf-8").splitlines(keepends=True)
        name, number = chance.choice(ways)
        after = mutate_code("".join(before), plugins.get_operator(name)(), number).splitlines(keepends=True)
        changes = [
            c for c in difflib.SequenceMatcher(None, before, after, False).get_opcodes() if c[0] != "equal"
        ]
        first, last = (
            max(changes[0][1] - 1, 0),
            changes[-1][2] + 1,
        )  # a line around them tells the place apart
        shift = len(after) - len(before)
        was, becomes = "".join(before[first:last]), "".join(after[first : last + shift])
        yield {"path": str(file.relative_to(ROOT)), "was": was, "becomes": becomes}


def place_of(mutant: dict[str, Any], tree: Path) -> Path | None:
    """The file that holds the mutant's lines now: its own, or the only one of the package."""
    own = tree / mutant["path"]
    holding = [
        file for file in (tree / "gpusim").rglob("*.py") if mutant["was"] in file.read_text(encoding="utf-8")
    ]
    return own if own in holding else holding[0] if len(holding) == 1 else None


def outcome(mutant: dict[str, Any], tree: Path, tests: list[str], seconds: int) -> str:
    """Who notices the mutant? The first test that fails, "too long", "lives", or "gone" if its lines are."""
    file = place_of(mutant, tree)
    if file is None:
        return "gone"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace(mutant["was"], mutant["becomes"], 1), encoding="utf-8")
    try:
        command = [sys.executable, "-B", *PYTEST, *PLAIN, *tests]
        ran = subprocess.run(
            command,
            cwd=tree,
            capture_output=True,
            text=True,
            timeout=seconds,
            env={**os.environ, "PYTHONPATH": str(tree)},
        )
    except subprocess.TimeoutExpired:
        return "too long"
    finally:
        file.write_text(text, encoding="utf-8")
    failed = re.search(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", ran.stdout, re.MULTILINE)
    return "lives" if ran.returncode == 0 else failed[1] if failed else "does not start"


def run(mutants: Path, tests: list[str], seconds: int, known: Path | None) -> Iterator[dict[str, Any]]:
    """Each mutant with its outcome; those of `known` are not run again."""
    done = [json.loads(line) for line in known.read_text().splitlines()] if known and known.exists() else []
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(".*", "_build", "__pycache__"))
        for line in mutants.read_text(encoding="utf-8").splitlines():
            mutant = json.loads(line)
            if not any(mutant.items() <= other.items() for other in done):
                yield {**mutant, "outcome": outcome(mutant, tree, tests, seconds)}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    sampling = commands.add_parser("sample", help="choose mutants of files or folders")
    sampling.add_argument("paths", nargs="+")
    sampling.add_argument("--count", type=int, default=40)
    sampling.add_argument("--seed", type=int, default=0)
    running = commands.add_parser("run", help="run mutants by tests")
    running.add_argument("mutants", type=Path)
    running.add_argument("tests", nargs="+")
    running.add_argument("--seconds", type=int, default=300)
    running.add_argument("--known", type=Path)
    given = vars(parser.parse_args())
    for row in {"sample": sample, "run": run}[given.pop("command")](**given):
        sys.stdout.write(json.dumps(row) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
