"""`stiction tune`: find the parameters of a contact model for a robot."""

from __future__ import annotations

import argparse

from stiction.cli.command import Command, UsageError
from stiction.cli.output import Result
from stiction.cli.robots import add_file_arguments, find_robot
from stiction.errors import InputError

OPTIONS = {
    "depth": "desired largest normal interference [m] (default 0.01)",
    "shift": "desired largest tangential interference [m] (default 0.001)",
    "amplitude": "amplitude of the rough ground about its mean [m] (default 0.005)",
    "wavelength": "wavelength of the rough ground [m] (default 0.1)",
    "unseen": "largest bump between points [m] (default a tenth of the amplitude)",
    "load": "load on the foot [N] (default the weight of the robot)",
    "speed": "landing speed [m/s] (default 0.5)",
    "mu_static": "static friction of the foot (default 0.7)",
    "mu_kinetic": "kinetic friction of the foot (default 0.4)",
    "damping_ratio": "damping ratio of both springs at half the interference (default 1)",
}


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "what", choices=("sole",), help="points under a sole, and parameters of Distributed"
    )
    parser.add_argument("robot", metavar="ROBOT", help="built-in name or model file")
    parser.add_argument("foot", metavar="FOOT", help="link or shape under which the points are")
    add_file_arguments(parser)
    for name, text in OPTIONS.items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=float, metavar="X", help=text)
    parser.add_argument(
        "--seed", type=int, default=0, metavar="N", help="seed of the random placements"
    )


def _run(args: argparse.Namespace) -> Result:
    from stiction.tune.sole import Task, tune_sole

    robot = find_robot(args)
    given = {name: getattr(args, name) for name in OPTIONS if getattr(args, name) is not None}
    try:
        return tune_sole(robot, args.foot, Task(**given, seed=args.seed), args.progress)
    except InputError as error:
        raise UsageError(str(error)) from None


COMMAND = Command(
    "tune", "find points and parameters of a sole; fails if none are found", _arguments, _run
)
