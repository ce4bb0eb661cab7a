"""From an answer to its verdict: what was answered, what is true, and the judge."""
