"""What does a playground show after a change, and what stays when a change goes wrong?"""

from __future__ import annotations

import re
import subprocess
import sys
import time

import ipywidgets
import numpy as np
import pytest

import gpusim
from gpusim import cuda
from gpusim.errors import KernelSyntaxError, KernelTypeError, LaunchError, Livelock, OutOfBounds
from gpusim.playground.kernels import Text, parameters
from gpusim.playground.window import Playground

STEP = 2


@cuda.jit
def scale(a, x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = a * x[i]


@cuda.jit
def strided(stride, x):
    x[cuda.grid(1) * stride] += STEP


CPP = """__global__ void scale(int n, float a, const float* x, float* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i];
}"""
LANGUAGES = pytest.mark.parametrize("kernel", [scale, CPP], ids=["Python", "C++"])


def control(play, name):
    return play._arguments[name]


def told(play):
    """What stands below the text."""
    return play._told.value


def counters(play):
    return play._numbers[0].value


def view(play):
    (shown,) = play._place.children
    return shown


def edit(play, before, after):
    assert before in play._editor.value
    play._editor.value = play._editor.value.replace(before, after)


# a change shows --------------------------------------------------------------------------------------------


@LANGUAGES
def test_twice_the_blocks_store_twice_the_sectors(kernel):
    play = gpusim.playground(kernel)
    assert (play.outcome.run.global_store_sectors, play.outcome.changed) == (16, None)  # 2 × 64 floats
    before = counters(play)
    play._grid[0].value = 4
    if kernel is CPP:
        control(play, "n").value = 256
    assert play.outcome.run.global_store_sectors == 32
    assert "grid 4 × 1 × 1" in counters(play)
    assert counters(play) != before
    assert "last run" in play._numbers[1].value


def test_what_changed_is_told_against_the_last_run():
    play = gpusim.playground(strided, stride=(1, 8), x="np.zeros(8 * threads, np.float32)", block=32, grid=1)
    control(play, "stride").value = 1
    control(play, "stride").value = 8
    change = play.outcome.changed["global_load_sectors"]
    assert (change.before, change.after) == (4, 32)
    assert "× 8" in play._numbers[1].value
    play._block[0].value = 64
    assert play.outcome.changed["global_load_sectors"].before == 32


def test_a_run_may_be_kept_to_compare_with():
    play = gpusim.playground(strided, stride=(1, 8), x="np.zeros(8 * threads, np.float32)", block=32, grid=1)
    control(play, "stride").value = 1
    play._keep.value = True
    for stride in (2, 4, 8):
        control(play, "stride").value = stride
        assert play.outcome.changed["global_load_sectors"].ratio == stride
    assert "kept run" in play._numbers[1].value


@LANGUAGES
def test_the_text_may_be_changed(kernel):
    play = gpusim.playground(kernel, a=3)
    edit(play, "a * x[i]", "a * x[i] + 1")
    assert play.outcome.arrays["y"][:3].tolist() == [1, 4, 7]
    assert re.search(r"y, float32, 128\n\[ *1\., +4\., +7\.,", play._numbers[2].value)


def test_a_device_with_wider_warps_needs_half_as_many():
    play = gpusim.playground(scale)
    play._device.value = gpusim.devices.get("MetaX C500")
    assert play.outcome.changed["global_store_requests"].ratio == 0.5
    assert play._lanes.value == "warps of 64 lanes, stack"
    assert play._parted.value == "lanes that part wait until they meet again"
    play._scheduling.value = "independent"
    assert play.outcome.run.kernels[0].scheduling == "independent"
    assert play._parted.value == "lanes that part go on, each at its own line"


def test_beside_each_order_stands_what_it_means():
    play, said = gpusim.playground(scale), []
    for order in play._schedule.options:
        play._schedule.value = order
        said.append(play._ordered.value)
    assert said == [
        "warps take turns, all of them get on",
        "one warp at a time, in long turns",
        "drawn by this number: another order that CUDA allows",
    ]


@cuda.jit
def order(x, turn):
    if cuda.threadIdx.x == 0:
        x[cuda.blockIdx.x] = cuda.atomic.add(turn, 0, 1)


def test_a_seed_draws_another_order_and_the_same_one_again():
    def tickets(seed):
        play._seed.value = seed
        return play.outcome.arrays["x"][:8].tolist()

    play = gpusim.playground(order, grid=8, turn="np.zeros(1, np.int32)")
    assert play._seed.disabled
    play._schedule.value = "a seed"
    assert not play._seed.disabled
    drawn = [tickets(seed) for seed in (1, 2, 3, 1)]
    assert drawn[0] == drawn[3]
    assert len(set(map(tuple, drawn))) > 1


def test_those_views_are_offered_that_have_something_to_show():
    play = gpusim.playground(scale)
    assert view(play).name == "warp_player"
    offered = [name for _, name in play._picture.options]
    assert offered == ["warp_player", "sector_view", "block_mapper", "timeline", "roofline"]
    play._picture.value = "sector_view"
    play._block[0].value = 32
    assert view(play).report == play.outcome.run.sector_report()
    edit(play, "    if i", "    tile = cuda.shared.array(64, np.float32)\n    tile[i % 64] = i\n    if i")
    assert "bank_view" in dict(play._picture.options).values()
    assert play._picture.value == "sector_view"


def test_a_view_that_has_nothing_to_show_comes_back_when_it_has():
    play = gpusim.playground(scale, view="sector_view")
    edit(play, "y[i] = a * x[i]", "pass")
    assert play._picture.value == "warp_player"
    edit(play, "pass", "y[i] = 0")
    assert play._picture.value == "sector_view"


def test_a_grid_that_is_too_large_to_play_says_so():
    play = gpusim.playground(scale, grid=200)
    assert "launch a smaller grid" in view(play).value
    assert play.outcome.run.global_store_sectors == 1600


# what goes wrong stands in its place -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kernel", "before", "after", "line"),
    [(scale, "if i", "if if", "    if if < x.size:\n       ^"), (CPP, "a * x[i];", "a * x[i;", "^")],
    ids=["Python", "C++"],
)
def test_a_mistake_is_shown_with_its_caret_and_the_last_picture_stays(kernel, before, after, line):
    play = gpusim.playground(kernel)
    shown, counted, report = view(play), counters(play), view(play).report
    edit(play, before, after)
    assert isinstance(play.outcome.error, KernelSyntaxError)
    assert line in str(play.outcome.error)
    assert "^" in told(play)
    assert "gpusim-excerpt" in told(play)
    assert (view(play), counters(play), view(play).report) == (shown, counted, report)
    edit(play, after, before)
    assert play.outcome.error is None
    assert "No fault found" in told(play)


