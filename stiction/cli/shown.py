"""What `stiction view` and `stiction render` show: motion files, scenes, robots."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stiction.cli.command import UsageError
from stiction.cli.robots import add_file_arguments, robot_of
from stiction.errors import MotionFileError

if TYPE_CHECKING:
    from stiction.motion.motion import Motion
    from stiction.simulation.simulation import Simulation

MOTION_SUFFIXES = (".h5", ".hdf5")


def add_source_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that name what is shown."""
    parser.add_argument(
        "sources",
        nargs="+",
        metavar="SCENE|ROBOT|MOTION.h5",
        help="motion files; or one scene (`stiction scenes`), scene file, robot or model file",
    )
    parser.add_argument(
        "--layout",
        choices=("side by side", "ghosts"),
        default="side by side",
        help="how several motions are arranged (default: side by side)",
    )
    add_file_arguments(parser)


def motions_of(sources: list[str]) -> dict[str, Motion]:
    """Motion files by the names of their contact models, or of the files if these are the same."""
    from stiction.motion.motion import Motion
    from stiction.visual.frames import model_name

    loaded = [Motion.load(source) for source in sources]
    names = [model_name(motion) for motion in loaded]
    if len(set(names)) < len(names):
        names = [Path(source).stem for source in sources]
    if len(set(names)) < len(names):
        names = list(sources)
    return dict(zip(names, loaded, strict=True))


def are_motions(sources: list[str]) -> bool:
    """Whether the sources are motion files; UsageError if only some of them are."""
    motions = [Path(source).suffix.lower() in MOTION_SUFFIXES for source in sources]
    if not any(motions) and len(sources) > 1:
        raise UsageError(f"found {len(sources)} scenes or robots; give one, or motion files (.h5)")
    if any(motions) and not all(motions):
        raise UsageError("give motion files (.h5), or one scene or robot, not both")
    for source in sources:
        if any(motions) and not Path(source).is_file():
            raise MotionFileError(f"{source}: no such file")
    return any(motions)


def simulation_of(source: str, args: argparse.Namespace) -> Simulation:
    """The simulation of a scene, or of a robot that stands on level ground."""
    import stiction as st
    from stiction.scenes import scene, scene_names

    if source in scene_names() or source.endswith(".toml"):
        return scene_simulation(scene(Path(source) if source.endswith(".toml") else source))
    args.robot = source
    world = st.World(robot_of(source, args))
    touching = world.ground is not None and any(robot.shape_touches.any() for robot in world.robots)
    return st.Simulation(world, state=world.standing() if touching else world.home())


def scene_simulation(scene: Any) -> Simulation:
    """The simulation of a scene, from its start."""
    import stiction as st

    world = scene.world()
    return st.Simulation(
        world,
        scene.contact,
        scene.step_for(scene.contact),
        scene.start(),
        scene.controller(world),
        scene.forces,
        scene.integrator,
    )


def simulated(source: str, args: argparse.Namespace) -> Motion:
    """The motion of a scene; a robot stands for a second."""
    from stiction.scenes import scene, scene_names
    from stiction.simulation.simulate import simulate

    if source in scene_names() or source.endswith(".toml"):
        return scene(Path(source) if source.endswith(".toml") else source).simulate(
            progress=args.progress
        )
    prepared = simulation_of(source, args)
    return simulate(prepared.world, duration=1.0, state=prepared.state, progress=args.progress)
