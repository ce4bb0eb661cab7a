"""The command line: a file per command, and what they share."""
