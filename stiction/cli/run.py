"""`stiction run`: simulate a scene, or one robot."""

from __future__ import annotations

import argparse
import math
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stiction.cli.bench import positive_count
from stiction.cli.command import Command, Failed, UsageError
from stiction.cli.output import Result, titled
from stiction.cli.plug_ins import chosen
from stiction.cli.robots import add_file_arguments, find_robot, robot_of
from stiction.cli.run_scene import find_scene, judged, scene_contact, simulate_scene
from stiction.cli.written import WRITERS, Written, check_output, written
from stiction.errors import InputError, Interrupted, SimulationError

if TYPE_CHECKING:
    from stiction.motion.motion import Motion
    from stiction.scenes import Scene
    from stiction.world.world import State, World

DURATION, DT = 1.0, 0.001  # for a robot without a scene [s]
UNSOLVED_SHARE = 0.001  # a run with more unsolved steps than this fails


def _arguments(parser: argparse.ArgumentParser) -> None:
    add_run_arguments(parser)
    parser.add_argument(
        "--duration",
        type=float,
        metavar="S",
        help="simulated time [s] (default: the scene's; 1 for a robot)",
    )
    parser.add_argument(
        "--output",
        type=Path,
        metavar="FILE",
        help="write the motion to this file, in the format that its name ends in: "
        f"{', '.join(WRITERS)}",
    )
    parser.add_argument(
        "--every",
        type=positive_count,
        default=1,
        metavar="N",
        help="write one of N steps to that file (default 1); the run is judged by all of them",
    )


def add_run_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what is simulated, and how, but not for how long."""
    parser.add_argument(
        "robot",
        metavar="SCENE|ROBOT",
        help="a scene (`stiction scenes`) or scene file (.toml), a built-in robot or model file",
    )
    add_file_arguments(parser)
    parser.add_argument(
        "--dt",
        type=float,
        metavar="S",
        help="time step [s] (default: the scene's; 0.001 for a robot)",
    )
    parser.add_argument(
        "--height",
        type=float,
        default=0.0,
        metavar="M",
        help="the robot starts with its lowest point this far above the ground [m] (default 0)",
    )
    _world_arguments(parser)
    _plug_in_arguments(parser)
    parser.add_argument(
        "--unsolved",
        type=share,
        default=UNSOLVED_SHARE,
        metavar="SHARE",
        help="the run fails if more than this fraction of its steps is unsolved "
        f"(default {UNSOLVED_SHARE:g})",
    )


def _world_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--at",
        type=_place,
        metavar="X,Y,Z[,TURN]",
        help="place the robot there [m], turned about z [rad]; it then starts where it is",
    )
    parser.add_argument(
        "--scenery",
        action="append",
        default=[],
        metavar="ROBOT",
        help="a built-in robot or model file that does not move; may be repeated",
    )
    parser.add_argument(
        "--self-collision", action="store_true", help="let links of the robot touch each other"
    )


def _place(text: str) -> tuple[float, ...]:
    """A position, and a turn."""
    try:
        place = tuple(map(float, text.split(",")))
    except ValueError:
        place = ()
    if len(place) not in (3, 4) or not all(map(math.isfinite, place)):
        raise argparse.ArgumentTypeError(f"found {text!r}; give X,Y,Z or X,Y,Z,TURN in m and rad")
    return place


def _plug_in_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--contact",
        metavar="MODEL",
        help="a model listed by `stiction models`, your own MODULE:NAME, or none (default: the "
        "scene's, whose friction any other model uses too; for a robot Coulomb, or none if no "
        "shape can touch the ground)",
    )
    parser.add_argument(
        "--controller",
        metavar="MODULE:NAME",
        help="your own controller, in addition to those of the scene",
    )
    parser.add_argument(
        "--parameter",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a parameter of the contact model; controller.NAME=VALUE one of the controller, "
        "integrator.NAME=VALUE one of the integrator; may be repeated",
    )
    parser.add_argument(
        "--integrator",
        metavar="NAME",
        help="Midpoint, RungeKutta4, SemiImplicitEuler, Leapfrog, or your own MODULE:NAME "
        "(default: the scene's; Midpoint for a robot)",
    )


def share(text: str) -> float:
    """A fraction from 0 to 1."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0.0 <= value <= 1.0:
        raise argparse.ArgumentTypeError(f"found {text!r}; give a fraction from 0 to 1")
    return value


def _run(args: argparse.Namespace) -> Result:
    if args.output is None and args.every > 1:
        raise UsageError("--every: nothing is written without --output; give both")
    if args.output is not None:
        check_output(args.output)
    scene = find_scene(args)
    try:
        motion = _simulate_robot(args) if scene is None else _simulate_scene(scene, args)
    except (SimulationError, Interrupted) as error:
        if args.output is None or error.motion is None:
            raise
        file = _written(error.motion, args)
        reasons = "; ".join(filter(None, (str(error), file.failure)))
        told = f"{reasons}; the motion until then is in {file.path}"
        if isinstance(error, Interrupted):
            raise Interrupted(told, error.motion) from None
        raise SimulationError(told) from error
    result = ({} if scene is None else judged(scene, motion)) | _summary(motion, args, scene)
    if motion.unsolved.share > args.unsolved:
        result["holds"] = False
    if args.output is not None:
        file = _written(motion, args)
        result["motion file"] = file.path
        if file.failure:
            raise Failed(f"{file.failure}; the motion is in {file.path}", result)
    return result


