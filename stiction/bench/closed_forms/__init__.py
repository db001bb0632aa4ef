"""Scenes with closed-form solutions, and the errors of one contact model in them.

Each scene is a function of a `Trial`: one contact model with one integrator and time step. It
returns the worst value of each measure over all of its cases. A measure is None if the model lacks
the parameter.
"""
