"""The carve-out explorer: how on-chip memory is split, for what a kernel needs and prefers."""

from gpusim.views import embed, text
from gpusim.views.widgets.view import View


class CarveoutExplorer(View):
    """How much shared memory, how much L1, and why? Draws a carve-out report."""

    name = "carveout_explorer"
    _esm = embed.module(name)

    def still(self) -> str:
        return text.carveout_explorer(self.report)
