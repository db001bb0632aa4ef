"""Fuzz the readers: spoilt and random files, to which only success or a StictionError may answer.

    python fuzz/fuzz_readers.py --for 600 --reader vrml

A reader runs in a child process, so that a crash or a hang is a finding like any other: it is kept
in fuzz/findings as the input and, beside it, what happened. Texts come from `texts.py`: seeds with
small changes, and trees of elements that exist with values that may not fit. A text that draws a
message of a kind not seen before becomes a seed. `--reader checks` lets hypothesis spoil
descriptions for the rules that all formats share. With `--engine atheris` (pip install atheris),
libFuzzer changes the seeds by what parts of our readers they reach.
"""

from __future__ import annotations

import argparse
import faulthandler
import hashlib
import multiprocessing
import os
import re
import resource
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from stiction.description.description import (
    WORLD,
    Actuator,
    Description,
    Frame,
    Joint,
    Keyframe,
    Link,
    Material,
    Sensor,
    Shape,
)

sys.path.insert(0, str(Path(__file__).parent))

from texts import GRAMMARS, SEEDS, WORDS, spoilt

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

FINDINGS = Path(__file__).parent / "findings"
READERS = ("mjcf", "urdf", "vrml", "osim")
SUFFIXES = {"mjcf": ".xml", "urdf": ".urdf", "vrml": ".wrl", "osim": ".osim"}
SLOWEST = 10.0  # [s] a reader may take; beyond, it hangs
LARGEST = 500_000_000  # [bytes] it may grow by
MOST_SEEDS = 500
SOURCE = "robot"


def reader_of(name: str) -> Callable[[str | bytes], None]:
    """A function that reads a text, or, as a file, bytes."""
    from stiction.description.mjcf import read_mjcf_text
    from stiction.description.openhrp import read_openhrp_text
    from stiction.description.osim import read_osim_text
    from stiction.description.urdf import read_urdf_text
    from stiction.robot.load import load
    from stiction.robot.robot import Robot

    readers = {
        "mjcf": read_mjcf_text,
        "urdf": read_urdf_text,
        "vrml": read_openhrp_text,
        "osim": read_osim_text,
    }
    read_text = readers[name]
    folder = Path(tempfile.mkdtemp(prefix="fuzz_"))

    def read(content: str | bytes) -> None:
        if isinstance(content, str):
            Robot.from_description(read_text(content, SOURCE))
            return
        path = folder / f"{SOURCE}{SUFFIXES[name]}"
        path.write_bytes(content)
        load(path)

    return read


def outcome(read: Callable[[Any], None], content: Any) -> tuple[str, str]:
    """What came of reading: "loaded", "refused" and the message, or "foreign" and the traceback."""
    from stiction.errors import StictionError

    try:
        read(content)
    except StictionError as error:
        return "refused", str(error)
    except BaseException:  # SystemExit and KeyboardInterrupt are as foreign as any other
        return "foreign", traceback.format_exc()
    return "loaded", ""


def serve(name: str, pipe: Connection, stacks: str) -> None:
    """Answer texts until there are no more; runs in the child."""
    warnings.simplefilter("ignore")
    faulthandler.register(signal.SIGUSR1, open(stacks, "w"))  # noqa: SIM115
    read = reader_of(name)
    os.chdir(tempfile.gettempdir())  # MuJoCo writes its warnings to a file where it is
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nowhere, stream)
    for seed in SEEDS[name]:
        outcome(read, seed)  # brings in what is imported late
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (8_000_000_000, 8_000_000_000))
    base = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    pipe.send("ready")
    while (content := pipe.recv()) is not None:
        kind, message = outcome(read, content)
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - base) * 1024
        if grown > LARGEST:
            kind, message = "memory", f"grew by {grown / 1e6:.0f} MB: {kind} {message}"
        pipe.send((kind, message))


