"""Command line: parses, calls the public functions, prints.

A command is one entry of `COMMANDS`. Its `run` returns what it found as a dict, which is printed as
text, or as one JSON document with `--json`. A key "holds" that is False says that what the command
claims is not so. Exit status: 0 if what it claims holds, 1 if it does not or a `StictionError` came
up, 2 for wrong use, 130 after Ctrl-C. Whatever else goes wrong is a bug and shows its traceback.

Packages that take long to import are imported inside the commands: `stiction --help` is quick.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stiction.errors import InputError, SimulationError, StictionError

if TYPE_CHECKING:
    from stiction.robot import Robot
    from stiction.world import State, World

INTEGRATORS = ("SemiImplicitEuler", "Leapfrog", "RungeKutta4")
Result = dict[str, Any]


class Progress:
    """Shows how far a long command is, on a terminal's stderr only."""

    def __init__(self, label: str, enabled: bool) -> None:
        """Start with nothing shown."""
        self.label = label
        self.enabled = enabled
        self._shown = ""

    def __call__(self, fraction: float) -> None:
        """Show a fraction from 0 to 1."""
        if self.enabled:
            self._show(f"{self.label} {100.0 * min(max(fraction, 0.0), 1.0):3.0f} %")

    def clear(self) -> None:
        """Wipe the line, so that nothing is left between the results."""
        if self._shown:
            self._show("")

    def _show(self, text: str) -> None:
        if text != self._shown:
            sys.stderr.write("\r\033[K" + text)
            sys.stderr.flush()
            self._shown = text


def as_text(result: Result) -> str:
    """One line "key: value" per entry; a list of dicts becomes a table below its key."""
    lines = []
    for key, value in result.items():
        title = key.replace("_", " ")
        if isinstance(value, list) and value and all(isinstance(row, dict) for row in value):
            lines += [f"{title}:", *("  " + line for line in table(value))]
        elif isinstance(value, dict):
            lines += [f"{title}:", *("  " + line for line in as_text(value).splitlines())]
        elif isinstance(value, list):
            lines += [f"{title}: {'' if value else 'none'}".rstrip()]
            lines += [f"  {_word(entry)}" for entry in value]
        else:
            lines.append(f"{title}: {_word(value)}")
    return "\n".join(lines)


def table(rows: Sequence[Result]) -> list[str]:
    """Lines of a table with the keys of the first row as its head; numbers to the right."""
    head = list(rows[0])
    cells = [[_word(row.get(key)) for key in head] for row in rows]
    numbers = [all(_is_number(row.get(key)) for row in rows) for key in head]
    widths = [max(len(text) for text in column) for column in zip(head, *cells, strict=True)]
    return [
        "  ".join(
            text.rjust(width) if number else text.ljust(width)
            for text, width, number in zip(line, widths, numbers, strict=True)
        ).rstrip()
        for line in [head, *cells]
    ]


def _is_number(value: Any) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))


