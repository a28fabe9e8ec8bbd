"""Does the page of devices show every figure with its source, and say which are assumed?"""

from __future__ import annotations

import re
from dataclasses import fields

import pytest

from course import devices
from gpusim.devices import Device

CELL = re.compile(
    r'<td>(<span class="assumed">)?([^<]*?)(?:</span>)?&nbsp;'
    r'<a href="#source-(\d+)" title="[^"]*"><sup>\3</sup></a></td>'
)
HEADING = re.compile(r'<th scope="col">(.*?)</th>')
ROW = re.compile(r'<tr><th scope="row"><code>(.*?)</code></th>(.*?)</tr>')


def rows_of(table):
    """Field -> for each device that has it: whether it is assumed, what is shown, its source's number."""
    names = HEADING.findall(table.data)
    return {
        field.replace("<wbr>", ""): {
            name: CELL.fullmatch(cell).groups()
            for name, cell in zip(names, re.findall("<td>.*?</td>", cells), strict=True)
            if cell != devices.NOTHING
        }
        for field, cells in ROW.findall(table.data)
    }


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
        found = {device: texts[number] for device, (_, _, number) in cells.items()}
        assert found == {gpu.name: gpu.sources[name] for gpu in devices.DEVICES}


def test_the_device_that_runs_where_none_is_chosen_stands_beside_the_names():
    assert HEADING.findall(devices.side_by_side(devices.Sources()).data)[:2] == ["H200", "G80"]


def test_what_is_assumed_is_marked_and_nothing_else(rows):
    for gpu in devices.DEVICES:
        marked = {name for name, cells in rows.items() if cells[gpu.name][0]}
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
    rows = rows_of(devices.times(sources))
    assert rows["l2_latency"]["V100"][:2] == (None, "193")
    assert rows["barrier_latency"]["V100"][0], "nobody published it"
    assert not any(cells["H200"][0] for cells in rows.values())


def test_speeds_of_copies_were_measured_on_the_h200_and_are_assumed_elsewhere(sources):
    rows = rows_of(devices.times(sources))
    for name in ("pinned_gb_per_s", "pageable_gb_per_s", "latency_microseconds"):
        measured = {device for device, (assumed, _, _) in rows[name].items() if not assumed}
        assert measured == {"H200"}


def test_where_kernels_launch_none_there_is_no_time_of_a_launch(sources):
    without = {gpu.name for gpu in devices.DEVICES} - {*rows_of(devices.times(sources))["issue"]}
    assert without == {"G80", "GT200", "C2050"}


@pytest.mark.parametrize(
    ("figure", "text"), [(10433.4, "10,430"), (1305.2, "1,305"), (55.125, "55.12"), (4, "4")]
)
def test_a_time_has_four_digits_that_count_and_no_power_of_ten(figure, text):
    assert devices.rounded(figure) == text


def test_every_number_leads_to_a_source_in_the_list(sources):
    numbers = [int(number) for number in re.findall(r'<li id="source-(\d+)">', sources.listed().data)]
    assert numbers == list(range(1, len(sources.numbers) + 1))


def test_the_chart_has_one_device_of_each_compute_capability():
    capabilities = [gpu.compute_capability for gpu in devices.nvidia()]
    assert capabilities == sorted(set(capabilities))
    warps, *_ = devices.OF_A_MULTIPROCESSOR["resident warps"]
    assert devices.growth(warps) == pytest.approx(64 / 24)
