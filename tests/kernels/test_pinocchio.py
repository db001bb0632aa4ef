"""The kernels against Pinocchio and MuJoCo, each with its own reader of the same file.

Relative errors are relative to the largest entry of the other program's array.
"""

from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import mujoco
import numpy as np
import pytest

from conftest import data_file, jit_is_off
from kernels.pinocchio_oracle import Oracle, read_model
from stiction.kernels.articulated import (
    add_response,
    articulated_accelerations,
    articulated_bodies,
    articulated_unit_responses,
    link_inverse_inertia,
    move_links,
)
from stiction.kernels.joint_space import (
    add_joint_space_response,
    bias,
    factor_free_part,
    joint_space_accelerations,
    joint_space_forces,
    joint_space_inertia,
    joint_space_unit_responses,
)
from stiction.kernels.tree import FREE, SPHERICAL, STUCK, Dynamics, allocate
from stiction.robot.load import load
from stiction.world.mechanics import (
    bias_force,
    centre_of_mass,
    common_dofs,
    drift,
    forward_dynamics,
    inertia,
    inverse_dynamics,
    inverse_inertia,
    jacobian,
    momentum,
)
from stiction.world.world import World

# What was promised. Rounding explains 1e-12: the condition of H, 1e4 for g1, times 1e-16; and
# the angular momentum about the centre of mass is a difference of larger ones.
ROUNDING = 1e-11
METHODS = ("articulated", "joint space")
MENAGERIE = ("robots", "mujoco_menagerie")
G1 = (*MENAGERIE, "unitree_g1", "g1_mjx_nomesh.xml")
GO2 = (*MENAGERIE, "unitree_go2", "go2_nomesh.xml")

BOX = """
<mujoco model="{name}">
  <worldbody>
    <body name="{name}" pos="0 0 1">
      <freejoint name="{name}_free"/>
      <inertial pos="{centre}" mass="{mass}" fullinertia="0.03 0.04 0.05 0.002 -0.003 0.004"/>
      <site name="{name}_corner" pos="0.1 0.2 0.15"/>
    </body>
  </worldbody>
</mujoco>
"""
# every type of joint, anchors off the body's origin, a reference angle, two joints on one body, a
# fixed body with its own mass, rotor inertia on some
MIXTURE = """
<mujoco model="mixture">
  <compiler angle="radian"/>
  <worldbody>
    <body name="trunk" pos="0.1 0.2 1.3">
      <freejoint name="float"/>
      <inertial pos="0.02 0.01 -0.03" mass="6" fullinertia="0.2 0.3 0.25 0.01 -0.02 0.03"/>
      <body name="ball_arm" pos="0.1 0.4 0.2" quat="1 1 0 0.5">
        <joint name="swing" type="ball" pos="0.05 0.06 0.07" armature="0.02"/>
        <inertial pos="0 0.1 0.2" mass="1.5" fullinertia="0.02 0.03 0.025 0.001 0.002 0.003"/>
        <body name="piston" pos="0.2 0 0.1" quat="1 0.2 0.3 0.1">
          <joint name="out" type="slide" axis="0 1 1" armature="0.3"/>
          <inertial pos="0.1 0 0" mass="0.8" fullinertia="0.01 0.012 0.015 0.001 0 0.002"/>
          <site name="nozzle" pos="0.1 0.02 0.3" quat="1 2 3 4"/>
        </body>
      </body>
      <body name="lever" pos="-0.3 0 0.1" quat="1 0 1 0">
        <joint name="crank" axis="1 2 3" pos="0.1 -0.2 0.05" armature="0.05"/>
        <inertial pos="0.2 0.1 0" mass="1" fullinertia="0.01 0.02 0.02 0 0.003 0"/>
        <body name="bent" pos="0 0 0.4" quat="1 0.1 0.5 0.2">
          <joint name="elbow" axis="0 0 1" ref="-0.7"/>
          <inertial pos="0.1 0.05 0" mass="0.7" fullinertia="0.01 0.02 0.02 0 0.003 0"/>
          <body name="cross" pos="0.2 0.1 0" quat="1 0 0.3 0">
            <joint name="twist" axis="1 0 1" pos="0.1 0.2 0.3" armature="0.01"/>
            <joint name="nod" axis="0 1 0" pos="0.1 0.2 0.3"/>
            <inertial pos="0 0.1 0.1" mass="0.5" fullinertia="0.01 0.02 0.02 0 0.003 0"/>
            <body name="palm" pos="0.2 0 0.1" quat="1 0 0.4 0.2">
              <inertial pos="0.05 0 0" mass="0.4" fullinertia="0.01 0.02 0.02 0 0.003 0"/>
              <site name="grip" pos="0 0 0.1"/>
            </body>
          </body>
        </body>
      </body>
    </body>
  </worldbody>
</mujoco>
"""
ARM = """
<mujoco model="arm">
  <compiler angle="radian"/>
  <worldbody>
    <body name="first" pos="0.5 -0.2 0.4" quat="1 0.2 0.1 0.3">
      <joint name="root" {root} armature="0.05"/>
      <inertial pos="0.2 0.1 0" mass="3" fullinertia="0.01 0.02 0.02 0 0.003 0"/>
      <body name="second" pos="0.3 0 0.1" quat="1 0 0.4 0">
        <joint name="middle" axis="0 1 1"/>
        <inertial pos="0.1 0.1 0" mass="2" fullinertia="0.01 0.02 0.02 0 0.003 0"/>
        <body name="third" pos="0.3 0 0">
          <joint name="last" type="slide" axis="1 0 0"/>
          <inertial pos="0.1 0 0" mass="1" fullinertia="0.01 0.02 0.02 0 0.003 0"/>
          <site name="tool" pos="0.1 0.2 0"/>
        </body>
      </body>
    </body>
  </worldbody>
</mujoco>
"""
TEXTS = {
    "mixture": MIXTURE,
    "hinged arm": ARM.format(root='axis="0 1 2"'),
    "sliding arm": ARM.format(root='type="slide" axis="1 2 0"'),
}


