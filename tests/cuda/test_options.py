"""What do the options of `@cuda.jit` do?"""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

import gpusim
from gpusim import cuda, devices
from gpusim.cuda import options
from gpusim.errors import KernelTypeError, LaunchError, UnsupportedConstruct

OCCUPANCY = json.loads((Path(__file__).parent.parent / "hardware" / "occupancy.json").read_text())
RECORDED_BOUNDS = [
    (kernel, registers) for kernel, registers, *_ in OCCUPANCY["kernels"] if kernel.startswith("klb")
]


def names(verdict):
    return [name for name, (what, _) in options.TABLE.items() if what == verdict]


def busy(x):
    a, b, c, d = x[0], x[1], x[2], x[3]
    e, f, g, h = x[4], x[5], x[6], x[7]
    x[0] = (a + b) * (c + d) * (e + f) * (g + h) + a * b * c * d * e * f * g * h


@pytest.fixture
def x():
    return np.ones(8)


def test_max_registers_bounds_registers_and_says_what_spills(x):
    needed = cuda.jit(busy).compiled(x).registers_per_thread
    assert needed > 16
    kernel = cuda.jit(max_registers=16)(busy)
    with gpusim.profile() as run:
        kernel[1, 1](x)
    assert run.kernels[0].registers_per_thread == 16
    assert run.kernels[0].spilled_registers_per_thread == needed - 16
    assert run.as_dict()["kernels"][0]["spilled_registers_per_thread"] == needed - 16
    assert kernel.get_local_mem_per_thread(kernel.signatures[0]) == 4 * (needed - 16)
    assert x[0] == 17
    listing = kernel.inspect_ir().splitlines()
    assert listing[1] == ".maxnreg 16"
    assert listing[2].startswith(f"// 16 registers ({needed - 16} more spill to local memory)")


def test_a_bound_that_is_never_reached_changes_nothing(x):
    kernel = cuda.jit(max_registers=200)(busy)
    free = cuda.jit(busy)
    assert kernel.compiled(x).registers_per_thread == free.compiled(x).registers_per_thread
    assert kernel.compiled(x).spilled_registers_per_thread == 0


def test_fewer_registers_let_more_blocks_be_resident(x):
    signature = "(float64[:],)"
    on_g80 = [cuda.jit(max_registers=bound)(busy).compile(signature) for bound in (32, 10)]
    with gpusim.use("G80"):
        few, many = (overload.max_cooperative_grid_blocks(256) // 16 for overload in on_g80)
    assert (few, many) == (1, 3)  # 8192 registers: 32 × 256 of them, 3 × (10 × 256)


def test_launch_bounds_refuse_a_larger_block(x):
    kernel = cuda.jit(launch_bounds=128)(busy)
    kernel[1, 128](x)
    with pytest.raises(
        LaunchError, match=r"has 129 threads; busy was compiled for at most 128 \(launch_bounds\)"
    ):
        kernel[1, 129](x)
    assert kernel.get_max_threads_per_block(kernel.signatures[0]) == 128
    assert ".maxntid 128" in kernel.inspect_ir()


@pytest.mark.parametrize(("recorded", "registers"), RECORDED_BOUNDS)
def test_launch_bounds_leave_the_registers_that_the_compiler_left(recorded, registers):
    """Kernels that want 128 registers, compiled for an H200 with bounds (threads, blocks)."""
    threads, blocks = map(int, re.findall(r"\d+", recorded))
    bound = options.checked({"launch_bounds": (threads, blocks)}).register_bound(devices.get("H200"))
    assert min(bound, 128) == registers


def test_launch_bounds_that_cannot_be_kept_are_refused(x):
    with pytest.raises(LaunchError, match=r"no multiprocessor of H200 holds 3 block\(s\) of 1024 threads"):
        cuda.jit(launch_bounds=(1024, 3))(busy)[1, 1](x)


def test_the_tighter_bound_counts(x):
    both = options.checked({"launch_bounds": (1024, 2), "max_registers": 40})
    assert both.register_bound(devices.get("H200")) == 32
    assert both.register_bound(devices.get("MetaX C500")) == 40


def test_a_cooperative_grid_must_be_resident_as_a_whole(x):
    kernel = cuda.jit(cooperative=True)(busy)
    most = kernel.compile("(float64[:],)").max_cooperative_grid_blocks(1024)
    kernel[most, 1024](x)
    with pytest.raises(LaunchError, match=f"its {most + 1} blocks wait for .*, and H200 holds {most}"):
        kernel[most + 1, 1024](x)


@pytest.mark.parametrize("name", names(options.NO_EFFECT))
def test_options_without_an_effect_change_nothing(name, x):
    plain, with_option = cuda.jit(busy), cuda.jit(**{name: True})(busy)
    assert with_option.inspect_ir(x) == plain.inspect_ir(x)


@pytest.mark.parametrize("name", names(options.REFUSED))
def test_refused_options_say_why(name):
    cuda.jit(**{name: None})(busy)
    with pytest.raises(UnsupportedConstruct, match=rf"cuda\.jit\({name}=…\) is refused: "):
        cuda.jit(**{name: ["something"]})


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"maxregs": 3}, "cuda.jit has no option 'maxregs'; did you mean `max_registers`"),
        ({"max_registers": 0}, "max_registers is a positive whole number, not 0"),
        ({"max_registers": "few"}, "max_registers is a positive whole number, not 'few'"),
        ({"launch_bounds": ()}, r"launch_bounds is threads, or \(threads, blocks\)"),
        ({"launch_bounds": (64, 2.5)}, "launch_bounds is a positive whole number, not 2.5"),
    ],
)
def test_options_that_mean_nothing_are_refused(given, message):
    with pytest.raises(KernelTypeError, match=message):
        cuda.jit(**given)


def test_clusters_are_refused():
    with pytest.raises(UnsupportedConstruct, match="clusters of thread blocks are not simulated"):
        cuda.jit(launch_bounds=(64, 1, 2))


def test_options_take_whole_numbers_of_numpy():
    kernel = cuda.jit(max_registers=np.int64(32), launch_bounds=(np.int32(128), 1))(busy)
    assert kernel.compiled(np.ones(8)).max_registers == 32
    assert cuda.jit(shared_memory_carveout=np.int64(50))(busy).preferred_shared_memory_carveout == 50
