"""Which kernels get advice, and which get none?"""

from __future__ import annotations

import importlib.util
import json
import posixpath
import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import gpusim
from gpusim import cuda
from gpusim.errors import ReportError
from gpusim.measurements.advice import CHAPTERS
from gpusim.measurements.rules import LAUNCH_RULES, LINE_RULES
from gpusim.reports import counters, topics

BOOK = Path(__file__).resolve().parents[2] / "book"
N = 1024
TABLE = np.arange(64, dtype=np.float32)


@cuda.jit
def saxpy(a, x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] += a * x[i]


@cuda.jit
def columns(x, y):
    y[cuda.threadIdx.x] = x[cuda.threadIdx.x, 0]


@cuda.jit
def shifted(x, y):
    i = cuda.grid(1)
    y[i] = x[i + 1]


@cuda.jit
def gathered(x, index, y):
    i = cuda.grid(1)
    y[i] = x[index[i]]


@cuda.jit
def one_good_one_bad(x, y, stride):
    i = cuda.grid(1)
    y[i] = x[i] + x[i * stride]


@cuda.jit
def transposed(x, y):
    tile = cuda.shared.array((32, 32), np.float32)
    column, row = cuda.threadIdx.x, cuda.threadIdx.y
    tile[row, column] = x[row, column]
    cuda.syncthreads()
    y[row, column] = tile[column, row]


@cuda.jit
def transposed_padded(x, y):
    tile = cuda.shared.array((32, 33), np.float32)
    column, row = cuda.threadIdx.x, cuda.threadIdx.y
    tile[row, column] = x[row, column]
    cuda.syncthreads()
    y[row, column] = tile[column, row]


@cuda.jit
def matmul(a, b, c):
    tile_a = cuda.shared.array((16, 16), np.float32)
    tile_b = cuda.shared.array((16, 16), np.float32)
    column, row = cuda.threadIdx.x, cuda.threadIdx.y
    total = np.float32(0)
    for first in range(0, 32, 16):
        tile_a[row, column] = a[row, first + column]
        tile_b[row, column] = b[first + row, column]
        cuda.syncthreads()
        for k in range(16):
            total += tile_a[row, k] * tile_b[k, column]
        cuda.syncthreads()
    c[row, column] = total


@cuda.jit
def block_sum(x, total):
    shared = cuda.shared.array(128, np.float32)
    t = cuda.threadIdx.x
    shared[t] = x[cuda.grid(1)]
    cuda.syncthreads()
    half = 64
    while half > 0:
        if t < half:
            shared[t] += shared[t + half]
        cuda.syncthreads()
        half //= 2
    if t == 0:
        total[cuda.blockIdx.x] = shared[0]


@cuda.jit
def everyone_adds(total):
    cuda.atomic.add(total, 0, 1)


@cuda.jit
def one_adds(total):
    if cuda.threadIdx.x == 0:
        cuda.atomic.add(total, 0, 1)


@cuda.jit
def everyone_adds_in_the_block(total):
    shared = cuda.shared.array(1, np.int32)
    if cuda.threadIdx.x == 0:
        shared[0] = 0
    cuda.syncthreads()
    cuda.atomic.add(shared, 0, 1)
    cuda.syncthreads()
    if cuda.threadIdx.x == 0:
        total[cuda.blockIdx.x] = shared[0]


@cuda.jit
def looks_up(out, different):
    table = cuda.const.array_like(TABLE)
    out[cuda.threadIdx.x] = table[cuda.threadIdx.x % different]


@cuda.jit
def keeps_an_array(out, n):
    own = cuda.local.array(8, np.float32)
    for k in range(8):
        own[k] = k
    out[cuda.threadIdx.x] = own[n]


@cuda.jit
def odd_and_even(x):
    i = cuda.grid(1)
    if i % 2:
        x[i] = x[i] * 3 + 1
    else:
        x[i] = x[i] / 2


@cuda.jit
def few_at_work(x):
    t = cuda.threadIdx.x
    if t % 8 == 0:
        for _ in range(10):
            x[t] += 1


@cuda.jit
def large_tiles(x):
    tile = cuda.shared.array(12 * 1024, np.float32)
    tile[cuda.threadIdx.x] = x[cuda.threadIdx.x]
    x[cuda.threadIdx.x] = tile[cuda.threadIdx.x]


def floats(*shape):
    return np.ones(shape, np.float32)


def advised(kernel, grid, block, *arguments, device="H200"):
    with gpusim.profile(device) as run:
        kernel[grid, block](*arguments)
    return run.advice()


FINE = {
    "saxpy": (saxpy, 4, 256, 2.0, floats(N), floats(N)),
    "saxpy whose last warp has a few elements": (saxpy, 4, 256, 2.0, floats(N - 25), floats(N - 25)),
    "a transposition with a padded tile": (transposed_padded, 1, (32, 32), floats(32, 32), floats(32, 32)),
    "a tiled matrix product": (matmul, 1, (16, 16), floats(16, 32), floats(32, 16), floats(16, 16)),
    "a sum of each block": (block_sum, 4, 128, floats(512), floats(4)),
    "one atomic a block": (one_adds, 4, 64, np.zeros(1, np.int32)),
    "one constant for all lanes": (looks_up, 1, 64, floats(64), 1),
}


