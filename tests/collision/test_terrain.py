"""Height fields and stairs: against closed forms, and against every point looked at alone."""

import itertools

import numpy as np
import pytest

import stiction as st
from mechanisms import detected, fewer, random_pose, turned
from stiction.collision.terrain import meet
from stiction.description.description import WORLD, Description, Joint, Link, Material, Shape
from stiction.metrics import friction_coefficients
from stiction.simulation.allocation import make_surface

pytestmark = pytest.mark.interpreted

RNG_SEED = 11
X, Y = np.meshgrid(np.linspace(-2, 2, 21), np.linspace(-1, 1, 11))
TILTED = 0.3 * X - 0.2 * Y

# ------------------------------------------------------------------------------------- height field


def shapes_of_all_kinds():
    """A free link with one shape of each kind, side by side."""
    wedge = ((0.0, 0.0, 0.0), (0.1, 0.0, 0.0), (0.0, 0.1, 0.0), (0.0, 0.05, -0.1))
    made = {
        "sphere": {"size": (0.05,)},
        "capsule": {"size": (0.03, 0.05)},
        "box": {"size": (0.05, 0.04, 0.03)},
        "cylinder": {"size": (0.05, 0.03)},
        "hull": {"size": (), "vertices": wedge},
        "points": {"size": (), "vertices": wedge[:2]},
    }
    shapes = []
    for k, (kind, values) in enumerate(made.items()):
        place, turn = (0.2 * k - 0.5, 0.1 * (k % 2), 0.0), tuple(turned((1, k, 0.3), 0.4))
        shapes.append(Shape(kind, "body", kind, position=place, quaternion=turn, **values))
    return one_link(*shapes)


def one_link(*shapes):
    link = Link("body", 1.0, (0.0, 0.0, 0.0), (0.01, 0.0, 0.0, 0.01, 0.0, 0.01))
    joints = (Joint("free", "free", WORLD, "body"),)
    materials = tuple(Material(name, 0.5, 0.5) for name in ("foam", "steel"))
    return st.Robot.from_description(
        Description("body", "tests", (link,), joints, shapes, materials=materials)
    )


def test_a_planar_height_field_is_a_slope():
    """Points, balls and rims alike: bilinear interpolation and the depth are exact on a plane."""
    slope = st.Slope(np.arctan(np.hypot(0.3, 0.2)), np.arctan2(-0.2, 0.3))
    robot = shapes_of_all_kinds()
    plane = st.World(robot, ground=slope)
    field = st.World(robot, ground=st.HeightField(TILTED, 0.2))
    _, names, _ = make_surface(plane, st.SpringDamper())
    kinds = set()
    rng = np.random.default_rng(RNG_SEED)
    for _ in range(fewer(30, 3)):
        q, v = random_pose(rng, rng.uniform(-0.2, 0.1)), rng.normal(size=6)
        wanted, found = detected(plane, q, v), detected(field, q, v)
        kinds |= {names[i] for i in wanted["point"]}
        for name, values in wanted.items():
            assert np.allclose(found[name], values, rtol=0, atol=1e-12), name
    assert kinds == set(names)


ROUGH = np.random.default_rng(5).uniform(-0.05, 0.05, (5, 7))
ROUGH_FIELD = st.HeightField(ROUGH, (0.2, 0.3), origin=(-0.6, -0.5))


def bilinear(x, y):
    """Height of ROUGH_FIELD, by weights of the four heights around."""
    u, w = np.clip((x + 0.6) / 0.2, 0, 6), np.clip((y + 0.5) / 0.3, 0, 4)
    j, i = min(int(u), 5), min(int(w), 3)
    left, right = 1 - (u - j), u - j
    front, back = 1 - (w - i), w - i
    corners = ROUGH[i, j] * left * front + ROUGH[i, j + 1] * right * front
    return corners + ROUGH[i + 1, j] * left * back + ROUGH[i + 1, j + 1] * right * back


def field_points(count):
    """Points all over ROUGH_FIELD and outside of it."""
    rng = np.random.default_rng(RNG_SEED)
    return rng.uniform((-1.0, -1.0), (1.0, 1.0), (count, 2))


