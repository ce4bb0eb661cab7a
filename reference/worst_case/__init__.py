"""The exact worst case over all mechanisms: the sweep, what it gives for times, windows, suprema and budgets."""
