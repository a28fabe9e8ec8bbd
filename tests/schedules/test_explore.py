"""Which outcomes has a launch, who gave them, and where do two schedules part?"""

from __future__ import annotations

import json

import numpy as np
import pytest

import gpusim
from gpusim import cuda
from gpusim.errors import InvalidMask, KernelTypeError, LaunchError, OutOfBounds, ReportError
from gpusim.schedules.outcomes import differences_between

FULL = 0xFFFFFFFF


@cuda.jit
def count(total):
    total[0] += 1


@cuda.jit
def count_atomically(total):
    cuda.atomic.add(total, 0, 1)


@cuda.jit
def copy(x, out):
    i = cuda.grid(1)
    out[i] = x[i]


@cuda.jit
def beyond(out):
    out[0] = 1
    out[cuda.threadIdx.x] = 2


@cuda.jit
def swap_halves(out):
    i = cuda.threadIdx.x
    if i < 16:
        out[i] = cuda.shfl_xor_sync(FULL, i, 16)
    else:
        out[i] = cuda.shfl_xor_sync(FULL, i, 16)


@cuda.jit
def barrier_on_both_sides(out):
    if cuda.threadIdx.x < 16:
        cuda.syncthreads()
    else:
        cuda.syncthreads()
    out[cuda.threadIdx.x] = 1


@cuda.jit
def shift(x):
    shared = cuda.shared.array(32, np.int32)
    i = cuda.threadIdx.x
    shared[i] = x[i]
    x[i] = shared[(i + 1) % 32]


@cuda.jit
def who_is_here(out):
    out[cuda.threadIdx.x] = cuda.activemask()


@cuda.jit
def late_flag(out, flag, rounds, writer):
    if cuda.grid(1) == 0:
        out[0] = flag[0]
    elif cuda.grid(1) == writer:
        for turn in range(rounds):
            out[1] = turn
        flag[0] = 7


class InDeviceMemory:
    """What Numba's device arrays have, and NumPy's have not."""

    def copy_to_host(self):
        return zeros()


def zeros(size=1):
    return np.zeros(size, np.int64)


def test_a_race_has_several_outcomes_and_the_most_frequent_comes_first():
    found = gpusim.explore_schedules(count[2, 32], zeros(), schedules=40)
    assert len(found) == len(found.outcomes) > 2
    assert not found.deterministic
    counts = [outcome.count for outcome in found.outcomes]
    assert counts == sorted(counts, reverse=True)
    assert sum(counts) == found.schedules == 40
    totals = [int(outcome.arguments["total"][0]) for outcome in found.outcomes]
    assert len(set(totals)) == len(totals)
    assert 1 <= min(totals) <= max(totals) <= 64


@pytest.mark.parametrize("rounds", [0, 2, 5, 50])
@pytest.mark.parametrize(
    ("grid", "block", "writer"),
    [(1, 2, 1), (1, 64, 32), (1, 1024, 512), (2, 32, 32), (8, 128, 512)],
    ids=["lanes", "warps", "many warps", "blocks", "many blocks"],
)
def test_some_schedule_holds_a_thread_back_while_another_works_for_long(grid, block, writer, rounds):
    found = gpusim.explore_schedules(late_flag[grid, block], zeros(2), zeros(), rounds, writer)
    assert {int(outcome.arguments["out"][0]) for outcome in found.outcomes} == {0, 7}


def test_every_outcome_replays_by_each_of_its_schedules():
    found = gpusim.explore_schedules(count[2, 32], zeros(), schedules=12)
    for outcome in found.outcomes:
        for schedule in outcome.schedules:
            total = zeros()
            with gpusim.use(schedule=schedule):
                count[2, 32](total)
            assert total.tolist() == outcome.arguments["total"].tolist()
        assert outcome.replay == f"with gpusim.use(schedule={outcome.schedules[0]!r}):"


def test_a_right_kernel_has_one_outcome(machine):
    found = gpusim.explore_schedules(count_atomically[2, 80], zeros(), schedules=8)
    assert found.deterministic
    assert found.outcomes[0].arguments["total"].tolist() == [160]
    assert found.outcomes[0].schedules == ["friendly", "serial", 0, 1, 2, 3, 4, 5]
    assert (found.kernel, found.device.name) == ("count_atomically", machine)


