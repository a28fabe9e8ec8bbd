"""Who follows a grid? Its observers as one: they are told at once, and each gets what it wants.

Of three observers that want memory accesses, and none that wants barriers, the machine forms an event for
each access, hands it to three methods, and forms none at a barrier.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from gpusim.events import Event, GridLaunched, GridObserver, Observer


class Audience(GridObserver):
    """Several observers of one grid, in order."""

    def __init__(self, observers: Iterable[GridObserver] = ()) -> None:
        self._observers = tuple(observers)
        self._hearing: dict[type, list[Callable[[Event], None]]] = {}
        for observer in self._observers:
            for kind in observer.wants:
                inner = observer._hearing[kind] if isinstance(observer, Audience) else [observer.observe]
                self._hearing.setdefault(kind, []).extend(inner)
        self.wants = frozenset(self._hearing)
        self.notes_writes = any(observer.notes_writes for observer in self._observers)

    @classmethod
    def of(cls, observers: Iterable[Observer], launched: GridLaunched) -> Audience:
        """Those of the observers who follow this grid. If one refuses it, the others hear how it ended."""
        following: list[GridObserver] = []
        try:
            for observer in observers:
                found = observer.watches(launched)
                if found is not None:
                    following.append(found)
        except BaseException as error:
            cls(following).ended(error)
            raise
        return cls(following)

    def observe(self, event: Event) -> None:
        """Give an event to those who want it."""
        for hear in self._hearing.get(type(event), ()):
            hear(event)

    def ended(self, error: BaseException | None) -> None:
        """Tell all that the grid is over, whatever one of them makes of it."""
        observers = iter(self._observers)
        try:
            for observer in observers:
                observer.ended(error)
        except BaseException:
            Audience(observers).ended(error)
            raise


NOBODY = Audience()
