"""The warp player: a kernel's source beside one warp of a traced run, step by step."""

from gpusim.views import embed, text
from gpusim.views.widgets.view import View


class WarpPlayer(View):
    """Which lanes run, which wait, and for what? Draws a warp report."""

    name = "warp_player"
    _esm = embed.module(name)

    def still(self) -> str:
        return text.warp_player(self.report)
