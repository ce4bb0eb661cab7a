"""Linear programs by CBC, HiGHS and z3, and enumeration: other ways to the loss, for cross-checks."""
