"""What does a name of `cuda` do? A line for each function or family, which `help(cuda.syncthreads)` shows."""

from __future__ import annotations

# what a name begins with -> what it does; the first that fits counts
DESCRIPTIONS = {
    "gridsize": "How many threads the grid has, along each of `ndim` dimensions.",
    "grid": "This thread's number in the whole grid, along each of `ndim` dimensions.",
    "syncthreads_": "Wait for all threads of the block, and ask whose predicate is not zero.",
    "syncthreads": "Wait for all threads of the block, and see what they wrote before.",
    "syncwarp": "Wait for the lanes that the mask names, and see what they wrote before.",
    "threadfence": "Writes before it are seen before those after it: by the block, the device, the system.",
    "nanosleep": "Let other warps run for a while.",
    "shared.": "An array that a block shares, of constant shape; 0: of the bytes that the launch gives.",
    "local.": "An array of each thread's own, of constant shape.",
    "const.": "The host's array as constants, which kernels can only read.",
    "ld": "Read an element, with the cache operator of PTX that the name ends in.",
    "st": "Write an element, with the cache operator of PTX that the name ends in.",
    "atomic.cas": "As one: write `value` where the element is `old`. Gives what was there before.",
    "atomic.compare": "As one: write `value` where the first element is `old`. Gives what was there before.",
    "atomic.": "Change the element as one: no other thread comes in between. Gives what was there before.",
    "literal_unroll": "A tuple of several types: a loop over it is written out, a copy for each item.",
    "shfl_": "The value that another lane passes, for each lane of the mask.",
    "ballot_": "A bit for each lane of the mask, set where the predicate is not zero.",
    "all_": "Is the predicate not zero for all lanes of the mask?",
    "any_": "Is the predicate not zero for a lane of the mask?",
    "eq_": "Is the predicate zero for all lanes of the mask, or for none?",
    "match_": "The lanes of the mask that pass an equal value, a bit each.",
    "activemask": "The lanes of the warp that execute this together, a bit each.",
    "lanemask_lt": "The lanes of the warp with a lower number, a bit each.",
    "cg.tiled": "The tile of `size` threads, a power of two, that this thread of the group is in.",
    "cg.memcpy_async": "Copy `count` elements to shared memory, and go on meanwhile; wait before use.",
    "cg.thread_block.barrier_wait": "Wait for those who came to the barrier when the token was given, once.",
    "cg.": "A combination of two values, for reductions and scans.",
    "popc": "How many bits are 1?",
    "clz": "How many bits are 0 above the highest 1?",
    "brev": "The bits in reverse order.",
    "ffs": "The position of the lowest 1, counted from 1; 0 if there is none.",
    "fma": "a * b + c, rounded once.",
    "selp": "a where the condition holds, else b.",
}


def description(name: str) -> str:
    """The line for a function; empty where its name says it."""
    return next((text for begins, text in DESCRIPTIONS.items() if name.startswith(begins)), "")
