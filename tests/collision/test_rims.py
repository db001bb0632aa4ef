"""Rims of cylinders touch where they are lowest, and what rolls on them keeps its energy."""

import numpy as np
import pytest

import stiction as st
from mechanisms import detected, fewer, turned
from stiction.collision.carry_points import carry_points
from stiction.collision.detection import REACH, detect, detect_within_reach, find_missed
from stiction.collision.points import LEVEL
from stiction.description.description import WORLD, Description, Joint, Link, Shape
from stiction.kernels.articulated import move_links
from stiction.kernels.kinematics import advance
from stiction.kernels.tree import allocate
from stiction.simulation.allocation import make_surface

RADIUS, HALF = 0.1, 0.005
NO_SLIP = st.Coulomb(mu_static=2.0, mu_kinetic=2.0)


def disc(radius=RADIUS, half=HALF, mass=1.0):
    across, along = mass * (3 * radius**2 + 4 * half**2) / 12, mass * radius**2 / 2
    link = Link("disc", mass, (0.0, 0.0, 0.0), (across, 0.0, 0.0, across, 0.0, along))
    free = Joint("free", "free", WORLD, "disc")
    shape = Shape("rim", "disc", "cylinder", (radius, half))
    return st.Robot.from_description(Description("disc", "tests", (link,), (free,), (shape,)))


def rolling(world, lean, spin=0.0, turn=0.0):
    """A disc on its rim, off the upright by `lean`, that turns about its axis and its diameter.

    Its lowest point does not move.
    """
    a = np.pi / 2 - lean
    state = world.home()
    state.q[:7] = [0.0, 0.0, RADIUS * np.sin(a) + HALF * np.cos(a), *turned((1, 0, 0), a)]
    axis, down = np.array([0.0, -np.sin(a), np.cos(a)]), np.array([0.0, -np.cos(a), -np.sin(a)])
    w = spin * axis - turn * down
    state.v[:3] = -np.cross(w, RADIUS * down - HALF * axis)
    state.v[3:] = spin * np.array([0, 0, 1.0]) - turn * np.array([0, -1.0, 0])
    return state


def energies(world, motion):
    inertia = np.array(world.tree.inertia[1])[[0, 3, 5]]
    mass, v = world.tree.mass[1], motion.v
    moving = mass * (v[:, :3] ** 2).sum(axis=1) / 2 + (inertia * v[:, 3:] ** 2).sum(axis=1) / 2
    return moving + mass * 9.81 * motion.q[:, 2]


# ---------------------------------------------------------------------------------------- detection


def test_the_lowest_point_of_a_rim_is_found_at_any_tilt():
    """Depth of a cylinder in closed form: R sin(tilt) + h cos(tilt) below its middle."""
    world = st.World(disc())
    rng = np.random.default_rng(4)
    for tilt in (0.0, 1e-9, 1e-7, 1e-5, 1e-3, 0.1, 1.0, np.pi / 2):
        for heading in rng.uniform(0, 2 * np.pi, fewer(10, 3)):
            axis = (np.cos(heading), np.sin(heading), 0.0)
            q = np.array([0.3, 0.1, -0.2, *turned(axis, tilt)])
            found = detected(world, q)
            wanted = 0.2 + RADIUS * np.sin(tilt) + HALF * np.cos(tilt)
            # of a rim that is nearly level, another point is as good to within LEVEL
            assert found["depth"].max() == pytest.approx(wanted, abs=LEVEL * RADIUS)
            if tilt >= 1e-3:
                assert found["depth"].max() == pytest.approx(wanted, abs=1e-12)


def test_a_cylinder_stands_on_three_points_lies_on_two_and_rolls_tilted_on_one():
    world = st.World(disc())
    for tilt, points in ((0.0, 3), (1e-7, 3), (np.pi / 2, 2), (0.5, 1)):
        height = RADIUS * np.sin(tilt) + HALF * np.cos(tilt) - 1e-6
        q = np.array([0.0, 0.0, height, *turned((1, 0, 0), tilt)])
        assert len(detected(world, q)["depth"]) == points


