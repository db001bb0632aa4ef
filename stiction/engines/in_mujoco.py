"""MuJoCo: tasks in its own models, with its default or with better settings.

Servos act as forces on the joints, and their damping as damping of the joints, which MuJoCo takes
implicitly. Restitution has no parameter in MuJoCo: contact becomes a spring and a damper that
return that fraction of the speed if the force of contact does not pull (Schwager and Poeschel,
"Coefficient of restitution and linear-dashpot model revisited", 2007).
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from stiction.engines.belt import on_ground_at_rest
from stiction.engines.engine import Ran, Servos, Task
from stiction.engines.mujoco_model import Built, Touching, build
from stiction.engines.pushes import Pushes, pushes_of
from stiction.engines.session import Touch, ran_of
from stiction.errors import DivergenceError, InputError
from stiction.kernels.tree import PRISMATIC, REVOLUTE
from stiction.world.world import World

if TYPE_CHECKING:
    from mujoco import MjData, MjSpec

SOLREF, SOLIMP = (0.02, 1.0), (0.9, 0.95, 0.001, 0.5, 2.0)  # MuJoCo's defaults
SETTINGS: dict[str, dict[str, object]] = {
    "default": {},
    "elliptic": {"cone": "elliptic", "integrator": "implicitfast"},
    "tuned": {
        "cone": "elliptic",
        "impratio": 100.0,
        "tolerance": 1e-12,
        "integrator": "implicitfast",
        "solref, in steps and damping ratio": (2.0, 2.0),
        "solimp": (0.99, 0.999, 0.001, 0.5, 2.0),
    },
}
BOUNCE = {"default": 10.0, "elliptic": 10.0, "tuned": 20.0}  # steps that an elastic contact lasts
FASTEST = 1e8  # a run that is faster has diverged [rad/s or m/s]
TEST = 100  # steps between two tests for that


class MuJoCo:
    """The adapter of MuJoCo."""

    name = "MuJoCo"
    settings: Mapping[str, Mapping[str, object]] = SETTINGS

    def version(self) -> str:
        """The installed version."""
        import mujoco

        return str(mujoco.__version__)

    def run(self, task: Task, setting: str = "default") -> Ran:
        """Simulate a task; an InputError names what MuJoCo cannot represent."""
        if setting not in SETTINGS:
            raise InputError(
                f"engine 'mujoco': no setting '{setting}'; choose among {', '.join(SETTINGS)}"
            )
        resting, told = on_ground_at_rest(task)
        built = model_of(resting, setting)
        return told(_simulated(resting, built))


ENGINE = MuJoCo()


# -------------------------------------------------------------------------------------------- model


def model_of(task: Task, setting: str = "default") -> Built:
    """The model of a task, with the damping of its servos."""
    import mujoco

    spec = mujoco.MjSpec()
    touching = _choose_options(spec, task, setting)
    try:
        built = build(spec, task.world, touching)
    except ValueError as error:
        told = " ".join(str(error).split())
        raise InputError(f"engine 'mujoco': its compiler refuses the model: {told}") from error
    if setting == "tuned":  # joints stop and hold as firmly as contacts
        built.model.jnt_solref[:] = built.model.dof_solref[:] = touching.solref
        built.model.jnt_solimp[:] = built.model.dof_solimp[:] = touching.solimp
    if task.servos is not None:
        dofs = built.v[_dofs(task.world, task.servos)]
        built.model.dof_damping[dofs] += task.servos.damping
    return built


def _choose_options(spec: MjSpec, task: Task, setting: str) -> Touching:
    """Set the options of a setting; returns the parameters of contact."""
    import mujoco

    chosen: dict[str, Any] = SETTINGS[setting]
    spec.option.timestep = task.dt
    spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_AUTORESET
    if "cone" in chosen:
        spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    if "integrator" in chosen:
        spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.impratio = chosen.get("impratio", spec.option.impratio)
    spec.option.tolerance = chosen.get("tolerance", spec.option.tolerance)
    steps, ratio = chosen.get("solref, in steps and damping ratio", (None, None))
    solref = SOLREF if steps is None else (steps * task.dt, ratio)
    if task.restitution > 0:
        solref = elastic(task.restitution, BOUNCE[setting] * task.dt)
        if setting == "tuned":
            spec.option.integrator = mujoco.mjtIntegrator.mjINT_RK4
    return Touching(task.mu, solref, chosen.get("solimp", SOLIMP))


def elastic(restitution: float, duration: float) -> tuple[float, float]:
    """MuJoCo's negative solref: stiffness and damping over mass of a contact that bounces."""
    frequency = math.pi / duration  # of the undamped spring [rad/s]
    low, high = 0.0, 1e3
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if returned(middle) > restitution else (low, middle)
    return -(frequency**2), -2 * low * frequency


def returned(ratio: float) -> float:
    """Restitution of a spring and damper of this damping ratio that do not pull."""
    if ratio == 1.0:
        return math.exp(-2.0)
    root = math.sqrt(abs(1 - ratio * ratio))
    if ratio < 1:
        angle = math.pi - math.atan2(2 * ratio * root, root * root - ratio * ratio)
        return math.exp(-ratio / root * angle)
    return math.exp(-ratio / root * math.log((ratio + root) / (ratio - root)))


