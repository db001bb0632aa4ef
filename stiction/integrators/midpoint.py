"""Moreau's midpoint rule with implicit gyroscopic terms: the default integrator.

Contact is detected and forces are taken half a step ahead, at q + v dt/2; the mean of the old and
the new velocity then moves q over the whole step (J. J. Moreau, "Unilateral contact and dry
friction in finite freedom dynamics", 1988). Constant forces are integrated exactly, smooth ones to
second order, at the price of one evaluation; oscillators are as stable as with semi-implicit Euler,
which is the same map, seen half a step later.

Gyroscopic terms at the old velocity would add energy in every step. For a free body they are taken
at the mean velocity x, which solves

    2 I (x - w) + dt (x cross I x - I a) = 0

where I a is the torque of the last step. The body moves by Cayley's map. Without torque it then
conserves its energy and its angular momentum exactly (J. C. Simo and K. K. Wong, 1991). In chains
the mean velocity is extrapolated with the accelerations of the last step.
"""

from typing import NamedTuple

from stiction.compiler.compiled import as_python, chooses, kernel
from stiction.contact.families.family import solves
from stiction.control.controller import prescribe
from stiction.kernels.kinematics import accelerated, advance, advance_by_mean
from stiction.kernels.loops import in_loop
from stiction.kernels.rotations import load_quaternion, quaternion_to_matrix
from stiction.kernels.touching_links import on_ground_alone
from stiction.kernels.tree import FREE, OK, PRISMATIC, REVOLUTE
from stiction.kernels.tree_order import NONE
from stiction.kernels.vectors import (
    add,
    cross,
    dot,
    like,
    load_matrix,
    load_symmetric,
    load_vector,
    scale,
    store_vector,
    sub,
    symmetric_transform,
    transform,
    zero_vector,
)
from stiction.step.flight import Flight, NoFlight
from stiction.step.integrator import integrator
from stiction.step.record import record_forces
from stiction.step.step import compute_forces, solve_motion
from stiction.step.system import Instant, Shares

REPEATS = 4  # of a step whose torques differ from those of the last one
SPIN_ERROR = 1e-6  # relative error allowed in the mean spin; above rounding
NEWTON_STEPS = 8  # for the mean angular velocity; three or four usually suffice
SETTLED = 1e-15  # squared relative change of it that counts as rounding
STEADY = 1e-12  # a body that turns by less in the step is at rest [rad]


class Midpoint(NamedTuple):
    """Forces half a step ahead, positions by the mean velocity; second order, one evaluation."""


@integrator(Midpoint)
def midpoint(params, system, state, work, time, dt):
    """Take one step of the midpoint rule."""
    q, v, dynamics = state.q, state.v, system.dynamics
    half = like(dt, 0.5) * dt
    for k in range(len(q)):
        work.q[k] = q[k]
    advance(dynamics.tree, q, v, half)
    alone = mean_velocities(system, v, dt, work.v, work.v_sum)
    instant = Instant(time + half, time, dt, half)
    # detection is half a step ahead in the next step too, so dt v_next lies between the two
    shares = Shares(like(dt, 0), like(dt, 1), like(dt, 0.5))
    touched, settled, repeats = OK, OK, 0
    while True:
        touched = compute_forces(system, instant, q, v, work.v)
        settled = solve_motion(system, instant, q, v, shares)
        if alone == 0 or repeats == REPEATS:
            break
        held = solves(system.model) and system.surface.contact.count[0] > 0
        if not correct_spins(system, v, dt, work.v, work.v_sum, held):
            break
        system.surface.impact.solved[0] = 0  # the impulses are solved again
        repeats += 1
    record_forces(system, work, instant, like(dt, 1))
    for d in range(len(v)):
        work.v[d] = v[d] + half * dynamics.acceleration[d]
        v[d] = accelerated(v[d], dt * dynamics.acceleration[d])
        dynamics.acceleration[d] -= work.v_sum[d]  # what the next step extrapolates
    advance_by_mean(dynamics.tree, work.q, work.v, dt, q)
    if solves(system.model):
        note_missing_spins(work.flight, system, state, work, dt)
    prescribe(system.controllers, dynamics, time + dt, q, v)
    return max(touched, settled)


