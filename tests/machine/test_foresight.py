"""Is a loop that counts towards what is far away called endless early, and never one that ends in time?"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpusim
from gpusim import cuda
from gpusim.errors import Livelock, OutOfBounds
from gpusim.events import BlockIssued, GridLaunched, GridObserver
from gpusim.machine import watch
from gpusim.runtime.settings import changed, during

COUNTS = "(it counts, and would go on counting for more than"


class Steps(GridObserver):
    """Counts the blocks that were executed."""

    wants = frozenset({BlockIssued})

    def __init__(self):
        self.steps = 0

    def watches(self, _launched: GridLaunched):
        return self

    def observe(self, _event):
        self.steps += 1


@pytest.fixture
def soon(monkeypatch):
    """Whoever looks for endless loops begins after a quarter of the steps, and for rounds as long."""
    for name in ("FIRST_SNAPSHOT_STEPS", "FIRST_FORESIGHT_STEPS", "STEPS_PER_STEP_OF_A_ROUND"):
        monkeypatch.setattr(watch, name, getattr(watch, name) // 4)


def steps_until_reported(launch) -> int:
    counter = Steps()
    with during(changed(observer=counter)), pytest.raises(Livelock) as caught:
        launch()
    assert COUNTS in caught.value.message
    return counter.steps


@cuda.jit
def up(x):
    i = np.int64(1)
    while i >= 0:
        i += 1
    x[0] = i


@cuda.jit
def past_zero(x):
    """Lane 0 leaves at once, odd lanes never."""
    i = cuda.threadIdx.x
    while i != 0:
        i += 2
    x[0] = i


@cuda.jit
def down(x):
    i = np.uint32(4_000_000_000) - cuda.threadIdx.x
    while i > 5:
        i -= 3
    x[0] = i


@cuda.jit
def in_memory(x):
    while x[0] >= 0:
        x[0] += 1


@cuda.jit
def each_its_own(x):
    i = cuda.threadIdx.x
    while x[i] >= 0:
        x[i] += 2


@cuda.jit
def in_shared_memory(x):
    seen = cuda.shared.array(128, np.float32)
    t = cuda.threadIdx.x
    seen[t] = t
    while seen[t] < 1e20:
        seen[t] += 3
    x[t] = seen[t]


@cuda.jit
def by_range(x):
    for k in range(10**12):
        x[1] = k


@cuda.jit
def in_floats(x):
    t = 0.0
    while t < 1e30:
        t += 1.0
    x[0] = t


@cuda.jit
def every_fourth(x):
    """What it adds up does not go on in a straight line, and decides nothing."""
    i, total = 0, 0
    while i >= 0:
        if i % 4 == 0:
            total += i
        i += 1
    x[0] = total


@cuda.jit
def a_loop_in_a_loop(x):
    i = 0
    while i >= 0:
        for j in range(3):
            x[j] = j
        i += 1


@cuda.jit
def leaves_at_many_rounds(x):
    """Even lanes meet their bound, each in its own round; odd ones count by it."""
    i, bound = 0, cuda.threadIdx.x * 20
    if cuda.threadIdx.x % 2 == 1:
        bound += 1
    while i != bound:
        i += 2
    x[cuda.threadIdx.x] = i


@cuda.jit
def by_atomics(x):
    while x[0] >= 0:
        cuda.atomic.add(x, 0, 1)
        cuda.atomic.sub(x, 1, 2)


@cuda.jit
def by_atomics_of_each_block(x):
    seen = cuda.shared.array(1, np.int64)
    seen[0] = 0
    cuda.syncthreads()
    while seen[0] >= 0:
        cuda.atomic.add(seen, 0, 1)
    x[0] = seen[0]


@cuda.jit
def in_sums_of_a_loop(x):
    i = 0
    while True:
        for j in range(10):
            for k in range(2):
                i += j * k
        if i < 0:
            break
    x[0] = i


@cuda.jit
def by_barriers(x):
    i = 0
    while i >= 0:
        i += 1
        cuda.syncthreads()
    x[0] = i


FAR = [
    up,
    past_zero,
    down,
    in_memory,
    each_its_own,
    in_shared_memory,
    by_range,
    in_floats,
    every_fourth,
    a_loop_in_a_loop,
    leaves_at_many_rounds,
    by_atomics,
    by_atomics_of_each_block,
    in_sums_of_a_loop,
    by_barriers,
]


@cuda.jit
def count_the_votes(x):
    """No register and no memory tells its rounds apart, but what the threads agreed on before."""
    t, votes = cuda.threadIdx.x, 0
    while True:
        votes = cuda.syncthreads_count(t <= votes)
        x[votes] = 1


def test_what_threads_agreed_on_counts():
    with pytest.raises(OutOfBounds, match="index 600"):
        count_the_votes[1, 1000](np.zeros(600, np.int64))


@pytest.mark.parametrize("schedule", [None, "serial", 3])
def test_passing_barriers_for_ever_is_reported_and_passing_many_is_not(machine, soon, schedule):
    @cuda.jit
    def pass_barriers(x, count):
        while x[0] < count:
            cuda.syncthreads()
            if cuda.threadIdx.x == 0:
                x[0] += 1
            cuda.syncthreads()

    @cuda.jit
    def pass_barriers_for_ever():
        while True:
            cuda.syncthreads()

    x = np.zeros(1, np.int64)
    with gpusim.use(schedule=schedule):
        pass_barriers[1, 40](x, 150)
        assert x[0] == 150
        with gpusim.use(step_budget=5_000), pytest.raises(Livelock):
            pass_barriers_for_ever[1, 40]()


@pytest.mark.parametrize("kernel", FAR)
def test_a_loop_that_counts_towards_what_is_far_away_is_reported_early(machine, soon, kernel):
    assert steps_until_reported(lambda: kernel[1, 100](np.zeros(128, np.int64))) < 20_000


@pytest.mark.parametrize("condition", ["i != -1", "i >= 0", "i < 2000000000", "p[0] == 0 && i != 7"])
def test_the_same_in_c(machine, condition):
    code = f"""
    extern "C" __global__ void k(int* p) {{
        for (int i = 8; {condition}; i++) ;
        p[1] = 1;
    }}
    """
    kernel = gpusim.RawModule(code=code).get_function("k")
    assert steps_until_reported(lambda: kernel((1,), (64,), (np.zeros(2, np.int32),))) < 20_000


def outcome(launch, budget, foresight_from):
    """What a launch leaves in memory, or None where it does not end; and whether that was foreseen."""
    with pytest.MonkeyPatch.context() as patch, gpusim.use(step_budget=budget):
        patch.setattr(watch, "FIRST_FORESIGHT_STEPS", foresight_from)
        patch.setattr(watch, "FIRST_SNAPSHOT_STEPS", 256)  # the programs here are short
        try:
            return launch().tobytes(), False
        except Livelock as reported:
            return None, COUNTS in reported.message


def judged_alike(launch, budget):
    """A look ahead changes nothing but when it is told. Was it told early?"""
    early, late = outcome(launch, budget, 256), outcome(launch, budget, 1 << 40)
    assert (early[0] is None) == (late[0] is None)
    assert early[0] is None or early == late
    return early[0] is None and early[1]


@pytest.mark.parametrize("rounds", [250, 497, 498, 499, 501, 600, 5000])
def test_it_is_told_where_the_budget_would_be_spent(machine, rounds):
    """A round has two steps, and three more come before and after: 499 rounds take 1001 steps."""

    @cuda.jit
    def up_to(x, rounds):
        i = 0
        while i < rounds:
            i += 1
        x[0] = i

    def launch():
        x = np.zeros(1, np.int64)
        up_to[1, 40](x, rounds)
        return x

    assert judged_alike(launch, 1000) == (rounds > 510)


TYPES = {
    "signed char": np.int8,
    "unsigned char": np.uint8,
    "short": np.int16,
    "unsigned short": np.uint16,
    "int": np.int32,
    "unsigned int": np.uint32,
    "long long": np.int64,
    "unsigned long long": np.uint64,
    "float": np.float32,
    "double": np.float64,
}
NEAR = st.integers(-3, 3)


@st.composite
def near(draw, numpy_type):
    """Numbers of a type: small ones, and those at its bounds, and where a loop of 1000 steps ends."""
    dtype = np.dtype(numpy_type)
    if dtype.kind == "f":
        return numpy_type(
            draw(st.sampled_from([0.0, 0.5, 1e30, -1000.0, 1000.0, 2.0**24, -(2.0**53)])) + draw(NEAR)
        )
    info = np.iinfo(dtype)
    around = draw(st.sampled_from([0, 127, 500, 1000, 30_000, info.min, info.max, info.max // 2]))
    return np.array((around + draw(NEAR)) % (1 << info.bits), np.uint64).astype(dtype)[()]


@given(st.data())
def test_loops_end_with_foresight_as_they_do_without(data):
    kind = data.draw(st.sampled_from(list(TYPES)))
    dtype = TYPES[kind]
    compare = data.draw(st.sampled_from(["<", "<=", ">", ">=", "==", "!="]))
    changes = ["i + by", "i - by", "by - i", "i * 1 + by", "i + ((int)k & 1)", "i + (int)k % 3"]
    change = data.draw(st.sampled_from(changes))
    counter = data.draw(
        st.sampled_from(["i", "k * by", "((int)k << 2) + i", "(int)i % 8", "-i", "memory[90]"])
    )
    place = data.draw(st.sampled_from(["threadIdx.x", "90", "threadIdx.x / 2"]))
    code = f"""
    extern "C" __global__ void k({kind}* memory, {kind} start, {kind} by, {kind} bound, {kind} apart) {{
        {kind} i = start + ({kind})(threadIdx.x * apart);
        {kind} k = 0;
        while (({kind})({counter}) {compare} bound && memory[200] == 0) {{
            i = {change};
            k = k + 1;
            memory[{place}] = i;
        }}
        memory[threadIdx.x] = k;
    }}
    """
    kernel = gpusim.RawModule(code=code).get_function("k")
    start, by, bound = (data.draw(near(dtype)) for _ in range(3))
    by = data.draw(st.sampled_from([by, *(dtype(small) for small in (1, 2, 3, 8))]))
    apart = dtype(data.draw(st.sampled_from([0, 0, 1, 2, 5])))

    def launch():
        memory = np.zeros(256, dtype)
        kernel((1,), (threads,), (memory, start, by, bound, apart))
        return memory

    threads = data.draw(st.sampled_from([1, 32, 100]))
    scheduling = data.draw(st.sampled_from(["stack", "independent"]))
    with gpusim.use(data.draw(st.sampled_from(["H200", "MetaX C500"])), scheduling=scheduling):
        judged_alike(launch, data.draw(st.sampled_from([1000, 3000])))


@given(st.data())
def test_loops_of_loops_atomics_and_barriers_end_with_foresight_as_without(data):
    draw = data.draw
    inner = draw(st.sampled_from(["1", "3", "4", "threadIdx.x % 3", "i % 2 + 1", "memory[200] % 4"]))
    step = draw(st.sampled_from(["by", "j", "j - 1", "-by"]))
    atomic = draw(
        st.sampled_from(["", "atomicAdd(&memory[0], by);", "atomicSub(memory + threadIdx.x, i % 2);"])
    )
    shared = draw(st.sampled_from(["", "atomicAdd(&seen[threadIdx.x & 1], by);", "seen[0] = i;"]))
    barrier = draw(st.sampled_from(["", "__syncthreads();", "if (__syncthreads_or(i == bound)) break;"]))
    counter = draw(
        st.sampled_from(["i", "i % 8", "memory[0]", "memory[threadIdx.x]", "seen[0]", "seen[1] - i"])
    )
    compare = draw(st.sampled_from(["<", "<=", ">", ">=", "==", "!="]))
    if barrier:  # which all threads must reach as often
        inner, counter = inner.replace("threadIdx.x", "3"), counter.replace("threadIdx.x", "1")
    code = f"""
    extern "C" __global__ void k(int* memory, int start, int by, int bound) {{
        __shared__ int seen[2];
        int i = start;
        seen[threadIdx.x & 1] = 0;
        __syncthreads();
        while ({counter} {compare} bound) {{
            for (int j = 0; j < {inner}; ++j) i += {step};
            {atomic} {shared} {barrier}
        }}
        memory[100 + threadIdx.x] = i;
    }}
    """
    numbers = draw(near(np.int32)), np.int32(draw(NEAR)), draw(near(np.int32))
    kernel = gpusim.RawModule(code=code).get_function("k")
    model = draw(st.sampled_from(["stack", "independent"]))

    def launch():
        memory = np.zeros(256, np.int32)
        kernel((2,), (48,), (memory, *numbers))
        return memory

    with gpusim.use(scheduling=model):
        judged_alike(launch, 1500)
