"""The bank view: a request to shared memory, wavefront by wavefront, over the banks."""

from gpusim.views import embed, text
from gpusim.views.widgets.view import View


class BankView(View):
    """Which bank serves which lane, and who waits? Draws a bank report."""

    name = "bank_view"
    _esm = embed.module(name)

    def still(self) -> str:
        return text.bank_view(self.report)