def test_points_of_a_level_rim_stay_with_it_whichever_way_it_leans():
    """By how much rounding tilts a standing cylinder must not decide where it stands."""
    world = st.World(disc())

    def standing(tilt, heading):
        axis = (np.cos(heading), np.sin(heading), 0.0)
        return detected(world, np.array([0.0, 0.0, HALF - 1e-6, *turned(axis, tilt)]))["arm"]

    level = standing(0.0, 0.0)
    for heading in np.linspace(0, 2 * np.pi, 12):
        assert np.abs(standing(1e-3 * LEVEL, heading) - level).max() < 2e-3 * RADIUS


def test_a_skew_cylinder_stands_on_points_of_its_rim():
    """Its axis is none of those of the link."""
    turn = tuple(turned((1.0, 2.0, 0.5), 0.9))
    link = Link("can", 1.0, (0.0, 0.0, 0.0), (0.01, 0.0, 0.0, 0.01, 0.0, 0.01))
    shape = Shape("can", "can", "cylinder", (RADIUS, HALF), quaternion=turn)
    free = Joint("free", "free", WORLD, "can")
    can = st.Robot.from_description(Description("can", "tests", (link,), (free,), (shape,)))
    w, *xyz = turn
    upright = np.array([w, *(-part for part in xyz)])
    found = detected(st.World(can), np.array([0.0, 0.0, HALF - 1e-6, *upright]))
    assert len(found["arm"]) == 3
    assert np.allclose(np.linalg.norm(found["arm"][:, :2], axis=1), RADIUS, rtol=1e-9)
    assert np.allclose(found["arm"][:, 2], -HALF, atol=1e-9)


# ----------------------------------------------------------------- where points are a little later


def jumble():
    """A free link and one on a hinge, with a shape of every kind that has its own way to move."""
    links, shapes = [], []
    for name in ("body", "arm"):
        links.append(Link(name, 1.0, (0.01, 0.0, 0.0), (0.01, 0.0, 0.0, 0.01, 0.0, 0.01)))
        made = {"sphere": (0.05,), "box": (0.05, 0.04, 0.03), "cylinder": (0.06, 0.02)}
        for k, (kind, size) in enumerate(made.items()):
            place, turn = (0.2 * k - 0.2, 0.1, 0.05), tuple(turned((1, k, 0.3), 0.4 + k))
            shapes.append(Shape(f"{name} {kind}", name, kind, size, place, turn))
    hinge = {"position": (0.1, 0.0, 0.2), "axis": (0.0, 0.6, 0.8)}
    joints = (
        Joint("free", "free", WORLD, "body"),
        Joint("hinge", "revolute", "body", "arm", **hinge),
    )
    described = Description("jumble", "tests", tuple(links), joints, tuple(shapes))
    return st.World(st.Robot.from_description(described), ground=st.Plane(height=9.0))


def test_carried_points_are_where_detection_finds_them_later_with_the_same_velocities():
    """To second order in time: half the time, a quarter of the error."""
    world = jumble()
    surface, _, _ = make_surface(world, st.SpringDamper())
    contact_points, ground, contact = surface.points, surface.ground, surface.contact
    dynamics = allocate(world.tree)
    rng = np.random.default_rng(8)

    def found(q, v, time=0.0):
        move_links(dynamics, q, v)
        detect(contact_points, ground, dynamics, contact, 0.0)
        assert contact.count[0] == len(contact_points.link)  # everything is deep in the ground
        if time > 0:
            carry_points(contact_points, dynamics, contact, time, time, time)
        return contact.velocity.copy(), contact.arm.copy()

    for _ in range(fewer(5, 2)):
        q = np.array([0.0, 0.0, 0.0, *rng.normal(size=4), 0.3])
        q[3:7] /= np.linalg.norm(q[3:7])
        v = rng.normal(size=world.nv)
        errors = []
        for time in (2e-3, 1e-3):
            later = q.copy()
            advance(world.tree, later, v, time)
            wanted = found(later, v)
            carried = found(q, v, time)
            errors.append([np.abs(a - b).max() for a, b in zip(wanted, carried, strict=True)])
            still = found(q, v)
            assert np.abs(still[0] - wanted[0]).max() > 50 * errors[-1][0]
        assert errors[0][0] / errors[1][0] == pytest.approx(4.0, rel=0.1)
        assert errors[0][1] / errors[1][1] == pytest.approx(4.0, rel=0.1)


