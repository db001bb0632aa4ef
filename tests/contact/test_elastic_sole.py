"""`Distributed.from_material`: springs of contact theory and losses of Hunt and Crossley."""

import math

import numpy as np
import pytest

import stiction as st
from stiction.errors import InputError

RUBBER = {"young_modulus": 2e6, "poisson_ratio": 0.45}
PAD = {**RUBBER, "thickness": 0.01, "area": 2e-4}
STUD = {**RUBBER, "radius": 0.01}


def test_a_pad_is_a_bed_of_springs_that_cannot_spread():
    """Johnson 4.3: modulus times area over thickness; the shear spring along the ground."""
    law = st.Distributed.from_material(**PAD)
    confined = 2e6 * 0.55 / (1.45 * 0.1)
    assert law.stiffness == pytest.approx(confined * 2e-4 / 0.01)
    assert law.tangential_stiffness == pytest.approx(2e6 / 2.9 * 2e-4 / 0.01)
    assert (law.alpha, law.beta) == (1.0, 1.0)


def test_without_poisson_s_ratio_a_pad_has_young_s_modulus():
    law = st.Distributed.from_material(**{**PAD, "poisson_ratio": 0.0})
    assert law.stiffness == pytest.approx(2e6 * 2e-4 / 0.01)


def test_a_stud_presses_with_the_force_of_hertz():
    """Johnson 4.2: F = 4/3 E* sqrt(R) d^1.5; a circle of radius a = sqrt(R d)."""
    law = st.Distributed.from_material(**STUD, depth=4e-4)
    E_star, d = 2e6 / (1 - 0.45**2), 4e-4
    a = math.sqrt(0.01 * d)
    assert law.stiffness * d**law.alpha == pytest.approx(4 * E_star * a**3 / (3 * 0.01))
    G = 2e6 / 2.9
    assert law.tangential_stiffness == pytest.approx(8 * a * G / (2 - 0.45))  # Mindlin, 7.2
    # Johnson 7.2: between 2/3 and 1 of the normal stiffness 2 E* a, as nu goes from 0.5 to 0
    ratio = law.tangential_stiffness / (2 * E_star * a)
    assert ratio == pytest.approx(2 * (1 - 0.45) / (2 - 0.45))


def test_dampers_have_the_loss_of_hunt_and_crossley():
    law = st.Distributed.from_material(**PAD, restitution=0.8, impact_speed=0.4, depth=2e-3)
    a = 0.2 / 0.4
    assert law.damping == pytest.approx(1.5 * a * law.stiffness)
    assert law.tangential_damping == pytest.approx(1.5 * a * 2e-3 * law.tangential_stiffness)


def test_friction_and_times_pass_through():
    law = st.Distributed.from_material(**STUD, mu_static=0.9, mu_kinetic=0.8, sliding_time=0.0)
    assert (law.mu_static, law.mu_kinetic, law.sliding_time) == (0.9, 0.8, 0.0)
    assert law.sticking_time == 0.01


@pytest.mark.jit
@pytest.mark.parametrize("sole", [PAD, STUD], ids=["pad", "stud"])
def test_a_block_rests_at_the_depth_of_the_closed_form(sole):
    law = st.Distributed.from_material(**sole, restitution=0.0, impact_speed=0.02)
    world = st.World(st.robots.brick(mass=2.0))
    motion = st.simulate(world, law, duration=1.0, dt=1e-4, state=world.standing())
    wanted = (2.0 * 9.81 / (4 * law.stiffness)) ** (1 / law.alpha)
    assert motion.depth[-2].max() == pytest.approx(wanted, rel=1e-3)


def rebound(restitution, sole):
    """Speed ratio of a box that is thrown down without gravity."""
    law = st.Distributed.from_material(**sole, restitution=restitution, impact_speed=0.4)
    world = st.World(st.robots.brick(mass=2.0), gravity=(0, 0, 0))
    state = world.standing(above=1e-5)
    state.v[2] = -0.4
    motion = st.simulate(
        world, law, duration=0.1, dt=1e-5, state=state, integrator=st.RungeKutta4()
    )
    assert (motion.depth[-2] == 0).all()
    return motion.v[-1, 2] / 0.4


def exact_rebound(restitution):
    """Hunt and Crossley's law without approximation: c e + log(1 - c e) = log(1 + c) - c."""
    c = 1.5 * (1 - restitution)
    low, high = 0.0, min(1.0, (1 - 1e-12) / c)
    for _ in range(60):
        e = 0.5 * (low + high)
        more = -c * e - math.log(1 - c * e) < c - math.log(1 + c)
        low, high = (e, high) if more else (low, e)
    return low


@pytest.mark.jit
@pytest.mark.parametrize("sole", [PAD, STUD], ids=["pad", "stud"])
@pytest.mark.parametrize("e", [0.95, 0.9, 0.8, 0.5])
def test_a_box_rebounds_as_told_to_second_order_of_the_loss(sole, e):
    """e = 1 - a v is the first order of the exact law, which is met to the step's error."""
    found = rebound(e, sole)
    assert found == pytest.approx(exact_rebound(e), abs=1e-3)
    assert 0 < found - e < (1 - e) ** 2


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (
            {"poisson_ratio": 0.5},
            "poisson_ratio is 0.5; give a number of at least 0 and less than 0.5",
        ),
        ({"poisson_ratio": -0.1}, "poisson_ratio is -0.1"),
        ({"young_modulus": 0.0}, "young_modulus is 0.0; give a positive number"),
        ({"young_modulus": "soft"}, "young_modulus is 'soft'"),
        ({"radius": 0.01}, "give either thickness and area"),
        ({"thickness": None, "area": None}, "give either thickness and area"),
        ({"area": None}, "area is None; give a positive number"),
        ({"restitution": 1.5}, "restitution is 1.5; give a number from 0 to 1"),
        ({"impact_speed": np.nan}, "impact_speed is nan"),
        (
            {"stiffness": 1e4},
            "unexpected parameter 'stiffness'; besides the material, from_material accepts",
        ),
    ],
)
def test_bad_materials_are_named(change, says):
    with pytest.raises(InputError, match=says):
        st.Distributed.from_material(**{**PAD, **change})


def test_hertz_needs_a_depth_below_the_radius():
    with pytest.raises(InputError, match="smaller than the radius"):
        st.Distributed.from_material(**STUD, depth=0.02)
