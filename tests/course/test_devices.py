"""Does the page of devices show every figure with its source, and say which are assumed?"""

from __future__ import annotations

import re
from dataclasses import fields

import pytest

from course import devices
from gpusim.devices import Device

CELL = re.compile(
    r'<td( class="assumed")?>([^<]*) <a href="#source-(\d+)" title="[^"]*"><sup>\3</sup></a></td>'
)
ROW = re.compile(r'<tr><th scope="row"><code>(.*?)</code></th>(.*?)</tr>')


def rows_of(table):
    """Field -> for each device whether it is assumed, what is shown, and the number of its source."""
    return {name.replace("<wbr>", ""): CELL.findall(cells) for name, cells in ROW.findall(table.data)}


@pytest.fixture(scope="module")
def sources():
    return devices.Sources()


@pytest.fixture(scope="module")
def rows(sources):
    return rows_of(devices.side_by_side(sources))


def test_every_figure_of_every_device_is_there_with_its_source(rows, sources):
    assert sorted(rows) == sorted(
        field.name for field in fields(Device) if field.name not in ("name", "sources")
    )
    texts = {str(number): source for source, number in sources.numbers.items()}
    for name, cells in rows.items():
        assert [texts[number] for _, _, number in cells] == [gpu.sources[name] for gpu in devices.DEVICES]


def test_what_is_assumed_is_marked_and_nothing_else(rows):
    for place, gpu in enumerate(devices.DEVICES):
        marked = {name for name, cells in rows.items() if cells[place][0]}
        assert marked == set(gpu.assumed_fields)


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("shared_bytes_per_multiprocessor", 233472, "228 KB"),
        ("memory_bytes", 16 * 1024**3, "16 GB"),
        ("l2_bytes", 1536 * 1024, "1.5 MB"),
        ("shared_bytes_reserved_per_block", 0, "0"),
        ("bank_bytes", 4, "4"),
        ("max_block_dim", (1024, 1024, 64), "1,024 × 1,024 × 64"),
        ("carveouts_bytes", (16384, 49152), "16 KB, 48 KB"),
        ("compute_capability", (9, 0), "9.0"),
        ("compute_capability", None, "none"),
        ("l1_caches", (), "nothing"),
        ("year", 2023, "2023"),
    ],
)
def test_a_figure_is_shown_with_its_unit(name, value, text):
    assert devices.shown(name, value) == text


def test_published_latencies_and_assumed_ones_are_told_apart(sources):
    rows, v100 = rows_of(devices.times(sources)), [gpu.name for gpu in devices.DEVICES].index("V100")
    assert rows["l2_latency"][v100][:2] == ("", "193")
    assert rows["barrier_latency"][v100][0], "nobody published it"
    h200 = [gpu.name for gpu in devices.DEVICES].index("H200")
    assert not any(cells[h200][0] for cells in rows.values())


def test_every_number_leads_to_a_source_in_the_list(sources):
    numbers = [int(number) for number in re.findall(r'<li id="source-(\d+)">', sources.listed().data)]
    assert numbers == list(range(1, len(sources.numbers) + 1))


def test_the_chart_has_one_device_of_each_compute_capability():
    capabilities = [gpu.compute_capability for gpu in devices.nvidia()]
    assert capabilities == sorted(set(capabilities))
    warps, *_ = devices.OF_A_MULTIPROCESSOR["resident warps"]
    assert devices.growth(warps) == pytest.approx(64 / 24)
