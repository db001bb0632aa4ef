"""Bodies that touch each other, under every contact model."""

import mujoco
import numpy as np
import pytest

import stiction as st
from stiction.contact.contact_model import MODELS, NoContact
from stiction.step.record import DEPTH

DT = 1e-3  # [s]
G = 9.81  # [m/s2]
KINDS = [
    kind for kind in MODELS if kind is not NoContact and kind.__module__.startswith("stiction.")
]
SPRINGS = (st.SpringDamper, st.ImplicitSpringDamper, st.HuntCrossley, st.Distributed)


def compiled_for_coulomb(*kinds):
    """Run a test for kinds of models: for one of them compiled, since a step takes a minute."""
    marks = {kind: [pytest.mark.interpreted] * (kind is not st.Coulomb) for kind in kinds}
    given = [pytest.param(kind, marks=marks[kind]) for kind in kinds]
    return pytest.mark.parametrize("kind", given, ids=lambda kind: kind.__name__)


def stacked(*robots, gap=0.0, shift=0.01):
    """A world of boxes on top of each other, and its state."""
    world = st.World(*robots)
    state, height = world.home(), 0.0
    for k, robot in enumerate(robots):
        half = robot.shape_size[0][2]
        state.q[7 * k : 7 * k + 7] = [shift * k, 2 * shift * k, height + half, 1, 0, 0, 0]
        height += 2 * half + gap
    return world, state


@compiled_for_coulomb(*KINDS)
def test_a_brick_on_a_brick_carries_its_weight(kind):
    """Every family of models: forces act on both, and the ground carries the sum."""
    world, state = stacked(st.robots.brick(), st.robots.brick())
    dt = 1e-4 if kind in SPRINGS else DT
    motion = st.simulate(world, kind(), duration=30 * dt, dt=dt, state=state)
    weight = world.robots[0].total_mass * G
    on_top = motion.force_between("brick_2", "brick")[:-1]
    np.testing.assert_allclose(motion.force_between("brick", "brick_2")[:-1], -on_top)
    # momentum over the run: what the bricks gained is what the forces and gravity gave
    gained = world.robots[1].total_mass * (motion.v[-1, 6:9] - motion.v[0, 6:9])
    given = (on_top.sum(axis=0) - [0, 0, weight * len(on_top)]) * dt
    np.testing.assert_allclose(gained, given, atol=1e-6 * weight)
    if kind in (st.Coulomb, st.GaussSeidel, st.Multipoint, st.Bilateral):  # at rest at once
        assert on_top[5:, 2] == pytest.approx(weight, rel=1e-3)
        ground = motion.force[5:-1, :, 2].sum(axis=1)
        assert ground == pytest.approx(2 * weight, rel=1e-3)
        assert np.abs(motion.v[-1]).max() < 1e-6


@compiled_for_coulomb(st.Coulomb, st.GaussSeidel)
def test_bodies_that_collide_in_space_conserve_momentum(kind):
    """A spinning brick hits another off its centre; nothing else acts."""
    brick = st.robots.brick()
    world = st.World(brick, brick, ground=None, gravity=(0, 0, 0))
    state = world.home()
    state.q[:7], state.q[7:] = [0, 0, 0, 1, 0, 0, 0], [0.05, 0.03, 0.09, 1, 0, 0, 0]
    state.v[:6], state.v[6:] = 0, [0.1, -0.2, -1.5, 1.0, 2.0, -0.5]
    motion = st.simulate(world, kind(restitution=0.5), duration=0.06, dt=DT, state=state)
    assert np.nanmax(np.abs(motion.force_between("brick", "brick_2"))) > 1  # they did meet
    momentum, energy = motion.momentum(), motion.energy()
    assert np.abs(momentum.linear - momentum.linear[0]).max() < 1e-12  # rounding
    assert np.abs(momentum.angular - momentum.angular[0]).max() < 1e-13  # rounding
    assert np.diff(energy.total).max() <= 1e-14 * energy.total[0]
    assert motion.unsolved.count == 0


@pytest.mark.parametrize(("push", "sticks"), [(8.0, True), (30.0, False)])
def test_friction_between_bodies(push, sticks):
    """A brick is pushed over a frictionless ground and carries another: together, or it slips."""
    lower, upper = st.robots.brick(), st.robots.brick()
    lower = lower.with_material("ice")
    world = st.World(lower, upper, materials={("ice", "ground"): {"mu_static": 0, "mu_kinetic": 0}})
    _, state = stacked(lower, upper, shift=0.0)
    model = st.Coulomb(mu_static=0.5, mu_kinetic=0.5)
    force = st.Push("brick/brick", (0.0, 0.0, 0.0), (push, 0.0, 0.0), 0.0, 1.0)
    motion = st.simulate(world, model, duration=0.03, dt=DT, state=state, forces=[force])
    m = lower.total_mass
    together, slipping = push / (2 * m), 0.5 * G
    expected = together if sticks else slipping
    assert (together < slipping) == sticks
    assert motion.v[-1, 6] / motion.time[-1] == pytest.approx(expected, rel=1e-6)


