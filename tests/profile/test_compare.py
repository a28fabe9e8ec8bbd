"""What does `gpusim.compare` say of two runs?"""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest

import gpusim
from gpusim import cuda
from gpusim.errors import ReportError
from gpusim.reports.comparison import Change


@cuda.jit
def strided(x, stride):
    i = cuda.grid(1) * stride
    x[i] += 1


@cuda.jit
def with_an_atomic(x):
    cuda.atomic.add(x, 0, 1)


def launched(kernel, *arguments, device="H200", launches=1):
    with gpusim.profile(device) as run:
        for _ in range(launches):
            kernel[1, 32](*arguments)
    return run


@pytest.fixture
def before():
    return launched(strided, np.zeros(256, np.float32), 8)


@pytest.fixture
def after():
    return launched(strided, np.zeros(256, np.float32), 1)


def test_only_what_differs_is_shown_unless_all_is_asked_for(before, after):
    found = gpusim.compare(before, after)
    assert found.changes == [
        Change("global_load_sectors", 32, 4, 1 / 8),
        Change("global_store_sectors", 32, 4, 1 / 8),
        Change("sectors_per_request", 32.0, 4.0, 1 / 8),
    ]
    everything = gpusim.compare(before, after, unchanged=True).changes
    assert {change.counter for change in everything} > {"instructions", "registers_per_thread", "barriers"}
    assert found["instructions"].ratio == 1
    with pytest.raises(KeyError, match="there is no 'sectors'; "):
        found["sectors"]


def test_lines_of_the_same_kernel_are_matched(before, after):
    lines = gpusim.compare(before, after).lines
    assert {line["source"] for line in lines} == {"x[i] += 1"}
    assert [(line["counter"], line["before"], line["after"]) for line in lines] == [
        ("global_load_sectors", 32, 4),
        ("global_store_sectors", 32, 4),
        ("sectors_per_request", 32.0, 4.0),
    ]


def test_as_text(before, after):
    line = before.kernels[0].lines[1]["line"]
    assert (
        repr(gpusim.compare(before, after))
        == f"""\
before → after
                          before  after  change
  global memory
    global_load_sectors       32      4     ÷ 8
    global_store_sectors      32      4     ÷ 8
    sectors_per_request    32.00   4.00     ÷ 8
  line {line}: x[i] += 1
    global_load_sectors       32      4     ÷ 8
    global_store_sectors      32      4     ÷ 8
    sectors_per_request    32.00   4.00     ÷ 8"""
    )
    assert repr(gpusim.compare(after, after)) == "before → after: no counter differs"


def test_two_kernels_are_named_and_their_lines_are_not_matched(after):
    found = gpusim.compare(after, launched(with_an_atomic, np.zeros(1, np.int32)))
    assert found.labels == ("strided", "with_an_atomic")
    assert found["atomics"] == Change("atomics", 0, 1, None)
    assert found.lines == []
    text = repr(found)
    assert "strided → with_an_atomic" in text
    assert [line.split()[-1] for line in text.splitlines() if "global_load_requests" in line] == ["gone"]
    assert [line.split()[-1] for line in text.splitlines() if "global_atomic_requests" in line] == ["new"]
    assert "their lines are not matched" in text
    with pytest.raises(ReportError, match='strided and with_an_atomic; use by="kernel"'):
        found.to_csv(by="line")


def test_two_devices_are_named(after):
    old = launched(strided, np.zeros(256, np.float32), 1, device="G80")
    found = gpusim.compare(old, after)
    assert found.labels == ("G80", "H200")
    assert found["global_load_transactions"] == Change("global_load_transactions", 2, 0, 0.0)
    assert gpusim.compare(old, after, labels=("2006", "2023")).labels == ("2006", "2023")


def test_a_launch_is_compared_like_a_run(before, after):
    whole = gpusim.compare(before, after)
    assert gpusim.compare(before.kernels[0], after.kernels[0]).as_dict() == whole.as_dict()


def test_launches_of_a_run_are_added(before):
    thrice = launched(strided, np.zeros(256, np.float32), 8, launches=3)
    found = gpusim.compare(before, thrice)
    assert {change.ratio for change in found.changes} == {3}
    assert repr(found).startswith("before → after (3 launches)")
    assert all(line["ratio"] == 3 for line in found.lines)


def test_exports_have_the_same_rows_as_the_tables(before, after):
    found = gpusim.compare(before, after)
    rows = list(csv.DictReader(io.StringIO(found.to_csv())))
    assert list(rows[0]) == ["counter", "before", "after", "ratio"]
    assert [row["counter"] for row in rows] == [change.counter for change in found.changes]
    by_line = list(csv.DictReader(io.StringIO(found.to_csv(by="line"))))
    assert list(by_line[0])[:4] == ["kernel", "function", "line", "source"]
    assert len(by_line) == len(found.lines)
    json.dumps(found.as_dict())


def test_the_page_holds_the_same_and_escapes_sources(before, after):
    page = gpusim.compare(before, after, labels=("<b>", "after"))._repr_html_()
    assert "&lt;b&gt; → after" in page
    assert "<b>" not in page
    assert page.count("÷ 8") == 6


def test_what_is_no_run_is_refused(before):
    with pytest.raises(ReportError, match="compare takes two runs, and after is of type dict; a run is what"):
        gpusim.compare(before, before.as_dict())
    with gpusim.profile() as nothing:
        pass
    with pytest.raises(ReportError, match="no kernel was launched in the run before"):
        gpusim.compare(nothing, before)
    with pytest.raises(ReportError, match="labels are two names"):
        gpusim.compare(before, before, labels="ab")
    with pytest.raises(ReportError, match=r"by is .* not 'row'"):
        gpusim.compare(before, before).to_csv(by="row")


def test_time_and_what_bounds_it_are_rows_where_more_than_a_launch_takes_time():
    n = 1 << 20
    runs = []
    for stride in (8, 1):
        with gpusim.profile("H200") as run:
            strided[n // 256, 256](np.zeros(8 * n, np.float32), stride)
        runs.append(run)
    found = gpusim.compare(*runs)
    before, after = found.report().times
    assert before.seconds == runs[0].timing().seconds > after.seconds
    lines = repr(found).splitlines()
    assert lines[2].strip() == "time, by the model"
    assert [line.split("  ")[2] for line in lines[3:6]] == [
        "time",
        "bound by, part of that roof",
        "achieved occupancy",
    ]
    assert before.bound_by in lines[4]
    assert "time, by the model</th>" in found._repr_html_()
    brief = gpusim.compare(
        *(launched(strided, np.zeros(256, np.float32), stride, device="H200") for stride in (8, 1))
    )
    assert brief.report().times == ()
