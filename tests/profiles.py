"""How much Hypothesis draws: always the same examples by default, `make explore` other and more of them each time."""

import os
from collections.abc import Iterable

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

EXAMPLES = 25
"""How many examples a test draws that does not say so itself."""

EXPLORE = "TPLORACLE_EXPLORE"
"""The variable of the environment that makes the draws random, and every test draw so many times its examples."""

FACTOR = int(os.environ.get(EXPLORE, "0"))
"""How many times its examples a test draws, at random; 0 for its examples, derandomised."""


def examples(number: int, **options: object) -> settings:
    """Return the settings of a test that draws so many examples, in an exploration times its factor."""
    return settings(max_examples=number * (FACTOR or 1), **options)


def some(values: Iterable[object], every: int) -> list[object]:
    """Return the values of a parameter; `make test` tries only the first of each so many, CI half of the others too."""
    found, others = list[object](), 0
    for number, value in enumerate(values):
        others += (is_other := number % every > 0)
        mark = pytest.mark.slow if others % 2 else pytest.mark.exhaustive
        found.append(pytest.param(value, marks=mark) if is_other else value)
    return found


def load() -> None:
    """Load the profile: what is drawn depends on the test alone, or on the seed, on nothing that ran before it."""
    name = "explore" if FACTOR else "same"
    settings.register_profile(
        name,
        max_examples=EXAMPLES * (FACTOR or 1),
        deadline=None,
        derandomize=not FACTOR,
        database=None,
        print_blob=bool(FACTOR),
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )
    settings.load_profile(name)
    # Hypothesis draws constants from the source of the modules that happen to be imported when it draws, so that a test
    # would draw one thing after the tests before it and another alone. No setting of it leaves them out.
    providers.HypothesisProvider._local_constants = providers.Constants()


def repeated(seed: object, *tests: str) -> str:
    """Return the command that draws the same again."""
    return " ".join([f"SEED={seed} FACTOR={FACTOR} make explore", *(f"TESTS='{test}'" for test in tests)])
