"""On which device does the next launch run, in which order, and who watches? Kept per thread of the host."""

from __future__ import annotations

from abc import ABCMeta
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from gpusim import devices
from gpusim.devices import Device
from gpusim.devices.device import Dim3
from gpusim.errors import GpuSimError, LaunchError, suggestion
from gpusim.events import Observer
from gpusim.ir.program import Function
from gpusim.machine.attributes import UNASKED, Attributes
from gpusim.machine.configuration import STEP_BUDGET, Configuration
from gpusim.machine.device_state import DeviceState
from gpusim.machine.grid import MODELS
from gpusim.machine.memory.address_space import AddressSpace
from gpusim.runtime.calls import Calls, Follow
from gpusim.runtime.grids import Grids
from gpusim.whole import whole

Schedule = str | int | None
DEFAULTS = ("device", "scheduling", "schedule", "step_budget", "cdp")  # what `use` chooses
SCHEDULES = ("friendly", "serial")
CDP2_FROM = (9, 0)


@dataclass(frozen=True)
class Settings:
    """What a launch takes from its surroundings.

    `scheduling`: "stack" or "independent", None for the device's own. `schedule`: None (fair and friendly),
    "serial" (one warp at a time) or a seed for an adversary. `step_budget`: how many basic blocks a batch of
    warps may execute before it counts as endless. `cdp`: which device runtime serves kernels that launch
    kernels, 1 or 2; None for the device's own: 2 from compute capability 9.0 on, else 1.
    `grids` is the GPU that there is, whatever its figures.
    `takers` are asked about an error that ends a launch, the last first: who takes it lets the host go on.
    `calls` keep what the host asks for. `sanitized`: do kernels look for what the GPU does not tell?
    """

    device: Device
    grids: Grids
    scheduling: str | None = None
    schedule: Schedule = None
    step_budget: int = STEP_BUDGET
    cdp: int | None = None
    observers: tuple[Observer, ...] = ()
    takers: tuple[Callable[[GpuSimError], bool], ...] = ()
    calls: tuple[Calls, ...] = ()
    sanitized: bool = False

    def configuration(
        self,
        function: Function,
        grid: Dim3,
        block: Dim3,
        arguments: Sequence[Any],
        dynamic_shared_bytes: int = 0,
        attributes: Attributes = UNASKED,
    ) -> Configuration:
        """A launch under these settings. Raises `LaunchError` for what the device does not allow."""
        return Configuration(
            function,
            grid,
            block,
            [np.asarray(a) if isinstance(a, np.void) else a for a in arguments],
            self.device,
            dynamic_shared_bytes,
            attributes,
            self.scheduling or self.device.scheduling,
            self.schedule,
            self.step_budget,
            cdp=self.device_runtime,
        )

    @property
    def device_runtime(self) -> int:
        """Which one serves kernels that launch kernels, 1 or 2?"""
        return self.cdp or (2 if (self.device.compute_capability or (0,)) >= CDP2_FROM else 1)


_settings: ContextVar[Settings] = ContextVar("gpusim_settings")
AT_FIRST = Settings(devices.get("H200"), Grids(DeviceState()))


def current() -> Settings:
    """The settings in force; an H200 unless something else was chosen."""
    return _settings.get(AT_FIRST)


def memory() -> AddressSpace:
    """The memory of the device."""
    return current().grids.state.memory


