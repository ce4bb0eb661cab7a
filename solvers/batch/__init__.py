"""The same numbers for many users at once, as arrays, each between two doubles."""
