"""The benchmark on the ground compares like with like; speed itself is not tested."""

import mujoco
import numpy as np
import pytest

import stiction as st
from conftest import data_file
from stiction.bench import contact, profile
from stiction.bench.contact import LAND, SERVO, STAND, Case, report
from stiction.bench.data import G1
from stiction.errors import InputError
from stiction.world.contact_points import contact_points_of


@pytest.fixture
def g1():
    return data_file(*G1.split("/"))


@pytest.mark.parametrize("points", sorted({*STAND, *LAND}))
def test_both_engines_get_the_same_points_on_level_soles(g1, tmp_path, points):
    world, model = contact.loaded(contact.robot_on_points(g1, points, SERVO), tmp_path)
    data = mujoco.MjData(model)
    data.qpos[:] = world.standing(above=-0.001).q
    mujoco.mj_forward(model, data)
    contact_points, _, _ = contact_points_of(world)
    assert data.ncon == points == len(contact_points.link)
    np.testing.assert_allclose(data.contact.dist, -0.001, atol=1e-9)
    assert (data.contact.dim == 3).all() and np.ptp(data.contact.friction[:, 0]) == 0
    assert data.contact.friction[0, 0] == contact.FRICTION
    assert (model.actuator_gainprm[:, 0] == SERVO[0]).all() and model.nsensor == 0


def test_the_points_of_a_foot_fill_its_sole():
    grid = np.array(
        contact.sole_grid(np.array([0.04, 0.0, -0.03]), np.array([0.09, 0.03, 0.01]), 8)
    )
    assert len(grid) == 8 and len(np.unique(grid, axis=0)) == 8
    np.testing.assert_allclose(grid.min(axis=0), [-0.05, -0.03, -0.04 + contact.RADIUS])
    np.testing.assert_allclose(grid.max(axis=0), [0.13, 0.03, -0.04 + contact.RADIUS])


def test_a_landing_begins_just_above_the_ground_at_the_speed_of_a_fall(g1, tmp_path):
    world, model = contact.loaded(contact.robot_on_points(g1, 8, None), tmp_path)
    data = mujoco.MjData(model)
    state = contact.landing(world, model)
    data.qpos[:], data.qvel[:] = state.q, state.v
    mujoco.mj_kinematics(model, data)
    feet = data.geom_xpos[model.geom_type == mujoco.mjtGeom.mjGEOM_SPHERE, 2] - contact.RADIUS
    assert feet.min() == pytest.approx(contact.ABOVE, abs=1e-12)
    height = feet.min() + state.v[2] ** 2 / (2 * 9.81)  # all of its energy of falling, as height
    assert height == pytest.approx(contact.FALL)


@pytest.mark.jit
def test_driven_joints_get_the_same_torques_in_both_engines(g1, tmp_path, monkeypatch):
    """In the air both engines turn the joints alike, to 10 % of all their speeds.

    MuJoCo's joint friction is soft, ours is not, which alone makes 4 %. A row of torques that
    comes one step late makes 35 %. With the damping of SERVO, saturated wrists would jump from
    limit to limit in MuJoCo, which clips their torque by the velocity before the step.
    """
    monkeypatch.setattr(contact, "HELD", 4)
    world, model = contact.loaded(contact.robot_on_points(g1, 8, (50.0, 1.0)), tmp_path)
    torque = contact.random_torques(world, 10)
    assert torque.shape == (3, world.nv) and not torque[:, :6].any()
    assert 0.9 * contact.TORQUE < abs(torque).max() <= contact.TORQUE
    state = world.standing(above=1.0)
    case = Case("drive 8", 8, world, model, state, settling=0, steps=10, torque=torque)
    ours, theirs = contact.Ours(case, None), contact.MuJoCo(case)
    ours.simulate(10)
    end = theirs.copy()
    theirs.copy = lambda: end
    theirs.race()
    difference = np.linalg.norm(ours.motion.v[-1, 6:] - end.qvel[6:])
    assert difference < 0.1 * np.linalg.norm(end.qvel[6:])


def test_a_robot_without_such_feet_is_refused(tmp_path):
    file = tmp_path / "ball.xml"
    body = "<body><freejoint/><geom size='1'/></body>"
    file.write_text(f"<mujoco><worldbody>{body}</worldbody></mujoco>")
    with pytest.raises(InputError, match="ball.xml: has no boxes named left_foot_box_collision"):
        contact.robot_on_points(file, 8, None)


