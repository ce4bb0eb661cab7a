"""The paper's experiments, Section 6 and the figures before it: data, pictures, and what becomes of each sentence."""
