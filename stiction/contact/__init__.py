"""Contact models: how the force at a touching point is computed, as values for `simulate`."""
