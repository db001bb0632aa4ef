"""`stiction soak`: simulate a scene or a standing robot for hours, and judge the outcome."""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stiction.cli.command import Command
from stiction.cli.output import Result
from stiction.cli.run import add_run_arguments, checked_contact, robot_options
from stiction.cli.run_scene import find_scene, with_options

if TYPE_CHECKING:
    from stiction.simulation.simulation import Simulation

UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}  # [s]


def _arguments(parser: argparse.ArgumentParser) -> None:
    add_run_arguments(parser)
    parser.add_argument(
        "--for",
        dest="duration",
        type=duration,
        required=True,
        metavar="TIME",
        help="simulated time, such as 24h, 10m or 3600s",
    )
    for name, metavar, told in (
        ("--drift", "M", "no link may move further after settling [m] (default 0.001)"),
        ("--turn", "RAD", "no link may turn further after settling [rad] (default 0.01)"),
        ("--energy", "SHARE", "share of all energy that contact may add (default 0.01)"),
        ("--memory", "MB", "resident memory may grow by this [MB] (default 16)"),
    ):
        parser.add_argument(name, type=_limit, metavar=metavar, help=told)
    parser.add_argument(
        "--checkpoint",
        type=Path,
        metavar="FILE",
        help="write the state to this file every minute, at the end and after Ctrl-C (.npz)",
    )
    parser.add_argument(
        "--resume", type=Path, metavar="FILE", help="continue from a checkpoint, bitwise"
    )


def duration(text: str) -> float:
    """Seconds of a text such as 24h, 10m, 3600s or 3600."""
    unit = UNITS.get(text[-1:], 0.0)
    try:
        value = float(text[:-1]) * unit if unit else float(text)
    except ValueError:
        value = math.nan
    if not 0.0 < value < math.inf:
        raise argparse.ArgumentTypeError(
            f"found {text!r}; give a positive time such as 24h, 10m or 3600s"
        )
    return value


def _limit(text: str) -> float:
    """A number that is not negative; inf means no limit."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not value >= 0.0:
        raise argparse.ArgumentTypeError(f"found {text!r}; give a number from 0, or inf")
    return value


def _run(args: argparse.Namespace) -> Result:
    from stiction.bench.soak import LIMITS, soak

    names = ("drift", "turn", "energy", "unsolved")
    given: dict[str, float | None] = {name: getattr(args, name) for name in names}
    given["memory"] = None if args.memory is None else 1e6 * args.memory
    limits = LIMITS._replace(**{name: x for name, x in given.items() if x is not None})
    simulation, forces, told = _simulation(args)
    measured = soak(
        simulation, args.duration, forces, limits, args.checkpoint, args.resume, args.progress
    )
    notes = {"notes": simulation.notes} if simulation.notes else {}
    return told | measured | notes


def _simulation(args: argparse.Namespace) -> tuple[Simulation, tuple[Any, ...], Result]:
    """What is simulated, its external forces, and how the report calls it."""
    import stiction as st

    scene = find_scene(args)
    forces: tuple[Any, ...] = ()
    if scene is None:
        options = robot_options(args)
        if args.controller is None:
            options["controller"] = _servos(options["world"])
        simulation, name = st.Simulation(**options), options["world"].robots[0].name
    else:
        scene, of_scene = with_options(scene, checked_contact(scene, args), args)
        simulation, forces, name = scene.simulation(**of_scene), scene.forces, scene.name
    set_up = simulation.parameters()
    told = {name: set_up[name] for name in ("contact", "integrator", "controllers")}
    return simulation, forces, {"simulated": name, **told, "dt [s]": simulation.dt}


def _servos(world: Any) -> Any:
    """The position servos of a robot's file, which hold it at home; None if it has none."""
    from stiction.errors import InputError
    from stiction.scenes.control import servos

    try:
        return servos(world.robots[0]).bound("")
    except InputError:
        return None


COMMAND = Command(
    "soak", "simulate for hours; fails if it drifts, gains energy or grows", _arguments, _run
)
