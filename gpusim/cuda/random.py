"""Which random numbers does a kernel get? Those of `numba.cuda.random`, bit by bit: xoroshiro128+.

Every thread has a generator of its own: an element of `states`, 2**64 steps from the next.

>>> from gpusim import cuda
>>> from gpusim.cuda.random import create_xoroshiro128p_states, xoroshiro128p_uniform_float32
>>> @cuda.jit
... def draw(states, out):
...     i = cuda.grid(1)
...     out[i] = xoroshiro128p_uniform_float32(states, i)
>>> out = np.zeros(2, np.float32)
>>> draw[1, 2](create_xoroshiro128p_states(2, seed=1), out)
>>> out.tolist()
[0.13312314450740814, 0.8763487339019775]
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
import numpy.typing as npt

from gpusim.cuda.dispatcher import jit
from gpusim.runtime.device_array import DeviceNDArray, device_array
from gpusim.whole import whole

xoroshiro128p_dtype = np.dtype([("s0", np.uint64), ("s1", np.uint64)], align=True)

TWO_PI_FLOAT32, TWO_PI_FLOAT64 = np.float32(2 * math.pi), np.float64(2 * math.pi)
UNIT = 1 / 2**53
ALL_BITS = 2**64 - 1
JUMP = (0xBEAC0467EBA5FACB, 0xD86B048B86AA9922)
STATE_BITS = 128

States = npt.NDArray[np.uint64]  # (n, 2): s0 and s1 of n generators


@jit(device=True)
def rotl(x, k):  # type: ignore[no-untyped-def]
    """Rotate 64 bits to the left."""
    x = np.uint64(x)
    k = np.uint32(k)
    return (x << k) | (x >> np.uint32(64 - k))


@jit(device=True)
def xoroshiro128p_next(states, index):  # type: ignore[no-untyped-def]
    """The next 64 random bits."""
    index = np.int64(index)
    s0 = states[index]["s0"]
    s1 = states[index]["s1"]
    result = s0 + s1
    s1 ^= s0
    states[index]["s0"] = np.uint64(rotl(s0, np.uint32(55))) ^ s1 ^ (s1 << np.uint32(14))
    states[index]["s1"] = np.uint64(rotl(s1, np.uint32(36)))
    return result


@jit(device=True)
def xoroshiro128p_jump(states, index):  # type: ignore[no-untyped-def]
    """Skip 2**64 numbers."""
    index = np.int64(index)
    s0 = np.uint64(0)
    s1 = np.uint64(0)
    for i in range(2):
        jump = np.uint64(JUMP[0]) if i == 0 else np.uint64(JUMP[1])
        for bit in range(64):
            if jump & (np.uint64(1) << np.uint32(bit)):
                s0 ^= states[index]["s0"]
                s1 ^= states[index]["s1"]
            xoroshiro128p_next(states, index)
    states[index]["s0"] = s0
    states[index]["s1"] = s1


@jit(device=True)
def uint64_to_unit_float64(x):  # type: ignore[no-untyped-def]
    """The upper 53 bits as a number from 0 up to 1."""
    x = np.uint64(x)
    return (x >> np.uint32(11)) * UNIT


@jit(device=True)
def uint64_to_unit_float32(x):  # type: ignore[no-untyped-def]
    """The same, rounded to 32 bits."""
    return np.float32(uint64_to_unit_float64(np.uint64(x)))


@jit(device=True)
def xoroshiro128p_uniform_float32(states, index):  # type: ignore[no-untyped-def]
    """A float32 from 0 up to 1."""
    return uint64_to_unit_float32(xoroshiro128p_next(states, np.int64(index)))


@jit(device=True)
def xoroshiro128p_uniform_float64(states, index):  # type: ignore[no-untyped-def]
    """A float64 from 0 up to 1."""
    return uint64_to_unit_float64(xoroshiro128p_next(states, np.int64(index)))


@jit(device=True)
def xoroshiro128p_normal_float32(states, index):  # type: ignore[no-untyped-def]
    """A normally distributed float32 with mean 0 and deviation 1; it takes two steps."""
    index = np.int64(index)
    u1 = xoroshiro128p_uniform_float32(states, index)
    u2 = xoroshiro128p_uniform_float32(states, index)
    return math.sqrt(-np.float32(2.0) * math.log(u1)) * math.cos(TWO_PI_FLOAT32 * u2)


@jit(device=True)
def xoroshiro128p_normal_float64(states, index):  # type: ignore[no-untyped-def]
    """A normally distributed float64 with mean 0 and deviation 1; it takes two steps.

    As in Numba, the uniform numbers it is made of are float32.
    """
    index = np.int64(index)
    u1 = xoroshiro128p_uniform_float32(states, index)
    u2 = xoroshiro128p_uniform_float32(states, index)
    return math.sqrt(-np.float64(2.0) * math.log(u1)) * math.cos(TWO_PI_FLOAT64 * u2)


def _scrambled(seed: int) -> int:
    """SplitMix64, which makes of a small seed one with many bits."""
    z = (seed + 0x9E3779B97F4A7C15) & ALL_BITS
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & ALL_BITS
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & ALL_BITS
    return z ^ (z >> 31)


@functools.cache
def _jump_columns() -> States:
    """Where does a jump take each single bit of a state? All that a jump does is exclusive or of these."""
    bits = np.zeros((STATE_BITS, 2), np.uint64)
    bits[np.arange(STATE_BITS, dtype=np.int64), np.arange(STATE_BITS, dtype=np.int64) // 64] = np.uint64(
        1
    ) << np.arange(STATE_BITS, dtype=np.uint64) % np.uint64(64)
    (s0, s1), jumped = bits.T.copy(), np.zeros_like(bits)
    for step in range(STATE_BITS):
        if JUMP[step // 64] >> step % 64 & 1:
            jumped ^= np.stack([s0, s1], axis=1)
        s1 = s1 ^ s0
        s0 = (s0 << np.uint64(55) | s0 >> np.uint64(9)) ^ s1 ^ s1 << np.uint64(14)
        s1 = s1 << np.uint64(36) | s1 >> np.uint64(28)
    return jumped


def _moved(states: States, columns: States) -> States:
    """The states after a move that takes their single bits to `columns`."""
    moved = np.zeros_like(states)
    for bit in range(STATE_BITS):
        is_set = states[:, bit // 64] >> np.uint64(bit % 64) & np.uint64(1)
        moved ^= np.where(is_set[:, None] != 0, columns[bit], np.uint64(0))
    return moved


def init_xoroshiro128p_states(
    states: DeviceNDArray, seed: int, subsequence_start: int = 0, stream: Any = 0
) -> None:
    """Set the generators of `states` 2**64 steps apart, the first `subsequence_start` such jumps from `seed`.

    They are made on the host, each time twice as many: a million take about two seconds.
    """
    jumps = whole(subsequence_start, "subsequence_start is a number of jumps, 0 or more", least=0)
    made = np.full((1, 2), _scrambled(int(seed) & ALL_BITS), np.uint64)
    columns = _jump_columns()
    while jumps:
        made = _moved(made, columns) if jumps & 1 else made
        columns, jumps = _moved(columns, columns), jumps >> 1
    columns = _jump_columns()
    while len(made) < states.size:
        made = np.concatenate([made, _moved(made, columns)])
        columns = _moved(columns, columns)
    host = np.ascontiguousarray(made[: states.size]).view(xoroshiro128p_dtype).reshape(states.shape)
    states.copy_to_device(host, stream=stream)


def create_xoroshiro128p_states(
    n: int, seed: int, subsequence_start: int = 0, stream: Any = 0
) -> DeviceNDArray:
    """A device array of `n` generators, 2**64 steps apart."""
    states = device_array(n, dtype=xoroshiro128p_dtype, stream=stream)
    init_xoroshiro128p_states(states, seed, subsequence_start, stream)
    return states
