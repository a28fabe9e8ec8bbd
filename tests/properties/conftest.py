"""How many random kernels are tried? A fixed few; with `--hypothesis-profile=hunt` a thousand new ones."""

from hypothesis import HealthCheck, settings

COMMON = {"deadline": None, "database": None, "suppress_health_check": list(HealthCheck)}
settings.register_profile("fixed", derandomize=True, max_examples=30, **COMMON)
settings.register_profile("hunt", max_examples=1000, **COMMON)
settings.load_profile("fixed")
