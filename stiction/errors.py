"""Every exception that stiction raises on purpose; errors derive from `StictionError`."""

from __future__ import annotations

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
    """A scene file cannot be read, or asks for something that there is not."""


class ClaimsFileError(StictionError):
    """A paper's claims.toml cannot be read, or lacks something."""


class InputError(StictionError):
    """An argument of a public function has a wrong value, type or shape."""


class MissingData(InputError):  # noqa: N818 - it names what is missing
    """A file of the folder that STICTION_DATA names is not there."""


class MissingRobot(InputError):  # noqa: N818 - it names what is missing
    """A collection of robots, or a robot of it, is not on this machine."""


class ViewError(StictionError):
    """Nothing can be shown: no browser, no free port, no renderer, no package for it."""


class CompileError(StictionError):
    """A user's contact model, integrator, controller or formula does not compile.

    `numba_error` is what the compiler said, at length.
    """

    def __init__(self, message: str, numba_error: Exception | None = None) -> None:
        """Keep the compiler's error beside the message."""
        super().__init__(message)
        self.numba_error = numba_error


class BoundsError(StictionError):
    """A user's contact model, integrator or controller reaches outside its arrays, or fails.

    Only checked runs can tell: `simulate(checked=True)` and `check_promises`.
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

    Like every KeyboardInterrupt it is no Exception, so that nothing catches it by accident.
    """

    def __init__(self, message: str, motion: Motion) -> None:
        """Keep the motion so far beside the message."""
        super().__init__(message)
        self.motion = motion


class StabilityWarning(UserWarning):
    """The time step is longer than what acts bears."""


class CaseWarning(UserWarning):
    """A derivative was taken so near to a change of case that it holds on one side alone."""


class UnfinishedWarning(UserWarning):
    """A motion file ends before its run did: the process that wrote it was killed."""


class UnsolvedWarning(UserWarning):
    """Some steps of a run were taken with contact or joint forces that do not solve their problem.

    Such a step uses the best forces found. Its residual says how far these are from a solution.
    """
