"""What does a compiler make of a kernel? Which loops it unrolls, and in which order operations come."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpusim
from gpusim.ir.types import Space
from gpusim.timing.operations import FIRST_SLOT, Code, Operation, Stall, arranged
from gpusim.timing.pipes import Pipe
from gpusim.timing.unrolling import loops
from tests.timing.measuring import timed


def function(text):
    """A kernel of this body, as the IR has it; `x` and `n` are its arguments."""
    module = gpusim.RawModule(code=f'extern "C" __global__ void kernel(float* x, int n) {{ {text} }}')
    return module.get_function("kernel").function


def only_loop(text):
    (loop,) = loops(function(text).blocks)
    return loop


@pytest.mark.parametrize("bound", ["n", "blockDim.x", "n * 3u"], ids=["int", "unsigned", "unsigned product"])
def test_a_loop_that_counts_by_a_constant_is_unrolled_four_times(bound):
    loop = only_loop(f"float s = 0; for (int k = 0; k < {bound}; k++) s += x[k]; x[0] = s;")
    assert loop.copies == (4,)
    assert not loop.constant
    assert len(loop.addresses) == 1


def test_a_loop_of_constant_trips_is_written_out():
    loop = only_loop("float s = 0; for (int k = 0; k < 7; k++) s += x[k]; x[0] = s;")
    assert loop.constant
    assert loop.copies[0] == 16
    assert [register.name for register in loop.known] == ["k"]


def test_nobody_unrolls_a_loop_by_an_unknown_step_or_one_that_ends_for_another_reason():
    by_the_grid = only_loop(
        "float s = 0; for (int k = threadIdx.x; k < n; k += blockDim.x) s += x[k]; x[0] = s;"
    )
    assert by_the_grid.copies == ()
    until = only_loop("float s = x[0]; int k = 0; while (s < 4) { s = s * s; k++; } x[0] = s + k;")
    assert until.copies == ()
    assert not until.ends


def test_what_is_the_same_in_every_trip_is_computed_once():
    loop = only_loop("float s = 0; for (int k = 0; k < n; k += 2) s += x[k + n * 3]; x[0] = s;")
    assert any(each.opcode.mnemonic == "mul" for each in loop.counting)


def test_a_number_that_is_also_used_otherwise_is_counted_each_time():
    loop = only_loop("int s = 0; for (int k = 0; k < n; k++) s = s * 3 + k; x[0] = s;")
    assert not any(each.opcode.mnemonic == "add" and "k" in str(each.destination) for each in loop.counting)


def test_an_array_of_known_indices_is_in_registers():
    with_array = r"""float s[4] = {0, 0, 0, 0};
        for (int k = 0; k < 64; k++) for (int j = 0; j < 4; j++) s[j] += x[k] * j;
        x[threadIdx.x] = s[0] + s[1] + s[2] + s[3];"""
    unknown = with_array.replace("s[0] +", "s[n] +")

    def cycles(text):
        module = gpusim.RawModule(code=f'extern "C" __global__ void kernel(float* x, int n) {{ {text} }}')
        return timed(module.get_function("kernel"), 1, 32, np.ones(64, np.float32), np.int32(1)).cycles

    assert cycles(unknown) > 1.5 * cycles(with_array)


@pytest.mark.parametrize("trips", ["8", "n"])
@pytest.mark.parametrize("product", ["x[64] * x[k]", "x[k] * x[64]"])
def test_a_load_that_is_the_same_in_every_trip_happens_and_others_keep_their_addresses(product, trips):
    def time(text):
        module = gpusim.RawModule(code=f'extern "C" __global__ void kernel(float* x, int n) {{ {text} }}')
        return timed(module.get_function("kernel"), 1, 32, np.ones(128, np.float32), np.int32(8))

    inside = time(f"float s = 0; for (int k = 0; k < {trips}; k++) s += {product}; x[threadIdx.x] = s;")
    before = product.replace("x[64]", "same")
    outside = time(
        f"float s = 0, same = x[64]; for (int k = 0; k < {trips}; k++) s += {before}; x[threadIdx.x] = s;"
    )
    assert inside.l2_bytes == outside.l2_bytes
    assert inside.instructions == pytest.approx(outside.instructions, abs=3)


@pytest.mark.parametrize("between", ["__syncwarp();", "__threadfence();", "__syncthreads();"])
def test_what_others_may_have_written_is_loaded_again(between):
    with_loads = only_loop(f"float s = 0; for (int k = 0; k < n; k++) {{ s += x[3]; {between} }} x[0] = s;")
    assert not any(each.opcode.accesses_memory for each in with_loads.counting)


def test_a_start_that_only_one_way_to_the_loop_gives_is_not_known():
    known = only_loop("int i = 0; float s = 0; for (; i < 8; i++) s += x[0]; x[0] = s;")
    either = only_loop(
        "int i; float s = 0; if (n > 3) i = n - 200; else i = 0; for (; i < 8; i++) s += x[0]; x[0] = s;"
    )
    assert (known.constant, either.constant) == (True, False)


def operation(destination, *sources, load=False, move=False):
    code = Code.RENAME if move else Code.MEMORY if load else Code.COMPUTE
    kind, space = ("load", Space.GLOBAL) if load else ("", None)
    return Operation(code, Pipe.FP32, 1, 1.0, 4.0, destination, sources, 0, Stall.WAIT, space, kind)


def test_loads_come_before_what_needs_the_first_of_them():
    a, b, total, more = range(FIRST_SLOT, FIRST_SLOT + 4)
    given_ = [
        operation(a, load=True),
        operation(total, a),
        operation(b, load=True),
        operation(more, total, b),
    ]
    kinds = [each.code for each in arranged(given_, {more}, FIRST_SLOT + 4)]
    assert kinds == [Code.MEMORY, Code.MEMORY, Code.COMPUTE, Code.COMPUTE, Code.RENAME]


@given(
    st.lists(
        st.tuples(
            st.integers(0, 5),
            st.lists(st.integers(0, 5), min_size=1, max_size=3),
            st.sampled_from(["sum", "load", "move"]),
        ),
        max_size=20,
    )
)
def test_whatever_the_order_each_operation_reads_the_value_it_read_before(rows):
    slots = range(FIRST_SLOT, FIRST_SLOT + 6)
    given_ = [
        operation(
            slots[target],
            *(slots[each] for each in (sources[:1] if kind == "move" else sources)),
            **({} if kind == "sum" else {kind: True}),
        )._replace(line=line)
        for line, (target, sources, kind) in enumerate(rows)
    ]

    def values(operations):
        """Which lines made what each line reads, and what is in the slots at the end?"""
        made: dict[int, int] = {}
        reads: dict[int, list[int]] = {}
        for each in operations:
            if each.code is Code.RENAME:
                made[each.destination] = made.get(each.sources[0], ~each.sources[0])
            else:
                reads[each.line] = [made.get(source, ~source) for source in each.sources]
                made[each.destination] = each.line
        return reads, [made.get(slot, ~slot) for slot in slots]  # ~slot: what was there before

    assert values(arranged(given_, set(slots), slots[-1] + 1)) == values(given_)
