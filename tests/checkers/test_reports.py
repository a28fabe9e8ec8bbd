"""What do reports say, and what do the tools make of single cases? Worked examples."""

import re
from dataclasses import replace
from html import unescape

import numpy as np
import pytest

import gpusim
from gpusim import cuda
from gpusim.errors import OutOfBounds, ReportError
from gpusim.reports.findings import Finding, FindingsReport
from gpusim.views.findings import findings_html

HANDMADE = Finding("racecheck", "RAW", "error", "made up", "", "shift", "", None, 1, ())


@cuda.jit
def shift(x):
    i = cuda.threadIdx.x
    x[i] = x[i + 1]


@cuda.jit
def beyond(x):
    x[cuda.threadIdx.x] = 1


def test_a_finding_names_both_accesses():
    with gpusim.sanitize("racecheck", schedule="serial") as report:
        shift[1, 64](np.arange(65))
    (finding,) = report.findings
    first, second = finding.accesses
    assert (finding.hazard, finding.count, finding.kernel) == ("WAR", 63, "shift")
    # thread 0 reads x[1], which thread 1 overwrites
    assert (first.kind, first.thread, first.block) == ("load", (0, 0, 0), (0, 0, 0))
    assert (second.kind, second.thread, second.block) == ("store", (1, 0, 0), (0, 0, 0))
    assert finding.place == "global x[1]"
    assert "cuda.syncwarp()" in finding.hint


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ((), "made up"),
        ((4,), "made up (line 4)"),
        ((4, 9), "made up (lines 4 and 9)"),
        ((9, 9), "made up (line 9, twice)"),
    ],
)
def test_a_finding_says_in_words_which_lines_it_is_of(lines, said):
    with gpusim.sanitize("racecheck") as report:
        shift[1, 64](np.arange(65))
    access = report.findings[0].accesses[0]
    found = replace(
        HANDMADE, accesses=tuple(replace(access, at=replace(access.at, line=line)) for line in lines)
    )
    assert str(found) == f"racecheck: RAW: {said}"


def test_the_report_prints_as_compute_sanitizer_does():
    with gpusim.sanitize() as report:
        shift[1, 32](np.arange(33))
    text = repr(report)
    assert (
        text.splitlines()[0]
        == "========= GPUSIM SANITIZER (racecheck, synccheck, memcheck, initcheck, streamcheck)"
    )
    assert "Error: racecheck: WAR on global x[1]" in text
    assert "x[i] = x[i + 1]" in text
    assert text.splitlines()[-1] == "========= SUMMARY: 1 error, 0 warnings"
    assert "racecheck" in report._repr_html_()
    assert report.as_dict()["findings"][0]["accesses"][0]["line"] == report.findings[0].lines[0]
    assert (len(report), report.clean, list(report)) == (1, False, report.findings)
    with pytest.raises(ReportError, match="neither true nor false"):
        bool(report)


def test_a_report_escapes_what_it_shows_as_html():
    with gpusim.sanitize("memcheck") as report:
        beyond[1, 32](np.zeros(3))
    (finding,) = report.findings
    assert "<script>" not in findings_html(
        FindingsReport(report.tools, (replace(finding, message="<script>"),))
    )


def visible(html):
    """The text of the page, without its elements."""
    return unescape(re.sub("<[^>]*>", "|", html))


def test_in_a_notebook_a_finding_is_one_block():
    with gpusim.sanitize("racecheck", schedule="serial") as report:
        shift[1, 32](np.arange(33))
    (finding,) = report.findings
    line, html = finding.lines[0], report._repr_html_()
    shown = [part for part in visible(html).split("|") if part]
    assert shown == [
        "SUMMARY: 1 error, 0 warnings (racecheck)",
        f"Error: racecheck: WAR on global x[1] ({finding.address:#x}) in shift [seen 31 times]",
        finding.message,
        f"load by thread (0,0,0) in block (0,0,0) at test_reports.py:{line}",
        *("x[i] = ", "x", "[i + 1]"),  # underlined: what stands at the place
        f"store by thread (1,0,0) in block (0,0,0) at test_reports.py:{line}",
        *("x", "[i] = x[i + 1]"),
        f"What to do: {finding.hint}",
    ]
    assert "<table" not in html


def test_a_warning_is_told_from_an_error_without_colours():
    html = findings_html(FindingsReport(("racecheck",), (replace(HANDMADE, severity="warning"),)))
    assert "Warning: racecheck: RAW" in html
    assert "dashed" in html
    assert "dashed" not in findings_html(FindingsReport(("racecheck",), (HANDMADE,)))
    assert "What to do" not in html, "there is no hint"


def test_a_clean_report_says_what_was_checked():
    assert findings_html(FindingsReport(("racecheck",), ())) == "<p>No fault found (racecheck).</p>"


