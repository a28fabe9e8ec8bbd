"""Do branches, loops, switches and calls leave what they leave in C? Random functions, each in 96 threads."""

from __future__ import annotations

import numpy as np
import pytest

import gpusim
from tests.frontends.cuda_cpp.c_reference import Reference
from tests.frontends.cuda_cpp.c_types import LONG_LONG
from tests.frontends.cuda_cpp.expressions import Expression
from tests.frontends.cuda_cpp.programs import Program, differences
from tests.frontends.cuda_cpp.statements import HELPERS, Statements
from tests.hunting import some

SEEDS = some(range(40), 2)
MACHINES = [(device, model) for device in ("H200", "MetaX C500") for model in ("independent", "stack")]


def random_function(seed: int) -> Program:
    """A function, called in each thread on that row's numbers."""
    text, types = Statements(seed).function(f"random{seed}")
    names = ", ".join(f"{type_.letter}{place % 3}" for place, type_ in enumerate(types))
    variables = frozenset((type_, place % 3) for place, type_ in enumerate(types))
    call = Expression(f"random{seed}({names})", LONG_LONG, variables=variables)
    return Program(f"call_{seed}", [(call, LONG_LONG)], HELPERS + text)


PROGRAMS = {seed: random_function(seed) for seed in SEEDS}


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Reference:
    texts = (program.prologue.removeprefix(HELPERS) + program.function for program in PROGRAMS.values())
    return Reference(HELPERS + "".join(texts), tmp_path_factory.mktemp("statements"))


@pytest.mark.parametrize("seed", SEEDS)
def test_random_functions_give_what_c_gives(seed, reference):
    program = PROGRAMS[seed]
    device, scheduling = MACHINES[seed % len(MACHINES)]
    with gpusim.use(device, scheduling=scheduling):
        found = differences(program, reference)
    assert not found, f"{found[0][1]}\n{program.prologue}"


def test_conditional_expressions_inside_each_other_are_read_once():
    # twice each would be a million times for twenty
    chain = "0"
    for place in range(20):
        chain = f"x[0] == {place} ? x[{place + 1}] : {chain}"
    text = f'extern "C" __global__ void choose(const int* x, int* out) {{ out[0] = {chain}; }}'
    out = np.zeros(1, np.int32)
    gpusim.RawKernel(text, "choose")((1,), (1,), (np.arange(7, 28, dtype=np.int32), out))
    assert out[0] == 15  # x[0] is 7, and x[8] is 15


def test_a_side_that_never_runs_has_a_part_in_the_type():
    kernel = gpusim.RawKernel(
        """extern "C" __global__ void choose(int i, unsigned int u, double* out) {
            out[0] = true ? i : u;
            out[1] = true ? i : static_cast<unsigned long>(u);
            out[2] = true ? i : 0.5f;
        }""",
        "choose",
    )
    out = np.zeros(3)
    kernel((1,), (1,), (-1, 1, out))
    assert out.tolist() == [2.0**32 - 1, 2.0**64, -1.0]


def test_own_arrays_of_warps_that_part_are_not_mixed_up():
    kernel = gpusim.RawKernel(
        """extern "C" __global__ void own(const int* x, int* out) {
            int i = threadIdx.x, a[2] = {i, 100 + i}, which = 0;
            if (x[i] + a[0] > 40) which = 1;
            if (x[i] + a[0] > 70) out[i] = which + a[1];
        }""",
        "own",
    )
    out = np.zeros(96, np.int32)
    kernel((1,), (96,), (np.zeros(96, np.int32), out))
    assert out.tolist() == [101 + i if i > 70 else 0 for i in range(96)]
