"""The views that move: what a notebook shows of a report, drawn by the ES module that lies beside."""

from collections.abc import Callable
from typing import Any

import anywidget
import traitlets

from gpusim.reports.prediction import PredictionReport
from gpusim.reports.report import Drawn, Titled
from gpusim.views import embed, text
from gpusim.views.waiting import FIRST, Waiting
from gpusim.whole import number_of


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

    def unscripted(self) -> str:
        """What is shown beside the still where scripts never run?"""
        return ""

    def still(self) -> str:
        """What does the view show where nothing can move?"""
        still: str = getattr(text, self.name)(self.report)
        return still

    def __repr__(self) -> str:
        of = f": {number_of(len(self.report.variants), 'variant')}" if isinstance(self.report, Drawn) else ""
        return f"<{self.name} {self.report.title!r}{of}>"

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        data, metadata = super()._repr_mimebundle_(**kwargs) or ({}, {})
        still = self.still()
        html = embed.fragment(self.name, self.report, still, self.unscripted())
        shown = {"text/plain": still, "text/html": html}
        return {**data, **shown}, metadata


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

    def unscripted(self) -> str:
        """The answer and its reason, since nothing is hidden there."""
        report = self.report
        assert isinstance(report, PredictionReport)
        return f"Answer: {report.solution}. {report.why}".rstrip() if report.solution else ""


def _class(view: str) -> type[View]:
    drawn = {"__module__": __name__, "__doc__": getattr(text, view).__doc__}
    return type(view.title().replace("_", ""), (View,), drawn, view=view)


# view -> its class: WarpPlayer for "warp_player"
VIEWS: dict[str, type[View]] = {
    view: Prediction if view == "prediction" else _class(view) for view in embed.REPORTS
}