def test_an_access_outside_its_array_ends_its_launch_and_the_block_goes_on():
    with gpusim.sanitize("memcheck") as report:
        for _ in range(2):
            beyond[1, 32](np.zeros(31))
        beyond[1, 32](after := np.zeros(32))
    assert after.all()
    (finding,) = report
    assert finding.count == 2
    assert (finding.tool, finding.hazard) == ("memcheck", "out of bounds")
    assert finding.message == "thread (31, 0, 0) of block (0, 0, 0) uses index 31 of 'x', whose length is 31"
    assert finding.accesses[0].thread == (31, 0, 0)


def test_findings_that_nobody_looks_at_are_printed(capsys):
    with gpusim.sanitize("memcheck"):
        beyond[1, 32](np.zeros(31))
    assert "SUMMARY: 1 error" in capsys.readouterr().out
    with gpusim.sanitize("memcheck") as report:
        beyond[1, 32](np.zeros(31))
    assert len(report) == 1
    del report
    with gpusim.sanitize():
        beyond[1, 32](np.zeros(32))
    assert not capsys.readouterr().out


def test_an_error_of_a_tool_that_was_not_asked_for_is_raised():
    with pytest.raises(OutOfBounds), gpusim.sanitize("racecheck"):
        beyond[1, 32](np.zeros(31))


def test_other_errors_pass():
    with pytest.raises(ZeroDivisionError), gpusim.sanitize():
        raise ZeroDivisionError


def test_an_unknown_tool_is_refused_with_the_list_of_tools():
    with pytest.raises(ReportError, match="racecheck, synccheck, memcheck, initcheck"):
        gpusim.sanitize("leakcheck")


def test_it_works_inside_a_profile():
    with gpusim.profile() as run, gpusim.sanitize() as report:
        beyond[1, 32](np.zeros(32))
    assert report.clean
    assert run.global_store_requests == 1


def test_it_takes_its_surroundings_from_where_it_is_entered():
    earlier = gpusim.sanitize()
    with gpusim.profile("P100") as run, earlier:
        beyond[1, 32](np.zeros(32))
    assert run.global_store_requests == 1
    assert run.kernels[0].device.name == "P100"


def test_one_that_is_entered_again_reports_anew():
    twice = gpusim.sanitize()
    with twice as first, twice as within:
        shift[1, 32](np.arange(33))
    with twice as second:
        beyond[1, 33](np.zeros(32))
    hazards = [[finding.hazard for finding in report.findings] for report in (first, within, second)]
    assert hazards == [["WAR"], ["WAR"], ["out of bounds"]]


def test_the_same_fault_in_two_launches_is_one_finding():
    with gpusim.sanitize() as report:
        for _ in range(2):
            shift[1, 32](np.arange(33))
    assert [finding.count for finding in report.findings] == [62]


# synccheck ------------------------------------------------------------------------------------------------


def test_before_volta_a_barrier_in_a_branch_names_a_thread_that_it_does_not_wait_for():
    @cuda.jit
    def kernel(x):
        if cuda.threadIdx.x < 8 and cuda.blockIdx.x == 1:
            cuda.syncthreads()
        x[cuda.grid(1)] = 1

    with gpusim.sanitize("synccheck", device="P100") as report:
        kernel[2, 32](np.zeros(64))
    (finding,) = report.findings
    assert "24 lanes of a warp, among them thread (8, 0, 0) of block (1, 0, 0): before" in finding.message


def test_a_shuffle_from_a_lane_that_takes_no_part_is_a_warning(machine):
    @cuda.jit
    def kernel(y):
        t = cuda.threadIdx.x
        if t < 16:
            y[t] = cuda.shfl_down_sync(0xFFFF, t, 8)

    with gpusim.sanitize() as report:
        kernel[1, 32](np.zeros(16, np.int64))
    assert report.clean
    (warning,) = report.warnings
    assert (warning.hazard, warning.count) == ("shuffle from an absent lane", 8)
    assert warning.accesses[0].thread == (8, 0, 0)


def test_lanes_that_return_from_a_loop_are_waited_for_no_more():
    @cuda.jit
    def kernel(y):
        t = cuda.threadIdx.x
        for step in range(32):
            if step == t:
                return
            y[t] += 1
            cuda.syncthreads()

    with gpusim.sanitize() as report:
        kernel[1, 32](np.zeros(32))
    assert report.clean


def test_a_livelock_is_a_finding():
    @cuda.jit
    def kernel(flag):
        while cuda.atomic.add(flag, 0, 0) == 0:
            pass

    with gpusim.sanitize(step_budget=2000) as report:
        kernel[1, 32](np.zeros(1, np.int32))
    assert [(f.tool, f.hazard) for f in report.findings] == [("synccheck", "livelock")]


# initcheck ------------------------------------------------------------------------------------------------


def test_local_memory_starts_without_contents(machine):
    @cuda.jit
    def kernel(y):
        a = cuda.local.array(2, np.float32)
        a[0] = 1
        y[cuda.threadIdx.x] = a[0] + a[cuda.threadIdx.x % 2]

    with gpusim.sanitize() as report:
        kernel[1, 64](np.zeros(64, np.float32))
    (finding,) = report.findings
    assert (finding.tool, finding.place, finding.count) == ("initcheck", "local a[1]", 32)


