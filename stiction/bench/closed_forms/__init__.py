"""Scenes whose motion is known in closed form, and how far one contact model is from it.

Each scene is a function of a `Trial`, one contact model with one integrator and time step; it
returns the worst of each of its measures over all of its cases. A measure is None where the model
has no such parameter.
"""
