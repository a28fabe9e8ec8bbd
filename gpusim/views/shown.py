"""How does a report become a view on a page that has a script, and a still where there is none?"""

from __future__ import annotations

from typing import Any

from gpusim.reports.prediction import PredictionReport
from gpusim.reports.report import Drawn, Titled
from gpusim.views import embed, text
from gpusim.whole import number_of


class Shown:
    """A report that a page's script draws: what a view is in the Python of a browser, without anywidget."""

    def __init__(self, name: str, report: Titled) -> None:
        """The view `name` of `gpusim.views` draws the report."""
        self.name = name
        self.report = report

    def still(self) -> str:
        """What does the view show where nothing can move?"""
        still: str = getattr(text, self.name)(self.report)
        return still

    def unscripted(self) -> str:
        """What is shown beside the still where scripts never run? A prediction's answer, and its reason."""
        if isinstance(self.report, PredictionReport) and self.report.solution:
            return f"{self.report.solution}. {self.report.why}".rstrip()
        return ""

    def __repr__(self) -> str:
        of = f": {number_of(len(self.report.variants), 'variant')}" if isinstance(self.report, Drawn) else ""
        return f"<{self.name} {self.report.title!r}{of}>"

    def mimebundle(self) -> dict[str, str]:
        """The still as text; as HTML the report, which the page's script draws."""
        still = self.still()
        html = embed.fragment(self.name, self.report, still, self.unscripted())
        return {"text/plain": still, "text/html": html}

    def _repr_mimebundle_(self, **_: Any) -> tuple[dict[str, str], dict[str, Any]]:
        return self.mimebundle(), {}
