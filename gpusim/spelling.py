"""What is it called in the reader's language? Hints are written in Python's names, of which C++ has others.

>>> spelled("cuda.syncwarp() between the two would order lanes of one warp", "C++")
'__syncwarp() between the two would order lanes of one warp'
"""

from __future__ import annotations

import re

PYTHON, CPP = "Python", "C++"
# language -> what a hint says, and how it is said to those who write that language
SPELLINGS: dict[str, dict[str, str]] = {
    PYTHON: {},
    CPP: {
        "cuda.syncthreads()": "__syncthreads()",
        "cuda.syncwarp()": "__syncwarp()",
        "cuda.threadfence()": "__threadfence()",
        "cuda.atomic": "atomicAdd or its like",
        "`cuda.shared.array(0, dtype)`": "`extern __shared__ float tile[]`",
        "cuda.atomic.block": "a function such as atomicAdd_block",
        "on a GPU, Numba checks this with debug=True only": "a GPU ends the launch here, too, with an error",
    },
}


def spelled(hint: str, language: str) -> str:
    """The hint in the words of a language."""
    words = SPELLINGS[language]
    longest_first = sorted(map(re.escape, words), key=len, reverse=True)
    return re.sub("|".join(longest_first), lambda found: words[found[0]], hint) if words else hint
