"""Fig. 3: HRP-2 reaches over a table; its heels lift, its legs meet the table, a hand supports it.

The paper shows eight snapshots. Beside them, this draws what they are said to show: heels, toes,
legs and hand over time, and the number of contacts. A second run has the left hand in the air.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from stiction import scenes
from stiction.motion.motion import Motion
from stiction.papers.gauss_seidel.measured import (
    LEGS,
    PRESSES,
    beyond_cones,
    contact_counts,
    first_touch,
    label_panels,
    pressed,
    robot_centre,
    side_tilt,
    soles,
)
from stiction.scenes.scene import Scene

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SCENE = "gauss-seidel-reach"
LEFT_ARM = tuple(f"hrp2/left_{part}" for part in ("forearm", "palm", "hand"))
RIGHT_HAND = ("hrp2/right_palm", "hrp2/right_hand")
RAISED = {"left_shoulder_pitch": -0.4, "left_elbow_pitch": -1.6}  # as at the start [rad]
LAST, STILL = 0.5, 0.2  # parts of the end that are judged [s]


def data() -> dict[str, Any]:
    """The reach, and the same without the left hand on the table."""
    scene = scenes.scene(SCENE)
    return {"reach": scene.simulate(), "left hand raised": without_hand(scene).simulate()}


def without_hand(scene: Scene) -> Scene:
    """The scene with the left arm in every pose as it is at the start."""
    (control,) = scene.controls
    poses = tuple(
        {**pose, "joints": {**pose["joints"], **RAISED}} for pose in control.parameters["pose"]
    )
    changed = replace(control, parameters={**control.parameters, "pose": poses})
    return replace(scene, controls=(changed,))


def measures(data: dict[str, Any]) -> dict[str, float]:
    """What claims.toml names."""
    motion, raised = data["reach"], data["left hand raised"]
    dt = float(motion.time[1] - motion.time[0])
    last, still = round(LAST / dt), round(STILL / dt)
    left, right = soles(motion)
    centre, velocity = robot_centre(motion)
    ahead = centre[:, 0] - np.maximum(left.front(), right.front())
    heels = np.stack([left.heel_rise(), right.heel_rise()])
    path = np.maximum(left.toe_path(), right.toe_path())
    legs, arm = pressed(motion, LEGS, "table"), pressed(motion, LEFT_ARM, "table")
    met = min(first_touch(legs, dt), float(motion.time[-1]))
    weight = motion.world.robots[0].total_mass * 9.81
    tilt = np.abs(side_tilt(motion)).max()
    lifted = motion.force_between("hrp2", "table")[:-1, 2] - sum(
        motion.force_between(leg, "table")[:-1, 2] for leg in LEGS
    )
    return {
        "most_contacts": float(contact_counts(motion).max()),
        "centre_ahead_of_feet": 1e3 * float(ahead.max()),
        "heel_rise": 1e3 * float(heels.max()),
        "heel_rise_at_the_end": 1e3 * float(heels[:, -1].min()),
        "slip_before_legs": 1e3 * float(path[round(met / dt)]),
        "slip_after_legs": 1e3 * float(path[-1] - path[round(met / dt)]),
        "slip_at_the_end": 1e3 * float(path[-1] - path[-1 - last]),
        "legs_met": met,
        "leg_force": float(legs.max()),
        "final_speed": 1e3 * float(np.linalg.norm(velocity[-still:], axis=1).max()),
        "side_tilt": float(np.degrees(tilt)),
        "side_tilt_without_hand": float(np.abs(side_tilt(raised)).max() / tilt),
        "hand_share": 100 * float(lifted[-last:].mean()) / weight,
        "hand_force": float(arm.max()),
        "touching_at_once": float(at_once(motion).max()),
        "cone_violation": beyond_cones(motion, motion.parameters["contact"]["mu_static"]) / weight,
        "unsolved": float(motion.unsolved.count),
    }


def at_once(motion: Motion) -> np.ndarray:
    """How many of gripper, feet, legs and left hand touch something, (steps)."""
    feet = np.nan_to_num(motion.total_force()[:-1, 2])
    gripper = pressed(motion, RIGHT_HAND, "object")
    legs, hand = pressed(motion, LEGS, "table"), pressed(motion, LEFT_ARM, "table")
    return np.sum([one > PRESSES for one in (gripper, feet, legs, hand)], axis=0)


def draw(data: dict[str, Any]) -> Figure:
    """Snapshots over the courses of heels, toes, forces and contacts."""
    from matplotlib.figure import Figure

    from stiction.plot.snapshots import draw_snapshots

    motion = data["reach"]
    figure = Figure(figsize=(10, 9), layout="constrained")
    parts: Any = figure.subfigures(2, 1, height_ratios=(1, 1.6))
    draw_snapshots(parts[0], motion, (0.0, 0.7, 0.95, 1.4, float(motion.time[-1])))
    axes = parts[1].subplots(2, 2, sharex=True)
    time = motion.time
    for sole, name in zip(soles(motion), ("left", "right"), strict=True):
        axes[0, 0].plot(time, 1e3 * sole.heel_rise(), label=f"{name} heel, rise")
        axes[0, 1].plot(time, 1e3 * sole.toe_path(), label=f"{name} toe, path")
    front = np.maximum(*(sole.front() for sole in soles(motion)))
    ahead = robot_centre(motion)[0][:, 0] - front
    axes[0, 0].plot(time, 1e3 * ahead, "k:", label="centre of mass ahead of the toes")
    axes[1, 0].plot(time[:-1], pressed(motion, LEGS, "table"), label="legs on the table")
    axes[1, 0].plot(time[:-1], pressed(motion, LEFT_ARM, "table"), label="left hand on the table")
    axes[1, 0].plot(time[:-1], pressed(motion, RIGHT_HAND, "object"), label="gripper on the object")
    axes[1, 1].plot(time[:-1], contact_counts(motion), "k", lw=0.8, label="contact points")
    axes[1, 1].axhline(19, color="tab:red", ls="--", label="at most, in the paper: 19")
    axes[1, 0].set_ylim(0, 1.5 * np.percentile(pressed(motion, LEGS, "table"), 99) + 10)
    label_panels(axes, ("mm", "mm", "N", ""))
    return figure


def motions(data: dict[str, Any]) -> dict[str, Motion]:
    """What the page plays."""
    return {"reach over the table": data["reach"]}
