"""`stiction train` and `stiction judge`: a policy that walks to commands."""

from __future__ import annotations

import argparse
from pathlib import Path

from stiction.cli.command import Command
from stiction.cli.output import Result
from stiction.cli.plug_ins import chosen, find_engines, find_kind


def _train_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("policy", type=Path, metavar="FILE", help="file for the policy (.npz)")
    parser.add_argument(
        "--contact", default="Coulomb", metavar="MODEL", help="contact model (default Coulomb)"
    )
    parser.add_argument(
        "--parameter",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a parameter of the model",
    )
    parser.add_argument(
        "--robot", default="hoap1", help="built-in name or model file (default hoap1)"
    )
    parser.add_argument(
        "--dt", type=float, default=0.002, metavar="S", help="time step [s] (default 0.002)"
    )
    parser.add_argument(
        "--worlds", type=int, default=16384, metavar="N", help="worlds (default 16384)"
    )
    parser.add_argument(
        "--seconds", type=float, default=250.0, metavar="S", help="time to train [s] (default 250)"
    )
    parser.add_argument(
        "--iterations",
        type=int,
        default=10**6,
        metavar="N",
        help="most iterations of PPO (default 1000000)",
    )
    parser.add_argument(
        "--device", choices=("cuda", "cpu"), default="cuda", help="GPU (default) or CPU"
    )
    parser.add_argument(
        "--seed", type=int, default=0, metavar="N", help="seed of all random numbers (default 0)"
    )


def _train(args: argparse.Namespace) -> Result:
    from stiction.learn.train import Plan, train

    plan = Plan(args.worlds, args.seconds, args.iterations, args.device, args.seed)
    contact = chosen("contact", args.contact, args.parameter)
    return train(args.policy, contact, plan, args.progress, robot=args.robot, dt=args.dt)


def _judge_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("policy", type=Path, metavar="FILE", help="a policy of `stiction train`")
    parser.add_argument(
        "--contact", default="", metavar="A,B", help="contact models (default all of ours)"
    )
    parser.add_argument(
        "--engine",
        default="mujoco:elliptic",
        metavar="A,B",
        help="other engines, with a setting after a colon; none for none (default mujoco:elliptic)",
    )
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="write a page of motions here")


def _judge(args: argparse.Namespace) -> Result:
    from stiction.bench.policy import judge

    names = [name.strip() for name in args.contact.split(",") if name.strip()]
    kinds = [find_kind("--contact", name) for name in names] or None
    engines = find_engines(args.engine)
    return judge(args.policy, args.out, kinds, engines, progress=args.progress)


TRAIN = Command(
    "train", "train a policy that walks to commands, on a GPU", _train_arguments, _train
)
JUDGE = Command(
    "judge",
    "run a trained policy under every contact model; fails if it falls under its own",
    _judge_arguments,
    _judge,
)
