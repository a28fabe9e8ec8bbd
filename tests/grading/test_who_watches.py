"""May an answer call off who watches it, or be asked when nobody watches? May host code?"""

from __future__ import annotations

import inspect
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
import pytest

import gpusim.grading as mine
from gpusim import cuda, devices, grading
from gpusim.grading import CheckFailed, alone, kept, launches
from tests.grading.test_grading import double

X, OUT = np.arange(64), np.zeros(64, int)


class Share(float):
    """A number that looks the right one up in its check."""

    def __float__(self) -> float:
        return float(inspect.currentframe().f_back.f_locals["right"])  # type: ignore[union-attr]

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]


class Pair(NamedTuple):
    one: int
    two: int


class Asks(str):
    """A device's name; who looks it up calls the watch off."""

    def lower(self) -> str:
        sys.setprofile(None)
        return "h200"

    casefold = replace = lower  # type: ignore[assignment]


def by_a_name(x: int) -> int:
    devices.get(Asks("H200"))
    return x


def by_a_warning(x: int) -> int:
    def quiet(*anything: Any, **named: Any) -> None:
        sys.setprofile(None)

    with patch.object(warnings, "showwarning", quiet), warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = quiet
        warnings.warn("x", stacklevel=1)
    return x


def by_the_list_of_watches(x: int) -> int:
    alone._watching.clear()
    return x


def by_what_profiles(x: int) -> int:
    sys.getprofile().__self__.looked.clear()  # type: ignore[union-attr]
    return x


def by_a_patch(x: int) -> int:
    mine.require = launches.require = lambda *anything: None
    return x


def by_emptied_lists(x: int) -> int:
    kept._notebooks.append(({}, {}))
    return x


@pytest.mark.parametrize(
    "answer",
    [by_a_name, by_a_warning, by_the_list_of_watches, by_what_profiles, by_a_patch, by_emptied_lists],
)
def test_who_calls_the_watch_off_has_no_answer(answer: Any) -> None:
    before = mine.require, [*kept._notebooks]
    with warnings.catch_warnings(), pytest.raises(CheckFailed):
        grading.answered(answer, 7)
    assert (mine.require, kept._notebooks, alone._watching) == (*before, [])


@pytest.mark.parametrize(
    "value", [Share(0.5), [Share(0.5)], {"a": Pair(1, 2)}, object(), np.array([object()])]
)
def test_an_answer_is_a_plain_value(value: Any) -> None:
    with pytest.raises(CheckFailed, match="no plain value: there is a"):
        grading.answered(lambda: value)


@pytest.mark.parametrize("value", [7, 7.5, "7", None, (1, [2.0]), {"a": {1}}, np.float32(1), range(3)])
def test_plain_values_stay_as_they_are(value: Any) -> None:
    found = grading.answered(lambda: value)
    assert (found, type(found)) == (value, type(value))


@contextmanager
def put_back() -> Iterator[None]:
    """The names of this module, after a test that changes them."""
    before = mine.require, mine.same
    try:
        yield
    finally:
        mine.require, mine.same = before


def patches(x: Any, out: Any) -> None:
    double[1, 64](x, out)
    mine.require = mine.same = lambda *anything, **named: None


def empties(x: Any, out: Any) -> None:
    double[1, 64](x, out)
    kept._codes.append((patches, []))


def recodes(x: Any, out: Any) -> None:
    double[1, 64](x, out)
    grading.at_most.__code__ = (lambda *anything: 0).__code__


def looks(x: Any, out: Any) -> None:
    double[1, 64](x, out)
    out[:] = inspect.currentframe().f_back.f_locals["expected"]  # type: ignore[union-attr]


def unwatches(x: Any, out: Any) -> None:
    double[1, 64](x, out)
    alone._watching.clear()


CAUGHT = "the host code (looks around|changes what checks use)"


@pytest.mark.parametrize("host", [patches, empties, recodes, looks, unwatches])
def test_host_code_launches_and_leaves_the_check_alone(host: Any) -> None:
    before = kept._code_of(grading.at_most)
    with (
        put_back(),
        pytest.raises(CheckFailed, match=CAUGHT),
    ):
        grading.launched(host, X, OUT.copy(), device="H200", where="here")
    assert kept._code_of(grading.at_most) == before


def test_host_code_may_ask_for_a_device_and_launch() -> None:
    def host(x: Any, out: Any) -> None:
        assert len(fields(devices.get("H200"))) > 10
        import fractions  # noqa: F401

        double[1, 64](x, out)
        cuda.synchronize()

    out = OUT.copy()
    assert grading.launched(host, X, out, device="H200", where="here").kernels
    assert out.tolist() == (2 * X).tolist()
