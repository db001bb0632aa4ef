"""Every exception that stiction raises on purpose; errors derive from `StictionError`."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stiction.motion.motion import Motion


class StictionError(Exception):
    """Base of all errors that stiction raises on purpose."""


class ModelFileError(StictionError):
    """A model file cannot be read, or holds something that is not simulated."""


class DescriptionError(StictionError):
    """A robot description breaks a rule: a mass, an inertia, a name, a tree."""


class MotionFileError(StictionError):
    """A motion or robot file cannot be read: wrong format, newer version, cut short."""


class SweepFileError(StictionError):
    """A file of a sweep cannot be read or written, or holds another sweep."""


class SceneFileError(StictionError):
    """A scene file cannot be read, or asks for something that does not exist."""


class ClaimsFileError(StictionError):
    """A paper's claims.toml cannot be read, or lacks something."""


class InputError(StictionError):
    """An argument of a public function has a wrong value, type or shape."""


class MissingData(InputError):  # noqa: N818 - it names what is missing
    """A file is missing from the folder that STICTION_DATA names."""


class MissingRobot(InputError):  # noqa: N818 - it names what is missing
    """A collection of robots, or a robot of it, is not on this machine."""


class ViewError(StictionError):
    """Nothing can be shown: no browser, no free port, no renderer, no package for it."""


class CompileError(StictionError):
    """A user's contact model, integrator, controller or formula does not compile.

    `numba_error` is what the compiler said, at length.
    """

    def __init__(self, message: str, numba_error: Exception | None = None) -> None:
        """Keep the compiler's error with the message."""
        super().__init__(message)
        self.numba_error = numba_error


class BoundsError(StictionError):
    """A user's contact model, integrator or controller reaches outside its arrays, or fails.

    Only checked runs detect this: `simulate(checked=True)` and `check_promises`.
    """


class SimulationError(StictionError):
    """A run stopped early; `motion` holds what was recorded until then."""

    def __init__(self, message: str, motion: Motion | None = None) -> None:
        """Keep the motion so far beside the message."""
        super().__init__(message)
        self.motion = motion


class DivergenceError(SimulationError):
    """The state became non-finite or absurdly fast."""


class JointSolveError(SimulationError):
    """No consistent set of sticking, sliding and stopped joints was found in a step."""


class LinearisationError(StictionError):
    """A step has no derivative, or not by the method asked for."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a run; `motion` holds what was recorded until then.

    Like every KeyboardInterrupt it is not an Exception, so that nothing catches it by accident.
    """

    def __init__(self, message: str, motion: Motion) -> None:
        """Keep the motion so far beside the message."""
        super().__init__(message)
        self.motion = motion


class StabilityWarning(UserWarning):
    """The time step is too long for the forces that act."""


class CaseWarning(UserWarning):
    """A derivative was taken so close to a change of case that it holds only on one side."""


class UnfinishedWarning(UserWarning):
    """A motion file ends before its run did: the process that wrote it was killed."""


class UnsolvedWarning(UserWarning):
    """Some steps of a run were taken with contact or joint forces that do not solve their problem.

    Such a step uses the best forces found. Its residual says how far these are from a solution.
    """


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return "; did you mean '...'?" if a known word is similar, whatever its case; else ""."""
    lowered = {one.lower(): one for one in known}
    near = get_close_matches(word.lower(), lowered, 1)
    return f"; did you mean '{lowered[near[0]]}'?" if near else ""


def not_installed(what: str, package: str, install: str) -> InputError:
    """Return the error for a package that is not there; `install` is what pip takes."""
    return InputError(f"{what} needs the package {package}: pip install '{install}'")