def test_the_originals_stay():
    total = zeros()
    gpusim.explore_schedules(count[1, 32], total, schedules=4)
    assert total.tolist() == [0]


def test_views_of_one_array_stay_views_of_one_array():
    x = np.arange(8, dtype=np.int64)
    found = gpusim.explore_schedules(copy[1, 4], x[4:], x[::2], schedules=1)
    assert found.outcomes[0].arguments["out"].tolist() == [4, 5, 6, 7]
    assert found.outcomes[0].arguments["x"].tolist() == [6, 5, 7, 7]
    assert x.tolist() == list(range(8))


def test_arrays_in_a_tuple_are_copied_and_compared_too():
    @cuda.jit
    def count_both(totals):
        totals[0][0] += 1
        totals[1][0] += 2

    totals = np.zeros(1, np.int32), np.zeros(1, np.int32)
    found = gpusim.explore_schedules(count_both[1, 32], totals, schedules=["friendly", "serial"])
    assert [totals[0][0], totals[1][0]] == [0, 0]
    assert set(found.outcomes[0].arguments) == {"argument 1[0]", "argument 1[1]"}
    with pytest.raises(LaunchError, match=r"argument 1\[1\] lies in device memory"):
        gpusim.explore_schedules(count_both[1, 32], (totals[0], cuda.to_device(totals[1])))


def test_a_read_only_array_stays_read_only():
    out = zeros(4)
    out.flags.writeable = False
    with pytest.raises(LaunchError, match="read-only"):
        gpusim.explore_schedules(copy[1, 4], zeros(4), out)


def test_what_differs_is_named_with_its_elements():
    found = gpusim.explore_schedules(count[2, 32], zeros(), schedules=["friendly", "serial"])
    usual, other = (int(outcome.arguments["total"][0]) for outcome in found.outcomes)
    assert found.outcomes[0].differences == []
    (difference,) = found.outcomes[1].differences
    assert (difference.argument, difference.elements) == ("total", ((0,),))
    assert difference.describe() == f"total[0]: {other}, not {usual}"
    assert found.outcomes[0].describe() == f"total = [{usual}]"


def test_floats_compare_bit_for_bit_and_any_nan_is_like_any_other():
    quiet, other = np.array([0x7FF8000000000000, 0x7FF8000000000123], np.uint64).view(np.float64)

    def leave(values):
        given = iter(values)

        def launch(out):
            count_atomically[1, 1](zeros())
            out[0] = next(given)

        return gpusim.explore_schedules(launch, np.zeros(1), schedules=2).deterministic

    assert leave([quiet, other])
    assert not leave([0.0, -0.0])
    assert not leave([1.0, np.nextafter(1.0, 2.0)])


def test_a_key_says_what_counts():
    assert gpusim.explore_schedules(count[2, 32], zeros(), schedules=8, key=lambda total: 0).deterministic
    parity = gpusim.explore_schedules(
        count[2, 32], zeros(), schedules=40, key=lambda total: bool(total[0] % 2)
    )
    assert len(parity) == 2


def test_errors_are_outcomes():
    with gpusim.use("H200"):
        found = gpusim.explore_schedules(swap_halves[1, 32], zeros(32), schedules=4, scheduling="stack")
        fine = gpusim.explore_schedules(swap_halves[1, 32], zeros(32), schedules=4)
        deadlock = gpusim.explore_schedules(barrier_on_both_sides[1, 32], zeros(32), schedules=4)
    assert isinstance(found.outcomes[0].error, InvalidMask)
    assert found.deterministic
    assert found.outcomes[0].describe().startswith("InvalidMask: the mask names lanes that do not run with")
    assert fine.outcomes[0].error is None
    assert [type(outcome.error).__name__ for outcome in deadlock.outcomes] == ["Deadlock"]


def test_an_error_keeps_what_was_written_before_it():
    (outcome,) = gpusim.explore_schedules(beyond[1, 32], zeros(4), schedules=["friendly"]).outcomes
    assert isinstance(outcome.error, OutOfBounds)
    assert outcome.arguments["out"].tolist() == [1, 0, 0, 0]