def test_height_and_normal_of_a_point_are_those_of_the_bilinear_patch():
    ground, h = ROUGH_FIELD.bind(), 1e-6
    for x, y in field_points(fewer(300, 40)):
        z = bilinear(x, y) - 0.003
        met = meet(ground, (x, y, z), 0.0)
        slope = [
            (bilinear(x + h, y) - bilinear(x - h, y)) / (2 * h),
            (bilinear(x, y + h) - bilinear(x, y - h)) / (2 * h),
        ]
        normal = np.array([-slope[0], -slope[1], 1.0]) / np.sqrt(1 + slope[0] ** 2 + slope[1] ** 2)
        assert np.allclose(met.normal, normal, atol=1e-8)
        assert met.depth == pytest.approx(0.003 * normal[2], abs=1e-9)
        assert met.offset == (0.0, 0.0, 0.0)


def test_heights_and_depths_are_continuous_where_cells_meet():
    ground, tiny = ROUGH_FIELD.bind(), 1e-9
    for k, y in itertools.product(range(7), (-0.8, -0.33, 0.1, 0.9)):
        x = -0.6 + 0.2 * k
        left, right = (meet(ground, (x + side, y, 0.2), 0.0) for side in (-tiny, tiny))
        heights = [0.2 + met.depth / met.normal[2] for met in (left, right)]
        assert heights[0] == pytest.approx(heights[1], abs=1e-8)


def test_outside_its_border_a_height_field_goes_on_level():
    ground = ROUGH_FIELD.bind()
    far = meet(ground, (50.0, -0.35, 0.0), 0.0)
    assert far.normal[0] == 0.0 and far.normal[1] != 0.0
    assert far.depth / far.normal[2] == pytest.approx((ROUGH[0, -1] + ROUGH[1, -1]) / 2)
    corner = meet(ground, (-50.0, 50.0, 0.0), 0.0)
    assert (corner.normal, corner.depth) == ((0.0, 0.0, 1.0), ROUGH[-1, 0])


def test_a_point_off_every_scale_is_still_on_the_field():
    """A state that explodes, or is no number any more, must not read beyond the heights."""
    for bad, ground in itertools.product((np.nan, np.inf, -np.inf, 1e300), (ROUGH_FIELD, STAIRS)):
        with np.errstate(all="ignore"):
            assert meet(ground.bind(), (bad, bad, 0.0), 0.1).material == 0


def test_depth_below_a_curved_patch_is_the_distance_to_first_order():
    """The error falls with the square of the depth."""
    saddle = st.HeightField([[0.0, 0.4], [0.4, 0.0]], 1.0).bind()  # h = 0.2 - 0.8 x y
    foot = np.array([0.2, 0.1, 0.2 - 0.8 * 0.2 * 0.1])
    normal = np.array(meet(saddle, tuple(foot), 0.0).normal)
    errors = [meet(saddle, tuple(foot - d * normal), 0.0).depth / d - 1 for d in (0.02, 0.01)]
    assert abs(errors[0]) < 2e-3
    assert errors[0] / errors[1] == pytest.approx(2.0, rel=0.1)


def resting_height(ground, x, y, radius):
    """Height of the centre of a ball that just touches."""
    low, high = -1.0, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (
            (middle, high) if meet(ground, (x, y, middle), radius).depth > 0 else (low, middle)
        )
    return high


def test_a_ball_rolls_over_a_rough_field_without_jumps_and_almost_as_a_ball_would():
    """It is off by 2 % of its radius at worst, on ridges; heights between neighbours by 0.1 m."""
    ground, radius = ROUGH_FIELD.bind(), 0.03
    disc = np.array(list(itertools.product(np.linspace(-1, 1, 61), repeat=2))) * radius
    disc = disc[(disc**2).sum(axis=1) <= radius**2]
    up = np.sqrt(np.maximum(radius**2 - (disc**2).sum(axis=1), 0.0))
    path = np.linspace(-0.5, 0.5, fewer(400, 8))
    found = np.array([resting_height(ground, x, 0.05 + 0.4 * x, radius) for x in path])
    if len(path) > 100:
        step = path[1] - path[0]
        assert np.abs(np.diff(found)).max() < step * 0.6  # the steepest slope along the path
    for x, height in list(zip(path, found, strict=True))[::4]:
        below = [bilinear(x + dx, 0.05 + 0.4 * x + dy) for dx, dy in disc]
        assert height == pytest.approx((np.array(below) + up).max(), abs=0.02 * radius)


