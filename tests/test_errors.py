"""What a user can get wrong in a run, and what happens when a run goes wrong by itself."""

import math
from math import inf, nan
from typing import NamedTuple

import numpy as np
import pytest

from mechanisms import chain, pendulum
from stiction import (
    ArticulatedBody,
    JointSpace,
    Leapfrog,
    Motion,
    PDTracking,
    Push,
    Recording,
    Reference,
    RungeKutta4,
    SemiImplicitEuler,
    Simulation,
    State,
    TabulatedForce,
    Torques,
    World,
    mechanics,
    robots,
    simulate,
)
from stiction.errors import DivergenceError, InputError, SimulationError
from stiction.extend import OK, contact_model, controller, scale, store_vector, vector

# without the compiler numpy warns of the overflows that are the subject here
pytestmark = pytest.mark.filterwarnings("ignore:(overflow|invalid value):RuntimeWarning")

SWING = World(pendulum())
HERE, UP = (0.0, 0.0, -0.5), (0.0, 0.0, 1.0)


def pushed(**changes) -> dict:
    return {
        "forces": [
            Push(**{"body": "bob", "point": HERE, "force": UP, "start": 0, "stop": 1} | changes)
        ]
    }


def tabulated(**changes) -> dict:
    table = {"body": "bob", "point": HERE, "time": [0.0, 1.0], "force": np.zeros((2, 3))}
    return {"forces": [TabulatedForce(**table | changes)]}


# ---------------------------------------------------------------------------------------- arguments

SHARED = [  # what Simulation and simulate refuse alike
    ({"state": State([nan], [0.0])}, r"state.q: q\[0\] is nan"),
    ({"state": State([0.0], [nan])}, "state.v: joint is nan"),
    ({"state": State([0.0, 0.0], [0.0])}, r"state.q: found shape \(2,\)"),
    ({"state": State([0.0], [[0.0]])}, r"state.v: found shape \(1, 1\)"),
    ({"state": [0.0]}, "state: found list"),
    ({"dt": 0.0}, "dt: found 0.0; give a positive time step in s"),
    ({"dt": -0.001}, "dt: found -0.001"),
    ({"dt": nan}, "dt: found nan"),
    ({"dt": inf}, "dt: found inf"),
    ({"dt": "0.001"}, "dt: found '0.001'"),
    ({"dt": None}, "dt: found None"),
    ({"dt": np.array([0.001])}, r"dt: found array\(\[0.001\]\)"),
    ({"contact": "springs"}, "contact: found 'springs'"),
    ({"method": "fast"}, r"method: found 'fast'; give ArticulatedBody\(\) or JointSpace\(\)"),
    ({"method": JointSpace}, "method: found <class"),
    ({"controller": 3}, "controller: found int; give PDTracking, Torques"),
    ({"controller": lambda time, state: 0.0}, "controller: found function"),
    ({"controller": [np.zeros(1)]}, "controller: found ndarray"),
    ({"controller": [Torques([0.0]), "hold"]}, "controller: found str"),
    ({"controller": Torques}, "controller: found the class Torques"),
    ({"controller": Torques("strong")}, r"torque: found shape \(\)"),
    ({"dt": True}, "dt: found True"),
    ({"controller": Torques([nan])}, "torque: entry .*not finite"),
    ({"controller": Torques([0.0, 0.0])}, r"torque: found shape \(2,\); expected \(1,\)"),
    ({"controller": Torques([[0.0], [1.0]], time=[1.0, 0.0])}, "torque: time must be finite"),
    ({"forces": [(0.0, 0.0, 1.0)]}, "forces: found tuple; give Push or TabulatedForce"),
    ({"forces": Push("bob", HERE, UP, 0, 1)}, "forces: found Push; give a list"),
    ({"forces": None}, "forces: found NoneType; give a list"),
    (pushed(body="rod"), "no link or frame 'rod' in this world; it has: bob"),
    (pushed(force=(0.0, nan, 0.0)), "force on 'bob': force must be finite"),
    (pushed(force=(0.0, 1.0)), r"force on 'bob': force must be .* shape \(3,\)"),
    (pushed(force="up"), "force on 'bob': force must be .*'up'"),
    (pushed(point=(inf, 0.0, 0.0)), "force on 'bob': point must be finite"),
    (pushed(start=2.0), "force on 'bob': start 2.0 s must come before stop 1.0 s"),
    (pushed(start=1.0), "force on 'bob': start 1.0 s must come before stop 1.0 s"),
    (pushed(stop=inf), "force on 'bob': start and stop must be finite"),
    (pushed(start="now"), "force on 'bob': start and stop must be finite"),
    (tabulated(time=[0.0, 0.0]), "force on 'bob': time must be .* strictly increasing"),
    (tabulated(time=[0.0]), "force on 'bob': time must be at least 2"),
    (tabulated(time="always"), "force on 'bob': time must be at least 2"),
    (tabulated(force=np.zeros((3, 3))), r"force on 'bob': force must be .* shape \(2, 3\)"),
    (tabulated(moment=np.full((2, 3), nan)), "force on 'bob': moment must be finite"),
]