def _written(motion: Motion, args: argparse.Namespace) -> Written:
    """Write one of --every steps of a motion."""
    if args.every > 1:
        from stiction.compare.runs import thinned

        motion = thinned(motion, args.every)
    return written(motion, args.output)


def _simulate_robot(args: argparse.Namespace) -> Motion:
    import stiction as st

    lasts = DURATION if args.duration is None else args.duration
    return st.simulate(**robot_options(args), duration=lasts, progress=args.progress)


def robot_options(args: argparse.Namespace) -> dict[str, Any]:
    """The arguments of a simulation of the robot that the command line names."""
    import stiction as st

    if args.at is not None and args.height:
        raise UsageError("--height: --at places the robot; give one of them")
    robot = find_robot(args)
    if args.at is not None:
        robot = robot.at(args.at[:3], *args.at[3:])
    scenery = [robot_of(name, args) for name in args.scenery]
    world = st.World(robot, scenery=scenery, self_collision=args.self_collision)
    integrator = "Midpoint" if args.integrator is None else args.integrator
    return {
        "world": world,
        "contact": _contact(world, args),
        "dt": DT if args.dt is None else args.dt,
        "state": _begin(world, args.height) if args.at is None else world.home(),
        "controller": chosen("controller", args.controller, args.parameter),
        "integrator": chosen("integrator", integrator, args.parameter),
    }


def _contact(world: World, args: argparse.Namespace) -> Any:
    """The contact model for a robot: from the command line, else Coulomb if it can touch."""
    from stiction.simulation.arguments import why_nothing_touches

    reason = why_nothing_touches(world)
    if args.contact is None and reason:
        return chosen("contact", None, args.parameter)
    named = "Coulomb" if args.contact is None else args.contact
    contact = chosen("contact", named, args.parameter)
    if contact is not None and reason:
        raise UsageError(f"--contact {args.contact}: no shape can touch the ground: {reason}")
    if contact is not None:
        _check_pairs(world, contact)
    return contact


def _simulate_scene(scene: Scene, args: argparse.Namespace) -> Motion:
    return simulate_scene(scene, checked_contact(scene, args), args)


def checked_contact(scene: Scene, args: argparse.Namespace) -> Any:
    """The contact model of a scene's run; raises UsageError for inconsistent parameters."""
    contact = scene_contact(scene, args)
    if contact is not None:
        _check_pairs(scene.world(), contact)
    return contact


def _check_pairs(world: World, contact: Any) -> None:
    """Raise UsageError if the parameters of a contact model are inconsistent."""
    from stiction.world.contact_points import contact_points_of
    from stiction.world.materials import pair_table

    try:
        pair_table(contact, contact_points_of(world)[2], world.materials, world.declared_friction())
    except InputError as error:
        raise UsageError(str(error)) from None


def _summary(motion: Motion, args: argparse.Namespace, scene: Scene | None) -> Result:
    """The measurements of every run."""
    energy = motion.energy().total
    result: Result = {
        "robot": motion.world.robots[0].name,
        "integrator": motion.parameters["integrator"],
        "contact": _with_units(motion.parameters["contact"]) or "none",
        "dt [s]": motion.parameters["dt"],
        "final time [s]": float(motion.time[-1]),
        "initial energy [J]": float(energy[0]),
        "final energy [J]": float(energy[-1]),
    }
    if len(motion) > 1:
        parts = motion.energy_balance(None if scene is None else scene.forces)
        result["work and change in energy [J]"] = {
            name: float(values[:-1].sum()) for name, values in parts._asdict().items()
        }
    if motion.point_count:
        upwards = motion.total_force()[:-1, 2]
        result["largest ground force [N]"] = float(upwards.max(initial=0.0))
        result["contact, largest"] = motion.quality()
        unsolved = asdict(motion.unsolved)
        unsolved["time [s]"] = unsolved.pop("time")
        result["unsolved steps"] = unsolved
    notes = [*motion.parameters["notes"], *_ignored(motion.world)]
    if notes:
        result["notes"] = notes
    return result


def _with_units(contact: Result | None) -> Result:
    """The parameters of a contact model by names with units."""
    from stiction.contact.contact_model import MODELS

    if contact is None:
        return {}
    kind = next(kind for kind in MODELS if kind.__name__ == contact["model"])
    fields = MODELS[kind].fields
    return {
        titled(name, fields[name].unit) if name in fields else name: value
        for name, value in contact.items()
    }


def _ignored(world: World) -> list[str]:
    """The notes of robots on what their files have and a simulation ignores."""
    return [
        f"'{robot.name}': {note}"
        for robot in world.robots
        for note in map(str, robot.notes)
        if "ignored" in note
    ]


def _begin(world: World, height: float) -> State:
    """The only robot at home, its lowest point `height` above the ground [m].

    A free base without a shape to stand on is raised from its home position.
    """
    state, robot, lifted = world.home(), world.robots[0], world.lifted()
    roots = [i for i in range(len(robot.parent)) if robot.parent[i] < 0]
    for root in roots:
        if root + 1 not in lifted and height != 0.0:
            raise InputError(
                f"--height {height:g}: '{robot.link_name[root]}' of robot '{robot.name}' is not "
                "free and cannot be raised; omit --height"
            )
    if robot.shape_touches.any():
        return world.standing(above=height)
    for k, share in lifted.values():
        state.q[k] += height / share
    return state


COMMAND = Command("run", "simulate a scene, or one robot", _arguments, _run)
