"""The claims of the paper with their evidence, a file an idea, named after its chapter: `leakage_…`, `lfp_…`."""
