"""What agrees with the H200's records, and what cannot be compared? `python -m tests.hardware` prints it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tests.hardware import comparison, intrinsics
from tests.hardware.comparison import COUNTS, LOOKS, OUTCOMES, SAME, SIDE


def show(header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a Markdown table."""
    for cells in (header, ["---"] * len(header), *rows):
        print(f"| {' | '.join(map(str, cells))} |")
    print()


def main() -> None:
    """Print three tables and their sums."""
    outcomes = {name: comparison.outcome(name) for name in OUTCOMES}
    show(("scenario", "events and masks"), outcomes.items())
    equal = sum(outcome in (SAME, SIDE, LOOKS) for outcome in outcomes.values())
    inexpressible = sum("not expressible" in outcome for outcome in outcomes.values())
    print(f"{len(outcomes)} scenarios: {equal} equal, {inexpressible} not expressible\n")

    rows = []
    for kernel, k, threads, _cycles, instructions, *_, _branches, split, _uniform, _all in COUNTS:
        here, split_here = comparison.counted(kernel, k, threads)
        rows.append((kernel, k, threads, split, split_here, instructions, here))
    counts = "divergent branches", "in gpusim", "instructions (SASS)", "in gpusim (IR)"
    show(("kernel", "k", "threads", *counts), rows)
    agree = sum(row[3] == row[4] for row in rows)
    print(f"{len(rows)} counts of divergent branches: {agree} equal\n")

    table = intrinsics.summary()
    show(("operation", "records", "compared", "equal", "others"), table)
    records, compared, same = (sum(row[column] for row in table) for column in (1, 2, 3))
    print(f"{records} records of intrinsics: {compared} compared, {same} equal")


if __name__ == "__main__":
    main()
