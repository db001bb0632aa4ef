"""Mechanics at one state of a world: inertia, bias, dynamics, Jacobians, momentum, energy.

H a + b = u, in the coordinates of docs/conventions.md. The kernels are those of the simulation, so
a check made here also holds for a run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from stiction.compiler.compiled import routine
from stiction.description.arguments import numbers
from stiction.errors import InputError
from stiction.kernels.articulated import (
    articulated_accelerations,
    articulated_bodies,
    articulated_unit_responses,
    link_inverse_inertia,
    move_links,
)
from stiction.kernels.joint_space import (
    bias,
    dense_inertia,
    factor_free_part,
    joint_space_accelerations,
    joint_space_forces,
    joint_space_inertia,
    joint_space_unit_responses,
)
from stiction.kernels.joint_space import (
    inverse_dynamics as _inverse_dynamics,
)
from stiction.kernels.kinematics import (
    frame_jacobian,
    point_drift,
)
from stiction.kernels.quantities import (
    centre_of_mass as _centre_of_mass,
)
from stiction.kernels.quantities import (
    kinetic_energy,
    potential_energy,
    total_momentum,
)
from stiction.kernels.tree import Dynamics, allocate
from stiction.kernels.vectors import store_vector
from stiction.world.world import State, World, checked_vector, checked_world

ARTICULATED, JOINT_SPACE = "articulated", "joint space"


class Energy(NamedTuple):
    """Energies over time [J]; the sum is conserved unless joints are driven, damped or stopped."""

    kinetic: np.ndarray
    potential: np.ndarray

    @property
    def total(self) -> np.ndarray:
        """Kinetic and potential energy together."""
        return self.kinetic + self.potential


class Momentum(NamedTuple):
    """Momenta over time: linear [N s], angular about the centre of mass [N m s], each (n, 3)."""

    linear: np.ndarray
    angular: np.ndarray


# -------------------------------------------------------------------------------- compiled routines


@routine
def _place(dynamics, q, v):
    move_links(dynamics, q, v)


@routine
def _inertia_and_bias(dynamics, dense):
    bias(dynamics)
    joint_space_inertia(dynamics)
    dense_inertia(dynamics.tree, dynamics.H, dense)


@routine
def _solve_articulated(dynamics):
    articulated_bodies(dynamics)
    articulated_accelerations(dynamics)


@routine
def _solve_joint_space(dynamics):
    bias(dynamics)
    joint_space_inertia(dynamics)
    factor_free_part(dynamics)
    joint_space_forces(dynamics)
    joint_space_accelerations(dynamics)


@routine
def _inverse(dynamics, a, force):
    _inverse_dynamics(dynamics, a, force)


@routine
def _jacobian_and_drift(dynamics, link, place, J, drift):
    frame_jacobian(dynamics, link, (place[0], place[1], place[2]), J)
    store_vector(drift, 0, point_drift(dynamics, link, (place[0], place[1], place[2])))
    for k in range(3):
        drift[1, k] = dynamics.drift[link, 3 + k]


@routine
def _link_inertia_articulated(dynamics, links, common, modes, result):
    articulated_bodies(dynamics)
    articulated_unit_responses(dynamics, links, modes)
    link_inverse_inertia(dynamics, links, common, modes, result)


@routine
def _link_inertia_joint_space(dynamics, links, common, modes, result):
    joint_space_inertia(dynamics)
    factor_free_part(dynamics)
    joint_space_unit_responses(dynamics, links, modes)
    link_inverse_inertia(dynamics, links, common, modes, result)


@routine
def measure(dynamics, q, v, centre, momenta, energies):
    """Centre of mass (n, 3), momentum about the origin (n, 6) and energies (n, 2) of n states."""
    for k in range(len(q)):
        move_links(dynamics, q[k], v[k])
        c, _ = _centre_of_mass(dynamics)
        store_vector(centre, k, c)
        total = total_momentum(dynamics)
        for axis in range(3):
            momenta[k, axis] = total.force[axis]
            momenta[k, 3 + axis] = total.moment[axis]
        energies[k, 0] = kinetic_energy(dynamics, v[k])
        energies[k, 1] = potential_energy(dynamics, q[k])


# ----------------------------------------------------------------------------------- user functions


def inertia(world: World, q: ArrayLike) -> np.ndarray:
    """Joint-space inertia H, (nv, nv)."""
    dynamics = _at(world, q)
    H = np.zeros((world.nv, world.nv))
    _inertia_and_bias(dynamics, H)
    return H


def bias_force(world: World, q: ArrayLike, v: ArrayLike) -> np.ndarray:
    """Bias force b, gravity and velocity products, (nv)."""
    dynamics = _at(world, q, v)
    _inertia_and_bias(dynamics, np.zeros((world.nv, world.nv)))
    return dynamics.b


def forward_dynamics(
    world: World, q: ArrayLike, v: ArrayLike, u: ArrayLike, method: str = ARTICULATED
) -> np.ndarray:
    """Accelerations under the forces u along the coordinates, (nv), without passive joint forces.

    Springs, dampers and friction of the joints are left out.
    method: "articulated" (articulated-body algorithm) or "joint space" (H and its factor).
    """
    dynamics = _at(world, q, v)
    dynamics.tau[:] = checked_vector("u", u, world.nv, "force", world.dof_name)
    _by_method(method, _solve_articulated, _solve_joint_space)(dynamics)
    return dynamics.acceleration


def inverse_dynamics(world: World, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> np.ndarray:
    """Forces along the coordinates that produce the accelerations a, (nv)."""
    dynamics = _at(world, q, v)
    force = np.zeros(world.nv)
    _inverse(dynamics, checked_vector("a", a, world.nv, "acceleration", world.dof_name), force)
    return force


def jacobian(world: World, q: ArrayLike, name: str) -> np.ndarray:
    """Velocities of a link or frame per coordinate velocity, (6, nv), in world axes.

    The linear velocity of its origin comes first, then its angular velocity.
    """
    return _frame(world, q, np.zeros(world.nv), name)[0]


def drift(world: World, q: ArrayLike, v: ArrayLike, name: str) -> np.ndarray:
    """Linear and angular acceleration J_dot v of the origin of a link or frame, (6), world axes."""
    return _frame(world, q, v, name)[1].ravel()


def centre_of_mass(world: World, q: ArrayLike) -> np.ndarray:
    """Centre of mass of everything that moves [m], (3)."""
    return _measured(world, q, None)[0]


def momentum(world: World, q: ArrayLike, v: ArrayLike) -> Momentum:
    """Linear momentum and angular momentum about the centre of mass, (3) each."""
    centre, momenta, _ = _measured(world, q, v)
    return Momentum(momenta[:3], momenta[3:] - np.cross(centre, momenta[:3]))


def energy(world: World, q: ArrayLike, v: ArrayLike) -> Energy:
    """Kinetic and potential energy of a state [J]."""
    _, _, energies = _measured(world, q, v)
    return Energy(energies[0], energies[1])


def inverse_inertia(
    world: World, q: ArrayLike, names: list[str], method: str = ARTICULATED
) -> np.ndarray:
    """Twists of links per unit wrench on them, J H^-1 J', (6 n, 6 n), at the link origins.

    The linear part comes first.
    method: "articulated" (unit wrenches through the recursions) or "joint space" (from H).
    """
    links = np.array([world.place(name).link for name in names], np.int64)
    if not len(links) or (links == 0).any():
        raise InputError("inverse_inertia: name at least one link, and only links that move")
    dynamics = _at(world, q)
    n = len(links)
    modes, result = np.zeros((n, world.nv, 6)), np.zeros((6 * n, n, 6))
    compute = _by_method(method, _link_inertia_articulated, _link_inertia_joint_space)
    compute(dynamics, links, common_dofs(world, links), modes, result)
    return _at_link_origins(dynamics, links, result.transpose(1, 2, 0).reshape(6 * n, 6 * n))


def common_dofs(world: World, links: np.ndarray) -> np.ndarray:
    """Last coordinate on both links' paths to the world, -1 if there is none, (n, n)."""

    def chain(link: int) -> list[int]:
        d = int(world.tree.v_index[link + 1]) - 1
        row, depth = world.tree.dof_row[d], world.tree.dof_depth[d]
        return world.tree.ancestor[row : row + depth + 1].tolist()

    chains = [chain(int(link)) for link in links]
    return np.array([[max({*a} & {*b}, default=-1) for b in chains] for a in chains], np.int64)