def test_cells_have_their_own_friction_and_stiffness():
    cells = [["ice", "rubber", "ice"]]
    ground = st.HeightField(np.zeros((2, 4)), 1.0, materials=cells)
    pairs = {("default", "ice"): {"mu_kinetic": 0.02}, ("rubber", "default"): {"stiffness": 3e4}}
    floor = st.SpringDamper(stiffness=1e4, mu_kinetic=0.6)
    for x, mu, stiffness in ((-1.0, 0.02, 1e4), (0.0, 0.6, 3e4), (1.2, 0.02, 1e4)):
        world = st.World(st.robots.ball().at((x, 0.0, 0.0)), ground=ground, materials=pairs)
        state = world.standing(above=-1e-3)
        state.v[0] = 0.5
        motion = st.simulate(world, floor, duration=1e-3, state=state)
        force = motion.force[0, 0]
        assert force[2] == pytest.approx(stiffness * 1e-3, rel=1e-6)
        assert force[0] == pytest.approx(-mu * force[2], rel=1e-9)
        assert friction_coefficients(motion).kinetic[0, 0] == mu


def test_a_pair_is_a_row_of_the_table_whatever_the_shape_is_made_of():
    link = {"link": "body", "kind": "points", "size": ()}
    soft = Shape("soft", material="foam", vertices=((0, 0, 0), (1, 0, 0)), **link)
    hard = Shape("hard", material="steel", vertices=((0, 0.1, 0), (1, 0.1, 0)), **link)
    ground = st.HeightField(np.zeros((2, 3)), 1.0, origin=(-0.5, -0.5), materials=[["sand", "mud"]])
    pairs = {(a, b): {"stiffness": k} for (a, b), k in STIFFNESS.items()}
    world = st.World(one_link(soft, hard), ground=ground, materials=pairs)
    surface, _, _ = make_surface(world, st.SpringDamper())
    found = detected(world, np.array([0, 0, -1e-3, 1, 0, 0, 0.0]))
    table = surface.contact.table[found["pair"], 0]
    assert table.tolist() == [STIFFNESS[pair] for pair in STIFFNESS]


STIFFNESS = {
    ("foam", "sand"): 1.0,
    ("foam", "mud"): 2.0,
    ("steel", "sand"): 3.0,
    ("steel", "mud"): 4.0,
}


# ------------------------------------------------------------------------------------------- stairs

STAIRS = st.Steps(rise=0.15, run=0.3, count=3, start=0.5)
PLATFORM = st.Steps(rise=(0.1, 0.2, -0.15, -0.15), run=(0.3, 0.4, 0.25), start=0.2, height=0.1)


def profile(steps):
    """The stairs as segments in the plane across the risers, (n, 2, 2)."""
    ground = steps.bind()
    ends = [ground.riser[0] - 9, *np.repeat(ground.riser, 2), ground.riser[-1] + 9]
    corners = np.column_stack([ends, np.repeat(ground.level, 2)])
    return np.stack([corners[:-1], corners[1:]], axis=1)


def signed_distance(steps, points):
    """Distance of points (n, 2) to the stairs, negative inside, by looking at every segment."""
    ground = steps.bind()
    a, b = profile(steps)[:, 0], profile(steps)[:, 1]
    along = b - a
    part = ((points[:, None] - a) * along).sum(axis=2) / (along**2).sum(axis=1)
    nearest = a + np.clip(part, 0, 1)[..., None] * along
    distance = np.linalg.norm(points[:, None] - nearest, axis=2).min(axis=1)
    inside = points[:, 1] < ground.level[np.searchsorted(ground.riser, points[:, 0], side="right")]
    return np.where(inside, -distance, distance)


@pytest.mark.parametrize("steps", [STAIRS, PLATFORM], ids=["stairs", "platform"])
@pytest.mark.parametrize("heading", [0.0, 2.1])
def test_depth_in_stairs_is_the_distance_to_them(steps, heading):
    """Of points inside and outside, and of balls outside; while the next riser is not far."""
    turned_steps = st.Steps(steps.rise, steps.run, steps.count, steps.start, heading, steps.height)
    ground = turned_steps.bind()
    rng = np.random.default_rng(RNG_SEED)
    points = rng.uniform((0.0, -0.1), (1.6, 0.7), (fewer(2000, 200), 2))
    distances = signed_distance(steps, points)
    checked = 0
    for (s, z), distance in zip(points, distances, strict=True):
        place = (s * np.cos(heading) - 0.3 * np.sin(heading), s * np.sin(heading), z)
        place = (place[0], place[1] + 0.3 * np.cos(heading), z)
        for radius in (0.0, 0.08):
            if abs(distance - radius) > 0.1 or distance < radius * (radius > 0):
                continue
            met = meet(ground, place, radius)
            assert met.depth == pytest.approx(radius - distance, abs=1e-12)
            nearest = np.array([s, z]) - distance * np.array(
                [met.normal[:2] @ unit(heading), met.normal[2]]
            )
            assert abs(signed_distance(steps, nearest[None])[0]) < 1e-9
            checked += 1
    assert checked > len(points) / 4