def _dofs(world: World, servos: Servos) -> np.ndarray:
    """The velocities that servos drive."""
    found = []
    for name in servos.joints:
        link = world.joint(name)
        if world.tree.joint_type[link] not in (REVOLUTE, PRISMATIC):
            raise InputError(f"servos: joint '{name}' is neither a hinge nor a slide")
        found.append(int(world.tree.v_index[link]))
    return np.array(found, int)


# ----------------------------------------------------------------------------------------- stepping


class _Drive(NamedTuple):
    """Servos in MuJoCo's coordinates."""

    q: np.ndarray  # (joints) places in qpos
    v: np.ndarray  # (joints) places in qvel
    wanted: np.ndarray  # (steps, joints): torque + stiffness q_reference + damping v_reference
    stiffness: np.ndarray
    damping: np.ndarray
    lower: np.ndarray  # limits of effort
    upper: np.ndarray

    def apply(self, data: MjData, k: int) -> None:
        """Add the forces of step k; the damping that the joint has is taken out of the limits."""
        passive = self.damping * data.qvel[self.v]
        torque = self.wanted[k] - self.stiffness * data.qpos[self.q] - passive
        data.qfrc_applied[self.v] += np.clip(torque, self.lower, self.upper) + passive


def _drive(task: Task, built: Built) -> _Drive | None:
    servos, tree = task.servos, task.world.tree
    if servos is None:
        return None
    for name in ("q", "v", "torque"):
        if len(getattr(servos, name)) < task.steps:
            raise InputError(
                f"servos: {name} has {len(getattr(servos, name))} rows for {task.steps} steps"
            )
    dofs = _dofs(task.world, servos)
    return _Drive(
        q=built.q[tree.dof_q[dofs]],
        v=built.v[dofs],
        wanted=servos.torque + servos.stiffness * servos.q + servos.damping * servos.v,
        stiffness=np.asarray(servos.stiffness, float),
        damping=np.asarray(servos.damping, float),
        lower=tree.effort_lower[dofs] if servos.lower is None else servos.lower,
        upper=tree.effort_upper[dofs] if servos.upper is None else servos.upper,
    )


def _simulated(task: Task, built: Built) -> Ran:
    """Take all steps."""
    import mujoco

    world, model, n = task.world, built.model, task.steps
    data = mujoco.MjData(model)
    data.qpos[built.q], data.qvel[built.v] = task.state.q, task.state.v
    drive, pushes = _drive(task, built), pushes_of(task)
    q, v = np.empty((n + 1, world.nq)), np.empty((n + 1, world.nv))
    seconds = 0.0
    rows: list[tuple[int, Touch]] = []
    for k in range(n):
        q[k], v[k] = data.qpos[built.q], data.qvel[built.v]
        data.qfrc_applied[:] = 0.0
        if task.torques is not None:
            now = task.state.time + k * task.dt
            data.qfrc_applied[built.v] = task.torques(now, q[k], v[k])
        if drive is not None:
            drive.apply(data, k)
        if len(pushes.link):
            _push(data, built, pushes, k)
        begin = time.perf_counter()
        mujoco.mj_step(model, data)
        seconds += time.perf_counter() - begin
        rows += [(k, touch) for touch in _touches(data, built)]
        if k % TEST == TEST - 1 or k == n - 1:
            _test(data, task, k)
    q[n], v[n] = data.qpos[built.q], data.qvel[built.v]
    return ran_of(q, v, seconds, rows, len(world.tree.parent))


def _push(data: MjData, built: Built, pushes: Pushes, k: int) -> None:
    """Apply the wrenches of step k, about the centres of mass of their bodies."""
    import mujoco

    mujoco.mj_kinematics(built.model, data)
    data.xfrc_applied[:] = 0.0
    for i, link in enumerate(pushes.link):
        body = built.body[link]
        if body < 0:
            raise InputError("engine 'mujoco': a force acts on a link without mass")
        point = data.xpos[body] + data.xmat[body].reshape(3, 3) @ pushes.place[i]
        moment = pushes.moment[k, i] + np.cross(point - data.xipos[body], pushes.force[k, i])
        data.xfrc_applied[body] += [*pushes.force[k, i], *moment]


def _touches(data: MjData, built: Built) -> list[Touch]:
    """Contact points of the last step; MuJoCo's normals point from the first geom to the second."""
    import mujoco

    found, local = [], np.zeros(6)
    for i in range(data.ncon):
        contact = data.contact[i]
        mujoco.mj_contactForce(built.model, data, i, local)
        frame = contact.frame.reshape(3, 3)
        one, other = (int(built.link[built.model.geom_bodyid[geom]]) for geom in contact.geom)
        on_second = frame.T @ local[:3]
        at, n = contact.pos.copy(), frame[0].copy()
        found.append(Touch((other, one), at, n, on_second, -float(contact.dist)))
    return found


def _test(data: MjData, task: Task, k: int) -> None:
    """Raise if the state is not finite, or memory for contacts ran out."""
    import mujoco

    if not np.isfinite(data.qpos).all() or not (np.abs(data.qvel) < FASTEST).all():
        raise DivergenceError(f"MuJoCo diverged before t = {task.state.time + (k + 1) * task.dt} s")
    for name in ("mjWARN_CONTACTFULL", "mjWARN_CNSTRFULL"):
        if data.warning[getattr(mujoco.mjtWarning, name)].number:
            raise InputError(f"engine 'mujoco': too many contacts for its memory ({name})")
