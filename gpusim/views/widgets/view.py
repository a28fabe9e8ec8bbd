"""What do all views have in common? A report, an ES module that draws it, and a still."""

from typing import Any, ClassVar

import anywidget
import traitlets

from gpusim.views import embed


class View(anywidget.AnyWidget):
    """A report drawn live where a kernel runs and, from the same output, in a page without one."""

    name: ClassVar[str]
    _css = embed.stylesheet()
    report = traitlets.Dict().tag(sync=True)

    def still(self) -> str:
        """What does the view show where nothing can move?"""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"<{self.name} {self.report['title']!r}: {len(self.report['variants'])} variants>"

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        data, metadata = super()._repr_mimebundle_(**kwargs) or ({}, {})
        still = self.still()
        return {
            **data,
            "text/plain": still,
            "text/html": embed.fragment(self.name, self.report, still),
        }, metadata
