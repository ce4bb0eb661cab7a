"""What a run amounts to, in all formats."""
