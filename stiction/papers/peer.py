"""MuJoCo next to our models, for scenes of one body on a plane."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

NAME = "MuJoCo"
MODEL = """
<mujoco>
  <option timestep="{dt}" cone="elliptic" solver="Newton" integrator="implicitfast"
          gravity="{gravity}"/>
  <worldbody>
    <geom name="ground" type="plane" size="5 5 1" friction="{mu} 0 0" condim="{condim}"/>
    <body name="body" pos="0 0 {height}">
      <freejoint/>
      <geom name="shape" type="{kind}" size="{size}" mass="{mass}" friction="{mu} 0 0"
            condim="{condim}"/>
    </body>
  </worldbody>
</mujoco>
"""


class Peer(NamedTuple):
    """A body on the plane z = 0: half sizes as MuJoCo takes them."""

    kind: str  # "sphere" or "box"
    size: tuple[float, ...]  # [m]
    mass: float  # [kg]
    height: float  # of its centre at the start [m]
    velocity: tuple[float, float, float] = (0.0, 0.0, 0.0)  # [m/s]
    mu: float = 0.5
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)  # [m/s2]


class PeerMotion(NamedTuple):
    """What MuJoCo computed, rows as in a `Motion`."""

    time: np.ndarray  # (n + 1)
    q: np.ndarray  # (n + 1, 7)
    v: np.ndarray  # (n + 1, 6)
    force: np.ndarray  # (n, 3) of the ground on the body [N]


def mujoco_motion(peer: Peer, duration: float, dt: float) -> PeerMotion:
    """Simulate a body with MuJoCo's default contact; friction along the plane alone."""
    import mujoco

    values = {**peer._asdict(), "dt": dt, "condim": 3}
    for name in ("size", "gravity"):
        values[name] = " ".join(f"{x:.17g}" for x in values[name])
    model = mujoco.MjModel.from_xml_string(MODEL.format(**values))
    state = mujoco.MjData(model)
    state.qvel[:3] = peer.velocity
    n = round(duration / dt)
    q, v, force = np.zeros((n + 1, 7)), np.zeros((n + 1, 6)), np.zeros((n, 3))
    q[0], v[0] = state.qpos, state.qvel
    for k in range(n):
        mujoco.mj_step(model, state)
        q[k + 1], v[k + 1] = state.qpos, state.qvel
        force[k] = peer.mass * ((v[k + 1] - v[k])[:3] / dt - np.array(peer.gravity))
    return PeerMotion(dt * np.arange(n + 1), q, v, force)
