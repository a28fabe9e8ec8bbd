"""What is shown once the reader has answered? Until then a sentence stands there, and nothing is measured.

A browser may send the answer at any time: when the reader presses Keep, or a moment after all cells have run
again, since it remembers. The output that waits then changes where it stands.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol
from uuid import uuid4

from IPython.core.getipython import get_ipython
from IPython.display import display

FIRST = "Answer the question above and press Keep; then this cell goes on."


@dataclass(frozen=True)
class Said:
    """Text as a notebook shows it."""

    text: str

    def __repr__(self) -> str:
        return self.text


class Asked(Protocol):
    """A question: `value` is None until it is answered, and observers hear of each answer."""

    value: Any

    def observe(self, handler: Callable[[Any], Any], names: str) -> None: ...


@dataclass(eq=False)
class Waiting:
    """What `make` gives, once this prediction has a value; it is called once."""

    prediction: Asked
    make: Callable[[], Any]
    first: str = FIRST
    _made: list[Any] = field(default_factory=list, init=False)

    @property
    def shown(self) -> Any:
        if self.prediction.value is None:
            return Said(self.first)
        if not self._made:
            self._made.append(self._make())
        return self._made[0]

    def _make(self) -> Any:
        """An error is shown, too: of what runs when a browser sends an answer nobody sees a traceback."""
        try:
            return self.make()
        except Exception as error:
            short = [f"{type(error).__name__}: {error}"]
            return Said("\n".join(getattr(error, "_render_traceback_", lambda: short)()))

    def __repr__(self) -> str:
        return repr(self.shown)

    def _ipython_display_(self) -> None:
        name = uuid4().hex

        def show(update: bool = True) -> None:
            display(self.shown, display_id=name, update=update)  # type: ignore[no-untyped-call]

        show(update=False)
        # Messages of widgets may come in a thread of their own; all that measures stays in that of the cells.
        loop = getattr(getattr(get_ipython(), "kernel", None), "io_loop", None)
        self.prediction.observe(lambda _: loop.add_callback(show) if loop else show(), "value")
