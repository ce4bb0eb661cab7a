"""All flags: the fact of each here, and in flags.json, which is written by hand, what its cases catch."""

from __future__ import annotations

from .flags_of_answers import FLAGS_OF_ANSWERS
from .flags_of_inputs import FLAGS_OF_INPUTS
from .flags_of_profile import FLAGS_OF_PROFILE
from .flags_of_steps import FLAGS_OF_STEPS
from .flags_of_tight import FLAGS_OF_TIGHT

_OWN = (FLAGS_OF_INPUTS, FLAGS_OF_ANSWERS, FLAGS_OF_STEPS, FLAGS_OF_TIGHT, FLAGS_OF_PROFILE)

FLAGS = {name: fact for own in _OWN for name, fact in own.items()}
"""The fact of every flag of the vectors, by name."""

if len(FLAGS) < sum(map(len, _OWN)):
    raise ValueError("a flag has two facts")
