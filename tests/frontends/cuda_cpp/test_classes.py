"""Do structs, templates, lambdas and recursion leave what they leave in C++? Random functions, as before."""

from __future__ import annotations

import os

import numpy as np
import pytest

import gpusim
from tests.frontends.cuda_cpp.c_reference import Reference
from tests.frontends.cuda_cpp.c_types import LONG_LONG
from tests.frontends.cuda_cpp.classes import Classes
from tests.frontends.cuda_cpp.expressions import Expression
from tests.frontends.cuda_cpp.programs import Program, differences
from tests.frontends.cuda_cpp.statements import HELPERS
from tests.hunting import some

# `GPUSIM_SEEDS=60:5060` tries five thousand others
FIRST, LAST = os.environ.get("GPUSIM_SEEDS", "0:60").split(":")
SEEDS = some(range(int(FIRST), int(LAST)), 2)
MACHINES = [(device, model) for device in ("H200", "MetaX C500") for model in ("independent", "stack")]


def random_program(seed: int) -> Program:
    """A function and what it uses, called in each thread on that row's numbers."""
    text, types = Classes(seed).text(f"random{seed}")
    names = ", ".join(f"{type_.letter}{place % 3}" for place, type_ in enumerate(types))
    variables = frozenset((type_, place % 3) for place, type_ in enumerate(types))
    call = Expression(f"random{seed}({names})", LONG_LONG, variables=variables)
    return Program(f"call_{seed}", [(call, LONG_LONG)], HELPERS + text)


@pytest.fixture(scope="module")
def programs() -> dict[int, Program]:
    return {seed: random_program(seed) for seed in SEEDS}


@pytest.fixture(scope="module")
def reference(programs: dict[int, Program], tmp_path_factory: pytest.TempPathFactory) -> Reference:
    texts = (program.prologue.removeprefix(HELPERS) + program.function for program in programs.values())
    return Reference(HELPERS + "".join(texts), tmp_path_factory.mktemp("classes"))


def compared(seed: int, program: Program, reference: Reference) -> str:
    """How a function differs from what C++ gives; nothing where it does not."""
    device, scheduling = MACHINES[seed % len(MACHINES)]
    with gpusim.use(device, scheduling=scheduling):
        found = differences(program, reference)
    return f"seed {seed}: {found[0][1]}\n{program.prologue}" if found else ""


@pytest.mark.parametrize("seed", SEEDS)
def test_random_functions_give_what_cpp_gives(seed, programs, reference):
    assert not compared(seed, programs[seed], reference)


# what random functions have found, each in few lines

FOUND = {
    "auto f = [&](int k) { x = 9; x += k; }; f(x);": 9 + 5,  # the argument is what the variable held before
    "struct T { int v; T* next; } t[2] = {{3, nullptr}, {4, t}}; x = t[1].next->v;": 3,  # names itself
    "switch (x) { case 5: x = 1; [[fallthrough]]; case 6: x += 2; }": 3,
    "int a[2] = {1, 2}, b[2] = {3, 4}; const int* p = x > 4 ? b : a; x = p[1];": 4,
    "int a[2] = {1, 2}, b[2] = {3, 4}; x = (x > zero(x) ? b : a)[1];": 4,
}


@pytest.mark.parametrize("body", FOUND)
def test_found(body):
    code = "__device__ int zero(int x) { return 0; }\n"
    code += f"__global__ void k(int* out) {{ int x = 5; {body} out[0] = x; }}"
    out = np.zeros(1, np.int32)
    gpusim.RawModule(code=code).get_function("k")((1,), (1,), (out,))
    assert out[0] == FOUND[body]
