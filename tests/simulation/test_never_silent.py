"""What was once simulated wrongly without a word: now it is right, or an error says why."""

import json

import numpy as np
import pytest

import stiction as st
from conftest import data_file
from stiction.cli import main
from stiction.description.description import WORLD, Description, Joint, Link, Material, Shape
from stiction.description.mjcf import read_mjcf_text
from stiction.errors import InputError
from stiction.metrics.contact_criteria import friction_coefficients
from stiction.simulation.arguments import AUTOMATIC, chosen_model
from stiction.world.apart import CLEARANCE
from stiction.world.contact_points import contact_points_of
from stiction.world.materials import pair_table

INERTIA = (0.01, 0.0, 0.0, 0.01, 0.0, 0.01)
G1 = ("robots", "mujoco_menagerie", "unitree_g1", "g1_mjx_nomesh.xml")


def model_of(simulation):
    return type(simulation._system.model).__name__


def body(*shapes, joint="free", materials=(), name="body"):
    """One link with shapes."""
    link = Link("body", 1.0, (0.0, 0.0, 0.0), INERTIA)
    joints = (Joint("joint", joint, WORLD, "body"),)
    return st.Robot.from_description(
        Description(name, "tests", (link,), joints, shapes, materials=materials)
    )


# ---------------------------------------------------------------------------------- contact or none


def test_without_a_word_contact_is_coulombs_where_something_can_touch():
    world = st.World(st.robots.ball())
    assert chosen_model(world, AUTOMATIC) == (st.Coulomb(), [])
    assert model_of(st.Simulation(world)) == "Coulomb"
    assert type(st.BatchSimulation(world, 2).problem.model).__name__ == "Coulomb"


def test_none_is_taken_at_its_word():
    world = st.World(st.robots.ball())
    assert model_of(st.Simulation(world, None)) == "NoContact"
    assert type(st.BatchSimulation(world, 2, None).problem.model).__name__ == "NoContact"
    assert st.simulate(world, None, duration=0.001).parameters["contact"] is None


@pytest.mark.jit
def test_a_robot_that_nobody_gave_a_contact_model_stays_on_the_ground():
    world = st.World(st.robots.brick())
    motion = st.simulate(world, duration=0.05, state=world.standing())
    assert motion.parameters["contact"]["model"] == "Coulomb"
    assert abs(motion.q[-1, 2] - motion.q[0, 2]) < 1e-6  # it would fall by 12 mm
    batch = st.simulate_batch(world, 2, duration=0.05, states=world.standing(), threads=1)
    np.testing.assert_allclose(batch.q[:, 2], motion.q[0, 2], atol=1e-6)


@pytest.mark.parametrize(
    ("world", "why"),
    [
        (st.World(st.robots.ball(), ground=None), "this world has no ground"),
        (st.World(body()), "robot 'body' has no shape on a moving link"),
        (
            st.World(body(Shape("skin", "body", "sphere", (0.1,), collides=False))),
            r"has 1 shape on moving links, none of which collides .*with_colliding\('skin', ...\)",
        ),
        (
            st.World(body(Shape("egg", "body", "ellipsoid", (0.1, 0.1, 0.2)))),
            "has only ellipsoids and planes as colliding shapes",
        ),
    ],
    ids=["no ground", "no shape", "no colliding shape", "ellipsoid"],
)
def test_where_nothing_can_touch_a_model_is_refused_and_no_word_is_no_contact(world, why):
    with pytest.raises(
        InputError, match=f"is GaussSeidel, but no shape can touch the ground: .*{why}"
    ):
        st.Simulation(world, st.GaussSeidel())
    with pytest.raises(InputError, match="no shape can touch the ground"):
        st.BatchSimulation(world, 2, st.GaussSeidel())
    simulation = st.Simulation(world)
    assert model_of(simulation) == "NoContact"
    assert any(note.startswith("no contact: ") for note in simulation.notes)


def test_g1_whose_geoms_have_no_masks_says_what_would_do():
    robot = st.load(data_file(*G1))
    with pytest.raises(InputError, match="27 shapes .* contype and conaffinity are 0 .*with_coll"):
        st.simulate(st.World(robot), st.Coulomb(), duration=0.01)
    feet = robot.with_colliding("left_foot_box_collision", "right_foot_box_collision")
    assert chosen_model(st.World(feet), st.Coulomb())[0] == st.Coulomb()


# ------------------------------------------------------------------ masks, pairs and friction: MJCF

BODY = '<body name="{0}" pos="{1} 0 1"><freejoint/><geom name="{0}_geom" size="0.1" {2}/></body>'
FLOOR = '<geom name="floor" type="plane" size="1 1 1" {0}/>'
NO_MASK = 'contype="0" conaffinity="0"'


