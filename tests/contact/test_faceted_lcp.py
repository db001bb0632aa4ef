"""`FacetedLCP`: Eq. (1)-(3) of its docstring, closed forms of a brick, sizes, and what it reports.

Facets of a brick: corners of the friction polygon are at multiples of 2 pi/n from its x axis.
"""

import numpy as np
import pytest

import stiction as st
from contact.problems import DT, plate, take_step, thrown
from mechanisms import fewer, turned
from stiction.bench.lcp.methods import humanoid
from stiction.contact.contact_model import MODELS
from stiction.contact.solvers.faceted_cones import MOST_UNKNOWNS
from stiction.description.description import WORLD, Description, Joint, Link, Shape
from stiction.errors import InputError, UnsolvedWarning
from stiction.kernels.response import NOT_CONVERGED

pytestmark = pytest.mark.interpreted
G, MU = 9.81, 0.5
FACETS = (4, 6, 8, 12, 16)
EXACT = 1e-9  # relative; where the basis stays the same, errors are 1e-5 of the tolerance of 1e-6


def model(facets, **more):
    return st.FacetedLCP(facets=facets, mu_static=MU, mu_kinetic=MU, **more)


def tilted(angle, heading):
    """A brick at rest, with gravity as on a slope that falls towards `heading`."""
    down = G * np.array([*(np.sin(angle) * direction(heading)), -np.cos(angle)])
    world = st.World(st.robots.brick(mass=2.0), gravity=down)
    return world, world.standing()


def direction(heading):
    return np.array([np.cos(heading), np.sin(heading)])


def corners(facets):
    angles = 2 * np.pi * np.arange(facets) / facets
    return np.column_stack([np.cos(angles), np.sin(angles)])


def holds_up_to(facets, heading):
    """Distance of the edge of the polygon, with its corners at 1, in a direction."""
    half = np.pi / facets
    return np.cos(half) / np.cos(heading % (2 * half) - half)


# --------------------------------------------------------------------------------------- equations


def unknowns_of(params, points):
    """What a model declares."""
    return MODELS[type(params)].unknowns(params, points)


def violations(step, facets, x_axis, mu=MU):
    """Signorini, polygon and dissipation of a step: how far from Eq. (1)-(3), relative."""
    p, c = step.p, step.c
    most, fast = np.linalg.norm(p, axis=1).max(), np.linalg.norm(step.c_free, axis=1).max()
    y_axis = np.array([-x_axis[1], x_axis[0]])
    d = corners(facets) @ np.vstack([x_axis, y_axis])
    middle = np.pi / facets
    edges = direction(middle)[0] * x_axis + direction(middle)[1] * y_axis
    turn = np.array(
        [[np.cos(2 * middle), np.sin(2 * middle)], [-np.sin(2 * middle), np.cos(2 * middle)]]
    )
    outside = 0.0
    for _ in range(facets):
        outside = max(outside, (p[:, :2] @ edges - mu * np.cos(middle) * p[:, 2]).max())
        edges = edges @ turn
    slowest = (c[:, :2] @ d.T).min(axis=1)  # towards the corner that opposes the motion most
    power = np.einsum("ni,ni->n", p[:, :2], c[:, :2]) - mu * p[:, 2] * slowest
    return {
        "pull": max(-p[:, 2].min(), 0.0) / most,
        "sinks": max(-c[:, 2].min(), 0.0) / fast,
        "signorini": np.abs(p[:, 2] * c[:, 2]).max() / (most * fast),
        "polygon": outside / most,
        "dissipation": np.abs(power).max() / (most * fast),
    }


@pytest.mark.parametrize("facets", FACETS)
def test_impulses_obey_the_equations(facets):
    """Plates on three and four points, thrown; the oracle computes velocities by numpy."""
    touched = 0
    for points in (3, 4):
        world, rng = st.World(plate(points)), np.random.default_rng(facets)
        for _ in range(fewer(10, 3)):
            state = thrown(world, rng, tilt=0.02, speed=0.5, sinking=0.3, spin=2.0, above=-1e-5)
            step = take_step(world, model(facets), state)
            if not step.p.any():
                continue
            x_axis = rotation_of(state.q[3:7])[:2, 0]
            found = violations(step, facets, x_axis / np.linalg.norm(x_axis))
            assert max(found.values()) <= EXACT, found
            touched += 1
    assert touched > fewer(10, 1)


