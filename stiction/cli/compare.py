"""`stiction compare`: a scene under several contact models and engines, as one page."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stiction.cli.command import Command, UsageError
from stiction.cli.output import Result, as_text
from stiction.cli.plug_ins import find_engines, find_kind, make, parameters
from stiction.errors import did_you_mean
from stiction.files.written import make_folder

if TYPE_CHECKING:
    from stiction.scenes import Scene

SHOWN = 9  # columns of the table that is printed; the page has all


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "scene", metavar="SCENE|FILE", help="a scene (`stiction scenes`) or scene file (.toml)"
    )
    parser.add_argument(
        "--contact",
        metavar="MODELS",
        help="comma-separated: models listed by `stiction models`, your own MODULE:NAME "
        "(default: all of ours); they have the friction of the scene",
    )
    parser.add_argument(
        "--engine",
        default="mujoco",
        metavar="ENGINES",
        help="comma-separated: mujoco, pybullet, drake, dart, each with its default settings or "
        "those after a colon, such as mujoco:tuned; none for none (default mujoco)",
    )
    parser.add_argument(
        "--parameter",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a parameter of every chosen model that has it; MODEL.NAME=VALUE of one model; "
        "may be repeated",
    )
    parser.add_argument("--reference", metavar="NAME", help="the run that others are compared with")
    for name, what in (("dt", "time step of all runs"), ("duration", "simulated time")):
        parser.add_argument(
            f"--{name}", type=_positive, metavar="S", help=f"{what} [s] (default: the scene's)"
        )
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("comparison"),
        metavar="DIR",
        help="folder for the page and the motions (default comparison)",
    )


def _positive(text: str) -> float:
    """A positive number."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 < value < 1e9:
        raise argparse.ArgumentTypeError(f"found {text!r}; give a positive number in s")
    return value


def _run(args: argparse.Namespace) -> Result:
    from stiction.compare import case_of
    from stiction.compare.compare import report, run_all
    from stiction.scenes import scene, scene_names

    if args.scene not in scene_names() and not args.scene.endswith(".toml"):
        raise UsageError(
            f"compare {args.scene}: not a scene or a scene file (.toml); scenes: "
            f"{', '.join(scene_names())}{did_you_mean(args.scene, scene_names())}"
        )
    chosen = scene(Path(args.scene) if args.scene.endswith(".toml") else args.scene)
    contacts = _contacts(chosen, args)
    engines = find_engines(args.engine)
    if not contacts and not engines:
        raise UsageError("compare: no model and no engine is left; choose at least one")
    case = case_of(chosen, args.duration, args.dt)
    make_folder(args.out)
    runs, refused = run_all(case, contacts, engines, args.progress, args.reference)
    args.progress(0.92, "measuring and writing")
    result = report(case, runs, refused, args.out, args.reference)
    return result | {"holds": not any(run.stopped for run in runs)}


def _contacts(scene: Scene, args: argparse.Namespace) -> dict[str, Any]:
    """The chosen models by name, with the friction of the scene and the given parameters."""
    from stiction.contact.contact_model import our_models

    if args.contact == "none":
        return {}
    if args.contact is None:
        names = sorted(kind.__name__ for kind in our_models())
    else:
        names = args.contact.split(",")
    kinds = {name.rpartition(":")[2]: find_kind("--contact", name) for name in names}
    common, own = _given(args.parameter, kinds)
    used = {name for kind in kinds.values() for name in kind._fields}
    for name in common:
        if name not in used:
            raise UsageError(f"--parameter {name}: no chosen model has it")
    values = {
        name: scene.contact_values(kind) | _of(kind, common) | own[name]
        for name, kind in kinds.items()
    }
    return {
        name: make("contact", kind, values[name], args.parameter) for name, kind in kinds.items()
    }


def _of(kind: Any, values: dict[str, float]) -> dict[str, float]:
    return {name: value for name, value in values.items() if name in kind._fields}


def _given(
    texts: list[str], kinds: dict[str, Any]
) -> tuple[dict[str, float], dict[str, dict[str, float]]]:
    """Values for all models, and for each one."""
    common: list[str] = []
    own: dict[str, list[str]] = {name: [] for name in kinds}
    for text in texts:
        owner, dot, rest = text.partition("=")[0].partition(".")
        if dot and owner not in own:
            raise UsageError(f"--parameter {text}: '{owner}' is not among the chosen models")
        (own[owner] if dot else common).append(text.partition(".")[2] if dot else text)
    each = {name: parameters("contact", given) for name, given in own.items()}
    return parameters("contact", common), each


def _text(result: Result) -> str:
    """The first columns of the table, then the words."""
    rows = [dict(list(row.items())[: SHOWN + 3]) for row in result["runs"]]
    kept = {"case": result["case"], "runs": rows, "explained": result["explained"]}
    return as_text(kept | {name: result[name] for name in ("refused", "files") if result[name]})


COMMAND = Command(
    "compare",
    "run a scene under several contact models and engines, and write one page; fails if a run ends "
    "early",
    _arguments,
    _run,
    _text,
)
