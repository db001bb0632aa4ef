"""Quantities of the forest as a whole: centre of mass, momentum, energy.

The centre of mass needs `forward_kinematics`; momenta and energies need `move_links`.
"""

from stiction.compiler.compiled import kernel
from stiction.kernels.kinematics import world_point
from stiction.kernels.spatial import Wrench, load_inertia, load_twist, momentum, power, wrench_add
from stiction.kernels.vectors import add, cross, dot, like, load_vector, scale, zero_vector


@kernel
def centre_of_mass(dynamics):
    """Return the centre of mass of everything, in the world [m], and the mass [kg]."""
    tree = dynamics.tree
    mass, moment = like(tree.gravity[0], 0), zero_vector(tree.gravity[0])
    for i in range(1, len(tree.parent)):
        c = world_point(dynamics, i, load_vector(tree.centre, i))
        moment = add(moment, scale(tree.mass[i], c))
        mass += tree.mass[i]
    return scale(like(mass, 1) / mass, moment), mass


@kernel
def total_momentum(dynamics):
    """Linear momentum [N s] and angular momentum about the world's origin [N m s] as one wrench."""
    tree = dynamics.tree
    nothing = zero_vector(tree.gravity[0])
    total = Wrench(nothing, nothing)
    for i in range(1, len(tree.parent)):
        part = momentum(load_inertia(dynamics.rigid, i), load_twist(dynamics.velocity, i))
        O = load_vector(dynamics.origin, tree.root[i])
        total = wrench_add(total, Wrench(part.force, add(part.moment, cross(O, part.force))))
    return total


@kernel
def kinetic_energy(dynamics, v):
    """Kinetic energy of links and rotors [J]."""
    tree = dynamics.tree
    half = like(tree.gravity[0], 0.5)
    total = like(tree.gravity[0], 0)
    for i in range(1, len(tree.parent)):
        twist = load_twist(dynamics.velocity, i)
        total += half * power(twist, momentum(load_inertia(dynamics.rigid, i), twist))
    for d in range(len(v)):
        total += half * tree.armature[d] * v[d] * v[d]
    return total


@kernel
def potential_energy(dynamics, q):
    """Energy of gravity and joint springs [J], zero at the world's origin with relaxed springs."""
    tree = dynamics.tree
    gravity = (tree.gravity[0], tree.gravity[1], tree.gravity[2])
    total = like(gravity[0], 0)
    for i in range(1, len(tree.parent)):
        c = world_point(dynamics, i, load_vector(tree.centre, i))
        total -= tree.mass[i] * dot(gravity, c)
    for d in range(len(tree.dof_q)):
        if tree.stiffness[d] > 0:
            stretch = q[tree.dof_q[d]] - tree.spring_reference[d]
            total += like(total, 0.5) * tree.stiffness[d] * stretch * stretch
    return total
