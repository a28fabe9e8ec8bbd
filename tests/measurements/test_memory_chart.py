"""Is every number of the memory chart a counter of the run?"""

from __future__ import annotations

import numpy as np
import pytest

import gpusim
from gpusim import cuda
from gpusim.errors import ReportError

TABLE = np.arange(64, dtype=np.float32)


@cuda.jit
def everywhere(x, y, total):
    """Uses every memory: 4 warps."""
    table = cuda.const.array_like(TABLE)
    own = cuda.local.array(40, np.float32)
    tile = cuda.shared.array(64, np.float32)
    i = cuda.grid(1)
    for k in range(40):
        own[k] = x[i] * k
    tile[2 * i % 64] = table[i % 64]
    cuda.syncthreads()
    cuda.atomic.add(total, i % 16, own[i % 40] + tile[0])
    cuda.atomic.add(tile, 0, 1)
    y[i] = table[3]


@cuda.jit
def first_only(y):
    y[0] = 1


def chart(device: str, **settings):
    with gpusim.profile(device, **settings) as run:
        everywhere[2, 64](np.zeros(128, np.float32), np.zeros(128, np.float32), np.zeros(16, np.float32))
    return run, run.memory_chart().variants[0]


@pytest.mark.parametrize("device", ["H200", "P100", "MetaX C500", "GT200", "G80"])
def test_every_arrow_is_a_counter_and_every_counter_has_its_arrow(device):
    run, found = chart(device, caches=True)
    counters = run.counters()
    for arrow in found.arrows:
        assert arrow.count == counters[arrow.counter] > 0
        assert arrow.bytes >= 32 or arrow.source == "kernel"
        assert arrow.unit == "request" or arrow.bytes == 32 * arrow.count
    drawn = {arrow.counter for arrow in found.arrows}
    cached = found.boxes[-1].column == 4
    levels = ("l2_", "dram_") if cached else ()
    for name, value in counters.items():
        asked = name.startswith(("global_", "local_")) and name.endswith(("_sectors", "_requests"))
        if (
            value
            and (asked or (name.startswith(levels) and name.endswith("_sectors")))
            and "ideal" not in name
        ):
            assert name in drawn
    assert {box.place for box in found.boxes} >= {arrow.source for arrow in found.arrows}


def test_shared_memory_moves_a_word_from_every_bank_in_each_wavefront():
    run, found = chart("H200", caches=True)
    (store,) = (arrow for arrow in found.arrows if arrow.counter == "shared_store_requests")
    assert store.bytes == 128 * run.shared_store_wavefronts == 128 * 2 * store.count
    (shared,) = (box for box in found.boxes if box.place == "shared")
    conflicts = sum(run.counters()[f"shared_{kind}_bank_conflicts"] for kind in ("load", "store", "atomic"))
    assert shared.texts == (f"{conflicts:,}", "conflicts")


def test_the_hit_rates_are_the_runs():
    run, found = chart("H200", caches=True)
    texts = {box.place: box.texts[0] for box in found.boxes if box.texts}
    loads = run.global_load_sectors + run.local_load_sectors
    assert texts["l1"] == f"{100 * (1 - run.l2_load_sectors / loads):.1f} % hit"
    assert texts["l2"] == f"{100 * run.l2_load_hit_rate:.1f} % hit"
    assert texts["constant"] == f"{100 * run.constant_load_pass_hits / run.constant_load_passes:.1f} % hit"


def test_before_caches_everything_goes_to_dram():
    _, found = chart("G80", caches=True)
    assert [box.place for box in found.boxes] == ["kernel", "global", "local", "shared", "constant", "dram"]
    assert {arrow.target for arrow in found.arrows if arrow.source == "global"} == {"dram"}


def test_what_was_not_used_is_not_there():
    with gpusim.profile(caches=True) as run:
        first_only[1, 32](np.zeros(32, np.float32))
    found = run.memory_chart().variants[0]
    assert [box.place for box in found.boxes] == ["kernel", "global", "l1", "l2"]
    assert run.memory_chart().title == "first_only"


def test_all_launches_count():
    y = cuda.to_device(np.zeros(32, np.float32))
    with gpusim.profile(caches=True) as run:
        first_only[1, 32](y)
        first_only[3, 32](y)
    assert run.memory_chart().variants[0].arrows[0].count == 4


def test_without_caches_or_on_two_devices_it_is_refused():
    with pytest.raises(ReportError, match=r"profile\(…, caches=True\)"):
        chart("H200")
    with gpusim.profile(caches=True) as run:
        for device in ("H200", "V100"):
            with gpusim.use(device=device):
                first_only[1, 32](np.zeros(32, np.float32))
    with pytest.raises(ReportError, match="this run has 2"):
        run.memory_chart()
