"""Which functions does CUDA have that this machine does not offer, and what can a kernel do instead?"""

from __future__ import annotations

from gpusim.frontends.cuda_cpp import texts

REFUSED, FAMILIES = (texts.table("functions/refused_functions", name) for name in ("functions", "families"))


def reason(name: str) -> str | None:
    """Why a function is refused, and what to do; None where CUDA has no such function."""
    begins = (why for beginning, why in FAMILIES.items() if name.startswith(beginning))
    return REFUSED.get(name) or next(begins, None)
