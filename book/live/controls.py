"""What stands in for ipywidgets in a page's Python? The few controls of a playground, as HTML.

The page's script shows a control's HTML and says which value the reader gave it (`told`). What Python changes
in turn goes back as HTML (`changes`), each piece for the control that it draws.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from html import escape
from types import ModuleType
from typing import Any, ClassVar

from gpusim.views.shown import Shown

DRAWN = ("value", "children", "options", "disabled", "report")  # whoever changes one of these is drawn again
CSS = {"grid_gap": "gap"}


class Widget:
    """Something on the page, known by its number once it was drawn."""

    kind = ""
    refused = ""  # why the page's last value was not taken
    known: ClassVar[dict[int, Widget]] = {}
    cell = 0  # that drew it first, by its number
    changed: ClassVar[dict[int, Widget]] = {}
    numbers = itertools.count()
    tooltip: str
    disabled: bool
    layout: dict[str, str]

    def __init__(self, value: Any = "", **named: Any) -> None:
        self.observers: list[Callable[[Any], Any]] = []
        self.classes: list[str] = []
        for name, each in {"value": value, "disabled": False, "tooltip": "", "layout": {}, **named}.items():
            setattr(self, name, each)

    def __setattr__(self, name: str, value: Any) -> None:
        before = getattr(self, name, None)
        super().__setattr__(name, value)
        if name not in DRAWN or before is value or (isinstance(value, int | float | str) and before == value):
            return
        if hasattr(self, "number"):
            self.changed[self.number] = self
        if name == "value":
            for observer in [*self.observers]:
                observer({"new": value, "old": before, "owner": self, "name": name})

    def told(self, text: str) -> None:
        """The reader gave it this value, as the page holds it; what cannot be read changes nothing."""
        for each in self.known.values():
            if each.refused:
                each.refused, self.changed[each.number] = "", each
        before = self.changed.get(self.number)
        self.changed[self.number] = self
        try:
            self.value = self.read(text)
        except ValueError as error:
            self.refused = str(error)
            return
        if before is None:
            self.changed.pop(self.number, None)  # the page shows it already

    def read(self, text: str) -> Any:
        return text

    def observe(self, observer: Callable[[Any], Any], _name: str) -> None:
        self.observers.append(observer)

    def unobserve(self, observer: Callable[[Any], Any], _name: str) -> None:
        self.observers.remove(observer)

    def add_class(self, name: str) -> Widget:
        self.classes.append(name)
        return self

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        return {}

    def live_html(self) -> str:
        """As it is on the page now."""
        if not hasattr(self, "number"):
            self.number = next(Widget.numbers)
        self.known[self.number] = self
        style = ";".join(
            f"{CSS.get(name, name).replace('_', '-')}:{how}" for name, how in self.layout.items()
        )
        classes = " ".join(["live-control", f"live-{self.kind}", *self.classes])
        said = f'<p class="live-refused" role="alert">{escape(self.refused)}</p>' if self.refused else ""
        return (
            f'<div class="{classes}" data-control="{self.number}" style="{style}">{self.inner()}{said}</div>'
        )

    def output(self) -> str:
        """As a cell shows it: what the reader moves stands in one place of the page."""
        if self.known.get(getattr(self, "number", -1)) is self:
            return f"<p>These controls stand {f'in In[{self.cell}]' if self.cell else 'above'}.</p>"
        return self.live_html()

    def inner(self) -> str:
        return str(self.value)

    def input(self, **more: Any) -> str:
        """One input of HTML, with what all of them have."""
        return f"<input {attributes(aria_label=self.tooltip, disabled=self.disabled, **more)}>"

    def within(self) -> Iterator[Widget]:
        """All that it holds."""
        for child in getattr(self, "children", ()):
            yield child
            yield from child.within()


def attributes(**named: Any) -> str:
    """`min="1" disabled`: what is None, empty or False is left out."""
    given = (
        (name.replace("_", "-"), value) for name, value in named.items() if value not in (None, "", False)
    )
    return " ".join(name if value is True else f'{name}="{escape(str(value))}"' for name, value in given)


class HTML(Widget):
    kind = "html"


class Label(Widget):
    kind = "label"

    def inner(self) -> str:
        return escape(self.value)


class Textarea(Widget):
    kind = "text"
    rows: int

    def inner(self) -> str:
        return (
            f"<textarea {attributes(rows=self.rows, aria_label=self.tooltip)}>{escape(self.value)}</textarea>"
        )


class Text(Widget):
    kind = "text"

    def inner(self) -> str:
        return self.input(type="text", value=self.value)


class Number(Widget):
    """A number between two others."""

    kind, shape = "number", "number"
    of: Callable[[str], float] = int
    min, max, step = 0, 0, 1

    def __init__(self, value: Any = 0, *ends: Any, **named: Any) -> None:
        super().__init__(value, **dict(zip(("min", "max", "step"), ends, strict=False)), **named)

    def read(self, text: str) -> Any:
        try:
            given = self.of(text)
        except ValueError:
            whole = "whole " if self.of is int else ""
            what = f"“{text}”" if text.strip() else "an empty field"
            raise ValueError(f"{what} is no {whole}number: {self.value} runs") from None
        if not self.min <= given <= self.max:
            has = f"a playground has {self.min} to {self.max} here"
            raise ValueError(f"{given} is not taken: {has}, and {self.value} stays")
        return given

    def inner(self) -> str:
        number = self.input(
            type=self.shape, value=str(self.value), min=str(self.min), max=str(self.max), step=self.step
        )
        return number if self.shape == "number" else f"{number}<output>{self.value:g}</output>"


class BoundedIntText(Number):
    pass


class IntSlider(Number):
    shape = "range"


class FloatSlider(Number):
    of = float
    shape = "range"


class Checkbox(Widget):
    kind, description = "tick", ""

    def __init__(self, value: bool = False, **named: Any) -> None:
        super().__init__(value, **named)

    def read(self, text: str) -> bool:
        return text == "true"

    def inner(self) -> str:
        return f"<label>{self.input(type='checkbox', checked=self.value)} {escape(self.description)}</label>"


class Dropdown(Widget):
    """Of several values, each with a name, one."""

    kind, description = "choice", ""
    options: Sequence[Any]

    def __init__(self, *, options: Sequence[Any], value: Any = None, **named: Any) -> None:
        super().__init__(value, options=options, **named)
        if value is None:
            self.value = self._pairs()[0][1]

    def _pairs(self) -> list[tuple[str, Any]]:
        return [each if isinstance(each, tuple) else (each, each) for each in self.options]

    def read(self, text: str) -> Any:
        """The value of that place; a choice that is gone is none."""
        pairs, place = self._pairs(), int(text)
        if place not in range(len(pairs)):
            raise ValueError("this choice is gone")
        return pairs[place][1]

    def inner(self) -> str:
        options = (
            f"<option {attributes(value=str(place), selected=value == self.value)}>{escape(name)}</option>"
            for place, (name, value) in enumerate(self._pairs())
        )
        named = attributes(aria_label=self.description or self.tooltip, disabled=self.disabled)
        return f"<label>{escape(self.description)} <select {named}>{''.join(options)}</select></label>"


class VBox(Widget):
    kind = "column"
    children: tuple[Widget, ...]

    def __init__(self, children: Sequence[Widget] = (), **named: Any) -> None:
        super().__init__(children=tuple(children), **named)

    def inner(self) -> str:
        return "".join(child.live_html() for child in self.children)


class HBox(VBox):
    kind = "row"


class Tab(VBox):
    """Each of the children under its title, to open."""

    kind = "tabs"
    titles: Sequence[str]

    def inner(self) -> str:
        parts = zip(self.titles, self.children, strict=True)
        return "".join(
            f"<details {attributes(open=child is self.children[0])}><summary>{escape(title)}</summary>"
            f"{child.live_html()}</details>"
            for title, child in parts
        )


class View(Widget):
    """A view of `gpusim.views`, drawn by the page's script."""

    kind = "view"
    name: str
    report: Any

    @property
    def shown(self) -> Shown:
        return Shown(self.name, self.report)

    def inner(self) -> str:
        return self.shown.mimebundle()["text/html"]


