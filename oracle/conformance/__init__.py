"""Conformance: an implementation is asked what it can do, and each of its answers is judged."""
