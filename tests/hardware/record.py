"""How do the files that the simulator is compared with come about? This records them again.

`python -m tests.hardware.record --out FOLDER [PART …]` builds the programs in `probes/`, runs them on this
machine's GPU under `ncu`, and writes the files in the form that they have here. It needs Python's standard
library, `nvcc`, `ncu`, and a GPU whose counters may be read. Access patterns come from the files themselves.

`python -m tests.hardware.record --compare OLD NEW [--out FILE]` says field by field how two folders agree.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tests.hardware import agreement
from tests.hardware.probes import outcomes, spaces
from tests.hardware.probes.nesting import nesting
from tests.hardware.probes.times import curves_again, kernels
from tests.hardware.probes.tools import KERNEL, Counts, Recording, Stopped, Tools, rounded

HERE = Path(__file__).parent
LETTERS = {"load": "ld", "store": "st", "atomic_add": "red"}


def existing(name: str) -> Recording:
    """A recording as it is kept here."""
    recording: Recording = json.loads((HERE / f"{name}.json").read_text())
    return recording


def line(kernel: str, mask: str, offsets: Sequence[int], others: Sequence[int] | None = None) -> str:
    """A row for `probes/patterns.cu`."""
    return " ".join(map(str, (kernel, mask, *offsets, *(others or offsets))))


# patterns of global and of shared memory ---------------------------------------------------------------


def global_patterns(tools: Tools) -> Recording:
    """Requests and sectors of the patterns that are on record."""
    old = existing("global_patterns")
    found: dict[int, list[Any]] = {}
    for operation, letters in LETTERS.items():
        rows = [row for row in old["rows"] if row[3] == operation]
        atomic = operation == "atomic_add"
        kernels = ["global_add_u32" if atomic else f"{operation}{row[4]}" for row in rows]
        metrics = [
            f"l1tex__t_requests_pipe_lsu_mem_global_op_{letters}.sum",
            f"l1tex__t_sectors_pipe_lsu_mem_global_op_{letters}.sum",
            f"l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_{letters}.sum",
            "l1tex__data_pipe_lsu_wavefronts.sum",
            f"smsp__inst_executed_op_global_{letters}.sum",
        ]
        texts = [line(kernel, row[5], row[6]) for kernel, row in zip(kernels, rows, strict=True)]
        counted, _ = tools.count("patterns", metrics, texts)
        for row, counts in zip(rows, counted, strict=True):
            values = [counts[metric] for metric in metrics]
            if atomic:
                values[3] = None  # type: ignore[call-overload]
            found[row[0]] = [*row[:7], *values]
    what, fields = old["header"]["what"], old["header"]["fields"]
    return {"header": tools.header(what, fields), "rows": [found[row[0]] for row in old["rows"]]}


def shared_patterns(tools: Tools) -> Recording:
    """Wavefronts, conflicts and cycles of the patterns that are on record."""
    old = existing("shared_patterns")
    found: dict[int, list[Any]] = {}
    for operation, letters in {**LETTERS, "atomic_add": "atom"}.items():
        rows = [row for row in old["rows"] if row[3] == operation]
        atomic = operation == "atomic_add"
        kernels = ["shared_add_u32" if atomic else f"shared_{operation}{row[4]}" for row in rows]
        metrics = [
            f"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{letters}.sum",
            f"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{letters}.sum",
            f"smsp__inst_executed_op_shared_{letters}.sum",
        ]
        texts = [line(kernel, row[5], row[6]) for kernel, row in zip(kernels, rows, strict=True)]
        cycles = [None] * len(rows) if atomic else map(float, tools.program("patterns", texts, answers=True))
        counted, _ = tools.count("patterns", metrics, texts)
        for row, counts, took in zip(rows, counted, cycles, strict=True):
            found[row[0]] = [*row[:7], *(counts[metric] for metric in metrics), took]
    what, fields = old["header"]["what"], old["header"]["fields"]
    return {"header": tools.header(what, fields), "rows": [found[row[0]] for row in old["rows"]]}


# other spaces ------------------------------------------------------------------------------------------


def memory_spaces(tools: Tools) -> Recording:
    """Local memory, atomics of all kinds, and constant memory."""
    pattern = ["id", "name", "operation", "width in bytes per lane", "active mask, hex", "32 byte offsets"]
    chain = ["distinct words", "words apart", "loads one after the other"]
    sections: dict[str, tuple[list[str], Callable[[], tuple[list[Any], list[str]]]]] = {
        "local": (pattern, lambda: _local(tools)),
        "shared_atomics": (pattern, lambda: _atomics(tools, "shared")),
        "global_atomics": (pattern, lambda: _atomics(tools, "global")),
        "constants": (chain, lambda: _constants(tools)),
    }
    fields, tables = {}, {}
    for name, (keys, recorded) in sections.items():
        try:
            tables[name], counters = recorded()
        except Stopped as stopped:
            print(f"    {name}: NOT recorded: {stopped}", flush=True)
            continue
        fields[name] = [*keys, *counters]
    if not tables:
        raise Stopped("none of its tables")
    note = (
        "kernels: tests/hardware/memory_patterns.cu. Operations that end in _result use the old value. "
        "Local: offsets into an array of 512 bytes that each thread has for itself. "
        "Constants: a chain of loads, each lane from its word; cycles by clock64, for 256 loads."
    )
    what = "Local memory, atomics and constant memory: what one warp's accesses cost"
    return {"header": tools.header(what, fields, note=note), **tables}


def _local(tools: Tools) -> tuple[list[Any], list[str]]:
    kinds = "t_requests_pipe_lsu_mem_local_op_{}", "t_sectors_pipe_lsu_mem_local_op_{}"
    metrics = [f"l1tex__{kind.format(op)}.sum" for op in ("st", "ld") for kind in kinds]
    metrics += tools.known(
        f"l1tex__t_sectors_pipe_lsu_mem_local_op_{op}_lookup_hit.sum" for op in ("st", "ld")
    )
    some = [(width, *pattern) for width in (1, 2, 4, 8, 16) for pattern in spaces.local(width)]
    texts = [line(f"local_access{width}", f"{mask:08x}", offsets) for width, _, mask, offsets in some]
    counted, _ = tools.count("patterns", metrics, texts)
    rows = []
    for (width, name, mask, offsets), counts in zip(some, counted, strict=True):
        for operation in ("store", "load"):
            values = [counts[metric] for metric in metrics if f"_op_{LETTERS[operation]}" in metric]
            rows.append([len(rows), name, operation, width, f"{mask:08x}", offsets, *values])
    return rows, [metric.replace("_st", "_{st,ld}") for metric in metrics if "_op_st" in metric]


def _atomics(tools: Tools, space: str) -> tuple[list[Any], list[str]]:
    if space == "shared":
        metrics = [
            "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum",
            "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum",
            "smsp__inst_executed_op_shared_atom.sum",
        ]
        more = [f"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{op}.sum" for op in ("ld", "st")]
    else:
        kinds = "requests", "sectors"
        metrics = [
            f"l1tex__t_{kind}_pipe_lsu_mem_global_op_{op}.sum" for op in ("red", "atom") for kind in kinds
        ]
        more = ["smsp__inst_executed_op_global_red.sum", "smsp__inst_executed_op_global_atom.sum"]
    metrics += tools.known(more)
    some = [
        (f"{operation}{result}", spaces.WIDTHS[operation[-3:]], *pattern)
        for operation in spaces.OPERATIONS
        for result in ("", "_result")
        for pattern in spaces.atomic(spaces.WIDTHS[operation[-3:]])
    ]
    texts = [line(f"{space}_{operation}", f"{mask:08x}", offsets) for operation, _, _, mask, offsets in some]
    counted, _ = tools.count("patterns", metrics, texts)
    rows = [
        [number, name, operation, width, f"{mask:08x}", offsets, *(counts[metric] for metric in metrics)]
        for number, ((operation, width, name, mask, offsets), counts) in enumerate(
            zip(some, counted, strict=True)
        )
    ]
    return rows, metrics


def _constants(tools: Tools) -> tuple[list[Any], list[str]]:
    metrics = ["smsp__inst_executed.sum", *(f"{name}.sum" for name in tools.beginning("idc__requests"))]
    shapes = [(k, apart) for apart in (1, 16, 64) for k in (1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 32)]
    texts = [f"constant {k} {apart} {times}" for k, apart in shapes for times in (0, 16)]
    counted, _ = tools.count("on_chip", metrics, texts, answers=True)
    folder = tools.folder
    (folder / "rows.txt").write_text("".join(f"constant {k} {apart} 256\n" for k, apart in shapes))
    tools.run(folder / "on_chip", folder / "rows.txt", folder / "answers.txt", "time")
    cycles = [float(text) for text in (folder / "answers.txt").read_text().splitlines()]
    rows = []
    for number, (k, apart) in enumerate(shapes):
        for place, times in enumerate((0, 16)):
            counts = counted[2 * number + place]
            rows.append([k, apart, times, *(counts[metric] for metric in metrics), cycles[number]])
    return rows, [*metrics, "cycles per load"]


# carve-out and L1 --------------------------------------------------------------------------------------

DYNAMIC = (0, 1024, 4096, 8192, 16384, 32768, 49152, 65536, 102400, 131072, 163840, 200000, 232448)
DEFAULT, UNSET = -1, -2


def carveout(tools: Tools) -> Recording:
    """Which carve-out the driver chooses, and what L1 then keeps."""
    launch = ["launch__shared_mem_config_size"]
    asked = [(percent, -1, 0, 128) for percent in (DEFAULT, *range(101))]
    asked += [(percent, -1, 0, 128) for percent in (101, 200, -3)]
    asked += [(p, -1, size, 128) for p in (0, 10, 25, 50, 57, 58, 75, 100) for size in DYNAMIC[1:]]
    asked += [(DEFAULT, -1, size, block) for size in DYNAMIC for block in (32, 128, 256, 1024)]
    asked += [(UNSET, config, size, 128) for config in range(4) for size in DYNAMIC]
    texts = [" ".join(map(str, ("carveout", *row))) for row in asked]
    counted, answers = tools.count("on_chip", launch, texts, answers=True)
    chosen, launched = [], iter(counted)
    for row, answer in zip(asked, answers, strict=True):
        error, preferred, blocks, ran = json.loads(answer)
        size = next(launched)[launch[0]] if ran else None
        chosen.append([*row, error, preferred, blocks, size])

    sectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_"
    metrics = [*launch, f"{sectors}ld.sum", f"{sectors}ld_lookup_hit.sum"]
    metrics += ["lts__t_sectors_srcunit_tex_op_read.sum"]
    metrics += tools.known(
        [f"{sectors}ld_lookup_miss.sum", "lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum"]
    )
    kib = (8, 16, 32, 64, 96, 128, 160, 176, 192, 200, 208, 216, 224, 232, 240, 248, 256, 320)
    reads = [(0, size * 256, 1, 4, percent) for percent in (0, 25, 50, 75, 100) for size in kib]
    reads += [(0, size * 8, 32, 4, percent) for percent in (0, 50) for size in (*kib, 512, 1024)]
    reads += [(operator, 64 * 256, 1, 4, percent) for operator in range(1, 7) for percent in (0, 50, 100)]
    counted, _ = tools.count(
        "on_chip", metrics, [f"reread {' '.join(map(str, r))}" for r in reads], answers=True
    )
    rereads = [[*r, *(counts[m] for m in metrics)] for r, counts in zip(reads, counted, strict=True)]

    stores = tools.known([f"{sectors}st.sum", f"{sectors}st_lookup_hit.sum"])
    writes = [(size * 256, before, after, 0) for size in (4, 64) for before in (0, 1) for after in (1, 3)]
    texts = [f"rewrite {' '.join(map(str, w))}" for w in writes]
    counted, _ = tools.count("on_chip", [*metrics, *stores], texts, answers=True)
    rewrites = [
        [*w, *(counts[m] for m in (*metrics, *stores))] for w, counts in zip(writes, counted, strict=True)
    ]
    fields = {
        "chosen": [
            "preferred carve-out in percent (-1 the default, -2 not set)",
            "cudaFuncCache set after it (-1 not set, 0 none, 1 shared, 2 L1, 3 equal)",
            "dynamic shared bytes",
            "block",
            "what setting it returned",
            "cudaFuncAttributes.preferredShmemCarveout",
            "cudaOccupancyMaxActiveBlocksPerMultiprocessor",
            "launch__shared_mem_config_size of a launch of one block, bytes (null where it was not launched)",
        ],
        "rereads": [
            "operator",
            "floats",
            "floats apart",
            "passes",
            "preferred carve-out in percent",
            *metrics,
        ],
        "rewrites": ["floats", "passes before", "passes after", "preferred carve-out", *metrics, *stores],
    }
    return {
        "header": tools.header(
            "Carve-outs chosen by the driver, and what L1 keeps of what one block reads again",
            fields,
            note="kernels: tests/hardware/cache_rereads.cu, one block of 256 threads. Operators: 0 plain, "
            "1 __ldca, 2 __ldcg, 3 __ldcs, 4 __ldlu, 5 __ldcv, 6 __ldg.",
        ),
        "chosen": chosen,
        "rereads": rereads,
        "rewrites": rewrites,
    }


# structs and occupancy ---------------------------------------------------------------------------------


def vec3_struct(tools: Tools) -> Recording:
    """Requests, sectors and times of arrays of three floats."""
    old = existing("vec3_struct")
    metrics = [
        "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
        "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
        "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
        "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
        "l1tex__t_sector_hit_rate.pct",
        "lts__t_sectors_srcunit_tex_op_read.sum",
        "dram__bytes_read.sum",
        "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
        "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
    ]
    times = [json.loads(text) for text in tools.program("vec3", answers=True)]
    counted, _ = tools.count("vec3", metrics)
    rows = []
    for row, (first, second), counts in zip(old["rows"], times, counted, strict=True):
        name, useful = row[0], row[3] * row[1]  # bytes do not change: GB/s × ms
        values = [counts[metric] for metric in metrics]
        values[4] = rounded(values[4])
        rows.append([name, first, second, round(useful / first, 1), *values])
    return {"header": tools.header(old["header"]["what"], old["header"]["fields"]), "rows": rows}


def occupancy(tools: Tools) -> Recording:
    """Answers of the occupancy calculator, and blocks that were seen together."""
    old = existing("occupancy")
    kernels = {name for name, _table in old["blocks_per_sm"]}
    lines: dict[str, list[dict[str, Any]]] = {}
    for text in tools.program("occupancy", answers=True):
        found = json.loads(text)
        lines.setdefault(found.pop("kind"), []).append(found)
    tables: dict[str, list[list[int]]] = {}
    dynamic: dict[str, list[int]] = {}
    for found in lines["occ"]:
        tables.setdefault(found["name"], []).append(found["blocks"])
        dynamic.setdefault(found["name"], []).append(found["dyn"])

    def columns(kind: str, *names: str) -> list[list[Any]]:
        chosen = [found for found in lines[kind] if found.get("name", "") in (*kernels, "")]
        return [[found[name] for name in names] for found in chosen]

    return {
        "header": tools.header(old["header"]["what"], old["header"]["fields"]),
        "properties": lines["props"][0],
        "attributes": lines["attr"],
        "limits": lines["limit"],
        "block_sizes": lines["axes"][0]["block_sizes"],
        "dynamic_shared_bytes": next(iter(dynamic.values())),
        "kernels": [
            [found[name] for name in ("name", "numRegs", "static", "local", "maxThreadsPerBlock")]
            for found in lines["kernel"]
        ],
        "blocks_per_sm": [[name, table] for name, table in tables.items() if name in kernels],
        "max_potential": columns("pot", "name", "dyn", "limit", "grid", "block"),
        "max_potential_variable": columns("potvar", "name", "bytes_per_thread", "grid", "block"),
        "available_dynamic": columns("avail", "name", "nblocks", "block", "bytes", "err"),
        "carveout": [[found["carveout_percent"], found["blocks"]] for found in lines["carveout"]],
        "resident": [
            [found[name] for name in ("numRegs", "block", "dyn", "static", "api", "seen_max", "seen_min")]
            for found in lines["resident"]
        ],
    }


def overlap(tools: Tools) -> Recording:
    """Blocks really resident under a preference; kernels with different wishes, in one stream and in two."""
    tables: dict[str, list[list[Any]]] = {}
    for text in tools.program("overlap", answers=True):
        found = json.loads(text)
        tables.setdefault(found["kind"], []).append(found["row"])
    fields = {
        "resident": [
            "preferred carve-out in percent",
            "dynamic shared bytes",
            "cudaOccupancyMaxActiveBlocksPerMultiprocessor, blocks of 128 threads",
            "most blocks seen together on any multiprocessor",
            "most on the multiprocessor with the fewest",
        ],
        "pairs": [
            "wishes of the two kernels",
            "blocks of each",
            "dynamic shared bytes of the second",
            "ms in one stream, median of 5",
            "ms in two streams, median of 5",
        ],
    }
    what = "Residency under a preferred carve-out; kernels with different wishes side by side"
    note = "pairs: 200 times two kernels, each with blocks of 128 threads that take 40,000 cycles"
    return {"header": tools.header(what, fields, note=note), **tables}


def caches(tools: Tools) -> Recording:
    """What short sequences of accesses find in empty caches: the launches of `caches.cu`, in their order."""
    old = existing("caches")
    fields = old["header"]["fields"]
    keys = {table: next(i for i, name in enumerate(names) if "__" in name) for table, names in fields.items()}
    metrics = sorted({name for table, names in fields.items() for name in names[keys[table] :]})
    counted, _ = tools.count("caches", metrics, empty_caches=True)
    launches, tables = iter(counted), {}
    for table, names in fields.items():
        tables[table] = []
        for row in old[table]:
            counts, kernel = next(launches), table if table == "lines_twice" else row[0].partition("<")[0]
            if kernel not in str(counts[KERNEL]):
                raise Stopped(f"caches.cu launches {counts[KERNEL]} where {row[0]} is on record")
            tables[table].append([*row[: keys[table]], *(counts[name] for name in names[keys[table] :])])
    note = "PTX names in <>: loads 0 ca, 1 cg, 2 cs, 3 lu, 4 cv, 5 nc; stores 0 wb, 1 cg, 2 cs, 3 wt."
    return {"header": tools.header(old["header"]["what"], fields, caches="all", note=note), **tables}


# the most wanted first: time may run out
PARTS: dict[str, Callable[[Tools], Recording]] = {
    "kernels": kernels,
    "curves": curves_again,
    "carveout": carveout,
    "caches": caches,
    "memory_spaces": memory_spaces,
    "vec3_struct": vec3_struct,
    "occupancy": occupancy,
    "overlap": overlap,
    "textures": outcomes.textures,
    "placement": outcomes.placement,
    "streams": outcomes.streams,
    "nesting": nesting,
    "shared_patterns": shared_patterns,
    "global_patterns": global_patterns,
}


def written(recording: Recording) -> str:
    """JSON with a line for each record, so that files compare line by line."""
    parts = []
    for name, value in recording.items():
        if isinstance(value, list) and value and isinstance(value[0], list):
            rows = ",\n".join(json.dumps(row, separators=(",", ":")) for row in value)
            parts.append(f'"{name}":[\n{rows}\n]')
        else:
            parts.append(f'"{name}":{json.dumps(value, separators=(",", ":"))}')
    return "{" + ",\n".join(parts) + "}\n"


def record(folder: Path, parts: Sequence[str], minutes: float) -> int:
    """Record some files into a folder; how many could not be."""
    folder.mkdir(parents=True, exist_ok=True)
    failed = 0
    with tempfile.TemporaryDirectory() as place:
        tools = Tools(Path(place), minutes)
        print(f"{tools.device}, driver {tools.driver}, nvcc {tools.nvcc}, ncu {tools.ncu}", flush=True)
        tools.build()
        print(f"built, {tools.seconds_left:.0f} s left", flush=True)
        check(tools)
        for part in parts:
            start = time.monotonic()
            try:
                text = written(PARTS[part](tools))
            except Stopped as stopped:
                failed += 1
                print(f"{part}: NOT recorded: {stopped}", flush=True)
                continue
            (folder / f"{part}.json").write_text(text)
            print(f"{part}: recorded in {time.monotonic() - start:.0f} s", flush=True)
    return failed


def check(tools: Tools) -> None:
    """Can counters be read here? One load of 32 neighbouring floats: 4 sectors."""
    text = line("load4", "ffffffff", [4 * lane for lane in range(32)])
    metric = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
    counted: list[Counts] = tools.count("patterns", [metric], [text])[0]
    if [counts[metric] for counts in counted] != [4]:
        raise Stopped(f"32 neighbouring floats are 4 sectors, but ncu counts {counted}")


def main() -> None:
    """Record, or compare."""
    parser = argparse.ArgumentParser(prog="python -m tests.hardware.record", description=__doc__)
    parser.add_argument(
        "parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}; all, if none is named"
    )
    parser.add_argument(
        "--out", type=Path, metavar="FOLDER", help="where the recorded files, or what --compare finds, go"
    )
    parser.add_argument("--minutes", type=float, default=7.5, help="be done by then (7.5)")
    parser.add_argument("--compare", type=Path, nargs=2, metavar=("OLD", "NEW"), help="two folders")
    given = parser.parse_args()
    unknown = set(given.parts) - set(PARTS)
    if unknown:
        parser.error(f"no such part: {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    if given.compare:
        print(agreement.report(*given.compare))
        if given.out is not None:
            given.out.write_text(written(agreement.summary(*given.compare)), encoding="utf-8")
        return
    if given.out is None:
        parser.error("say where to record to: --out FOLDER")
    try:
        sys.exit(1 if record(given.out, given.parts or list(PARTS), given.minutes) else 0)
    except Stopped as stopped:
        sys.exit(f"nothing recorded: {stopped}")


if __name__ == "__main__":
    main()