def unit(heading):
    return np.array([np.cos(heading), np.sin(heading)])


def test_a_ball_in_the_stairs_is_pushed_out_the_shortest_way():
    """Against all ways out in 720 directions; exact at flat faces and edges, close in corners."""
    ground, radius = STAIRS.bind(), 0.05
    rng = np.random.default_rng(RNG_SEED)
    angles = np.linspace(0, 2 * np.pi, 720, endpoint=False)
    directions = np.column_stack([np.cos(angles), np.sin(angles)])
    tested = 0
    for s, z in rng.uniform((0.3, 0.0), (1.4, 0.5), (fewer(1500, 150), 2)):
        distance = signed_distance(STAIRS, np.array([[s, z]]))[0]
        if not 0.8 * radius < distance < radius:
            continue
        ways = np.linspace(0.0, 0.4 * radius, 81)
        reached = (s, z) + ways[:, None, None] * directions
        free = signed_distance(STAIRS, reached.reshape(-1, 2)).reshape(81, 720) >= radius - 1e-9
        shortest = ways[np.argmax(free.any(axis=1))]
        met = meet(ground, (s, 0.0, z), radius)
        assert met.depth == pytest.approx(shortest, abs=0.015 * radius)
        assert np.allclose(met.offset, -radius * np.array(met.normal))
        tested += 1
    assert tested > 3


def test_a_toe_is_pushed_back_by_a_riser_and_a_sole_up_by_its_tread():
    ground = STAIRS.bind()  # risers at 0.5, 0.8, 1.1
    toe = meet(ground, (0.504, 0.0, 0.05), 0.0)
    assert toe.normal == (-1.0, 0.0, 0.0) and toe.depth == pytest.approx(0.004)
    sole = meet(ground, (0.504, 0.0, 0.148), 0.0)  # 4 mm behind the edge and 2 mm deep
    assert sole.normal == (0.0, 0.0, 1.0) and sole.depth == pytest.approx(0.002)
    slipping = meet(ground, (0.501, 0.0, 0.148), 0.0)  # 1 mm behind the edge
    assert slipping.normal == (-1.0, 0.0, 0.0) and slipping.depth == pytest.approx(0.001)
    corner = meet(ground, (0.503, 0.0, -0.004), 0.0)
    assert corner.normal == pytest.approx((-0.6, 0.0, 0.8)) and corner.depth == pytest.approx(0.005)


@pytest.mark.jit
def test_a_brick_pushed_at_a_riser_stops_there_and_stays_on_its_tread():
    world = st.World(st.robots.brick().at((0.3, 0.0, 0.0)), ground=STAIRS)
    state = world.standing()
    state.v[0] = 1.0
    floor = st.SpringDamper(stiffness=1e5, damping=1e3, mu_kinetic=0.1)
    motion = st.simulate(world, floor, duration=1.0, dt=1e-4, state=state)
    toe = motion.q[:, 0] + 0.1
    assert toe.max() < 0.501
    assert toe[-1] < 0.5
    assert np.abs(motion.q[:, 2] - 0.03).max() < 2e-3
    assert abs(motion.v[-1]).max() < 1e-2


@pytest.mark.jit
def test_a_sole_of_points_rests_on_the_edge_of_a_tread_as_long_as_its_middle_is_on_it():
    """The corners of a box alone would not: the edge is between them."""
    sole = st.robots.brick().with_sole_points("brick", 41, 5)
    floor = st.SpringDamper(stiffness=5e4, damping=500.0)  # the 205 points share that of eight
    for overhang, rests in ((0.06, True), (0.085, True), (0.115, False)):
        robot = sole.at((0.6 - overhang, 0.0, 0.0))
        world = st.World(robot, ground=st.Steps(count=1))
        motion = st.simulate(world, floor, duration=0.5, dt=2e-4, state=world.standing())
        assert motion.q[0, 2] == pytest.approx(0.18, abs=1e-9)
        assert (motion.q[-1, 2] > 0.179) == rests