@pytest.mark.parametrize("launch", FINE.values(), ids=FINE)
@pytest.mark.parametrize("device", ["H200", "MetaX C500", "P100"])
def test_a_kernel_that_is_fine_gets_no_advice(launch, device):
    assert advised(*launch, device=device) == []


@pytest.mark.parametrize("device", ["G80", "GT200"])
@pytest.mark.parametrize("name", FINE)
def test_on_the_first_devices_they_are_fine_too(name, device):
    if name != "a transposition with a padded tile":  # its block is too large there
        assert advised(*FINE[name], device=device) == []


def test_a_column_says_how_far_apart_the_addresses_are():
    (found,) = advised(columns, 1, 32, floats(32, N), floats(32))
    line = found.line
    assert str(found) == (
        f"line {line}: each request of 32 lanes touches 32 sectors where 4 would hold the data: neighbouring "
        "lanes read addresses 4,096 bytes apart; see Coalescing"
    )
    assert (found.rule, found.excess, found.worst) == ("uncoalesced loads", 28, False)
    assert found.page == "coalescing"


@pytest.mark.parametrize(
    ("kernel", "arguments", "says"),
    [
        (
            shifted,
            (floats(33), floats(32)),
            "touches 5 sectors where 4 would hold the data: the warp's addresses begin 4 bytes behind a "
            "multiple of 32",
        ),
        (
            gathered,
            (floats(N), (np.arange(32) ** 2).astype(np.int32), floats(32)),
            # 4 of the indices, and of the elements 0, 1, 4, 9, …, 961 all but the first three in their own
            "touches 17 sectors where 4 would hold the data, and one of them 30: its lanes' addresses lie "
            "scattered",
        ),
        (
            one_good_one_bad,
            (floats(N), floats(32), 32),
            "on average a request of 32 lanes touches 18 sectors where 4 would hold the data, and one of "
            "them 32: neighbouring lanes read addresses 128 bytes apart",
        ),
    ],
)
def test_why_a_load_needs_more_sectors(kernel, arguments, says):
    (found,) = advised(kernel, 1, 32, *arguments)
    assert says in str(found)


def test_the_first_devices_want_lanes_in_order():
    (found,) = advised(shifted, 1, 32, floats(33), floats(32), device="G80")
    assert "lane k must access word k from a multiple of 16 words on" in str(found)


def test_bank_conflicts_say_how_many_banks_are_reached():
    (found,) = advised(transposed, 1, (32, 32), floats(32, 32), floats(32, 32))
    assert (
        "each request takes 32 wavefronts where 1 would do: neighbouring lanes read addresses 128 bytes"
        in str(found)
    )
    assert "which reach 1 of 32 banks; see Shared memory and banks" in str(found)


def test_atomics_of_all_lanes_on_one_word():
    (found,) = advised(everyone_adds, 2, 64, np.zeros(1, np.int32))
    assert "each request works 32 times on a sector where 4 would do: its lanes update one word" in str(found)
    (found,) = advised(everyone_adds_in_the_block, 2, 64, np.zeros(2, np.int32))
    assert "each request takes 32 wavefronts where 1 would do: its lanes update one word" in str(found)


@cuda.jit
def two_lanes_of_block_0_share_a_word(x):
    i, b = cuda.threadIdx.x, cuda.blockIdx.x
    if i < 2 or b > 0:
        cuda.atomic.add(x, 32 * b + (i if b else 0), 1)


def test_atomics_side_by_side_are_no_excess_of_the_one_warp_whose_lanes_collide():
    (found,) = advised(two_lanes_of_block_0_share_a_word, 64, 32, np.zeros(32 * 64, np.int32))
    assert found.excess == 1
    assert "at least one of 64 requests works 2 times on a sector where 1 would do: its lanes" in str(found)


def test_constants_at_different_addresses():
    (found,) = advised(looks_up, 1, 32, floats(32), 32)
    assert "takes 32 passes where 1 would do" in str(found)


def test_local_memory():
    found = advised(keeps_an_array, 1, 32, floats(32), 3)
    assert {advice.rule for advice in found} == {"local memory"}
    assert [advice.worst for advice in found] == [True, False]
    # the loop stores 8 times; the load is one request; 32 lanes' words lie side by side
    assert "8 requests to local memory, 32 sectors" in str(found[0])


def test_a_warp_that_runs_both_sides():
    (found,) = advised(odd_and_even, 1, 64, floats(64))
    assert "at 2 of 2 branches the warp splits and runs both sides" in str(found)
    assert found.page == "divergence-and-masks"


def test_idle_lanes_are_blamed_on_the_line_that_wastes_most():
    (found,) = advised(few_at_work, 1, 64, floats(64))
    assert "4.0 of 32 lanes work here on average" in str(found)


