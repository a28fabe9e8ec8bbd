"""Do structs, templates, lambdas and recursion leave what they leave in C++? Random functions, in 96 threads.

`--more=5000` tries so many new ones.
"""

from __future__ import annotations

import pytest

import gpusim
from tests.frontends.cuda_cpp.c_reference import Reference
from tests.frontends.cuda_cpp.c_types import LONG_LONG
from tests.frontends.cuda_cpp.classes import Classes
from tests.frontends.cuda_cpp.expressions import Expression
from tests.frontends.cuda_cpp.programs import Program, differences
from tests.frontends.cuda_cpp.statements import HELPERS

SEEDS = range(60)
MACHINES = [(device, model) for device in ("H200", "MetaX C500") for model in ("independent", "stack")]


def random_program(seed: int) -> Program:
    """A function and what it uses, called in each thread on that row's numbers."""
    text, types = Classes(seed).text(f"random{seed}")
    names = ", ".join(f"{type_.letter}{place % 3}" for place, type_ in enumerate(types))
    variables = frozenset((type_, place % 3) for place, type_ in enumerate(types))
    call = Expression(f"random{seed}({names})", LONG_LONG, variables=variables)
    return Program(f"call_{seed}", [(call, LONG_LONG)], HELPERS + text)