def test_a_stray_index_is_shown_with_its_caret_and_the_run_up_to_there():
    play = gpusim.playground(scale)
    edit(play, "x[i]", "x[2 * i]")
    assert isinstance(play.outcome.error, OutOfBounds)
    assert "uses index 128 of" in told(play)
    assert "^ guard it" in told(play)
    assert told(play).count("uses index 128") == 1  # no finding says it again
    assert view(play).report.source.lines[-1].endswith("x[2 * i]")


def test_a_race_is_a_finding():
    play = gpusim.playground(scale)
    edit(play, "y[i] =", "y[0] +=")
    assert play.outcome.error is None
    assert "racecheck" in told(play)
    assert {finding.tool for finding in play.outcome.findings.findings} == {"racecheck"}


@LANGUAGES
def test_a_kernel_without_end_is_ended(kernel):
    play = gpusim.playground(kernel, grid=1, block=32)
    edit(play, *(("if i", "while i") if kernel is scale else ("if (i", "while (i")))
    assert isinstance(play.outcome.error, Livelock)
    assert "does not end" in told(play)


def test_other_errors_of_the_text_say_where():
    play = gpusim.playground("@cuda.jit\ndef f(x):\n    x[0] = 1\n\n1 / 0\n")
    assert "&lt;playground&gt;:5: ZeroDivisionError" in told(play)
    play._editor.value = "x = 1"
    assert "write @cuda.jit above a function" in told(play)


def test_a_refused_value_is_told_at_its_control_and_what_stands_beside_it_is_of_before():
    play = gpusim.playground(scale)
    play._block[0].value, play._block[1].value = 1024, 2
    assert "block (1024, 2, 1) has 2048 threads" in play._refusals["block"].value
    assert ("2048" in told(play), "last run that began" in play._age.value) == (False, True)
    assert "see at block." in play._age.value
    play._block[1].value = 1
    control(play, "y").value = "np.ones(treads)"
    for says in ("the rule for y, np.ones(treads)", "it may name np, threads, grid, block"):
        assert (says in play._refusals["y"].value, play._refusals["block"].value) == (True, "")
    control(play, "y").value = "np.zeros(threads)"
    assert {each.value for each in (*play._refusals.values(), play._age)} == {""}


def test_what_a_kernel_prints_is_shown():
    play = gpusim.playground(scale)
    edit(play, "    if i", "    if i == 3:\n        print('lane', i)\n    if i")
    assert "lane 3" in told(play)


