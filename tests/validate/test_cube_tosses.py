"""Cube tosses: what is read, what free flight tells, and how errors are counted."""

import numpy as np
import pytest

import stiction as st
from stiction.cli import main
from stiction.errors import InputError
from stiction.validate.toss_data import Tosses, load_tosses
from stiction.validate.toss_flight import calibrate, exponential, flight_states, product
from stiction.validate.toss_replay import TossReplay

pytestmark = pytest.mark.interpreted

CENTRE = np.array([0.001, -0.002, 0.005])
SCALE, DT, SIDE = 1.02, 1 / 148, 0.1


def thrown(count: int, samples: int = 12) -> tuple[Tosses, np.ndarray, np.ndarray]:
    """Cubes in free flight, tracked 2 % too short, and their true states at the first sample."""
    rng = np.random.default_rng(0)
    t = DT * np.arange(samples)
    positions, turns, q, v = [], [], [], []
    for _ in range(count):
        start = exponential(rng.normal(0, 1, 3))
        spin, speed = rng.normal(0, 4, 3), rng.normal(0, 0.5, 3)
        orientation = np.array([product(start, exponential(spin * one)) for one in t])
        arms = np.array([rotated(one, CENTRE) for one in orientation])
        centres = np.array([0, 0, 1.0]) + speed * t[:, None] - np.outer(t * t / 2, [0, 0, 9.81])
        positions.append((centres - arms) / SCALE)
        turns.append(orientation)
        q.append([*(centres[0] - arms[0]), *start])
        v.append([*(speed - rotated(start, np.cross(spin, CENTRE))), *spin])
    rows = count * samples
    first = samples * np.arange(count + 1)
    flat = np.zeros((rows, 3))
    tosses = Tosses(
        first, np.concatenate(positions), np.concatenate(turns), flat, flat, DT, SIDE, 0.37,
        8e-4 * np.eye(3),
    )  # fmt: skip
    return tosses, np.array(q), np.array(v)


def rotated(turn: np.ndarray, arm: np.ndarray) -> np.ndarray:
    back = turn * [1, -1, -1, -1]
    return product(product(turn, np.array([0.0, *arm])), back)[1:]


def test_free_flight_tells_scale_and_centre_of_mass():
    found = calibrate(thrown(10)[0])
    assert found.scale == pytest.approx(SCALE, rel=1e-9)
    assert found.centre == pytest.approx(CENTRE, abs=1e-9)


def test_free_flight_tells_the_start_state():
    tosses, q, v = thrown(5)
    found_q, found_v = flight_states(tosses.scaled(SCALE), CENTRE)
    assert found_q == pytest.approx(q, abs=1e-9)
    assert found_v == pytest.approx(v, abs=1e-9)


def test_a_toss_in_flight_is_replayed_without_error():
    tosses, _, _ = thrown(4, samples=9)
    replay = TossReplay(tosses)
    found = replay.errors([st.SpringDamper()], np.arange(2))
    assert found.diverged.tolist() == [0]
    assert found.position.max() < 1e-3  # per cent; the integrator is exact for a parabola
    assert found.angle.max() < 1e-3


def test_missing_data_are_told(monkeypatch, capsys, tmp_path):
    monkeypatch.delenv("STICTION_DATA", raising=False)
    assert main(["validate", "cube-tosses"]) == 1
    told = capsys.readouterr().err
    assert "cube_tosses.npz" in told and "STICTION_DATA" in told and "contact-nets" in told


def test_a_damaged_file_is_told(tmp_path):
    file = tmp_path / "tosses.npz"
    file.write_bytes(b"PK\3\4")
    with pytest.raises(InputError, match="not a file of tosses"):
        load_tosses(file)
    np.savez(file, offsets=[0, 1])
    with pytest.raises(InputError, match="has no position"):
        load_tosses(file)
