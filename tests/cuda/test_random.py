"""Does a kernel draw the numbers that it draws in Numba? Numba's own functions, on the CPU, say."""

from __future__ import annotations

import numpy as np
import pytest
from numba.cuda import random as numbas

from gpusim import cuda
from gpusim.cuda import random
from gpusim.errors import LaunchError

COUNT, DRAWS = 70, 4
FLOAT32_EPSILON = 2**-23


def on_the_cpu(name, dtype, seed):
    """What Numba's function gives: (COUNT, DRAWS) numbers, and the states afterwards."""
    states = np.empty(COUNT, numbas.xoroshiro128p_dtype)
    numbas.init_xoroshiro128p_states_cpu(states, seed, 0)
    drawn = [[getattr(numbas, name)(states, i) for _ in range(DRAWS)] for i in range(COUNT)]
    return np.array(drawn, dtype), states


def in_a_kernel(name, dtype, seed):
    draw = getattr(random, name)

    @cuda.jit
    def fill(states, out):
        i = cuda.grid(1)
        if i < out.shape[0]:
            for k in range(out.shape[1]):
                out[i, k] = draw(states, i)

    states, out = random.create_xoroshiro128p_states(COUNT, seed), np.zeros((COUNT, DRAWS), dtype)
    fill[3, 32](states, out)
    return out, states.copy_to_host()


@pytest.mark.parametrize("count", [0, 1, 2, 3, 64, 100])
@pytest.mark.parametrize(("seed", "start"), [(0, 0), (1, 0), (12345, 1), (2**64 - 1, 5), (-1, 0)])
def test_generators_start_where_numbas_start(count, seed, start):
    states = np.empty(count, numbas.xoroshiro128p_dtype)
    numbas.init_xoroshiro128p_states_cpu(states, np.uint64(seed % 2**64), start)
    ours = random.create_xoroshiro128p_states(count, seed, subsequence_start=start)
    assert (ours.copy_to_host() == states).all()


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        ("xoroshiro128p_next", np.uint64),
        ("xoroshiro128p_uniform_float32", np.float32),
        ("xoroshiro128p_uniform_float64", np.float64),
    ],
)
def test_uniform_numbers_are_numbas_bit_by_bit(name, dtype, machine):
    theirs, their_states = on_the_cpu(name, dtype, 42)
    ours, our_states = in_a_kernel(name, dtype, 42)
    assert (ours == theirs).all()
    assert (our_states == their_states).all()


@pytest.mark.parametrize(
    ("name", "dtype"),
    [("xoroshiro128p_normal_float32", np.float32), ("xoroshiro128p_normal_float64", np.float64)],
)
def test_normal_numbers_are_numbas_to_the_last_bits(name, dtype):
    """They take a logarithm of a float32, which two libraries round differently in the last bit."""
    theirs, their_states = on_the_cpu(name, dtype, 42)
    ours, our_states = in_a_kernel(name, dtype, 42)
    np.testing.assert_allclose(ours, theirs, rtol=4 * FLOAT32_EPSILON, atol=4 * FLOAT32_EPSILON)
    assert (our_states == their_states).all()


def test_a_jump_in_a_kernel_skips_2_to_the_64():
    @cuda.jit
    def jump(states):
        random.xoroshiro128p_jump(states, cuda.grid(1))

    states = random.create_xoroshiro128p_states(3, seed=9)
    jump[1, 3](states)
    following = random.create_xoroshiro128p_states(3, seed=9, subsequence_start=1)
    assert (states.copy_to_host() == following.copy_to_host()).all()


def test_pi_by_chance(device):
    @cuda.jit
    def inside(states, draws, out):
        i = cuda.grid(1)
        hits = 0
        for _ in range(draws):
            x = random.xoroshiro128p_uniform_float32(states, i)
            y = random.xoroshiro128p_uniform_float32(states, i)
            if x * x + y * y <= 1:
                hits += 1
        out[i] = 4 * hits / draws

    out = np.zeros(1024, np.float32)
    inside[4, 256](random.create_xoroshiro128p_states(1024, seed=1), 200, out)
    assert abs(out.mean() - np.pi) < 0.02


@pytest.mark.parametrize("start", [-1, 1.5, True])
def test_generators_start_a_whole_number_of_jumps_from_the_seed(start):
    with pytest.raises(LaunchError, match="subsequence_start is a number of jumps, 0 or more, not"):
        random.create_xoroshiro128p_states(2, seed=1, subsequence_start=start)