def changed(
    device: str | Device | None = None,
    scheduling: str | None = None,
    schedule: Schedule = None,
    step_budget: int | None = None,
    observer: Observer | None = None,
    calls: Calls | None = None,
    cdp: int | None = None,
) -> Settings:
    """The settings in force with some of them replaced. Raises `LaunchError` for values that mean nothing."""
    settings = current()
    if callable(device):
        raise LaunchError("it is no decorator: write `with gpusim.profile() as run:` around the launches")
    if device is not None:
        settings = replace(settings, device=devices.get(device))
    if scheduling is not None:
        if scheduling not in tuple(MODELS):
            known, close = " or ".join(map(repr, MODELS)), suggestion(scheduling, MODELS)
            raise LaunchError(f"scheduling is {known}, not {scheduling!r}", hint=close)
        settings = replace(settings, scheduling=scheduling)
    if schedule is not None:
        if not isinstance(schedule, str) or schedule not in SCHEDULES:
            claim = "schedule is 'friendly', 'serial' or a whole number from 0 (a seed)"
            schedule = whole(schedule, claim, least=0)
        settings = replace(settings, schedule=None if schedule == "friendly" else schedule)
    if step_budget is not None:
        step_budget = whole(step_budget, "step_budget is a positive number of steps", least=1)
        settings = replace(settings, step_budget=step_budget)
    if cdp is not None:
        if cdp not in (1, 2):
            raise LaunchError(f"cdp is 1 or 2, the device runtime's version, not {cdp!r}")
        settings = replace(settings, cdp=cdp)
    if observer is not None:
        settings = replace(settings, observers=(*settings.observers, observer))
    if calls is not None:
        settings = replace(settings, calls=(*settings.calls, calls))
    return settings


def following(settings: Settings, follow: Follow) -> Settings:
    """The same with somebody who is told of every call of the host."""
    return replace(settings, calls=(*settings.calls, Calls(follow)))


@contextmanager
def during(settings: Settings) -> Iterator[None]:
    """Use these settings for the launches of a `with` block."""
    token = _settings.set(settings)
    try:
        yield
    finally:
        _settings.reset(token)


class NeedsParentheses(ABCMeta):
    """`with gpusim.profile as run:` lacks a pair of them."""

    def __enter__(cls) -> None:
        raise LaunchError(f"parentheses are missing: write `with gpusim.{cls.__name__}(…):`")

    def __exit__(cls, *_exception: object) -> None: ...


class use(metaclass=NeedsParentheses):
    """Choose the device, scheduling model or schedule of the launches that follow.

    device: a name of `gpusim.devices`, such as "V100", or a `Device`. scheduling: "stack" (lanes that part
    wait until they meet again) or "independent" (since Volta); by default the device's. schedule: in which
    order warps and grids take turns: "friendly", "serial", or a seed from 0, which draws one that CUDA
    allows. step_budget: how many basic blocks a batch of warps may run before it counts as endless. cdp: the
    device runtime for kernels that launch kernels, 1 (a parent can wait for its children) or 2; by default
    the device's. What is not given stays. Raises `UnknownDevice` for a device that the catalogue does not
    have, `LaunchError` for any other value that means nothing.

    As a statement it lasts; as `with gpusim.use(device="MetaX C500"):` it ends with the block, and what it
    returned may open further ones. `gpusim.use()` shows what is set, `gpusim.use.defaults()` goes back.
    """

    def __init__(
        self,
        device: str | Device | None = None,
        *,
        scheduling: str | None = None,
        schedule: Schedule = None,
        step_budget: int | None = None,
        cdp: int | None = None,
    ) -> None:
        self._choice = partial(changed, device, scheduling, schedule, step_budget, cdp=cdp)
        self._before = [current()]  # what each block that is open returns to
        self._lasting: Settings | None = self._choice()
        _settings.set(self._lasting)

    @classmethod
    def defaults(cls) -> use:
        """Go back to an H200, its own scheduling and runtime, the friendly schedule, the usual budget."""
        _settings.set(replace(current(), **{name: getattr(AT_FIRST, name) for name in DEFAULTS}))
        return cls()

    def __repr__(self) -> str:
        now = current()
        scheduling = now.scheduling or now.device.scheduling
        schedule = "friendly" if now.schedule is None else now.schedule
        return (
            f"<from here on: device={now.device.name!r}, {scheduling=}, {schedule=}, "
            f"step_budget={now.step_budget}{'' if now.cdp is None else f', cdp={now.cdp}'}>"
        )

    def __enter__(self) -> use:
        if current() is not self._lasting:  # an earlier block ended them, or another thread chose
            self._before.append(current())
            _settings.set(self._choice())
        self._lasting = None
        return self

    def __exit__(self, *_exception: object) -> None:
        _settings.set(self._before.pop())
