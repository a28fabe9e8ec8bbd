"""What did my kernel do? Counters, tables and pictures of what launches in `gpusim.profile() as run`."""

from gpusim.profile.run import Run, profile

__all__ = ["Run", "profile"]