# -------------------------------------------------------------------------------- random states


def states(count: int) -> int:
    """How many states to try: plain Python is a hundred times slower than compiled code."""
    return min(count, 3) if jit_is_off() else count


class Sample(NamedTuple):
    """A state with forces u and accelerations a to try on it."""

    q: np.ndarray
    v: np.ndarray
    u: np.ndarray
    a: np.ndarray


def samples(world: World, count: int, seed: int = 1) -> list[Sample]:
    rng = np.random.default_rng(seed)
    return [random_sample(world, rng) for _ in range(states(count))]


def random_sample(world: World, rng: np.random.Generator) -> Sample:
    """Positions within the limits or +-2, velocities with a spread of 1 to 3."""
    tree = world.tree
    lower = np.where(np.isfinite(tree.lower), tree.lower, -2.0)
    upper = np.where(np.isfinite(tree.upper), tree.upper, 2.0)
    q = np.empty(world.nq)
    for link in range(1, len(tree.parent)):
        k, d = tree.q_index[link], tree.v_index[link]
        if tree.joint_type[link] in (FREE, SPHERICAL):
            if tree.joint_type[link] == FREE:
                q[k : k + 3] = rng.uniform(-2.0, 2.0, 3)
                k += 3
            quaternion = rng.normal(size=4)
            q[k : k + 4] = quaternion / np.linalg.norm(quaternion)
        else:
            q[k] = rng.uniform(lower[d], upper[d])
    v = rng.normal(0.0, rng.uniform(1.0, 3.0), world.nv)
    return Sample(q, v, rng.normal(0.0, 20.0, world.nv), rng.normal(0.0, 10.0, world.nv))


def relative_error(ours: np.ndarray, theirs: np.ndarray) -> float:
    assert ours.shape == theirs.shape
    return float(np.abs(ours - theirs).max() / np.abs(theirs).max())


# ------------------------------------------------------------------------------------ real robots


class Case(NamedTuple):
    """A world as we read it and as Pinocchio reads it."""

    world: World
    oracle: Oracle
    frames: list[str]  # links and frames whose Jacobians are compared
    feet: list[str]  # links that touch the ground


FRAMES = {
    "g1": "left_foot right_palm imu_in_torso imu_in_pelvis pelvis right_knee_link".split(),
    "go2": "imu base FL_hip RR_calf FR_thigh".split(),
    "crowd": "left_foot torso_link imu RL_calf box_a_corner box_c_corner box_b".split(),
}
FEET = {
    "g1": ["left_ankle_roll_link", "right_ankle_roll_link"],
    "go2": ["FL_calf", "FR_calf", "RL_calf", "RR_calf"],
    "crowd": ["left_ankle_roll_link", "right_ankle_roll_link", "RR_calf", "box_a", "box_b"],
}