# ---------------------------------------------------------------------------------- mean velocities


@kernel
def mean_velocities(system, v, dt, mean, gyroscopic):
    """Velocities at the middle of the step, extrapolated from the last step.

    Also gyroscopic accelerations, of bodies that turn alone; 0 for all others. Returns the number
    of such bodies.
    """
    tree, last = system.dynamics.tree, system.dynamics.last_acceleration
    half, alone = like(dt, 0.5) * dt, 0
    for d in range(len(v)):
        mean[d] = v[d] + half * last[d]
        gyroscopic[d] = 0
    for i in range(1, len(tree.parent)):
        if turns_alone(tree, i) and not in_loop(system.loops, i):
            first = tree.v_index[i + 1] - 3
            w = (v[first], v[first + 1], v[first + 2])
            a = (last[first], last[first + 1], last[first + 2])
            x = mean_spin(inertia_about_pivot(tree, i), w, a, half)
            for k in range(3):
                mean[first + k] = x[k]
                gyroscopic[first + k] = (x[k] - w[k]) / half - a[k]
            alone += 1
    return alone


@kernel
def correct_spins(system, v, dt, mean, gyroscopic, held):
    """Mean velocities of bodies that turn alone, with the torques found in this step.

    While contacts open and close, these differ from the torques of the last step, and gyroscopic
    terms that are not taken at the mean velocity do work. Returns whether the step must be
    repeated: if contact holds such a body (`held`: whether any), or if its centre of mass is not at
    the origin of its frame. Otherwise correcting the accelerations here suffices, and is exact.
    """
    dynamics, half, again = system.dynamics, like(dt, 0.5) * dt, False
    tree, links = dynamics.tree, system.surface.work.response.links
    small = max(like(dt, SPIN_ERROR), tree.slack[0])
    for i in range(1, len(tree.parent)):
        if turns_alone(tree, i) and not in_loop(system.loops, i):
            first = tree.v_index[i + 1] - 3
            w = (v[first], v[first + 1], v[first + 2])
            a = (
                dynamics.acceleration[first] - gyroscopic[first],
                dynamics.acceleration[first + 1] - gyroscopic[first + 1],
                dynamics.acceleration[first + 2] - gyroscopic[first + 2],
            )
            x = mean_spin(inertia_about_pivot(tree, i), w, a, half)
            off = (
                (x[0] - w[0]) / half - a[0] - gyroscopic[first],
                (x[1] - w[1]) / half - a[1] - gyroscopic[first + 1],
                (x[2] - w[2]) / half - a[2] - gyroscopic[first + 2],
            )
            apart = is_centred(tree, i) and (not held or not is_pushed(links, i))
            wrong = half * half * dot(off, off) > small * small * dot(x, x)
            again = again or (wrong and not apart)
            if wrong or apart:
                for k in range(3):
                    mean[first + k] = x[k]
                    gyroscopic[first + k] += off[k]
                    dynamics.acceleration[first + k] += off[k]
    return again


def note_missing_spins(flight, system, state, work, dt):
    """Note the errors in angular momentum, where robots touch each other (`step/flight.py`)."""
    _NOTES[type(flight)](flight, system, state, work, dt)