# ------------------------------------------------------------------------------------------ helpers


def _at(world: World, q: ArrayLike, v: ArrayLike | None = None) -> Dynamics:
    """Kinematics and rigid-body quantities at a checked state."""
    q, v = _checked_state(world, q, v)
    dynamics = allocate(world.tree)
    _place(dynamics, q, v)
    return dynamics


def _checked_state(
    world: World, q: ArrayLike, v: ArrayLike | None
) -> tuple[np.ndarray, np.ndarray]:
    """Positions and velocities as arrays, after checking them; at rest for None."""
    checked_world(world)
    state = State(numbers(q), np.zeros(world.nv) if v is None else numbers(v))
    world.check_state(state)
    return state.q, state.v


def _frame(world: World, q: ArrayLike, v: ArrayLike, name: str) -> tuple[np.ndarray, np.ndarray]:
    place = world.place(name)
    dynamics = _at(world, q, v)
    J, acceleration = np.zeros((6, world.nv)), np.zeros((2, 3))
    _jacobian_and_drift(dynamics, place.link, place.position, J, acceleration)
    return J, acceleration


def _measured(
    world: World, q: ArrayLike, v: ArrayLike | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    q, v = _checked_state(world, q, v)
    centre, momenta, energies = np.zeros((1, 3)), np.zeros((1, 6)), np.zeros((1, 2))
    measure(allocate(world.tree), q[None], v[None], centre, momenta, energies)
    return centre[0], momenta[0], energies[0]


def _by_method(
    method: str, articulated: Callable[..., None], joint_space: Callable[..., None]
) -> Callable[..., None]:
    chosen = {ARTICULATED: articulated, JOINT_SPACE: joint_space}
    if method not in chosen:
        raise InputError(f"method is {method!r}; it can be '{ARTICULATED}' or '{JOINT_SPACE}'")
    return chosen[method]


def _at_link_origins(dynamics: Dynamics, links: np.ndarray, A: np.ndarray) -> np.ndarray:
    """Move an inverse inertia from the common origins O to the origins of the links: X A X'."""
    X = np.eye(len(A))
    for k, link in enumerate(links):
        x, y, z = dynamics.position[link]
        X[6 * k : 6 * k + 3, 6 * k + 3 : 6 * k + 6] = [[0, z, -y], [-z, 0, x], [y, -x, 0]]
    return X @ A @ X.T
