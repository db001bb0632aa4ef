"""Parameters found by search."""
