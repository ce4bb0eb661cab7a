"""The public language: the operations, what each takes, returns and promises, its errors and its limits."""
