"""Walls, arches, houses of cards and loads on carts: they stand, or fall as mechanics says.

Without the compiler they are small and the runs short; the slow tests build what the names say.
"""

import numpy as np
import pytest

import stiction as st
from stiction.errors import StabilityWarning
from stiction.step.record import DEPTH
from structures import arch, card_house, loaded_cart, loaded_plate, shot_wall, stack, wall

DT = 1e-3  # [s]
G = 9.81  # [m/s2]
ROUGH = st.Coulomb(mu_static=0.6, mu_kinetic=0.6)
SPACE = {"ground": None, "gravity": (0.0, 0.0, 0.0)}

interpreted, slow = pytest.mark.interpreted, pytest.mark.slow


def sizes(small, *large):
    """Run a test with a small structure without the compiler, and with large ones if slow."""

    def given(one, mark):
        return pytest.param(*(one if isinstance(one, tuple) else (one,)), marks=mark)

    return [given(small, interpreted), *(given(one, slow) for one in large)]


def run(world, steps, state=None, model=ROUGH, **options):
    return st.simulate(world, model, duration=steps * DT, dt=DT, state=state, **options)


def deepest(motion):
    """Largest depth, in the ground and between bodies [m]."""
    ground = np.nanmax(motion.depth) if motion.depth.size else 0.0
    return max(ground, float(np.nanmax(motion.between[..., DEPTH])))


def stands(motion, drift, depth=1e-9):
    """Assert that nothing moves faster than `drift` [m/s], or sinks; every step is solved."""
    assert motion.unsolved.count == 0
    assert np.abs(motion.q[-1] - motion.q[0]).max() <= drift * max(motion.time[-1], 0.01)
    assert deepest(motion) <= depth


@pytest.mark.parametrize(
    ("courses", "wide", "steps", "turned"), sizes((2, 1, 3, 1e-13), (9, 5, 300, 1e-11))
)
def test_a_wall_in_space_that_is_shot_at_keeps_its_momentum(courses, wide, steps, turned):
    """Nothing but the ball and the bricks: momentum stays, and friction takes energy.

    Angular momentum stays to rounding, which adds up over some 3000 parts of steps. Without
    `step/flight.py`, position correction, which moves bodies of 2 kg at 5 m/s by 0.1 mm, and the
    integrator would change it by up to 1e-2 N m s in a step.
    """
    world, state = shot_wall(courses, wide, distance=0.002, **SPACE)
    motion = run(world, steps, state)
    momentum, energy = motion.momentum(), motion.energy().total
    assert np.abs(momentum.linear - momentum.linear[0]).max() <= 1e-10  # of 100 N s
    assert np.abs(momentum.angular - momentum.angular[0]).max() <= turned
    assert np.diff(energy).max() <= 1e-12 * energy[0]
    assert energy[-1] < 0.9 * energy[0]  # the ball did hit
    assert motion.unsolved.count == 0


@slow
def test_a_wall_of_fifty_that_is_shot_at_gains_no_energy():
    world, state = shot_wall(9, 5)
    assert len(world.robots) == 51
    motion = run(world, 1000, state, st.Coulomb())
    energy, momentum = motion.energy().total, motion.momentum().linear
    assert np.diff(energy).max() <= 1e-9 * energy[0]
    given = motion.force[:-1].sum(axis=1) + world.total_mass * np.array([0.0, 0.0, -G])
    # the wrenches that move the robots are those of the recorded forces to the tolerance of a step
    np.testing.assert_allclose(np.diff(momentum, axis=0), given * DT, atol=1e-6)
    assert deepest(motion) < 1e-3  # the ball comes 10 mm in a step
    if motion.unsolved.count:
        assert motion.unsolved.count <= 2
        assert motion.unsolved.residual < 1e-5


@slow
@pytest.mark.parametrize("shift", np.arange(12) * 1.7e-9)
def test_a_wall_that_is_shot_at_a_little_elsewhere_gains_no_energy(shift):
    """Impacts that no method solves must not end in any impulses: one in seven walls exploded."""
    world, state = shot_wall(9, 5)
    state.q[0] += shift
    motion = run(world, 60, state, st.Coulomb())
    energy = motion.energy().total
    assert np.diff(energy).max() <= 1e-9 * energy[0]
    assert motion.unsolved.count <= 3


@slow
def test_a_wall_of_fifty_stands():
    stands(run(st.World(*wall(9, 5)), 1000), drift=1e-9)