def rotation_of(quaternion):
    w, x, y, z = quaternion
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


# ------------------------------------------------------------------------------------ closed forms


@pytest.mark.parametrize("facets", FACETS)
@pytest.mark.parametrize("heading", [0.0, 0.1, 2.0])
def test_a_brick_holds_on_a_slope_up_to_the_edge_of_the_polygon(facets, heading):
    """tan(angle) = mu at the corners of the polygon, mu cos(pi/n) midway between them."""
    limit = MU * holds_up_to(facets, heading)
    for steepness, slides in (0.999, False), (1.001, True):
        world, state = tilted(np.arctan(steepness * limit), heading)
        motion = st.simulate(world, model(facets), duration=2 * DT, dt=DT, state=state)
        speed = np.linalg.norm(motion.v[-1, :2])
        assert (speed > 1e-6) == slides
        assert slides or speed < 1e-12  # 1e-10 of g dt


@pytest.mark.parametrize("facets", FACETS)
def test_friction_of_a_slide_is_towards_the_nearest_corner(facets):
    """mu N, up to pi/n off the direction of motion; midway mu cos(pi/n) N against it."""
    world, weight = st.World(st.robots.brick(mass=2.0)), 2.0 * G
    for share in (0.0, 0.8, 1.0):
        heading = share * np.pi / facets
        state = world.standing()
        state.v[:2] = 0.3 * direction(heading)
        force = st.simulate(world, model(facets), duration=DT, dt=DT, state=state).force[0]
        expected = MU * weight * direction(0.0)
        if share == 1:
            expected = MU * weight * np.cos(heading) * direction(heading)
        assert np.allclose(force[:, :2].sum(axis=0), -expected, atol=EXACT * weight)
        assert force[:, 2].sum() == pytest.approx(weight, rel=EXACT)


@pytest.mark.jit
@pytest.mark.parametrize("facets", FACETS)
def test_a_slide_ends_within_the_error_of_the_facets(facets):
    """v^2 / (2 mu g) along a corner, up to 1 / cos(pi/n) of it in other directions."""
    exact = 1.0 / (2 * MU * G)
    for share in (0.0, 0.25, 0.5, 1.0):
        world = st.World(st.robots.brick(mass=2.0))
        state = world.standing()
        state.v[:2] = direction(share * np.pi / facets)
        motion = st.simulate(world, model(facets), duration=0.4, dt=DT, state=state)
        way = np.linalg.norm(motion.q[-1, :2] - motion.q[0, :2])
        assert np.linalg.norm(motion.v[-1, :2]) < 1e-12 and motion.unsolved.count == 0
        if share == 0:
            assert way == pytest.approx(exact, rel=1e-6)
        assert exact * (1 - 1e-6) <= way <= exact / np.cos(np.pi / facets) * (1 + 1e-6)


def test_the_facets_turn_with_the_robot_and_not_with_the_world():
    angle = 0.7
    force = []
    for turn in (0.0, angle):
        robot = st.robots.brick(mass=2.0).at((0.0, 0.0, 0.0), turned((0.0, 0.0, 1.0), turn))
        world = st.World(robot)
        state = world.standing()
        state.v[:2] = 0.3 * direction(turn + 0.1)
        motion = st.simulate(world, model(6), duration=DT, dt=DT, state=state)
        force.append(motion.force[0].sum(axis=0)[:2])
    c, s = direction(angle)
    assert np.allclose(force[1], np.array([[c, -s], [s, c]]) @ force[0], atol=EXACT * 20)


def test_a_link_that_stands_on_its_x_axis_has_facets_along_its_y_axis():
    """Its x axis gives no direction along the ground."""
    robot = st.robots.brick(mass=2.0).at((0.0, 0.0, 0.0), turned((0.0, 1.0, 0.0), -np.pi / 2))
    world = st.World(robot)
    state = world.standing()
    state.v[:2] = 0.3 * direction(np.pi / 2 - 0.2)  # closer to y than to the next of six corners
    force = st.simulate(world, model(6), duration=DT, dt=DT, state=state).force[0].sum(axis=0)
    assert abs(force[0]) <= EXACT * 20 and force[1] < -1


