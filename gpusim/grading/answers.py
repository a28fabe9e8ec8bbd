"""Is the reader's answer right, however it is written? A list or a tuple, `0x` or not, an int of NumPy's.

>>> from gpusim.grading import mask, numbers
>>> numbers([7, 24], 2, "one block"), mask("0x000AAAAA", "mark A") == mask("000aaaaa", "mark A")
([7, 24], True)
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from gpusim.grading.failing import CheckFailed, require, short, wrapped

LINE = 500  # characters of the reader's own line that are shown, and of what is said of it
QUARTERS = 4  # a partial answer earns whole quarters of a point


def whole(value: Any, where: str, called: str = "a whole number") -> int:
    """The value as an int: Python's, NumPy's, or a float without a fraction."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    right = number and -math.inf < value < math.inf and value == int(value)
    require(right, f"{where}: {called} is asked for, not {short(value)}")
    return int(value)


def numbers(value: Any, count: int, where: str) -> list[int]:
    """So many whole numbers, of a tuple, a list or an array."""
    given = value.tolist() if isinstance(value, np.ndarray) else value
    fits = isinstance(given, (tuple, list)) and len(given) == count
    require(fits, f"{where}: {count} numbers are asked for, such as (1, 2), not {short(value)}")
    return [whole(number, where) for number in given]


def mask(value: Any, where: str) -> int:
    """A mask as an int: hexadecimal digits, `0x` or not, upper or lower case; or the int itself."""
    if isinstance(value, str):
        try:
            return int(value.replace(" ", "").replace("_", ""), 2 if value.startswith("0b") else 16)
        except ValueError:
            raise CheckFailed(f"{where}: {value!r} is not made of the digits 0-9 and a-f") from None
    return whole(value, where, 'a mask such as "0000ffff"')


def predictions(
    predicted: Any,
    right: Mapping[Any, Mapping[Any, int | str]],
    points: float,
    why: Callable[[Any, Any, Any], str],
    *,
    read: Callable[[Any, str], int | str] = whole,
    guessed: int = 0,
) -> float | None:
    """Which of these predictions are right? `predicted` and `right` are `{row: {column: answer}}`.

    None if all are. Otherwise the points for those that are, and `why(row, column, answer)` about the first
    that is not; `guessed` of them come right without an idea, and earn nothing. As the last value of a cell
    that is nbgrader's partial credit. Raises `CheckFailed` where it would be nothing at all.
    """
    require(isinstance(predicted, dict), "the predictions are a dict of dicts, as in the starter")
    total, good, complaint, line = 0, 0, "", ""
    empty = Counter[str]()  # how many of each column
    for row, columns in right.items():
        said_row = predicted.get(row)
        said_row = said_row if isinstance(said_row, dict) else {}
        for column, counted in columns.items():
            if read is whole and _fault(counted, counted, "", read):
                raise TypeError(f"{row}, {column}: nobody can predict {counted!r}, which is no whole number")
            total += 1
            said = said_row.get(column)
            fault = _fault(said, counted, f"{row}, {column}", read) or (
                "" if said is not None else "not filled in yet"
            )
            good += not fault
            empty[str(column)] += said is None
            if fault and not complaint:
                complaint = why(row, column, said) if fault == "wrong" else f"{row}, {column}: {fault}"
                line = f"{row!r}: {short(said_row, LINE)}"
    if good == total:
        print(f"All {total} are right.")
        return None
    earned = math.floor(QUARTERS * points * max(good - guessed, 0) / (total - guessed)) / QUARTERS
    told = complaint[:LINE]
    if empty.total() > 1:
        which = ", ".join(f"{column} ({many})" for column, many in empty.items() if many)
        told = f"{told.removesuffix('.')}. Empty are {empty.total()}: {which[:LINE]}."
    failed = CheckFailed(f"{good} of {total} are right. {told}", line)
    if not earned:
        raise failed
    print("\n".join(wrapped(f"{earned:g} of {points:g} points, which nbgrader reads below. {failed}")))
    return earned


def _fault(said: Any, counted: int | str, where: str, read: Callable[[Any, str], int | str]) -> str:
    if said is None:
        return "not filled in yet"
    try:
        return "" if read(said, where) == counted else "wrong"
    except CheckFailed as failed:
        return failed.sentence.partition(": ")[2]
