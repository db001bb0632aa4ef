"""`stiction run NAME|FILE.toml`: simulate a scene."""

from __future__ import annotations

import argparse
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stiction.cli.command import UsageError
from stiction.cli.output import Result
from stiction.cli.plug_ins import chosen, find_kind, make, parameters
from stiction.errors import did_you_mean

if TYPE_CHECKING:
    from stiction.motion.motion import Motion
    from stiction.scenes import Scene

FOR_ROBOTS = (  # options that do not apply to scenes
    *("height", "at", "scenery", "self_collision"),
    *("base", "mimic", "inertia", "hull_points", "unsimulated"),
)


def find_scene(args: argparse.Namespace) -> Scene | None:
    """The scene that the command line names; None if it names a robot."""
    from stiction import robots
    from stiction.scenes import scene, scene_names

    name = args.robot
    if name not in scene_names() and not name.endswith(".toml"):
        _check_known(args.chosen.name, name, [*robots.__all__], scene_names())
        return None
    for option in FOR_ROBOTS:
        if getattr(args, option):
            told = option.replace("_", "-")
            raise UsageError(f"--{told}: only for robots; scene '{name}' sets this in its file")
    return scene(Path(name) if name.endswith(".toml") else name, args.root or ())


def _check_known(command: str, name: str, robots: list[str], scenes: list[str]) -> None:
    """Raise UsageError if a name is not that of a robot, a scene or a file."""
    if name in robots or Path(name).suffix or Path(name).exists():
        return
    hint = did_you_mean(name, [*scenes, *robots])
    raise UsageError(
        f"{command} {name}: not a scene, a robot or a file{hint or ';'} "
        f"scenes: {', '.join(scenes)}; robots: {', '.join(sorted(robots))}"
    )


def scene_contact(scene: Scene, args: argparse.Namespace) -> Any:
    """The contact model of a run: the scene's, or another one with the friction of the scene."""
    own = scene.contact
    if args.contact == "none" or (args.contact is None and own is None):
        return chosen("contact", None, args.parameter)
    kind = type(own) if args.contact is None else find_kind("--contact", args.contact)
    given = parameters("contact", args.parameter)
    return make("contact", kind, {**scene.contact_values(kind), **given}, args.parameter)


def simulate_scene(scene: Scene, contact: Any, args: argparse.Namespace) -> Motion:
    """Simulate a scene with the options of the command line."""
    scene, options = with_options(scene, contact, args)
    return scene.simulate(**options, duration=args.duration, progress=args.progress)


def with_options(
    scene: Scene, contact: Any, args: argparse.Namespace
) -> tuple[Scene, dict[str, Any]]:
    """A scene with the controller of the command line, and the arguments of its simulation."""
    from stiction.contact.contact_model import NoContact

    own = chosen("controller", args.controller, args.parameter)
    if own is not None:
        scene = replace(scene, controllers=(*scene.controllers, own))
    integrator = scene.integrator
    if args.integrator is not None:
        integrator = chosen("integrator", args.integrator, args.parameter)
    elif given := parameters("integrator", args.parameter):
        values = {**integrator._asdict(), **given}
        integrator = make("integrator", type(integrator), values, args.parameter)
    model = NoContact() if contact is None else contact
    return scene, {"contact": model, "dt": args.dt, "integrator": integrator}


def judged(scene: Scene, motion: Motion) -> Result:
    """Outcome of the first robot, and whether the scene expects it."""
    found = scene.verdict(motion)
    result: Result = {
        "scene": scene.name,
        "shows": scene.shows,
        "found": found.words,
        "final lean [degrees]": found.lean,
        "final height of the base [fraction of the initial height]": found.height,
        "largest slip of a point [m]": found.slip,
        "energy added by contact [J]": found.energy,
        "planned contact lost [fraction of time]": found.lost_contact,
        "largest depth [m]": found.depth,
        "contact limits exceeded": list(found.faults),
        "expected": scene.expect,
    }
    if scene.limits.reason:
        result["limits of this scene"] = asdict(scene.limits)
    if scene.expect is None:
        return result
    if motion.time[-1] - motion.time[0] < scene.lasts() * (1 - 1e-6):
        result["expected"] = (
            f"{scene.expect}; not judged, because the run was shorter than the scene"
        )
    else:
        result["holds"] = found.meets(scene.expect)
    return result