def test_a_simulation_of_bodies_continues_bit_by_bit():
    world, state = stacked(st.robots.brick(), st.robots.brick(), gap=2e-4)
    state.v[6:9] = [0.3, 0.1, -0.2]
    simulation = st.Simulation(world, st.Coulomb(), DT, state)
    simulation.step(n=8)
    saved = simulation.save_state()
    simulation.step(n=8)
    expected = simulation.state
    simulation.restore_state(saved)
    simulation.step(n=8)
    np.testing.assert_array_equal(simulation.state.q, expected.q)
    np.testing.assert_array_equal(simulation.state.v, expected.v)
    names = {(one.shape, one.touches) for one in simulation.contacts}
    assert ("brick_2/brick_shape", "brick/brick_shape") in names


def test_a_batch_of_bodies_is_equal_to_single_runs_bit_by_bit():
    world, state = stacked(st.robots.brick(), st.robots.brick(), gap=1e-3)
    single = st.simulate(world, st.Coulomb(), duration=0.02, dt=DT, state=state)
    other = st.State(state.q + 0, state.v + 0.1)
    states = (np.stack([state.q, other.q]), np.stack([state.v, other.v]))
    batch = st.BatchSimulation(world, 2, st.Coulomb(), states=states)
    batch.step(20)
    np.testing.assert_array_equal(batch.q[0], single.q[-1])
    batch.reset([1], (state.q[None], state.v[None]))
    batch.step(20)
    np.testing.assert_array_equal(batch.q[1], single.q[-1])


def test_a_motion_of_bodies_is_saved_and_loaded(tmp_path):
    world, state = stacked(st.robots.brick(), st.robots.brick())
    motion = st.simulate(world, st.Coulomb(), duration=0.005, dt=DT, state=state)
    motion.save(tmp_path / "stack.h5")
    loaded = st.Motion.load(tmp_path / "stack.h5")
    np.testing.assert_array_equal(loaded.between, motion.between)
    force = loaded.force_between("brick_2", "brick")
    assert force[2, 2] == pytest.approx(world.robots[1].total_mass * G, rel=1e-3)


@pytest.mark.slow
@pytest.mark.jit
def test_a_stack_of_ten_stands_for_a_minute():
    """Weights add up downwards, and nothing moves: 1e-6 mm/s, 1e-3 mm deep at most."""
    world, state = stacked(*[st.robots.box() for _ in range(10)], shift=0.0)
    motion = minute(world, state, 60.0)
    assert np.abs(motion.q[-1] - motion.q[0]).max() < 1e-9 * 60.0
    assert deepest(motion) < 1e-6
    weight = world.robots[0].total_mass * G
    names = [robot.name for robot in world.robots]
    for k in range(1, 10):
        carried = motion.force_between(names[k], names[k - 1])[-2, 2]
        assert carried == pytest.approx((10 - k) * weight, rel=1e-6)


@pytest.mark.slow
@pytest.mark.jit
def test_a_stack_that_leans_stands():
    """Each box 1 and 2 cm off the one below; the top drifts by 3e-5 mm/s."""
    world, state = stacked(*[st.robots.box() for _ in range(10)])
    motion = minute(world, state, 5.0)
    assert np.abs(motion.q[-1] - motion.q[0]).max() < 5e-8 * 5.0
    assert deepest(motion) < 1e-6


@pytest.mark.slow
@pytest.mark.jit
def test_a_light_box_carries_one_of_a_thousand_times_its_mass(heavy=1000.0):
    """DART lets it sink by 0.01 mm."""
    light, top = (st.robots.box(mass=mass) for mass in (1.0, heavy))
    world, state = stacked(light.named("light"), top.named("heavy"), shift=0.0)
    motion = minute(world, state, 10.0)
    assert deepest(motion) < 1e-7
    assert np.abs(motion.q[-1] - motion.q[0]).max() < 2e-7
    assert motion.force_between("heavy", "light")[-2, 2] == pytest.approx(heavy * G, rel=1e-6)


def minute(world, state, duration):
    """The motion of a world at rest under `Coulomb`, every tenth of a second; it is solved."""
    record = st.Recording(every=100)
    motion = st.simulate(world, st.Coulomb(), duration=duration, dt=DT, state=state, record=record)
    assert motion.unsolved.count == 0
    return motion


