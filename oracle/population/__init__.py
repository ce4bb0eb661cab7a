"""A whole population: one row of leakage, suprema and budgets for each of millions of users, in chunks."""
