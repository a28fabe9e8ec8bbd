"""What was counted? Counts by source line, and what a request looked like that took more than it needs.

W warps, L lanes; active: bool (W, L); addresses: int64 (W, L), the first byte of each lane's access.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from gpusim.events import MemoryAccess
from gpusim.measurements.requests import SECTOR_BYTES, Addresses, Counts, Lanes
from gpusim.reports import counters
from gpusim.reports.launch import Example
from gpusim.reports.report import Figures
from gpusim.source import Source, Span


@dataclass
class Ledger:
    """Counts of one launch, and for the advice one example of each kind of access, by source line."""

    lines: dict[tuple[Source, int], Counter[str]] = field(default_factory=dict)
    examples: dict[tuple[Source, int], dict[str, Example]] = field(default_factory=dict)

    def add(self, span: Span, counter: str, amount: int) -> None:
        """Count something that the line of `span` did."""
        key = span.source, span.line
        if key not in self.lines:
            self.lines[key] = Counter()
        self.lines[key][counter] += amount

    def illustrate(self, event: MemoryAccess, took: Counts, ideal: Counts) -> None:
        """Keep a line's first example of this kind of access, if a request took more than it needs; (W,)."""
        if (took > ideal).any():
            span = event.instruction.span
            known = self.examples.setdefault((span.source, span.line), {})
            if (of := f"{event.space.value}_{event.kind}") not in known:
                known[of] = worst(event.addresses, event.active, event.width, took, ideal)

    def total(self) -> Counter[str]:
        """The sum over all lines."""
        total: Counter[str] = Counter()
        for counts in self.lines.values():
            total.update(counts)
        return total


def worst(addresses: Addresses, active: Lanes, width: int, took: Counts, ideal: Counts) -> Example:
    """The request that exceeds its ideal by most; `took` and `ideal` are (W,).

    >>> column = np.arange(32)[None] * 4096
    >>> worst(column, column >= 0, 4, np.array([32]), np.array([4])).stride_bytes
    4096
    """
    row = int((took - ideal).argmax())
    where, on = addresses[row], active[row]
    together = on[1:] & on[:-1]
    steps, counts = np.unique(np.diff(where)[together], return_counts=True)
    usual = int(counts.argmax()) if len(counts) else 0
    frequent = len(counts) > 0 and 2 * int(counts[usual]) >= int(together.sum())
    return Example(
        int(took[row]),
        int(ideal[row]),
        int(on.sum()),
        width,
        int(steps[usual]) if frequent else None,
        int(where[on].min()) % SECTOR_BYTES,
    )


def summary(counts: Mapping[str, int], *, caches: bool = False) -> dict[str, float]:
    """All counters and ratios by name; a ratio whose denominator is zero is 0."""
    values = Figures()
    for name in counters.names(caches=caches):
        if name in counters.ALL_RATIOS:
            above, below, _metric, _meaning = counters.ALL_RATIOS[name]
            denominator = sum(values[part] for part in below)
            values[name] = sum(values[part] for part in above) / denominator if denominator else 0.0
        else:
            values[name] = int(counts.get(name, 0))
    return values
