"""The paper's claims, each with its verdict and its evidence."""
