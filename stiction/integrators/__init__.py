"""Integrators: how a step advances the state, as values to pass to `simulate`.

Importing any of them declares all of ours, so that they are known by name.
"""

from stiction.integrators import midpoint, runge_kutta, semi_implicit

__all__ = ["midpoint", "runge_kutta", "semi_implicit"]
