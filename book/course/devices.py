"""Which GPUs are in the catalogue, what can each do, and where is each figure from? For the page of devices.

Rows are the fields of `gpusim.devices.Device`, so a field that is added is shown. The number behind a figure
leads to its source in the list of them; what is assumed is marked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from functools import cache
from html import escape
from typing import Any

from IPython.display import HTML

from course import figures
from gpusim import devices
from gpusim.devices import Device, launching, speeds

# What belongs together, in the order of the class: the first field of each part.
PARTS = {
    "name": "Who it is",
    "warp_size": "How lanes run",
    "max_threads_per_block": "What a launch may ask for",
    "multiprocessors": "What is resident at once",
    "registers_per_multiprocessor": "Registers, in words of 32 bits",
    "shared_bytes_per_multiprocessor": "Shared memory",
    "memory_rule": "Other memories",
    "l1_caches": "Caches",
    "clock_mhz": "What a multiprocessor does in a clock",
}
COLUMN = "name"  # it heads the column
# What is known of times, each in a record of its own, whose fields are figures and a `source`.
TIMES: dict[str, Callable[[Device], Any]] = {
    "Clocks, and sectors per clock": speeds.speeds,
    "Copies between host and device": speeds.link,
    "Launches in kernels, in clocks": launching.launching,
}
PUBLISHED_LATENCIES = (
    "arithmetic_latency", "double_latency", "special_latency", "shared_latency", "l1_latency", "l2_latency",
    "dram_latency",
)  # fmt: skip
DEVICES = tuple(devices.CATALOGUE.values())
DEFAULT = devices.get("H200")
COLUMNS = (DEFAULT, *(gpu for gpu in DEVICES if gpu != DEFAULT))  # what readers run on is on every screen
NOTHING = "<td>–</td>"
KIB = 1024
SIZES = (("GB", KIB**3), ("MB", KIB**2), ("KB", KIB))


def size(count: int) -> str:
    """Bytes for people: 233472 is "228 KB"; what is no whole number of KB stays bytes."""
    for unit, bytes_ in SIZES:
        if count >= bytes_ and count * 4 % bytes_ == 0:
            return f"{count / bytes_:g} {unit}"
    return f"{count:,}"


def shown(name: str, value: Any) -> str:
    """A figure as its cell has it."""
    if value is None:
        return "none"
    if name == "compute_capability":
        return ".".join(map(str, value))
    if isinstance(value, tuple):
        if name.startswith("max_") or not value:
            return " × ".join(f"{each:,}" for each in value) or "nothing"
        return ", ".join(shown(name, each) for each in value)
    if isinstance(value, int) and "bytes" in name:
        return size(value)
    return f"{value:,}" if isinstance(value, int | float) and name != "year" else str(value)


def rounded(figure: float) -> str:
    """Four digits that count: 10,430 of 10433.4."""
    digits = float(f"{figure:.4g}")
    return f"{digits:,.0f}" if digits >= 1000 else f"{digits:g}"


def breakable(name: str) -> str:
    """A long name that may go on below, behind an underscore."""
    return escape(name).replace("_", "_<wbr>")


class Sources:
    """Numbers for sources, in the order in which they are first met."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def marked(self, text: str, source: str) -> str:
        """A figure with the number of its source, and with a sign if it is assumed."""
        number = self.numbers.setdefault(source, len(self.numbers) + 1)
        figure = escape(text)
        if source.startswith("assumed"):
            figure = f'<span class="assumed">{figure}</span>'
        return (
            f'<td>{figure}&nbsp;<a href="#source-{number}" title="{escape(source)}">'
            f"<sup>{number}</sup></a></td>"
        )

    def listed(self) -> HTML:
        """All of them, numbered."""
        items = "".join(
            f'<li id="source-{number}">{escape(source)}</li>' for source, number in self.numbers.items()
        )
        return HTML(f'<ol class="sources">{items}</ol>')  # type: ignore[no-untyped-call]


def matrix(label: str, parts: Mapping[str, Iterable[str]], cell: Callable[[str, Device], str]) -> HTML:
    """A row for each field, a column for each device; the first column stays in view."""
    headings = "".join(f'<th scope="col">{escape(gpu.name)}</th>' for gpu in COLUMNS)
    bodies = []
    for part, names in parts.items():
        over = f'<tr><th colspan="{len(DEVICES) + 1}" scope="rowgroup"><span>{part}</span></th></tr>' * bool(
            part
        )
        rows = (
            f'<tr><th scope="row"><code>{breakable(name)}</code></th>'
            f"{''.join(cell(name, gpu) for gpu in COLUMNS)}</tr>"
            for name in names
        )
        bodies.append(f"<tbody>{over}{''.join(rows)}</tbody>")
    return HTML(  # type: ignore[no-untyped-call]
        f'<div class="listing matrix" data-filter="Find a figure, or devices" tabindex="0" role="region" '
        f'aria-label="{label}">'
        f"<table><thead><tr><td></td>{headings}</tr></thead>{''.join(bodies)}</table></div>"
    )


