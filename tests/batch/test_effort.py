"""A bounded effort: what a step leaves is taken up by the next one, and counted."""

import numpy as np
import pytest

import stiction as st
from stiction.contact.effort import WHOLE, quick_effort_of
from stiction.errors import InputError

pytestmark = [
    pytest.mark.interpreted,
    pytest.mark.filterwarnings("ignore::stiction.errors.UnsolvedWarning"),  # one iteration is few
]
MODELS = [st.Coulomb(), st.GaussSeidel(), st.ImplicitSpringDamper()]
NAMES = [type(model).__name__ for model in MODELS]


@pytest.fixture(scope="module")
def pendulum(tmp_path_factory):
    """A rod on a hinge with friction 0.5 N m, without gravity."""
    file = tmp_path_factory.mktemp("effort") / "rod.xml"
    file.write_text(
        """<mujoco><option gravity='0 0 0'/><worldbody><body><joint name='hinge' axis='0 1 0'
        frictionloss='0.5'/><inertial pos='0 0 0' mass='1' diaginertia='0.1 0.1 0.1'/></body>
        </worldbody></mujoco>"""
    )
    return st.World(st.load(file), ground=None)


def test_a_joint_that_stops_unexpectedly_is_stuck_one_step_later(pendulum):
    """Friction takes 5 mrad/s in a step of 1 ms; no step before tells that it stops the joint."""
    start = st.State(np.zeros(1), np.array([0.003]))
    speeds = {}
    for name, effort in (("whole", None), ("bounded", st.Effort(tries=1, iterations=1))):
        batch = st.BatchSimulation(pendulum, 1, None, states=start, effort=effort)
        speeds[name] = []
        for _ in range(3):
            batch.step(1)
            speeds[name].append(float(batch.v[0, 0]))
        left = int(batch.unfinished[0])
    np.testing.assert_allclose(speeds["whole"], 0, atol=1e-12)  # rounding
    assert speeds["bounded"][0] == pytest.approx(0.003 - 0.005, rel=1e-9)  # friction acts on
    np.testing.assert_allclose(speeds["bounded"][1:], 0, atol=1e-12)
    assert left == 1


def test_a_joint_that_slows_down_sticks_in_the_step_in_which_it_stops(pendulum):
    """The acceleration of the last step tells that it does: 8, 3, 0 mrad/s."""
    start = st.State(np.zeros(1), np.array([0.008]))
    bounded = st.Effort(tries=1, iterations=1)
    batch = st.BatchSimulation(pendulum, 1, None, states=start, effort=bounded)
    speeds = []
    for _ in range(3):
        batch.step(1)
        speeds.append(float(batch.v[0, 0]))
    np.testing.assert_allclose(speeds, [0.003, 0, 0], atol=1e-12)
    assert batch.unfinished[0] == 0


@pytest.mark.parametrize("model", MODELS, ids=NAMES)
def test_an_endless_effort_changes_nothing(model):
    world = st.World(st.robots.brick())
    start = world.standing()
    start.v[:3] = 0.5, 0.2, -0.1
    ends = []
    for effort in (None, WHOLE):
        batch = st.BatchSimulation(world, 1, model, dt=1e-4, states=start, effort=effort)
        batch.step(10)
        ends.append((batch.q, batch.v))
        assert batch.unfinished[0] == 0
    assert (ends[0][0] == ends[1][0]).all() and (ends[0][1] == ends[1][1]).all()


@pytest.mark.parametrize("model", MODELS[:2], ids=NAMES[:2])
def test_bounded_impulses_obey_the_cone_and_add_no_energy(model):
    """A robot that falls on its feet while its joints are driven: one iteration, one sweep."""
    world = st.World(st.robots.hoap1())
    start = world.standing(above=0.001)
    start.v[:3] = 0.2, 0.1, -0.3
    motion = st.simulate_batch(
        world,
        1,
        model._replace(mu_static=0.5, mu_kinetic=0.5),
        states=start,
        torque=0.2 * np.random.default_rng(0).normal(size=(1, world.nv)),
        duration=0.02,
        record=st.BatchRecording(channels=("force", "depth", "v")),
        effort=st.Effort(tries=1, iterations=1),
    )
    force = motion.record["force"][0]
    assert motion.well.all() and force[..., 2].max() > 10
    assert (force[..., 2] >= 0).all()
    friction = np.hypot(force[..., 0], force[..., 1])
    assert (friction <= 0.5 * force[..., 2] + 1e-9 * force.max()).all()  # rounding
    assert motion.record["depth"].max() < 0.001  # the way of three steps
    assert np.abs(motion.record["v"]).max() < 20  # nothing was thrown


@pytest.mark.parametrize("model", MODELS[:2], ids=NAMES[:2])
def test_a_stop_pulls_at_nothing_when_its_joint_arrives_in_the_step_of_an_impact(model, tmp_path):
    """A block falls on the ground while a rod on it swings to its stop, sooner or later.

    A stop that the step would reach is out of reach in the moment of an impact, a billionth of a
    step: a joint held at it there would move at up to 1e7 rad/s.
    """
    file = tmp_path / "block.xml"
    file.write_text(
        """<mujoco><compiler angle='radian'/><option gravity='0 0 0'/><worldbody><body><freejoint/>
        <geom type='box' size='0.1 0.1 0.05' mass='1'/><body pos='0 0 0.05'>
        <joint name='hinge' axis='0 1 0' range='-1 1' limited='true'/>
        <inertial pos='0 0 0.1' mass='0.1' diaginertia='1e-3 1e-3 1e-3'/></body></body></worldbody>
        </mujoco>"""
    )
    world = st.World(st.load(file))
    grid = np.meshgrid(np.linspace(0, 1e-3, 7), np.linspace(0, 0.04, 8))
    heights, gaps = (x.ravel() for x in grid)
    q, v = np.tile(world.home().q, (len(gaps), 1)), np.zeros((len(gaps), world.nv))
    q[:, 2], q[:, 7] = 0.05 + heights, 1.0 - gaps
    v[:, 2], v[:, 6] = -1.0, 20.0
    speeds = []
    for effort in (st.Effort(tries=1, iterations=6), st.Effort()):
        bouncing = model._replace(restitution=0.5)
        batch = st.BatchSimulation(world, len(gaps), bouncing, states=(q, v), effort=effort)
        fastest = 0.0
        for _ in range(4):
            batch.step(1)
            fastest = max(fastest, np.abs(batch.v).max())
        speeds.append(fastest)
    assert 20 < speeds[0] < 1.2 * speeds[1] < 50  # rad/s: the rod, and what impacts make of it


def test_bounds_are_those_of_the_model_in_single_precision_on_a_gpu_alone():
    world = st.World(st.robots.ball())
    batch = st.BatchSimulation(world, 1, st.Coulomb(), precision="float32")
    bound = batch.problem.surface.work.response.effort
    assert (bound.tries[0], bound.iterations[0]) == WHOLE
    assert quick_effort_of(st.GaussSeidel).tries == 2
    assert quick_effort_of(st.Coulomb).tries == quick_effort_of(st.HuntCrossley).tries == 1


@pytest.mark.parametrize("effort", [(1, 2), st.Effort(0, 1), st.Effort(1, 1.5), "quick"])
def test_a_wrong_effort_is_refused(effort):
    with pytest.raises(InputError, match="effort"):
        st.BatchSimulation(st.World(st.robots.ball()), 1, st.Coulomb(), effort=effort)