@pytest.mark.parametrize("options, complaint", SHARED)
def test_a_wrong_argument_is_named_with_what_was_found(options, complaint):
    with pytest.raises(InputError, match=complaint):
        Simulation(SWING, **options)
    with pytest.raises(InputError, match=complaint):
        simulate(SWING, duration=0.0, **options)


@pytest.mark.parametrize("integrator", ["RungeKutta4", RungeKutta4, None, ArticulatedBody(), 4])
def test_an_unknown_integrator_lists_the_known_ones(integrator):
    known = (SemiImplicitEuler, Leapfrog, RungeKutta4)
    for run in (
        lambda **given: simulate(SWING, duration=0.0, **given),
        lambda **given: Simulation(SWING, **given),
    ):
        with pytest.raises(InputError, match="integrator: found") as error:
            run(integrator=integrator)
        for kind in known:
            assert f"{kind.__name__}()" in str(error.value)


@pytest.mark.parametrize("world", [pendulum(), None, "pendulum.xml", [SWING]])
def test_only_a_world_is_simulated(world):
    with pytest.raises(InputError, match=f"expected a World, found {type(world).__name__}"):
        simulate(world, contact=None, duration=1.0)
    with pytest.raises(InputError, match=f"expected a World, found {type(world).__name__}"):
        Simulation(world, contact=None)


@pytest.mark.parametrize("duration", [-1.0, -1e-9, nan, inf, "1", None, [1.0]])
def test_a_wrong_duration_is_refused(duration):
    with pytest.raises(
        InputError, match="duration: found .*; give a finite, non-negative time in s"
    ):
        simulate(SWING, contact=None, duration=duration)


@pytest.mark.parametrize(
    "record", [3, None, Recording, Recording(0), Recording(-2), Recording(1.5), Recording("all")]
)
def test_a_wrong_recording_is_refused(record):
    with pytest.raises(InputError, match=r"record: found .*; give Recording\(every=n\)"):
        simulate(SWING, contact=None, duration=0.0, record=record)


def test_a_record_that_no_machine_holds_is_refused_before_it_is_made():
    with pytest.raises(
        InputError, match=r"more than 16 GB; record fewer with Recording\(every=n\)"
    ):
        simulate(SWING, contact=None, duration=1e6, dt=1e-4)


@pytest.mark.parametrize("n", [0, -1, 1.5, "2", None])
def test_steps_are_counted_in_whole_numbers(n):
    simulation = Simulation(SWING, contact=None)
    with pytest.raises(InputError, match=r"step\(n=.*give a positive integer"):
        simulation.step(n=n)
    assert simulation.time == 0.0


@pytest.mark.parametrize(
    "torque, complaint",
    [
        ([nan], "torque: joint is nan"),
        ([inf], "torque: joint is inf"),
        ([0.0, 0.0], r"torque: found shape \(2,\); this world has 1"),
        (0.0, r"torque: found shape \(\)"),
        ([[0.0]], r"torque: found shape \(1, 1\)"),
        ("none", "torque: found 'none'"),
        ([None, "a"], "torque: found"),
    ],
)
def test_a_wrong_torque_is_refused_and_the_state_stays(torque, complaint):
    simulation = Simulation(SWING, contact=None, state=State([0.3], [0.1]))
    with pytest.raises(InputError, match=complaint):
        simulation.step(torque)
    assert (simulation.time, simulation.state.q[0], simulation.state.v[0]) == (0.0, 0.3, 0.1)


def test_a_saved_state_of_another_world_is_refused():
    other = Simulation(World(chain(2)), contact=None).save_state()
    with pytest.raises(InputError, match="2 positions and 2 velocities; this world has 1"):
        Simulation(SWING, contact=None).restore_state(other)


@pytest.mark.parametrize(
    "call, complaint",
    [
        (lambda: mechanics.inertia(SWING, [nan]), r"q: q\[0\] is nan"),
        (lambda: mechanics.inertia(SWING, [0.0, 0.0]), r"q: found shape \(2,\)"),
        (lambda: mechanics.bias_force(SWING, [0.0], [inf]), "v: joint is inf"),
        (lambda: mechanics.forward_dynamics(SWING, [0.0], [0.0], [nan]), "u: joint is nan"),
        (lambda: mechanics.inverse_dynamics(SWING, [0.0], [0.0], []), r"a: found shape \(0,\)"),
        (lambda: mechanics.jacobian(SWING, [0.0], "rod"), "no link or frame 'rod'.*bob"),
        (
            lambda: mechanics.forward_dynamics(SWING, [0.0], [0.0], [0.0], method="magic"),
            "'magic'; it can be 'articulated' or 'joint space'",
        ),
    ],
)
def test_mechanics_checks_its_arguments_too(call, complaint):
    with pytest.raises(InputError, match=complaint):
        call()


