"""Fast exact methods for L(α) and for the whole loss function."""