class Child:
    """A process that reads; started again after each finding."""

    def __init__(self, name: str) -> None:
        """Start it."""
        self.name = name
        self.stacks = Path(tempfile.mkdtemp(prefix="fuzz_")) / "stacks"
        self._start()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        given = (self.name, theirs, str(self.stacks))
        self.process = context.Process(target=serve, args=given, daemon=True)
        self.process.start()
        theirs.close()
        self.pipe.recv()

    def read(self, content: str | bytes) -> tuple[str, str]:
        """As `outcome`, or "hang" or "crash"."""
        try:
            self.pipe.send(content)
            if self.pipe.poll(SLOWEST):
                kind, message = self.pipe.recv()
            else:
                kind, message = "hang", self._hanging()
        except (EOFError, OSError):
            self.process.join()
            kind, message = "crash", f"the process ended with status {self.process.exitcode}"
        if kind in ("hang", "crash", "memory"):
            self.close()
            self._start()
        return kind, message

    def _hanging(self) -> str:
        """How it hangs: whether it works or waits, and at what line of which thread."""
        assert self.process.pid is not None
        os.kill(self.process.pid, signal.SIGUSR1)
        time.sleep(0.5)
        try:
            times = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(") ")[2].split()
        except OSError:
            times = ["0"] * 20
        used = (int(times[11]) + int(times[12])) / os.sysconf("SC_CLK_TCK")
        state = f"state {times[0]}, {times[17]} threads, {used:.1f} s of processor in all"
        return f"no answer within {SLOWEST:.0f} s; {state}\n{self.stacks.read_text()}"

    def close(self) -> None:
        """End it."""
        self.process.kill()
        self.process.join()


@dataclass
class Tally:
    """What a run has counted."""

    name: str
    count: Counter[str] = field(default_factory=Counter)
    messages: int = 0  # kinds of them
    findings: dict[str, Path] = field(default_factory=dict)  # first of each kind

    def add(self, kind: str, message: str, content: str | bytes) -> None:
        """Count an outcome; keep the first finding of its kind."""
        self.count[kind] += 1
        if kind in ("loaded", "refused"):
            return
        lines = message.strip().splitlines()
        last = lines[-1] if kind == "foreign" else lines[0]
        where = re.findall(r'File "([^"]+)", line (\d+)', message)[-1:]
        signature = f"{kind} {where} {without_values(last)}"
        data = content.encode(errors="surrogatepass") if isinstance(content, str) else content
        if signature in self.findings:
            return
        FINDINGS.mkdir(exist_ok=True)
        digest = hashlib.sha256(data).hexdigest()[:12]
        path = FINDINGS / f"{self.name}_{kind}_{digest}{SUFFIXES.get(self.name, '.repr')}"
        path.write_bytes(data)
        path.with_suffix(".txt").write_text(f"{kind} in reader {self.name}\n{message}\n")
        self.findings[signature] = path
        print(f"  {kind}: {last[:200]}\n    kept as {path}", flush=True)

    def report(self, seconds: float) -> None:
        """Print what was done."""
        total = self.count.total()
        print(
            f"{self.name}: {total} executions in {seconds:.0f} s, {total / seconds:.0f} a second; "
            f"{self.count['loaded']} loaded, {self.count['refused']} refused with "
            f"{self.messages} kinds of message, {total - self.good} findings of "
            f"{len(self.findings)} kinds",
            flush=True,
        )

    @property
    def good(self) -> int:
        """Executions that were not findings."""
        return sum(self.count[kind] for kind in ("loaded", "refused", "answered"))


def without_values(message: str) -> str:
    """The message without what is particular to one text."""
    return re.sub(r"'[^']*'|\"[^\"]*\"|[-+]?\d[\d.e+-]*|\binf\b|\bnan\b", "*", message)[:150]


def fuzz(name: str, seconds: float, seed: int, most: int = sys.maxsize) -> Tally:
    """Read changed texts for so long, or until so many were read."""
    random, tally, child = Random(f"{name} {seed}"), Tally(name), Child(name)
    seeds, seen = list(SEEDS[name]), set[str]()
    words = WORDS[name].split(" ")
    begun = time.perf_counter()
    try:
        while time.perf_counter() - begun < seconds and tally.count.total() < most:
            text = new_text(name, seeds, words, random)
            as_file = random.random() < 0.1
            content = as_bytes(text, random) if as_file else text
            kind, message = child.read(content)
            tally.add(kind, message, content)
            signature = f"{kind} {without_values(message)}"
            if kind in ("loaded", "refused") and signature not in seen:
                seen.add(signature)
                if len(seeds) < MOST_SEEDS and not as_file:
                    seeds.append(text)
    finally:
        child.close()
    tally.messages = len(seen)
    tally.report(time.perf_counter() - begun)
    return tally