@kernel
def missing_spins(flight, system, state, work, dt):
    """Write the angular momentum that torques gave to bodies, minus what these gained [N m s].

    Torques act at the pose of half a step at the old spin, and bodies turn by the mean spin. The
    difference grows with the square of the change of spin: it matters in collisions.
    """
    dynamics, number = system.dynamics, system.surface.work.response.links.number
    tree, a = dynamics.tree, dynamics.acceleration  # without gyroscopic terms
    for i in range(1, len(tree.parent)):
        if number[i] == NONE or tree.joint_type[i] != FREE or not turns_alone(tree, i):
            continue
        k, d = tree.q_index[i] + 3, tree.v_index[i] + 3
        given, missing = scale(dt, (a[d], a[d + 1], a[d + 2])), zero_vector(dt)
        w = (state.v[d], state.v[d + 1], state.v[d + 2])
        if dt * dt * (dot(given, given) + dot(w, w)) > like(dt, STEADY * STEADY):
            I = load_symmetric(tree.inertia, i)
            w_old = sub(scale(like(dt, 2), (work.v[d], work.v[d + 1], work.v[d + 2])), w)
            R_old = quaternion_to_matrix(load_quaternion(work.q, k))
            R = quaternion_to_matrix(load_quaternion(state.q, k))
            torque = transform(load_matrix(dynamics.rotation, i), symmetric_transform(I, given))
            old = transform(R_old, symmetric_transform(I, w_old))
            missing = sub(add(old, torque), transform(R, symmetric_transform(I, w)))
        store_vector(flight.missing, i, missing)


@kernel
def _note_nothing(flight, system, state, work, dt):
    pass


_NOTES = {Flight: missing_spins, NoFlight: _note_nothing}


@chooses(note_missing_spins)
def _note_missing_spins(flight, system, state, work, dt):
    return as_python(_NOTES[flight.instance_class])


@kernel
def is_pushed(links, i):
    """Return whether contact pushes link i; unknown, thus true, if only the ground is touched."""
    if on_ground_alone(links):
        return True
    row = links.number[i]
    if row != NONE:
        for k in range(6):
            if links.wrench[row, k] != 0:
                return True
    return False


@kernel
def is_centred(tree, i):
    """Return whether link i, if it is free, has its centre of mass at its origin."""
    c = load_vector(tree.centre, i)
    return tree.joint_type[i] != FREE or dot(c, c) == 0


@kernel
def turns_alone(tree, i):
    """Return whether link i is a tree by itself and can turn about all axes."""
    kind = tree.joint_type[i]
    if kind == REVOLUTE or kind == PRISMATIC or tree.parent[i] != 0 or tree.gathers[i] == 1:
        return False
    return i + 1 == len(tree.parent) or tree.parent[i + 1] != i


@kernel
def inertia_about_pivot(tree, i):
    """Inertia of link i, in its axes, about its pivot: the centre of mass if it is free."""
    xx, xy, xz, yy, yz, zz = load_symmetric(tree.inertia, i)
    if tree.joint_type[i] == FREE:
        return xx, xy, xz, yy, yz, zz
    m, (x, y, z) = tree.mass[i], load_vector(tree.centre, i)
    return (
        xx + m * (y * y + z * z),
        xy - m * x * y,
        xz - m * x * z,
        yy + m * (x * x + z * z),
        yz - m * y * z,
        zz + m * (x * x + y * y),
    )


@kernel
def mean_spin(I, w, a, half):
    """Mean angular velocity x of a step that starts at w, under the torque I a."""
    pushed = add(w, scale(half, a))
    x = pushed
    for _ in range(NEWTON_STEPS):
        h = symmetric_transform(I, x)
        off = add(symmetric_transform(I, sub(x, pushed)), scale(half, cross(x, h)))
        step = solve_spin(I, x, h, half, off)
        x = sub(x, step)
        if dot(step, step) <= like(half, SETTLED * SETTLED) * dot(x, x):
            break
    return x


@kernel
def solve_spin(I, x, h, half, off):
    """Solve (I + half (x cross I - (I x) cross)) step = off."""
    xx, xy, xz, yy, yz, zz = I
    c0, c1, c2 = (xx, xy, xz), (xy, yy, yz), (xz, yz, zz)
    zero, one = like(half, 0), like(half, 1)
    c0 = add(c0, scale(half, sub(cross(x, c0), cross(h, (one, zero, zero)))))
    c1 = add(c1, scale(half, sub(cross(x, c1), cross(h, (zero, one, zero)))))
    c2 = add(c2, scale(half, sub(cross(x, c2), cross(h, (zero, zero, one)))))
    k = one / dot(c0, cross(c1, c2))  # Cramer's rule
    return (
        k * dot(off, cross(c1, c2)),
        k * dot(c0, cross(off, c2)),
        k * dot(c0, cross(c1, off)),
    )
