"""Certificates of exact answers: their makers, untrusted, and beside them the checker, which trusts nothing."""