# where to begin --------------------------------------------------------------------------------------------


def test_what_a_text_prints_at_its_top_is_shown_below_it_also_where_it_ends_there(capsys):
    text = "print('block is', 64)\n{}@cuda.jit\ndef k(x):\n    x[cuda.grid(1)] += 1\n"
    play = gpusim.playground(text.format(""))
    play._grid[0].value = 2
    assert play.outcome.printed == "block is 64\n"
    play._editor.value = text.format("1 / 0\n")
    assert play.outcome.printed == "block is 64\n"
    assert capsys.readouterr().out == ""


def test_numbers_and_arrays_begin_by_rules_that_can_be_read():
    play = gpusim.playground(CPP, grid=(3, 1), block=32)
    kinds = {name: (type(each), each.value) for name, each in play._arguments.items()}
    assert kinds == {
        "n": (ipywidgets.IntSlider, 96),
        "a": (ipywidgets.FloatSlider, 1.0),
        "x": (ipywidgets.Text, "np.arange(threads, dtype=np.float32)"),
        "y": (ipywidgets.Text, "np.arange(threads, dtype=np.float32)"),
    }


def test_ranges_steps_and_arrays_are_taken():
    given = np.array([5, 6, 7], np.float32)
    play = gpusim.playground(scale, a=(0, 10, 2), x=given, y="np.zeros(x.size, np.float32)")
    slider = control(play, "a")
    assert (slider.min, slider.max, slider.step, slider.value) == (0, 10, 2, 5)
    assert play.outcome.arrays["y"].tolist() == [25, 30, 35]
    assert isinstance(control(gpusim.playground(scale, a=2.0), "a"), ipywidgets.FloatSlider)


@cuda.jit
def transpose(x, y):
    i, j = cuda.grid(2)
    y[j, i] = x[i, j]


def test_a_matrix_is_as_wide_as_the_grid():
    play = gpusim.playground(transpose, grid=(2, 2), block=(4, 4))
    assert (play.outcome.arrays["x"].shape, play.outcome.error) == ((8, 8), None)
    assert (play.outcome.arrays["y"] == play.outcome.arrays["x"].T).all()


@cuda.jit("void(float64[:], int8)")
def declared(x, n):
    x[0] = n


def test_types_that_are_declared_are_kept():
    found = {one.name: one for one in parameters(declared)}
    assert found["x"].rule == "np.arange(threads, dtype=np.float64)"
    assert control(gpusim.playground(declared), "n").max == 127


def test_vectors_and_bytes_of_cuda_cpp():
    text = """__global__ void f(float4* v, unsigned char* b, bool on) {
        if (on) b[threadIdx.x] = v[threadIdx.x].x;
    }"""
    kernel, _ = Text(text).kernel()
    rules = [one.rule for one in parameters(kernel)]
    assert rules == ["np.arange(4 * threads, dtype=np.float32)", "np.arange(threads, dtype=np.uint8)", ""]
    play = gpusim.playground(text)
    assert (type(control(play, "on")), play.outcome.error) == (ipywidgets.Checkbox, None)


def test_macros_of_a_kernel_and_names_of_its_module_are_known():
    text = "__global__ void f(int* x) { x[threadIdx.x] = N; }"
    kernel = gpusim.RawModule(code=text, options=("-DN=7",)).get_function("f")
    assert gpusim.playground(kernel).outcome.arrays["x"][0] == 7
    assert gpusim.playground(strided).outcome.arrays["x"][0] == STEP


def test_the_kernel_of_that_name_is_run_or_the_last():
    text = "@cuda.jit\ndef one(x):\n    x[0] = 1\n\n@cuda.jit\ndef two(x):\n    x[0] = 2\n"
    assert gpusim.playground(text).outcome.arrays["x"][0] == 2
    assert Text(text, "one").kernel()[0].__name__ == "one"


def test_parameters_that_come_and_go_keep_their_controls():
    play = gpusim.playground(scale)
    control(play, "a").value = 9
    edit(play, "a, x, y", "x, y")
    edit(play, "a * x[i]", "x[i]")
    assert list(play._arguments) == ["x", "y"]
    edit(play, "x, y", "a, x, y, b")
    edit(play, "= x[i]", "= b + a * x[i]")
    assert (control(play, "a").value, control(play, "b").value) == (9, 1)


