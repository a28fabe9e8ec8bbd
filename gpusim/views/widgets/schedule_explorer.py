"""The schedule explorer: two schedules of one launch side by side, and where they part."""

from gpusim.views import embed, text
from gpusim.views.widgets.view import View


class ScheduleExplorer(View):
    """Which order gave which outcome? Draws a schedule report."""

    name = "schedule_explorer"
    _esm = embed.module(name)

    def still(self) -> str:
        return text.schedule_explorer(self.report)
