"""A family of contact models: how models of one kind enter a step.

The type of a model's parameters picks its family when the step is compiled.

    force law         evaluated in every stage, before the accelerations are known
    acceleration law  evaluated in every stage, once the accelerations without contact are known
    impulse law       evaluated once per step; its impulses act evenly over the step
    impulse solver    the same, but also for points that reach the ground within the step
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from stiction.compiler.compiled import as_python, chooses
from stiction.contact.contact_model import IMPULSE_SOLVER, MODELS


class Family(NamedTuple):
    """The functions of a family, one for each part of a step."""

    add_known_forces: Callable[..., int]
    detect: Callable[..., None]
    detect_missed: Callable[..., bool]
    solve: Callable[..., int]
    solve_again: Callable[..., int]
    hold: Callable[..., bool]
    complete: Callable[..., None]
    trials: int  # tries at solving joint modes and contact together, before solving them in turn


FAMILIES: dict[str, Family] = {}


def family_of(kind: type) -> Family:
    """Return the family of a type of model parameters."""
    return FAMILIES[MODELS[kind].family]


def add_known_forces(model, surface, dynamics, instant):
    """Add the contact forces that are known before the accelerations; returns a status."""
    return family_of(type(model)).add_known_forces(model, surface, dynamics, instant)


@chooses(add_known_forces)
def _add_known_forces(model, surface, dynamics, instant):
    return as_python(family_of(model.instance_class).add_known_forces)


def detect_contacts(model, surface, dynamics, instant, shares):
    """Find the points to which the model applies."""
    family_of(type(model)).detect(model, surface, dynamics, instant, shares)


@chooses(detect_contacts)
def _detect_contacts(model, surface, dynamics, instant, shares):
    return as_python(family_of(model.instance_class).detect)


def detect_missed_contacts(model, surface, dynamics, instant, shares, v):
    """Find points that the accelerations bring to the ground; returns whether there are any."""
    return family_of(type(model)).detect_missed(model, surface, dynamics, instant, shares, v)


@chooses(detect_missed_contacts)
def _detect_missed_contacts(model, surface, dynamics, instant, shares, v):
    return as_python(family_of(model.instance_class).detect_missed)


def solve_contact(model, system, instant, shares):
    """Find contact forces for the current joint modes and add them to u; returns a status."""
    return family_of(type(model)).solve(model, system, instant, shares)


@chooses(solve_contact)
def _solve_contact(model, system, instant, shares):
    return as_python(family_of(model.instance_class).solve)


def solve_contact_again(model, system, instant):
    """Find the contact forces of a later stage and add them to u; returns a status."""
    return family_of(type(model)).solve_again(model, system, instant)


@chooses(solve_contact_again)
def _solve_contact_again(model, system, instant):
    return as_python(family_of(model.instance_class).solve_again)


def hold_impulses(model, surface, dynamics, factor):
    """Add `factor` times the impulses to the external forces; returns whether there are any."""
    return family_of(type(model)).hold(model, surface, dynamics, factor)


@chooses(hold_impulses)
def _hold_impulses(model, surface, dynamics, factor):
    return as_python(family_of(model.instance_class).hold)


def complete_impulses(model, surface, dynamics, dt):
    """Complete the impulses of the step and the twists at its end, for the record."""
    family_of(type(model)).complete(model, surface, dynamics, dt)


@chooses(complete_impulses)
def _complete_impulses(model, surface, dynamics, dt):
    return as_python(family_of(model.instance_class).complete)


def trials_together(model: Any) -> int:
    """Number of tries at solving joint modes and contact together, before solving them in turn."""
    return family_of(type(model)).trials


@chooses(trials_together)
def _trials_together(model):
    trials = family_of(model.instance_class).trials
    return lambda model: trials


def solves(model: Any) -> bool:
    """Return whether a model is an impulse solver."""
    return MODELS[type(model)].family == IMPULSE_SOLVER


@chooses(solves)
def _solves(model):
    chosen = MODELS[model.instance_class].family == IMPULSE_SOLVER
    return lambda model: chosen
