"""The whole step on one page.

An integrator evaluates accelerations, once or in several stages, and advances the state with them:

    compute_forces   kinematics, external forces, controllers, springs and dampers
    solve_motion     contact detection, then H a + b = u + K f, joints and contact together
    advance          by the integrator, which also records what acted

Then positions are corrected: those of links that came to rest within the step, and of points that
sank in. Robots that touch each other in flight keep their momentum (`flight.py`). `impacts.py`
splits a step with impacts into parts; `loop.py` runs the steps.
"""

from stiction.compiler.compiled import kernel
from stiction.contact.families.family import (
    add_known_forces,
    detect_contacts,
    solve_contact_again,
)
from stiction.control.controller import control, prescribe
from stiction.control.memory import keep_trials
from stiction.kernels.articulated import move_links_at
from stiction.kernels.forces import external_forces
from stiction.kernels.forward_dynamics import (
    accelerate_coordinates,
    eliminate_coordinates,
    prepare_method,
)
from stiction.kernels.joints import sliding_friction
from stiction.kernels.loops import begin_loops, close_loops, measure_loops, respond_loops
from stiction.kernels.servos import (
    clear_control,
    present_saturation,
    servo_force,
    set_implicit_damping,
)
from stiction.kernels.tree import OK, PRESCRIBED
from stiction.kernels.vectors import like
from stiction.step.impacts import (
    DONE,
    begin_part,
    finish_part,
    go_back,
    is_interrupted,
    next_part,
    part_before_impact,
    whole_step,
)
from stiction.step.integrator import integrate
from stiction.step.joints_and_contact import solve_joints_and_contact
from stiction.step.record import clear_totals

BEFORE = 1e-9  # of a step: an acceleration prescribed from its end on is not seen in the step


@kernel
def step(params, system, state, work, time, dt):
    """Take one step, in parts if points hit the ground within it; returns a status."""
    clear_totals(work)
    begin_loops(system.loops, dt)
    part, status = whole_step(system, time, dt), OK
    while part.phase != DONE:
        begin_part(system, state, work, part)
        status = max(status, integrate(params, system, state, work, part.time, part.dt))
        if is_interrupted(system, part):
            go_back(system, state, work)
            part = part_before_impact(system, part, dt)
        else:
            status = max(status, finish_part(system, state, work, part, dt))
            part = next_part(part, dt)
    return status


@kernel
def compute_forces(system, instant, q, v, v_products):
    """Compute what depends on q, v and time alone, velocity products at v_products.

    Prescribed coordinates are overwritten first. v is that at the start of the step if dampers act
    later, else that at the time of the evaluation. Returns a status.
    """
    behind = instant.time - instant.step_time if instant.implicit > 0 else like(instant.dt, 0)
    return compute_forces_behind(system, instant, q, v, v_products, behind)


@kernel
def compute_forces_behind(system, instant, q, v, v_products, behind):
    """The same, where v is so long before the time of the evaluation [s]."""
    dynamics = system.dynamics
    within = instant.step_time + like(instant.dt, 1 - BEFORE) * instant.dt
    prescribe(system.controllers, dynamics, min(instant.time, within), q, v)
    for d in range(len(v)):
        if dynamics.mode[d] == PRESCRIBED:
            v[d] -= behind * dynamics.acceleration[d]
    move_links_at(dynamics, q, v, v_products)
    measure_loops(system.loops, dynamics, q, v, v_products)
    external_forces(system.forces, dynamics, instant.time, instant.step_time, instant.dt)
    status = add_known_forces(system.model, system.surface, dynamics, instant)
    clear_control(dynamics)
    control(system.controllers, system.control_memory, dynamics, instant, q, v)
    add_springs_and_dampers(dynamics, instant, q, v)
    prepare_method(system.method, dynamics)
    return status


@kernel
def solve_motion(system, instant, q, v, shares):
    """Find accelerations, joint modes and contact forces of the first stage; returns a status.

    Controllers remember what they wrote in this stage.
    """
    keep_trials(system.control_memory)
    detect_contacts(system.model, system.surface, system.dynamics, instant, shares)
    return solve_joints_and_contact(system, instant, q, v, shares)


@kernel
def solve_motion_again(system, instant, v):
    """Find the accelerations of a later stage, with the joint modes of the first.

    Returns a status.
    """
    dynamics = system.dynamics
    for d in range(len(dynamics.tau)):
        friction = sliding_friction(dynamics.tree, dynamics.mode[d], d, v)
        dynamics.tau[d] = dynamics.known[d] + friction
    eliminate_coordinates(system.method, dynamics)
    respond_loops(system.method, system.loops, dynamics)
    status = solve_contact_again(system.model, system, instant)
    close_loops(system.loops, dynamics)
    accelerate_coordinates(system.method, dynamics)
    return status


@kernel
def add_springs_and_dampers(dynamics, instant, q, v):
    """Sum the forces along the coordinates, and set how dampers act implicitly.

    Without implicit damping, the saturation of servos is known now; otherwise `solve_motion`
    finds it.
    """
    tree = dynamics.tree
    for d in range(len(v)):
        if instant.implicit == 0:
            dynamics.saturation[d] = present_saturation(dynamics, d)
        force = dynamics.control[d] + servo_force(dynamics, d)
        force += dynamics.applied[d] - tree.damping[d] * v[d]
        if tree.stiffness[d] > 0:
            force -= tree.stiffness[d] * (q[tree.dof_q[d]] - tree.spring_reference[d])
        dynamics.known[d] = force
        set_implicit_damping(dynamics, d, instant.dt, instant.implicit)