def deepest(motion):
    """Largest depth, in the ground and between bodies [m]."""
    return max(np.nanmax(motion.depth), np.nanmax(motion.between[..., DEPTH]))


TABLE_AND_CUBES = """
<mujoco model="scene">
  <option timestep="0.001"/>
  <worldbody>
    <geom name="floor" type="plane" size="3 3 0.1"/>
    <geom name="top" type="box" pos="0.5 0 0.7" size="0.4 0.3 0.02" euler="0 0 20"/>
    <body name="low" pos="0.45 0.05 0.771"><freejoint/>
      <geom name="low" type="box" size="0.05 0.05 0.05" mass="1"/></body>
    <body name="high" pos="0.46 0.04 0.852"><freejoint/>
      <geom name="high" type="box" size="0.03 0.03 0.03" mass="0.5"/></body>
  </worldbody>
</mujoco>
"""


def test_cubes_on_the_table_of_a_file_rest_where_mujoco_has_them(tmp_path):
    """MuJoCo's contact is soft: its cubes sink by about 0.1 mm."""
    path = tmp_path / "scene.xml"
    path.write_text(TABLE_AND_CUBES)
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, 1000)
    world = st.World(st.load(path))
    motion = st.simulate(world, st.Coulomb(), duration=0.05, dt=DT)
    assert np.abs(motion.v[-1]).max() < 1e-6
    for k in range(2):
        np.testing.assert_allclose(
            motion.q[-1, 7 * k : 7 * k + 3], data.qpos[7 * k : 7 * k + 3], atol=5e-4
        )
    assert motion.q[-1, 2] == pytest.approx(0.77, abs=1e-6)
    assert motion.q[-1, 9] == pytest.approx(0.85, abs=1e-6)


def test_a_ball_rests_on_a_plate_under_a_compiled_law():
    """Of the force laws, this one is compiled with bodies; the others run without the compiler."""
    ball = st.robots.ball().at((0.0, 0.0, 0.61))
    world = st.World(ball, scenery=st.robots.plate().at((0.0, 0.0, 0.5)))
    radius, top = ball.shape_size[0][0], world.scenery.position[0][2] + world.scenery.size[0][2]
    state = world.home()
    state.q[2] = top + radius
    law = st.ImplicitSpringDamper(stiffness=1e5, damping=200.0)
    motion = st.simulate(world, law, duration=0.3, dt=1e-4, state=state)
    weight = ball.total_mass * G
    assert motion.q[-1, 2] == pytest.approx(top + radius - weight / 1e5, abs=1e-6)
    assert motion.force_between("ball", "plate")[-2, 2] == pytest.approx(weight, rel=1e-3)


GRAIN_ON_A_DRUM = """
<mujoco model="drum">
  <worldbody>
    <geom name="drum" type="cylinder" size="21.22759199107641 10.925652225462766"
          quat="0.15637197405557185 -0.12290952036720813 0.7526858340329026 0.6276185870250023"/>
    <body name="grain" pos="10.434814055635645 -8.71353173779161 19.625950245998485"
          quat="0.26466249541174974 -0.9207926242970753 0.021741629646873487 0.28569565642975503">
      <freejoint/>
      <geom name="grain" type="cylinder" size="0.00010907530456 0.00015803323860" mass="1"/>
    </body>
  </worldbody>
</mujoco>
"""


@pytest.mark.interpreted
def test_a_distance_that_was_not_found_is_told(tmp_path):
    """Cylinders that just touch, one 100,000 times larger: the iteration for the depth stalls."""
    path = tmp_path / "drum.xml"
    path.write_text(GRAIN_ON_A_DRUM)
    world = st.World(st.load(path), ground=None, gravity=(0, 0, 0))
    simulation = st.Simulation(world, st.Coulomb(), DT)
    with pytest.warns(st.UnsolvedWarning, match="an iteration for the distance of two shapes"):
        simulation.step()


@compiled_for_coulomb(st.Coulomb, st.Multipoint)
def test_bricks_that_fall_onto_each_other_gain_no_energy(kind):
    """On the ground, sliding and turning; the impulses on all of them count together."""
    world, state = stacked(*[st.robots.brick() for _ in range(3)], gap=1e-3)
    state.v[:] = 0.5 * np.random.default_rng(1).normal(size=world.nv)
    motion = st.simulate(world, kind(), duration=0.05, dt=DT, state=state)
    energy = motion.energy().total
    assert energy.max() <= energy[0] * (1 + 1e-6)
    assert np.nanmax(np.abs(motion.force_between("brick_3", "brick_2"))) > 1  # they did meet