def _word(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return " ".join(_word(entry) for entry in value)
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def plain(value: Any) -> Any:
    """Return a value as JSON knows it: no numpy, no paths; NaN and infinity become null."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, dict):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return str(value) if isinstance(value, Path) else value


# ---------------------------------------------------------------------------------------- commands


@dataclass(frozen=True)
class Command:
    """A subcommand: `add_arguments` fills its parser, `run` does it and returns what it found.

    `run` gets the parsed arguments with `args.progress`, a callable that takes a fraction.
    """

    name: str
    help: str
    add_arguments: Callable[[argparse.ArgumentParser], object]
    run: Callable[[argparse.Namespace], Result | None]
    show: Callable[[Result], str] = as_text


def _built_in() -> dict[str, Callable[[], Robot]]:
    from stiction import robots

    return {name: getattr(robots, name) for name in sorted(robots.__all__)}


def _find_robot(args: argparse.Namespace) -> Robot:
    """Return a built-in robot by its name, else the robot in that file."""
    name = args.robot
    from stiction.load import load

    built_in = _built_in()
    if name in built_in:
        return built_in[name]()
    if not Path(name).suffix and not Path(name).exists():
        known = ", ".join(built_in)
        raise InputError(f"no robot '{name}': neither a file nor built in; built in are {known}")
    return load(name, base=args.base, roots=args.root, mimic=args.mimic)


def _robots_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "robot", nargs="?", metavar="FILE", help="model file or built-in name; without: list all"
    )
    _file_arguments(parser)


def _file_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--base",
        choices=("floating", "fixed", "planar"),
        help="how the root of a URDF or VRML robot is held",
    )
    parser.add_argument(
        "--mimic",
        choices=("refused", "free", "fixed"),
        help="what becomes of the mimic joints of a URDF robot",
    )
    parser.add_argument(
        "--root",
        type=Path,
        action="append",
        default=[],
        metavar="FOLDER",
        help="where meshes and included files may lie; can be given several times",
    )


def _robots(args: argparse.Namespace) -> Result:
    if args.robot is not None:
        return _describe(_find_robot(args))
    rows = []
    for name, make in _built_in().items():
        robot = make()
        size = {"links": len(robot.parent), "nq": robot.nq, "nv": robot.nv}
        rows.append({"name": name, **size, "mass [kg]": robot.total_mass})
    return {"robots": rows}


def _describe(robot: Robot) -> Result:
    """What a robot is made of, and what in it a human should look at."""
    from stiction.remarks import remarks, soles

    return {
        "name": robot.name,
        "source": robot.source,
        "nq": robot.nq,
        "nv": robot.nv,
        "total mass [kg]": robot.total_mass,
        "links": _link_rows(robot),
        "joints": _joint_rows(robot),
        "shapes": _shape_rows(robot),
        "soles": [
            {
                "link": sole.link,
                "length [m]": round(sole.length, 6),
                "width [m]": round(sole.width, 6),
                "above the lowest [m]": round(sole.height, 6),
            }
            for sole in soles(robot)
        ],
        "remarks": remarks(robot),
        "notes": [str(note) for note in robot.notes],
    }


def _link_rows(robot: Robot) -> list[Result]:
    return [
        {
            "link": str(name),
            "parent": str(robot.link_name[parent]) if parent >= 0 else "world",
            "mass [kg]": float(mass),
            "centre of mass [m]": centre.tolist(),
        }
        for name, parent, mass, centre in zip(
            robot.link_name, robot.parent, robot.mass, robot.centre, strict=True
        )
    ]


def _robot_text(result: Result) -> str:
    """A description of a robot with its links as an indented tree."""
    if "links" not in result:
        return as_text(result)
    depth = {"world": -1}
    rows = []
    for row in result["links"]:
        depth[row["link"]] = depth[row["parent"]] + 1
        rows.append({**row, "link": "  " * depth[row["link"]] + row["link"]})
        del rows[-1]["parent"]
    return as_text({**result, "links": rows})


def _joint_rows(robot: Robot) -> list[Result]:
    from stiction.robot_arrays import JOINT_CODES

    kinds = {code: kind for kind, code in JOINT_CODES.items()}
    rows = []
    for i, name in enumerate(robot.joint_name):
        d, kind = robot.v_index[i], kinds[int(robot.joint_type[i])]
        bounded = bool(robot.lower[d] > -math.inf or robot.upper[d] < math.inf)
        limits = f"{robot.lower[d]:.4g} to {robot.upper[d]:.4g}" if bounded else None
        strength = float(robot.effort_upper[d])
        rows.append(
            {
                "joint": str(name),
                "type": kind,
                "limits": limits,
                "effort": strength if math.isfinite(strength) else None,
                "armature": float(robot.armature[d]),
                "damping": float(robot.damping[d]),
                "friction": float(robot.friction[d]),
            }
        )
    return rows


def _shape_rows(robot: Robot) -> list[Result]:
    from stiction.description.description import SHAPE_KINDS

    return [
        {
            "shape": str(name),
            "link": str(robot.link_name[link]) if (link := robot.shape_link[i]) >= 0 else "world",
            "kind": SHAPE_KINDS[robot.shape_kind[i]],
            "size [m]": [x for x in robot.shape_size[i].tolist() if x > 0],
            "collides": bool(robot.shape_collides[i]),
        }
        for i, name in enumerate(robot.shape_name)
    ]


def _run_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("robot", metavar="ROBOT", help="built-in name or model file")
    _file_arguments(parser)
    parser.add_argument(
        "--duration", type=float, default=1.0, metavar="S", help="simulated time [s] (default 1)"
    )
    parser.add_argument(
        "--dt", type=float, default=0.001, metavar="S", help="time step [s] (default 0.001)"
    )
    parser.add_argument(
        "--integrator",
        choices=INTEGRATORS,
        default=INTEGRATORS[0],
        help=f"how a step is taken (default {INTEGRATORS[0]})",
    )
    parser.add_argument(
        "--height",
        type=float,
        default=0.0,
        metavar="M",
        help="the base starts this far above its home position [m] (default 0)",
    )
    parser.add_argument(
        "--contact",
        default="none",
        metavar="MODEL",
        help="a model of `stiction models`, MODULE:NAME of your own, or none (default)",
    )
    parser.add_argument(
        "--output", type=Path, metavar="FILE", help="write the motion to this file (.h5)"
    )


def _run(args: argparse.Namespace) -> Result:
    import stiction as st

    if args.output is not None and not args.output.absolute().parent.is_dir():
        # said now, not after an hour of simulation
        raise InputError(f"--output {args.output}: folder {args.output.parent} does not exist")
    world = st.World(_find_robot(args))
    try:
        motion = st.simulate(
            world,
            contact=_find_model(args.contact),
            duration=args.duration,
            dt=args.dt,
            state=_raised(world, args.height),
            integrator=getattr(st, args.integrator)(),
            progress=args.progress,
        )
    except SimulationError as error:
        if args.output is None or error.motion is None:
            raise
        error.motion.save(args.output)
        raise SimulationError(f"{error}; the motion until then is in {args.output}") from error
    energy = motion.energy().total
    result: Result = {
        "robot": world.robots[0].name,
        "integrator": args.integrator,
        "contact": args.contact,
        "dt [s]": args.dt,
        "final time [s]": float(motion.time[-1]),
        "energy at begin [J]": float(energy[0]),
        "energy at end [J]": float(energy[-1]),
    }
    if motion.depth.shape[1]:
        result["deepest [m]"] = float(motion.depth[:-1].max(initial=0.0))
        result["largest force on the ground [N]"] = float(
            motion.force[:-1].sum(axis=1)[:, 2].max(initial=0.0)
        )
    if args.output is not None:
        motion.save(args.output)
        result["motion file"] = str(args.output)
    return result


def _raised(world: World, height: float) -> State:
    """Home state with the base of the only robot raised [m]."""
    from stiction.kernels.tree import FREE

    state, robot = world.home(), world.robots[0]
    roots = [i for i in range(len(robot.parent)) if robot.parent[i] < 0]
    for root in roots:
        if robot.joint_type[root] == FREE:
            state.q[robot.q_index[root] + 2] += height
        elif height != 0.0:
            raise InputError(
                f"--height {height:g}: '{robot.link_name[root]}' of robot '{robot.name}' is not "
                "free to be raised; leave --height out"
            )
    return state


def _find_model(name: str) -> Any:
    """Return a contact model with its defaults, by its name or as module:Name."""
    import importlib

    from stiction.contact.contact_model import MODELS, NoContact

    if name == "none":
        return None
    if ":" in name:
        module, _, kind = name.partition(":")
        sys.path.insert(0, "")  # a module beside the user, as `python -m` finds it
        try:
            found = getattr(importlib.import_module(module), kind)
        except (ImportError, AttributeError) as error:
            raise InputError(f"--contact {name}: {error}; give MODULE:NAME") from None
        finally:
            sys.path.pop(0)
        return found()
    known = {kind.__name__: kind for kind in MODELS if kind is not NoContact}
    if name not in known:
        raise InputError(
            f"--contact {name}: not known; give none, {', '.join(known)} or MODULE:NAME"
        )
    return known[name]()


def _models(args: argparse.Namespace) -> Result:
    import stiction  # noqa: F401  registers the models
    from stiction.contact.contact_model import MODELS, NoContact

    result: Result = {}
    for kind, model in MODELS.items():
        if kind is NoContact:
            continue
        source = (sys.modules[kind.__module__].__doc__ or "").splitlines()[0]
        result[kind.__name__] = {
            "what": (kind.__doc__ or "").splitlines()[0],
            "from": source,
            "promises": list(model.promises),
            "parameters": [
                {
                    "name": name,
                    "default": kind._field_defaults.get(name),  # type: ignore[attr-defined]
                    "unit": bounds.unit or None,
                    "lowest": bounds.low if math.isfinite(bounds.low) else None,
                    "highest": bounds.high if math.isfinite(bounds.high) else None,
                }
                for name, bounds in model.fields.items()
            ],
        }
    return result


def _demo_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--output",
        type=Path,
        default=Path("demo"),
        metavar="FOLDER",
        help="where the motion file and the plot go (default demo)",
    )


def _demo(args: argparse.Namespace) -> Result:
    from stiction.bench.demo import demo

    return demo(args.output, args.progress)


def _bench_dynamics(args: argparse.Namespace) -> Result:
    from stiction.bench.dynamics import bench

    return bench(args.robot, args.repeats, args.steps, args.progress)


def _bench_contact(args: argparse.Namespace) -> Result:
    from stiction.bench.contact import bench

    return bench(args.robot, args.repeats, args.steps, args.progress, args.profile)


def _bench_accuracy(args: argparse.Namespace) -> Result:
    from stiction.bench.accuracy import bench

    return bench(args.scene, args.progress)


BENCHES: dict[str, Callable[[argparse.Namespace], Result]] = {
    "dynamics": _bench_dynamics,
    "contact": _bench_contact,
    "accuracy": _bench_accuracy,
}


def _bench_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "bench",
        choices=BENCHES,
        help="microseconds a step, and MuJoCo's; dynamics: in free flight, contact: on the ground; "
        "accuracy: errors of all contact models against closed forms",
    )
    parser.add_argument("--robot", type=Path, metavar="FILE", help="model file (MJCF)")
    parser.add_argument(
        "--repeats", type=_count, default=10, metavar="N", help="interleaved rounds (default 10)"
    )
    parser.add_argument(
        "--steps", type=_count, default=5000, metavar="N", help="steps a round (default 5000)"
    )
    parser.add_argument(
        "--profile", action="store_true", help="contact: also time the parts of a step"
    )
    parser.add_argument(
        "--scene",
        action="append",
        default=[],
        metavar="NAME",
        help="accuracy: only this scene; can be given several times",
    )


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"found '{text}'; give a whole number above 0")
    return int(text)


def _bench(args: argparse.Namespace) -> Result:
    return BENCHES[args.bench](args)


COMMANDS = (
    Command(
        "robots",
        "list the built-in robots, or describe one robot",
        _robots_arguments,
        _robots,
        _robot_text,
    ),
    Command("models", "list the contact models", lambda parser: None, _models),
    Command("run", "simulate one robot", _run_arguments, _run),
    Command("demo", "the test robot swings and falls freely", _demo_arguments, _demo),
    Command(
        "bench",
        "measure speed or accuracy; fails where a target is missed",
        _bench_arguments,
        _bench,
    ),
)


# -------------------------------------------------------------------------------------------- main


class _Version(argparse.Action):
    """Looks the version up only when it is asked for: importlib.metadata is slow to import."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any, **__: Any) -> None:
        from importlib.metadata import version

        print(f"stiction {version('stiction')}")
        parser.exit()


def build_parser(commands: Iterable[Command] = COMMANDS) -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    parser = argparse.ArgumentParser(
        prog="stiction",
        description="Simulate legged robots, and the things they touch, in contact with the world.",
        epilog="Exit status: 0 what it claims holds, 1 it does not or an error, 2 wrong use.",
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and leave")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for command in commands:
        subparser = subparsers.add_parser(command.name, help=command.help, description=command.help)
        command.add_arguments(subparser)
        subparser.add_argument("--json", action="store_true", help="print one JSON document")
        subparser.set_defaults(chosen=command)
    return parser


def main(argv: Sequence[str] | None = None, commands: Iterable[Command] = COMMANDS) -> int:
    """Run one command line and return its exit status."""
    args = build_parser(commands).parse_args(argv)
    command: Command = args.chosen
    args.progress = Progress(command.name, enabled=sys.stderr.isatty() and not args.json)
    try:
        result = plain(command.run(args) or {})
    except StictionError as error:
        return _fail({}, str(error), args)
    except KeyboardInterrupt:
        args.progress.clear()
        print("stiction: interrupted", file=sys.stderr)
        return 130
    finally:
        args.progress.clear()
    if result.get("holds") is False:
        return _fail(result, f"what '{command.name}' claims does not hold", args)
    _print(result, args)
    return 0


def _fail(result: Result, message: str, args: argparse.Namespace) -> int:
    """Print what there is, then the error in one line on stderr."""
    message = " ".join(message.split())
    _print({**result, "error": message} if args.json else result, args)
    print(f"stiction: error: {message}", file=sys.stderr)
    return 1


def _print(result: Result, args: argparse.Namespace) -> None:
    args.progress.clear()
    try:
        if args.json:
            print(json.dumps(result, indent=2, allow_nan=False))
        elif result:
            print(args.chosen.show(result))
        sys.stdout.flush()
    except BrokenPipeError:  # the reader, `head` for one, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
