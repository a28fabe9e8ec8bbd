"""What do checks take, and how do they say no?"""

from __future__ import annotations

import sys
import warnings
import zlib
from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

import gpusim
from gpusim import cuda, grading
from gpusim.grading import CheckFailed


@pytest.fixture
def shell() -> InteractiveShell:
    """A notebook's Python, which keeps no history."""
    config = Config()
    config.HistoryManager.enabled = False
    return InteractiveShell(config=config)


@cuda.jit
def double(x, out):
    i = cuda.grid(1)
    out[i] = 2 * x[i]


@cuda.jit
def scaled(x, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = 3 * x[i]


@cuda.jit
def beyond(x, out):
    out[cuda.grid(1) + 1] = x[0]


def doubled(kernel: Any = double) -> Any:
    x, out = np.arange(64), np.zeros(64, int)
    return grading.launched(kernel[1, 64], x, out, device="H200", where="one block"), out, 2 * x


@pytest.mark.parametrize("seven", [7, 7.0, np.int8(7), np.float32(7), np.array(7)])
def test_a_number_is_taken_in_any_form(seven: Any) -> None:
    assert grading.whole(seven, "here") == 7
    assert grading.numbers(np.array([7, 7]), 2, "here") == grading.numbers([seven, 7], 2, "here") == [7, 7]


@pytest.mark.parametrize("wrong", [7.5, "7", None, True, np.inf, [7], (7, 7, 7)])
def test_what_is_no_number_is_refused_in_a_sentence(wrong: Any) -> None:
    with pytest.raises(CheckFailed, match="here: a whole number is asked for, not"):
        grading.whole(wrong, "here")
    with pytest.raises(CheckFailed, match="here: "):
        grading.numbers(wrong, 2, "here")


@pytest.mark.parametrize("same", ["00ff", "0x00FF", "FF", "0b11111111", 255, np.uint64(255), "00_ff", " ff"])
def test_a_mask_is_taken_in_any_form(same: Any) -> None:
    assert grading.mask(same, "here") == 0xFF


@pytest.mark.parametrize("again", [False, True])
def test_a_function_that_is_not_followed_any_more_answers_nothing(again: bool) -> None:
    def asks(lanes: int) -> float:
        follows = sys.getprofile()
        sys.setprofile(None)
        told: float = doubled()[0].sectors_per_request
        if again:
            sys.setprofile(follows)
        return told

    with pytest.raises(CheckFailed, match=r"asks\(32\) asks the simulator \(setprofile\)"):
        grading.answered(asks, 32)


def test_a_function_answers_by_itself() -> None:
    def asks(lanes: int) -> float:
        return doubled()[0].sectors_per_request + lanes

    h200 = gpusim.devices.get("H200")
    assert grading.answered(lambda device: device.warp_size // 2, h200) == 16
    with pytest.raises(CheckFailed, match=r"asks\(32\) asks the simulator \(launching.__getitem__\)"):
        grading.answered(asks, 32)


def test_many_answers_are_asked_for_at_once_and_the_first_bad_one_is_named() -> None:
    def half(lanes: int) -> float:
        if lanes == 3:
            doubled()
        return lanes / 2

    assert grading.answered_each(half, [(lanes,) for lanes in (4, 2)]) == [2, 1]
    with pytest.raises(CheckFailed, match=r"half\(3\) asks the simulator"):
        grading.answered_each(half, [(lanes,) for lanes in range(5)])
    with pytest.raises(CheckFailed, match=r"half\(None\) has no answer"):
        grading.answered_each(half, [(8,), (None,)])


def test_an_error_of_the_readers_function_shows_the_readers_line() -> None:
    def share(lanes: int) -> float:
        return lanes / 0

    with pytest.raises(
        CheckFailed, match=r"share\(32\) has no answer; it ends with ZeroDivisionError"
    ) as failed:
        grading.answered(share, 32)
    assert failed.value.line == "return lanes / 0"


def test_a_table_beside_the_starter_has_a_column_of_gates_only_where_there_are_gates() -> None:
    prediction = gpusim.predict("How many?", 3, unit="sectors")
    prediction.value = 8
    gated, free = (
        grading.side_by_side(prediction, [("sectors", 32, 4, gate), ("warps", 2, 2, "")])
        for gate in ("at most 5", "")
    )
    assert repr(gated).splitlines()[1:3] == [
        "         starter  yours  gate",
        "sectors       32      4  at most 5",
    ]
    assert repr(free).splitlines()[1:3] == ["         starter  yours", "sectors       32      4"]
    assert [each.shown._repr_html_().count("</th>") for each in (gated, free)] == [6, 5]


def test_parts_of_a_prediction_earn_parts_of_the_points(capsys: pytest.CaptureFixture[str]) -> None:
    right = {"A": {32: 1, 64: 2}, "B": {32: 4, 64: 8}}

    def points(predicted: Any, guessed: int = 0) -> float | None:
        why = "{} with {} lanes is not {}".format
        return grading.predictions(predicted, right, 3, why, guessed=guessed)

    assert points({"A": {32: 1, 64: np.int64(2)}, "B": {32: 4.0, 64: 8}}) is None
    assert points({"A": {32: 1, 64: 2}, "B": {32: 5}}) == 1.5
    said = capsys.readouterr().out
    assert "1.5 of 3 points, which nbgrader reads below. 2 of 4 are right. B with 32 lanes is not 5" in said
    assert points({"A": {32: 1, 64: 2}, "B": {32: 4}}, guessed=2) == 1.5
    assert "3 of 4 are right. B, 64: not filled in yet\n" in capsys.readouterr().out
    assert points({"A": {32: 1, 64: 2}}) == 1.5
    said = capsys.readouterr().out.replace("\n", " ")
    assert "B, 32: not filled in yet. Empty are 2: 32 (1), 64 (1)." in said
    for nothing in ({}, {"A": None}, 7, {"A": {32: 2}}):
        with pytest.raises(CheckFailed):
            points(nothing)


def test_a_gate_says_the_figure_the_gate_and_the_readers_line() -> None:
    run, out, expected = doubled()
    grading.same(out, expected, "one block", run=run)
    assert grading.at_most(8, run.sectors_per_request, "sectors per request", "one block") == 8
    line = grading.line_with_most(run, "global_store_sectors")
    with pytest.raises(CheckFailed) as failed:
        grading.at_most(8, 16.0, "sectors per request", "one block", line=line)
    assert failed.value.sentence == "one block: 16 sectors per request, and the gate is 8."
    assert failed.value.line == "out[i] = 2 * x[i]"
    with pytest.raises(CheckFailed, match="element 3 is 6, not 0; 1 of 64 elements is wrong"):
        grading.same(out, np.where(np.arange(64) == 3, 0, expected), "one block")


def test_a_launch_that_fails_is_a_sentence() -> None:
    with pytest.raises(CheckFailed, match="one block: the launch ends with OutOfBounds"):
        doubled(beyond)


@cuda.jit
def halves(x, half, out):
    i = cuda.grid(1)
    half[i] = x[i] // 2
    out[i] = x[i] - half[i]
    x[i] = half[i] + out[i]


@cuda.jit
def wipes_out(x, half, out):
    x[cuda.grid(1)] = 0


def test_what_a_kernel_is_given_to_read_stays_as_it_is() -> None:
    """Zeros are halved rightly, too: so the numbers must be those that the check drew."""
    for kernel, writes, told in ((halves, 2, ""), (halves, 1, "array 2 of"), (wipes_out, 2, "array 1 of")):
        arrays = np.arange(1, 65), np.zeros(64, int), np.zeros(64, int)
        with pytest.raises(CheckFailed, match=f"writes into {told}") if told else nullcontext():
            grading.launched(kernel[1, 64], *arrays, writes=writes, device="H200", where="here")


@cuda.jit
def turned(x, out):
    room = cuda.shared.array(64, np.int64)
    room[cuda.threadIdx.x] = x[cuda.grid(1)]
    if cuda.gridDim.x == 1:
        cuda.syncthreads()
    out[cuda.grid(1)] = room[63 - cuda.threadIdx.x]


@pytest.mark.parametrize("blocks", [1, 2])
def test_the_launch_that_is_counted_has_no_race(blocks: int) -> None:
    x = np.arange(64 * blocks)
    with (
        pytest.raises(CheckFailed, match="racecheck finds a race") if blocks > 1 else nullcontext(),
        grading.no_races("here"),
    ):
        run = grading.launched(turned[blocks, 64], x, np.zeros_like(x), device="H200", where="here")
        assert run.shared_load_requests == 2 * blocks


def test_only_a_kernel_is_launched() -> None:
    def plain(x, out):
        out[0] = x[0]

    class Fake:
        def __getitem__(self, configuration: Any) -> Any:
            return double[1, 64]

    with pytest.raises(CheckFailed, match=r"`plain` is not a kernel .* Is `@cuda.jit` missing"):
        grading.launch(plain, 1, 64)
    with pytest.raises(CheckFailed, match="`Fake` is not a kernel"):
        grading.launch(Fake(), 1, 64)
    with pytest.raises(CheckFailed, match="`double` cannot be launched"):
        grading.launch(double, 1)
    with pytest.raises(CheckFailed, match="here: what is launched is not a kernel"):
        grading.launched(Fake(), device="H200", where="here")
    launch = grading.launch(double, 1, 64)
    assert (launch.kernel.py_func, launch.grid, launch.block) == (double.py_func, (1, 1, 1), (64, 1, 1))


def test_host_code_launches_once_with_the_arrays_of_the_check() -> None:
    def host(x, out):
        double[1, 64](x, out)
        out[:] = 0  # what the host does is left out

    def twice(x, out):
        double[1, 64](x, out)
        double[1, 64](x, out)

    def copies(x, out):
        double[1, 64](x.copy(), out)

    x, out = np.arange(64), np.zeros(64, int)
    grading.only_launch(host, x, out, device="H200", where="here")(x, out)
    assert np.array_equal(out, 2 * x)
    with pytest.raises(CheckFailed, match="`twice` launches 2 kernels"):
        grading.only_launch(twice, x, out, device="H200", where="here")
    with pytest.raises(CheckFailed, match="with the arrays that `copies` is given"):
        grading.only_launch(copies, x, out, device="H200", where="here")


def test_a_kernel_of_a_locked_cell_stays_as_it_is() -> None:
    source = "@cuda.jit\ndef double(x, out):\n    i = cuda.grid(1)\n    out[i] = 2 * x[i]"
    grading.unchanged(double, zlib.crc32(source.encode()))
    with pytest.raises(CheckFailed, match="`double` is not the kernel of its locked cell"):
        grading.unchanged(double, 7)


def test_nothing_is_measured_before_the_reader_predicts() -> None:
    measured = []

    def rows() -> Iterator[tuple[str, float, float, str]]:
        measured.append(1)
        yield "sectors", 32, 4, ""

    prediction = gpusim.predict("How many?", {"on 32 lanes": None, "on 64 lanes": None})
    table = grading.side_by_side(prediction, rows())
    assert "press Keep" in repr(table)
    assert measured == []
    prediction.value = {"on 32 lanes": 0.6, "on 64 lanes": 0.3}
    assert repr(table).startswith("You predicted on 32 lanes: 0.6, on 64 lanes: 0.3.\n")
    assert "<p>You predicted on 32 lanes: 0.6" in table.shown._repr_html_()
    prediction.value = {"on 32 lanes": 1, "on 64 lanes": 1}
    assert "lanes: 1, on" in repr(table)
    assert measured == [1]


def test_what_waits_changes_where_it_stands(capsys: pytest.CaptureFixture[str]) -> None:
    prediction = gpusim.predict("Which?", choices=["better", "worse"])
    grading.side_by_side(prediction, [("sectors", 32, 4, "")])._ipython_display_()
    assert "press Keep" in capsys.readouterr().out
    prediction.value = "worse"
    assert capsys.readouterr().out.startswith("You predicted worse.")
    prediction.value = None
    assert "press Keep" in capsys.readouterr().out


def test_a_row_that_fails_shows_its_sentence() -> None:
    def rows() -> Iterator[tuple[str, float, float, str]]:
        grading.require(False, "Too many lanes wait.")
        yield "sectors", 32, 4, ""

    prediction = gpusim.predict("How many?")
    table = grading.side_by_side(prediction, rows())
    prediction.value = 8
    assert "Too many lanes wait." in repr(table)
    assert "Traceback" not in repr(table)
    of_another = prediction.then(lambda: 1 // 0)
    assert repr(of_another).startswith("ZeroDivisionError: ")


def test_a_notebook_shows_the_sentence_and_no_traceback(
    capsys: pytest.CaptureFixture[str], shell: InteractiveShell
) -> None:
    shell.run_cell("from gpusim import grading\ngrading.require(False, 'Too many lanes wait.', 'x = y')")
    shown = capsys.readouterr().out
    assert "Too many lanes wait." in shown
    assert "your line:  x = y" in shown
    assert "Traceback" not in shown
    assert "grading.require" not in shown


def test_a_function_may_import_warn_print_and_end_python() -> None:
    def honest(count: int) -> int:
        import colorsys  # noqa: F401

        with warnings.catch_warnings():
            warnings.simplefilter("always")
            print(np.log(np.zeros(1)))
        return count

    assert grading.answered(honest, 3) == 3
    with pytest.raises(CheckFailed, match="ends with SystemExit"):
        grading.answered(lambda: sys.exit())
    with pytest.raises(CheckFailed, match="a function is asked for"):
        grading.answered(7)  # type: ignore[arg-type]


def test_who_wrote_what_is_found() -> None:
    out = np.zeros(100)
    arguments = np.arange(100), out
    writers = grading.written_by(grading.launch(scaled, 2, 48), *arguments, device="MetaX C500", where="here")
    assert np.array_equal(writers, np.where(np.arange(100) < 96, np.arange(100), -1))
    assert not out.any()
    readers = grading.read_by(
        grading.launch(scaled, 2, 48), *arguments, device="MetaX C500", where="here", of=0
    )
    assert np.array_equal(readers, writers)


@cuda.jit
def by_pairs(out, pairs):
    i = cuda.grid(1)
    if i < 3:
        pairs[i] = complex(i, -i)
    elif i < 5:
        out[i + 3] = 1.0


@cuda.jit
def praises(x, out):
    i = cuda.grid(1)
    if i < 2:
        print("All 4 are right.", i)
    out[i] = 2 * x[i]


def test_what_a_kernel_prints_is_marked_as_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    x, out = np.arange(32), np.zeros(32, int)
    grading.launched(grading.launch(praises, 1, 32), x, out, device="H200", where="here")
    grading.one_outcome(grading.launch(praises, 1, 32), x, out, device="H200", where="here", schedules=1)
    print("The course's.")
    *lines, last = capsys.readouterr().out.splitlines()
    assert last == "The course's."
    assert {*lines} == {f"the kernel prints: All 4 are right. {i}" for i in range(2)}


def test_a_wide_store_writes_each_of_its_elements() -> None:
    out = cuda.to_device(np.zeros(10))
    launch = grading.launch(by_pairs, 1, 32)
    writers = grading.written_by(launch, out, out.view(complex), device="H200", where="here", of=0)
    assert writers.tolist() == [0, 0, 1, 1, 2, 2, 3, 4, -1, -1]


def test_a_name_that_checks_use_is_put_back_and_the_reader_is_told(
    capsys: pytest.CaptureFixture[str], shell: InteractiveShell
) -> None:
    """A function or constant of the first cell, or one of Python's own; not what that cell makes anew."""
    names = shell.user_ns
    first = "from gpusim import grading\nLANES = 32\ndef twice(n):\n    return 2 * n\ngrading.keep(globals())"
    shell.run_cell(first)
    shell.run_cell("twice = 7\nLANES = 64\ngrading = None\nsum = 1 + 2\nmine = lanes = sum")
    told = "Put back, as checks use it: LANES, grading, sum, twice. Take another name for your own.\n"
    assert capsys.readouterr().out == told
    assert (names["LANES"], names["grading"], names["twice"](4), "sum" in names) == (32, grading, 8, False)
    assert names["mine"] == names["lanes"] == 3
    shell.run_cell(first.replace("32", "64"))
    shell.run_cell("LANES = 64\ndel twice")
    assert capsys.readouterr().out == "Put back, as checks use it: twice. Take another name for your own.\n"
    assert (names["LANES"], names["twice"](4)) == (64, 8)


def test_a_name_of_pythons_that_was_bound_before_is_put_back(
    capsys: pytest.CaptureFixture[str], shell: InteractiveShell
) -> None:
    """A cell above the first one has no more say; what the shell itself has under such a name stays."""
    names = shell.user_ns
    before = names.get("exit")
    shell.run_cell("from operator import is_ as getattr\nfrom numpy import spacing as abs\nmax = 3")
    shell.run_cell("from gpusim import grading\ngrading.keep(globals())")
    told = "Put back, as checks use it: abs, getattr, max. Take another name for your own.\n"
    assert capsys.readouterr().out == told
    shell.run_cell("abs = 1")
    shell.run_cell("from gpusim import grading\ngrading.keep(globals())")
    assert names.keys().isdisjoint(("abs", "getattr", "max"))
    assert names.get("exit") is before


@pytest.mark.parametrize("value", [object(), [lambda: 1], {"a": ValueError()}, np.array([object()])])
def test_an_answer_is_a_plain_value(value: Any) -> None:
    with pytest.raises(CheckFailed, match="no plain value: there is a"):
        grading.answered(lambda: value)


@pytest.mark.parametrize("value", [7, 7.5, "7", None, (1, [2.0]), {"a": {1}}, np.float32(1), range(3)])
def test_plain_values_stay_as_they_are(value: Any) -> None:
    found = grading.answered(lambda: value)
    assert (found, type(found)) == (value, type(value))


def test_host_code_does_not_prepare_the_arrays() -> None:
    def prepares(x, out):
        x *= 2
        double[1, 64](x, out)

    with pytest.raises(CheckFailed, match="`prepares` changes its arrays before it launches"):
        grading.only_launch(prepares, np.arange(64), np.zeros(64, int), device="H200", where="here")


@cuda.jit
def summed(x, out):
    i = cuda.grid(1)
    total = 0.0
    for k in range(4):
        total += x[k, i]
    out[i] = total


@cuda.jit
def prefetched(x, out):
    i = cuda.grid(1)
    total, following = 0.0, x[0, i]
    for k in range(1, 4):
        now = following
        following = x[k, i]
        total += now
    out[i] = total + following


@pytest.mark.parametrize(
    ("kernel", "bounds", "expected"),
    [(summed, None, 4), (summed, (64, 1), 1), (prefetched, None, 4), (scaled, None, 1)],
)
def test_waits_are_counted_from_block_to_block(kernel: Any, bounds: Any, expected: float) -> None:
    """A warp that loads one number ahead waits no less often, if always for a shorter time."""
    made = cuda.jit(launch_bounds=bounds)(kernel.py_func) if bounds else kernel
    x = np.zeros(64) if kernel is scaled else np.zeros((4, 64))
    launch = grading.launch(made, 2, 32)
    assert grading.waits(launch, x, np.zeros(64), device="H200", where="here") == expected


@pytest.mark.parametrize(("room", "lying"), [(4, [1, 2, 3, 4, 4, 4]), (1, [1, 1, 1, 1, 1, 1])])
def test_a_queue_is_as_full_as_its_producer_lets_it_be(room: int, lying: list[int]) -> None:
    """The second warp takes one value while the first could put in many."""

    @cuda.jit
    def queue(x: Any, out: Any, room: Any) -> None:
        ring = cuda.shared.array(4, np.int32)
        counts = cuda.shared.array(2, np.int32)
        t = cuda.threadIdx.x
        if t < 2:
            counts[t] = 0
        cuda.syncthreads()
        if t == 0:
            for k in range(x.size):
                while k - cuda.atomic.add(counts, 1, 0) >= room:
                    pass
                cuda.threadfence_block()
                ring[k % 4] = x[k]
                cuda.threadfence_block()
                cuda.atomic.add(counts, 0, 1)
        elif t == 32:
            for k in range(x.size):
                while cuda.atomic.add(counts, 0, 0) <= k:
                    pass
                cuda.threadfence_block()
                out[k] = ring[k % 4]
                cuda.threadfence_block()
                cuda.atomic.add(counts, 1, 1)

    x, out = np.arange(6, dtype=np.int32), np.zeros(6, np.int32)
    launch = grading.launch(queue, 1, 64)
    assert grading.ahead(launch, x, out, room, device="H200", where="here") == lying
    assert not out.any()  # arrays are copied


def test_points_so_far_are_those_of_each_check_when_it_last_ran(shell: InteractiveShell) -> None:
    """All, a part that is the last value, none for an error; what has not run is not held against anyone."""
    shell.run_cell("from gpusim import grading\ngrading.keep(globals())")
    shell.run_cell("# Check: sums (4 points)\ngrading.require(False, 'No.')")
    shell.run_cell("# Check: guesses (3 points)\n1.5")
    shell.run_cell("# Check: a name (1 point)\nprint('Right.')")
    points = grading.points_so_far({"sums": 4, "guesses": 3, "a name": 1, "never run": 2})
    assert [reached for _, reached, _ in points.rows] == [0, 1.5, 1, None]
    assert "2.5 of 10 points" in repr(points)
    assert "not the grade" in repr(points)
    shell.run_cell("# Check: sums (4 points)\ngrading.require(True, 'No.')")
    assert grading.points_so_far({"sums": 4}).reached == 4


@pytest.mark.parametrize("answer", ["def mine(x)\n    return x", "1 / 0\n\n\ndef mine(x):\n    return x"])
def test_a_check_behind_a_cell_that_failed_says_that_this_one_is_to_be_mended(
    capsys: pytest.CaptureFixture[str], shell: InteractiveShell, answer: str
) -> None:
    shell.run_cell("from gpusim import grading\ngrading.keep(globals())")
    assert not shell.run_cell(answer).success
    capsys.readouterr()
    assert not shell.run_cell("# Check: mine (3 points)\nmine(1)").success
    told = capsys.readouterr().out
    assert "mine is not there: your cell above that defines it ends in an error" in told
    assert "Run All Above" not in told


def test_a_long_line_of_the_readers_is_shown_in_part(capsys: pytest.CaptureFixture[str]) -> None:
    """Half of 3 points, whatever stands in the line: 40,000 characters would push the points out of sight."""
    long = {"A": {32: 5, 64: "7" * 40_000}}
    assert grading.predictions(long, {"A": {32: 5, 64: 6}}, 3, "{} {} {}".format) == 1.5
    assert len(capsys.readouterr().out) < 2000


def test_a_check_that_runs_too_early_names_what_lacks_and_how_to_get_it(
    capsys: pytest.CaptureFixture[str], shell: InteractiveShell
) -> None:
    """In a cell of the course itself; a name that lacks in the reader's own cell or function is theirs."""
    shell.run_cell("from gpusim import grading\ndef mine():\n    return widht\ngrading.keep(globals())")
    for early in (
        "# Check: scaling (3 points)\nrun_scale_all(1)",
        "# The starter and yours\nrun_scale_all(1)",
    ):
        assert not shell.run_cell(early).success
        told = capsys.readouterr().out
        assert "Not yet." in told
        assert "run_scale_all is not there yet" in told
        assert "Run All Above Selected Cell" in told
        assert "Traceback" not in told
    for own in ("run_scale_all(1)", "# Check: scaling (3 points)\nmine()"):
        assert not shell.run_cell(own).success
        assert "Traceback" in capsys.readouterr().out


def test_a_function_that_is_interrupted_is_told_in_a_sentence() -> None:
    """As a cell is that does not end in its time: no traceback, and no path of who grades."""

    def blocks_for(n: int) -> int:
        raise KeyboardInterrupt

    with pytest.raises(CheckFailed, match=r"blocks_for\(7\) did not answer within 0 s"):
        grading.answered(blocks_for, 7)


@pytest.mark.parametrize("right", [31.25, "4", None, np.nan])
def test_a_right_answer_that_nobody_can_give_is_the_authors_mistake(right: object) -> None:
    with pytest.raises(TypeError, match="A, x: nobody can predict"):
        grading.predictions({"A": {"x": 1}}, {"A": {"x": right}}, 3, "{} {} {}".format)
    assert grading.predictions({"A": {"x": 4}}, {"A": {"x": np.float64(4)}}, 3, "{} {} {}".format) is None
