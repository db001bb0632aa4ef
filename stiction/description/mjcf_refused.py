"""Unsupported parts of a MuJoCo model: refused by name if they would act, else noted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from stiction.description.mjcf_loops import LOOPS, constraint_kind
from stiction.description.mjcf_model import (
    FREE,
    HINGE,
    JOINT_NAMES,
    KINDS,
    MESH,
    SLIDE,
    Names,
    colliding_geoms,
    element_name,
)
from stiction.description.mjcf_tendons import Drive, drives_of
from stiction.description.plain import first_few, listed
from stiction.errors import ModelFileError

if TYPE_CHECKING:
    from mujoco import MjModel

FLAGS = (  # switching these off would have an effect
    "constraint frictionloss limit contact spring damper clampctrl filterparent actuation".split()
)


def refuse_what_is_not_simulated(
    model: MjModel, names: Names, source: str, ignores: bool
) -> list[str]:
    """Raise ModelFileError that lists all parts of the model that are not simulated.

    ignores: whether tendons and resistance of free joints are ignored; the notes that are returned
    say what was.
    """
    dispensable = list(_dispensable(model, names))
    remedy = "which is not simulated; remove it from the file"
    refused = [f"{what}, {remedy}" for what in _not_simulated(model, names)]
    if not ignores:
        choice = f"{remedy}, or load with unsimulated='ignored'"
        refused = [*(f"{what}, {choice}" for what in dispensable), *refused]
    if refused:
        raise ModelFileError(listed(source, refused))
    return [f"ignored, because not simulated: {first_few(dispensable)}"] if dispensable else []


def _dispensable(model: MjModel, names: Names) -> Iterator[str]:
    """Parts of the model without which its robot still moves much as it should."""
    drives = drives_of(model)
    yield from (
        f"tendon '{element_name(model, 'tendon', i)}'"
        for i in range(model.ntendon)
        if i not in drives
    )
    for j in np.flatnonzero(model.jnt_type == FREE):
        yield from _passive(model, int(j), names)


def _not_simulated(model: MjModel, names: Names) -> Iterator[str]:
    """Every part of the model that acts in MuJoCo but not here."""
    yield from (
        f"equality constraint '{element_name(model, 'equality', i)}' {constraint_kind(model, i)}"
        for i in range(model.neq)
        if model.eq_active0[i] and model.eq_type[i] not in LOOPS
    )
    for kind, count in (
        ("flex", model.nflex),
        ("skin", model.nskin),
        ("plugin", model.nplugin),
    ):
        yield from (f"{kind} '{element_name(model, kind, i)}'" for i in range(count))
    yield from (f"mocap body '{names.body[i]}'" for i in np.flatnonzero(model.body_mocapid >= 0))
    yield from (
        f"gravity compensation (gravcomp) of body '{names.body[i]}'"
        for i in np.flatnonzero(model.body_gravcomp)
    )
    for option in ("density", "viscosity", "wind"):
        if np.any(getattr(model.opt, option)):
            yield f"<option> has a fluid: {option} is {getattr(model.opt, option)}"
    yield from _flags_not_simulated(model)
    yield from _joints_not_simulated(model, names)
    yield from _actuators_not_simulated(model, names, drives_of(model))
    for i in np.flatnonzero(colliding_geoms(model)):
        if model.geom_type[i] not in KINDS:
            yield f"colliding height field or distance field, geom '{names.geom[i]}'"
        for field in ("adhesion", "surfacevel"):
            if np.any(getattr(model, f"geom_{field}")[i]):
                yield f"{field} of geom '{names.geom[i]}'"
    yield from (f"adhesion of contact pair {i}" for i in np.flatnonzero(model.pair_adhesion))


def _flags_not_simulated(model: MjModel) -> Iterator[str]:
    from mujoco import mjtDisableBit, mjtEnableBit

    for flag in FLAGS:
        if model.opt.disableflags & getattr(mjtDisableBit, f"mjDSBL_{flag.upper()}"):
            yield f'<flag {flag}="disable">'
    if model.opt.enableflags & mjtEnableBit.mjENBL_OVERRIDE:
        yield '<flag override="enable">'


def _joints_not_simulated(model: MjModel, names: Names) -> Iterator[str]:
    for j in range(model.njnt):
        kind, dof, name = int(model.jnt_type[j]), model.jnt_dofadr[j], names.joint[j]
        if model.jnt_stiffnesspoly[j].any() or model.dof_dampingpoly[dof].any():
            yield f"polynomial stiffness or damping of joint '{name}'"
        if model.jnt_springyield[j] != 0.0 or model.jnt_plasticadr[j] >= 0:
            yield f"yielding spring of joint '{name}'"
        if kind not in (HINGE, SLIDE, FREE):
            yield from _passive(model, j, names)


def _passive(model: MjModel, j: int, names: Names) -> Iterator[str]:
    """What a free or ball joint has that acts in MuJoCo but not here."""
    kind, dof = int(model.jnt_type[j]), model.jnt_dofadr[j]
    acting = {
        "stiffness": model.jnt_stiffness[j],
        "frictionloss": model.dof_frictionloss[dof],
        "a limit": model.jnt_limited[j],
        "an actuator force limit": model.jnt_actfrclimited[j],
    }
    if kind == FREE:
        acting |= {"damping": model.dof_damping[dof], "armature": model.dof_armature[dof]}
    yield from (
        f"{what} on {JOINT_NAMES[kind]} joint '{names.joint[j]}'"
        for what, amount in acting.items()
        if amount
    )


def _actuators_not_simulated(
    model: MjModel, names: Names, drives: dict[int, Drive]
) -> Iterator[str]:
    from mujoco import mjtBias, mjtDyn, mjtGain, mjtTrn

    allowed = {
        "trntype": (mjtTrn.mjTRN_JOINT, mjtTrn.mjTRN_JOINTINPARENT),
        "dyntype": (mjtDyn.mjDYN_NONE,),
        "gaintype": (mjtGain.mjGAIN_FIXED, mjtGain.mjGAIN_AFFINE),
        "biastype": (mjtBias.mjBIAS_NONE, mjtBias.mjBIAS_AFFINE),
    }
    kinds = {"trntype": mjtTrn, "dyntype": mjtDyn, "gaintype": mjtGain, "biastype": mjtBias}
    for i, name in enumerate(names.actuator):
        by_tendon = model.actuator_trntype[i] == mjtTrn.mjTRN_TENDON
        for field, known in allowed.items():
            if field == "trntype" and by_tendon and int(model.actuator_trnid[i, 0]) in drives:
                continue
            value = kinds[field](int(getattr(model, f"actuator_{field}")[i]))
            if value not in known:
                yield f"actuator '{name}' has {field} {value.name.split('_')[1].lower()}"
        joint = model.actuator_trnid[i, 0]
        on_joint = mjtTrn(int(model.actuator_trntype[i])) in allowed["trntype"]
        if on_joint and model.jnt_type[joint] not in (HINGE, SLIDE):
            yield f"actuator '{name}' on joint '{names.joint[joint]}', not a hinge or slide"
        if model.actuator_ctrlnum[i] != 1:
            yield f"actuator '{name}' has {model.actuator_ctrlnum[i]} controls"
        if model.actuator_dampingpoly[i].any():
            yield f"polynomial damping of actuator '{name}'"
        group = model.actuator_group[i]
        if 0 <= group < 31 and model.opt.disableactuator >> int(group) & 1:
            yield f"<option actuatorgroupdisable> switches off actuator '{name}'"


def notes_on(model: MjModel, names: Names) -> Iterator[str]:
    """Notes for the user on what was left out."""
    yield "timestep, integrator and solver settings of the file are not used"
    if not np.array_equal(model.opt.gravity, (0.0, 0.0, -9.81)):
        gravity = model.opt.gravity.tolist()
        yield f"gravity {gravity} from the file is not used; set it with World(gravity=...)"
    rigid = [element_name(model, "equality", i) for i in range(model.neq) if model.eq_active0[i]]
    if rigid:
        yield f"equality constraints are rigid, without solref and solimp: {first_few(rigid)}"
    soft = model.jnt_limited & (
        (model.jnt_solref != (0.02, 1.0)).any(axis=1)
        | (model.jnt_solimp != (0.9, 0.95, 0.001, 0.5, 2.0)).any(axis=1)
    )
    if soft.any():
        listed = first_few([names.joint[j] for j in np.flatnonzero(soft)])
        yield f"soft limits of the file are simulated as hard stops: {listed}"
    delayed = [names.actuator[i] for i in np.flatnonzero(model.actuator_delay)]
    if delayed:
        yield f"actuator delays are ignored: {first_few(delayed)}"
    yield from _contact_notes(model, names)


def _contact_notes(model: MjModel, names: Names) -> Iterator[str]:
    colliding = colliding_geoms(model)
    if not colliding.any():
        yield "no geom of the file collides (contype and conaffinity are 0 and no <pair> names one)"
    checks = {
        "condim 1 is ignored; the friction of the material applies": model.geom_condim == 1,
        "torsional and rolling friction (condim 4 and 6) are ignored": model.geom_condim > 3,
        "contact margins are ignored": (model.geom_margin != 0) | (model.geom_gap != 0),
    }
    for note, concerned in checks.items():
        listed = [names.geom[i] for i in np.flatnonzero(concerned & colliding)]
        if listed:
            yield f"{note}: {first_few(listed)}"
    unread = [names.geom[i] for i in range(model.ngeom) if int(model.geom_type[i]) not in KINDS]
    if unread:
        yield f"height fields and distance fields are ignored: {first_few(unread)}"
    seen = (model.geom_type == MESH) & ~colliding
    if seen.any():
        yield f"{seen.sum()} meshes that do not collide are kept as rough hulls for drawing"