def new_text(name: str, seeds: list[str], words: list[str], random: Random) -> str:
    """A text from a grammar, or a changed seed: half of the time one of those given."""
    if random.random() < 0.25:
        text = GRAMMARS[name](random)
        return text if random.random() < 0.7 else spoilt(text, words, seeds[0], random)
    given = random.random() < 0.5
    text = random.choice(SEEDS[name] if given else seeds)
    return spoilt(text, words, random.choice(seeds), random)


def as_bytes(text: str, random: Random) -> bytes:
    """The text as a file, with some bytes flipped."""
    encoding = random.choice(("utf-8", "utf-8", "utf-8", "latin-1", "utf-16"))
    data = bytearray(text.encode(encoding, errors="replace"))
    for _ in range(random.randrange(4)):
        if data:
            data[random.randrange(len(data))] ^= 1 << random.randrange(8)
    return bytes(data)


# ------------------------------------------------------------------------ hypothesis: the rules


def good_description() -> Description:
    """A robot with one or two of everything."""
    inertia = (1.0, 0.0, 0.0, 1.0, 0.0, 1.0)
    links = tuple(Link(name, 2.0, (0.0, 0.0, 0.1), inertia) for name in "abc")
    joints = (
        Joint("root", "free", WORLD, "a"),
        Joint("elbow", "revolute", "a", "b", (0.0, 0.0, 1.0), axis=(0.0, 1.0, 0.0), lower=-1.0),
        Joint("wrist", "spherical", "b", "c", damping=0.1),
    )
    tetrahedron = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    return Description(
        "toy",
        "generated",
        links,
        joints,
        shapes=(Shape("s", "a", "box", (1.0, 1.0, 1.0)),
                Shape("h", "b", "hull", (), material="m", vertices=tetrahedron)),
        frames=(Frame("f", "b"),),
        actuators=(Actuator("m", "elbow"),),
        sensors=(Sensor("g", "gyro", "f", "frame"), Sensor("p", "position", "elbow", "joint")),
        materials=(Material("m", 0.5, 0.4),),
        keyframes=(Keyframe("home", (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0),
                            (0.0,) * 10),),
        contact_pairs=(("s", "h"),),
        contact_excludes=(("a", "c"),),
    )  # fmt: skip


NAMES = (
    *"a b c root elbow f m s home é free fixed revolute prismatic spherical screw sphere capsule "
    "cylinder ellipsoid hull plane torus frame link joint".split(),
    WORLD,
    "",
)


def descriptions() -> SearchStrategy[Description]:
    """The good one with some numbers, names and elements replaced, dropped or doubled."""
    from hypothesis import strategies as st

    numbers = st.one_of(st.sampled_from([0.0, -0.0, 1.0, -1.0, 1e154, -1e308, 1e-320]), st.floats())

    @st.composite
    def spoil(draw: Callable[..., Any]) -> Description:
        made = good_description()
        for _ in range(draw(st.integers(0, 4))):
            kind = draw(st.sampled_from([each.name for each in fields(made)][2:-1]))
            elements = list(getattr(made, kind))
            i = draw(st.integers(0, max(0, len(elements) - 1)))
            change = draw(st.sampled_from(["value", "value", "value", "value", "drop", "double"]))
            if not elements:
                continue
            if change == "value":
                elements[i] = changed(elements[i], draw)
            elif change == "drop":
                del elements[i]
            else:
                elements.append(elements[i])
            made = replace(made, **{kind: tuple(elements)})  # type: ignore[arg-type]
        return made

    def changed(value: Any, draw: Callable[..., Any]) -> Any:
        """The value with one part of it replaced by another of its type."""
        if isinstance(value, bool):
            return not value
        if isinstance(value, str):
            return draw(st.sampled_from(NAMES))
        if isinstance(value, float) or value is None:
            return draw(numbers)
        if isinstance(value, int):
            return draw(st.integers() | numbers)
        if isinstance(value, tuple):
            if not value or draw(st.integers(0, 9)) == 0:
                return value[:-1] if draw(st.booleans()) else (*value, *value[:1])
            i = draw(st.integers(0, len(value) - 1))
            return (*value[:i], changed(value[i], draw), *value[i + 1 :])
        name = draw(st.sampled_from([each.name for each in fields(value)]))
        return replace(value, **{name: changed(getattr(value, name), draw)})

    return spoil()