def test_a_block_that_is_no_multiple_of_the_warp():
    (found,) = advised(saxpy, 5, 200, 2.0, floats(N), floats(N))
    assert str(found) == (
        "a block has 200 threads, so its last warp only 8 of 32 lanes: the 24 others do nothing; choose a "
        "multiple of 32; see Threads, warps and waves"
    )
    assert found.line is None
    assert advised(saxpy, 5, 192, 2.0, floats(N), floats(N), device="MetaX C500") == []


def test_shared_memory_that_limits_occupancy():
    (found,) = advised(large_tiles, 1, 256, floats(256))
    assert (
        "hold 4 blocks of 256 threads at once, 49,152 bytes each: 32 of a multiprocessor's 64 warps"
        "; one block more needs at most 45,568 bytes of shared memory per block (3,584 fewer); see "
        in str(found)
    )


def test_registers_that_limit_occupancy():
    """36 values live at once, 38 registers are handed out as 40, and let 6 of 8 blocks in."""
    values = range(36)
    many = gpusim.RawKernel(
        "__global__ void many(float* x) {"
        + "".join(f"float v{i} = x[threadIdx.x + {256 * i}];" for i in values)
        + f"x[threadIdx.x] = {' + '.join(f'v{i} * v{(i * 7 + 5) % 36}' for i in values)}; }}",
        "many",
    )
    (found,) = advised(many, 1, 256, floats(256 * 36))
    assert (found.rule, found.excess) == ("occupancy", 16)
    assert found.text == (
        "the registers hold 6 blocks of 256 threads at once, 38 registers per thread: 48 of a "
        "multiprocessor's 64 warps; one block more needs at most 32 registers per thread (6 fewer); see "
        "Occupancy"
    )


def test_spills_are_named():
    @cuda.jit(max_registers=2)
    def k(x):
        i = cuda.threadIdx.x
        x[i] = x[i] * x[0] + x[1] * x[2]

    with gpusim.profile("H200") as run:
        k[1, 32](floats(32))
    spilled = run.spilled_registers_per_thread
    assert spilled > 0
    assert "of a thread spill to local memory: it may use 2 registers only" in str(run.advice())


def test_the_worst_of_several_lines_comes_first_and_is_marked():
    @cuda.jit
    def two(x, y):
        i = cuda.grid(1)
        y[i] = x[i * 2]
        y[i] = x[i * 32]

    with gpusim.profile("H200") as run:
        two[1, 32](floats(N), floats(32))
    worst, other = run.advice()
    assert worst.line == other.line + 1
    assert (worst.worst, other.worst) == (True, False)
    printed = repr(run).splitlines()
    marked = [line.strip() for line in printed if line.strip().startswith("^")]
    assert marked == ["^ uncoalesced loads", "^ uncoalesced loads (the worst line)"]
    json.dumps(run.as_dict())


def test_a_page_names_the_chapter_for_the_book_to_link():
    with gpusim.profile("H200") as run:
        columns[1, 32](floats(32, N), floats(32))
    page = run._repr_html_()
    assert '; see <span data-chapter="coalescing">Coalescing</span>' in page
    assert "▲ uncoalesced loads" in page


def test_the_book_links_chapters_that_it_has_from_wherever_the_page_lies():
    extension = importlib.util.spec_from_file_location("chapter_links", BOOK / "_ext" / "chapter_links.py")
    module = importlib.util.module_from_spec(extension)
    extension.loader.exec_module(module)
    builder = SimpleNamespace(get_relative_uri=lambda page, other: posixpath.relpath(other, "book") + ".html")
    app = SimpleNamespace(builder=builder, env=SimpleNamespace(found_docs={"book/coalescing"}))
    context = {"body": '<span data-chapter="coalescing">six</span> <span data-chapter="later">nine</span>'}
    module.link_chapters(app, "book/introduction", "page.html", context, None)
    assert context["body"] == '<a href="coalescing.html">six</a> nine'
    context = {"body": '<span data-chapter="coalescing">six</span>'}
    module.link_chapters(app, "book/coalescing", "page.html", context, None)
    assert context["body"] == "six"


def test_advice_prints_a_line_each_and_says_so_if_there_is_none():
    found = advised(columns, 1, 33, floats(33, N), floats(33))
    assert [line.split(":")[0] for line in repr(found).splitlines()] == [
        f"line {found[0].line}",
        "a block has 33 threads, so its last warp only 1 of 32 lanes",
    ]
    assert found._repr_html_().count("<li>") == 2
    assert repr(advised(*FINE["saxpy"])) == "nothing to look at: no count is higher than it need be"


def test_a_run_without_a_launch_has_no_advice():
    with gpusim.profile() as run:
        pass
    with pytest.raises(ReportError, match="no kernel was launched inside this profile"):
        run.advice()


@pytest.mark.parametrize("page", CHAPTERS)
def test_a_chapter_has_the_title_that_is_cited(page):
    title = re.search(r"^# (?:\d+ · )?(.+)$", (BOOK / f"{page}.md").read_text(encoding="utf-8"), re.M)
    assert title is not None
    assert title[1] == CHAPTERS[page]


def test_every_rule_reads_counters_that_exist():
    for rule in (*LINE_RULES, *LAUNCH_RULES):
        assert rule.page in CHAPTERS
        for name in rule.counters:
            assert name in counters.names() or name in topics.RESOURCES
