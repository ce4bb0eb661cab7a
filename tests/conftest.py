"""Hypothesis profiles: "small" by default, "deep" where CI is set in the environment."""

import os

from hypothesis import HealthCheck, settings

_SLOW_BY_NATURE = [HealthCheck.too_slow, HealthCheck.data_too_large]

settings.register_profile("small", max_examples=25, deadline=None, suppress_health_check=_SLOW_BY_NATURE)
settings.register_profile(
    "deep", max_examples=150, deadline=None, suppress_health_check=_SLOW_BY_NATURE, derandomize=False, print_blob=True
)
settings.load_profile("deep" if os.environ.get("CI") else "small")
