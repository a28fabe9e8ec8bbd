"""What did a launch leave behind, and is it what another left? Arrays are copied, compared and described."""

from __future__ import annotations

import ctypes
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from gpusim.errors import GpuSimError, NoProgress
from gpusim.machine.memory.address_space import merged
from gpusim.reports.exploration import Difference, OutcomeReport
from gpusim.runtime.passing import In, InOut, Out
from gpusim.whole import bit_pattern

Schedule = str | int
SHOWN_WHOLE, SHOWN_OF_MORE = 32, 8  # elements of an array in a description


@dataclass
class Outcome:
    """One way in which the launch can end: what it left in its arrays, or the error.

    `arguments` are the arrays by name after the first schedule that ended so, as far as an error let it come;
    `changed` names those that are not as they were before the launch;
    `differences` compare them with the outcome of the first schedule that was tried and met no error.
    """

    arguments: dict[str, npt.NDArray[Any]]
    changed: list[str]
    error: GpuSimError | None
    schedules: list[Schedule]
    differences: list[Difference]
    in_hexadecimal: Collection[str]

    @property
    def count(self) -> int:
        """How many schedules ended so?"""
        return len(self.schedules)

    @property
    def replay(self) -> str:
        """The line that makes a launch end so again."""
        return f"with gpusim.use(schedule={self.schedules[0]!r}):"

    def describe(self) -> str:
        """What came out, in a sentence."""
        if self.error is not None:
            return f"{type(self.error).__name__}: {self.error.message}"
        if self.differences:
            return "; ".join(difference.describe() for difference in self.differences)
        held = {name: _excerpt(self.arguments[name], name in self.in_hexadecimal) for name in self.changed}
        return "; ".join(f"{name} = {values}" for name, values in held.items()) or "nothing has changed"

    def report(self) -> OutcomeReport:
        """As it is drawn."""
        return OutcomeReport(
            count=self.count,
            schedules=tuple(self.schedules),
            replay=self.replay,
            error=None if self.error is None else type(self.error).__name__,
            description=self.describe(),
            differences=tuple(self.differences),
        )


def copies_of(arguments: Sequence[Any]) -> list[Any]:
    """Copies of the arrays and records; where two share memory, so do their copies."""
    pieces = merged(map(_bounds, arrays_in(range(len(arguments)), arguments).values()))
    copies = {(low, high): bytearray(ctypes.string_at(low, high - low)) for low, high in pieces}

    def copied(argument: Any) -> Any:
        if isinstance(argument, In | InOut | Out):
            return type(argument)(copied(argument.value))
        if isinstance(argument, np.void):
            return copied(np.asarray(argument))[()]
        if isinstance(argument, Mapping):
            return {name: copied(part) for name, part in argument.items()}
        if isinstance(argument, tuple | list):
            return tuple(map(copied, argument))
        if not isinstance(argument, np.ndarray) or argument.dtype.hasobject:
            return argument
        first, end = _bounds(argument)
        low, high = next(piece for piece in pieces if piece[0] <= first and end <= piece[1])
        offset = argument.ctypes.data - low
        copy = np.ndarray(argument.shape, argument.dtype, copies[low, high], offset, argument.strides)
        copy.flags.writeable = argument.flags.writeable
        return copy

    return [copied(argument) for argument in arguments]


def _bounds(array: npt.NDArray[Any]) -> tuple[int, int]:
    """Where its memory begins and ends."""
    low, high = np.lib.array_utils.byte_bounds(array) if array.size else (array.ctypes.data,) * 2
    return int(low), int(high)


def parts(names: Iterable[Any], values: Iterable[Any]) -> Iterator[tuple[str, Any]]:
    """Values with their names, and what is in dictionaries and tuples one by one."""
    for name, value in zip(names, values, strict=True):
        if isinstance(value, In | InOut | Out):
            yield from parts([name], [value.value])
        elif isinstance(value, Mapping):
            yield from parts([f"{name}.{key}" for key in value], value.values())
        elif isinstance(value, tuple | list):
            yield from parts([f"{name}[{place}]" for place in range(len(value))], value)
        else:
            yield name, value


def arrays_in(names: Iterable[Any], values: Iterable[Any]) -> dict[str, npt.NDArray[Any]]:
    """The arrays and records among them, by name."""
    named = parts(names, values)
    return {name: np.asarray(part) for name, part in named if isinstance(part, np.ndarray | np.void)}


def _bits(value: Any) -> npt.NDArray[Any]:
    """An array with equal bits where values are equal: every NaN becomes the same one."""
    array = np.array(value)
    if array.dtype.names:
        for name in array.dtype.names:
            array[name] = _bits(array[name])
    elif array.dtype.kind == "c":
        array.real, array.imag = _bits(array.real), _bits(array.imag)
    elif array.dtype.kind == "f":
        array[np.isnan(array)] = np.nan
    return array


def fingerprint(result: Any, error: GpuSimError | None = None) -> Any:
    """Equal for results that count as the same outcome."""
    if error is not None:
        # lanes that never finish may be seen anywhere in their loop
        return type(error), None if isinstance(error, NoProgress) else error.span
    if isinstance(result, Mapping):
        return tuple((name, fingerprint(value)) for name, value in result.items())
    if isinstance(result, list | tuple):
        return tuple(fingerprint(value) for value in result)
    if isinstance(result, set | frozenset):
        return frozenset(map(fingerprint, result))
    if isinstance(result, np.ndarray | np.generic | float | complex):
        array = _bits(result)
        return array.dtype.str, array.shape, array.tobytes()
    return result


def differences_between(
    arguments: Mapping[str, npt.NDArray[Any]],
    usual: Mapping[str, npt.NDArray[Any]],
    in_hexadecimal: Collection[str] = (),
) -> list[Difference]:
    """The arguments that are not as usual, with their elements."""
    differences = []
    for name, here in arguments.items():
        there = usual[name]
        octets = [
            np.ascontiguousarray(_bits(array)).reshape(-1).view(np.uint8).reshape(-1, array.itemsize)
            for array in (here, there)
        ]
        where = (octets[0] != octets[1]).any(axis=1).reshape(here.shape)
        if where.any():
            elements = np.argwhere(where)
            values = (
                tuple(_text(value, name in in_hexadecimal) for value in array[where])
                for array in (here, there)
            )
            differences.append(Difference(name, tuple(map(tuple, elements.tolist())), *values))
    return differences


def _text(value: Any, hexadecimal: bool) -> str:
    """A value as the page shows it: of a float six digits, or as many as tell it from all others."""
    if hexadecimal:
        return bit_pattern(value)
    if isinstance(value, np.floating) and type(value)(f"{value:.6g}") == value:
        return f"{value:.6g}"
    return str(value)


def _excerpt(array: npt.NDArray[Any], hexadecimal: bool) -> str:
    """`[0, 1, 2]`; of more than a warp's lanes `[0, 1, 2, 3, 4, 5, 6, 7, …]`."""
    shown = array.size if array.size <= SHOWN_WHOLE else SHOWN_OF_MORE
    values = [_text(value, hexadecimal) for value in array.ravel()[:shown]]
    return f"[{', '.join(values)}{', …' if array.size > shown else ''}]"
