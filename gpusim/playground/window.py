"""How does a playground look? A text and controls on one side, what came out on the other."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import ipywidgets
import numpy as np
from IPython.core.getipython import get_ipython

from gpusim import devices, views
from gpusim.devices.device import Dim3
from gpusim.errors import GpuSimError, KernelTypeError, LaunchError, ReportError, suggestion
from gpusim.machine.grid import MODELS
from gpusim.playground.kernels import SIZES, Parameter, Text
from gpusim.playground.runs import SHAPE, Choice, Outcome, Runs
from gpusim.profile import Run
from gpusim.reports.source import ExcerptReport
from gpusim.runtime import settings
from gpusim.runtime.launching import extents
from gpusim.source import Span
from gpusim.views.excerpt import excerpt_html
from gpusim.views.findings import findings_html
from gpusim.views.widgets import VIEWS, View

OURS = ("grid", "block", "device", "scheduling", "schedule", "view")
PICTURES = ("warp_player", "sector_view", "bank_view", "block_mapper", "timeline", "roofline", "launch_tree")
GRID, BLOCK = (2, 1, 1), (64, 1, 1)
THE_DEVICES, SEED = "the device's own", "a seed"
MEANS = {  # what stands beside a choice
    "stack": "lanes that part wait until they meet again",
    "independent": "lanes that part go on, each at its own line",
    settings.SCHEDULES[0]: "warps take turns, all of them get on",
    "serial": "one warp at a time, in long turns",
    SEED: "drawn by this number: another order that CUDA allows",
}
OLD = "<p><b>Of the last run that began.</b> This one did not: see {}.</p>"
KEEP = "from now on compare with this run"
MOST_SEED, MOST_BLOCKS, MOST_SHOWN = 2**31 - 1, 65_535, 64
STYLE = """<style>.gpusim-editor textarea { font-family: var(--jp-code-font-family, monospace);
white-space: pre; overflow-x: auto; tab-size: 4 }
.gpusim-numbers .widget-html-content { min-width: 0; flex: 1; line-height: 1.4 }
.gpusim-refused p { margin: 0; padding-left: .5em; line-height: 1.3; border-left: 4px solid #c62828 }
.gpusim-age:has(p), .gpusim-age:has(p) ~ * { padding-left: .5em; border-left: 4px dashed #767676 }</style>"""
NARROW, WIDE, SLIDER = ({"width": width} for width in ("5.5em", "auto", "24em"))
SIDES = {"flex": "1 1 26em", "min_width": "0", "max_width": "38em"}, {"flex": "2 1 36em", "min_width": "0"}


class Playground(ipywidgets.HBox):  # type: ignore[misc]
    """A kernel to change, and what each change does: see `gpusim.playground`. `outcome` is the last run."""

    outcome: Outcome

    @classmethod
    def of(cls, kernel: Any, given: Mapping[str, Any]) -> Playground:
        """Of a kernel or a text; `given` is where to begin. Raises for what means nothing."""
        ours = {name: value for name, value in given.items() if name in OURS}
        theirs = {name: value for name, value in given.items() if name not in OURS}
        return cls(Text.of(kernel), ours, theirs)

    def __init__(self, text: Text, ours: Mapping[str, Any], given: Mapping[str, Any]) -> None:
        first = settings.changed(*(ours.get(name) for name in ("device", "scheduling", "schedule")))
        view = ours.get("view", PICTURES[0])
        if view not in PICTURES:
            hint = suggestion(view, PICTURES, f"there are {', '.join(PICTURES)}")
            raise ReportError(f"a playground has no view {view!r}", hint=hint)
        self._text, self._given, self._due, self._drawn = text, given, False, dict[str, View]()
        arrays = {name: value for name, value in given.items() if not isinstance(value, str | tuple)}
        self._runs = Runs(text, arrays)
        self._arguments = dict[str, ipywidgets.Widget]()
        self._made = dict[str, tuple[Any, Any]]()  # parameter and control
        self._make_controls(first, ours)
        self._picture = ipywidgets.Dropdown(description="view", options=[(view, view)])
        self._picture.observe(self._choose, "value")
        self._wanted = view
        self._place, self._told = ipywidgets.VBox(), ipywidgets.HTML().add_class("gpusim-told")
        self._age = ipywidgets.HTML().add_class("gpusim-age")
        self._numbers = [ipywidgets.HTML().add_class("gpusim-numbers") for _ in range(3)]
        self._keep = ipywidgets.Checkbox(description=KEEP, indent=False)
        changed = ipywidgets.VBox([self._keep, self._numbers[1]])
        tabs = [self._numbers[0], changed, self._numbers[2]]
        below = ipywidgets.Tab(tabs, titles=("Counters", "What changed", "Arrays"))
        sides = ([self._editor, self._told, self._controls], [self._age, self._picture, self._place, below])
        boxes = [ipywidgets.VBox(parts, layout=side) for parts, side in zip(sides, SIDES, strict=True)]
        super().__init__(boxes, layout={"flex_flow": "row wrap", "grid_gap": "1em"})
        self._run()
        self._check_names()

    def _make_controls(self, first: settings.Settings, ours: Mapping[str, Any]) -> None:
        rows = min(max(len(self._text.text.splitlines()) + 1, 8), 24)
        self._editor = ipywidgets.Textarea(self._text.text, rows=rows, layout=WIDE)
        self._editor.add_class("gpusim-editor")
        self._editor.tooltip = "the kernel's text"
        self._grid = _extents("grid", ours.get("grid", GRID), (MOST_BLOCKS,) * 3)
        self._block = _extents("block", ours.get("block", BLOCK), (1024, 1024, 64))
        known = {name: devices.get(name) for name in devices.names()} | {first.device.name: first.device}
        self._device = ipywidgets.Dropdown(options=list(known.items()), value=first.device, layout=WIDE)
        models = [THE_DEVICES, *MODELS]
        model = first.scheduling or THE_DEVICES
        self._scheduling = ipywidgets.Dropdown(options=models, value=model, layout=WIDE)
        seed = first.schedule if isinstance(first.schedule, int) else None
        if seed is not None and not 0 <= seed <= MOST_SEED:
            raise LaunchError(f"a playground's seed is from 0 to {MOST_SEED}, not {seed}")
        orders = [*settings.SCHEDULES, SEED]
        order = SEED if seed is not None else first.schedule or orders[0]
        self._schedule = ipywidgets.Dropdown(options=orders, value=order, layout=WIDE)
        self._seed = ipywidgets.BoundedIntText(seed or 0, min=0, max=MOST_SEED, layout=NARROW, tooltip="seed")
        self._lanes, self._given_rows = ipywidgets.HTML(), ipywidgets.VBox()
        self._parted, self._ordered = ipywidgets.HTML(), ipywidgets.HTML()
        self._refusals = {name: ipywidgets.HTML().add_class("gpusim-refused") for name in SHAPE}
        self._controls = ipywidgets.VBox(
            [
                ipywidgets.HTML(STYLE, layout={"display": "none"}),
                _row("grid (blocks)", _axes(self._grid)),
                self._refusals["grid"],
                _row("block (threads)", _axes(self._block)),
                self._refusals["block"],
                _row("device", self._device, self._lanes),
                _row("scheduling", self._scheduling, self._parted),
                _row("schedule", self._schedule, self._seed, self._ordered),
                self._given_rows,
            ]
        )
        others = (self._editor, self._device, self._scheduling, self._schedule, self._seed)
        for control in (*others, *self._grid, *self._block):
            control.observe(self._later, "value")

    # what the controls say --------------------------------------------------------------------------------

    def _choice(self) -> Choice:
        order = self._seed.value if self._schedule.value == SEED else self._schedule.value
        rules = {name: c.value for name, c in self._arguments.items() if isinstance(c, ipywidgets.Text)}
        values = {name: c.value for name, c in self._arguments.items() if name not in rules}
        model = None if self._scheduling.value == THE_DEVICES else self._scheduling.value
        shape = _numbers(self._grid), _numbers(self._block)
        return Choice(*shape, self._device.value, model, order, values, rules)

    def _fit(self, parameters: Sequence[Parameter]) -> None:
        """A control for each parameter; one that was there, with the same type, comes back as it was left."""
        threads = int(np.prod([*_numbers(self._grid), *_numbers(self._block)]))
        shown, self._arguments = list(self._arguments.items()), {}
        for parameter in parameters:
            name = parameter.name
            given, (before, control) = self._given.get(name), self._made.get(name, (None, None))
            is_rule = bool(parameter.rule) or isinstance(given, str | np.ndarray)
            was_rule = isinstance(control, ipywidgets.Text)
            readers_own = before is not None and is_rule and was_rule and control.value != before.rule
            if before != parameter and not readers_own:
                control = _rule(parameter, given) if is_rule else _number(parameter, given, threads)
                control.observe(self._later, "value")
            self._arguments[name], self._made[name] = control, (parameter, control)
        if shown != list(self._arguments.items()):
            self._refusals |= {
                name: ipywidgets.HTML().add_class("gpusim-refused") for name in self._arguments
            }
            self._given_rows.children = [
                part
                for name, each in self._arguments.items()
                for part in (_row(name, each), self._refusals[name])
            ]

    def _check_names(self) -> None:
        for name in self._given:
            if self._arguments and name not in self._arguments:
                known = (*self._arguments, *OURS)
                hint = suggestion(name, known, f"there are {', '.join(known)}")
                raise KernelTypeError(
                    f"the kernel has no parameter {name!r}, nor has a playground", hint=hint
                )

    # running ----------------------------------------------------------------------------------------------

    def _later(self, _change: Any = None) -> None:
        """Run once for all that has changed by then, where cells run: messages may come in other threads."""
        loop = getattr(getattr(get_ipython(), "kernel", None), "io_loop", None)
        if loop is None:
            self._run()
        elif not self._due:
            self._due = True
            loop.add_callback(self._run)

    def _run(self) -> None:
        self._due = False
        self._text.text = self._editor.value
        self._seed.disabled = self._schedule.value != SEED
        device = self._device.value
        self._lanes.value = f"warps of {device.warp_size} lanes, {device.scheduling}"
        model = device.scheduling if self._scheduling.value == THE_DEVICES else self._scheduling.value
        self._parted.value, self._ordered.value = MEANS[model], MEANS[self._schedule.value]
        parameters: list[Parameter] | None = None
        with contextlib.suppress(Exception):  # the run tells it
            parameters = self._runs.parameters(device)
        if parameters is not None:
            self._fit(parameters)
        outcome = self.outcome = self._runs.once(self._choice(), keep=self._keep.value)
        for name, place in self._refusals.items():
            place.value = f'<p role="alert">{escape(str(outcome.error))}</p>' if name == outcome.about else ""
        self._told.value = told_html(outcome, self._text)
        where = f"at {outcome.about}" if outcome.about else "below the kernel's text"
        self._age.value = OLD.format(where) if outcome.run is None and self._place.children else ""
        if outcome.run is None:
            return
        self._offer(outcome.run)
        self._draw()
        changed = outcome.changed
        for place, html in zip(
            self._numbers,
            (
                outcome.run._repr_html_(),
                "<p>This is the first run.</p>" if changed is None else changed._repr_html_(),
                "".join(map(_array_html, outcome.arrays.items())),
            ),
            strict=True,
        ):
            place.value = html

    # pictures ---------------------------------------------------------------------------------------------

    def _offer(self, run: Run) -> None:
        """Let the reader choose among the views that have something to show."""
        options = [(views.VIEWS[name][0].removeprefix("the "), name) for name in offered(run)]
        if options != list(self._picture.options):
            names, wanted = [name for _, name in options], self._wanted
            self._picture.unobserve(self._choose, "value")
            self._picture.options = options
            self._picture.value = wanted if wanted in names else names[0]
            self._picture.observe(self._choose, "value")

    def _choose(self, change: Any) -> None:
        self._wanted = change["new"]
        if self.outcome.run is not None:
            self._draw()

    def _draw(self) -> None:
        name = self._picture.value
        try:
            report = getattr(self.outcome.run, views.VIEWS[name][1])()
        except ReportError as error:
            self._place.children = [ipywidgets.HTML(f"<p>{escape(str(error))}</p>")]
            return
        if name not in self._drawn:
            self._drawn[name] = VIEWS[name](report=report)
        self._drawn[name].report = report
        self._place.children = [self._drawn[name]]

    def __repr__(self) -> str:
        return f"<playground, {', '.join(map(repr, self._place.children)) or 'nothing ran'}>"

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """Live, the widget; on a page without a kernel what was found, the view and the counters."""
        bundle = super()._repr_mimebundle_(**kwargs) or {}
        data, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
        shown = [
            each.shown.mimebundle()["text/html"] for each in self._place.children if isinstance(each, View)
        ]
        refused = (each.value for each in self._refusals.values())
        html = "".join([self._told.value, *refused, *shown, self._numbers[0].value])
        return {**data, "text/plain": repr(self), "text/html": html}, metadata


def offered(run: Run) -> list[str]:
    """Which views have something to show of a run?"""
    counters = run.counters()

    def moved(space: str) -> bool:
        return any(n for name, n in counters.items() if name.startswith((f"{space}_load", f"{space}_store")))

    alone, well = len(run.kernels) == 1, all(kernel.error is None for kernel in run.kernels)
    shows = {
        "sector_view": alone and moved("global"),
        "bank_view": alone and moved("shared"),
        "timeline": alone and well,
        "roofline": well,
        "launch_tree": not alone,
    }
    return [name for name in PICTURES if shows.get(name, alone)]


def told_html(outcome: Outcome, text: Text) -> str:
    """What went wrong in the text, if not in a control; what was printed; what the checkers found."""
    parts, error = [], outcome.error
    if error is not None and not outcome.about:
        span = getattr(error, "span", None)
        if isinstance(span, Span):
            at = text.source if span.source.filename == text.source.filename else span.source
            parts.append(excerpt_html(ExcerptReport(at.first_line, at.lines, span.line, span.column)))
        message = str(error) if isinstance(error, GpuSimError) else f"{type(error).__name__}: {error}"
        parts.append(_pre(message, 'role="alert"'))
    if outcome.printed:
        parts.append(_pre(outcome.printed))
    if outcome.findings is not None and (outcome.findings.findings or error is None):
        parts.append(findings_html(outcome.findings))
    return "".join(parts)


def _pre(text: str, attributes: str = "") -> str:
    style = "margin:.5em 0;line-height:1.3;white-space:pre-wrap;word-break:normal;overflow-x:auto"
    return f'<pre {attributes} style="{style}">{escape(text)}</pre>'


def _array_html(item: tuple[str, Any]) -> str:
    name, array = item
    shown = np.array2string(array.ravel()[:MOST_SHOWN], separator=", ", max_line_width=76)
    more = f" …, {array.size - MOST_SHOWN:,} more" if array.size > MOST_SHOWN else ""
    return _pre(f"{name}, {array.dtype}, {' × '.join(map(str, array.shape))}\n{shown}{more}")


# controls ---------------------------------------------------------------------------------------------------


def _row(label: str, *controls: ipywidgets.Widget) -> ipywidgets.HBox:
    for control in controls:
        control.tooltip = control.tooltip or label  # what it is called where it is read out
    return ipywidgets.HBox([ipywidgets.Label(label, layout={"flex": "0 0 8em"}), *controls])


def _extents(name: str, given: Any, most: Dim3) -> list[ipywidgets.Widget]:
    begin = extents(name, given)
    if any(not 1 <= extent <= limit for extent, limit in zip(begin, most, strict=True)):
        raise LaunchError(f"a playground's {name} is from (1, 1, 1) to {most}, not {given!r}")
    return [
        ipywidgets.BoundedIntText(extent, min=1, max=limit, layout=NARROW, tooltip=f"{name}, {axis}")
        for axis, extent, limit in zip("xyz", begin, most, strict=True)
    ]


def _axes(fields: Sequence[ipywidgets.Widget]) -> ipywidgets.HBox:
    """The fields in one line, each behind the name of its axis."""
    named = ((ipywidgets.Label(axis), field) for axis, field in zip("xyz", fields, strict=True))
    return ipywidgets.HBox([part for each in named for part in each])


def _numbers(controls: Sequence[ipywidgets.Widget]) -> Dim3:
    x, y, z = (control.value for control in controls)
    return x, y, z


def _rule(parameter: Parameter, given: Any) -> ipywidgets.Widget:
    copied = f"{parameter.name}.copy()" if isinstance(given, np.ndarray) else parameter.name
    rule = given if isinstance(given, str) else parameter.rule if given is None else copied
    return ipywidgets.Text(rule, continuous_update=False, layout=SLIDER)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.integer | np.floating) and math.isfinite(value)


def _number(parameter: Parameter, given: Any, threads: int) -> ipywidgets.Widget:
    """A slider, or a box to tick, which begins where the reader wants it."""
    kind = "" if parameter.dtype is None else parameter.dtype.kind
    if kind == "b" or isinstance(given, bool):
        return ipywidgets.Checkbox(value=given is None or bool(given), indent=False)
    ends = given if isinstance(given, tuple) else (1 if given is None else given,)
    numbers = all(map(_is_number, ends)) and 1 <= len(ends) <= 3
    if not numbers or (len(ends) > 1 and ends[0] >= ends[1]) or min(ends[2:], default=1) <= 0:
        hint = f"write {parameter.name}=2, {parameter.name}=(0, 10), or (0, 10, 2) for steps of 2"
        raise KernelTypeError(f"{parameter.name} begins with a number or a range, not {given!r}", hint=hint)
    whole = kind in ("i", "u") or (not kind and all(isinstance(end, int | np.integer) for end in ends))
    if len(ends) == 1:
        begin = threads if given is None and whole and parameter.name in SIZES else ends[0]
        low, high, step = min(2 * begin, 0), max(2 * begin, 64), None
    else:
        low, high, step = (*ends, None)[:3]
        begin = low + (high - low) // 2 if whole else (low + high) / 2
    if whole:
        if parameter.dtype is not None:
            limits = np.iinfo(parameter.dtype)
            low, high = max(int(low), int(limits.min)), min(int(high), int(limits.max))
        return ipywidgets.IntSlider(int(begin), int(low), int(high), int(step or 1), layout=SLIDER)
    step = step or (high - low) / 100
    return ipywidgets.FloatSlider(float(begin), min=low, max=high, step=step, layout=SLIDER)