@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
def test_a_ball_rebounds_as_under_coulomb(restitution):
    world = st.World(st.robots.ball())
    state = world.standing(above=1e-3)
    state.v[2] = -1.0
    solvers = (kind(restitution=restitution) for kind in (st.FacetedLCP, st.Coulomb))
    ours, theirs = (st.simulate(world, one, duration=5 * DT, dt=DT, state=state) for one in solvers)
    assert ours.v[-1, 2] == pytest.approx(theirs.v[-1, 2], abs=EXACT)
    assert ours.v[-1, 2] == pytest.approx(restitution * 1.0, abs=2 * G * 5 * DT)


def test_forces_within_the_cone_are_those_of_coulomb():
    """A brick that is pushed but held: the impulses of least norm, on four corners."""
    world = st.World(st.robots.brick(mass=2.0))
    push = st.Push("brick", (0.02, 0.01, 0.0), (3.0, 2.0, -1.0), 0.0, 1.0)
    forces = [
        st.simulate(world, one, duration=2 * DT, dt=DT, state=world.standing(), forces=[push]).force
        for one in (st.FacetedLCP(), st.Coulomb())
    ]
    assert np.abs(forces[0] - forces[1])[:-1].max() <= EXACT * 2.0 * G


# -------------------------------------------------------------------------------- sizes and reports


@pytest.mark.parametrize(("facets", "points"), [(4, 3), (8, 4), (8, 16)])
def test_the_problem_has_n_plus_two_unknowns_for_every_point(facets, points):
    world = st.World(plate(points))
    simulation = st.Simulation(world, model(facets), DT, world.standing())
    simulation.step()
    assert simulation._system.surface.work.scratch.size[0] == (facets + 2) * points
    assert unknowns_of(model(facets), points) == (facets + 2) * points


@pytest.mark.slow
@pytest.mark.jit
@pytest.mark.parametrize(("points", "unknowns"), [(19, 190), (67, 670)])
def test_the_paper_s_numbers_of_contacts_make_190_and_670_unknowns(points, unknowns):
    """The paper's exact cone has 57 and 201."""
    world = humanoid(points)
    state = world.standing()
    state.v[0] = 0.1
    simulation = st.Simulation(world, model(8), DT, state)
    simulation.step(n=3)
    assert simulation._system.surface.work.scratch.size[0] == unknowns
    assert simulation.unsolved.count == 0


@pytest.mark.parametrize("value", [3, 5, 8.5, 18, float("nan")])
def test_facets_are_a_small_even_number(value):
    with pytest.raises(InputError, match="facets is .*; give a multiple of 2 from 4 to 16"):
        st.Simulation(st.World(st.robots.brick()), st.FacetedLCP(facets=value))


def test_more_contact_points_than_fit_are_refused():
    points = MOST_UNKNOWNS // 10 + 1
    with pytest.raises(InputError, match="8 facets has .* unknowns .*; use fewer contact points"):
        unknowns_of(st.FacetedLCP(), points)
    assert unknowns_of(st.Coulomb(), points) == 0


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of drift, which lifts it in vain
def test_a_step_without_solution_is_reported():
    """A press that a prescribed motion drives into the ground: no impulse stops it."""
    link = Link("block", 2.0, (0.0, 0.0, 0.0), (0.01, 0.0, 0.0, 0.01, 0.0, 0.01))
    joint = Joint("slide", "prismatic", WORLD, "block", axis=(0.0, 0.0, 1.0))
    ball = Shape("ball", "block", "sphere", (0.1,))
    world = st.World(
        st.Robot.from_description(Description("press", "", (link,), (joint,), (ball,)))
    )
    falls = st.Prescribed(st.Reference([0.0, 1.0], np.array([[0.1], [0.0]])))
    with pytest.warns(UnsolvedWarning, match=r"FacetedLCP: 2 of 2 steps .* were not solved"):
        motion = st.simulate(world, model(8), duration=2 * DT, dt=DT, controller=falls)
    assert (motion.solver[:-1, 2] == NOT_CONVERGED).all()
    assert motion.solver[0, 1] == pytest.approx(0.1 / (G * DT), rel=1e-3)  # all of its speed
