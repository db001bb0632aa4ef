"""A user's own impulse solver, in a file of the user's: it runs and is right."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import stiction

PACKAGE = Path(stiction.__file__).parent
SOLVER = '''
"""Projected Gauss-Seidel, the plainest solver there is."""

from typing import Annotated, NamedTuple

from stiction.contact.contact_model import (
    CONE_PER_POINT,
    IMPULSE_SOLVER,
    NO_PULL,
    Parameter,
    contact_model,
    parameters,
    vector,
)
from stiction.kernels.response import delassus, free_velocity
from stiction.kernels.vectors import add, dot, scale, store_vector, sub, transform
from stiction.kernels.tree import OK


class Plain(NamedTuple):
    mu_kinetic: Annotated[float, Parameter("", low=0)] = 0.5
    sweeps: Annotated[float, Parameter("", low=1)] = 400.0


@contact_model(Plain, promises=(CONE_PER_POINT, NO_PULL), family=IMPULSE_SOLVER)
def plain(params, dynamics, contact, memory, work, dt):
    count, response = contact.count[0], work.response
    for i in range(count):
        store_vector(contact.impulse, i, (0.0, 0.0, 0.0))
    for _ in range(int(params.sweeps)):
        for i in range(count):
            n, G = vector(contact.normal, i), delassus(contact, response, i, i)
            v = add(free_velocity(contact, response, i), scale(-contact.least_velocity[i], n))
            for j in range(count):
                v = add(v, transform(delassus(contact, response, i, j), vector(contact.impulse, j)))
            rate = 1.0 / (G[0][0] + G[1][1] + G[2][2])
            y = sub(vector(contact.impulse, i), scale(rate, v))
            normal = max(dot(n, y), 0.0)
            y = sub(y, scale(dot(n, y), n))
            size = dot(y, y) ** 0.5
            p = parameters(params, contact.table, contact.pair[i])
            limit = p.mu_kinetic * normal
            if size > limit:
                y = scale(limit / size, y)
            store_vector(contact.impulse, i, add(scale(normal, n), y))
    return OK
'''
SCRIPT = """
import json
import stiction as st
from plain import Plain

assert st.__file__.startswith({package!r})
world = st.World(st.robots.brick())
found = {{}}
for name, velocity in (("lands", [0.0, 0.0, -0.5]), ("slides", [1.0, 0.5, 0.0])):
    for model in {models}:
        state = world.standing(above=1e-4 if name == "lands" else -1e-6)
        state.v[:3] = velocity
        motion = st.simulate(world, model, duration=0.02, dt=0.001, state=state)
        force = motion.force[:-1].sum(axis=1).tolist()
        found[name, type(model).__name__] = [motion.v.tolist(), force, motion.q[-1].tolist()]
print(json.dumps([[*key, *value] for key, value in found.items()]))
"""


def run(folder, models):
    """What the script finds, in a process of its own: {(case, model): (v, force, last q)}."""
    path = [str(PACKAGE.parent), str(folder)]
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(package=str(PACKAGE.parent), models=models)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)
    return {(row[0], row[1]): [np.array(part) for part in row[2:]] for row in rows}


@pytest.mark.interpreted
def test_a_users_solver_runs_and_is_right(tmp_path):
    """It agrees with Coulomb on a brick that lands and one that slides."""
    (tmp_path / "plain.py").write_text(SOLVER)
    found = run(tmp_path, "(Plain(), st.Coulomb())")
    for case in ("lands", "slides"):
        own, ours = found[case, "Plain"], found[case, "Coulomb"]
        for part, tolerance in zip(range(3), (1e-6, 1e-3, 1e-8), strict=True):
            assert np.abs(own[part] - ours[part]).max() < tolerance, (case, part)
    braked = np.linalg.norm([1.0, 0.5]) - np.linalg.norm(found["slides", "Plain"][0][-1, :2])
    assert np.isclose(braked, 0.5 * 9.81 * 0.02, rtol=1e-6)
