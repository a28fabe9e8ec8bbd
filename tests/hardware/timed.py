"""What do the arguments of a timed launch hold? As `probes/timed.cu` fills them (rows: `probes/times.py`)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.generic]
DTYPES = {"F": np.float32, "I": np.int32, "D": np.float64}
NUMBERS = {"i": np.int32, "f": np.float32, "d": np.float64}


def argument(text: str) -> Array | np.generic:
    """What a row's argument stands for, as NumPy has it."""
    kind, value, *fill = text.split(":")
    if kind in NUMBERS:
        return NUMBERS[kind](float(value))
    if fill == ["zero"]:
        return np.zeros(int(value), DTYPES[kind])
    return filled(int(value), fill[0]).astype(DTYPES[kind])


def filled(count: int, fill: str) -> npt.NDArray[np.float64]:
    """`random` is a number below 1 in steps of a thousandth; with `%m`, a whole one below m."""
    i = np.arange(count, dtype=np.uint64)
    scattered = (i * 2654435761 % (1 << 32)) >> 8
    name, _, parameter = fill.replace("%", "+").partition("+")
    match name:
        case "sorted":
            return 2.0 * i
        case "next":
            return ((i + int(parameter)) % count).astype(np.float64)
        case "step":
            return i.astype(np.float64) * int(parameter)
    return (scattered % int(parameter)) * 1.0 if parameter else (scattered % 1000) / 1000