# --------------------------------------------------------------------------------------- divergence

BIPED = World(robots.biped10())
AT_REST = Reference([0.0, 1.0], [[0.0], [0.0]])
BURST = Torques([[0.0], [1e300]], time=[0.0, 0.003])  # nothing, then too much


def diverged(world, **options) -> DivergenceError:
    """The error of a run that must diverge."""
    with pytest.raises(DivergenceError) as caught:
        simulate(world, contact=None, duration=0.02, **options)
    return caught.value


@pytest.mark.interpreted
@pytest.mark.parametrize("integrator", [SemiImplicitEuler(), RungeKutta4()])
def test_divergence_tells_when_where_and_what_preceded(integrator):
    state = State([0.1], [0.5])
    error = diverged(SWING, controller=BURST, state=state, integrator=integrator)
    message = str(error)
    # steps of 1 ms begin at 0, 1, 2 and 3 ms; the one from 3 to 4 ms blows up
    assert "t = 0.004 s (step 4, dt 0.001 s)" in message
    assert "velocity of 'joint' became" in message
    preceding = error.motion.v[-3:, 0]
    for k, v in zip(range(1, 4), preceding, strict=True):
        assert f"{v:.4g} at {k * 0.001:.6g} s" in message
    assert "fastest coordinate before: 'joint'" in message
    assert "try a smaller dt" in message


def test_a_motion_that_diverged_holds_finite_rows_and_can_be_kept(tmp_path):
    error = diverged(SWING, controller=BURST, state=State([0.1], [0.5]))
    motion = error.motion
    assert isinstance(error, SimulationError)
    np.testing.assert_allclose(motion.time, [0.0, 0.001, 0.002, 0.003], rtol=1e-15)
    assert motion.q.shape == motion.v.shape == (4, 1)
    assert np.isfinite(motion.q).all()
    assert np.isfinite(motion.v).all()
    np.testing.assert_array_equal(motion.torque[:, 0], [0.0, 0.0, 0.0, 1e300])
    quiet = simulate(SWING, contact=None, duration=0.003, state=State([0.1], [0.5]))
    np.testing.assert_array_equal(motion.q, quiet.q)

    motion.save(tmp_path / "diverged.h5")
    loaded = Motion.load(tmp_path / "diverged.h5")
    np.testing.assert_array_equal(loaded.q, motion.q)
    np.testing.assert_array_equal(loaded.torque, motion.torque)


def test_a_sparse_record_of_a_run_that_diverged_is_finite_too():
    motion = diverged(SWING, controller=BURST, record=Recording(every=2)).motion
    np.testing.assert_allclose(motion.time, [0.0, 0.002], rtol=1e-15)
    assert np.isfinite(motion.q).all()
    assert np.isfinite(motion.v).all()


class Wrong(NamedTuple):
    """A law whose forces are no numbers, or that returns a status of its own."""

    stiffness: float = 1e4
    status: float = 0.0


@contact_model(Wrong)
def wrong(params, dynamics, contact, memory, work, dt):
    """Forces that are not finite, if the status is OK."""
    f_n = math.nan if params.stiffness > 0 else 0.0
    for i in range(contact.count[0]):
        store_vector(contact.force, i, scale(f_n, vector(contact.normal, i)))
    return int(params.status) if contact.count[0] > 0 else OK


class Vanishing(NamedTuple):
    """A controller that is not finite after 3 ms."""

    gain: float = 1.0


@controller(Vanishing)
def vanishing(params, dynamics, time, q, v):
    """Push up, then with a force that is no number."""
    dynamics.control[2] += params.gain if time < 0.003 else math.nan


BRICK = World(robots.brick())


@pytest.mark.interpreted
def test_a_contact_force_that_is_not_finite_is_told_with_its_law_link_and_point():
    """The message named a coordinate and advised softer gains."""
    with pytest.raises(DivergenceError) as caught:
        simulate(BRICK, Wrong(), duration=0.02, state=BRICK.standing(above=1e-5))
    assert "'Wrong' gave 'brick' a contact force of (nan, nan, nan) at a depth of" in str(
        caught.value
    )
    assert "softer gains" not in str(caught.value)


@pytest.mark.interpreted
def test_a_controller_whose_force_is_not_finite_is_told_with_the_coordinate():
    with pytest.raises(
        DivergenceError, match=r"controllers gave 'brick_free \(z\)' a force of nan"
    ):
        simulate(BRICK, duration=0.02, controller=Vanishing(), state=BRICK.standing())


