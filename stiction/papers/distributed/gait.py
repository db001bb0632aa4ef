"""A human-like walk in the sagittal plane as functions of time, for `hanavan(planar=True)`.

Section 4.1.2: "The motions of all the links are defined as functions of time and approximate the
recorded motions of a real human by the means of polynoms." The polynomials are not printed. Here
the feet move on quintics whose knots are those of human walking (Perry & Burnfield 2010):
heel-touch, foot flat, heel-off, lift-off, swing. Two-link inverse kinematics gives the joints.
`walk_fit` makes three such strides meet the printed sole, and the Fourier series of the middle one
is what the scene `distributed-walk` prescribes (`Strides`). The pelvis is free to move along x and
z, as the paper's Fig. 12(b) allows.

    phase   0            0.13        0.32       0.6        1
    foot    heel-touch   flat        heel-off   lift-off   heel-touch
    turns   about heel   not         about toe  in the air
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from stiction.contact.distributed import Distributed
from stiction.extend import prescriber
from stiction.kernels.tree import PRESCRIBED
from stiction.robots.hanavan import HEEL, Measurements, hanavan
from stiction.validate import walk_fit as fit

SPEED = 1.35  # section 4.1.2 [m/s]
PERIOD = 1.05  # of a stride: two steps of 0.71 m [s]
FLAT, HEEL_OFF, LIFT_OFF, CLEAR = 0.13, 0.32, 0.6, 0.80  # phases; CLEAR: mid-swing
LANDING, LEAVING = math.radians(-14.0), math.radians(48.0)  # pitch of the foot, toes down positive
TURNING = 1.5  # rate of the pitch at heel-touch, per phase [rad]
BELOW_HIP = 0.23  # phase at which the flat foot's ankle is below the hip
HIP_HEIGHT, BOUNCE = 0.872, 0.018  # mean height of the hips, and its amplitude [m]
SURGE = 0.010  # amplitude of the centre of mass along x about the mean speed [m]
CLEARANCE, PASSING = 0.150, math.radians(8.0)  # ankle's height and foot's pitch in mid-swing
PRESSED, SPARE = 0.012, 0.015  # by which a standing foot is below the ground, a swinging one above
TOUCH = 0.16  # rate at which it passes the ground, per phase: 0.15 m/s [m]
ARM_SWING, ELBOW = 0.35, -0.3  # [rad]
CLEARED, RISE = 0.010, 0.25  # of a swinging foot [m], and speed at which it is gained [m/s]
HARMONICS = 28
SAMPLES = 120  # of a stride
HUMAN = Measurements()
BACK = np.array([-HEEL * HUMAN.foot_length, -HUMAN.sphyrion_height])  # of the sole, from the ankle
FRONT = np.array([(1 - HEEL) * HUMAN.foot_length, -HUMAN.sphyrion_height])  # x and z [m]
PRINTED = Distributed()  # its defaults are the paper's parameters
HIP, KNEE, ANKLE, SHOULDER, BENT, TURN = range(6)  # curves

Knots = dict[float, tuple[float, float, float]]  # value and two derivatives per phase, by phase


class Strides(NamedTuple):
    """Coordinates that follow Fourier series of a period; several may follow the same curve."""

    period: float  # [s]
    coordinate: np.ndarray  # (n) its number in q, which is also that in v
    curve: np.ndarray  # (n) row of the curve that it follows
    lag: np.ndarray  # (n) by which it is late, over the period
    mean: np.ndarray  # (curves) [rad]
    cosines: np.ndarray  # (curves, harmonics) [rad]
    sines: np.ndarray  # (curves, harmonics) [rad]


@prescriber(Strides)
def stride(params: Any, dynamics: Any, time: Any, q: Any, v: Any) -> None:
    """Overwrite q, v and the acceleration of the coordinates."""
    rate = 2.0 * math.pi / params.period
    for i in range(len(params.coordinate)):
        d, row = int(params.coordinate[i]), int(params.curve[i])
        angle = rate * time - 2.0 * math.pi * params.lag[i]
        value, slope, bend = params.mean[row], 0.0, 0.0
        for k in range(params.cosines.shape[1]):
            w = k + 1.0
            c, s = math.cos(w * angle), math.sin(w * angle)
            a, b = params.cosines[row, k], params.sines[row, k]
            value += a * c + b * s
            slope += w * (b * c - a * s)
            bend -= w * w * (a * c + b * s)
        q[d], v[d], dynamics.acceleration[d] = value, rate * slope, rate * rate * bend
        dynamics.mode[d] = PRESCRIBED


def planned(law: Distributed = PRINTED) -> Strides:
    """The walk that the scene holds, or the same for another sole; takes a quarter of a minute."""
    motion = fitted_strides(law)
    stride = motion[SAMPLES : 2 * SAMPLES]
    right, left = (stride[:, first : first + 3].T for first in fit.LEGS)
    legs = 0.5 * (right + np.roll(left, SAMPLES // 2, axis=1))
    phase = np.arange(SAMPLES) / SAMPLES
    swing = ARM_SWING * np.cos(2 * math.pi * phase)  # with the other leg
    turn = 0.5 * (stride[:, fit.TURN] + np.roll(stride[:, fit.TURN], SAMPLES // 2))
    curves = np.stack([*legs, swing, np.full(SAMPLES, ELBOW), turn])
    series = np.fft.rfft(curves, axis=1) / SAMPLES
    kept = series[:, 1 : HARMONICS + 1]
    # pelvis_turn; shoulders and elbows, left then right; legs, left then right
    return Strides(
        period=PERIOD,
        coordinate=np.arange(2.0, 13.0),
        curve=np.array(
            [TURN, SHOULDER, BENT, SHOULDER, BENT, HIP, KNEE, ANKLE, HIP, KNEE, ANKLE], float
        ),
        lag=np.array([0, 0.5, 0, 0, 0, 0.5, 0.5, 0.5, 0, 0, 0], float),
        mean=series[:, 0].real.copy(),
        cosines=2 * kept.real,
        sines=-2 * kept.imag,
    )


def fitted_strides(law: Distributed) -> np.ndarray:
    """Three strides on a sole, columns as in `fit`."""
    robot = hanavan(planar=True)
    phase = np.arange(3 * SAMPLES) / SAMPLES
    start = strides(phase)
    wanted = wanted_at(phase)
    return fit.fitted(robot, start, PERIOD / SAMPLES, wanted, law)


def strides(phase: np.ndarray) -> np.ndarray:
    """The plan before the fit, seen from the mean motion of the body, (n, 9).

    The hips move along x such that the centre of mass surges: fastest in double support.
    """
    robot = hanavan(planar=True)
    height, surge = vertical(phase), SURGE * np.sin(_twice(phase))
    along = np.zeros_like(phase)
    for _ in range(6):  # the legs carry a third of the mass: converges by a factor of 3 each time
        legs = [leg(phase + late, along, height) for late in (0.0, 0.5)]
        motion = np.stack([along, height, np.zeros(len(phase)), *legs[0], *legs[1]], axis=1)
        centre = fit.centre_of_mass(robot, fit.coordinates(robot, motion))[:, 0]
        along = along + surge - (centre - centre.mean())
    return motion


def wanted_at(phase: np.ndarray) -> fit.Wanted:
    """Shares of the weight and clearances of the right and the left foot."""
    share, clear = [], []
    for late in (0.0, 0.5):
        own = (phase + late) % 1.0
        both = LIFT_OFF - 0.5
        share.append(np.interp(own, [0.0, both, 0.5, LIFT_OFF, 1.0], [0.0, 1.0, 1.0, 0.0, 0.0]))
        away = PERIOD * np.minimum(own - LIFT_OFF, 1.0 - own)
        clear.append(np.clip(RISE * away, 0.0, CLEARED))
    return fit.Wanted(np.stack(share, axis=1), np.stack(clear, axis=1), SPEED)


def leg(phase: np.ndarray, along: np.ndarray, height: np.ndarray) -> list[np.ndarray]:
    """Hip, knee and ankle [rad] of a leg whose heel touches at whole phases.

    along, height: of the hips, from the mean motion of the body and above the ground [m].
    """
    legs = fit.legs_of(hanavan(planar=True))
    once = phase % 1.0
    ankle, pitch = foot(once)
    hips = np.stack([SPEED * PERIOD * (once - BELOW_HIP) + along, height])
    longest = float(np.hypot(*(ankle - hips)).max())
    if longest >= legs.thigh + legs.shank:
        raise ValueError(f"the leg reaches {longest:.3f} m and is {legs.thigh + legs.shank:.3f} m")
    hip, knee = fit.two_links(ankle - hips, legs)
    return [hip, knee, pitch - hip - knee]


def vertical(phase: np.ndarray) -> np.ndarray:
    """Height of the hips [m]: lowest in the middle of double support."""
    return HIP_HEIGHT - BOUNCE * np.cos(_twice(phase))


def _twice(phase: np.ndarray) -> np.ndarray:
    """Angle with two turns a stride, zero in the middle of double support."""
    return 4 * math.pi * (phase - (LIFT_OFF - 0.5) / 2)


def foot(phase: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Position of the ankle (2, n) [m], x along the ground, and pitch of the foot [rad]."""
    turning: Knots = {  # pitch, its rate and its second derivative per phase
        0.0: (LANDING, TURNING, 0.0),
        FLAT: (0.0, 0.0, 0.0),
        HEEL_OFF: (0.0, 0.0, 0.0),
        LIFT_OFF: (LEAVING, 5.0, -60.0),
        CLEAR: (PASSING, -7.0, 0.0),
        1.0: (LANDING, TURNING, 0.0),
    }
    pitch = quintics(turning, phase)
    ankle = np.where(phase <= (FLAT + HEEL_OFF) / 2, _rolled(pitch, BACK), _rolled(pitch, FRONT))
    leaves, lands = (_knots(turning, end, at) for end, at in ((FRONT, LIFT_OFF), (BACK, 0.0)))
    ahead = {LIFT_OFF: leaves[0], 1.0: (lands[0][0] + SPEED * PERIOD, *lands[0][1:])}
    above = {LIFT_OFF: leaves[1], CLEAR: (CLEARANCE, -0.7, 0.0), 1.0: lands[1]}
    swing = np.stack([quintics(ahead, phase), quintics(above, phase)])
    ankle = np.where(phase > LIFT_OFF, swing, ankle)
    ankle[1] += quintics(
        {
            0.0: (0.0, -TOUCH, 0.0),
            FLAT: (-PRESSED, 0.0, 0.0),
            0.5: (-PRESSED, 0.0, 0.0),
            LIFT_OFF: (0.0, TOUCH, 0.0),
            LIFT_OFF + 0.1: (SPARE, 0.0, 0.0),
            0.9: (SPARE, 0.0, 0.0),
            1.0: (0.0, -TOUCH, 0.0),
        },
        phase,
    )
    return ankle, pitch


