"""The sector view: what of memory moves for a warp's request, under each of three rules."""

from gpusim.views import embed, text
from gpusim.views.widgets.view import View


class SectorView(View):
    """Which pieces of memory move, and who wanted them? Draws a sector report."""

    name = "sector_view"
    _esm = embed.module(name)

    def still(self) -> str:
        return text.sector_view(self.report)
