"""Checks that a user's contact model stays within its arrays, before compiled code runs it."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np

from stiction.compiler.compiled import as_python
from stiction.compiler.user_errors import is_ours
from stiction.contact.contact_model import MODELS
from stiction.errors import SimulationError
from stiction.promises.bodies import plate, thrown
from stiction.promises.law import Setting, run
from stiction.robots import brick
from stiction.world.world import World

STEPS = 3


def check_indices(model: Any, setting: Setting) -> None:
    """Run a model for a few steps on some and on all points of a body, without the compiler.

    Raises BoundsError with the line of a wrong index. Models of this package are left out: tests
    do the same with them.
    """
    if is_ours(as_python(MODELS[type(model)].kernel)):
        return
    some, every = World(brick(mass=setting.mass)), World(plate(4, total_mass=setting.mass))
    states = [(some, some.standing(above=-1e-3)), (every, every.standing(above=-1e-3))]
    states.append((some, thrown(some, np.random.default_rng(3), tilt=0.3, above=-1e-3)))
    for world, state in states:
        with contextlib.suppress(SimulationError):  # what the model does is for the laws to judge
            run(world, model, state, setting.dt / 10, STEPS, checked=True)
