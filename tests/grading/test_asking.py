"""May a process that answers for a student say what it likes? It tells values and steps, or nothing."""

from __future__ import annotations

import builtins
import json
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpusim import cuda, cudart, grading
from gpusim.grading import CheckFailed
from gpusim.grading.answering import answer
from gpusim.grading.asking import instead_of, stand_in
from gpusim.grading.wire import NotPlain, packed, read, unpacked
from gpusim.runtime.launching import Launchable

LEAVES = st.one_of(
    *(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(), st.binary()),
    *(st.fractions(), st.complex_numbers(allow_nan=False), st.just(Decimal("1.5")), st.just(range(1, 7, 2))),
    *(st.integers(-99, 99).map(np.int8), st.floats(width=32, allow_nan=False).map(np.float32)),
)
PLAIN = st.recursive(LEAVES, lambda each: st.lists(each) | st.tuples(each) | st.dictionaries(st.text(), each))


@given(PLAIN)
def test_a_plain_value_comes_as_it_was_sent(value: Any) -> None:
    came = unpacked(json.loads(json.dumps(packed(value))))
    assert (came, type(came)) == (value, type(value))


class Pair(NamedTuple):
    a: int
    b: Any


def test_what_a_namedtuple_or_a_counter_holds_comes_plainly() -> None:
    came = unpacked(json.loads(json.dumps(packed(Pair(1, Counter("xx"))))))
    assert (came, type(came), type(came[1])) == ((1, {"x": 2}), tuple, dict)


STARS = np.array([(1, 2.0, 3.0), (4, 5.0, 6.0)], [("id", "i4"), ("x", "f4"), ("y", "f4")])
ARRAYS = [
    *(np.arange(6).reshape(2, 3)[:, ::2], np.zeros(0, np.int8), np.array(["a"]), np.array(7.5)),
    *(
        STARS,
        STARS[::2],
        STARS["y"],
        np.arange(6)[::-2],
        np.asfortranarray(np.eye(3)),
        np.broadcast_to(np.arange(3), (2, 3)),
    ),
]


@pytest.mark.parametrize("array", ARRAYS)
def test_an_array_comes_as_it_was_sent(array: Any) -> None:
    """Its elements lie as far apart as they did: a warp pays for that."""
    came = unpacked(packed(array))
    assert (came.tolist(), came.dtype, came.shape) == (array.tolist(), array.dtype, array.shape)
    assert came.strides == array.strides


EIGHT = "AAAAAAAAAAA="  # bytes
FORGED = [
    *(7, {}, [], [[]], ["eval", "8"], ["int", "8", "9"], ["int", 8], ["int", "9" * 10_000]),
    *(["Fraction", "1", "0"], ["float", "8"[:0]], ["Decimal", []], ["bytes", "a"]),
    *(
        ["array", "|O", [1], [8], EIGHT],
        ["array", [["x", "|O"]], [1], [8], EIGHT],
        ["array", "V8", [1], [8], EIGHT],
        ["array", "<f8", [1], EIGHT],
    ),
    *(["array", "<f8", [-1], [8], ""], ["array", "<f8", [1 << 62, 4], [32, 8], ""]),
    *(["array", "|i1", [8], [1 << 40], EIGHT], ["array", "|i1", [8], ["1"], EIGHT]),
    *(["array", "|i1", [8], [], EIGHT], ["number", "<f8", [2], [8], "AAAAAAAAAAAAAAAAAAAAAA=="]),
    *(["dict", [["list"], 1]], ["set", ["list"]], ["__class__"], ["list", 8]),
]


@pytest.mark.parametrize("told", FORGED)
def test_what_is_no_value_is_refused(told: Any) -> None:
    with pytest.raises(NotPlain):
        unpacked(told)


def answers_with(text: str) -> Any:
    return patch.object(builtins, "input", lambda _: text)


MESSAGES = [
    *("", "8", "[]", "{", "[" * 100_000, '{"values": 8}', '{"values": []}', '{"values": [1, 2]}', "{}"),
    *('{"values": {"0": true}}', '{"failed": "no"}', '{"failed": {"a": 1}}', '"values"', "1e999", "NaN"),
    *('{"values": [8]}', '{"values": [["int", "8"], ["int", "8"]]}', '{"values": [' + "[" * 5000 + "]}"),
]


@pytest.mark.parametrize("text", MESSAGES)
def test_a_message_that_holds_no_answer_is_none(text: str) -> None:
    with answers_with(text), pytest.raises(CheckFailed):
        grading.answered(stand_in("double", {}), 4)


def test_an_answer_is_what_the_function_says() -> None:
    """Its own line is told where it fails; what it is given is a copy."""

    def double(x: Any) -> Any:
        return 2 * x

    own = {"double": double}
    with patch.object(builtins, "input", lambda text: answer(own, text)):
        assert grading.answered(stand_in("double", {}), 4) == 8
        with pytest.raises(CheckFailed, match=r"double\(None\) has no answer.*\n.*return 2 \* x"):
            grading.answered(stand_in("double", {}), None)


# host code --------------------------------------------------------------------------------------------------