def test_it_says_what_it_found():
    found = gpusim.explore_schedules(count[2, 32], zeros(), schedules=["friendly", "serial", 5])
    headline = "count: 3 different outcomes in 3 schedules tried, H200 (independent)"
    assert repr(found).splitlines()[0] == headline
    assert "with gpusim.use(schedule='serial'):  # serial" in repr(found)
    assert repr(found).splitlines()[-1].strip() == "not …: what the friendly order gave"
    assert "<td>1 ×</td>" in found._repr_html_()
    assert "not …: what the friendly order gave" in found._repr_html_()
    assert json.loads(json.dumps(found.as_dict()))["outcomes"][2]["schedules"] == [5]


def test_long_lists_of_outcomes_are_cut_and_say_so():
    found = gpusim.explore_schedules(who_is_here[1, 32], zeros(32), schedules=20)
    assert len(found) > 10
    assert f"… and {len(found) - 6} more outcomes" in repr(found)
    assert f"… and {len(found) - 6} more outcomes" in found._repr_html_()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: gpusim.explore_schedules(count, zeros()), r"count\[blocks, threads_per_block\]"),
        (lambda: gpusim.explore_schedules(3, zeros()), "takes a launch such as"),
        (lambda: gpusim.explore_schedules(count[1, 1]), "leaves nothing to compare"),
        (lambda: gpusim.explore_schedules(count[1, 1], 3), "leaves nothing to compare"),
        (
            lambda: gpusim.explore_schedules(copy[1, 1], zeros(), InDeviceMemory()),
            "argument 2 lies in device",
        ),
        (lambda: gpusim.explore_schedules(count[1, 1], zeros(), schedules=0), "positive number"),
        (lambda: gpusim.explore_schedules(count[1, 1], zeros(), schedules=True), "positive number"),
        (lambda: gpusim.explore_schedules(count[1, 1], zeros(), schedules=[]), "no schedule"),
        (lambda: gpusim.explore_schedules(count[1, 1], zeros(), schedules="serial"), r"\['serial'\]"),
        (lambda: gpusim.explore_schedules(count[1, 1], zeros(), schedules=[None]), 'called "friendly"'),
        (lambda: gpusim.explore_schedules(count[1, 1], zeros(), schedules=["soon"]), "not 'soon'"),
        (lambda: gpusim.explore_schedules(count[1, 1], zeros(), schedules=[-1]), "from 0 .a seed., not -1"),
        (lambda: gpusim.explore_schedules(lambda x: None, zeros()), "launched no kernel"),
        (lambda: gpusim.explore_schedules(count[1, 2048], zeros()), "max_block_dim"),
    ],
)
def test_misuse_is_refused(call, message):
    with pytest.raises(LaunchError, match=message):
        call()


def test_what_does_not_compile_is_no_outcome():
    with pytest.raises(KernelTypeError):
        gpusim.explore_schedules(copy[1, 4], zeros(4))


# the interleavings ------------------------------------------------------------------------------------------


def memory_after(variant, name):
    """The array's contents after the last step, put together from what the steps wrote."""
    (array,) = (array for array in variant["memory"] if array["name"] == name)
    values = list(array["initial"])
    for step in variant["steps"]:
        for element, value in step["writes"].get(name, []):
            values[element] = value
    return values


def test_the_steps_lead_to_the_outcome():
    found = gpusim.explore_schedules(shift[1, 32], np.arange(32, dtype=np.int32), schedules=16)
    report = json.loads(json.dumps(found.schedule_report().as_dict()))
    assert len(report["variants"]) == min(6, len(found))
    for variant in report["variants"]:
        outcome = found.outcomes[variant["outcome"]]
        assert memory_after(variant, "x") == [str(value) for value in outcome.arguments["x"]]
        assert memory_after(variant, "shared") == [str(value) for value in range(32)]


