"""Run one case under several contact models and engines; measure, explain, and write a page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from stiction.compare.explained import explained
from stiction.compare.measures import COLUMNS, measured
from stiction.compare.page import page_of
from stiction.compare.runs import Case, Refused, Run, case_of, name_in, run_engine, run_model
from stiction.contact.contact_model import our_models
from stiction.engines import engine_and_setting
from stiction.errors import InputError, did_you_mean
from stiction.files.written import make_folder, write_whole
from stiction.scenes.scene import Scene

REFERENCE = "Coulomb"
PAGE = "comparison.html"
Progress = Callable[[float, str], None]


def compare(
    scene: Scene | Case,
    contacts: Mapping[str, Any] | None = None,
    engines: Sequence[str] = ("mujoco",),
    out: str | Path = "comparison",
    reference: str | None = None,
    progress: Progress = lambda fraction, doing: None,
) -> dict[str, Any]:
    """Simulate, write motion_NAME.h5 and comparison.html in `out`; returns the measurements.

    contacts: contact models by name; for a scene, by default all of ours with its friction.
    engines: names of `stiction.engines`, with a setting after a colon ("mujoco:tuned").
    reference: the run that others are compared with, by default Coulomb, else the first.
    """
    case = scene if isinstance(scene, Case) else case_of(scene)
    if contacts is None:
        if isinstance(scene, Case):
            raise InputError("compare: contacts is None; a case has no friction of its own")
        contacts = models_for(scene)
    folder = Path(out)
    make_folder(folder)
    runs, refused = run_all(case, contacts, engines, progress, reference)
    progress(0.92, "measuring and writing")
    return report(case, runs, refused, folder, reference)


def models_for(scene: Scene) -> dict[str, Any]:
    """All our contact models with the friction of a scene."""
    names = sorted(kind.__name__ for kind in our_models())
    kinds = {kind.__name__: kind for kind in our_models()}
    return {name: scene.contact_of(kinds[name]) for name in names}


def run_all(
    case: Case,
    contacts: Mapping[str, Any],
    engines: Sequence[str],
    progress: Progress,
    reference: str | None = None,
) -> tuple[list[Run], list[Refused]]:
    """Simulate a case under all models, then in all engines.

    A reference that is none of these raises InputError before anything runs.
    """
    peers = [engine_and_setting(engine) for engine in engines]
    names = [*contacts, *(name_in(engine, setting) for engine, setting in peers)]
    if reference is not None and reference not in names:
        raise InputError(
            f"reference '{reference}' does not run; choose among {', '.join(names)}"
            f"{did_you_mean(reference, names)}"
        )
    found: list[Run | Refused] = []
    total = 1.1 * (len(contacts) + len(peers))
    for name, contact in contacts.items():
        share = len(found) / total

        def tell(fraction: float, share: float = share, name: str = name) -> None:
            progress(share + fraction / total, name)

        tell(0.0)
        found.append(run_model(case, name, contact, tell))
    for engine, setting in peers:
        progress(len(found) / total, engine.name)
        found.append(run_engine(case, engine, setting))
    runs = [one for one in found if isinstance(one, Run)]
    return runs, [one for one in found if isinstance(one, Refused)]


def report(
    case: Case,
    runs: Sequence[Run],
    refused: Sequence[Refused],
    folder: Path,
    reference: str | None = None,
    known: Mapping[str, Mapping[str, Any]] | None = None,
) -> dict[str, Any]:
    """Measure runs and write their motions and the page; returns the measurements.

    known: columns of some runs, by name, that were measured before.
    """
    if not runs:
        whys = "; ".join(f"{one.name}: {one.why}" for one in refused)
        raise InputError(f"nothing ran: {whys}")
    runs = with_reference_first(runs, reference)
    given = known or {}
    rows = [measured(case, run, runs[0]) | dict(given.get(run.name, {})) for run in runs]
    runs = [replace(run, steps=None) for run in runs]
    runs, rows = _most_different_first(runs, rows)
    told = explained(case, runs, rows, refused)
    files = []
    for run in runs:
        files.append(folder / f"motion_{run.name.replace(' ', '_')}.h5")
        run.motion.save(files[-1])
    text = page_of(case, runs, rows, refused, told)
    files.append(folder / PAGE)
    write_whole(files[-1], text.encode(), "a page", InputError)
    return {
        "case": f"{case.name}: {case.shows}",
        "runs": rows,
        "columns": [f"{name}: {words}" for name, words in COLUMNS.items()],
        "explained": told,
        "refused": [f"{one.name}: {one.why}" for one in refused],
        "files": [str(path) for path in files],
    }


def with_reference_first(runs: Sequence[Run], reference: str | None) -> list[Run]:
    """The runs, that of the reference first."""
    names = [run.name for run in runs]
    if reference is not None and reference not in names:
        raise InputError(f"reference '{reference}' did not run; choose among {', '.join(names)}")
    wanted = reference or (REFERENCE if REFERENCE in names else names[0])
    return sorted(runs, key=lambda run: run.name != wanted)


def _most_different_first(
    runs: Sequence[Run], rows: Sequence[dict[str, Any]]
) -> tuple[list[Run], list[dict[str, Any]]]:
    """After the reference, the engines, then the models whose motions differ most from it."""
    others = sorted(
        zip(runs[1:], rows[1:], strict=True),
        key=lambda one: (not one[0].engine, -(one[1]["off [mm]"] or 0.0)),
    )
    both = [(runs[0], rows[0]), *others]
    return [run for run, _ in both], [row for _, row in both]
