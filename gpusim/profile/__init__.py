"""What did my kernel do? Counters, tables and pictures of what launches in `gpusim.profile() as run`."""

from gpusim.profile.profiling import profile
from gpusim.profile.run import Run

__all__ = ["Run", "profile"]
