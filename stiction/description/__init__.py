"""Model files -> one plain, checked `Description`."""