class Views(dict[str, type[View]]):
    """The class of a view, by its name."""

    def __missing__(self, name: str) -> type[View]:
        return self.setdefault(name, type(name, (View,), {"name": name}))


def changes() -> list[tuple[int, str]]:
    """What is to be drawn again since the last call: numbers, and the HTML of each."""
    changed = [*Widget.changed.values()]
    Widget.changed.clear()
    held = {id(child) for widget in changed for child in widget.within()}
    return [(widget.number, widget.live_html()) for widget in changed if id(widget) not in held]


def drawn(cell: int) -> None:
    """What nobody drew before is of that cell."""
    for widget in Widget.known.values():
        widget.cell = widget.cell or cell


def forget(cell: int) -> None:
    """The cell runs again: what it drew is on the page no more."""
    for number in [number for number, widget in Widget.known.items() if widget.cell == cell]:
        del Widget.known[number]
        Widget.changed.pop(number, None)


def gone(control: int) -> list[tuple[int, str]]:
    """What stands in the place of a control that is not known any more."""
    said = "This control is of an earlier run: run its cell again."
    return [(control, f'<p class="live-refused" role="alert">{said}</p>')]


def modules() -> dict[str, ModuleType]:
    """The modules that a playground imports and a browser has not."""
    controls, views = ModuleType("ipywidgets"), ModuleType("gpusim.views.widgets")
    here = {
        name: each for name, each in globals().items() if isinstance(each, type) and issubclass(each, Widget)
    }
    controls.__dict__.update(here)
    views.__dict__.update(View=View, VIEWS=Views())
    return {each.__name__: each for each in (controls, views)}
