"""Do both languages make the same instructions where threads meet, and where they change memory together?"""

from __future__ import annotations

import pytest

from tests.frontends.languages import cpp, listing, python

ALL = "0xffffffff"
SAME = {
    "barrier": ("cuda.syncthreads()", "__syncthreads();"),
    "barrier that counts": ("x[0] = cuda.syncthreads_count(n > 3)", "x[0] = __syncthreads_count(n > 3);"),
    "barrier of a warp": (f"cuda.syncwarp({ALL})", f"__syncwarp({ALL});"),
    "fence of the block": ("cuda.threadfence_block()", "__threadfence_block();"),
    "fence of the grid": ("cuda.threadfence()", "__threadfence();"),
    "fence of the system": ("cuda.threadfence_system()", "__threadfence_system();"),
    "sleep": ("cuda.nanosleep(100)", "__nanosleep(100);"),
    "shuffle": (f"x[0] = cuda.shfl_sync({ALL}, n, 3)", f"x[0] = __shfl_sync({ALL}, n, 3);"),
    "shuffle down": (f"x[0] = cuda.shfl_down_sync({ALL}, n, 4)", f"x[0] = __shfl_down_sync({ALL}, n, 4);"),
    "shuffle xor": (f"x[0] = cuda.shfl_xor_sync({ALL}, n, 4)", f"x[0] = __shfl_xor_sync({ALL}, n, 4);"),
    "atomic": ("x[1] = cuda.atomic.max(x, 0, n)", "x[1] = atomicMax(x, n);"),
    "atomic of the block": ("cuda.atomic.block.min(x, 0, n)", "atomicMin_block(x, n);"),
}


@pytest.mark.parametrize("name", SAME)
def test_the_languages_agree(name):
    ours, theirs = SAME[name]
    assert listing(python(ours)) == listing(cpp(theirs))


def test_lanes_bring_something_and_get_something():
    assert listing(python(f"x[0] = cuda.shfl_down_sync({ALL}, n, 4)")).splitlines() == [
        "B0:",
        "shfl.sync.down 4294967295, %1, 4",
        "B1:",
        "mov.s64 %2, %exchanged",
        "st.global.s64 x[0], %2",
        "exit",
    ]


def test_a_vote_of_the_block_is_read_after_its_barrier():
    lines = listing(python("x[0] = cuda.syncthreads_or(n > 3)")).splitlines()
    assert lines[1:5] == ["setp.gt.s64 %1, %2, 3", "bar.red.or 0, %1", "B1:", "mov.s32 %3, %barrier"]


def test_a_match_of_all_gets_two_answers():
    ours = python(f"x[0], same = cuda.match_all_sync({ALL}, n)\nx[1] = same")
    theirs = cpp(f"int same; x[0] = __match_all_sync({ALL}, n, &same); x[1] = same;")
    for function in (ours, theirs):
        assert "match.all.sync 4294967295, %1" in listing(function)
        assert "%exchanged[1]" in listing(function)
