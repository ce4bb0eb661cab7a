"""The paper item by item: its algorithms, recursions, suprema, allocation, composition and utility."""
