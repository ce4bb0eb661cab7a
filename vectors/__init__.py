"""The test vectors: JSON files, one for each operation; README.md says how to read them."""