def mjcf(*parts, contact=""):
    text = f"<mujoco><worldbody>{''.join(parts)}</worldbody><contact>{contact}</contact></mujoco>"
    return st.Robot.from_description(read_mjcf_text(text, "robot.xml"))


def touching(robot):
    return set(robot.shape_name[robot.shape_touches].tolist())


def test_a_geom_in_a_pair_with_the_floor_touches_the_ground_and_others_do_not():
    bodies = [BODY.format(name, k, NO_MASK) for k, name in enumerate("abc")]
    pairs = '<pair geom1="a_geom" geom2="floor"/><pair geom1="b_geom" geom2="c_geom"/>'
    assert touching(mjcf(FLOOR.format(""), *bodies, contact=pairs)) == {"a_geom"}
    alone = '<pair geom1="b_geom" geom2="c_geom"/>'
    assert touching(mjcf(*bodies, contact=alone)) == set()  # and of ground not in the file


def test_masks_decide_what_touches_the_floor_of_the_file():
    one = BODY.format("a", 0, 'contype="2" conaffinity="2"')
    two = BODY.format("b", 1, 'contype="1" conaffinity="0"')
    assert touching(mjcf(FLOOR.format(""), one, two)) == {"b_geom"}
    assert touching(mjcf(one, two)) == {"a_geom", "b_geom"}  # any mask, of ground not in the file
    excluded = '<exclude body1="world" body2="b"/>'
    assert touching(mjcf(one, two, contact=excluded)) == {"a_geom"}
    floor = f"<body name='stand'>{FLOOR.format('')}</body>"
    from_stand = '<exclude body1="stand" body2="b"/>'
    assert touching(mjcf(floor, one, two, contact=from_stand)) == set()
    assert touching(mjcf(floor, one, two, contact=from_stand).with_colliding("b")) == {"b_geom"}


def test_masks_are_those_of_geoms_not_of_bodies():
    geoms = '<geom name="in" size="0.1" contype="4" conaffinity="0"/><geom name="out" size="0.1"/>'
    body = f'<body name="a" pos="0 0 1"><freejoint/>{geoms}</body>'
    assert touching(mjcf(FLOOR.format(""), body)) == {"out"}


def test_an_exclude_of_a_welded_body_is_not_that_of_its_carrier():
    hand = '<body name="hand"><geom name="hand_geom" size="0.1"/></body>'
    arm = BODY.format("arm", 0, "").replace("</body>", hand + "</body>")
    excluded = '<exclude body1="world" body2="hand"/>'
    assert touching(mjcf(FLOOR.format(""), arm, contact=excluded)) == {"arm_geom"}


def test_a_user_who_chooses_what_collides_is_obeyed():
    robot = mjcf(FLOOR.format(""), BODY.format("a", 0, NO_MASK), BODY.format("b", 1, ""))
    assert touching(robot.with_colliding("a")) == {"a_geom"}
    excluded = mjcf(BODY.format("a", 0, ""), contact='<exclude body1="world" body2="a"/>')
    assert touching(excluded) == set()
    assert touching(excluded.with_colliding("a_geom")) == {"a_geom"}


def test_sole_points_stand_in_for_a_shape_of_a_pair():
    box = BODY.format("a", 0, NO_MASK).replace('size="0.1"', 'type="box" size="0.1 0.1 0.1"')
    pair = '<pair geom1="floor" geom2="a_geom"/>'
    robot = mjcf(FLOOR.format(""), box, contact=pair)
    assert touching(robot.with_sole_points("a_geom", 2, 2)) == {"a_geom_points"}


@pytest.mark.parametrize(
    ("floor", "geom", "pair", "mu"),
    [
        (None, 'friction="0.6"', "", 0.6),
        ('friction="0.9"', 'friction="0.6"', "", 0.9),
        ('friction="0.3"', 'friction="0.6"', "", 0.6),
        ('friction="0.9"', 'friction="0.6" priority="1"', "", 0.6),
        ('friction="0.2" priority="2"', 'friction="0.6" priority="1"', "", 0.2),
        ('friction="0.9"', 'friction="0.6"', "0.25 0.25 0 0 0", 0.25),
    ],
)
def test_friction_of_geoms_is_what_mujoco_takes(floor, geom, pair, mu):
    mujoco = pytest.importorskip("mujoco")
    parts = [*([] if floor is None else [FLOOR.format(floor)]), BODY.format("a", 0, geom)]
    contact = f'<pair geom1="a_geom" geom2="floor" friction="{pair}"/>' if pair else ""
    robot = mjcf(*parts, contact=contact)
    if floor is not None:  # the rule is MuJoCo's own: ask it
        text = f"<mujoco><worldbody>{''.join(parts)}</worldbody>"
        model = mujoco.MjModel.from_xml_string(f"{text}<contact>{contact}</contact></mujoco>")
        data = mujoco.MjData(model)
        data.qpos[2] = 0.05
        mujoco.mj_forward(model, data)
        assert data.contact.friction[0, 0] == mu
    world = st.World(robot)
    _, _, pairs = contact_points_of(world)
    table, notes = pair_table(st.Coulomb(), pairs, {}, world.declared_friction())
    assert table[0, :2].tolist() == [mu, mu]
    assert f"mu_static {mu:g}" in notes[0]


