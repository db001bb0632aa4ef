"""The scenes of Le Lidec et al.: contact criteria and self-consistency, on short runs."""

from importlib.util import find_spec

import numpy as np
import pytest

import stiction as st
from conftest import data_file, missing
from stiction.bench.closed_forms.engines import engine_contenders
from stiction.bench.data import GO2
from stiction.bench.lelidec import consistency
from stiction.bench.lelidec.cases import MU, dragged_cube, quadruped, sliding_cube
from stiction.bench.lelidec.consistency import bench, distance, judged, ours, runs_of, simulated
from stiction.bench.lelidec.point_criteria import worst_criteria
from stiction.cli import main
from stiction.engines import PACKAGES
from stiction.engines.engine import Contacts
from stiction.errors import InputError

pytestmark = pytest.mark.interpreted


@pytest.fixture
def coarse(monkeypatch):
    """Few steps: without the compiler a step takes milliseconds."""
    monkeypatch.setattr(consistency, "TIME_STEPS", (0.004, 0.002, 0.001))
    monkeypatch.setattr(consistency, "REFERENCE", 0.0005)


def test_a_dragged_cube_is_at_the_same_place_with_any_step(coarse):
    """Its acceleration is constant, which `Midpoint` integrates exactly."""
    failures = []
    scene = dragged_cube()._replace(duration=0.008)
    runs = runs_of(scene, ours(["Coulomb"])[0], failures)
    assert failures == []
    gone = runs[0.001].steps.q[-1, :2]
    # 0.3 mu g for 8 ms: 38 micrometres; the solver's tolerance is 1e-8 of the impulses
    assert np.linalg.norm(gone) == pytest.approx(0.15 * MU * 9.81 * 0.008**2, rel=1e-5)
    for dt in (0.004, 0.002, 0.001):
        assert distance(runs, dt) < 1e-6


def test_distances_are_means_of_the_body_that_is_farthest_off(coarse):
    scene = sliding_cube()._replace(duration=0.008)
    runs = {dt: simulated(scene, ours(["Coulomb"])[0], dt) for dt in (0.004, 0.0005)}
    there, exactly = (runs[dt].steps.q[:: round(0.004 / dt), :3] for dt in (0.004, 0.0005))
    off = 1000 * np.linalg.norm(there - exactly, axis=1).mean()
    assert distance(runs, 0.004) == pytest.approx(off) and off > 0
    assert distance(runs, 0.002) == np.inf  # it failed
    assert distance({}, 0.002) is None  # it does not take part


def test_criteria_of_an_exact_model_hold_and_those_of_relaxed_cones_do_not():
    """A cube that slides under a convex relaxation lifts: c_n is about mu |c_t|."""
    scene = sliding_cube()._replace(duration=0.02)
    found = {}
    (peer,) = (one for one in engine_contenders(["mujoco"]) if one.setting == "tuned")
    for one in (ours(["Coulomb"])[0], peer):
        found[one.name] = {0.001: simulated(scene, one, 0.001)}
    rows = {row["criterion"]: row for row in judged(scene, found)}
    assert all(row["holds"] for row in rows.values())
    signorini = rows["signorini [J]"]
    assert signorini["MuJoCo tuned"] > 1e3 * signorini["target"] > 0
    assert rows["primal [N s]"]["MuJoCo tuned"] < 1e-12  # its forces are in the cone


def test_a_point_that_slides_inside_its_cone_is_told():
    """A cube moves by 1 mm in 1 ms; a force of (-1, 0, 10) N with mu 0.5 dissipates too little."""
    world = st.World(st.robots.box((0.2, 0.2, 0.2), 1.0))
    q = np.array([world.standing().q] * 2)
    q[1, :3] += [1e-3, 0.0, 2e-4]
    points = Contacts(
        step=np.zeros(2, int),
        link=np.array([[1, 0], [0, 1]]),  # the second the other way round
        position=np.array([[0.1, 0.1, 0.0], [0.1, -0.1, 0.0]]),
        normal=np.array([[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]]),
        force=np.array([[-1.0, 0.0, 10.0], [1.0, 0.0, -10.0]]),
        depth=np.zeros(2),
    )
    found = worst_criteria(world, q, points, 0.5, 1e-3)
    # impulses of 0.01 N s up, velocities of 1 m/s along and 0.2 m/s up
    assert found == pytest.approx({"primal": 0.0, "signorini": 2e-3, "dissipation": 4e-3})
    assert worst_criteria(world, q, points, 0.05, 1e-3)["primal"] > 0


def test_a_quadruped_lands_on_bumps_and_engines_without_them_refuse_the_scene():
    data_file(*GO2.split("/"))
    scene = quadruped(bumpy=True)._replace(duration=0.004)
    assert len(simulated(scene, ours(["Coulomb"])[0], 0.002).steps) == 3
    assert 0.009 < scene.world.ground.heights.max() <= 0.01
    if find_spec(PACKAGES["dart"]) is None:
        missing("engines", "Python finds no package dartpy")
    failures = []
    (peer,) = (one for one in engine_contenders(["dart"]) if one.setting == "tuned")
    assert runs_of(scene, peer, failures) == {}
    assert len(failures) == 1 and "HeightField is not translated" in failures[0]


def test_unknown_scenes_and_models_are_refused(capsys):
    with pytest.raises(InputError, match="unknown scene 'cliff'; scenes: sliding cube, "):
        bench(["cliff"])
    with pytest.raises(InputError, match="no model or engine 'Bilateral'; known are "):
        ours(["Bilateral"])  # it has no friction
    assert main(["bench", "lelidec", "--scene", "cliff"]) == 1
    assert "unknown scene 'cliff'" in capsys.readouterr().err


def test_the_bench_prints_and_draws_what_it_measures(coarse, tmp_path, monkeypatch):
    short = dragged_cube()._replace(duration=0.004)
    monkeypatch.setitem(consistency.SCENES, "dragged cube", lambda: short)
    told = []
    result = bench(["dragged cube"], told.append, models=["Coulomb"], plot=tmp_path / "a.png")
    assert result["holds"] and told == [1.0]
    (rows,) = (value for name, value in result.items() if name.startswith("self-consistency"))
    assert [row["dt [ms]"] for row in rows] == [4, 2, 1]
    assert (tmp_path / "a.png").stat().st_size > 5000
