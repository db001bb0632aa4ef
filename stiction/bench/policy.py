"""A trained policy, judged: the same commands under every contact model, friction and engine.

The policy walks to each command for some seconds. It has learned from one contact model; a policy
that holds only under that one has learned the model's errors, not to walk.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import stiction as st
from stiction.bench.demo import DT, FRICTION, by_family, digits, ground
from stiction.contact.contact_model import IMPULSE_SOLVER, MODELS, our_models
from stiction.engines import engine_and_setting
from stiction.errors import InputError
from stiction.files.written import make_folder, write_whole
from stiction.learn.options import checked_options
from stiction.learn.policy import Policy
from stiction.learn.setup import Setup
from stiction.learn.tasks import task_of
from stiction.learn.walking import Walk, Walked, check_policy, walk_in_engine, walk_in_ours

SECONDS = 8.0  # of each walk
BEGIN = 1.0  # the robot starts from rest: from here on its velocity counts [s]
FRICTIONS = (0.2, 0.3, 0.4, 1.0)
# fractions of the largest forward, sideways and turning command
COMMANDS = (
    (0.0, 0.0, 0.0), (0.5, 0.0, 0.0), (1.0, 0.0, 0.0), (-0.5, 0.0, 0.0), (0.0, 0.5, 0.0),
    (0.0, -0.5, 0.0), (0.0, 0.0, 1.0), (0.0, 0.0, -1.0), (0.5, 0.25, 0.5), (0.7, -0.25, -0.5),
)  # fmt: skip
SHOWN = 2  # the command whose walks are on the page
MOST_SHOWN = 6  # motions on the page
ENGINE_DT = 1e-3  # [s]
TRAINED = "as trained"
COLUMNS = {
    "holds": "commands that it followed to the end without a fall",
    "first fall [s]": "the earliest fall; none: -",
    "off [m/s]": "mean distance between velocity and command, along the ground, until a fall",
    "turning off [rad/s]": "the same for the rate of turning",
}
Progress = Callable[[float, str], None]


class Contender(NamedTuple):
    """What a policy walks under."""

    name: str
    contact: Any  # a model, or None for an engine
    dt: float  # [s]
    engine: str = ""  # with a setting after a colon
    mu: float = FRICTION


def contenders(policy: Policy, kinds: Sequence[Any], engines: Sequence[str]) -> Iterator[Contender]:
    """What it was trained under, contact models, other frictions under `Coulomb`, and engines."""
    told = policy.trained
    known = {kind.__name__: kind for kind in our_models()}
    if str(told.get("contact")) in known:
        try:
            floor = known[told["contact"]](**told["parameters"])
            yield Contender(TRAINED, floor, told["dt"])
        except (LookupError, TypeError) as error:
            raise InputError(
                f"the policy does not say what it was trained under ({error})"
            ) from None
    for kind in kinds:
        yield Contender(kind.__name__, ground(kind), DT[MODELS[kind].family])
    for mu in FRICTIONS:
        floor = st.Coulomb(mu_static=mu, mu_kinetic=mu)
        yield Contender(f"Coulomb, friction {mu:g}", floor, DT[IMPULSE_SOLVER], mu=mu)
    for name in engines:
        yield Contender(name, None, ENGINE_DT, name)


def judge(
    path: Path,
    out: Path | None = None,
    kinds: Sequence[Any] | None = None,
    engines: Sequence[str] = ("mujoco:elliptic",),
    seconds: float = SECONDS,
    progress: Progress = lambda fraction, doing: None,
) -> dict[str, Any]:
    """Walk to all commands under all models and engines; `out`: folder for a page of motions.

    An engine that cannot represent the robot is listed as refused.
    """
    policy = Policy.load(path)
    for name in engines:
        engine_and_setting(name)  # a wrong one is told before minutes of walking
    if out is not None:
        make_folder(out)
    setup = Setup(policy.trained.get("robot", "hoap1"), task_of("walk"), checked_options({}))
    check_policy(policy, setup)
    field = list(contenders(policy, by_family() if kinds is None else kinds, engines))
    rows, refused, motions = [], [], {}
    for k, one in enumerate(field):
        progress(k / len(field), one.name)
        try:
            walks = walked(policy, setup, one, seconds, record=out is not None)
        except InputError as error:
            if not one.engine:
                raise
            refused.append(f"{one.name}: {error}")
            continue
        rows.append({"under": one.name, **measured(setup, walks, seconds)})
        if walks[SHOWN].motion is not None:
            motions[one.name] = walks[SHOWN].motion
    progress(1.0, "")
    files = [] if out is None else [write_page(out, motions, rows)]
    return {
        "policy": {
            name: policy.trained.get(name)
            for name in ("robot", "contact", "parameters", "dt", "seconds", "world-steps")
        },
        "commands": [command.round(3).tolist() for command in commands_of(setup)],
        "runs": rows,
        "refused": refused,
        "columns": [f"{name}: {words}" for name, words in COLUMNS.items()],
        "files": [str(file) for file in files],
        "holds": rows[0]["holds"] == len(COMMANDS),
    }


def commands_of(setup: Setup) -> list[np.ndarray]:
    """The commands [m/s, m/s, rad/s]."""
    speed = setup.task.speed * setup.speed
    return [np.array(one) * [speed, speed, setup.task.turn] for one in COMMANDS]


def walked(
    policy: Policy, setup: Setup, one: Contender, seconds: float, record: bool
) -> list[Walked]:
    """The walks to all commands; starts are the same for all models and engines."""
    found = []
    for k, command in enumerate(commands_of(setup)):
        walk = Walk(policy, setup, command, setup.first_state(np.random.default_rng(k)))
        keep = record and k == SHOWN
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # falls that are not solved are counted as falls
            if one.contact is None:
                adapter = engine_and_setting(one.engine)
                found.append(walk_in_engine(walk, setup, adapter, one.mu, one.dt, seconds))
            else:
                found.append(walk_in_ours(walk, setup, one.contact, one.dt, seconds, keep))
    return found


def measured(setup: Setup, walks: Sequence[Walked], seconds: float) -> dict[str, Any]:
    """The row of a model or an engine."""
    begin, off, turning = round(BEGIN * setup.rate), [], []
    for walk, command in zip(walks, commands_of(setup), strict=True):
        error = walk.velocity[begin : round(walk.fell * setup.rate)] - command
        off += [np.hypot(error[:, 0], error[:, 1])]
        turning += [np.abs(error[:, 2])]
    fell = [walk.fell for walk in walks if walk.fell < seconds]
    each = np.concatenate(off), np.concatenate(turning)
    return {
        "holds": len(walks) - len(fell),
        "first fall [s]": min(fell) if fell else None,
        "off [m/s]": digits(float(each[0].mean())) if len(each[0]) else None,
        "turning off [rad/s]": digits(float(each[1].mean())) if len(each[1]) else None,
    }


def write_page(out: Path, motions: dict[str, Any], rows: list[dict[str, Any]]) -> Path:
    """Motions to one command: the first, and those under which the policy does worst."""
    from stiction.viewer.page import page

    order = {row["under"]: (row["holds"], -(row["off [m/s]"] or 0.0)) for row in rows}
    first, *others = motions
    chosen = [first, *sorted(others, key=lambda name: order[name])][:MOST_SHOWN]
    path = out / "policy.html"
    text = page({name: motions[name] for name in chosen}, fps=25.0, layout="side by side")
    write_whole(path, text.encode(), "a page", InputError)
    return path
