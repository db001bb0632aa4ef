"""One robot as a Gymnasium environment."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np

from stiction.errors import InputError, SimulationError
from stiction.gym.episodes import Episodes
from stiction.learn.options import checked_options
from stiction.render.live import LiveCamera
from stiction.simulation.simulation import Simulation

PICTURE = (480, 480)  # [pixels]


def spaces_of(episodes: Episodes) -> tuple[gymnasium.spaces.Box, gymnasium.spaces.Box]:
    """Spaces of observations and actions of one world."""
    shape = (episodes.setup.observed,)
    observations = gymnasium.spaces.Box(-np.inf, np.inf, shape, np.float32)
    return observations, gymnasium.spaces.Box(-1.0, 1.0, (len(episodes.setup.names),), np.float32)


class LeggedEnv(gymnasium.Env):
    """A legged robot that stands, walks, is pushed or walks over rough ground.

    Options, all by keyword:

        robot        a `Robot`, the name of a built-in one, or a model file ("hoap1")
        task         "stand", "walk", "push", "rough", or a `Task` ("stand")
        contact      the contact model (that of `Simulation`)
        dt           time step (0.002) [s]
        rate         of actions (50), whole steps of dt apart [Hz]
        episode      longest episode (10) [s]
        scale        set-point for an action of 1, from home (0.5) [rad]
        stiffness    of servos (2 m g h) [N m/rad]
        damping      of servos (0.08 s times the stiffness) [N m s/rad]
        actuators    True: actions drive the actuators of the model file, over their ranges
        smooth       weight of the change of the action in the reward (0.1)

    `learn/formulas.py` defines actions, observations, reward and the end of an episode. A step that
    diverges ends the episode; `info["failure"]` says why. With `render_mode="rgb_array"`, `render`
    returns a picture; pictures need EGL.
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 50}

    def __init__(self, render_mode: str | None = None, **options: Any) -> None:
        """Make the world; see the class for the options."""
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise InputError(f"render_mode: found {render_mode!r}; give 'rgb_array' or None")
        self.render_mode = render_mode
        given = checked_options(options)
        self.episodes = Episodes(1, given)
        setup = self.episodes.setup
        self.metadata = self.metadata | {"render_fps": round(setup.rate)}
        self.simulation = Simulation(
            setup.world,
            given["contact"],
            self.episodes.dt,
            setup.standing,
            controller=setup.controller,
        )
        self._target = setup.written_to(self.simulation.controllers)
        self.observation_space, self.action_space = spaces_of(self.episodes)
        self._torque = np.zeros(setup.world.nv)
        self._begun = False
        self._camera: LiveCamera | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin an episode."""
        super().reset(seed=seed)
        state = self.episodes.begin(0, self.np_random)
        self.simulation.state = state
        self._begun = True
        return self._observed(), {"command": self.episodes.commands[0].copy()}

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Let an action act for the time of one."""
        if not self._begun:
            raise gymnasium.error.ResetNeeded("step() before reset(): call reset() first")
        episodes, simulation = self.episodes, self.simulation
        actions = episodes.setup.checked(action)
        self._target[:] = episodes.setup.formulas.set_points(actions)[0]
        self._torque[:2] = episodes.pushes(0, self.np_random)
        before, info = simulation.state, {}
        well = np.array([True])
        try:
            simulation.step(self._torque, n=episodes.every)
        except SimulationError as failure:
            well[0], info["failure"] = False, str(failure)
            simulation.state = before  # observations stay finite
        q, v = simulation.q[None], simulation.v[None]
        reward, terminated, truncated = episodes.finish(q, v, actions, well)
        return (
            self._observed(),
            float(reward[0]),
            bool(terminated[0]),
            bool(truncated[0]),
            info | {"command": episodes.commands[0].copy()},
        )

    def render(self) -> np.ndarray | None:
        """A picture of the robot, (480, 480, 3), if `render_mode` is "rgb_array"."""
        if self.render_mode is None:
            return None
        if self._camera is None:
            self._camera = LiveCamera(self.simulation, size=PICTURE, legend=False)
        return self._camera.picture()

    def close(self) -> None:
        """Free what pictures need."""
        if self._camera is not None:
            self._camera.close()
            self._camera = None

    def _observed(self) -> np.ndarray:
        return self.episodes.observe(self.simulation.q[None], self.simulation.v[None])[0]
