"""The contract in JSON: numerals, requests, values, the line protocol, and Python objects put on it."""
