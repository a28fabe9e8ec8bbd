"""What agrees with the H200's records, and what cannot be compared? `python -m tests.hardware` prints it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from tests.hardware import comparison, cpp_language, divergence_cpp, intrinsics, intrinsics_cpp, summary
from tests.hardware.comparison import COUNTS, LOOKS, OUTCOMES, SAME, SIDE


def show(header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a Markdown table."""
    for cells in (header, ["---"] * len(header), *rows):
        print(f"| {' | '.join(map(str, cells))} |")
    print()


def scenarios(outcomes: dict[str, str], missing: str) -> None:
    """Print how each scenario compares, and how many are equal; `missing` begins what cannot be run."""
    show(("scenario", "events and masks"), outcomes.items())
    equal = sum(outcome in (SAME, SIDE, LOOKS) for outcome in outcomes.values())
    inexpressible = sum(outcome.startswith(missing) for outcome in outcomes.values())
    print(f"{len(outcomes)} scenarios: {equal} equal, {inexpressible} {missing}\n")


def counts(counted: Callable[[str, int, int], tuple[int, int]]) -> None:
    """Print the divergent branches and instructions of the counted kernels."""
    rows = []
    for kernel, k, threads, _cycles, instructions, *_, _branches, split, _uniform, _all in COUNTS:
        here, split_here = counted(kernel, k, threads)
        rows.append((kernel, k, threads, split, split_here, instructions, here))
    header = "divergent branches", "in gpusim", "instructions (SASS)", "in gpusim (IR)"
    show(("kernel", "k", "threads", *header), rows)
    agree = sum(row[3] == row[4] for row in rows)
    print(f"{len(rows)} counts of divergent branches: {agree} equal\n")


def python() -> None:
    """Print the tables of kernels in Numba's dialect, and their sums."""
    print("## Kernels in Python\n")
    scenarios({name: comparison.outcome(name) for name in OUTCOMES}, "not expressible")
    counts(comparison.counted)
    table = intrinsics.summary()
    show(("operation", "records", "compared", "equal", "others"), table)
    records, compared, same = (sum(row[column] for row in table) for column in (1, 2, 3))
    print(f"{records} records of intrinsics: {compared} compared, {same} equal\n")


def cpp() -> None:
    """Print the tables of kernels in CUDA C++, and their sums."""
    print("## Kernels in CUDA C++, from their recorded sources\n")
    scenarios({name: divergence_cpp.outcome(name) for name in OUTCOMES}, "refused")
    counts(divergence_cpp.counted)
    table = intrinsics_cpp.summary()
    show(("operation", "records", "equal"), table)
    print(f"{sum(row[1] for row in table)} records of intrinsics: {sum(row[2] for row in table)} equal\n")
    files = cpp_language.summary()
    show(("kernels", "launches", "equal", "others"), files)
    print(f"{sum(row[1] for row in files)} launches: {sum(row[2] for row in files)} equal")


def main() -> None:
    """Print all tables."""
    python()
    cpp()
    print("\n## All rules\n")
    show(summary.Agreement._fields, summary.agreements())


if __name__ == "__main__":
    main()
