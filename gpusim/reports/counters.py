"""Which counters are there, by which name of Nsight Compute, and which ratios are made of them?"""

from __future__ import annotations

ONLY_1_X = "only on compute capability 1.x, which ncu does not know; today each sector is one"
IDEAL = "memory_l2_theoretical_sectors_global_ideal, loads and stores together"
SIDE_BY_SIDE = "sectors, had the lanes of each request that takes more accessed aligned neighbouring elements"

NCU_OPERATIONS = {"load": "ld", "store": "st", "atomic": "atom"}
Described = tuple[str, str]  # Nsight Compute's metric, what it counts


def _each_of(memory: str, kinds: str, *rows: tuple[str, str, str]) -> dict[str, Described]:
    """Rows of (what, metric, meaning) for each kind of access: `shared_load_wavefronts` and so on."""
    return {
        f"{memory}_{kind}_{what}": (metric.format(NCU_OPERATIONS[kind]), meaning.format(kind))
        for kind in kinds.split()
        for what, metric, meaning in rows
    }


COUNTERS: dict[str, Described] = {
    "instructions": ("smsp__inst_executed.sum", "warp instructions (of the IR, not SASS)"),
    "thread_instructions": ("smsp__thread_inst_executed.sum", "the same, counted by active lanes"),
    "branches": ("smsp__sass_branch_targets.sum", "branches executed by warps"),
    "divergent_branches": ("smsp__sass_branch_targets_threads_divergent.sum", "branches that split a mask"),
    **_each_of(
        "global",
        "load store",
        ("requests", "l1tex__t_requests_pipe_lsu_mem_global_op_{}.sum", "{} instructions of warps"),
        ("sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_{}.sum", "32-byte sectors they touch"),
        ("transactions", ONLY_1_X, "memory transactions that they become"),
        ("ideal_sectors", IDEAL, SIDE_BY_SIDE),
    ),
    "global_atomic_requests": (
        "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum + …_op_red.sum",
        "atomic instructions of warps",
    ),
    "global_atomic_sectors": (
        "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum + …_op_red.sum",
        "32-byte sectors they work on, each as often as lanes want one word of it",
    ),
    "global_atomic_ideal_sectors": (IDEAL, SIDE_BY_SIDE),
    **_each_of(
        "shared",
        "load store atomic",
        ("requests", "smsp__inst_executed_op_shared_{}.sum", "{} instructions of warps"),
        (
            "wavefronts",
            "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{}.sum",
            "passes through the banks that they need",
        ),
        (
            "bank_conflicts",
            "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{}.sum",
            "passes beyond the unavoidable",
        ),
    ),
    **_each_of(
        "local",
        "load store",
        ("requests", "l1tex__t_requests_pipe_lsu_mem_local_op_{}.sum", "{} instructions of warps"),
        ("sectors", "l1tex__t_sectors_pipe_lsu_mem_local_op_{}.sum", "32-byte sectors they touch"),
    ),
    "texture_requests": (
        "l1tex__t_requests_pipe_tex.sum",
        "fetches of textures, loads and stores of surfaces: instructions of warps",
    ),
    "texture_sectors": ("l1tex__t_sectors_pipe_tex.sum", "32-byte sectors of all elements that they take"),
    "constant_load_requests": ("smsp__inst_executed_op_ldc.sum", "constant load instructions of warps"),
    "constant_load_passes": ("idc__requests.sum", "passes that they take: one for each different address"),
    "atomics": (
        "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum + …_op_red.sum + "
        "smsp__inst_executed_op_shared_atom.sum",
        "atomic instructions of warps",
    ),
    "barriers": ("no metric of its own", "arrivals of warps at block barriers"),
}
# the same, of profiles with `caches=True`
CACHE_COUNTERS = {
    "l1_load_sector_hits": (
        "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
        "sectors of global loads that are in L1",
    ),
    "l1_store_sector_hits": (
        "l1tex__t_sectors_pipe_lsu_mem_global_op_st_lookup_hit.sum",
        "sectors of global stores that have a place in L1",
    ),
    "l1_local_load_sector_hits": (
        "l1tex__t_sectors_pipe_lsu_mem_local_op_ld_lookup_hit.sum",
        "sectors of local loads that are in L1",
    ),
    "l1_local_store_sector_hits": (
        "l1tex__t_sectors_pipe_lsu_mem_local_op_st_lookup_hit.sum",
        "sectors of local stores that have a place in L1",
    ),
    "texture_sector_hits": (
        "l1tex__t_sectors_pipe_tex_lookup_hit.sum",
        "sectors of textures and surfaces that are in the texture cache",
    ),
    "l2_load_sectors": ("lts__t_sectors_srcunit_tex_op_read.sum", "sectors that L1 asks of L2"),
    "l2_load_sector_hits": ("lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum", "those that are in L2"),
    "l2_store_sectors": ("lts__t_sectors_srcunit_tex_op_write.sum", "sectors written to L2"),
    "l2_atomic_sectors": (
        "lts__t_sectors_srcunit_tex_op_atom.sum + …_op_red.sum",
        "sectors on which L2 performs atomics",
    ),
    "l2_atomic_sector_hits": (
        "lts__t_sectors_srcunit_tex_op_atom_lookup_hit.sum + …_op_red_lookup_hit.sum",
        "those that are in L2",
    ),
    "dram_load_sectors": ("dram__sectors_read.sum", "sectors read from DRAM"),
    "dram_store_sectors": ("dram__sectors_write.sum", "sectors written to DRAM: those that left L2"),
    "constant_load_pass_hits": (
        "idc__requests_lookup_hit.sum",
        "passes that find their line in the constant cache",
    ),
}
# ratio -> (counters above the line, counters below, Nsight Compute's metric, what it says)
RATIOS = {
    "active_lanes_per_instruction": (
        ("thread_instructions",),
        ("instructions",),
        "smsp__thread_inst_executed_per_inst_executed.ratio",
        "the warp size means no divergence",
    ),
    "sectors_per_request": (
        ("global_load_sectors", "global_store_sectors"),
        ("global_load_requests", "global_store_requests"),
        "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio, …_op_st.ratio",
        "4 is ideal for 32 lanes of 4 bytes",
    ),
    "shared_wavefronts_per_request": (
        ("shared_load_wavefronts", "shared_store_wavefronts"),
        ("shared_load_requests", "shared_store_requests"),
        "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_… / smsp__inst_executed_op_shared_…, ld and st",
        "1 is ideal for lanes of up to 4 bytes",
    ),
}
CACHE_RATIOS = {
    "l1_hit_rate": (
        (
            "l1_load_sector_hits",
            "l1_store_sector_hits",
            "l1_local_load_sector_hits",
            "l1_local_store_sector_hits",
        ),
        ("global_load_sectors", "global_store_sectors", "local_load_sectors", "local_store_sectors"),
        "l1tex__t_sector_hit_rate.pct / 100",
        "part of the sectors of global and local loads and stores",
    ),
    "l1_load_hit_rate": (
        ("l1_load_sector_hits",),
        ("global_load_sectors",),
        "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum / …_op_ld.sum",
        "part of the sectors of global loads",
    ),
    "l2_load_hit_rate": (
        ("l2_load_sector_hits",),
        ("l2_load_sectors",),
        "lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum / …_op_read.sum",
        "part of the sectors that L1 asks of L2",
    ),
}
ALL_RATIOS = RATIOS | CACHE_RATIOS


def names(*, caches: bool = False) -> list[str]:
    """Counters first, then ratios, with those of the cache model or without."""
    of_caches = [*CACHE_COUNTERS], [*CACHE_RATIOS]
    return [*COUNTERS, *(of_caches[0] * caches), *RATIOS, *(of_caches[1] * caches)]