def test_every_lane_runs_every_line_once():
    found = gpusim.explore_schedules(shift[1, 32], np.arange(32, dtype=np.int32), schedules=16)
    report = found.schedule_report().as_dict()
    for variant in report["variants"]:
        lanes: dict[tuple[int, str], int] = {}
        for step in variant["steps"]:
            part = report["parts"][step["part"]]
            for text in part["instructions"]:
                key = part["line"], text
                assert not lanes.get(key, 0) & int(step["mask"], 16), f"a lane runs {text} twice"
                lanes[key] = lanes.get(key, 0) | int(step["mask"], 16)
        assert set(lanes.values()) == {FULL}


def test_the_first_difference_is_where_a_thread_first_reads_another_value():
    found = gpusim.explore_schedules(shift[1, 32], np.arange(32, dtype=np.int32), schedules=16)
    report = found.schedule_report().as_dict()
    parted = next(entry for entry in report["differences"] if entry["pair"] == [0, 1])
    for variant, step, sentence in zip(
        report["variants"], parted["steps"], (parted["here"], parted["there"]), strict=False
    ):
        thread = int(parted["thread"].removeprefix("thread "))
        assert int(variant["steps"][step]["mask"], 16) >> thread & 1
        neighbour = (thread + 1) % 32
        assert sentence in {
            f"reads {neighbour} from shared[{neighbour}]",
            f"reads -1 from shared[{neighbour}]",
        }
    assert parted["here"] != parted["there"]


def test_a_lane_that_asks_who_is_here_sees_the_order():
    report = gpusim.explore_schedules(who_is_here[1, 32], zeros(32), schedules=3).schedule_report().as_dict()
    assert "runs with the active mask 0xffffffff" in {entry["here"] for entry in report["differences"]}


@cuda.jit
def writes_first(x):
    x[cuda.threadIdx.x] = 7


@cuda.jit
def writes_row_one(x):
    x[1, cuda.threadIdx.x] = 7


@cuda.jit
def writes_a_part(x):
    later = x[1:]
    later[cuda.threadIdx.x] = 7


TABLE = np.arange(12).reshape(3, 4)


@pytest.mark.parametrize(
    ("kernel", "x", "numbers"),
    [
        (writes_first, np.arange(40)[::-1], [0, 1]),
        (writes_first, np.arange(39)[::2], [0, 1]),
        (writes_first, np.arange(1000)[::-100], [0, 1]),  # ten elements are drawn, wherever they lie
        (writes_row_one, TABLE, [4, 5]),
        (writes_row_one, np.asfortranarray(TABLE), [4, 5]),
        (writes_row_one, TABLE[::-1, ::2], [2, 3]),
        (writes_a_part, np.arange(40)[::2], [1, 2]),
    ],
    ids=["reversed", "every other", "far apart", "rows", "columns", "both reversed", "a part"],
)
def test_elements_are_those_of_the_array_however_it_lies_in_memory(kernel, x, numbers):
    found = gpusim.explore_schedules(kernel[1, 2], x, schedules=1)
    (variant,) = found.schedule_report().as_dict()["variants"]
    (array,) = variant["memory"]
    assert array["name"] == "x"
    assert array["initial"] == [str(value) for value in x.ravel()]
    assert [element for step in variant["steps"] for element, _ in step["writes"].get("x", [])] == numbers
    assert memory_after(variant, "x") == [str(value) for value in found.outcomes[0].arguments["x"].ravel()]


def test_equal_outcomes_show_two_schedules_and_no_difference():
    found = gpusim.explore_schedules(copy[1, 32], np.arange(32), zeros(32), schedules=4)
    report = found.schedule_report().as_dict()
    assert [variant["label"] for variant in report["variants"]] == ["friendly", "serial"]
    assert report["differences"] == []


def test_a_picture_of_schedules_counts_for_no_profile_or_sanitize_that_is_over():
    with gpusim.profile() as run, gpusim.sanitize() as checked:
        found = gpusim.explore_schedules(shift[1, 32], np.arange(32, dtype=np.int32), schedules=2)
    counted = run.as_dict(), checked.as_dict()
    found.schedule_report()
    assert (run.as_dict(), checked.as_dict()) == counted


def test_turns_at_an_atomic_are_seen():
    found = gpusim.explore_schedules(count_atomically[2, 32], zeros(), schedules=["friendly", 0])
    (parted,) = found.schedule_report().as_dict()["differences"]
    assert "has turn number" in parted["here"]


