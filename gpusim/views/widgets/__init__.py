"""The views that move: what a notebook shows of a report, drawn by the ES module that lies beside."""

from collections.abc import Callable
from typing import Any

import anywidget
import traitlets

from gpusim.reports.report import Titled
from gpusim.views import embed, text
from gpusim.views.shown import Shown
from gpusim.views.waiting import FIRST, Waiting


class View(anywidget.AnyWidget):
    """A report drawn live where a kernel runs and, from the same output, in a page without one."""

    name: str
    _css = embed.stylesheet()
    report = traitlets.Instance(Titled).tag(sync=True, to_json=lambda report, _view: report.as_dict())

    def __init_subclass__(cls, view: str = "", **kwargs: Any) -> None:
        """Which view is it? It has an ES module, and in `gpusim.views.text` a function, of that name."""
        if view:  # traitlets makes a further subclass for every instance
            cls.name, cls._esm = view, embed.module(view)
        super().__init_subclass__(**kwargs)

    @property
    def shown(self) -> Shown:
        """What a page without a kernel shows."""
        return Shown(self.name, self.report)

    def __repr__(self) -> str:
        return repr(self.shown)

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        data, metadata = super()._repr_mimebundle_(**kwargs) or ({}, {})
        return {**data, **self.shown.mimebundle()}, metadata


class Prediction(View, view="prediction"):
    """A question before a run."""

    value = traitlets.Any(None, help="what the reader answered last; None before").tag(sync=True)

    def then(self, make: Callable[[], Any], first: str = FIRST) -> Waiting:
        """Show what `make` gives as soon as the reader has answered, and `first` before that."""
        return Waiting(self, make, first)

    def told(self) -> str:
        """The answer in words: "on 32 lanes: 0.6, on 64 lanes: 0.3"."""
        if isinstance(self.value, dict):
            return ", ".join(f"{label}: {number}" for label, number in self.value.items())
        return ", ".join(map(str, self.value)) if isinstance(self.value, list) else str(self.value)


def _class(view: str) -> type[View]:
    drawn = {"__module__": __name__, "__doc__": getattr(text, view).__doc__}
    return type(view.title().replace("_", ""), (View,), drawn, view=view)


# view -> its class: WarpPlayer for "warp_player"
VIEWS: dict[str, type[View]] = {
    view: Prediction if view == "prediction" else _class(view) for view in embed.REPORTS
}