@pytest.mark.parametrize(("count", "steps"), sizes((5, 5), (5, 5000), (7, 5000), (9, 5000)))
def test_an_arch_stands(count, steps):
    """Half the weight on each side, and a thrust that pushes the feet apart."""
    world = arch(count)
    motion = run(world, steps)
    stands(motion, drift=1e-10)
    weight = world.total_mass * G
    force = motion.force[-2]
    assert force[:, 2].sum() == pytest.approx(weight, rel=1e-9)
    assert force[:, 0].sum() == pytest.approx(0.0, abs=1e-9 * weight)
    assert np.abs(force[:, 0]).sum() > 0.2 * weight  # pushed inwards from both sides


@interpreted
def test_an_arch_on_ice_falls():
    ice = st.Coulomb(mu_static=0.0, mu_kinetic=0.0)
    motion = run(arch(5), 10, model=ice)
    key = motion.q[:, 7 * 2 + 2]
    assert key[-1] < key[0] - 1e-5


@pytest.mark.parametrize(("storeys", "steps"), sizes((2, 10), (3, 2000), (4, 2000)))
def test_a_house_of_cards_stands(storeys, steps):
    """Cards of 0.3 mm."""
    stands(run(card_house(storeys), steps), drift=1e-8)


@interpreted
def test_a_house_of_smooth_cards_falls():
    """Cards that lean by 0.3 need friction of tan(0.3) / 2 on the ground, more where edges meet."""
    for mu, holds in ((0.4, True), (0.14, False)):
        motion = run(card_house(1), 10, model=st.Coulomb(mu_static=mu, mu_kinetic=mu))
        assert (np.abs(motion.v[-1]).max() < 1e-9) == holds


@pytest.mark.parametrize(("count", "steps"), sizes((4, 6), (16, 1000), (49, 1000)))
def test_cubes_on_a_plate_are_carried_together(count, steps):
    """Four points each, and four of the plate: 20, 68 and 200 at once."""
    motion = run(loaded_plate(count), steps)
    assert (motion.between[-2, :, 0] > 0).sum() == 4 * count
    assert (np.abs(motion.force[-2]).sum(axis=1) > 0).sum() == 4
    stands(motion, drift=1e-10)
    carried = [motion.force_between(f"cube_{k}", "plate")[-2, 2] for k in range(count)]
    np.testing.assert_allclose(carried, 0.5 * G, rtol=1e-9)


@pytest.mark.parametrize(("push", "steps"), sizes((20.0, 8), (20.0, 1000)))
def test_boxes_stay_on_a_cart_that_accelerates(push, steps):
    """Less than friction times gravity: they move as one."""
    world = loaded_cart()
    force = st.Push("cart/cart", (0.0, 0.0, 0.1), (push, 0.0, 0.0), 0.0, 10.0)
    motion = run(world, steps, forces=[force])
    cart, boxes = motion.q[:, 0], motion.q[:, [-21, -14, -7]]
    np.testing.assert_allclose(boxes - cart[:, None], 0.05, atol=1e-9 * steps)
    assert cart[-1] > 0.9 * push / world.total_mass / 2 * (steps * DT) ** 2 * 0.9
    assert motion.unsolved.count == 0


@interpreted
def test_boxes_slide_off_a_cart_that_accelerates_more():
    """Friction accelerates the box by mu g, up to what the deck tilts on its casters."""
    world = loaded_cart(1)
    force = st.Push("cart/cart", (0.0, 0.0, 0.1), (400.0, 0.0, 0.0), 0.0, 10.0)
    motion = run(world, 8, forces=[force])
    assert motion.v[-1, -6] == pytest.approx(0.6 * G * 8 * DT, rel=1e-3)


@pytest.mark.parametrize("steps", sizes(5, 500))
@pytest.mark.parametrize(
    ("size", "mass"),
    [((1e-3, 1e-3, 1e-3), 2.7e-6), ((0.2, 0.2, 1e-4), 1e-2), ((2e-3, 0.5, 2e-3), 5e-3)],
    ids=["tiny", "thin", "long"],
)
def test_thin_and_tiny_boxes_stack(size, mass, steps):
    stands(run(stack(5, size, mass), steps), drift=1e-10, depth=1e-6 * size[2])


@interpreted
def test_a_wall_that_is_too_stiff_for_the_step_is_told():
    """Springs of 50 kN/m under bricks of 2 kg; on scenery no bound is known before the run."""
    law, bricks = st.ImplicitSpringDamper(), wall(3, 2)
    before = r"dt is 0.001 s, but 4 points of 'brick_0_0/box'.* stable only up to 0.000268 s"
    with pytest.warns(StabilityWarning, match=before):
        st.Simulation(st.World(*bricks), law, DT)
    floor = st.robots.box((3.0, 3.0, 0.1)).at((0.0, 0.0, -0.05))
    with pytest.warns(StabilityWarning, match=r"contact added .* J to the robots by t = 0.0"):
        run(st.World(*bricks, scenery=floor, ground=None), 20, model=law)
