"""Whole-body inverse kinematics: centre of mass, both soles and an upright base.

Newton's method with slight damping solves for the coordinates of the base and the legs; all other
joints keep their given positions. If the legs are redundant, the solution is the posture nearest to
the first one. Each joint's distance is measured relative to its range, at most half a turn.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stiction.description.rotation import about
from stiction.errors import InputError
from stiction.kernels.tree import FREE, SPHERICAL
from stiction.patterns.body import Body, Placement
from stiction.patterns.soles import SIDES
from stiction.world import mechanics

CLOSE = 1e-10  # largest error of a solution [m and rad]
DAMPING = 1e-12  # added to the diagonal of J J'; negligible for bent legs
SETTLED = 1e-8  # a redundant posture has converged when its change is below this [m or rad]
SHORTEST_PULL, LONGEST_PULL = 0.1, 3.0  # step towards a posture, over the distance to it
LONGEST = 0.3  # largest change of a coordinate in an iteration [m or rad]
ITERATIONS = 100
LAST_ITERATIONS = 5  # towards the targets alone,
NEARLY = 1e-6  # if they are this close [m and rad]
LIMIT_SLACK = 1e-6  # how far a joint may exceed its limits [m or rad]


@dataclass(frozen=True, eq=False)
class Targets:
    """Targets at n samples."""

    time: np.ndarray  # (n) [s]
    centre: np.ndarray  # (n, 3) of mass [m]
    soles: np.ndarray  # (n, 2, 4) x, y, z of the centre and yaw of the left and the right sole
    base: np.ndarray  # (n, 2) yaw and pitch of the base [rad]
    hand: str = ""  # link or frame with a target of its own, "" for none
    hand_position: np.ndarray | None = None  # (n, 3) [m]


def turned(yaw: float, pitch: float = 0.0) -> np.ndarray:
    """Rotation about the vertical after one about the y axis [rad]."""
    c, s = np.cos(yaw), np.sin(yaw)
    upright = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    c, s = np.cos(pitch), np.sin(pitch)
    return upright @ np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])


def rotation_vector(rotation: np.ndarray) -> np.ndarray:
    """Axis times angle of a rotation of less than half a turn [rad]."""
    skew = rotation - rotation.T
    sine = np.array([skew[2, 1], skew[0, 2], skew[1, 0]]) / 2
    length = np.linalg.norm(sine)
    angle = np.arctan2(length, (np.trace(rotation) - 1) / 2)
    return sine * (angle / length if length > 0 else 1.0)


def moved(body: Body, q: np.ndarray, step: np.ndarray) -> np.ndarray:
    """Configuration after a step along the velocity coordinates."""
    result = q.copy()
    tree = body.world.tree
    for k, d in body.single:
        result[k] += step[d]
    for link in range(1, len(tree.parent)):
        k, d = tree.q_index[link], tree.v_index[link]
        if tree.joint_type[link] == FREE:
            result[k : k + 3] += step[d : d + 3]
            k, d = k + 3, d + 3
        elif tree.joint_type[link] != SPHERICAL:
            continue
        result[k : k + 4] = _rotated(result[k : k + 4], step[d : d + 3])
    return result


def _rotated(p: np.ndarray, step: np.ndarray) -> np.ndarray:
    """Quaternion after a rotation by a vector in its own axes."""
    angle = np.linalg.norm(step)
    if angle == 0:
        return p
    a, (b, c, d) = p[0], p[1:]
    w, x, y, z = about(step, float(angle))
    product = np.array(
        [
            a * w - b * x - c * y - d * z,
            a * x + b * w + c * z - d * y,
            a * y - b * z + c * w + d * x,
            a * z + b * y - c * x + d * w,
        ]
    )
    return product / np.linalg.norm(product)


class Solver:
    """Solves for the configuration of each sample in turn."""

    def __init__(self, body: Body, targets: Targets) -> None:
        """Choose the coordinates to solve for: base, legs and, if a hand has a target, its arm."""
        self.body, self.targets = body, targets
        legs = sorted({*body.legs[0].links, *body.legs[1].links})
        dofs = [*range(6), *body.dofs(tuple(legs))]
        if targets.hand:
            J = mechanics.jacobian(body.world, body.standing(), targets.hand)
            dofs += [d for d in body.dofs(body.arm(targets.hand)) if np.abs(J[:3, d]).max() > 1e-9]
        self.dofs = np.array(dofs)
        room = body.robot.upper[self.dofs] - body.robot.lower[self.dofs]
        self.ease = np.minimum(room / np.pi, 1.0) ** 2

    def errors(self, q: np.ndarray, k: int, placed: Placement) -> np.ndarray:
        """Errors to the targets of sample k: 3 rows for each of `parts`."""
        targets, rows = self.targets, []
        for side in (0, 1):
            x, y, z, yaw = targets.soles[k, side]
            rows.append([x, y, z] - placed.soles[side])
            rows.append(rotation_vector(turned(yaw) @ placed.axes[side].T))
        rows.append(targets.centre[k] - placed.centre)
        rows.append(rotation_vector(turned(*targets.base[k]) @ self.body.base_rotation(q).T))
        if targets.hand_position is not None:
            rows.append(targets.hand_position[k] - self.body.point(q, targets.hand))
        return np.concatenate(rows)

    @property
    def parts(self) -> list[str]:
        """What each three rows of `errors` refer to."""
        soles = [f"the {side} sole's {what}" for side in SIDES for what in ("position", "rotation")]
        return [
            *soles,
            "the centre of mass",
            "the base's rotation",
            f"the hand '{self.targets.hand}'",
        ]

    def jacobian(self, q: np.ndarray, placed: Placement) -> np.ndarray:
        """Minus the derivative of `errors` with respect to the coordinates."""
        base = np.zeros((3, self.body.world.nv))
        base[:, 3:6] = self.body.base_rotation(q)
        rows = [*placed.sole_jacobians, placed.centre_jacobian, base]
        if self.targets.hand_position is not None:
            rows.append(mechanics.jacobian(self.body.world, q, self.targets.hand)[:3])
        return np.vstack(rows)[:, self.dofs]

    def pitching(self, q: np.ndarray) -> np.ndarray:
        """Velocities, (nv), that pitch the base at 1 rad/s while all other targets stay fixed."""
        J = self.jacobian(q, self.body.at(q))
        wanted = np.zeros(len(J))
        wanted[15:18] = self.body.base_rotation(q)[:, 1]
        v = np.zeros(self.body.world.nv)
        v[self.dofs] = self._least(J, wanted)
        return v

    def solve(self, q: np.ndarray, k: int, posture: np.ndarray) -> np.ndarray:
        """Configuration that meets the targets of sample k, iterated from q."""
        pull, length = np.zeros(len(self.dofs)), 1.0
        for _ in range(ITERATIONS):
            placed = self.body.at(q)
            error = self.errors(q, k, placed)
            redundant = len(self.dofs) > len(error)
            if not redundant and np.abs(error).max() < CLOSE:
                return q
            J = self.jacobian(q, placed)
            if redundant:
                last, pull = pull, self._towards(posture, q)
                pull = pull - self._least(J, J @ pull)
                length = _step_length(length, last, pull)
            change = length * pull + self._least(J, error)
            if redundant and np.abs(error).max() < CLOSE and np.abs(pull).max() < SETTLED:
                return q
            step = np.zeros(self.body.world.nv)
            step[self.dofs] = change * min(1.0, LONGEST / max(np.abs(change).max(), 1e-300))
            q = moved(self.body, q, step)
        if np.abs(error).max() < CLOSE:  # met, in a posture that is not quite the nearest
            return q
        for _ in range(LAST_ITERATIONS if np.abs(error).max() < NEARLY else 0):
            placed = self.body.at(q)
            error = self.errors(q, k, placed)
            if np.abs(error).max() < CLOSE:
                return q
            step = np.zeros(self.body.world.nv)
            step[self.dofs] = self._least(self.jacobian(q, placed), error)
            q = moved(self.body, q, step)
        raise self._failure(error, k)

    def _least(self, J: np.ndarray, wanted: np.ndarray) -> np.ndarray:
        """Least-norm solution of J change = wanted, weighted by the ranges of the joints."""
        eased = self.ease * J
        return eased.T @ np.linalg.solve(eased @ J.T + DAMPING * np.eye(len(J)), wanted)

    def _towards(self, posture: np.ndarray, q: np.ndarray) -> np.ndarray:
        """Difference to a posture in the single joints among the coordinates."""
        way = np.zeros(self.body.world.nv)
        for k, d in self.body.single:
            way[d] = posture[k] - q[k]
        return way[self.dofs]

    def _failure(self, error: np.ndarray, k: int) -> InputError:
        far = np.linalg.norm(error.reshape(-1, 3), axis=1)
        part = int(np.argmax(far))
        unit = "rad" if "rotation" in self.parts[part] else "m"
        return InputError(
            f"robot '{self.body.robot.name}' cannot be posed at t = {self.targets.time[k]:.3f} s "
            f"(sample {k}): {self.parts[part]} stays {far[part]:.3g} {unit} off its target, "
            f"{CLOSE:.0e} {unit} is allowed; the limbs are too short or lack a joint, such as hip "
            "yaw for turning: try shorter steps, less turning or a lower centre of mass"
        )


def _step_length(length: float, last: np.ndarray, pull: np.ndarray) -> float:
    """How much of the pull towards a posture the next step takes (Barzilai and Borwein).

    The whole pull would overshoot where the targets bend the way to the posture, again and again:
    after a step of `length` times the last pull, the change of the pull tells by how much.
    """
    bend = float(last @ (last - pull))
    if bend <= 0:  # no step yet, or it grows
        return length
    return float(np.clip(length * (last @ last) / bend, SHORTEST_PULL, LONGEST_PULL))


def solve_all(solver: Solver, start: np.ndarray) -> np.ndarray:
    """Configurations for all targets, (n, nq).

    start: one initial configuration, (nq), or one for each sample, (n, nq). It also gives the
    coordinates that are not solved for.
    """
    n = len(solver.targets.time)
    many = start.ndim == 2
    guesses = start if many else np.repeat(start[None], n, axis=0)
    result = np.empty_like(guesses)
    guess = guesses[0]
    for k in range(n):
        result[k] = solver.solve(guess, k, guesses[0])
        if k + 1 < n:  # extrapolate the last two results, or add the change of the guesses
            step = guesses[k + 1] - guesses[k] if many else result[k] - result[max(k - 1, 0)]
            guess = _with_unit_quaternions(solver.body, result[k] + step)
    _check_limits(solver, result)
    return result


def _with_unit_quaternions(body: Body, q: np.ndarray) -> np.ndarray:
    tree = body.world.tree
    for link in range(1, len(tree.parent)):
        if tree.joint_type[link] in (FREE, SPHERICAL):
            k = tree.q_index[link] + (3 if tree.joint_type[link] == FREE else 0)
            q[k : k + 4] /= np.linalg.norm(q[k : k + 4])
    return q


def _check_limits(solver: Solver, q: np.ndarray) -> None:
    """Raise InputError if a joint exceeds its limits."""
    body = solver.body
    for k, d in body.single:
        lower, upper = body.robot.lower[d], body.robot.upper[d]
        beyond = np.maximum(q[:, k] - upper, lower - q[:, k])
        worst = int(np.argmax(beyond))
        if beyond[worst] > LIMIT_SLACK:
            raise InputError(
                f"robot '{body.robot.name}': joint '{body.world.dof_name(d)}' would be at "
                f"{q[worst, k]:.4f} at t = {solver.targets.time[worst]:.3f} s; "
                f"its limits are {lower:.4f} and {upper:.4f}"
            )
