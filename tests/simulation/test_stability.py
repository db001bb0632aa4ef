"""The longest step of explicit contact laws: declared, told with numbers, and true."""

import warnings

import numpy as np
import pytest

import stiction as st
from mechanisms import one_joint
from stiction.contact.hunt_crossley import bearable_at_depth, landing_depth
from stiction.contact.spring_damper import bearable_step, implicit_bearable_step
from stiction.description.description import WORLD, Description, Joint, Link, Shape
from stiction.errors import StabilityWarning
from stiction.simulation.allocation import make_surface
from stiction.simulation.stability import longest_explicit_step, longest_step


def growth(stiffness, damping, mass, dt):
    """Largest growth factor of a step of semi-implicit Euler of a damped spring."""
    kick = np.array([[1.0, 0.0], [-dt * stiffness / mass, 1.0 - dt * damping / mass]])
    drift = np.array([[1.0, dt], [0.0, 1.0]])
    return np.abs(np.linalg.eigvals(drift @ kick)).max()


@pytest.mark.parametrize(("k", "c", "m"), [(5e4, 500.0, 2.0), (1e3, 0.0, 0.1), (0.0, 40.0, 1.0)])
def test_the_bound_is_where_a_spring_begins_to_grow(k, c, m):
    for bound, damping in (
        (bearable_step(k, c, m), lambda dt: c),
        (implicit_bearable_step(k, c, m), lambda dt: c + k * dt),
    ):
        assert growth(k, damping(0.99 * bound), m, 0.99 * bound) <= 1 + 1e-9
        assert growth(k, damping(1.01 * bound), m, 1.01 * bound) > 1.0001


def skew(r):
    x, y, z = r
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def test_four_corners_of_a_brick_feel_what_its_quickest_mode_has():
    world = st.World(st.robots.brick(size=(0.2, 0.1, 0.06), mass=2.0))
    model = st.SpringDamper()
    surface, _, _ = make_surface(world, model)
    bound = longest_step(world, model, surface.points, surface.contact.table)
    # alone, each corner of a side moves with m / 4; pitching, with m (a^2 + h^2) / 12 against four
    # arms along the normal and along the ground, of (a^2 + h^2) / 4 together; with the shift that
    # forces along the ground make as well, by the eigenvalues of its compliance
    a, b, h, m = 0.2, 0.1, 0.06, 2.0
    moments = m / 12 * np.array([b * b + h * h, a * a + h * h, a * a + b * b])
    lightest = []
    for axis in range(3):
        x, y, z = 0.5 * np.roll([a, b, h], -axis)
        arms = np.array([[x, sy * y, sz * z] for sy in (-1, 1) for sz in (-1, 1)])
        arms = np.roll(arms, axis, axis=1)
        rows = np.concatenate([np.hstack([np.eye(3), skew(-arm)]) for arm in arms])
        compliance = rows @ np.diag([1 / m] * 3 + list(1 / moments)) @ rows.T
        lightest.append(1 / np.linalg.eigvalsh(compliance)[-1])
    pitching = min(lightest)
    assert pitching < m / 12 * (1 + 1e-9)
    assert bound.points == 4 and bound.link == "brick"
    assert bound.mass == pytest.approx(pitching, rel=1e-9)
    assert bound.dt == pytest.approx(bearable_step(5e4, 500.0, pitching), rel=1e-12)


def test_a_step_too_long_warns_with_the_numbers_and_a_short_one_does_not():
    world = st.World(st.robots.brick())
    with pytest.warns(
        StabilityWarning, match=r"dt is 0\.01 s, but 4 points of 'brick'.*stable only up to"
    ):
        simulation = st.Simulation(world, st.SpringDamper(), dt=0.01)
    assert any("stable only up to" in note for note in simulation.notes)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        st.Simulation(world, st.SpringDamper(), dt=1e-4)
        st.Simulation(world, st.Coulomb(), dt=0.01)
        st.Simulation(world, None, dt=0.01)


