"""`stiction demo` and `stiction bench`."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path

from stiction.cli.command import Command, UsageError, Variant, add_variants
from stiction.cli.output import Result
from stiction.errors import did_you_mean


def _demo_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--output",
        type=Path,
        default=Path("demo"),
        metavar="FOLDER",
        help="folder for the motion files and the picture (default demo)",
    )
    parser.add_argument(
        "--contact", metavar="A,B", help="only these contact models (default: all of ours)"
    )
    parser.add_argument(
        "--steps", type=positive_count, metavar="N", help="steps of the walk (default 10)"
    )


def _demo(args: argparse.Namespace) -> Result:
    from stiction.bench.demo import STEPS, by_family, demo

    kinds = {kind.__name__: kind for kind in by_family()}
    names = list(kinds) if args.contact is None else args.contact.split(",")
    for name in names:
        if name not in kinds:
            hint = did_you_mean(name, kinds)
            raise UsageError(f"--contact {name}: known are {', '.join(kinds)}{hint}")
    chosen = [kind for name, kind in kinds.items() if name in names]
    return demo(args.output, args.progress, chosen, args.steps or STEPS)


# -------------------------------------------------------------------------------------------- speed


def _timed_arguments(parser: argparse.ArgumentParser, steps: int = 5000) -> None:
    """The robot, and how often its steps are timed."""
    parser.add_argument("--robot", type=Path, metavar="FILE", help="model file (MJCF)")
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
        default=steps,
        metavar="N",
        help=f"steps per round (default {steps})",
    )


def _dynamics(args: argparse.Namespace) -> Result:
    from stiction.bench.dynamics import bench

    return bench(args.robot, args.repeats, args.steps, args.progress)


def _contact_arguments(parser: argparse.ArgumentParser) -> None:
    _timed_arguments(parser)
    parser.add_argument("--profile", action="store_true", help="also time the parts of a step")


def _contact(args: argparse.Namespace) -> Result:
    from stiction.bench.contact.race import bench

    return bench(args.robot, args.repeats, args.steps, args.progress, args.profile)


def _bodies(args: argparse.Namespace) -> Result:
    from stiction.bench.bodies import bench

    return bench(args.robot, args.repeats, args.steps, args.progress)


def _control(args: argparse.Namespace) -> Result:
    from stiction.bench.control import bench

    return bench(args.robot, args.repeats, args.steps, args.progress)


def _gym_arguments(parser: argparse.ArgumentParser) -> None:
    _timed_arguments(parser, steps=20)
    parser.add_argument(
        "--worlds", type=positive_count, default=64, metavar="N", help="how many (default 64)"
    )


def _gym(args: argparse.Namespace) -> Result:
    from stiction.bench.gym import bench

    return bench(args.robot, args.worlds, args.repeats, args.steps, args.progress)


def _worlds_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--robot", type=Path, metavar="FILE", help="model file (MJCF) or saved robot (.npz)"
    )
    parser.add_argument(
        "--steps",
        type=positive_count,
        metavar="N",
        help="steps per round (default 1000 on cores, 200 on a GPU)",
    )
    parser.add_argument(
        "--device", choices=("cpu", "cuda"), default="cpu", help="where (default cpu)"
    )
    parser.add_argument(
        "--worlds", type=positive_count, nargs="+", default=[], metavar="N", help="how many"
    )
    _model_argument(parser)


def _worlds(args: argparse.Namespace) -> Result:
    from stiction.bench.worlds import bench

    steps = args.steps or (1000 if args.device == "cpu" else 200)
    return bench(args.robot, args.device, args.worlds, steps, args.model, args.progress)


def _precision_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--robot", type=Path, metavar="FILE", help="model file (MJCF) or saved robot (.npz)"
    )
    parser.add_argument(
        "--worlds", type=positive_count, default=1024, metavar="N", help="how many (default 1024)"
    )
    parser.add_argument(
        "--steps", type=positive_count, default=1000, metavar="N", help="of each (default 1000)"
    )
    _model_argument(parser)


def _precision(args: argparse.Namespace) -> Result:
    from stiction.bench.precision import bench

    return bench(args.robot, args.worlds, args.steps, args.model, args.progress)


def _model_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--model",
        action="append",
        default=[],
        metavar="NAME",
        help="only this contact model; may be repeated",
    )


# ----------------------------------------------------------------------------------------- accuracy


def _scenes_arguments(parser: argparse.ArgumentParser) -> None:
    """Which scenes, models and engines, and a picture."""
    _model_argument(parser)
    parser.add_argument(
        "--scene",
        action="append",
        default=[],
        metavar="NAME",
        help="only this scene; may be repeated",
    )
    parser.add_argument(
        "--engine",
        default="",
        metavar="NAMES",
        help="also these engines, for example mujoco,drake:tuned",
    )
    parser.add_argument("--plot", type=Path, metavar="FILE", help="picture of the errors")


def _accuracy_arguments(parser: argparse.ArgumentParser) -> None:
    _scenes_arguments(parser)
    parser.add_argument(
        "--markdown", type=Path, metavar="FILE", help="tables of the first error of each scene"
    )


def _engines(args: argparse.Namespace) -> list[str]:
    return [name.strip() for name in args.engine.split(",") if name.strip()]


def _accuracy(args: argparse.Namespace) -> Result:
    from stiction.bench.accuracy import bench

    chosen = args.scene, args.progress, _engines(args), args.model
    return bench(*chosen, args.plot, args.markdown)


def _lelidec(args: argparse.Namespace) -> Result:
    from stiction.bench.lelidec.consistency import bench

    return bench(args.scene, args.progress, _engines(args), args.model, args.plot)


def _lcp_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--contacts", type=positive_count, nargs="+", default=[], metavar="N", help="how many"
    )


def _lcp(args: argparse.Namespace) -> Result:
    from stiction.bench.lcp.race import CONTACTS, bench

    return bench(args.contacts or CONTACTS, progress=args.progress)


def _robots_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--robot",
        default="",
        metavar="PREFIX",
        help="only robots whose names begin like this, for example mujoco_menagerie:",
    )
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="the table of all robots")


def _robots(args: argparse.Namespace) -> Result:
    from stiction.bench.robots.table import bench

    return bench(args.robot, args.progress, args.markdown)


BENCHES = {
    "dynamics": Variant(
        "microseconds per step in free flight, compared with MuJoCo", _timed_arguments, _dynamics
    ),
    "contact": Variant(
        "microseconds per step on the ground, compared with MuJoCo", _contact_arguments, _contact
    ),
    "bodies": Variant(
        "microseconds per step of bodies that touch each other, compared with MuJoCo",
        partial(_timed_arguments, steps=1000),
        _bodies,
    ),
    "accuracy": Variant(
        "errors of all contact models, and of other engines, against closed forms",
        _accuracy_arguments,
        _accuracy,
    ),
    "lelidec": Variant(
        "contact criteria and self-consistency in the scenes of Le Lidec et al.",
        _scenes_arguments,
        _lelidec,
    ),
    "lcp": Variant(
        "time and size of contact problems by number of contacts, exact and faceted cones",
        _lcp_arguments,
        _lcp,
    ),
    "worlds": Variant("many worlds at once, on all cores or a GPU", _worlds_arguments, _worlds),
    "precision": Variant(
        "what single precision and a bounded effort of batches cost",
        _precision_arguments,
        _precision,
    ),
    "control": Variant(
        "overhead of a loop in Python that steps G1, compared with MuJoCo's",
        _timed_arguments,
        _control,
    ),
    "gym": Variant(
        "steps per second of vector environments, compared with Gymnasium's Humanoid",
        _gym_arguments,
        _gym,
    ),
    "robots": Variant(
        "which robots with legs of public collections load, stand and walk",
        _robots_arguments,
        _robots,
    ),
}


def _bench_arguments(parser: argparse.ArgumentParser) -> None:
    add_variants(parser, "benchmark", BENCHES)


def positive_count(text: str) -> int:
    """A positive integer of the command line."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"found '{text}'; give a positive integer")
    return int(text)


def _bench(args: argparse.Namespace) -> Result:
    return BENCHES[args.benchmark].run(args)


DEMO = Command(
    "demo",
    "let a small humanoid walk under every contact model",
    _demo_arguments,
    _demo,
)
BENCH = Command(
    "bench", "measure speed or accuracy; fails if a target is missed", _bench_arguments, _bench
)
