"""Processes: signals and limits of time, and what a tree of processes has used."""
