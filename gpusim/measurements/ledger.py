"""What was counted? Counts by source line, and what a request looked like that took more than it needs."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from gpusim.reports.launch import Example
from gpusim.source import Source, Span


@dataclass
class Ledger:
    """Counts of one launch, by source line; and what one request looked like that took more than it needs."""

    lines: dict[tuple[Source, int], Counter[str]] = field(default_factory=dict)
    examples: dict[tuple[Source, int], dict[str, Example]] = field(default_factory=dict)

    def add(self, span: Span, counter: str, amount: int) -> None:
        """Count something that the line of `span` did."""
        key = span.source, span.line
        if key not in self.lines:
            self.lines[key] = Counter()
        self.lines[key][counter] += amount

    def lacks_example(self, span: Span, of: str) -> bool:
        """Is there no example yet of this kind of access at the line of `span`? The first one is kept."""
        return of not in self.examples.get((span.source, span.line), {})

    def illustrate(self, span: Span, of: str, example: Example) -> None:
        """Keep an example for the line of `span`."""
        self.examples.setdefault((span.source, span.line), {})[of] = example

    def total(self) -> Counter[str]:
        """The sum over all lines."""
        total: Counter[str] = Counter()
        for counts in self.lines.values():
            total.update(counts)
        return total
