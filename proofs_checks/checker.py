"""The certificate checker under its public name; `tploracle.certificates.checker` is the one file that it is."""

from ..certificates.checker import *  # noqa: F403