def _rolled(pitch: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Position of the ankle when the foot has turned about one end of its sole (2, n) [m]."""
    x, z = -end
    c, s = np.cos(pitch), np.sin(pitch)
    return np.stack([end[0] + x * c + z * s, -x * s + z * c])


def _knots(turning: Knots, end: np.ndarray, at: float) -> list[tuple[float, float, float]]:
    """Position of the ankle, x and z, with its derivatives at a phase, rolling about an end."""
    step = 1e-4
    around = np.array([at - step, at, at + step]) % 1.0
    before, here, after = _rolled(quintics(turning, around), end).T
    slope, bend = (after - before) / (2 * step), (after - 2 * here + before) / step**2
    return list(zip(here, slope, bend, strict=True))


def quintics(knots: Knots, phase: np.ndarray) -> np.ndarray:
    """Quintics through knots of value, first and second derivative."""
    times = sorted(knots)
    found = np.zeros_like(phase)
    for first, last in zip(times, times[1:], strict=False):
        h = last - first
        u = (phase - first) / h
        a, a1, a2 = knots[first]
        b, b1, b2 = knots[last]
        a1, a2, b1, b2 = a1 * h, a2 * h * h, b1 * h, b2 * h * h
        rise = b - a - a1 - a2 / 2
        slope, bend = b1 - a1 - a2, b2 - a2
        c3 = 10 * rise - 4 * slope + bend / 2
        c4 = -15 * rise + 7 * slope - bend
        c5 = 6 * rise - 3 * slope + bend / 2
        cubic = a + u * (a1 + u * (a2 / 2 + u * (c3 + u * (c4 + u * c5))))
        inside = (phase >= first) & (phase <= last)
        found = np.where(inside, cubic, found)
    return found
