"""What users have in files: matrices, counts, sequences, budgets and users; every error with its place."""
