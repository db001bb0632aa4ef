"""Ctrl-C ends a run soon, and loses nothing that was simulated until then."""

import os
import signal
import threading
import time

import numpy as np
import pytest

from mechanisms import pendulum
from stiction import BatchSimulation, Motion, Recording, Simulation, World, simulate
from stiction.cli.entry import main
from stiction.cli.output import Progress
from stiction.errors import InputError, Interrupted
from stiction.simulation.chunks import FASTER, FIRST_CHUNK, chunks

WORLD = World(pendulum(), ground=None)
MANY = 100_000_000  # steps: tens of seconds, so that a test that fails ends too


def ctrl_c(*_):
    signal.raise_signal(signal.SIGINT)


class After:
    """Ctrl-C, a while from now."""

    def __init__(self, seconds):
        self.timer = threading.Timer(seconds, lambda: os.kill(os.getpid(), signal.SIGINT))

    def __enter__(self):
        self.timer.start()

    def __exit__(self, *_):
        self.timer.cancel()


@pytest.mark.parametrize("every", [1, 3])
def test_the_motion_so_far_comes_with_the_exception(every, tmp_path):
    options = {"contact": None, "record": Recording(every)}
    with pytest.raises(Interrupted, match="interrupted at t = .* after 10 steps") as caught:
        simulate(WORLD, duration=0.2, progress=ctrl_c, **options)
    motion, whole = caught.value.motion, simulate(WORLD, duration=0.2, **options)
    assert len(motion) == (10 - 1) // every + 1
    for name in ("time", "q", "v", "torque"):
        np.testing.assert_array_equal(getattr(motion, name), getattr(whole, name)[: len(motion)])
    motion.save(tmp_path / "motion.h5")
    assert len(Motion.load(tmp_path / "motion.h5")) == len(motion)


def test_an_interruption_before_the_first_step_keeps_the_first_state(monkeypatch):
    monkeypatch.setattr(Simulation, "advance", ctrl_c)
    with pytest.raises(Interrupted, match="after 0 steps") as caught:
        simulate(WORLD, contact=None, duration=0.2)
    np.testing.assert_array_equal(caught.value.motion.q, [WORLD.home().q])


def test_it_is_no_error_that_a_program_catches_by_accident():
    assert not issubclass(Interrupted, Exception)
    assert issubclass(Interrupted, KeyboardInterrupt)


@pytest.mark.jit
def test_many_steps_end_soon_and_the_simulation_goes_on():
    simulation, single = (Simulation(WORLD, contact=None) for _ in range(2))
    simulation.step()  # compiles
    with After(0.5), pytest.raises(KeyboardInterrupt):
        simulation.step(n=MANY)
    taken = round(simulation.time / simulation.dt)
    assert 1 < taken < MANY
    simulation.step(n=1000)
    single.step(n=taken + 1000)
    np.testing.assert_array_equal(simulation.state.q, single.state.q)
    np.testing.assert_array_equal(simulation.state.v, single.state.v)


@pytest.mark.jit
def test_a_batch_ends_soon_and_says_that_it_was_interrupted():
    batch = BatchSimulation(WORLD, 8, contact=None, threads=2)
    batch.step()
    with After(0.5), pytest.raises(KeyboardInterrupt):
        batch.step(n=MANY)
    with pytest.raises(InputError, match="this batch was interrupted"):
        batch.step()


def test_steps_in_one_call_are_those_of_many():
    at_once, one_by_one = (Simulation(WORLD, contact=None) for _ in range(2))
    at_once.step(n=60)
    for _ in range(60):
        one_by_one.step()
    np.testing.assert_array_equal(at_once.state.q, one_by_one.state.q)


def test_chunks_add_up_and_grow_while_they_take_no_time():
    taken = list(chunks(123_456))
    assert sum(taken) == 123_456
    assert taken[0] == FIRST_CHUNK
    assert taken[1] == FIRST_CHUNK * FASTER
    assert list(chunks(0)) == []


def test_chunks_that_take_long_become_short():
    taken = []
    for count in chunks(20):
        taken.append(count)
        time.sleep(1.1 if len(taken) == 1 else 0.0)
    assert taken[:2] == [10, 1]


@pytest.mark.interpreted
def test_the_command_line_writes_the_motion_so_far(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(Progress, "__call__", ctrl_c)
    path = tmp_path / "motion.h5"
    command = ["run", "ball", "--contact", "none", "--duration", "1", "--output", str(path)]
    assert main(command) == 130
    told = capsys.readouterr().err
    assert f"after 10 steps; the motion until then is in {path}" in told
    assert len(Motion.load(path)) == 10
