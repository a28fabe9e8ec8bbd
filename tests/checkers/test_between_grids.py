"""What do a parent and its children see of each other's writes, and what does racecheck say of the rest?"""

from __future__ import annotations

import numpy as np
import pytest

import gpusim
from gpusim import cuda, cudart

SCHEDULES = [None, "serial", 1, 2]


@cuda.jit
def add_one(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] = x[i] + 1


@cuda.jit
def copy(x, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[i]


@cuda.jit
def both_barriers(data, out):
    i = cuda.threadIdx.x
    data[i] = i
    cuda.syncthreads()
    if i == 0:
        add_one[1, 256](data)
        cudart.cudaDeviceSynchronize()
    cuda.syncthreads()
    out[i] = data[i]


@cuda.jit
def no_first_barrier(data, out):
    i = cuda.threadIdx.x
    data[i] = i
    if i == 0:
        add_one[1, 256](data)
        cudart.cudaDeviceSynchronize()
    cuda.syncthreads()
    out[i] = data[i]


@cuda.jit
def no_second_barrier(data, out):
    i = cuda.threadIdx.x
    data[i] = i
    cuda.syncthreads()
    if i == 0:
        add_one[1, 256](data)
        cudart.cudaDeviceSynchronize()
    out[i] = data[i]


@cuda.jit
def no_wait(data, out):
    i = cuda.threadIdx.x
    data[i] = i
    cuda.syncthreads()
    if i == 0:
        add_one[1, 256](data)
    cuda.syncthreads()
    out[i] = data[i]


@cuda.jit
def tail_reads(data, out):
    i = cuda.threadIdx.x
    data[i] = i
    cuda.syncthreads()
    if i == 0:
        copy[1, 256, cudart.cudaStreamTailLaunch](data, out)
        add_one[1, 256](data)


@cuda.jit
def writes_after_the_launch(data, out):
    i = cuda.threadIdx.x
    if i == 0:
        copy[1, 256](data, out)
    data[i] = i


CPP = r"""
__global__ void add_one(double* x) { int i = blockIdx.x * blockDim.x + threadIdx.x; x[i] = x[i] + 1; }
__global__ void copy(double* x, double* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x; out[i] = x[i];
}
#if WAITS
extern "C" __global__ void both_barriers(double* data, double* out) {
    int i = threadIdx.x;
    data[i] = i;
    __syncthreads();
    if (i == 0) { add_one<<<1, 256>>>(data); cudaDeviceSynchronize(); }
    __syncthreads();
    out[i] = data[i];
}
extern "C" __global__ void no_first_barrier(double* data, double* out) {
    int i = threadIdx.x;
    data[i] = i;
    if (i == 0) { add_one<<<1, 256>>>(data); cudaDeviceSynchronize(); }
    __syncthreads();
    out[i] = data[i];
}
extern "C" __global__ void no_second_barrier(double* data, double* out) {
    int i = threadIdx.x;
    data[i] = i;
    __syncthreads();
    if (i == 0) { add_one<<<1, 256>>>(data); cudaDeviceSynchronize(); }
    out[i] = data[i];
}
#endif
extern "C" __global__ void no_wait(double* data, double* out) {
    int i = threadIdx.x;
    data[i] = i;
    __syncthreads();
    if (i == 0) add_one<<<1, 256>>>(data);
    __syncthreads();
    out[i] = data[i];
}
extern "C" __global__ void tail_reads(double* data, double* out) {
    int i = threadIdx.x;
    data[i] = i;
    __syncthreads();
    if (i == 0) { copy<<<1, 256, 0, cudaStreamTailLaunch>>>(data, out); add_one<<<1, 256>>>(data); }
}
extern "C" __global__ void writes_after_the_launch(double* data, double* out) {
    int i = threadIdx.x;
    if (i == 0) copy<<<1, 256>>>(data, out);
    data[i] = i;
}
"""

# kernel -> CDP models; how often findings were seen, with lanes that know nothing of each other, and where a
# warp runs in lock-step, so that its lanes know what one of them knows; and what each hint says
RULES = {
    both_barriers: ((1,), 0, 0, ""),
    no_first_barrier: ((1,), 510, 448, "before the launch: thread ("),
    no_second_barrier: ((1,), 255, 224, "between cudaDeviceSynchronize() and this access"),
    no_wait: ((1, 2), 256, 256, ""),
    tail_reads: ((2,), 0, 0, ""),
    writes_after_the_launch: ((1, 2), 256, 256, ""),
}


@pytest.fixture(scope="module")
def in_cpp():
    return {cdp: gpusim.RawModule(code=CPP, options=(f"-DWAITS={int(cdp == 1)}",)) for cdp in (1, 2)}


def report_on(kernel, cdp, module=None, **chosen):
    data, out = np.zeros(256), np.zeros(256)
    with gpusim.use(cdp=cdp), gpusim.sanitize("racecheck", **chosen) as report:
        if module is None:
            kernel[1, 256](data, out)
        else:
            name = kernel.py_func.__name__
            module.get_function(name)((1,), (256,), (cuda.to_device(data), cuda.to_device(out)))
    return report


CASES = [(kernel, cdp) for kernel, (models, *_) in RULES.items() for cdp in models]


@pytest.mark.parametrize(("kernel", "cdp"), CASES)
@pytest.mark.parametrize("scheduling", ["independent", "stack"])
@pytest.mark.parametrize("language", ["Python", "C++"])
def test_each_rule_kept_and_broken(kernel, cdp, scheduling, language, in_cpp):
    _, apart, in_lock_step, hint = RULES[kernel]
    module = in_cpp[cdp] if language == "C++" else None
    report = report_on(kernel, cdp, module, scheduling=scheduling)
    seen = apart if scheduling == "independent" else in_lock_step
    assert sum(finding.count for finding in report.findings) == seen, report
    assert all(hint in finding.hint for finding in report.findings), report


@pytest.mark.parametrize(("kernel", "cdp"), CASES)
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_the_verdict_is_the_same_whoever_comes_first(kernel, cdp, schedule):
    report = report_on(kernel, cdp, schedule=schedule)
    most = RULES[kernel][1]
    # an element that the child reads and writes counts twice, and once where its parent writes it after that
    least = most // 2 if kernel is no_first_barrier else most
    assert least <= sum(finding.count for finding in report.findings) <= most


def test_a_finding_names_both_accesses_why_and_what_to_do():
    (finding,) = report_on(no_wait, 2).findings
    earlier, later = finding.accesses
    line = no_wait.py_func.__code__.co_firstlineno
    assert (finding.hazard, finding.count, finding.lines[0]) == ("WAR", 256, line + 8)
    assert finding.message.startswith(
        "thread (0, 0, 0) of block (0, 0, 0) of no_wait read global data[0], "
        "thread (0, 0, 0) of block (0, 0, 0) of add_one wrote it as x[0], and nothing orders the two: "
        "under CDP2 a parent never sees what its children write"
    )
    assert "cudaStreamTailLaunch" in finding.hint
    launch = f"launched by thread (0, 0, 0) of block (0, 0, 0) of no_wait at line {line + 6}"
    assert (earlier.launched, later.launched) == ("", launch)
    (finding,) = report_on(no_wait, 1).findings
    assert "nobody waited" in finding.message
    assert finding.hint == "let thread (0, 0, 0) call cudaDeviceSynchronize() behind it"


# siblings ---------------------------------------------------------------------------------------------------


@cuda.jit
def two_children(x, how):
    if how == 0:
        add_one[1, 32](x)
        add_one[1, 32](x)
        return
    if how == 1:
        add_one[1, 32, cudart.cudaStreamFireAndForget](x)
        add_one[1, 32](x)
        return
    if how == 2:
        add_one[1, 32, cudart.cudaStreamTailLaunch](x)
        add_one[1, 32, cudart.cudaStreamTailLaunch](x)
        add_one[1, 32, cudart.cudaStreamFireAndForget](x)
        return
    _, one = cudart.cudaStreamCreateWithFlags(cudart.cudaStreamNonBlocking)
    _, event = cudart.cudaEventCreateWithFlags(cudart.cudaEventDisableTiming)
    add_one[1, 32](x)
    if how == 4:
        cudart.cudaEventRecord(event, 0)
        cudart.cudaStreamWaitEvent(one, event, 0)
    add_one[1, 32, one](x)


@pytest.mark.parametrize(
    ("how", "why"), [(0, ""), (1, "fire-and-forget"), (2, ""), (3, "in two streams: "), (4, "")]
)
def test_streams_events_and_tails_order_siblings(how, why):
    with gpusim.sanitize("racecheck") as report:
        two_children[1, 1](np.zeros(32), how)
    assert report.clean == (not why)
    assert all(why in finding.message for finding in report.findings)


@cuda.jit
def by_way_of_another(x, y, waits):
    _, one = cudart.cudaStreamCreateWithFlags(cudart.cudaStreamNonBlocking)
    _, other = cudart.cudaStreamCreateWithFlags(cudart.cudaStreamNonBlocking)
    _, event = cudart.cudaEventCreateWithFlags(cudart.cudaEventDisableTiming)
    add_one[1, 32](x)
    if waits:
        cudart.cudaEventRecord(event, 0)
        cudart.cudaStreamWaitEvent(one, event, 0)
    add_one[1, 32, one](y)
    cudart.cudaEventRecord(event, one)
    cudart.cudaStreamWaitEvent(other, event, 0)
    add_one[1, 32, other](x)


@pytest.mark.parametrize("waits", [True, False])
def test_who_comes_after_a_grid_comes_after_what_that_came_after(waits):
    """In a third stream, which knows of the first only by way of the second."""
    with gpusim.sanitize("racecheck") as report:
        by_way_of_another[1, 1](np.zeros(32), np.zeros(32), waits)
    assert report.clean == waits


@cuda.jit
def one_of_each_block(x):
    add_one[1, 32](x)


def test_each_block_has_its_own_default_stream():
    with gpusim.sanitize("racecheck") as report:
        one_of_each_block[2, 1](np.zeros(32))
    assert all("each has its own streams" in finding.message for finding in report.findings)
    assert {finding.hazard for finding in report.findings} == {"WAR", "WAW"}


@cuda.jit
def grandchildren(x, out, tail):
    if tail == 2:
        copy[1, 32, cudart.cudaStreamTailLaunch](x, out)
        grandchildren[1, 1](x, out, 1)
    elif tail == 1:
        add_one[1, 32](x)
    else:
        copy[1, 32](x, out)
        add_one[1, 32](x)
        grandchildren[1, 1, cudart.cudaStreamFireAndForget](x, out, 1)


def test_a_grid_is_over_when_all_are_over_that_it_led_to():
    with gpusim.sanitize("racecheck") as report:
        grandchildren[1, 1](np.zeros(32), np.zeros(32), 2)
    assert report.clean
    with gpusim.sanitize("racecheck") as report:
        grandchildren[1, 1](np.zeros(32), np.zeros(32), 0)
    assert not report.clean
    assert all("fire-and-forget" in finding.message for finding in report.findings)
    assert any(access.launched.count("launched by") == 2 for f in report.findings for access in f.accesses)


@cuda.jit
def count(total, plain):
    if plain:
        total[0] = total[0] + 1
    else:
        cuda.atomic.add(total, 0, 1)


@cuda.jit
def counts(total, plain):
    count[2, 32, cudart.cudaStreamFireAndForget](total, False)
    count[1, 1, cudart.cudaStreamFireAndForget](total, plain)
    cuda.atomic.add(total, 0, 1)


def test_atomics_of_two_grids_do_not_race_and_with_a_plain_access_they_do():
    with gpusim.sanitize("racecheck") as report:
        counts[2, 32](np.zeros(1, np.int64), False)
    assert report.clean
    with gpusim.sanitize("racecheck") as report:
        counts[1, 1](np.zeros(1, np.int64), True)
    assert not report.clean


@cuda.jit
def tail_without_a_barrier(data, out):
    data[cuda.threadIdx.x] = 1
    if cuda.threadIdx.x == 0:
        copy[1, 256, cudart.cudaStreamTailLaunch](data, out)


def test_a_tail_launch_comes_after_all_threads_of_its_parent():
    assert report_on(tail_without_a_barrier, 2).clean


@cuda.jit
def another_waits(data, out):
    if cuda.threadIdx.x == 32:
        add_one[1, 256](data)
    if cuda.threadIdx.x == 0:
        cudart.cudaDeviceSynchronize()
        out[0] = data[0]


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_who_waits_waits_for_the_launches_that_come_before(schedule):
    (finding,) = report_on(another_waits, 1, schedule=schedule).findings
    assert "nobody waited" in finding.message


@cuda.jit
def told_by_another_block(x, out, flag):
    if cuda.blockIdx.x == 1:
        add_one[1, 32](x)
        cudart.cudaDeviceSynchronize()
        cuda.threadfence()
        cuda.atomic.add(flag, 0, 1)
    else:
        while cuda.atomic.add(flag, 0, 0) == 0:
            pass
        cuda.threadfence()
        copy[1, 32](x, out)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_block_may_learn_from_another_that_its_grids_are_over(schedule):
    with gpusim.use(cdp=1), gpusim.sanitize("racecheck", schedule=schedule) as report:
        told_by_another_block[2, 1](np.zeros(32), np.zeros(32), np.zeros(1, np.int32))
    assert report.clean


@cuda.jit
def sets_bytes(x, apart):
    cudart.cudaMemsetAsync(x[cuda.blockIdx.x * apart :], cuda.blockIdx.x, 1, 0)


@pytest.mark.parametrize("apart", [0, 1])
def test_the_runtimes_own_kernels_are_compared_byte_by_byte(apart):
    with gpusim.sanitize("racecheck") as report:
        sets_bytes[2, 1](np.zeros(8), apart)
    assert report.clean == (apart > 0)


@cuda.jit
def sets_more(x):
    """Of `x` it got four, and sets six from the third on: the last four are beyond."""
    if cuda.threadIdx.x == 1:
        x[0], x[3] = 1, 1
    if cuda.threadIdx.x == 0:
        cudart.cudaMemsetAsync(x[2:], 0, 48, 0)
        cudart.cudaDeviceSynchronize()
        add_one[1, 1](x)


def test_the_runtime_may_set_more_than_the_parent_got_and_nothing_is_forgotten_by_that():
    x = cuda.to_device(np.ones(10))
    with gpusim.use(cdp=1), gpusim.sanitize("racecheck") as report:
        sets_more[1, 2](x[:4])
    assert len({finding.address for finding in report.findings}) == 2


# what each read sees ----------------------------------------------------------------------------------------


def of_four(kernel, cdp, **chosen):
    """What four threads of a parent and of its children see of each other's writes."""
    with gpusim.use(cdp=cdp), gpusim.sanitize("racecheck", **chosen) as run:
        kernel[1, 4](np.zeros(4), np.zeros(4))
    _ = run.findings
    return run.visibility()


def told(report, reads):
    """`[([grid of the write that it sees], [of those that it may see]), …]`."""
    of = [report.grids[box.grid].called for box in report.boxes]
    return [([of[w] for w in read.sees], [of[w] for w in read.may_see]) for read in reads]


def test_the_four_threads_of_the_guides_example_and_what_is_lost_without_each_guard():
    report = of_four(both_barriers, 1)
    parents, childs = (["both_barriers"], []), (["add_one"], [])
    assert told(report, report.reads) == [parents] * 4 + [childs] * 4
    assert [guard.kind for guard in report.guards] == ["barrier", "launch", "wait", "barrier"]
    lost = [], ["both_barriers"]
    first, launch, wait, second = (told(report, report.without(guard)) for guard in range(4))
    assert first[:5] == [parents, lost, lost, lost, childs]
    assert launch[:4] == [lost] * 4
    assert wait[4:] == [(["both_barriers"], ["add_one"])] * 4
    assert second[4:] == [childs] + [(["both_barriers"], ["add_one"])] * 3


def test_under_cdp2_the_tail_sees_what_the_parent_never_does():
    report = of_four(tail_reads, 2)
    assert told(report, report.reads)[-4:] == [(["add_one"], [])] * 4
    assert [box.kind for box in report.boxes if box.kind in ("begin", "end")] == ["begin", "end"] * 2 + [
        "end"
    ]
    report = of_four(no_wait, 2)
    assert all("add_one" in may for _, may in told(report, report.reads)[:4])


@pytest.mark.parametrize("kernel", [kernel for kernel in RULES if RULES[kernel][0] != (1,)])
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_read_is_unsure_where_racecheck_finds_a_race(kernel, schedule):
    report = of_four(kernel, 2, schedule=schedule)
    assert any(not read.certain for read in report.reads) == (RULES[kernel][1] > 0)


def test_without_the_first_barrier_a_late_write_of_the_parent_may_replace_what_the_child_wrote():
    report = of_four(both_barriers, 1)
    last = report.without(0)[4:]
    assert [told(report, [one])[0] for one in last[1:]] == [(["both_barriers", "add_one"], [])] * 3
    assert [one.certain for one in last] == [True, False, False, False]


def test_threads_of_several_blocks_are_named_with_their_blocks():
    with gpusim.sanitize("racecheck") as run:
        no_wait[2, 4](np.zeros(4), np.zeros(4))
    _ = run.findings
    assert (
        run.visibility().rows[0].says.startswith("Threads 0 to 3 of blocks 0, 1 of no_wait write data[0] to")
    )


@cuda.jit
def adds_to_all(data, out):
    cuda.atomic.add(data, 0, 1.0)
    cuda.syncthreads()
    if cuda.threadIdx.x == 0:
        add_one[1, 4](out)
        out[1] = data[0]


def test_many_atomic_updates_before_a_read_are_no_doubt():
    (read,) = (one for one in of_four(adds_to_all, 2).reads if len(one.sees) == 4)
    assert read.certain


@cuda.jit
def waits_between(data, out):
    if cuda.threadIdx.x == 0:
        _, one = cudart.cudaStreamCreateWithFlags(cudart.cudaStreamNonBlocking)
        _, other = cudart.cudaStreamCreateWithFlags(cudart.cudaStreamNonBlocking)
        add_one[1, 1, one](data)
        cudart.cudaDeviceSynchronize()
        add_one[1, 1, other](data)
        add_one[1, 1, other](out)
        add_one[1, 1, other](data)


def test_what_a_wait_orders_no_stream_does():
    report = of_four(waits_between, 1)
    kinds = [guard.kind for guard in report.guards]
    assert kinds == ["launch", "wait", "launch", "launch", "stream", "launch", "stream"]
    reads = [read for read in report.reads if report.boxes[read.box].cell == "data[0]"]
    seen = [["add_one"], ["add_one (2)"]]
    assert [sees for sees, _ in told(report, reads)] == [[], *seen]
    without_wait = told(report, [one for one in report.without(1) if one.box == reads[1].box])
    assert without_wait == [([], ["add_one"])]
    of_another = told(report, [one for one in report.without(4) if one.box == reads[2].box])
    assert of_another == [(["add_one (2)"], [])]  # the last one stays behind it in the stream


@cuda.jit
def by_syncwarp(data, out):
    if cuda.threadIdx.x == 0:
        data[0] = 1
        add_one[1, 1](out)
    cuda.syncwarp()
    if cuda.threadIdx.x == 1:
        data[1] = data[0]


def test_what_is_passed_on_without_a_box_of_its_own_is_seen_too():
    report = of_four(by_syncwarp, 2)
    read = report.reads[0]
    assert told(report, [read]) == [(["by_syncwarp"], [])]
    assert [arrow.why for arrow in report.boxes[read.box].after] == ["others"]
    assert "syncwarp" in report.whys["others"]


@cuda.jit
def down(x, deep):
    x[deep] = deep
    if deep > 0:
        down[1, 1](x, deep - 1)


def test_what_is_left_out_is_counted_in_grids_that_begin_later_too(monkeypatch):
    def shown_and_left_out(most):
        monkeypatch.setattr("gpusim.checkers.visibility.MOST_BOXES", most)
        with gpusim.sanitize("racecheck") as run:
            down[1, 1](np.zeros(7), 6)
        report = run.visibility()
        return sum(box.kind == "write" for box in report.boxes), report.left_out, str(report)

    assert shown_and_left_out(160)[:2] == (7, 0)
    assert shown_and_left_out(5)[:2] == (2, 5)
    assert "1 access more is left out." in shown_and_left_out(18)[2]
    assert "5 accesses more are left out." in shown_and_left_out(5)[2]


def test_what_is_not_there_is_said():
    with gpusim.sanitize("racecheck") as run:
        add_one[1, 4](np.zeros(4))
    with pytest.raises(gpusim.errors.ReportError, match="no kernel that launches kernels"):
        run.visibility()


# what goes wrong --------------------------------------------------------------------------------------------


@cuda.jit
def reads_outside(x):
    x[0] = x[1000]


@cuda.jit
def has_a_faulty_child(x, out):
    if cuda.threadIdx.x == 0:
        copy[1, 32](x, out)
        reads_outside[1, 1](x)
        copy[1, 32](x, out)
    x[cuda.threadIdx.x] = 1


def test_a_childs_fault_ends_the_tree_and_what_was_found_before_is_kept():
    x = np.zeros(32)
    with gpusim.sanitize("racecheck", "memcheck") as report:
        has_a_faulty_child[1, 32](x, np.zeros(32))
        add_one[1, 32](x)  # another tree: nothing is compared with the one that ended
    assert [finding.tool for finding in report.findings] == ["racecheck", "memcheck"]
    assert [finding.kernel for finding in report.findings] == ["copy", "reads_outside"]
    assert "of has_a_faulty_child at line" in report.findings[1].accesses[0].launched


@cuda.jit
def a_launch_fails(x):
    x[0] = 1
    add_one[1, 2000](x)
    x[1] = 1


def test_a_launch_that_does_not_come_about_orders_nothing_and_races_with_nothing():
    with gpusim.sanitize("racecheck") as report, pytest.warns(UserWarning, match="in kernels failed"):
        a_launch_fails[1, 1](np.zeros(32))
    assert report.clean


def test_two_launches_of_the_host_are_two_trees():
    x = np.zeros(32)
    with gpusim.sanitize("racecheck") as report:
        for _ in range(2):
            one_of_each_block[1, 1](x)
    assert report.clean


LAST_BLOCK = """
__device__ unsigned arrived;
__global__ void sum(int* x) { for (int i = 0; i < 4; ++i) x[4] += x[i]; }
__global__ void parent(int* x) {
    x[blockIdx.x] = blockIdx.x;
    FENCE
    if (atomicAdd(&arrived, 1) == 3) { FENCE sum<<<1, 1>>>(x); }
}
"""


@pytest.mark.parametrize("fence", ["", "__threadfence();"])
def test_the_last_block_launches_what_reads_all_and_needs_a_fence(fence):
    with gpusim.sanitize("racecheck") as report:
        kernel = gpusim.RawModule(code=LAST_BLOCK.replace("FENCE", fence)).get_function("parent")
        kernel[4, 1](np.zeros(8, np.int32))
    assert report.clean == bool(fence)
    assert fence or "hand over with __threadfence()" in report.findings[0].hint
