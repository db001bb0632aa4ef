"""What remains if Newton's method fails: convex problems, then contacts one at a time."""

from stiction.compiler.compiled import subroutine
from stiction.contact.solvers.de_saxce import de_saxce, law_error
from stiction.contact.solvers.sweeps import sweep_exactly
from stiction.contact.solvers.warm_start import keep_impulses, return_impulses
from stiction.kernels.response import NOT_CONVERGED

FEW = 32  # points up to which sweeps that solve each contact exactly are tried
UNTOUCHED, CONVEX, SWEPT = 0, 1, 2  # what solved the problem


@subroutine
def solve_at_last(contact, response, cases, scratch, accuracy):
    """Solve from the present impulses; returns iterations, error, largest impulse and stage.

    The stage is UNTOUCHED, CONVEX, SWEPT or NOT_CONVERGED. In the last case the impulses are those
    that come nearest to the law. Error and impulse are velocities [m/s], see `law_error`.
    """
    taken, error, largest, solved = de_saxce(contact, response, cases, scratch.convex, accuracy)
    if solved:
        return taken, error, largest, CONVEX if taken > 0 else UNTOUCHED
    if contact.count[0] > FEW:
        return taken, error, largest, NOT_CONVERGED
    keep_impulses(contact, scratch.kept)
    sweeps, _, solved = sweep_exactly(contact, response, cases.mu, scratch.local, accuracy.speed)
    off, size = law_error(contact, response, cases)
    if not solved and off > error:
        return_impulses(contact, scratch.kept)
        off, size = law_error(contact, response, cases)
    return taken + sweeps, off, size, SWEPT if solved else NOT_CONVERGED
