"""Noise that depends on counters alone: seed, world, number of the reading and step.

A run can be repeated, and a world of a batch reads the same whatever the others are. The numbers
are sums of integers, so they are bitwise equal on every machine.
"""

from stiction.compiler.compiled import formula, kernel
from stiction.kernels.vectors import like

MASK = 0xFFFFFFFF
FIRST, SECOND = 0x21F0AAAD, 0x735A2D97  # of a hash of 32 bits by Pelle Evensen and Chris Wellons
HALF_RANGE = 6 * 65535  # mean of the sum of twelve numbers from 0 to 65535
PER_DEVIATION = 65536.0  # standard deviation of this sum, to 1e-10


@formula
def scrambled(x):
    """A number of 32 bits whose every bit depends on all bits of x."""
    x ^= x >> 16
    x = (x * FIRST) & MASK
    x ^= x >> 15
    x = (x * SECOND) & MASK
    return x ^ (x >> 15)


@kernel
def normal_number(seed, world, column, step, x):
    """A number with mean 0 and variance 1, nearly normal, in the precision of x.

    It is the sum of twelve uniform ones, so never beyond six standard deviations.
    """
    state = scrambled((seed + 0x9E3779B) & MASK)
    state = scrambled((state + world) & MASK)
    state = scrambled((state + column) & MASK)
    state = scrambled((state + (step & MASK)) & MASK)
    state = scrambled((state + ((step >> 32) & MASK)) & MASK)
    total = 0
    for _ in range(6):
        state = scrambled((state + 0x9E3779B) & MASK)
        total += (state & 0xFFFF) + (state >> 16)
    return like(x, total - HALF_RANGE) / like(x, PER_DEVIATION)