def test_shared_memory_of_each_block_is_an_array_of_its_own():
    found = gpusim.explore_schedules(shift[2, 32], np.arange(32, dtype=np.int32), schedules=2)
    names = [array["name"] for array in found.schedule_report().as_dict()["variants"][0]["memory"]]
    assert names == ["x", "shared of block 0", "shared of block 1"]


def test_large_grids_and_several_launches_are_refused():
    with pytest.raises(ReportError, match="up to 16"):
        gpusim.explore_schedules(count[20, 32], zeros(), schedules=2).schedule_report().as_dict()

    def twice(total):
        count[1, 32](total)
        count[1, 32](total)

    with pytest.raises(ReportError, match="one launch"):
        gpusim.explore_schedules(twice, zeros(), schedules=2).schedule_report().as_dict()


@pytest.mark.parametrize(
    "seen",
    [
        lambda: np.lib.stride_tricks.sliding_window_view(np.arange(10.0), 3),
        lambda: np.lib.stride_tricks.as_strided(np.arange(6), (4, 3), (8, 8)),
        lambda: np.broadcast_to(np.arange(3), (4, 3)),
        lambda: np.frombuffer(bytearray(range(12)), np.uint8).reshape(4, 3),
        lambda: np.arange(24.0).reshape(4, 6)[::-1, ::2],
        lambda: np.arange(12.0).reshape(3, 4).T,
    ],
    ids=["windows", "strided", "broadcast", "of a buffer", "reversed", "transposed"],
)
def test_parts_of_arrays_are_copied_as_they_are_seen(seen):
    @cuda.jit
    def rows(x, out):
        out[cuda.threadIdx.x] = x[cuda.threadIdx.x, 0] + 10 * x[cuda.threadIdx.x, 2]

    out = np.zeros(4)
    rows[1, 4](seen(), out)
    found = gpusim.explore_schedules(rows[1, 4], seen(), np.zeros(4), schedules=2)
    assert found.outcomes[0].arguments["out"].tolist() == out.tolist()


def test_copies_share_memory_where_the_arrays_do():
    octets = bytearray(64)
    one, other = np.frombuffer(octets, np.int32), np.frombuffer(octets, np.int32)

    @cuda.jit
    def through(x, y, out):
        x[3] = 5
        out[0] = y[3]

    found = gpusim.explore_schedules(through[1, 1], one, other, zeros(), schedules=1)
    assert found.outcomes[0].arguments["out"][0] == 5
    assert not one.any()


@cuda.jit
def count_in_a_record(point):
    point.n += 1


@cuda.jit
def count_in_records_and_arrays(many):
    many[0].n += 1
    many[1][0] += 1


POINT = np.dtype([("x", np.float32), ("n", np.int32)])


@pytest.mark.parametrize(
    ("kernel", "given"),
    [
        (count_atomically, lambda: cuda.InOut(zeros())),
        (count, lambda: cuda.InOut(zeros())),
        (count_in_a_record, lambda: np.zeros(2, POINT)[1]),
        (count_in_a_record, lambda: cuda.InOut(np.zeros(2, POINT)[1])),
        (count_in_records_and_arrays, lambda: (np.zeros(2, POINT)[1], zeros())),
        (count_in_records_and_arrays, lambda: cuda.InOut((np.zeros(2, POINT)[1], zeros()))),
    ],
)
def test_whatever_is_written_to_is_a_copy_of_each_run(kernel, given):
    argument = given()
    found = gpusim.explore_schedules(kernel[1, 4], argument, schedules=["friendly", 3, "friendly"])
    assert [o.schedules.count("friendly") for o in found.outcomes if "friendly" in o.schedules] == [2]
    held = argument.value if isinstance(argument, cuda.InOut) else argument
    for part in held if isinstance(held, tuple) else [held]:
        assert not any(np.asarray(part).tobytes())


def test_what_is_copied_back_only_is_a_copy_too():
    @cuda.jit
    def last(out):
        out[0] = cuda.threadIdx.x

    out = zeros()
    found = gpusim.explore_schedules(last[1, 64], cuda.Out(out), schedules=8)
    assert out[0] == 0
    assert found.outcomes[0].arguments["out"][0] in range(64)
    assert found.outcomes[0].changed == ["out"]
    with pytest.raises(LaunchError, match="argument 1 lies in device memory"):
        gpusim.explore_schedules(last[1, 64], cuda.InOut(cuda.to_device(out)), schedules=2)


