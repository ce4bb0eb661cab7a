"""Why an implementation fails: its failures by proven causes, and by kinds of input."""
