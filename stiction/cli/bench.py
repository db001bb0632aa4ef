"""`stiction demo` and `stiction bench`."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from stiction.cli.command import Command
from stiction.cli.output import Result


def _demo_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--output",
        type=Path,
        default=Path("demo"),
        metavar="FOLDER",
        help="folder for the motion files and the picture (default demo)",
    )


def _demo(args: argparse.Namespace) -> Result:
    from stiction.bench.demo import demo

    return demo(args.output, args.progress)


def _bench_dynamics(args: argparse.Namespace) -> Result:
    from stiction.bench.dynamics import bench

    return bench(args.robot, args.repeats, args.steps, args.progress)


def _bench_contact(args: argparse.Namespace) -> Result:
    from stiction.bench.contact.race import bench

    return bench(args.robot, args.repeats, args.steps, args.progress, args.profile)


def _bench_bodies(args: argparse.Namespace) -> Result:
    from stiction.bench.bodies import bench

    return bench(args.robot, args.repeats, min(args.steps, 1000), args.progress)


def _bench_accuracy(args: argparse.Namespace) -> Result:
    from stiction.bench.accuracy import bench

    engines = [name.strip() for name in args.engine.split(",") if name.strip()]
    return bench(args.scene, args.progress, engines, args.model, args.plot, args.markdown)


def _bench_lelidec(args: argparse.Namespace) -> Result:
    from stiction.bench.lelidec.consistency import bench

    engines = [name.strip() for name in args.engine.split(",") if name.strip()]
    return bench(args.scene, args.progress, engines, args.model, args.plot)


def _bench_lcp(args: argparse.Namespace) -> Result:
    from stiction.bench.lcp.race import CONTACTS, bench

    return bench(args.contacts or CONTACTS, progress=args.progress)


def _bench_control(args: argparse.Namespace) -> Result:
    from stiction.bench.control import bench

    return bench(args.robot, args.repeats, args.steps, args.progress)


def _bench_gym(args: argparse.Namespace) -> Result:
    from stiction.bench.gym import bench

    worlds = args.worlds[0] if args.worlds else 64
    return bench(args.robot, worlds, args.repeats, min(args.steps, 20), args.progress)


def _bench_robots(args: argparse.Namespace) -> Result:
    from stiction.bench.robots.table import bench

    return bench(str(args.robot or ""), args.progress, args.markdown)


def _bench_worlds(args: argparse.Namespace) -> Result:
    from stiction.bench.worlds import bench

    steps = min(args.steps, 1000 if args.device == "cpu" else 200)
    return bench(args.robot, args.device, args.worlds, steps, args.model, args.progress)


BENCHES: dict[str, Callable[[argparse.Namespace], Result]] = {
    "dynamics": _bench_dynamics,
    "contact": _bench_contact,
    "bodies": _bench_bodies,
    "accuracy": _bench_accuracy,
    "lelidec": _bench_lelidec,
    "lcp": _bench_lcp,
    "worlds": _bench_worlds,
    "control": _bench_control,
    "gym": _bench_gym,
    "robots": _bench_robots,
}


def _bench_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "bench",
        choices=BENCHES,
        help="dynamics, contact, bodies: microseconds per step in free flight, on the ground and "
        "of bodies that touch each other, compared with MuJoCo; accuracy: errors of all contact "
        "models, and of other engines, against closed forms; lelidec: contact criteria and "
        "self-consistency in the scenes of Le Lidec et al.; "
        "lcp: time and size of contact problems by number of contacts, exact and faceted cones; "
        "worlds: many at once, on all cores or a GPU; "
        "control: overhead of a loop in Python that steps G1, compared with MuJoCo's; "
        "gym: steps per second of vector environments, compared with Gymnasium's Humanoid; "
        "robots: which robots with legs of public collections load, stand and walk",
    )
    parser.add_argument(
        "--robot",
        type=Path,
        metavar="FILE",
        help="model file (MJCF; worlds: also a saved robot); robots: only those whose names begin "
        "like this, such as mujoco_menagerie:",
    )
    parser.add_argument(
        "--repeats",
        type=positive_count,
        default=10,
        metavar="N",
        help="interleaved rounds (default 10)",
    )
    parser.add_argument(
        "--steps",
        type=positive_count,
        default=5000,
        metavar="N",
        help="steps per round (default 5000)",
    )
    parser.add_argument(
        "--profile", action="store_true", help="contact: also time the parts of a step"
    )
    parser.add_argument(
        "--device", choices=("cpu", "cuda"), default="cpu", help="worlds: device (default cpu)"
    )
    _arguments_of_some(parser)


def _arguments_of_some(parser: argparse.ArgumentParser) -> None:
    """Arguments of single benchmarks."""
    parser.add_argument(
        "--worlds",
        type=positive_count,
        nargs="+",
        default=[],
        metavar="N",
        help="worlds, gym: number of worlds",
    )
    parser.add_argument(
        "--model",
        action="append",
        default=[],
        metavar="NAME",
        help="worlds, accuracy, lelidec: only this model",
    )
    parser.add_argument(
        "--contacts",
        type=positive_count,
        nargs="+",
        default=[],
        metavar="N",
        help="lcp: how many contacts",
    )
    parser.add_argument(
        "--scene",
        action="append",
        default=[],
        metavar="NAME",
        help="accuracy, lelidec: only this scene; may be repeated",
    )
    parser.add_argument(
        "--engine",
        default="",
        metavar="NAMES",
        help="accuracy, lelidec: also these engines, for example mujoco,drake:tuned",
    )
    parser.add_argument(
        "--plot", type=Path, metavar="FILE", help="accuracy, lelidec: picture of errors"
    )
    parser.add_argument(
        "--markdown",
        type=Path,
        metavar="FILE",
        help="accuracy: tables of the first error a scene; robots: the table of all robots",
    )


def positive_count(text: str) -> int:
    """A positive integer of the command line."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"found '{text}'; give a positive integer")
    return int(text)


def _bench(args: argparse.Namespace) -> Result:
    return BENCHES[args.bench](args)


DEMO = Command(
    "demo",
    "a small humanoid walks under every contact model",
    _demo_arguments,
    _demo,
)
BENCH = Command(
    "bench", "measure speed or accuracy; fails if a target is missed", _bench_arguments, _bench
)
