"""Pages play in a browser without a server and without a network."""

import pytest

import stiction as st
from browsing import chromium, until
from drawn import fallen_brick, still
from stiction.viewer.page import page

pytestmark = pytest.mark.plain


def test_a_saved_page_plays_by_itself(tmp_path):
    path = fallen_brick().save_html(tmp_path / "brick.html", fallen_brick(), fps=25)
    address = path.as_uri()
    with chromium() as browser:
        opened = browser.opened(address)
        clock = opened.page.locator("input").first
        shown = {clock.input_value()}
        until(lambda: shown.add(clock.input_value()) or len(shown) >= 3)  # it plays
        legend = opened.page.inner_text("#stiction-legend")
        assert opened.errors == []
        assert opened.elsewhere(address) == []
    assert "contact force" in legend and "Coulomb 2" in legend
    assert path.stat().st_size < 2e6


def test_forces_are_in_the_page_only_where_something_touches():
    """The node of the forces is made in the first picture that has any."""
    import stiction.viewer.page as module
    from stiction.visual.frames import Film, rows_at

    motion = fallen_brick()
    film = Film(motion, rows_at(motion, 50))
    server = module.opened_server()
    try:
        stage = module.Stage(server.scene, [film], False, ("forces",))
        nodes = stage.actors[0].marks.nodes
        assert "forces" not in nodes
        stage.show(15)
        assert nodes["forces"].visible and nodes["forces"].points.shape == (4, 2, 3)
        stage.show(2)
        assert not nodes["forces"].visible
    finally:
        module.stop(server)


def test_following_moves_the_world_and_leaves_the_robot_in_place():
    import stiction.viewer.page as module
    from stiction.visual.frames import Film, rows_at

    motion = fallen_brick()
    film = Film(motion, rows_at(motion, 50))
    server = module.opened_server()
    try:
        stage = module.Stage(server.scene, [film], False, ())
        stage.show(20, follow=True)
        base = stage.actors[0].links[1].position
        assert base[0] > 0.1
        assert (stage.root.position + base)[0] == pytest.approx(film.base[0, 0], abs=1e-6)
    finally:
        module.stop(server)


@pytest.mark.parametrize(
    "options, told",
    [
        ({"fps": 0}, "fps is 0"),
        ({"marks": ("x",)}, "forces, points"),
        ({"layout": "x"}, "ghosts"),
    ],
)
def test_wrong_options_are_named(options, told):
    with pytest.raises(st.StictionError, match=told):
        page(fallen_brick(), **options)


@pytest.mark.parametrize("path", ["page.txt", "page", 3, None])
def test_another_kind_of_file_is_refused(path):
    with pytest.raises(st.StictionError, match=r"save_html: .* ends in \.html or \.htm; give one"):
        fallen_brick().save_html(path)


def test_a_page_in_no_folder_is_refused_first(tmp_path):
    with pytest.raises(st.StictionError, match="does not exist"):
        fallen_brick().save_html(tmp_path / "nowhere" / "brick.html")


def test_a_world_without_anything_to_draw_says_so():
    robot = st.robots.ball()
    import dataclasses

    bare = dataclasses.replace(
        robot,
        **{name: getattr(robot, name)[:0] for name in vars(robot) if name.startswith("shape_")
           and name not in ("shape_vertex", "shape_face")},
        shape_vertex=robot.shape_vertex[:1],
        shape_face=robot.shape_face[:1],
    )  # fmt: skip
    motion = still(st.World(bare, ground=None))
    with pytest.raises(st.StictionError, match="no visual meshes and no shapes"):
        page(motion)