def test_a_table_wins_over_the_model_that_over_the_file_and_that_over_the_default():
    rubber = Material("rubber", 0.9, 0.8)
    sole = Shape("sole", "body", "sphere", (0.1,), material="rubber")
    world = st.World(body(sole, materials=(rubber,)))
    given = st.World(
        body(sole, materials=(rubber,)), materials={("rubber", "ground"): {"mu_kinetic": 0.1}}
    )

    def friction(world, model):
        simulation = st.Simulation(world, model)
        (row,) = simulation.parameters()["pairs"]
        return row["mu_static"], row["mu_kinetic"]

    default = st.Coulomb()
    assert friction(world, default) == (0.9, 0.8)
    assert friction(world, st.Coulomb(mu_static=0.7)) == (0.7, default.mu_kinetic)
    assert friction(given, st.Coulomb(mu_static=0.7)) == (0.7, 0.1)
    assert friction(given, default) == (default.mu_static, 0.1)  # of one source, not of two
    plain = st.World(body(Shape("sole", "body", "sphere", (0.1,))))
    assert friction(plain, default) == (default.mu_static, default.mu_kinetic)
    assert st.Simulation(world, st.SpringDamper()).parameters()["pairs"][0]["mu_kinetic"] == 0.8


def test_worlds_of_a_batch_with_their_own_friction_do_not_take_that_of_the_file():
    rubber = Material("rubber", 0.9, 0.8)
    world = st.World(
        body(Shape("sole", "body", "sphere", (0.1,), material="rubber"), materials=(rubber,))
    )
    batch = st.BatchSimulation(world, 2, st.Coulomb(), parameters={"mu_kinetic": [0.2, 0.3]})
    static, kinetic = batch.problem.table[:, 0, :2].T
    assert static.tolist() == [st.Coulomb().mu_static] * 2 and kinetic.tolist() == [0.2, 0.3]
    assert st.BatchSimulation(world, 2).problem.table[0, 0, :2].tolist() == [0.9, 0.8]


def test_one_name_for_two_frictions_is_refused():
    sole = Shape("sole", "body", "sphere", (0.1,), material="rubber")
    one, other = (body(sole, materials=(Material("rubber", mu, mu),)) for mu in (0.5, 0.6))
    with pytest.raises(InputError, match=r"material 'rubber' has friction \(\(0.6, 0.6\)"):
        st.World(one, other.at((1.0, 0.0, 0.0))).declared_friction()


def test_a_motion_remembers_the_friction_of_the_file():
    rubber = Material("rubber", 0.9, 0.8)
    sole = Shape("sole", "body", "sphere", (0.1,), material="rubber")
    world = st.World(body(sole, materials=(rubber,)))
    motion = st.simulate(world, st.SpringDamper(), duration=1e-4, dt=1e-5)
    assert (friction_coefficients(motion).kinetic == 0.8).all()


# ---------------------------------------------------------------------------------- wrong materials


@pytest.mark.parametrize("pair", [("ground", "rubber"), ("ice", "default"), ("a", "b")])
def test_a_pair_of_materials_that_are_not_there_is_refused(pair):
    world = st.World(st.robots.ball(), materials={pair: {"restitution": 0.5}})
    absent = next(name for name in sorted(pair) if name not in ("ground", "default"))
    with pytest.raises(InputError, match=f"no material '{absent}' .*have 'default', its ground 'g"):
        st.Simulation(world, None)


def test_a_pair_that_never_meets_is_noted():
    world = st.World(st.robots.ball(), materials={("default", "default"): {"restitution": 0.5}})
    notes = st.Simulation(world, st.SpringDamper(), dt=1e-5).notes
    assert "materials 'default' never touch each other in this world" in notes


def test_a_material_is_given_to_all_shapes():
    ball = st.robots.ball().with_material("rubber")
    world = st.World(ball, materials={("ground", "rubber"): {"restitution": 0.5}})
    (row,) = st.Simulation(world, st.Coulomb()).parameters()["pairs"]
    assert row["pair"] == ["rubber", "ground"] and row["restitution"] == 0.5
    with pytest.raises(InputError, match=r"with_material\(''\): give a name"):
        ball.with_material("")


