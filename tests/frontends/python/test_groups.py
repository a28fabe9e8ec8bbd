"""Do groups of threads work together in Python as CUDA's do? On both widths, under both models."""

from __future__ import annotations

import pydoc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpusim
from gpusim import cuda
from gpusim.errors import GpuSimError, KernelRaised, KernelTypeError, UnsupportedConstruct
from tests.from_text import define

cg = cuda.cg


@cuda.jit(device=True)
def tree_sum(group, room, value):
    """The sum of a group of any kind, which a thread group is enough for."""
    rank = group.thread_rank()
    step = group.size() // 2
    while step > 0:
        room[rank] = value
        group.sync()
        if rank < step:
            value += room[rank + step]
        group.sync()
        step //= 2
    return value


@cuda.jit
def sums(out, given):
    room = cuda.shared.array(256, np.int64)
    block = cg.this_thread_block()
    mine = given[block.thread_rank()]
    whole = tree_sum(block, room, mine)
    if block.thread_rank() == 0:
        out[0] = whole
    warp = cg.tiled_partition(block, 32)
    of_warp = cg.reduce(warp, mine, cg.plus())
    if warp.thread_rank() == 0:
        cuda.atomic.add(out, 1, of_warp)
    eight = cg.tiled_partition(block, given.size // 32)
    of_eight = tree_sum(eight, room[block.thread_rank() // 8 * 8 :], mine)
    if eight.thread_rank() == 0:
        cuda.atomic.add(out, 2, of_eight)
    block.sync()
    if mine % 3 == 0:
        some = cg.coalesced_threads()
        if cg.exclusive_scan(some, 1) != some.thread_rank():
            out[3] = 1
        pair = cg.tiled_partition(some, 2)
        if pair.size() > 2 or pair.shfl(mine, pair.thread_rank()) != mine:
            out[3] = 1


def test_groups_of_every_kind_add_up(machine):
    out, numbers = np.zeros(4, np.int64), np.arange(256)
    sums[1, 256](out, numbers)
    assert out.tolist() == [numbers.sum()] * 3 + [0]


def test_the_checkers_see_that_groups_order_their_threads():
    with gpusim.sanitize() as found:
        sums[1, 256](np.zeros(4, np.int64), np.arange(256))
    assert found.clean


def test_a_group_says_where_a_thread_is(machine):
    @cuda.jit
    def kernel(out):
        block = cg.this_thread_block()
        tile = cg.tiled_partition(block, 16)
        four = cg.tiled_partition(tile, 4)
        row = out[cuda.blockIdx.y, block.thread_rank()]
        row[0], row[1], row[2] = tile.thread_rank(), tile.meta_group_rank(), tile.meta_group_size()
        row[3], row[4], row[5] = four.thread_rank(), four.meta_group_rank(), four.num_threads()
        row[6], row[7], row[8] = block.thread_index().y, block.group_index().y, block.dim_threads().x
        row[9], row[10] = block.num_threads() + block.group_dim().y, block.is_valid() and tile.is_valid()

    out = np.zeros((2, 40, 11), np.int32)
    kernel[(1, 2), (10, 4)](out)
    for block, rows in enumerate(out.tolist()):
        for t, row in enumerate(rows):
            assert row == [t % 16, t // 16, 3, t % 4, t % 16 // 4, 4, t // 10, block, 10, 44, 1]


def test_the_last_tile_of_a_block_may_have_fewer(machine):
    @cuda.jit
    def kernel(out):
        tile = cg.tiled_partition(cg.this_thread_block(), 16)
        out[cuda.threadIdx.x] = tile.ballot(1)

    out = np.zeros(40, np.int32)
    kernel[1, 40](out)
    assert out.tolist() == [0xFFFF] * 32 + [0xFF] * 8


def test_a_grid_says_where_a_thread_is_and_waits():
    @cuda.jit
    def kernel(x, y):
        grid = cg.this_grid()
        i = grid.thread_rank()
        x[i] = i
        grid.sync()
        y[i] = x[grid.num_threads() - 1 - i]

    y = np.zeros(2 * 3 * 40, np.int64)
    kernel[(2, 3), (10, 4)](np.zeros(240, np.int64), y)
    assert y.tolist() == list(range(239, -1, -1))


# values -----------------------------------------------------------------------------------------------------


@cuda.jit(device=True)
def tile_or_more(block, large):
    if large:
        return cg.tiled_partition(block, 32)
    return cg.tiled_partition(block, 8)


@cuda.jit
def chosen(x, out):
    i = cuda.threadIdx.x
    block = cg.this_thread_block()
    tile = cg.tiled_partition(block, 8) if i < 32 else cg.tiled_partition(block, 16)
    out[0, i] = cg.reduce(tile, x[i], cg.plus())
    out[1, i] = tile_or_more(block, i < 32).size()
    group = block
    if x[0] == 0:
        group = cg.tiled_partition(block, 16)
    group.sync()
    out[2, i] = group.size()
    halves = cg.tiled_partition(block, 32)
    while halves.size() > 1:
        out[3, i] += cg.reduce(halves, 1, cg.plus())
        halves = cg.tiled_partition(halves, halves.size() // 2)
    both = (tile, block if x[0] else tile)
    out[4, i] = both[0].size() + both[1].size()


def test_a_group_is_a_value(machine):
    for first in (0, 1):
        x, out = np.arange(64) + first, np.zeros((5, 64), np.int64)
        chosen[1, 64](x, out)
        sums = [*x[:32].reshape(-1, 8).sum(axis=1).repeat(8), *x[32:].reshape(-1, 16).sum(axis=1).repeat(16)]
        assert out[0].tolist() == sums
        assert out[1].tolist() == [32] * 32 + [8] * 32
        assert (out[2] == (64 if first else 16)).all()
        assert (out[3] == 32 + 16 + 8 + 4 + 2).all()
        assert out[4].tolist() == [8 + (64 if first else 8)] * 32 + [16 + (64 if first else 16)] * 32


@cuda.jit(device=True)
def ticket(counter, tickets):
    return cuda.atomic.add(counter, 0, tickets)


@cuda.jit(device=True)
def longer(a, b):
    return a if abs(a) > abs(b) else b


def test_one_thread_calls_and_all_get_the_result(machine):
    @cuda.jit
    def kernel(counter, out, x):
        i = cuda.threadIdx.x
        tile = cg.tiled_partition(cg.this_thread_block(), 16)
        out[0, i] = cg.invoke_one_broadcast(tile, ticket, counter, 5)
        cg.invoke_one(cg.this_thread_block(), ticket, counter, 100)
        out[1, i] = cg.reduce(tile, x[i], longer)

    counter, out = np.zeros(1, np.int32), np.zeros((2, 64), np.int32)
    x = np.random.default_rng(0).integers(-99, 99, 64).astype(np.int32)
    kernel[1, 64](counter, out, x)
    assert counter[0] == 4 * 5 + 100
    tickets = out[0].reshape(4, 16)
    assert (tickets == tickets[:, :1]).all()
    assert sorted(tickets[:, 0] % 100) == [0, 5, 10, 15]
    assert (abs(out[1].reshape(4, 16)) == abs(x.reshape(4, 16)).max(axis=1, keepdims=True)).all()


@pytest.mark.parametrize(
    "dtype", ["int8", "uint8", "int32", "uint32", "int64", "uint64", "float32", "float64"]
)
def test_values_keep_their_type(dtype):
    @cuda.jit
    def kernel(x, out):
        i = cuda.threadIdx.x
        tile = cg.tiled_partition(cg.this_thread_block(), 8)
        out[0, i] = cg.reduce(tile, x[i], cg.plus())
        out[1, i] = cg.inclusive_scan(tile, x[i])
        out[2, i] = tile.shfl_up(x[i], 3)

    x = np.random.default_rng(1).integers(0, 100, 32).astype(dtype)
    if x.dtype.kind in "iu":
        x += np.iinfo(dtype).max - 100
    out = np.zeros((3, 32), np.float64 if x.dtype.kind == "f" else np.int64)
    kernel[1, 32](x, out)
    with np.errstate(over="ignore"):
        tiles = x.reshape(4, 8)
        expected = [tiles.sum(axis=1, dtype=dtype).repeat(8), tiles.cumsum(axis=1, dtype=dtype).ravel()]
        expected.append(np.hstack([tiles[:, :3], tiles[:, :-3]]).ravel())
        assert (out == np.array(expected).astype(out.dtype)).all()


# partitions -------------------------------------------------------------------------------------------------


@cuda.jit
def partitioned(by_label, x, labels, active, out):
    i = cuda.threadIdx.x
    if not active[i]:
        return
    group = cg.coalesced_threads()
    if by_label:  # noqa: SIM108
        part = cg.labeled_partition(group, labels[i])
    else:
        part = cg.binary_partition(group, labels[i])
    out[0, i], out[1, i] = part.thread_rank(), part.size()
    out[2, i], out[3, i] = part.meta_group_rank(), part.meta_group_size()
    out[4, i], out[5, i] = cg.reduce(part, x[i], cg.plus()), cg.exclusive_scan(part, x[i], cg.greater())
    out[6, i], out[7, i] = part.shfl(i, part.thread_rank() + 1), part.shfl_down(i, 2)
    out[8, i] = part.ballot(x[i] & 1)
    out[9, i] = part.match_any(x[i])
    same, agreed = part.match_all(x[i] // 64)
    out[10, i], out[11, i] = same, agreed + 2 * part.all(x[i] & 1) + 4 * part.any(x[i] & 1)


@given(st.data())
def test_partitions_are_what_numpy_says(data):
    device = data.draw(st.sampled_from(["H200", "P100", "MetaX C500"]))
    lanes, by_label = gpusim.devices.get(device).warp_size, data.draw(st.booleans())
    numbers = st.lists(st.integers(0, 3 if by_label else 1), min_size=lanes, max_size=lanes)
    labels, active = np.array(data.draw(numbers)), np.array(data.draw(numbers)) > 0
    x = np.random.default_rng(data.draw(st.integers(0, 99))).integers(0, 70, lanes)
    out = np.zeros((12, lanes), np.int64)
    with gpusim.use(device):
        partitioned[1, lanes](by_label, x, labels, active, out)
    there = np.flatnonzero(active)
    order = list(dict.fromkeys(labels[there])) if by_label else sorted({*labels[there]})
    for i in there:
        part = there[labels[there] == labels[i]]
        rank, values = int((part < i).sum()), x[part]

        def bits(flags):
            return sum(int(flag) << k for k, flag in enumerate(flags))

        number = order.index(labels[i]) if len(order) > 1 else 0
        alike = (values // 64 == values[0] // 64).all()
        assert out[:, i].tolist() == [
            rank,
            part.size,
            number,
            len(order),
            values.sum(),
            values[:rank].max(initial=0),
            part[(rank + 1) % part.size],
            part[rank + 2] if rank + 2 < part.size else i,
            np.uint64(bits(values & 1)).astype(np.int64),
            np.uint64(bits(values == x[i])).astype(np.int64),
            np.uint64(bits(values >= 0) if alike else 0).astype(np.int64),
            alike + 2 * (values & 1).all() + 4 * (values & 1).any(),
        ]


# misuse -----------------------------------------------------------------------------------------------------

REFUSED = {
    "cg.tiled_partition(block, 24)": ("a tile has 1, 2, 4, 8, … threads", "not 24"),
    "cg.tiled_partition(block, 0)": ("a tile has 1, 2, 4, 8, … threads", "not 0"),
    "cg.tiled_partition(block, 4.0)": ("a tile has 1, 2, 4, 8, … threads", "not 4.0"),
    "cg.tiled_partition(cg.tiled_partition(block, 4), 8)": (
        "a tile of 8 threads within one of 4",
        "the block",
    ),
    "cg.tiled_partition(x, 8)": ("tiled_partition() takes a group of a block's threads", "cuda.cg."),
    "cg.tiled_partition(cg.this_grid(), 8)": (
        "tiled_partition() takes a group of a block's threads",
        "(group",
    ),
    "block.shfl(1, 0)": ("'shfl' of a thread_block is not supported", "cuda.cg.tiled_partition(block, 32)"),
    "block.ballott(1)": (
        "'ballott' of a thread_block",
        "it has barrier_arrive, barrier_wait, dim_threads, group_dim",
    ),
    "block.thread_rnk()": ("'thread_rnk' of a thread_block", "did you mean `thread_rank` or"),
    "lanes.shfl_xor(1, 1)": (
        "'shfl_xor' of a coalesced_group",
        "tiles of a constant size or the block have it",
    ),
    "cg.reduce(block, 1, cg.plus())": (
        "a collective of a thread_block",
        "cuda.cg.tiled_partition(block, 32)",
    ),
    "cg.binary_partition(block, 1)": ("a collective of a thread_block", "cuda.cg.tiled_partition(block, 32)"),
    "cg.reduce(lanes, x, cg.plus())": ("the array 'x' where a number is needed", "index it"),
    "cg.reduce(lanes, 1j, cg.plus())": ("lanes do not exchange complex128", ""),
    "cg.reduce(lanes, 1)": ("wrong arguments", "use cuda.cg.reduce(group, value, operation)"),
    "lanes.shfl(1)": ("wrong arguments", "use cuda.cg.coalesced_group.shfl(value, rank)"),
    "lanes.size + 1": ("the method 'size' where a number is needed", ""),
    "lanes + 1": ("a coalesced_group where a number is needed", "ask its methods"),
    "3 if x[0] else lanes": ("what is chosen is a coalesced_group here and a number otherwise", ""),
    "lanes if x[0] else 3": ("what is chosen is a number here and a coalesced_group otherwise", ""),
}


@pytest.mark.parametrize("expression", REFUSED)
def test_misuse_is_refused_at_its_line(expression):
    message, hint = REFUSED[expression]
    text = "def kernel(x):\n    block = cg.this_thread_block()\n    lanes = cg.coalesced_threads()\n"
    with pytest.raises((KernelTypeError, UnsupportedConstruct)) as raised:
        cuda.jit(define(f"{text}    y = {expression}\n", cg=cg))[1, 32](np.zeros(3))
    assert message in raised.value.message
    assert hint in raised.value.hint
    assert (raised.value.span.line, raised.value.span.callers) == (4, ())


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("x[0] = cg.this_thread_block()", "an assignment of a thread_block to a part of an array"),
        ("g = cuda.local.array(2, cg.this_thread_block)", "the element type is not a number type"),
        (
            "g = cg.coalesced_threads()\n    if x[0] == 0:\n        g = 3\n    x[0] = g.size",
            "'g' is a number here and a coalesced_group from line 2",
        ),
        (
            "g = cg.this_grid()\n    if x[0] == 0:\n        g = cg.coalesced_threads()\n    g.sync()",
            "'g' is a coalesced_group here and a GridGroup from line 2",
        ),
        ("g = cg.coalesced_threads()\n    g.lanes = 3", "an assignment to `g.lanes`"),
        ("a, b, c = cg.coalesced_threads()", "3 names need a tuple of 3 values"),
    ],
)
def test_what_groups_cannot_be(statement, message):
    with pytest.raises(GpuSimError, match=message):
        cuda.jit(define(f"def kernel(x):\n    {statement}\n", cg=cg))[1, 32](np.zeros(3))


@pytest.mark.parametrize("size", [0, 3, 64, -8])
def test_a_size_that_only_the_launch_knows_is_checked_as_it_runs(size):
    @cuda.jit
    def kernel(size):
        cg.tiled_partition(cg.coalesced_threads(), size)

    with pytest.raises(KernelRaised, match="a tile has 1, 2, 4, 8, … threads, and no more than a warp"):
        kernel[1, 32](size)


def test_a_last_tile_that_is_cut_short_is_told_of():
    @cuda.jit
    def kernel():
        block = cg.this_thread_block()
        cg.tiled_partition(cg.tiled_partition(block, 16), 8)

    for threads, told in ((40, 1), (48, 0)):
        with gpusim.sanitize("synccheck") as found:
            kernel[1, threads]()
        assert ["tiles of 16" in str(one) for one in found.findings] == [True] * told


def test_on_the_host_there_are_none():
    with pytest.raises(
        GpuSimError, match=r"cuda.cg.tiled_partition\(group, size\) runs inside a kernel only"
    ):
        cg.tiled_partition(None, 8)
    assert "All values of the group, combined" in cg.reduce.__doc__


def test_help_says_what_a_group_can_do():
    told = pydoc.plain(pydoc.render_doc(cuda.cg))
    for method in (
        "thread_rank()",
        "meta_group_rank()",
        "shfl_xor(value, mask)",
        "barrier_wait(token)",
        "is_valid()",
    ):
        assert method in told
    assert "shfl" not in cuda.cg.this_thread_block.__doc__
