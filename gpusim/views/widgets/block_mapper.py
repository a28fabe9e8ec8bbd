"""The block mapper: a block's threads as the program numbers them, beside the warps they become."""

from gpusim.views import embed, text
from gpusim.views.widgets.view import View


class BlockMapper(View):
    """Which warp and lane does a thread run in? Draws a block report."""

    name = "block_mapper"
    _esm = embed.module(name)

    def still(self) -> str:
        return text.block_mapper(self.report)
