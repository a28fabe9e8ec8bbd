"""Is what the carve-out explorer says of a real H200 what was recorded, no more and no less?"""

from __future__ import annotations

from gpusim.devices.carveout import CACHE_CONFIGS, DEFAULT
from gpusim.devices.carveout_measured import H200, WITH_PREFERENCE_THREADS, taken
from tests.hardware import limits


def test_the_table_holds_every_launch_that_differs_from_the_rule():
    differ: dict[tuple[int, int], dict[int | str, int]] = {}
    for launch in limits.chosen():
        percent, config, size, threads = launch.asked
        if launch.bytes != launch.bytes_here:
            asked = max(percent, DEFAULT) if config <= 0 else CACHE_CONFIGS[config]
            differ.setdefault((size, threads), {})[asked] = launch.bytes // 1024
    assert differ == H200


def test_no_other_number_of_threads_is_spoken_for_without_a_preference():
    assert taken("H200", 0, 256, (DEFAULT, "none")) == (32 * 1024, 256)
    assert taken("H200", 0, 512, (DEFAULT, "none")) is None
    assert taken("H200", 0, 512, (3, "none")) == (32 * 1024, WITH_PREFERENCE_THREADS)
    assert taken("H200", 0, 512, (DEFAULT, "l1")) == (32 * 1024, WITH_PREFERENCE_THREADS)
    assert taken("A100", 0, 256, (DEFAULT, "none")) is None
