"""The views that move: what a notebook shows of a report, drawn by the ES module that lies beside."""

from typing import Any

import anywidget
import traitlets

from gpusim.reports.report import Drawn
from gpusim.views import embed, text


class View(anywidget.AnyWidget):
    """A report drawn live where a kernel runs and, from the same output, in a page without one."""

    name: str
    _css = embed.stylesheet()
    report = traitlets.Instance(Drawn).tag(sync=True, to_json=lambda report, _view: report.as_dict())

    def __init_subclass__(cls, view: str = "", **kwargs: Any) -> None:
        """Which view is it? It has an ES module, and in `gpusim.views.text` a function, of that name."""
        if view:  # traitlets makes a further subclass for every instance
            cls.name, cls._esm = view, embed.module(view)
        super().__init_subclass__(**kwargs)

    def still(self) -> str:
        """What does the view show where nothing can move?"""
        still: str = getattr(text, self.name)(self.report)
        return still

    def __repr__(self) -> str:
        return f"<{self.name} {self.report.title!r}: {len(self.report.variants)} variants>"

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        data, metadata = super()._repr_mimebundle_(**kwargs) or ({}, {})
        still = self.still()
        shown = {"text/plain": still, "text/html": embed.fragment(self.name, self.report, still)}
        return {**data, **shown}, metadata


class WarpPlayer(View, view="warp_player"):
    """Which lanes run, which wait, and for what? Draws a warp report."""


class BlockMapper(View, view="block_mapper"):
    """Which warp and lane does a thread run in? Draws a block report."""


class ScheduleExplorer(View, view="schedule_explorer"):
    """Which order gave which outcome? Draws a schedule report."""


class BankView(View, view="bank_view"):
    """Which bank serves which lane, and who waits? Draws a bank report."""


class SectorView(View, view="sector_view"):
    """Which pieces of memory move, and who wanted them? Draws a sector report."""


class CarveoutExplorer(View, view="carveout_explorer"):
    """How much shared memory, how much L1, and why? Draws a carve-out report."""
