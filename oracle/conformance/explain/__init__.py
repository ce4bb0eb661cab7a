"""Why an implementation fails: groups of failures and their likely causes."""
