"""Which calls of the host race, and which do not? Programs of streams, events, copies and host functions."""

from __future__ import annotations

import copy
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpusim
from gpusim import cuda, cudart

N = 64


@cuda.jit
def scale(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= 2


@cuda.jit
def count(x, total):
    cuda.atomic.add(total, 0, x[cuda.grid(1)])


@cuda.jit
def count_in_block(x, total):
    cuda.atomic.block.add(total, 0, x[cuda.grid(1)])


def free_stream():
    return cudart.cudaStreamCreateWithFlags(cudart.cudaStreamNonBlocking)[1]


def found(program, **named):
    """(hazard, place, both lines' source) of what streamcheck finds in a program."""
    with gpusim.sanitize("streamcheck") as report:
        program(**named)
    assert report.clean == (not report.findings)
    return [
        (one.hazard, one.place, *(access.at.source.strip() for access in one.accesses))
        for one in report.findings
    ]


# the classic: copy in, kernel, copy out ---------------------------------------------------------------------


def pipeline(order):
    """Three streams for three steps. order: what comes between them, which is given the streams so far."""
    host, there = cuda.pinned_array(N), cuda.device_array(N)
    copy_in, work, copy_out = cuda.stream(), cuda.stream(), cuda.stream()
    there.copy_to_device(host, stream=copy_in)
    order(copy_in, work)
    scale[1, N, work](there)
    order(work, copy_out)
    there.copy_to_host(host, stream=copy_out)
    order(copy_out, None)
    return float(host[0])


def test_three_streams_without_events():
    into, out = "there.copy_to_device(host, stream=copy_in)", "there.copy_to_host(host, stream=copy_out)"
    assert found(lambda: pipeline(lambda *_: None)) == [
        ("RAW", "there[0:64]", into, "scale[1, N, work](there)"),
        ("RAW", "there[0:64]", into, out),
        ("RAW", "there[0:64]", "scale[1, N, work](there)", out),
        ("WAR", "host[0:64]", into, out),
        ("RAW", "host[0]", out, "return float(host[0])"),
    ]


def by_events(first, then):
    event = cuda.event()
    event.record(first)
    if then is None:
        event.synchronize()
    else:
        event.wait(then)


@pytest.mark.parametrize(
    "order",
    [
        by_events,
        lambda first, _: first.synchronize(),
        lambda *_: cuda.synchronize(),
        lambda *_: cudart.cudaDeviceSynchronize(),
        lambda first, _: cudart.cudaStreamSynchronize(first),
        lambda first, _: cudart.cudaStreamQuery(first),
        lambda *_: cudart.cudaMemset(cuda.device_array(1), 0, 8) and cuda.default_stream().synchronize(),
        lambda first, _: first.add_callback(lambda *_: None) or first.synchronize(),
    ],
)
def test_what_puts_three_streams_in_order(order):
    assert found(lambda: pipeline(order)) == []


def test_the_message_names_both_calls_the_bytes_and_what_would_order_them():
    with gpusim.sanitize() as report:
        pipeline(lambda *_: None)
    finding = report.findings[0]
    one, two, *_ = (access.line for access in finding.accesses)
    assert finding.tool == "streamcheck"
    assert finding.message.replace("stream ", "").endswith("reads it, and nothing orders the two")
    assert "copy_to_device in stream" in finding.message
    assert "writes there[0:64], kernel scale in stream" in finding.message
    assert f"after line {one} and let stream" in finding.hint
    assert f"wait for it before line {two}; or give both to one stream" in finding.hint
    last = report.findings[-1]
    assert last.hint.startswith("let the host wait for stream ")
    assert last.hint.endswith(f"before line {last.accesses[1].line}: synchronize it")
    assert "in the host's program" in repr(report)


# what is in order -------------------------------------------------------------------------------------------


def test_the_default_stream_orders_blocking_streams_and_no_others():
    def program(stream):
        there = cuda.to_device(np.zeros(N))
        scale[1, N, stream](there)
        scale[1, N](there)
        scale[1, N, stream](there)
        return there.copy_to_host()

    assert found(program, stream=cuda.stream()) == []
    assert found(program, stream=cuda.per_thread_default_stream()) == []
    assert {line for *_, line in found(program, stream=free_stream())} == {
        "scale[1, N](there)",
        "scale[1, N, stream](there)",
        "return there.copy_to_host()",
    }


def test_hints_say_that_a_non_blocking_stream_does_not_wait():
    with gpusim.sanitize("streamcheck") as report:
        there = cuda.to_device(np.zeros(N))
        scale[1, N](there)
        scale[1, N, free_stream()](there)
    (finding,) = report.findings
    assert finding.hint.startswith(
        "a non-blocking stream and the default stream do not wait for each other: "
    )


def test_one_stream_reads_and_other_bytes_do_not_race():
    one, two = cuda.stream(), cuda.stream()
    there, total = cuda.to_device(np.ones(2 * N)), cuda.to_device(np.zeros(1))
    copies = np.zeros(2 * N), np.zeros(2 * N)

    def one_stream():
        scale[2, N, one](there)
        there.copy_to_host(copies[0], stream=one)
        copies[0].sum()

    def reads():
        there.copy_to_host(copies[0], stream=one)
        there.copy_to_host(copies[1], stream=two)

    def halves():
        scale[1, N, one](there[:N])
        scale[1, N, two](there[N:])

    def every_second():
        scale[1, N, one](there[::2])
        scale[1, N, two](there[1::2])

    def atomics():
        count[1, N, one](there, total)
        count[1, N, two](there, total)

    for program in (one_stream, reads, halves, every_second, atomics):
        assert found(program) == [], program.__name__

    def one_too_many():
        scale[1, N + 1, one](there[: N + 1])
        scale[1, N, two](there[N:])

    def atomic_within_blocks():
        count_in_block[1, N, one](there, total)
        count_in_block[1, N, two](there, total)

    assert [race[:2] for race in found(one_too_many)] == [("RAW", "there[64]")]
    assert [race[:2] for race in found(atomic_within_blocks)] == [("WAW", "total[0]")]


def test_copies_of_memory_that_is_not_pinned_keep_the_host_waiting():
    def program(host):
        stream, there = cuda.stream(), cuda.device_array(N)
        there.copy_to_device(host, stream=stream)
        host[0] = 1
        there.copy_to_host(host, stream=stream)
        return host[:2].sum()

    assert found(program, host=np.zeros(N)) == []
    assert [race[:2] for race in found(program, host=cuda.pinned_array(N))] == [
        ("WAR", "host[0]"),
        ("RAW", "host[0:2]"),
    ]


def test_arrays_of_the_host_are_copied_for_a_launch():
    x, pinned = np.zeros(N), cuda.pinned_array(N)
    stream = cuda.stream()
    assert found(lambda: (scale[1, N, stream](x), x.sum())) == []
    assert [race[:2] for race in found(lambda: (scale[1, N, stream](pinned), pinned[3]))] == [
        ("RAW", "pinned[3]")
    ]
    assert found(lambda: (scale[1, N](pinned), pinned[3])) == []


def test_mapped_memory_is_read_by_both():
    x = cuda.mapped_array(N)

    def program(wait):
        x[:] = 1
        scale[1, N](x)
        wait()
        return x + 1, x[3]

    assert found(program, wait=cuda.synchronize) == []
    assert [race[:2] for race in found(program, wait=lambda: None)] == [("RAW", "x[0:64]")]


@pytest.mark.parametrize(
    "read",
    [
        lambda x: x[1],
        lambda x: x.sum(),
        lambda x: np.mean(x),
        lambda x: x.tolist(),
        lambda x: (x == 1).all(),
        lambda x: np.array_equal(x, x),
        lambda x: x[x > 0],
        lambda x: sum(x),
        repr,
        str,
        lambda x: np.concatenate([x, x]),
        lambda x: x.__setitem__(slice(2, 4), 1),
        lambda x: np.copyto(x, 3),
        lambda x: x.fill(0),
        lambda x: x.repeat(2),
        lambda x: x.searchsorted(1),
        lambda x: x.compress([True]),
        lambda x: x.partition(1),
        np.count_nonzero,
        np.histogram,
        lambda x: np.roll(x, 1),
        lambda x: np.einsum("i->", x),
        lambda x: np.add(1, 2, out=x[:1]),
    ],
)
def test_the_host_reads_and_writes_pinned_memory_in_many_ways(read):
    host, there, stream = cuda.pinned_array(8), cuda.to_device(np.ones(8)), cuda.stream()
    assert len(found(lambda: (there.copy_to_host(host, stream=stream), read(host)))) == 1
    assert found(lambda: (there.copy_to_host(host, stream=stream), stream.synchronize(), read(host))) == []


@pytest.mark.parametrize(
    "read", [lambda x: x.sum(), np.std, np.median, lambda x: np.roll(x, 1), lambda x: np.allclose(x, 1)]
)
def test_what_numpy_reads_is_read_in_the_line_that_calls_it(read):
    host, there, stream = cuda.pinned_array(8), cuda.to_device(np.ones(8)), cuda.stream()
    with gpusim.sanitize("streamcheck") as report:
        there.copy_to_host(host, stream=stream)
        read(host)
    (race,) = report.findings
    assert race.place == "host[0:8]"
    assert race.accesses[1].at.file.endswith("test_streams.py")


@pytest.mark.parametrize("read", [float, int, bool, complex, copy.copy, np.nonzero, math.sqrt, "{:g}".format])
def test_a_number_of_an_array_is_read(read):
    shape = 1 if read is np.nonzero else ()
    host, there, stream = cuda.pinned_array(shape), cuda.to_device(np.ones(shape)), cuda.stream()
    assert len(found(lambda: (there.copy_to_host(host, stream=stream), read(host)))) == 1
    assert found(lambda: (there.copy_to_host(host, stream=stream), stream.synchronize(), read(host))) == []


def test_shapes_and_parts_are_not_read():
    host, there, stream = cuda.pinned_array(8), cuda.to_device(np.ones(8)), cuda.stream()

    def program():
        there.copy_to_host(host, stream=stream)
        return (
            host[2:],
            host.shape,
            host.reshape(2, 4),
            host.T,
            np.empty_like(host),
            len(host),
            np.shape(host),
        )

    assert found(program) == []


def test_a_host_function_reads_in_its_stream():
    host, there = cuda.pinned_array(8), cuda.to_device(np.ones(8))
    one, two = cuda.stream(), cuda.stream()

    def program(stream):
        there.copy_to_host(host, stream=one)
        cudart.cudaLaunchHostFunc(stream, lambda which: host[which], 3)

    assert found(program, stream=one) == []
    assert [race[:2] for race in found(program, stream=two)] == [("RAW", "host[3]")]


def test_a_transposed_array_is_read_on_the_device():
    def program(stream):
        there = cuda.to_device(np.ones((8, 8)))
        scale[1, N, stream](there.reshape(-1))
        return there.T

    (race,) = found(program, stream=free_stream())
    assert race[:2] == ("RAW", "there[0, 0] to there[7, 7]")
    with gpusim.profile() as run:
        program(0)
    last = run.streams().calls[-1]
    assert (last.text, last.engine) == ("transpose", "multiprocessors")


def test_lists_of_arrays_keep_their_names():
    parts = [cuda.to_device(np.ones(8)) for _ in range(3)]
    one, two = cuda.stream(), cuda.stream()

    def program():
        mine = parts
        scale[1, 8, one](mine[1])
        scale[1, 8, two](mine[1])

    assert [race[1] for race in found(program)] == ["mine[1][0:8]"]


def test_memory_that_was_given_back_is_another_piece():
    one, two = cuda.stream(), cuda.stream()

    def program():
        scale[1, 8, one](cuda.to_device(np.ones(8), stream=one))
        scale[1, 8, two](cuda.to_device(np.ones(8), stream=two))

    assert found(program) == []


# against a plain rule, on random programs -------------------------------------------------------------------

PARTS = [(0, 8), (4, 12), (8, 16), (0, 16)]
STEPS = st.tuples(
    st.sampled_from(["write", "read", "update", "sync"]), st.integers(0, 2), st.sampled_from(PARTS)
)


@given(st.lists(STEPS, min_size=2, max_size=8))
def test_pairs_that_race_are_found_and_no_others(steps):
    streams = [cuda.stream(), cuda.stream(), cuda.default_stream()]
    array = np.zeros(16)
    there, host = cuda.to_device(array), [cuda.pinned_array(16) for _ in steps]
    program, expected = [], set()
    for later, (what, where, (first, end)) in enumerate(steps):
        for earlier, (before, there_before, (low, high)) in enumerate(steps[:later]):
            between = steps[earlier + 1 : later]
            apart = {where, there_before} == {0, 1} and what != "sync" != before
            synced = any(w == "sync" and at in (there_before, 2) for w, at, _ in between)
            legacy = any(at == 2 and w != "sync" for w, at, _ in between)
            writes = {what, before} - {"read"}
            if apart and not synced and not legacy and writes and max(first, low) < min(end, high):
                expected.add((earlier, later))
        program.append((what, streams[where], slice(first, end)))
    with gpusim.sanitize("streamcheck") as report:
        for number, (what, stream, part) in enumerate(program):
            if what == "sync":
                stream.synchronize()
            elif what == "read":
                there[part].copy_to_host(host[number][part], stream=stream)
            else:
                there[part].copy_to_device(host[number][part], stream=stream)
    assert bool(report.findings) == bool(expected)


def test_calls_that_were_not_compared_are_not_taken_for_clean_in_silence(monkeypatch):
    monkeypatch.setattr("gpusim.runtime.calls.MOST_CALLS", 4096)
    with gpusim.sanitize("streamcheck") as report:
        for _ in range(4100):
            cuda.event().record()
    (warning,) = report.warnings
    assert "4 calls after the first 4096 were not compared" in warning.message
    with gpusim.sanitize("streamcheck") as report:
        cuda.event().record()
    assert not report.warnings


def test_the_names_of_a_caller_stay_in_its_own_dictionary():
    array = cuda.to_device(np.zeros(32, np.float32))
    names = locals()

    @cuda.jit
    def twice(x):
        x[cuda.grid(1)] *= 2

    with gpusim.sanitize("streamcheck"):
        twice[1, 32](array)
    assert names["array"] is array