def by_part() -> dict[str, list[str]]:
    """The fields of a device, part by part."""
    found: dict[str, list[str]] = {}
    for field in fields(Device):
        if field.name in PARTS:
            part = found.setdefault(PARTS[field.name], [])
        if field.name not in (COLUMN, "sources"):
            part.append(field.name)
    return found


def side_by_side(sources: Sources) -> HTML:
    """All figures of all devices."""

    def cell(name: str, gpu: Device) -> str:
        return sources.marked(shown(name, getattr(gpu, name)), gpu.sources[name])

    return matrix("All figures of all devices", by_part(), cell)


def source_of(name: str, known: Any) -> str:
    """Of a record with one source for all: "published: …; the rest assumed: …" are two."""
    published, _, rest = str(known.source).partition("; the rest ")
    return rest if rest and name not in PUBLISHED_LATENCIES else published


def times(sources: Sources) -> HTML:
    """What the model of time knows of each device."""
    found = {(part, gpu.name): of(gpu) for part, of in TIMES.items() for gpu in DEVICES}
    parts = {
        part: [field.name for field in fields(found[part, DEVICES[0].name]) if field.name != "source"]
        for part in TIMES
    }
    part_of = {name: part for part, names in parts.items() for name in names}

    def cell(name: str, gpu: Device) -> str:
        known = found[part_of[name], gpu.name]
        if isinstance(known, launching.Launching) and not gpu.launches_from_kernels:
            return NOTHING
        return sources.marked(rounded(getattr(known, name)), source_of(name, known))

    return matrix("What the model of time knows", parts, cell)


def others() -> list[tuple[str, str]]:
    """By which further names does `devices.get` find a device?"""
    from gpusim.devices.catalogue import OTHER_NAMES

    return [
        (gpu.name, ", ".join(dict.fromkeys((gpu.product_name, *OTHER_NAMES[gpu.name])))) for gpu in DEVICES
    ]


@cache
def nvidia() -> tuple[Device, ...]:
    """The devices with a compute capability, one of each, oldest first."""
    return tuple({gpu.compute_capability: gpu for gpu in DEVICES if gpu.compute_capability}.values())


# what is drawn -> how a device comes to it, and how it is drawn
OF_A_MULTIPROCESSOR: dict[str, tuple[Callable[[Device], float], str, str]] = {
    "L1 and shared, KB": (lambda gpu: gpu.l1_and_shared_bytes / KIB, "-", "D"),
    "registers, KB": (lambda gpu: gpu.registers_per_multiprocessor * 4 / KIB, "--", "s"),
    "largest block's shared, KB": (lambda gpu: gpu.shared_bytes_per_block_optin / KIB, ":", "^"),
    "resident warps": (lambda gpu: gpu.max_warps_per_multiprocessor, "-.", "o"),
}
OF_A_GPU: dict[str, tuple[Callable[[Device], float], str, str]] = {
    "resident threads": (lambda gpu: gpu.multiprocessors * gpu.max_threads_per_multiprocessor, "-.", "o"),
    "FP32 units": (lambda gpu: gpu.multiprocessors * gpu.fp32_units, "-", "D"),
    "memory, GB/s": (lambda gpu: gpu.memory_bandwidth_gb_per_s, "--", "s"),
    "multiprocessors": (lambda gpu: gpu.multiprocessors, ":", "^"),
}


def growth(of: Callable[[Device], float]) -> float:
    """How many times the first device's is the last one's?"""
    return of(nvidia()[-1]) / of(nvidia()[0])


def grown() -> HTML:
    """How did limits grow, from compute capability to compute capability?"""
    drawn, both = figures.new(2, height=7.6, sharex=True)
    places = range(len(nvidia()))
    for axes, title, quantities in zip(
        both, ("one multiprocessor", "the whole GPU"), (OF_A_MULTIPROCESSOR, OF_A_GPU), strict=True
    ):
        for name, (of, line, mark) in quantities.items():
            values = [of(gpu) for gpu in nvidia()]
            axes.plot(places, values, color="black", linestyle=line, marker=mark, label=name)
        axes.set_yscale("log", base=2)
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
        axes.set_ylabel(title)
        axes.grid(axis="y", color="#b0b0b0", linewidth=0.5)
        axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2, fontsize=11)
    labels = [f"{'.'.join(map(str, gpu.compute_capability or ()))}" for gpu in nvidia()]
    both[-1].set_xticks(places, labels)
    both[-1].set_xlabel("compute capability")
    warps, block = (
        growth(OF_A_MULTIPROCESSOR[name][0]) for name in ("resident warps", "largest block's shared, KB")
    )
    threads, units = (growth(OF_A_GPU[name][0]) for name in ("resident threads", "FP32 units"))
    first, last = nvidia()[0].name, nvidia()[-1].name
    caption = (
        f"From {first} to {last} a multiprocessor's warps became {warps:.1f} times as many, and a block's "
        f"shared memory {block:.0f} times as large. The GPU has {threads:.0f} times the threads, and "
        f"{units:.0f} times the FP32 units."
    )
    return figures.show(
        drawn, caption, alt="Limits over compute capability, 1.0 to 9.0, on a logarithmic scale. " + caption
    )