@pytest.fixture(scope="module", params=["g1", "go2", "crowd"])
def case(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Case:
    """Unitree g1, unitree go2, and a world of both with three boxes."""
    return make_case(request.param, tmp_path_factory.mktemp("models"))


def make_case(name: str, folder: Path) -> Case:
    if name == "crowd":
        boxes = [("box_a", 2.0, "0 0 0"), ("box_b", 0.5, "0.1 0 0.2"), ("box_c", 7.0, "0 -0.1 0")]
        texts = [BOX.format(name=name, mass=mass, centre=at) for name, mass, at in boxes]
        files = [data_file(*G1), data_file(*GO2), *written(folder, *texts)]
    else:
        files = [data_file(*{"g1": G1, "go2": GO2}[name])]
    world = World(*[load(file) for file in files])
    return Case(world, Oracle(read_model(*files), world), FRAMES[name], FEET[name])


def written(folder: Path, *texts: str) -> list[Path]:
    paths = [folder / f"model_{k}.xml" for k in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text)
    return paths


def test_pinocchio_reads_the_same_rotor_inertia(case):
    """A difference here would show as a difference of dynamics; and damping must not hide in b."""
    armature = case.oracle.T(case.world.home().q).T @ case.oracle.model.armature
    np.testing.assert_array_equal(armature, case.world.tree.armature)
    assert np.count_nonzero(armature) >= 12


def test_inertia_agrees_with_pinocchio(case):
    for q, *_ in samples(case.world, 200):
        assert relative_error(inertia(case.world, q), case.oracle.inertia(q)) <= ROUNDING


def test_bias_force_agrees_with_pinocchio(case):
    for q, v, *_ in samples(case.world, 200):
        ours, theirs = bias_force(case.world, q, v), case.oracle.bias_force(q, v)
        assert relative_error(ours, theirs) <= ROUNDING


@pytest.mark.parametrize("method", METHODS)
def test_forward_dynamics_agrees_with_pinocchio(case, method):
    for q, v, u, _ in samples(case.world, 200):
        ours = forward_dynamics(case.world, q, v, u, method=method)
        assert relative_error(ours, case.oracle.forward_dynamics(q, v, u)) <= ROUNDING


def test_inverse_dynamics_agrees_with_pinocchio(case):
    for q, v, _, a in samples(case.world, 200):
        ours, theirs = inverse_dynamics(case.world, q, v, a), case.oracle.inverse_dynamics(q, v, a)
        assert relative_error(ours, theirs) <= ROUNDING


def test_jacobians_agree_with_pinocchio(case):
    for q, *_ in samples(case.world, 200):
        for name in case.frames:
            ours, theirs = jacobian(case.world, q, name), case.oracle.jacobian(q, name)
            assert relative_error(ours, theirs) <= ROUNDING, name


def test_drift_agrees_with_pinocchio(case):
    for q, v, *_ in samples(case.world, 200):
        for name in case.frames:
            ours, theirs = drift(case.world, q, v, name), case.oracle.drift(q, v, name)
            if is_origin_of_free_link(case.world, name):  # its acceleration is a coordinate
                assert np.abs(ours).max() <= 1e-14  # gravity less gravity
                assert np.abs(theirs).max() <= ROUNDING * np.abs(v).max() ** 2
            else:
                assert relative_error(ours, theirs) <= ROUNDING, name


def is_origin_of_free_link(world: World, name: str) -> bool:
    place = world.place(name)
    return world.tree.joint_type[place.link] == FREE and not place.position.any()


def test_centre_of_mass_agrees_with_pinocchio(case):
    for q, *_ in samples(case.world, 200):
        ours, theirs = centre_of_mass(case.world, q), case.oracle.centre_of_mass(q)
        assert relative_error(ours, theirs) <= ROUNDING


def test_momentum_agrees_with_pinocchio(case):
    for q, v, *_ in samples(case.world, 200):
        ours, theirs = momentum(case.world, q, v), case.oracle.momentum(q, v)
        assert relative_error(ours.linear, theirs[:3]) <= ROUNDING
        assert relative_error(ours.angular, theirs[3:]) <= ROUNDING


@pytest.mark.parametrize("method", METHODS)
def test_inverse_inertia_at_the_feet_agrees_with_pinocchio(case, method):
    for q, *_ in samples(case.world, 200):
        ours = inverse_inertia(case.world, q, case.feet, method=method)
        assert relative_error(ours, case.oracle.inverse_inertia(q, case.feet)) <= ROUNDING


@pytest.mark.parametrize("method", METHODS)
def test_links_of_different_trees_do_not_feel_each_other(case, method):
    links = [case.world.place(name).link for name in case.feet]
    apart = np.not_equal.outer(*[case.world.tree.root[links]] * 2)
    for q, *_ in samples(case.world, 5):
        response = inverse_inertia(case.world, q, case.feet, method=method)
        blocks = response.reshape(len(links), 6, len(links), 6).transpose(0, 2, 1, 3)
        assert np.all(blocks[apart] == 0.0)
        assert np.all(np.abs(blocks[~apart]).max(axis=(1, 2)) > 0.0)


# ---------------------------------------------------------------------------- every type of joint


@pytest.fixture(scope="module", params=list(TEXTS))
def small(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Robots of every type of joint, on a free base and on the ground."""
    return written(tmp_path_factory.mktemp("small"), TEXTS[request.param])[0]


class MujocoOracle:
    """What MuJoCo computes; its coordinates are ours."""

    def __init__(self, path: Path) -> None:
        self.model = mujoco.MjModel.from_xml_path(str(path))
        self.data = mujoco.MjData(self.model)

    def at(self, q: np.ndarray, v: np.ndarray) -> mujoco.MjData:
        self.data.qpos[:], self.data.qvel[:] = q, v
        mujoco.mj_forward(self.model, self.data)
        mujoco.mj_subtreeVel(self.model, self.data)
        return self.data

    def inertia(self) -> np.ndarray:
        H = np.zeros((self.model.nv, self.model.nv))
        mujoco.mj_fullM(self.model, self.data, H)
        return H

    def frames(self) -> dict[str, tuple[np.ndarray, int]]:
        """World position and body of sites and body origins, by our name for them."""
        model, data = self.model, self.data
        found = {
            model.site(i).name: (data.site_xpos[i], model.site_bodyid[i])
            for i in range(model.nsite)
        }
        for body in range(1, model.nbody):
            first, count = model.body_jntadr[body], model.body_jntnum[body]
            off = any(model.jnt_pos[j].any() for j in range(first, first + count))
            name = model.body(body).name + ("_origin" if off else "")
            found[name] = (data.xpos[body], body)
        return found

    def jacobian(self, name: str, derivative: bool = False) -> np.ndarray:
        point, body = self.frames()[name]
        J = np.zeros((6, self.model.nv))
        compute = mujoco.mj_jacDot if derivative else mujoco.mj_jac
        compute(self.model, self.data, J[:3], J[3:], point, body)
        return J


def test_every_type_of_joint_agrees_with_mujoco(small):
    world, oracle = World(load(small)), MujocoOracle(small)
    for q, v, u, a in samples(world, 50):
        data = oracle.at(q, v)
        H, b = oracle.inertia(), data.qfrc_bias
        assert relative_error(inertia(world, q), H) <= ROUNDING
        assert relative_error(bias_force(world, q, v), b) <= ROUNDING
        assert relative_error(inverse_dynamics(world, q, v, a), H @ a + b) <= ROUNDING
        for method in METHODS:
            ours = forward_dynamics(world, q, v, u, method=method)
            assert relative_error(ours, np.linalg.solve(H, u - b)) <= ROUNDING
        assert relative_error(centre_of_mass(world, q), data.subtree_com[0]) <= ROUNDING
        ours = momentum(world, q, v)
        linear = data.subtree_linvel[0] * world.total_mass
        assert relative_error(ours.linear, linear) <= ROUNDING
        assert relative_error(ours.angular, data.subtree_angmom[0]) <= ROUNDING


def test_frames_of_every_type_of_joint_agree_with_mujoco(small):
    world, oracle = World(load(small)), MujocoOracle(small)
    for q, v, *_ in samples(world, 50):
        oracle.at(q, v)
        for name in oracle.frames():
            assert relative_error(jacobian(world, q, name), oracle.jacobian(name)) <= ROUNDING, name
            J_dot = oracle.jacobian(name, derivative=True)
            error = np.abs(drift(world, q, v, name) - J_dot @ v).max()
            assert error <= ROUNDING * np.abs(v).max() ** 2, name


def test_every_type_of_joint_agrees_with_pinocchio(small):
    world = World(load(small))
    oracle = Oracle(read_model(small), world)
    site = next(iter(world.robots[0].frame_name))
    for q, v, u, a in samples(world, 50):
        assert relative_error(inertia(world, q), oracle.inertia(q)) <= ROUNDING
        assert relative_error(bias_force(world, q, v), oracle.bias_force(q, v)) <= ROUNDING
        ours, theirs = inverse_dynamics(world, q, v, a), oracle.inverse_dynamics(q, v, a)
        assert relative_error(ours, theirs) <= ROUNDING
        for method in METHODS:
            ours = forward_dynamics(world, q, v, u, method=method)
            assert relative_error(ours, oracle.forward_dynamics(q, v, u)) <= ROUNDING
        assert relative_error(jacobian(world, q, site), oracle.jacobian(q, site)) <= ROUNDING
        assert relative_error(drift(world, q, v, site), oracle.drift(q, v, site)) <= ROUNDING
        ours = np.concatenate(momentum(world, q, v))
        assert relative_error(ours, oracle.momentum(q, v)) <= ROUNDING


# ------------------------------------------------------------------ known accelerations, impulses


@pytest.fixture(scope="module", params=["g1", "mixture"])
def world(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> World:
    """A humanoid, and a robot of every type of joint."""
    if request.param == "g1":
        return World(load(data_file(*G1)))
    return World(load(written(tmp_path_factory.mktemp("mixture"), MIXTURE)[0]))


def placed(world: World, q: np.ndarray, v: np.ndarray) -> Dynamics:
    dynamics = allocate(world.tree)
    move_links(dynamics, q, v)
    return dynamics


def with_some_stuck(world: World, sample: Sample, seed: int) -> Dynamics:
    """About a third of the coordinates have a known acceleration, and all have resistance."""
    dynamics = placed(world, sample.q, sample.v)
    rng = np.random.default_rng(seed)
    dynamics.mode[rng.random(world.nv) < 0.35] = STUCK
    dynamics.mode[seed % world.nv] = STUCK  # at least one, and each of them once
    dynamics.acceleration[:] = np.where(dynamics.mode == STUCK, sample.a, np.nan)
    dynamics.resistance[:] = rng.uniform(0.0, 0.2, world.nv)
    dynamics.tau[:] = sample.u
    return dynamics


def wrenches_on_links(world: World, dynamics: Dynamics, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """A wrench at the origin of every link: about O, (nl, 6), and along the coordinates, J' f."""
    rng = np.random.default_rng(seed)
    about_O, along = np.zeros((len(world.tree.parent), 6)), np.zeros(world.nv)
    for link in range(1, len(about_O)):
        force, moment = rng.normal(0.0, 10.0, 3), rng.normal(0.0, 3.0, 3)
        about_O[link] = [*force, *(moment + np.cross(dynamics.position[link], force))]
        along += twists_of_link(world, dynamics, link).T @ [*force, *moment]
    return about_O, along


def twists_of_link(world: World, dynamics: Dynamics, link: int) -> np.ndarray:
    """J (6, nv) of the link's origin, from the joint axes by the definition of a Jacobian."""
    J, at = np.zeros((6, world.nv)), dynamics.position[link]
    while link > 0:
        for d in range(world.tree.v_index[link], world.tree.v_index[link + 1]):
            linear, angular = dynamics.S[d, :3], dynamics.S[d, 3:]
            J[:, d] = [*(linear + np.cross(angular, at)), *angular]
        link = world.tree.parent[link]
    return J


def solve_articulated(dynamics: Dynamics) -> None:
    articulated_bodies(dynamics)
    articulated_accelerations(dynamics)


def solve_joint_space(dynamics: Dynamics) -> None:
    bias(dynamics)
    joint_space_inertia(dynamics)
    factor_free_part(dynamics)
    joint_space_forces(dynamics)
    joint_space_accelerations(dynamics)


def test_known_accelerations_solve_the_partitioned_equation(world):
    """H a + R a + b = tau + J' f + reaction, by either method, against a dense solution."""
    for k, sample in enumerate(samples(world, 50)):
        one, other = (with_some_stuck(world, sample, seed=k) for _ in METHODS)
        wrenches, pushed = wrenches_on_links(world, one, seed=k)
        for dynamics in (one, other):
            dynamics.load[:] += wrenches
        solve_articulated(one)
        solve_joint_space(other)

        H = inertia(world, sample.q) + np.diag(one.resistance)
        b = bias_force(world, sample.q, sample.v) - pushed
        stuck = one.mode == STUCK
        free = ~stuck
        a = np.where(stuck, sample.a, 0.0)
        a[free] = np.linalg.solve(H[np.ix_(free, free)], (sample.u - b - H @ a)[free])
        reaction = np.where(stuck, H @ a + b - sample.u, 0.0)

        for dynamics in (one, other):
            assert relative_error(dynamics.acceleration, a) <= ROUNDING
            assert relative_error(dynamics.reaction, reaction) <= ROUNDING
            assert np.array_equal(dynamics.acceleration[stuck], sample.a[stuck])
            assert np.all(dynamics.reaction[free] == 0.0)
        assert relative_error(one.acceleration, other.acceleration) <= ROUNDING
        assert relative_error(one.reaction, other.reaction) <= ROUNDING


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("some_stuck", [False, True], ids=["all loose", "some stuck"])
def test_response_is_the_inverse_of_the_inertia_that_moves(world, some_stuck, method):
    links = np.arange(1, len(world.tree.parent))
    for k, sample in enumerate(samples(world, 50)):
        dynamics = with_some_stuck(world, sample, seed=k)
        if not some_stuck:
            dynamics.mode[:] = 0
        about_O, impulse = wrenches_on_links(world, dynamics, seed=k)
        v, modes = sample.v.copy(), np.zeros((len(links), world.nv, 6))
        if method == "articulated":
            articulated_bodies(dynamics)
            articulated_unit_responses(dynamics, links, modes)
        else:
            joint_space_inertia(dynamics)
            factor_free_part(dynamics)
            joint_space_unit_responses(dynamics, links, modes)
        dynamics.u[:] = np.einsum("ldk, lk -> d", modes, about_O[1:])
        (add_response if method == "articulated" else add_joint_space_response)(dynamics, v)

        H = inertia(world, sample.q) + np.diag(dynamics.resistance)
        free = dynamics.mode < STUCK
        change = np.zeros(world.nv)
        change[free] = np.linalg.solve(H[np.ix_(free, free)], impulse[free])
        assert relative_error(v, sample.v + change) <= ROUNDING


@pytest.mark.parametrize("method", METHODS)
def test_inverse_inertia_leaves_out_known_accelerations(world, method):
    """Links do not yield along coordinates that are stuck."""
    links = np.array([len(world.tree.parent) - 1, len(world.tree.parent) // 2], np.int64)
    for k, sample in enumerate(samples(world, 10)):
        dynamics = with_some_stuck(world, sample, seed=k)
        modes, result = np.zeros((2, world.nv, 6)), np.zeros((12, 2, 6))
        if method == "articulated":
            articulated_bodies(dynamics)
            articulated_unit_responses(dynamics, links, modes)
        else:
            joint_space_inertia(dynamics)
            factor_free_part(dynamics)
            joint_space_unit_responses(dynamics, links, modes)
        link_inverse_inertia(dynamics, links, common_dofs(world, links), modes, result)

        H = inertia(world, sample.q) + np.diag(dynamics.resistance)
        free = dynamics.mode < STUCK
        J = np.vstack([about_O(twists_of_link(world, dynamics, i), dynamics, i) for i in links])
        yielding = J[:, free] @ np.linalg.solve(H[np.ix_(free, free)], J[:, free].T)
        assert relative_error(result.reshape(12, 12), yielding) <= ROUNDING


def about_O(J: np.ndarray, dynamics: Dynamics, link: int) -> np.ndarray:
    """The Jacobian of a link's origin as that of the point of the link at O."""
    moved = J.copy()
    moved[:3] -= np.cross(J[3:].T, dynamics.position[link]).T
    return moved


def test_coordinates_of_a_joint_count_as_a_chain(world):
    """What lets one recursion serve all types of joint: see `Tree`."""
    tree = world.tree
    for link in range(1, len(tree.parent)):
        dofs = range(tree.v_index[link], tree.v_index[link + 1])
        assert all(tree.dof_parent[after] == before for before, after in pairwise(dofs))
