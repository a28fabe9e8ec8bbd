"""What the tests answer where a lab asks for a prediction: lab, cell, value of the box."""

PREDICTIONS = {
    "coalescing": {
        "predict-moments": {"of 12 bytes": 12, "of 20 bytes": 20},
        "predict-unit-vectors": 12,
        "predict-transpose": {
            "loads of column_sums, 32 lanes": 32,
            "loads of column_sums, 64 lanes": 64,
            "stores of transpose, 32 lanes": 32,
            "stores of transpose, 64 lanes": 32,
        },
    },
    "device-runtime": {
        "predict-deal": 69,
        "predict-levels": 8,
        "predict-spread": 71,
        "predict-histogram": 0,
    },
    "divergence-and-masks": {
        "predict-efficiency": {"on 32 lanes": 0.6, "on 64 lanes": 0.3},
        "predict-two-filters": {"in the starter": 17, "with halves of a block of 32": 17},
        "predict-gate-noise": 256,
        "predict-work-order": 9,
    },
    "cooperative-groups": {
        "predict-rest-of": {"tile of 8": 3, "tile of 64": 6},
        "predict-peak": 8,
        "predict-prizes": 2,
    },
    "independent-thread-scheduling": {
        "predict-above": "many",
        "predict-running-sums": 2,
        "predict-spread-of-warp": {"all 32": 5, "all 64": 6},
    },
    "inside-a-multiprocessor": {
        "predict-follow": {"in the starter": 68, "at least": 17},
        "predict-launch-for": {"in the starter": 2, "at most": 16},
        "predict-stalls": "for a pipe",
        "predict-relax": 8,
    },
    "memory-across-launches": {
        "predict-shares": "in a tail launch",
        "predict-smooth": "the next grid in the stream of `window`",
        "predict-merge": 5,
        "predict-rooms": "one of the child's, behind the last read of all",
    },
    "occupancy": {
        "predict-block-for": {"blocks of 256": 25, "blocks of 160": 31.25},
        "predict-calibrate": {"on an H200": 4, "on a MetaX C500": 1},
        "predict-launch-anywhere": {"H200": 1056, "T4": 160},
    },
    "on-chip-memory": {
        "predict-selected": {
            "V100, 50 %, a block of 80 KB": 96,
            "V100, 0 %, a block of 40 KB": 64,
            "T4, 0 %, a block of 40 KB": 64,
        },
        "predict-permute": 13,
        "predict-tile-floats": 56,
        "predict-percent-for": {"KB of L1": 32, "% of the loads that hit": 0},
        "predict-upsample": {"weights": 4, "passes": 4},
    },
    "parent-and-child-grids": {
        "predict-visit": 1,
        "predict-settle": {"questions": 8, "quarters": 1},
        "predict-normalise": 0,
    },
    "scaling": {
        "predict-negative": {"the first thread": 4, "the last thread": 1},
        "predict-jobs": {"in turn": 5400, "in equal shares": 1620},
    },
    "shared-memory-and-banks": {
        "predict-pitch": {"with 32 columns": 32, "with 31 columns": 1},
        "predict-slot": {"banks": 1, "rows": 1},
        "predict-tally": 32,
    },
    "synchronisation": {
        "predict-pipeline": 4,
        "predict-queue": 6,
        "predict-total-of": 5,
    },
    "threads-warps-and-waves": {
        "predict-find-place": {
            "linear number": 43,
            "warp of 32": 1,
            "lane of 32": 11,
            "warp of 64": 0,
            "lane of 64": 43,
        },
        "predict-count-warps": {
            "warps of 32": 5,
            "idle lanes with 32": 10,
            "warps of 64": 3,
            "idle lanes with 64": 42,
        },
        "predict-calibrate": {"with 32 lanes": 25, "with 64 lanes": 50},
        "predict-scale-all": 512,
        "predict-subtract-base": 72,
    },
    "wide-loads": {
        "predict-plan": {"rows 44 bytes apart": 4, "rows 48 bytes apart": 8},
        "predict-square-range": {"whole pairs": 499, "elements left over": 2},
        "predict-distances": 11,
        "predict-ranges": {"of 1,024 threads": 1, "of 256 threads": 6},
    },
}
