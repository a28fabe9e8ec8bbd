"""What did it do this time? One run of a playground: counters, findings, the error, and what has changed."""

from __future__ import annotations

import contextlib
import io
import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from gpusim.checkers.sanitize import Report, sanitize
from gpusim.devices import Device
from gpusim.errors import GpuSimError, KernelTypeError, LaunchError
from gpusim.playground.kernels import NOTHING, Parameter, Text, parameters
from gpusim.profile import Run, profile
from gpusim.profile.compare import Comparison, compare
from gpusim.reports.findings import FindingsReport
from gpusim.runtime import settings

Extents = tuple[int, int, int]
SHAPE = ("grid", "block")


class NoArray(KernelTypeError):
    """A rule gives no array for the parameter of that name."""

    name = ""


@dataclass(frozen=True)
class Choice:
    """What the controls say. values: the kernel's numbers; rules: how each of its other arguments is made."""

    grid: Extents
    block: Extents
    device: str | Device
    scheduling: str | None = None
    schedule: settings.Schedule = None
    values: Mapping[str, Any] = field(default_factory=dict)
    rules: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Outcome:
    """A run, as far as it came: `run`, `report` and `arrays` are None or empty where nothing was launched."""

    error: Exception | None
    run: Run | None = None
    report: Report | None = None
    arrays: Mapping[str, Any] = field(default_factory=dict)
    printed: str = ""
    changed: Comparison | None = None

    @property
    def about(self) -> str:
        """The control whose value was refused, by its name: empty where something else went wrong."""
        if isinstance(self.error, NoArray):
            return self.error.name
        refused = self.run is None and isinstance(self.error, LaunchError)
        return next((name for name in SHAPE if refused and str(self.error).startswith(f"{name} (")), "")

    @property
    def findings(self) -> FindingsReport | None:
        """What the checkers found, beside the `error` that ended the kernel."""
        if self.report is None:
            return None
        found = (*self.report.findings, *self.report.warnings)
        said = self.error.message if isinstance(self.error, GpuSimError) else None
        return FindingsReport(self.report.tools, tuple(each for each in found if each.message != said))


class Runs:
    """The runs of one playground, under the settings in which it was made.

    `last` is what the next run is compared with.
    """

    def __init__(self, text: Text, given: Mapping[str, Any]) -> None:
        self.text, self.given, self.said = text, given, ""
        self.last: Run | None = None
        self._settings = replace(settings.current(), observers=(), takers=(), calls=())

    @contextlib.contextmanager
    def _kept(self, device: str | Device) -> Iterator[None]:
        """Compile and run with these settings, on a device."""
        with settings.during(self._settings), settings.during(settings.changed(device)):
            yield

    def parameters(self, device: str | Device) -> list[Parameter]:
        """What the kernel is given. Raises what is wrong with its text; keeps what it prints at its top, and
        of what a compiler warns.
        """
        printed, is_new = io.StringIO(), True
        with (
            self._kept(device),
            warnings.catch_warnings(record=True) as doubts,
            contextlib.redirect_stdout(printed),
        ):
            warnings.simplefilter("always")
            try:
                kernel, is_new = self.text.kernel()
            finally:
                if is_new or doubts:
                    self.said = printed.getvalue() + "".join(f"{doubt.message}\n" for doubt in doubts)
            return parameters(kernel)

    def once(self, choice: Choice, *, keep: bool = False) -> Outcome:
        """Compile, make the arguments, launch; nothing that goes wrong there is raised.

        keep: the next run is compared with the same one as this.
        """
        printed, error = io.StringIO(), None
        run, report, arguments = None, None, {}
        with (
            contextlib.redirect_stdout(printed),
            self._kept(choice.device),
        ):
            try:
                arguments = self._arguments(self.parameters(choice.device), choice)
                kernel, _ = self.text.kernel()
                model, order = choice.scheduling, choice.schedule
                with profile(scheduling=model, schedule=order) as run, sanitize() as report:
                    kernel[choice.grid, choice.block](*arguments.values())
            except Exception as found:
                error = found.bare() if isinstance(found, GpuSimError) else found
        said = self.said + printed.getvalue()
        if run is None or not run.kernels:
            return Outcome(error, printed=said)
        ended = next((kernel.error for kernel in run.kernels if isinstance(kernel.error, Exception)), None)
        arrays = {name: value for name, value in arguments.items() if isinstance(value, np.ndarray)}
        labels = "kept run" if keep else "last run", "this run"
        changed = None if self.last is None else compare(self.last, run, labels=labels)
        if not keep or self.last is None:
            self.last = run
        return Outcome(error or ended, run, report, arrays, said, changed)

    def _arguments(self, wanted: Sequence[Parameter], choice: Choice) -> dict[str, Any]:
        around: dict[str, Any] = {**self.text.names, "np": np, **self.given, **choice.values}
        around |= {"grid": choice.grid, "block": choice.block}
        around["threads"] = math.prod(choice.grid) * math.prod(choice.block)
        arguments = {}
        for parameter in wanted:
            name = parameter.name
            if name in choice.values:
                arguments[name] = choice.values[name]
                continue
            rule = choice.rules.get(name) or parameter.rule
            try:
                arguments[name] = eval(rule, dict(around))
            except Exception as error:
                raise no_array(name, rule, f"{type(error).__name__}: {error}") from None
            wants_array = parameter.rule not in ("", NOTHING)
            if isinstance(arguments[name], (str, int, float) if wants_array else str):
                raise no_array(name, rule, f"it gives {arguments[name]!r}")
        return arguments


def no_array(name: str, rule: str, why: str) -> NoArray:
    hint = "it may name np, threads, grid, block, and the kernel's numbers"
    refused = NoArray(f"the rule for {name}, {rule}, gives no array: {why}", hint=hint)
    refused.name = name
    return refused
