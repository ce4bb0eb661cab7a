"""The generators of the test vectors: each asserts the edge that its cases are there for."""
