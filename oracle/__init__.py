"""tploracle: the correctness oracle for temporal privacy leakage."""

__version__ = "0.1.0"
