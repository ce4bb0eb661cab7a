"""Wrong implementations, drawn: where they are wrong, and how; and how many of them a run of `conform` finds."""