def test_contacts_tell_what_touched_in_the_last_step():
    world = st.World(st.robots.brick(mass=2.0))
    simulation = st.Simulation(world, st.Coulomb(), state=world.standing())
    assert simulation.contacts == []
    simulation.step(n=3)
    points = simulation.contacts
    assert len(points) == 4
    assert {point.shape for point in points} == {"brick/brick_shape"}
    assert sum(point.force[2] for point in points) == pytest.approx(2.0 * 9.81, rel=1e-9)
    assert max(np.abs(point.slip).max() for point in points) < 1e-9


# ------------------------------------------------------------------------------ laws that stiffen


def test_a_landing_goes_as_deep_as_its_energy_takes_it():
    law = st.HuntCrossley(stiffness=2e6, damping=0.0)
    d = landing_depth(law, 3.0, 2.0, 9.81)
    assert 2e6 * d**2.5 / 2.5 == pytest.approx(3.0 * (2.0**2 / 2 + 9.81 * d), rel=1e-6)
    assert landing_depth(law, 3.0, 0.0, 0.0) == 0.0


@pytest.mark.jit
def test_the_step_told_for_a_landing_holds_and_a_landing_deeper_than_told_is_reported():
    """Told for 1 mm, as if nothing fell, the step is too long for what falls by 0.3 m."""
    world = st.World(st.robots.brick(mass=2.0))
    law = st.HuntCrossley(damping=0.0, mu_kinetic=0.0)
    state = world.standing(above=0.3)
    with pytest.warns(StabilityWarning, match=r"stable only up to \S+ s \(at a depth of") as told:
        st.Simulation(world, law, dt=1.0, state=state)
    advised = float(str(told[0].message).split("stable only up to ")[1].split(" s")[0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*contact added 0.1.* J")
        motion = st.simulate(world, law, duration=1.0, dt=0.99 * advised, state=state)
    # it bounces back to where it was, but for the error of a spring stepped near its limit: 0.1 J
    # of 5.9 J, which is told
    assert motion.q[:, 2].max() < 0.33 * 1.02
    surface, _, _ = make_surface(world, law)
    shallow = longest_step(world, law, surface.points, surface.contact.table)
    assert shallow.dt > 1.5 * advised
    deepest = float(np.nanmax(motion.depth))
    assert advised == pytest.approx(bearable_at_depth(law, shallow.mass, deepest), rel=0.05)


def test_a_run_that_went_too_deep_for_its_step_says_so():
    world = st.World(st.robots.brick(mass=2.0))
    state = world.standing(above=-0.02)  # begins deep, at rest: no landing tells
    law = st.HuntCrossley()
    with pytest.warns(StabilityWarning, match=r"'brick' penetrated by 2\d.* mm; at that depth"):
        motion = st.simulate(world, law, duration=2e-3, dt=1e-3, state=state)
    assert any("penetrated by" in note for note in motion.parameters["notes"])


def test_a_simulation_stepped_by_hand_says_once_that_it_went_too_deep():
    world = st.World(st.robots.brick(mass=2.0))
    simulation = st.Simulation(world, st.HuntCrossley(), 1e-3, world.standing(above=-0.02))
    with pytest.warns(StabilityWarning, match=r"'brick' penetrated by 2\d.* mm; at that depth"):
        simulation.step()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        simulation.step(n=3)
    assert not [one for one in told if "penetrated by" in str(one.message)]


# ------------------------------------------------------------------------- inertias and many points


def test_a_moment_that_rounding_made_negative_is_none_for_the_loader_and_for_the_bound():
    """A rod as a file prints it: its moment about its own axis is -1e-12, or nothing at all."""
    for least in (-1e-12, 0.0):
        link = Link("rod", 1.0, (0.0, 0.0, 0.0), (0.02, 0.0, 0.0, 0.02, 0.0, least))
        shape = Shape("ends", "rod", "capsule", (0.01, 0.2))
        hinge = Joint("hinge", "revolute", WORLD, "rod", axis=(0.0, 1.0, 0.0))
        rod = st.Robot.from_description(Description("rod", "tests", (link,), (hinge,), (shape,)))
        world = st.World(rod)
        surface, _, _ = make_surface(world, st.SpringDamper())
        bound = longest_step(world, st.SpringDamper(), surface.points, surface.contact.table)
        # pushed across at one end, which is 0.2 m off: 1 / m + l^2 / I; a radius adds a little
        across = 1 / (1.0 + 0.2**2 / 0.02)
        assert across / 1.5 < bound.mass < across * (1 + 1e-9)
        assert 0 < bound.dt < 1


def test_links_without_mass_tell_no_bound():
    tool = Link("tool", 0.0, (0.0, 0.0, 0.0), (0.0,) * 6)
    body = Link("body", 1.0, (0.0, 0.0, 0.0), (0.01, 0.0, 0.0, 0.01, 0.0, 0.01))
    joints = (
        Joint("swivel", "revolute", WORLD, "tool", axis=(1.0, 0.0, 0.0)),
        Joint("wrist", "revolute", "tool", "body", axis=(0.0, 1.0, 0.0)),
    )
    shapes = (Shape("tip", "tool", "sphere", (0.01,), (0.0, 0.0, -0.1)),)
    robot = st.Robot.from_description(Description("arm", "tests", (tool, body), joints, shapes))
    world = st.World(robot)
    surface, _, _ = make_surface(world, st.SpringDamper())
    assert longest_step(world, st.SpringDamper(), surface.points, surface.contact.table) is None


def test_a_finer_hull_bears_the_same_step():
    """A disc of n vertices: its stiffness is that of eight, however many there are."""
    bounds = []
    for n in (16, 400):
        angle = np.linspace(0, 2 * np.pi, n, endpoint=False)
        ring = np.column_stack([0.1 * np.cos(angle), 0.1 * np.sin(angle)])
        hull = [(*point, z) for z in (0.0, 0.02) for point in ring.tolist()]
        link = Link("disc", 1.0, (0.0, 0.0, 0.01), (0.0025, 0.0, 0.0, 0.0025, 0.0, 0.005))
        shape = Shape("hull", "disc", "hull", (), vertices=tuple(hull))
        free = Joint("free", "free", WORLD, "disc")
        disc = st.Robot.from_description(Description("disc", "tests", (link,), (free,), (shape,)))
        surface, _, _ = make_surface(st.World(disc), st.SpringDamper())
        table = surface.contact.table
        bounds.append(longest_step(st.World(disc), st.SpringDamper(), surface.points, table).dt)
    assert bounds[0] == pytest.approx(bounds[1], rel=1e-6)


# ------------------------------------------------------------------------------------------- servos


def hinge(**joint):
    return one_joint(
        "revolute", Link("wheel", 1.0, (0.0,) * 3, (0.01, 0, 0, 0.01, 0, 0.01)), **joint
    )


@pytest.mark.parametrize(
    ("joint", "limit"),
    [
        ({"damping": 5.0}, 2.7853 / (5.0 / 0.01)),  # where 1 + z + z^2/2 + z^3/6 + z^4/24 = 1
        ({"stiffness": 900.0}, 2.8284 / np.sqrt(900.0 / 0.01)),  # 2 sqrt(2), on the imaginary axis
    ],
)
def test_runge_kutta_bears_dampers_and_springs_of_joints_up_to_its_limit(joint, limit):
    world = st.World(hinge(**joint), ground=None)
    state = world.home()
    state.v[0] = 1.0
    bound = longest_explicit_step(world, st.RungeKutta4(), (), state, 1e-3)
    assert bound.dt == pytest.approx(limit, rel=5e-3)  # rays are looked at in steps of 0.005
    assert bound.joint == "joint"
    for factor, grows in ((0.98, False), (1.03, True)):
        dt = factor * limit
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", StabilityWarning)
            motion = st.simulate(
                world,
                contact=None,
                duration=40 * dt,
                dt=dt,
                state=state,
                integrator=st.RungeKutta4(),
            )
        assert (np.abs(motion.v[-10:, 0]).max() > 1.0) == grows


def test_servos_too_stiff_for_an_explicit_integrator_warn_with_the_joint_and_the_bound():
    world = st.World(hinge(), ground=None)
    still = st.Reference([0.0, 1.0], np.zeros((2, 1)))
    servo = st.PDTracking(still, stiffness=0.0, damping=20.0)  # 2000 1/s
    with pytest.warns(
        StabilityWarning, match=r"dt is 0\.002 s, but the mode of 'joint'.*stable only up to"
    ):
        st.Simulation(world, contact=None, dt=2e-3, controller=servo, integrator=st.RungeKutta4())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        st.Simulation(world, contact=None, dt=1e-3, controller=servo, integrator=st.RungeKutta4())
        st.Simulation(world, contact=None, dt=2e-3, controller=servo)  # takes damping implicitly
        held = st.Prescribed(still)
        st.Simulation(
            world, contact=None, dt=2e-3, controller=(servo, held), integrator=st.RungeKutta4()
        )


# ---------------------------------------------------------------------- what models know beforehand


def foretold(world, model, dt, state=None):
    """What a simulation warns of before its first step."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        simulation = st.Simulation(world, model, dt, state)
    found = [str(one.message) for one in told if issubclass(one.category, StabilityWarning)]
    assert [note for note in simulation.notes if note in found] == found
    return " ".join(found)


@pytest.mark.parametrize("kind", [st.SpringDamper, st.ImplicitSpringDamper])
def test_friction_without_sticking_foresees_that_robots_creep(kind):
    world = st.World(st.robots.brick())
    told = foretold(world, kind(sticking=0.0, mu_kinetic=0.6, eps=1e-4), 1e-4)
    assert "changes the speed of a body by up to 0.59 mm/s in a step" in told
    assert "zero below eps = 0.1 mm/s. Expect 0.35 m in ten minutes" in told
    assert "creep" not in foretold(world, kind(), 1e-4)
    assert "creep" not in foretold(world, kind(sticking=0.0, mu_kinetic=0.0), 1e-4)


def test_bilateral_foresees_how_deep_what_falls_will_stay():
    world = st.World(st.robots.brick())
    state = world.standing(above=0.3)
    told = foretold(world, st.Bilateral(), 0.05, state)
    assert "'brick' lands at 2.43 m/s if it falls, and may stay 64 mm deep" in told
    assert "use dt below 0.0063 s" in told
    assert foretold(world, st.Bilateral(), 0.006, state) == ""
    assert foretold(world, st.Bilateral(), 0.05, world.standing()) == ""


@pytest.mark.interpreted
def test_bilateral_stays_as_deep_as_it_foresees():
    """A brick that tumbles: within a factor of two at 50 ms, and never much deeper."""
    world, deepest = st.World(st.robots.brick()), {}
    for dt in (0.05, 0.006):
        state = world.standing(above=0.3)
        turn = np.random.default_rng(0).normal(size=4)
        state.q[3:7], state.q[2] = turn / np.linalg.norm(turn), 0.4
        state.v[3:] = (1.0, 2.0, -3.0)
        motion = st.simulate(world, st.Bilateral(), duration=0.9, dt=dt, state=state)
        deepest[dt] = float(np.nanmax(motion.depth))
    assert 0.002 < deepest[0.05] < 0.08
    assert deepest[0.006] < 1.5e-3


def test_a_batch_foresees_the_same():
    world = st.World(st.robots.brick())
    with pytest.warns(StabilityWarning, match="without sticking, robots that should stand still"):
        st.BatchSimulation(world, 2, st.SpringDamper(sticking=0.0), dt=1e-4)
