"""How often must the banks work for a warp? Counted by hand, by another way, and as an H200 did."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import gpusim
from gpusim import cuda, devices
from gpusim.measurements import banks

LANES = np.arange(32)
ALL = np.ones(32, bool)
WIDTHS = (1, 2, 4, 8, 16)
KINDS = ("load", "store", "atomic")


def counted(addresses, width=4, device="H200", kind="load", active=None):
    """Wavefronts and conflicts of one warp."""
    on = np.ones(len(addresses), bool) if active is None else active
    passes, extra = (f(addresses, on, width, device, kind) for f in (banks.wavefronts, banks.conflicts))
    return int(passes[0]), int(extra[0])


# 32 banks


@pytest.mark.parametrize(
    ("stride", "wavefronts"), [(0, 1), (1, 1), (2, 2), (3, 1), (4, 4), (8, 8), (17, 1), (32, 32), (33, 1)]
)
def test_a_stride_of_words_costs_what_it_shares_with_32(stride, wavefronts):
    assert counted(4 * stride * LANES) == (wavefronts, wavefronts - 1)
    assert counted(4 * stride * LANES, kind="store") == (wavefronts, wavefronts - 1)


def test_any_number_of_words_is_broadcast_at_once():
    assert counted(4 * (LANES // 4)) == (1, 0)  # eight words, four lanes on each
    assert counted(128 * (LANES // 16)) == (2, 1)  # two words, but of one bank


def test_neighbouring_bytes_share_words():
    assert counted(LANES, width=1) == (1, 0)
    assert counted(2 * LANES, width=2) == (1, 0)
    assert counted(128 * (LANES % 2) + LANES, width=1) == (2, 1)


def test_wide_accesses_are_served_in_phases():
    assert counted(8 * LANES, width=8) == (2, 0)  # two half-warps
    assert counted(16 * LANES, width=16) == (4, 0)  # four quarters
    assert counted(16 * LANES, width=16, active=LANES < 8) == (1, 0)  # three of which are idle
    assert counted(16 * LANES, width=8) == (4, 2)  # every bank holds two words of each half


def test_wide_loads_whose_partners_agree_take_half_the_phases():
    assert counted(8 * (LANES // 2), width=8) == (1, 0)
    assert counted(8 * (LANES // 2), width=8, kind="store") == (2, 0)
    assert counted(16 * (LANES // 2), width=16) == (2, 0)
    assert counted(16 * (LANES // 4 * 2 + LANES % 2), width=16) == (2, 0)  # i and i^2
    assert counted(16 * (LANES // 8 * 4 + LANES % 4), width=16) == (4, 0)  # i and i^4: no merging


def served(*request, **kind):
    """The wavefronts of one warp, over its phases."""
    (phases,) = banks.phases(*request, **kind)
    return [wavefront for phase in phases for wavefront in phase.wavefronts]


def test_an_atomic_takes_a_turn_for_each_lane_of_a_bank():
    assert counted(4 * LANES, kind="atomic") == (1, 0)
    assert counted(0 * LANES, kind="atomic") == (32, 31)
    assert counted(4 * (LANES // 2), kind="atomic") == (2, 1)
    assert counted(4 * LANES, kind="atomic", active=LANES > 31) == (0, 0)


def test_wide_atomics_are_served_by_half_warps_and_a_compare_and_swap_takes_two_turns():
    assert counted(8 * LANES, width=8, kind="atomic") == (2, 0)
    assert counted(0 * LANES, width=8, kind="atomic") == (32, 30)
    assert counted(4 * LANES, kind="cas") == (2, 0)
    assert counted(0 * LANES, kind="cas") == (64, 31)
    turns = served(0 * LANES, LANES < 2, 4, kind="cas")
    assert turns == [{0: (0, (0,))}, {0: (0, (0,))}, {0: (0, (1,))}, {0: (0, (1,))}]


def test_a_row_of_17_words_spreads_a_column_over_16_banks():
    column = 4 * 16 * np.arange(16).repeat(2)
    padded = 4 * 17 * np.arange(16).repeat(2)
    assert counted(column, device="GT200")[0] > counted(padded, device="GT200")[0]
    assert counted(4 * 16 * LANES, device="GT200") == (32, 30)  # both half-warps: 16 ways
    assert counted(4 * 17 * LANES, device="GT200") == (2, 0)


# 16 banks, half-warps


@pytest.mark.parametrize(("stride", "ways"), [(1, 1), (2, 2), (3, 1), (4, 4), (8, 8), (16, 16), (17, 1)])
def test_on_16_banks_a_stride_costs_what_it_shares_with_16_in_each_half_warp(stride, ways):
    assert counted(4 * stride * LANES, device="G80") == (2 * ways, 2 * (ways - 1))
    assert counted(4 * stride * LANES, device="G80", kind="store") == (2 * ways, 2 * (ways - 1))


def test_on_1_x_one_word_is_broadcast_in_each_step():
    assert counted(0 * LANES, device="G80") == (2, 0)
    assert counted(4 * (LANES // 8), device="G80") == (4, 2)  # half a warp wants two words, eight lanes each
    assert counted(4 * (LANES // 8)) == (1, 0)
    assert counted(LANES, width=1, device="G80") == (8, 6)  # the guide: bytes side by side conflict
    assert counted(4 * LANES, width=1, device="G80") == (2, 0)


def test_on_1_x_a_double_is_two_requests_that_conflict_twofold():
    assert counted(8 * LANES, width=8, device="GT200") == (8, 4)


def test_on_1_x_stores_to_one_place_are_one_and_to_one_word_take_turns():
    assert counted(0 * LANES, width=4, device="G80", kind="store") == (2, 0)
    assert counted(LANES % 4, width=1, device="G80", kind="store") == (8, 6)


def test_idle_half_warps_take_no_step():
    assert counted(4 * LANES, device="G80", active=LANES < 16) == (1, 0)
    assert counted(4 * LANES, device="G80", active=LANES < 0) == (0, 0)


# 64 lanes


def test_64_lanes_go_to_32_banks_in_two_groups():
    lanes = np.arange(64)
    assert counted(4 * lanes, device="MetaX C500") == (2, 0)
    assert counted(8 * lanes, device="MetaX C500") == (4, 2)
    assert counted(16 * lanes, width=16, device="MetaX C500") == (8, 0)
    assert counted(0 * lanes, device="MetaX C500", kind="atomic") == (64, 62)


# another way to count, and which lanes are served


def slowly(addresses, active, width, device, kind):
    """Wavefronts of one warp by lists of words; not for the loads of 1.x."""
    chip = devices.get(device)
    group, words = chip.bank_group_lanes, max(1, width // 4)
    total = 0
    for start in range(0, chip.warp_size, group):
        lanes = [lane for lane in range(start, start + group) if active[lane]]
        size = group if chip.shared_banks == 16 else group // words
        if kind == "load" and words > 1 and chip.shared_banks == 32:
            pairs = (all(addresses[i] == addresses[i ^ x] for i in lanes if i ^ x in lanes) for x in (1, 2))
            size *= 2 if any(pairs) else 1
        requests = [[k] for k in range(words)] if chip.shared_banks == 16 else [list(range(words))]
        for first in range(start, start + group, size):
            for request in requests:
                wanted = [set() for _ in range(chip.shared_banks)]
                for lane in lanes:
                    if first <= lane < first + size:
                        for k in request:
                            word = addresses[lane] // 4 + k
                            item = {"atomic": lane, "store": addresses[lane], "load": word}[kind]
                            if chip.shared_banks == 32 and kind != "atomic":
                                item = word
                            wanted[word % chip.shared_banks].add(item)
                total += max(map(len, wanted))
    return total


def random_requests(device, seed, count=60):
    random, lanes = np.random.default_rng(seed), devices.get(device).warp_size
    for number in range(count):
        width = WIDTHS[number % 5]
        kind = KINDS[number % 3]
        reach = int(random.integers(1, 600))
        addresses = width * random.integers(0, reach, lanes)
        if number % 4 == 0:
            addresses = np.repeat(addresses[::2], 2)
        yield addresses, random.random(lanes) < random.random() + 0.3, width, kind


@pytest.mark.parametrize("device", ["G80", "H200", "MetaX C500"])
def test_against_lists_of_words(device):
    for addresses, active, width, kind in random_requests(device, seed=3, count=240):
        if device != "G80" or kind != "load":
            expected = slowly(addresses.tolist(), active, width, device, kind)
            assert counted(addresses, width, device, kind, active)[0] == expected


@pytest.mark.parametrize("device", ["G80", "H200", "MetaX C500"])
def test_what_is_served_is_what_is_counted_and_every_active_lane_gets_all_its_words(device):
    chip = devices.get(device)
    for addresses, active, width, kind in random_requests(device, seed=4):
        turns = served(addresses, active, width, device, kind)
        assert len(turns) == counted(addresses, width, device, kind, active)[0]
        got = [[] for _ in addresses]
        for turn in turns:
            assert turn
            for bank, (word, lanes) in turn.items():
                assert word // 4 % chip.shared_banks == bank
                for lane in lanes:
                    got[lane].append(word)
        words = max(1, width // 4)
        for lane, address in enumerate(addresses.tolist()):
            expected = [address // 4 * 4 + 4 * k for k in range(words)] if active[lane] else []
            assert sorted(got[lane]) == expected


def test_what_the_first_wavefronts_serve():
    turns = served(4 * 16 * LANES, LANES < 4, 4)
    assert turns == [{0: (0, (0,)), 16: (64, (1,))}, {0: (128, (2,)), 16: (192, (3,))}]


# in a run


@cuda.jit
def transpose(matrix, out):
    tile = cuda.shared.array((32, 32), np.float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    tile[y, x] = matrix[y, x]
    cuda.syncthreads()
    out[y, x] = tile[x, y]


@cuda.jit
def transpose_padded(matrix, out):
    tile = cuda.shared.array((32, 33), np.float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    tile[y, x] = matrix[y, x]
    cuda.syncthreads()
    out[y, x] = tile[x, y]


@pytest.mark.parametrize(("kernel", "load"), [(transpose, 32), (transpose_padded, 1)])
def test_a_column_of_a_tile_costs_32_wavefronts_and_with_padding_1(kernel, load):
    matrix = np.arange(1024, dtype=np.float32).reshape(32, 32)
    out = np.zeros_like(matrix)
    with gpusim.profile("H200") as run:
        kernel[1, (32, 32)](matrix, out)
    assert (out == matrix.T).all()
    assert (run.shared_store_requests, run.shared_store_wavefronts) == (32, 32)
    assert (run.shared_load_requests, run.shared_load_wavefronts) == (32, 32 * load)
    assert run.shared_load_bank_conflicts == 32 * (load - 1)
    assert run.shared_wavefronts_per_request == (load + 1) / 2


def test_blocks_that_do_the_same_count_as_often_as_they_are(machine):
    @cuda.jit
    def strided(out):
        tile = cuda.shared.array(256, np.float32)
        i = cuda.threadIdx.x
        tile[i * 2 % 256] = i
        out[i] = tile[i] if cuda.blockIdx.x % 3 == 0 else 0

    def counters(blocks):
        with gpusim.profile() as run:
            strided[blocks, 128](np.zeros(128, np.float32))
        return run.shared_store_wavefronts, run.shared_load_wavefronts, run.shared_load_requests

    one, seven = counters(1), counters(7)
    assert seven == (7 * one[0], 3 * one[1], 3 * one[2])


def test_a_compare_and_swap_is_counted_as_one():
    @cuda.jit
    def swap(locks):
        lock = cuda.shared.array(1, np.int32)
        cuda.atomic.cas(lock, 0, 0, 1)
        locks[0] = lock[0]

    with gpusim.profile("H200") as run:
        swap[1, 32](np.zeros(1, np.int32))
    assert (run.shared_atomic_wavefronts, run.shared_atomic_bank_conflicts) == (64, 31)


def test_a_histogram_counts_lanes_on_one_bin():
    @cuda.jit
    def histogram(values):
        bins = cuda.shared.array(32, np.int32)
        cuda.atomic.add(bins, values[cuda.threadIdx.x], 1)

    with gpusim.profile("H200") as run:
        histogram[1, 32](np.zeros(32, np.int32))
        histogram[1, 32](np.arange(32, dtype=np.int32))
    assert [k.ledger.total()["shared_atomic_wavefronts"] for k in run.kernels] == [32, 1]
    assert (run.shared_atomic_requests, run.shared_atomic_bank_conflicts, run.atomics) == (2, 31, 2)


# what no access can be


@pytest.mark.parametrize(
    ("addresses", "width", "kind", "message"),
    [
        (4 * LANES + 4, 8, "load", "lane 0 of warp 0 accesses 8 bytes at address 4, which is not a multiple"),
        (12 * LANES, 12, "load", "a lane accesses 1, 2, 4, 8 or 16 bytes of shared memory at once, not 12"),
        (4 * LANES, 4, "read", "kind is one of 'load', 'store', 'atomic', 'cas', not 'read'"),
        (4 * np.arange(64), 4, "load", r"must both be \(warps, 32\), for a warp of H200 has 32 lanes"),
    ],
)
def test_requests_that_cannot_be_are_refused(addresses, width, kind, message):
    with pytest.raises(ValueError, match=message):
        banks.wavefronts(addresses, np.ones(len(addresses), bool), width, "H200", kind)


# as measured


def test_every_recorded_pattern_is_reproduced():
    rows = json.loads(
        (Path(__file__).parent.parent / "hardware" / "shared_patterns.json").read_text(encoding="utf-8")
    )["rows"]
    assert len(rows) > 1000
    wrong = []
    for number, name, _family, operation, width, mask, offsets, wavefronts, bank_conflicts, *_ in rows:
        active = [int(mask, 16) >> lane & 1 for lane in range(32)]
        kind = {"atomic_add": "atomic"}.get(operation, operation)
        found = counted(offsets, width, "H200", kind, active)
        if found != (wavefronts, bank_conflicts):
            wrong.append((number, name, operation, found, wavefronts, bank_conflicts))
    assert wrong == []