# ------------------------------------------------------------------------------- where things start


@pytest.mark.jit
def test_run_starts_a_robot_on_the_ground(tmp_path, capsys):
    path = tmp_path / "a.h5"
    argv = ["run", "brick", "--duration", "0.01", "--output", str(path), "--json"]
    assert main(argv) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["contact"]["model"] == "Coulomb"
    motion = st.Motion.load(path)
    assert motion.q[0, 2] == pytest.approx(0.03, abs=1e-12)  # half the height of the brick
    assert np.nanmax(motion.depth) < 1e-9
    assert main([*argv, "--height", "0.2"]) == 0
    assert st.Motion.load(path).q[0, 2] == pytest.approx(0.23, abs=1e-12)
    assert main([*argv, "--contact", "none"]) == 0
    assert st.Motion.load(path).parameters["contact"] is None


def test_run_of_what_cannot_touch_has_no_contact_and_refuses_a_model(tmp_path, capsys):
    path = tmp_path / "ghost.npz"
    body().save(path)
    assert main(["run", str(path), "--duration", "0.001", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["contact"] == "none"
    assert main(["run", str(path), "--contact", "Coulomb"]) == 2
    assert "no shape can touch the ground: robot 'body' has no shape" in capsys.readouterr().err


@pytest.mark.jit
@pytest.mark.parametrize("speed", [0.0, 1.0])
@pytest.mark.parametrize("kind", ["sphere", "box"])
@pytest.mark.parametrize("model", [st.Coulomb(), st.GaussSeidel()], ids=["Coulomb", "GaussSeidel"])
def test_a_link_on_a_fixed_base_that_begins_in_the_ground_is_solved(model, kind, speed):
    """It turns about the vertical through its middle, so no impulse can lift it."""
    size = (0.05,) if kind == "sphere" else (0.05, 0.05, 0.05)
    robot = body(Shape("shape", "body", kind, size), joint="revolute")
    world = st.World(robot.at((0.0, 0.0, 0.02)))
    motion = st.simulate(world, model, duration=0.02, state=st.State([0.1], [speed]))
    assert np.isfinite(motion.q).all()
    assert motion.depth[0].max() == pytest.approx(0.03)
    assert motion.unsolved.count == 0
    assert motion.v[-1, 0] == pytest.approx(speed, abs=1e-9)  # nothing presses, nothing rubs


def test_robots_that_would_be_inside_each_other_start_side_by_side():
    world = st.World(st.robots.ball(), st.robots.box(), st.robots.ball(radius=0.1))
    starts = world.home().q.reshape(3, 7)[:, :3]
    box = 0.05 + CLEARANCE + 0.2  # ball, gap, half a box
    np.testing.assert_allclose(
        starts, [[0, 0, 0], [0, box, 0], [0, box + 0.2 + CLEARANCE + 0.1, 0]], atol=1e-12
    )
    assert [note.split("'")[1] for note in world.moved_aside()] == ["box", "ball_2"]
    standing = world.standing().q.reshape(3, 7)[:, :3]
    np.testing.assert_allclose(standing[:, 1], starts[:, 1], atol=1e-12)
    np.testing.assert_allclose(standing[:, 2], [0.05, 0.2, 0.1], atol=1e-12)
    assert world.overlap(world.standing()) is None
    assert world.moved_aside()[0] in st.Simulation(world, None).notes
    assert st.Simulation(world, None, state=world.standing()).notes == []


def test_robots_that_are_apart_stay_where_they_are():
    members = [st.robots.ball(), st.robots.box().at((1.0, 0.0, 0.0)), st.robots.biped10()]
    alone = st.World(st.robots.box())
    np.testing.assert_array_equal(alone.home().q, st.robots.box().home)
    world = st.World(members[1], members[2])
    np.testing.assert_array_equal(world.home().q, np.concatenate([r.home for r in members[1:]]))
    assert world.moved_aside() == []


def test_one_above_the_other_at_home_stands_beside_it():
    world = st.World(st.robots.box(), st.robots.ball().at((0.0, 0.0, 3.0)))
    assert world.moved_aside() == []
    standing = world.standing().q.reshape(2, 7)[:, :3]
    np.testing.assert_allclose(standing, [[0, 0, 0.2], [0, 0.35, 0.05]], atol=1e-12)


def test_a_base_that_cannot_make_way_is_refused_with_numbers():
    arm = body(Shape("shape", "body", "sphere", (0.1,)), joint="revolute", name="arm")
    with pytest.raises(InputError, match="'arm' starts inside 'ball': .* overlap by 0.1 m"):
        st.World(st.robots.ball(), arm).home()
    assert st.World(arm, st.robots.ball()).home().q[2] == pytest.approx(0.1 + CLEARANCE + 0.05)