def test_a_parameter_of_another_type_gets_another_control_but_a_rule_of_the_readers_stays():
    play = gpusim.playground(CPP, a=0.5)
    control(play, "y").value = "np.zeros(n, np.float32)"
    edit(play, "int n, float a, const float* x", "int n, int a, const int* x")
    assert type(control(play, "a")) is ipywidgets.IntSlider
    assert control(play, "x").value == "np.arange(threads, dtype=np.int32)"
    assert control(play, "y").value == "np.zeros(n, np.float32)"
    assert play.outcome.error is None


def test_two_playgrounds_do_not_mix_their_texts():
    one, other = gpusim.playground(scale), gpusim.playground(strided)
    one._block[0].value = 32
    control(one, "a").value = 2
    assert (one.outcome.error, other.outcome.error) == (None, None)
    assert one.outcome.run.kernels[0].source.name == "scale"


def test_settings_outside_are_taken_and_left_alone():
    with gpusim.use(device="V100", schedule=3), gpusim.profile() as around:
        play = gpusim.playground(scale)
    assert (play._device.value.name, play._schedule.value, play._seed.value) == ("V100", "a seed", 3)
    assert around.kernels == []


# bad input -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "given", "error", "says"),
    [
        ((3,), {}, KernelTypeError, "an int.*pass a kernel"),
        ((gpusim.RawModule(code=CPP),), {}, KernelTypeError, "get_function"),
        ((scale,), {"zeta": 1}, KernelTypeError, "no parameter 'zeta'.*there are a, x, y, grid"),
        ((scale,), {"a": (10, 0)}, KernelTypeError, r"a=\(0, 10\)"),
        ((scale,), {"a": (1, 2, 3, 4)}, KernelTypeError, "a number or a range"),
        ((scale,), {"device": "H2000"}, LookupError, "H200"),
        ((scale,), {"grid": 0}, LaunchError, "grid"),
        ((scale,), {"view": "warp"}, gpusim.GpuSimError, "did you mean `warp_player`"),
        ((scale,), {"schedule": "fast"}, LaunchError, "a seed"),
    ],
)
def test_bad_input_says_what_to_do(arguments, given, error, says):
    with pytest.raises(error, match=says):
        gpusim.playground(*arguments, **given)


def test_without_ipywidgets_the_error_says_what_to_install():
    code = (
        "import sys; sys.modules['ipywidgets'] = None; import gpusim\n"
        "try: gpusim.playground('')\n"
        "except ModuleNotFoundError as missing: print(missing)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "ipywidgets is not installed; a playground needs it: pip install 'gpusim[widgets]'" in ran.stdout


# where there is no kernel, and how long it takes -----------------------------------------------------------


def test_a_page_shows_the_view_and_the_counters():
    play = gpusim.playground(scale)
    data, _ = play._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in data
    for part in ("No fault found", 'data-gpusim-view="warp_player"', "global_store_sectors"):
        assert part in data["text/html"]
    assert repr(play) == "<playground, <warp_player 'scale': 1 variant>>"
    assert isinstance(play, Playground)


@LANGUAGES
def test_a_change_is_shown_within_a_tenth_of_a_second(kernel):
    """CPU time, the quickest of five, for 128 threads."""
    play, seconds = gpusim.playground(kernel), []
    for a in range(2, 7):
        start = time.process_time()
        control(play, "a").value = a
        seconds.append(time.process_time() - start)
    assert min(seconds) < 0.1


def test_a_python_kernel_that_speaks_of_cpp_is_python():
    text = "@cuda.jit\ndef put(x):\n    'In C++ it is __global__.'\n    x[cuda.grid(1)] = 1"
    for each in (text, text.replace("= 1", "= (1")):
        assert not Text.of(each).in_cpp
    assert Text.of(f"// def put(x) of Python\n{CPP}").in_cpp
    assert gpusim.playground(text).outcome.error is None


@pytest.mark.parametrize("rule", ["5", "'abc'", "1.5"])
def test_a_rule_that_gives_no_array_is_told_at_its_control(rule):
    outcome = gpusim.playground(strided, stride=1, x=rule).outcome
    assert outcome.about == "x"
    assert f"the rule for x, {rule}, gives no array: it gives {rule}" in str(outcome.error)


@pytest.mark.parametrize(
    "given", [float("nan"), float("inf"), (0, float("inf")), (0, 4, -1), (0, 4, 0), (0.0, 1.0, float("nan"))]
)
def test_a_number_that_no_slider_has_is_refused(given):
    with pytest.raises(KernelTypeError, match="a begins with a number or a range, not"):
        gpusim.playground(scale, a=given)


def test_a_seed_that_no_control_holds_is_refused():
    with pytest.raises(LaunchError, match="a playground's seed is from 0 to 2147483647, not 1099511627776"):
        gpusim.playground(scale, schedule=2**40)