def test_differences_show_as_many_digits_as_differ():
    close = [np.array([1 / 3, 0.5, np.nan], np.float32), np.array([1 / 3, 0.25, np.inf], np.float32)]
    close[1][0] = np.nextafter(close[1][0], np.float32(1))
    (found,) = differences_between({"x": close[0]}, {"x": close[1]})
    assert found.describe() == "x[0]: 0.33333334, not 0.33333337; x[1]: 0.5, not 0.25; x[2]: nan, not inf"


def test_a_record_that_differs_is_shown_without_an_index():
    points = np.array([(1, 2), (1, 3)], POINT)
    (found,) = differences_between({"point": np.asarray(points[0])}, {"point": np.asarray(points[1])})
    assert found.describe() == "point: (1.0, 2), not (1.0, 3)"


def test_an_array_without_elements_can_be_explored():
    @cuda.jit
    def rows(x, out):
        out[0] = x.shape[0]

    found = gpusim.explore_schedules(rows[1, 1], np.zeros((0, 3))[::-1], zeros(), schedules=2)
    assert found.deterministic

    @cuda.jit
    def both(x, total):
        total[0] += 1

    found = gpusim.explore_schedules(both[2, 32], np.zeros(0), zeros(), schedules=["friendly", "serial"])
    assert [difference.argument for difference in found.outcomes[1].differences] == ["total"]


def test_a_long_run_is_cut_and_says_so():
    @cuda.jit
    def long(out):
        for k in range(500):
            out[0] = k

    report = gpusim.explore_schedules(long[1, 1], zeros(), schedules=1).schedule_report().as_dict()
    assert report["variants"][0]["cut"]
    assert len(report["variants"][0]["steps"]) <= 402


def test_schedules_of_numpy():
    by_seeds = gpusim.explore_schedules(count[1, 4], zeros(), schedules=np.arange(3))
    assert by_seeds.tried == [0, 1, 2]
    assert [type(seed) for seed in by_seeds.tried] == [int] * 3
    assert gpusim.explore_schedules(count[1, 4], zeros(), schedules=np.int64(3)).schedules == 3
    for wrong in (2.0, None, True, 0):
        with pytest.raises(LaunchError, match="schedules is a positive number of schedules or a list"):
            gpusim.explore_schedules(count[1, 4], zeros(), schedules=wrong)


def test_a_key_may_be_a_set_and_must_be_comparable():
    found = gpusim.explore_schedules(
        count_atomically[1, 4], zeros(), schedules=3, key=lambda x: set(x.tolist())
    )
    assert found.deterministic
    with pytest.raises(LaunchError, match="key gives what can be compared, such as a number, not "):
        gpusim.explore_schedules(count[1, 4], zeros(), schedules=3, key=lambda x: bytearray(3))


@pytest.mark.parametrize("as_function", [False, True], ids=["kernel", "function"])
def test_an_array_named_from_outside_is_before_each_schedule_what_it_was(as_function):
    kept = cuda.to_device(np.zeros(2, np.int64))

    @cuda.jit(device=True)
    def note(value):
        kept[0] = value

    @cuda.jit
    def noted(out):
        out[0] = kept[0]
        note(7)

    def launch(out):
        noted[1, 1](out)

    launched = launch if as_function else noted[1, 1]
    found = gpusim.explore_schedules(launched, np.ones(1, np.int64), schedules=4)
    assert found.deterministic
    assert found.outcomes[0].arguments["out"].tolist() == [0]
    assert kept.copy_to_host().tolist() == [0, 0]


def test_what_a_launch_leaves_in_an_array_named_from_outside_is_its_outcome():
    kept = cuda.to_device(np.zeros(1, np.int64))

    @cuda.jit
    def counted_outside():
        kept[0] += 1

    found = gpusim.explore_schedules(counted_outside[1, 64], schedules=4)
    assert not found.deterministic
    assert {name for outcome in found.outcomes for name in outcome.changed} == {"kept"}