@cuda.jit
def add_one(x, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = x[i] + 1


X = np.arange(32, dtype=np.int64)


def at_once(x: Any, out: Any) -> None:
    cudart.cudaFuncSetAttribute(
        add_one, cudart.cudaFuncAttribute.cudaFuncAttributeMaxDynamicSharedMemorySize, 64
    )
    add_one[1, 32](x, out)


def by_copies(x: Any, out: Any) -> None:
    stream, there = cuda.stream(), cuda.event()
    d_x = cuda.to_device(x, stream=stream)
    d_out = cuda.device_array_like(d_x)
    there.record(stream)
    there.wait()
    add_one[1, 32](d_x[:16], d_out)
    add_one[1, 32, stream](d_x[16:], d_out[16:])
    d_out.copy_to_host(out, stream=stream)
    stream.synchronize()


def by_its_own_array(x: Any, out: Any) -> None:
    mine = np.zeros((32, 2), int)
    mine[:, 1] = x + 10
    add_one[1, 32](mine[:, 1], out)
    out -= 10


def second_try(x: Any, out: Any) -> None:
    try:
        add_one[1, 4096](x, out)
    except Exception:
        add_one[1, 32](x, out)


@pytest.mark.parametrize("host", [at_once, by_copies, by_its_own_array, second_try])
def test_what_host_code_asks_for_is_done_where_it_is_checked(host: Callable[..., None]) -> None:
    """The process that answers has arrays of its own: these here are written by steps that are done again."""
    own, out = {"host": host, "add_one": add_one}, np.zeros_like(X)
    with patch.object(builtins, "input", lambda text: answer(own, text)):
        run = grading.launched(stand_in("host", {"add_one": add_one}), X, out, device="H200", where="here")
    assert out.tolist() == (X + 1).tolist()
    assert run.kernels[0].kernel == "add_one"


def test_an_array_of_the_host_codes_own_lies_there_as_it_did() -> None:
    """Every second number of 8 bytes: half of what 16 sectors bring is of use."""
    own, out = {"host": by_its_own_array, "add_one": add_one}, np.zeros_like(X)
    with patch.object(builtins, "input", lambda text: answer(own, text)):
        run = grading.launched(stand_in("host", {"add_one": add_one}), X, out, device="H200", where="here")
    there, here = run.kernels
    assert (there.global_load_sectors, here.global_load_sectors) == (16, 16)


OWN = ["own", packed(X)]
GIVEN = ["given", 1, 0, 0, [32], [8], "<i8"]
DEVICE = ["device", 0, 256, 0, [32], [8], "<i8"]
LAUNCH = ["launch", "add_one", [1, 1, 1], [32, 1, 1], [0, True], 0, [None, -1]]
STEPS = {
    "no steps": None,
    "a step that there is not": [["eval", "8"]],
    "a step within a step": [["fails", ["fails", ["all"]]]],
    "a kernel that there is not": [["launch", "nothing", *LAUNCH[2:], []]],
    "a function in place of a kernel": [["launch", "print", *LAUNCH[2:], []]],
    "a copy to the host that comes from no device": [["copy", "x", [0, True], OWN, GIVEN, "to host", True]],
    "a copy to the device from nowhere": [["copy", "x", [0, True], DEVICE, DEVICE, "to device", True]],
    "memory behind an array": [["write", ["given", 1, 0, 8, [32], [8], "<i8"], packed(X)]],
    "memory before an array": [["write", ["given", 1, 0, -8, [1], [8], "<i8"], packed(X[:1])]],
    "strides that leave an array": [["write", ["given", 1, 0, 0, [32], [800], "<i8"], packed(X)]],
    "more memory than there is": [["read", ["device", 0, 1 << 50, 0, [1], [8], "<i8"]]],
    "objects": [["write", ["given", 1, 0, 0, [32], [8], "|O"], packed(X)]],
    "an array that there is not": [["read", ["given", 7, 0, 0, [1], [8], "<i8"]]],
    "a launch too large": [[*LAUNCH[:3], [4096, 1, 1], *LAUNCH[4:], [["memory", OWN], ["memory", GIVEN]]]],
    "more dynamic shared memory than a block may have": [[*LAUNCH[:5], 1 << 30, [1 << 30, -1], []]],
    "steps without number": [["all"]] * 20_000,
}


@pytest.mark.parametrize("steps", STEPS.values(), ids=STEPS)
def test_steps_that_no_runtime_would_note_are_refused(steps: Any) -> None:
    out, names = np.full(32, -1), {"add_one": add_one, "print": print}
    with answers_with(json.dumps({"steps": steps})), pytest.raises(CheckFailed):
        grading.launched(stand_in("host", names), X.copy(), out, device="H200", where="here")
    assert set(out) == {-1}


def test_a_kernel_stays_itself_and_a_function_asks() -> None:
    names: dict[str, Any] = {"add_one": add_one, "X": X}
    assert isinstance(instead_of(names, "add_one"), Launchable)
    assert instead_of(names, "X").asked == "X"


def mirrored(i, n):
    return n - 1 - i


@pytest.mark.parametrize("function", [mirrored, cuda.jit(device=True)(mirrored)])
def test_a_kernel_that_calls_a_function_is_made_of_its_text_and_a_check_asks_for_its_answers(
    function: Any,
) -> None:
    place: Any = instead_of({"place": function}, "place")
    if function is mirrored:  # a locked cell may make a device function of it
        place = cuda.jit(device=True)(place)

    @cuda.jit
    def mirror(x, out):
        i = cuda.grid(1)
        out[place(i, x.size)] = x[i]

    out = np.zeros_like(X)
    grading.launched(mirror[1, 32], X, out, device="H200", where="here")
    assert out.tolist() == X[::-1].tolist()
    with answers_with('{"values": [["int", "8"]]}'):
        assert grading.answered(place, 4, 32) == 8


def test_a_message_has_a_bound() -> None:
    with pytest.raises(NotPlain):
        read(" " * 20_000_000 + "{}")