@pytest.mark.interpreted
@pytest.mark.parametrize("status", [1, 7])
def test_a_status_of_a_law_is_told_as_such(status):
    """It was told as joints that were not solved, or as a state that diverged."""
    told = f"contact model 'Wrong' or the integrator returned the status {status}"
    with pytest.raises(SimulationError, match=told):
        simulate(BRICK, Wrong(0.0, status), duration=0.02, state=BRICK.standing(above=1e-5))


@pytest.mark.interpreted
def test_explicit_integration_of_absurd_damping_diverges_with_a_message():
    """RK4 is unstable beyond damping dt / inertia = 2.8; here it is 3.3, and 0.3 kg m2 swing."""
    drive = PDTracking(AT_REST, stiffness=0.0, damping=3.3 * 0.3 / 0.001)
    with pytest.raises(DivergenceError, match="velocity of 'joint' became") as caught:
        simulate(
            SWING,
            contact=None,
            duration=0.5,
            controller=drive,
            integrator=RungeKutta4(),
            state=State([0.0], [1.0]),
        )
    motion = caught.value.motion
    assert len(motion) > 10  # it grows by a factor of 2 a step
    assert np.isfinite(motion.v).all()
    assert np.abs(motion.v[-1]).max() > 1e5


@pytest.mark.interpreted
def test_implicit_damping_takes_the_same_drive_calmly():
    drive = PDTracking(AT_REST, stiffness=0.0, damping=3.3 * 0.3 / 0.001)
    motion = simulate(
        SWING, contact=None, duration=0.02, controller=drive, state=State([0.0], [1.0])
    )
    assert abs(motion.v[-1, 0]) < 1e-2


# Python's math.cos(inf) is an exception, the compiler's is NaN
OVERFLOWING_TURN = pytest.param(1e300, marks=pytest.mark.jit)


@pytest.mark.parametrize("torque", [1e100, -1e100, OVERFLOWING_TURN, 1e308])
def test_a_biped_under_absurd_torques_diverges_with_a_message(torque):
    error = diverged(BIPED, controller=Torques(np.full(BIPED.nv, torque)))
    assert "diverged at t = 0.001 s (step 1" in str(error)
    assert "'base (x)' became" in str(error)
    np.testing.assert_array_equal(error.motion.q, BIPED.home().q[None])


def test_a_not_a_number_inside_a_step_is_found():
    """Forces that overflow to inf - inf leave no speed to compare with the limit."""
    overflow = Push("trunk", (0.1, 0.1, 0.1), (1e308, -1e308, 1e308), start=0.001, stop=1.0)
    error = diverged(BIPED, forces=[overflow])
    assert "became nan" in str(error) or "became inf" in str(error) or "became -inf" in str(error)
    assert len(error.motion) == 2
    assert np.isfinite(error.motion.q).all()


def test_a_position_that_overflows_is_named():
    """At a speed below the limit only an absurd step can do that."""
    weightless = World(pendulum(), gravity=(0.0, 0.0, 0.0))
    state = State([0.0], [1e5])
    with pytest.raises(DivergenceError, match=r"position q\[0\] of joint 'joint' became inf"):
        simulate(
            weightless,
            contact=None,
            duration=1e304,
            dt=1e304,
            state=state,
            integrator=SemiImplicitEuler(),  # no positions within the step
        )


def test_the_error_names_the_joint_of_the_right_robot():
    world = World(pendulum().named("calm"), chain(2).named("wild"))
    error = diverged(world, controller=Torques([0.0, 0.0, 1e300]))
    assert "'wild/joint" in str(error)
    assert "calm" not in str(error).split("before:")[0]


def test_stepping_by_hand_diverges_with_the_same_message():
    simulation = Simulation(SWING, contact=None, state=State([0.1], [0.5]))
    simulation.step(n=3)
    before = simulation.state
    with pytest.raises(DivergenceError, match=r"t = 0\.004 s \(step 4.*'joint' became") as caught:
        simulation.step([1e300])
    assert f"{before.v[0]:.4g} at 0.003 s" in str(caught.value)
    with pytest.raises(DivergenceError):  # and not a silent continuation
        simulation.step()


def test_a_simulation_goes_on_from_a_state_saved_before_it_diverged():
    simulation = Simulation(SWING, contact=None, state=State([0.1], [0.5]))
    simulation.step(n=3)
    saved = simulation.save_state()
    simulation.step()
    wanted = simulation.state
    with pytest.raises(DivergenceError):
        simulation.step([1e308])
    simulation.restore_state(saved)
    simulation.step()
    np.testing.assert_array_equal(simulation.state.q, wanted.q)
    np.testing.assert_array_equal(simulation.state.v, wanted.v)