def test_one_half_of_a_number_is_not_a_number():
    @cuda.jit
    def kernel(y):
        s = cuda.shared.array(1, np.float64)
        halves = s.view(np.int32)
        halves[0] = 1
        y[0] = s[0]

    with gpusim.sanitize("initcheck") as report:
        kernel[1, 1](np.zeros(1))
    assert len(report) == 1


def test_shared_memory_is_new_for_every_block():
    @cuda.jit
    def kernel(y):
        s = cuda.shared.array(1, np.float64)
        if cuda.blockIdx.x == 0:
            s[0] = 1.0
        y[cuda.blockIdx.x] = s[0]

    with gpusim.sanitize("initcheck") as report:
        kernel[3000, 1](np.zeros(3000))
    assert [finding.count for finding in report.findings] == [2999]


def test_bytes_of_a_device_array_that_nobody_wrote():
    """A copy writes elements 0 and 1, thread 0 writes element 2: element 3 has no value, also later on."""

    @cuda.jit
    def kernel(x):
        if cuda.threadIdx.x == 0:
            x[2] = 1
        cuda.syncthreads()
        x[0] += x[cuda.threadIdx.x] if cuda.threadIdx.x != 0 else 0

    x = cuda.device_array(4, np.int32)
    x[:2] = np.ones(2, np.int32)
    for launches in (1, 2):
        with gpusim.sanitize("initcheck") as report:
            kernel[1, 4](x)
        (finding,) = report.findings
        assert (finding.place, finding.count) == ("global x[3]", 1), launches
        assert finding.accesses[0].thread == (3, 0, 0)


def test_what_a_launch_outside_wrote_counts_as_written():
    @cuda.jit
    def fill(x):
        x[cuda.threadIdx.x] = 1

    x = cuda.device_array(32, np.int32)
    fill[1, 32](x)
    with gpusim.sanitize() as report:
        shift[1, 1](x)
    assert report.clean


# memcheck and what lies where -----------------------------------------------------------------------------


def test_memory_that_was_given_back():
    x = cuda.to_device(np.zeros(32))
    x.gpu_data.free()
    with gpusim.sanitize() as report:
        beyond[1, 32](x)
    (finding,) = report.findings
    assert (finding.tool, finding.hazard) == ("memcheck", "use after free")


@pytest.mark.parametrize("place", [lambda x: x, cuda.to_device])
def test_one_array_passed_twice_is_one_array(place):
    @cuda.jit
    def copy(x, y):
        y[cuda.grid(1)] = x[cuda.grid(1)]

    x = place(np.zeros(65))
    for source, target, hazards in ((x[1:], x[:-1], ["WAR"]), (x[:-1], x[:-1], [])):
        with gpusim.sanitize("racecheck") as report:
            copy[1, 64](source, target)
        assert [finding.hazard for finding in report.findings] == hazards


# the whole grid -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("schedule", [None, "serial", *range(5)])
def test_a_barrier_of_the_grid_orders_all_its_threads(machine, schedule):
    @cuda.jit
    def kernel(x, y):
        i = cuda.grid(1)
        x[i] = i
        cuda.cg.this_grid().sync()
        y[i] = x[x.size - 1 - i]

    @cuda.jit
    def without(x, y):
        i = cuda.grid(1)
        x[i] = i
        cuda.syncthreads()
        y[i] = x[x.size - 1 - i]

    for tested, clean in ((kernel, True), (without, False)):
        with gpusim.sanitize(schedule=schedule) as report:
            tested[3, 64](np.zeros(192), np.zeros(192))
        assert report.clean == clean, report


def writes_together(offset):
    @cuda.jit
    def made(x):
        x[0] = cuda.threadIdx.x + offset

    return made


def reads_what_is_not_there(offset):
    @cuda.jit
    def made(x):
        s = cuda.shared.array(32, np.int64)
        x[0] = s[offset]

    return made


def goes_around_its_barrier(offset):
    @cuda.jit
    def made(x):
        if cuda.threadIdx.x > offset:
            cuda.syncthreads()

    return made


@pytest.mark.parametrize(
    ("tool", "make"),
    [
        ("racecheck", writes_together),
        ("initcheck", reads_what_is_not_there),
        ("synccheck", goes_around_its_barrier),
    ],
)
def test_kernels_of_one_name_that_a_function_makes_are_told_apart(tool, make):
    one, other = make(1), make(2)
    with gpusim.sanitize(tool) as report:
        for kernel in (one, other, one):
            kernel[1, 32](np.zeros(2, np.int64))
    assert [finding.count for finding in report] == [2 * report.findings[1].count, report.findings[1].count]


def test_tools_that_are_nested_find_the_same():
    @cuda.jit
    def add(x):
        cuda.atomic.add(x, 0, 1)

    x = cuda.device_array(4, np.int32)
    with gpusim.sanitize("initcheck") as outer, gpusim.sanitize("initcheck") as inner:
        add[1, 1](x)
        add[1, 1](x)
    assert [[finding.count for finding in report] for report in (outer, inner)] == [[1], [1]]
