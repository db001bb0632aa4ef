"""A comparison measures its runs alike, explains what differs, and writes one page."""

import json

import numpy as np
import pytest

import stiction as st
from browsing import chromium, until
from stiction.cli import main
from stiction.compare import Case, Refused, Run, case_of, compare, report, run_engine, run_model
from stiction.compare.measures import measured, slip
from stiction.engines import engine_by_name
from stiction.engines.controls import controls_of, sampled

pytestmark = pytest.mark.interpreted
G = 9.81
SPEED, MU = 0.3, 0.5


def sliding(duration=0.1, **others):
    """A brick that slides and stops; engines have the same friction."""
    world = st.World(st.robots.brick())
    state = world.standing()
    state.v[0] = SPEED
    told = {"name": "slide", "shows": "a brick slides", "controller": None}
    return Case(world=world, state=state, duration=duration, dt=2e-3, dt_force_law=1e-3, mu=MU,
                **told | others)  # fmt: skip


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Three runs of the brick, and their report."""
    folder, case = tmp_path_factory.mktemp("compared"), sliding()
    models = {
        "Coulomb": st.Coulomb(mu_static=MU, mu_kinetic=MU),
        "SpringDamper": st.SpringDamper(stiffness=2e3, damping=20.0, mu_kinetic=MU),
    }
    runs = [run_model(case, name, model) for name, model in models.items()]
    runs.append(run_engine(case, engine_by_name("mujoco"), "default"))
    result = report(case, runs, [Refused("Bilateral", "it was left out")], folder)
    return case, runs, result, folder


def test_slip_is_the_stopping_distance_whoever_simulates(made):
    _, runs, result, _ = made
    rows = {row["name"]: row for row in result["runs"]}
    for run in (runs[0], runs[-1]):  # the soft one rocks as well
        gone = float(run.motion.q[-1, 0] - run.motion.q[0, 0])
        assert rows[run.name]["slip [mm]"] == pytest.approx(1e3 * gone, rel=0.1)  # 2 ms apart
    exact = 1e3 * SPEED**2 / (2 * MU * G)
    assert result["runs"][0]["slip [mm]"] == pytest.approx(exact, rel=0.1)


def test_what_an_engine_does_not_tell_is_not_made_up(made):
    _, runs, result, folder = made
    theirs, row = runs[-1], result["runs"][1]  # after the reference
    assert theirs.engine and np.isnan(theirs.motion.force).all()
    assert row["energy [J]"] is None and row["cone [N]"] is None
    assert row["CoP - ZMP [mm]"] < 1.0  # its forces and its motion agree
    kept = st.Motion.load(folder / "motion_MuJoCo.h5")
    assert kept.parameters["engine"]["engine"] == "MuJoCo"
    assert kept.q == pytest.approx(theirs.motion.q, abs=0)


def test_the_soft_model_is_explained_by_its_spring(made):
    case, _, result, _ = made
    soft = next(row for row in result["runs"] if row["name"] == "SpringDamper")
    rests = 1e3 * case.world.total_mass * G / (4 * 2e3)  # on the springs of four corners [mm]
    assert soft["depth [mm]"] > rests
    told = " ".join(result["explained"])
    assert result["runs"][0]["depth [mm]"] < 1e-3  # of Coulomb: no digits that nobody can see
    rigid = "Coulomb sinks less than 0.001 mm"
    assert f"SpringDamper sinks {soft['depth [mm]']:.3g} mm where {rigid}" in told
    assert "its spring carries the weight of 19.6 N" in told and "stiffness 2e+03 N/m" in told
    assert "Bilateral did not run: it was left out." in told


def test_the_reference_comes_first_and_differs_from_nothing(made):
    case, runs, result, folder = made
    assert result["runs"][0]["name"] == "Coulomb" and result["runs"][0]["off [mm]"] is None
    again = report(case, runs, [], folder, reference="MuJoCo")
    assert again["runs"][0]["name"] == "MuJoCo"
    assert again["runs"][1]["off [mm]"] > 0
    with pytest.raises(st.StictionError, match="reference 'x' did not run; choose among Coulomb"):
        report(case, runs, [], folder, reference="x")


def test_a_run_that_stops_early_is_kept_and_told(made):
    case, runs, _, _ = made
    short = Run(**{**vars(runs[0]), "name": "Short", "stopped": "it diverged"})
    row = measured(case, short, runs[1])
    assert row["survived"] is False
    assert slip(short.motion) > 0


def test_a_prescribed_motion_is_refused_by_name():
    world = st.World(st.robots.hoap1())
    still = st.Reference([0.0, 1.0], [world.home().q] * 2)
    case = sliding(controller=st.Prescribed(still))
    other = Case(**{**vars(case), "world": world, "state": world.standing()})
    found = run_engine(other, engine_by_name("mujoco"), "default")
    assert isinstance(found, Refused) and "Prescribed" in found.why


def test_servos_of_a_tracked_motion_are_those_of_its_kernel():
    """Reference, feed-forward and limits as the controller itself has them at a state."""
    world = st.World(st.robots.hoap1())
    home = world.home()
    moved = home.q.copy()
    moved[7:] += 0.1
    tracking = st.PDTracking(st.Reference([0.0, 1.0], [home.q, moved]), 20.0, 0.5)
    time = np.array([0.0, 0.25, 0.7])
    servos, torques = controls_of(world, tracking, time, 0.01)
    assert torques is None and servos.upper is None and len(servos.joints) == 20
    q, v = sampled(tracking.bind(world).reference, time)
    assert servos.q == pytest.approx(q, abs=0) and servos.v == pytest.approx(v, abs=0)
    both, more = controls_of(world, (tracking, st.Torques(np.full(world.nv, 2.0))), time, 0.01)
    assert both is not None and more(0.0, home.q, home.v) == pytest.approx(np.full(world.nv, 2.0))


def test_a_wrong_reference_is_told_before_anything_runs(tmp_path):
    begun = []
    words = "reference 'coulom' does not run; choose among Coulomb, MuJoCo tuned; did you mean 'C"
    with pytest.raises(st.StictionError, match=words):
        compare(
            st.scenes.scene("stand"),
            {"Coulomb": st.Coulomb()},
            ["mujoco:tuned"],
            tmp_path,
            "coulom",
            lambda *told: begun.append(told),
        )
    assert not begun


def test_a_case_of_a_scene_is_what_the_scene_simulates():
    scene = st.scenes.scene("stand")
    case = case_of(scene, duration=0.3)
    assert case.state.q == pytest.approx(scene.start().q, abs=0)
    assert (case.duration, case.dt, case.mu) == (0.3, scene.dt, scene.contact.mu_kinetic)


def test_the_command_compares_and_refuses_wrong_use(tmp_path, capsys):
    scene = tmp_path / "slide.toml"
    scene.write_text(
        'shows = "a brick slides"\nduration = 0.02\ndt = 0.002\ndt_force_law = 0.002\n'
        '[robot]\nmodel = "brick"\nvelocity = [0.3, 0.0, 0.0]\n'
        '[contact]\nmodel = "Coulomb"\nmu_static = 0.5\nmu_kinetic = 0.5\n'
    )
    out = str(tmp_path / "out")
    asked = ["compare", str(scene), "--contact", "Coulomb", "--parameter", "mu_kinetic=0.4"]
    assert main([*asked, "--out", out, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [row["name"] for row in told["runs"]] == ["Coulomb", "MuJoCo"]
    assert (tmp_path / "out" / "comparison.html").is_file()
    for wrong in (["--engine", "odd"], ["--parameter", "odd=1"], ["--parameter", "Odd.mu=1"]):
        assert main([*asked, "--out", out, *wrong]) == 2
    assert main(["compare", "odd"]) == 2


def test_the_page_zooms_and_plays_and_asks_no_host(made):
    *_, folder = made
    address = (folder / "comparison.html").as_uri()
    with chromium() as browser:
        page = browser.page
        page.set_viewport_size({"width": 1000, "height": 700})
        page.goto(address)
        page.wait_for_selector("#curves .main-svg")
        assert page.locator("#summary tbody tr").count() == 3
        before, after = _range(page), _zoomed(page)
        assert after[1] - after[0] < 0.6 * (before[1] - before[0])
        page.locator("button[data-page]").first.click()
        frame = page.frame_locator(".player iframe")
        clock, shown = frame.locator("input").first, set()
        until(lambda: shown.add(clock.input_value()) or len(shown) >= 2)  # it plays
        assert browser.errors == []
        assert browser.elsewhere(address) == [] or set(browser.elsewhere(address)) == {
            "about:srcdoc"
        }


def _range(page):
    return page.evaluate("document.getElementById('curves')._fullLayout.xaxis.range")


def _zoomed(page):
    """Drag over the middle of the first panel; returns the range of time that is then shown."""
    panel = page.locator("#curves .nsewdrag").first
    panel.scroll_into_view_if_needed()
    box = panel.bounding_box()
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 0.3 * box["width"], middle)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.6 * box["width"], middle, steps=5)
    page.mouse.up()
    page.wait_for_timeout(500)
    return _range(page)
