"""Other ways to the numbers of the reference, none of them trusted."""
