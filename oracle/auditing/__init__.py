"""The audit: all that is worth knowing of users' matrices, and where double arithmetic goes wrong on them."""
