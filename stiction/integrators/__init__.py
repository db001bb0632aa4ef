"""Integrators: how a step advances the state, as values to pass to `simulate`."""