def test_all_models_get_the_same_friction_and_laws_share_the_stiffness_of_a_sole():
    models = {type(model).__name__: model for model in contact.contact_models(16)}
    assert {"SpringDamper", "ImplicitSpringDamper", "HuntCrossley"} <= models.keys()
    for model in models.values():
        assert model._asdict().get("mu_kinetic", contact.FRICTION) == contact.FRICTION
        assert model._asdict().get("mu_static", contact.FRICTION) == contact.FRICTION
    assert models["SpringDamper"].stiffness == contact.FORCE_LAWS["SpringDamper"]["stiffness"] / 8


class Pretender:
    """A contender that has run already."""

    def __init__(self, name, seconds, points=8, height=0.8, failure=None):
        self.name, self._seconds, self.failure = name, seconds, failure
        self._run = (np.full(5, points), np.array([0.8, height]))

    def race(self):
        raise AssertionError("it has run already")

    def seconds(self):
        return self._seconds

    def found(self):
        return contact.happened(STANDING, *self._run)


STANDING = Case("stand 8", 8, None, None, None, settling=10, steps=100)


@pytest.mark.parametrize(
    ("contender", "holds"),
    [
        (Pretender("Coulomb", 0.24), True),
        (Pretender("Coulomb", 0.26), False),
        (Pretender("Coulomb", 0.1, height=0.7), False),
        (Pretender("Coulomb", 0.1, points=7), False),
        (Pretender("Coulomb", np.inf, failure="it exploded"), False),
        (Pretender("SpringDamper", 0.29), True),
        (Pretender("SpringDamper", 0.31), False),
        (Pretender("Balanced", 0.59), True),
        (Pretender("Multipoint", 0.61), False),
        (Pretender("NobodyAsks", 2.0), None),
        (Pretender("mujoco", 1.0), None),
    ],
)
def test_a_limit_holds_only_for_a_robot_that_stands_on_all_its_points(contender, holds):
    (row,) = report(STANDING, [contender], 1.0)
    assert row["holds"] is holds
    assert contact.holds(row) is (holds is not False)
    assert row["us a step"] == (None if contender.failure else contender.seconds() * 1e4)


def test_nothing_holds_beside_a_mujoco_that_fell():
    (row,) = report(STANDING, [Pretender("mujoco", 1.0, height=0.1)], 1.0)
    assert not contact.holds(row)


@pytest.mark.jit
def test_the_benchmark_on_the_ground_measures_laws_and_solvers_beside_mujoco(g1, monkeypatch):
    chosen = [
        model
        for model in contact.contact_models(8)
        if type(model).__name__ in ("SpringDamper", "Coulomb")
    ]
    monkeypatch.setattr(contact, "contact_models", lambda points: chosen)
    monkeypatch.setattr(contact, "STAND", (8,))
    monkeypatch.setattr(contact, "LAND", (8,))
    monkeypatch.setattr(contact, "HELD", 15)  # so that the torques change within 20 steps
    seen = []
    result = contact.bench(g1, repeats=1, steps=20, progress=seen.append)
    assert seen[-1] == 1.0 and result["failures"] == []
    for case in ("stand 8", "land 8", "drive 8"):
        rows = {row["model"]: row for row in result["runs"] if row["case"] == case}
        assert list(rows) == [*(type(model).__name__ for model in chosen), "mujoco"]
        assert all(row["us a step"] > 0 for row in rows.values())
        assert rows["mujoco"]["iterations"] > 0 and rows["mujoco"]["unsolved"] == 0
        assert rows["SpringDamper"]["iterations"] is None
        for name in ("SpringDamper", "mujoco") if case == "stand 8" else ():
            assert rows[name]["stands"] and rows[name]["fewest"] == 8
    assert result["mujoco options"]["cone"] == "mjCONE_ELLIPTIC"


@pytest.mark.jit
def test_the_parts_of_a_step_are_timed_on_a_robot_that_goes_on_as_it_was(monkeypatch):
    monkeypatch.setattr(profile, "COUNT", 3)
    monkeypatch.setattr(profile, "REPEATS", 1)
    world = st.World(st.robots.box())
    floor = st.SpringDamper(stiffness=1e4, damping=100.0)
    state = world.standing(above=-0.001)
    timed, other = (st.Simulation(world, floor, state=state) for _ in range(2))
    times = profile.profile_step(timed)
    assert set(times) == {*profile.PARTS, "whole step"}
    assert {part for part, time in times.items() if time is None} == {*profile.OF_SOLVERS}
    other.step(n=3)
    for simulation in (timed, other):
        simulation.step(n=5)
    np.testing.assert_array_equal(timed.state.q, other.state.q)
