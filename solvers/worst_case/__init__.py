"""Fast exact methods for the worst case over all mechanisms, filtered in doubles."""