def fuzz_checks(seconds: float, seed: int, most: int = sys.maxsize) -> Tally:
    """Check descriptions that hypothesis makes, for so long or so many."""
    from hypothesis import HealthCheck, Phase, given, settings
    from hypothesis import seed as seeded

    from stiction.description.checks import check
    from stiction.robot.robot import Robot

    tally, begun = Tally("checks"), time.perf_counter()
    seen: set[str] = set()

    def read(description: Description) -> None:
        check(description)
        Robot.from_description(description)

    batch = min(most, 1000)

    def run(number: int) -> None:
        @seeded(seed * 1_000_003 + number)
        @settings(
            max_examples=batch,
            deadline=None,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(descriptions())
        def one(description: Description) -> None:
            kind, message = outcome(read, description)
            seen.add(without_values(message))
            tally.add(kind, message, repr(description))

        one()

    warnings.simplefilter("ignore")
    number = 0
    while time.perf_counter() - begun < seconds and tally.count.total() < most:
        run(number)
        number += 1
    tally.messages = len(seen)
    tally.report(time.perf_counter() - begun)
    return tally


# ------------------------------------------------------------------------ atheris (libFuzzer)


def fuzz_by_coverage(name: str, seconds: float, seed: int) -> Tally:
    """Let libFuzzer change the seeds by what they reach, in a child that may crash."""
    FINDINGS.mkdir(exist_ok=True)
    tally, begun = Tally(name), time.perf_counter()
    context = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as folder:
        while (left := seconds - (time.perf_counter() - begun)) > 1.0:
            child = context.Process(target=_atheris, args=(name, left, seed, folder))
            child.start()
            child.join()
            seed += 1
            counted = Path(folder) / "count"
            if counted.exists():
                tally.count["answered"] += int(counted.read_text())
                counted.unlink()
            for found in sorted(Path(folder).glob("found-*")):
                content = Path(folder, f"input-{found.name}").read_bytes()
                tally.add("foreign", found.read_text(), content)
                found.unlink()
            for kept in sorted(FINDINGS.glob("libfuzzer-*")):
                tally.add("crash", kept.name.split("-")[1], kept.read_bytes())
                kept.unlink()
    tally.report(time.perf_counter() - begun)
    return tally


def _atheris(name: str, seconds: float, seed: int, folder: str) -> None:
    import atheris

    with atheris.instrument_imports(include=["stiction.description"], enable_loader_override=False):
        read = reader_of(name)
    warnings.simplefilter("ignore")
    counted, seen = [0], set[str]()

    def one(data: bytes) -> None:
        counted[0] += 1
        if counted[0] % 500 == 0:
            Path(folder, "count").write_text(str(counted[0]))
        kind, message = outcome(read, data.decode("utf-8", errors="replace"))
        if kind == "foreign" and message not in seen:
            seen.add(message)
            found = Path(folder, f"found-{hashlib.sha256(data).hexdigest()[:12]}")
            Path(folder, f"input-{found.name}").write_bytes(data)
            found.write_text(message)

    corpus = Path(folder, "corpus")
    corpus.mkdir(exist_ok=True)
    for i, text in enumerate(SEEDS[name]):
        (corpus / f"seed{i}").write_text(text)
    options = [f"-max_total_time={int(seconds)}", f"-seed={seed + 1}", f"-timeout={SLOWEST:.0f}"]
    options += [f"-artifact_prefix={FINDINGS}/libfuzzer-", "-rss_limit_mb=2000", "-verbosity=0"]
    atheris.Setup([sys.argv[0], *options, "-max_len=8000", str(corpus)], one)
    atheris.Fuzz()


def main() -> int:
    """Fuzz what the command line says; 1 if anything was found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--for", dest="seconds", type=float, default=60.0, help="seconds a reader")
    parser.add_argument("--most", type=int, default=sys.maxsize, help="executions a reader")
    parser.add_argument("--reader", choices=[*READERS, "checks", ""], default="")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="by default, the time")
    parser.add_argument("--engine", choices=["changes", "atheris"], default="changes")
    given = parser.parse_args()
    print(f"seed {given.seed}", flush=True)
    tallies = []
    for name in [given.reader] if given.reader else [*READERS, "checks"]:
        if name == "checks":
            tallies.append(fuzz_checks(given.seconds, given.seed, given.most))
        elif given.engine == "atheris":
            tallies.append(fuzz_by_coverage(name, given.seconds, given.seed))
        else:
            tallies.append(fuzz(name, given.seconds, given.seed, given.most))
    return int(any(tally.findings for tally in tallies))


if __name__ == "__main__":
    sys.exit(main())
