"""What an implementation is asked: cases, the run, and the program at arm's length."""