# ------------------------------------------------------------------- points that were not looked at


def test_places_that_accelerations_bring_to_the_ground_are_found_and_no_others():
    world = st.World(st.robots.brick(), st.robots.ball().at((2.0, 0.0, 0.0)))
    surface, _, _ = make_surface(world, st.SpringDamper())
    contact_points, ground, contact = surface.points, surface.ground, surface.contact
    dynamics, dt = allocate(world.tree), 1e-3
    state = world.standing(above=2e-4)
    move_links(dynamics, state.q, state.v)
    assert 2e-4 > REACH * 9.81 / 2 * dt**2  # both are out of reach at first
    for brick, ball, wanted in ((-150.0, 0.0, 0), (-250.0, 0.0, 4), (-250.0, -250.0, 5)):
        detect(contact_points, ground, dynamics, contact, dt)
        assert contact.count[0] == 0
        dynamics.acceleration[:] = 0.0
        dynamics.acceleration[[2, 8]] = brick, ball
        assert find_missed(contact_points, ground, dynamics, contact, dt) == (wanted > 0)
        detect_within_reach(contact_points, ground, dynamics, contact, dt)
        assert contact.count[0] == wanted
        assert not find_missed(contact_points, ground, dynamics, contact, dt)


def test_without_gravity_nothing_is_in_reach_until_it_is_pushed():
    world = st.World(st.robots.brick(), gravity=(0.0, 0.0, 0.0))
    assert len(detected(world, world.standing(above=1e-9).q, reach_time=1e-3)["depth"]) == 0


# ----------------------------------------------------------------------------------- in whole steps


@pytest.mark.jit
@pytest.mark.parametrize(
    "integrator",
    [
        st.Midpoint(),
        pytest.param(st.Leapfrog(), marks=pytest.mark.slow),
        pytest.param(st.RungeKutta4(), marks=pytest.mark.slow),
    ],
    ids=["midpoint", "leapfrog", "rk4"],
)
@pytest.mark.parametrize(
    ("lean", "motion", "loss"),
    [
        (0.0, {"spin": 10.0}, 1e-9),  # upright: nothing turns but the disc itself
        (0.2, {"spin": 15.0}, 1e-4),  # a coin that rolls in a circle; 2.4e-4 before, in proportion
        (0.6, {"spin": 8.0}, 3e-4),  # leaning: 7e-2 before, 2 % in a turn
        (1.3, {"turn": 12.0}, 3e-3),  # Euler's disc, 1.3 rad off the upright
    ],
    ids=["upright", "coin", "leaning", "euler"],
)
def test_a_disc_that_rolls_on_its_rim_keeps_its_energy(integrator, lean, motion, loss):
    """Over 2 s, three turns and more, at 1 ms; losses are of second order in the step."""
    world = st.World(disc())
    state = rolling(world, lean, **motion)
    rolled = st.simulate(world, NO_SLIP, duration=2.0, state=state, integrator=integrator)
    energy = energies(world, rolled)
    assert np.abs(energy / energy[0] - 1).max() < loss
    assert np.nanmax(rolled.depth) < 2e-5


@pytest.mark.jit
@pytest.mark.parametrize("push", [0.0, -1e3, -1e4])
def test_a_brick_that_is_pushed_down_from_a_small_gap_stops_at_the_ground(push):
    """At 5000 m/s2 it would be 2.5 mm deep after a step in which nobody looked for it."""
    world = st.World(st.robots.brick(mass=2.0))
    pushes = [st.Push("brick", (0.0, 0.0, 0.0), (0.0, 0.0, push), 0.0, 1.0)]
    state = world.standing(above=1e-4)
    motion = st.simulate(world, st.Coulomb(), duration=0.02, state=state, forces=pushes)
    assert np.nanmax(motion.depth) < 1e-6
    assert motion.q[-1, 2] == pytest.approx(0.03, abs=1e-6)
