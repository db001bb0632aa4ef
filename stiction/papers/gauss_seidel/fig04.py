"""Fig. 4: HRP-2 pushes a cart with a box of 3 kg, lifts it and lets go; the box falls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from stiction import scenes
from stiction.description.rotation import matrix
from stiction.metrics.points import link_positions
from stiction.motion.motion import Motion
from stiction.papers.gauss_seidel.measured import (
    PRESSES,
    contact_counts,
    label_panels,
    pressed,
)
from stiction.world.contact_points import contact_points_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SCENE = "gauss-seidel-cart"
ARMS = tuple(
    f"hrp2/{side}_{part}"
    for side in ("left", "right")
    for part in ("upper_arm", "forearm", "palm", "hand")
)
REAR = ("cart/caster_rear_left", "cart/caster_rear_right")
WHEEL, DECK = 0.05, 0.13  # radius of a caster and height of the deck [m]
LIFTS, LETS_GO = 11.9, 13.2  # times of the scene's poses [s]


def data() -> dict[str, Any]:
    """The whole scene."""
    return {"cart": scenes.scene(SCENE).simulate()}


def measures(data: dict[str, Any]) -> dict[str, float]:
    """What claims.toml names."""
    motion = data["cart"]
    time = motion.time
    before, lets_go = time <= LIFTS, time[:-1] >= LETS_GO
    cart = link_positions(motion, "cart/cart")
    rear = np.max([link_positions(motion, name)[:, 2] for name in REAR], axis=0) - WHEEL
    hands, box = pressed(motion, ARMS, "cart"), pressed(motion, ("box",), "cart")
    moving = before[:-1] & (np.linalg.norm(np.diff(cart[:, :2], axis=0), axis=1) > 0)
    carried = motion.force_between("box", "cart")[:-1, 2]
    corners = box_corners(motion)
    gap = box_gap(motion)
    both = (hands > PRESSES).astype(int) + (box > PRESSES)
    return {
        "pushed": float(np.linalg.norm(cart[before][-1, :2] - cart[0, :2])),
        "box_load": float(carried[moving].mean() / 9.81),
        "box_bounce": 1e3 * float(gap[before].max()),
        "lifted": 1e3 * float(rear.max()),
        "tilt": float(np.degrees(cart_tilt(motion).max())),
        "hand_force_at_the_end": float(hands[-100:].max()),
        "hand_force": float(hands.max()),
        "casters_at_the_end": 1e3 * float(rear[-1]),
        "box_at_the_end": 1e3 * float(corners[-1, :, 2].min()),
        "box_lands": box_lands(motion),
        "touching_at_once": float(both.max()),
        "touching_after_release": float(both[lets_go].max()),
        "most_contacts": float(contact_counts(motion).max()),
        "unsolved": 100 * motion.unsolved.count / motion.unsolved.steps,
    }


def box_corners(motion: Motion) -> np.ndarray:
    """The eight corners of the box in the world [m], (n, 8, 3)."""
    points, _, _ = contact_points_of(motion.world)
    own = np.flatnonzero(points.link == motion.world.place("box/box").link)
    return motion.contact_points.position[:, own]


def cart_axes(motion: Motion) -> tuple[np.ndarray, np.ndarray]:
    """Origin and rotation of the cart, (n, 3) and (n, 3, 3)."""
    link = motion.world.place("cart/cart").link
    first = int(motion.world.tree.q_index[link])
    turns = motion.q[:, first + 3 : first + 7]
    return motion.q[:, first : first + 3], np.array([matrix(one) for one in turns])


def cart_tilt(motion: Motion) -> np.ndarray:
    """Angle between the deck and the ground [rad], (n)."""
    return np.arccos(np.clip(cart_axes(motion)[1][:, 2, 2], -1.0, 1.0))


def box_gap(motion: Motion) -> np.ndarray:
    """Height of the lowest corner of the box above the plane of the deck [m], (n)."""
    origin, turn = cart_axes(motion)
    seen = np.einsum("nji,npj->npi", turn, box_corners(motion) - origin[:, None])
    return seen[..., 2].min(axis=1) - DECK


def box_lands(motion: Motion) -> float:
    """When the box first touches the floor, after the hands let go [s]; infinity if never."""
    low = box_corners(motion)[:, :, 2].min(axis=1)
    landed = np.flatnonzero(low < 1e-4)
    return float(motion.time[landed[0]]) - LETS_GO if len(landed) else np.inf


def draw(data: dict[str, Any]) -> Figure:
    """Snapshots over the courses of cart and box."""
    from matplotlib.figure import Figure

    from stiction.plot.snapshots import draw_snapshots

    motion = data["cart"]
    figure = Figure(figsize=(11, 9), layout="constrained")
    parts: Any = figure.subfigures(2, 1, height_ratios=(1, 1.6))
    draw_snapshots(
        parts[0], motion, (0.0, 10.0, LIFTS, 12.8, LETS_GO, 13.4, float(motion.time[-1]))
    )
    axes, time = parts[1].subplots(2, 2, sharex=True), motion.time
    cart = link_positions(motion, "cart/cart")
    axes[0, 0].plot(time, cart[:, 0] - cart[0, 0], label="cart, distance")
    for name in REAR:
        rise = link_positions(motion, name)[:, 2] - WHEEL
        axes[0, 1].plot(time, 1e3 * rise, label=f"{name.removeprefix('cart/')}, rise")
    box = box_corners(motion)[:, :, 2].min(axis=1)
    axes[0, 1].plot(time, 1e3 * box, "k", label="lowest corner of the box")
    axes[1, 0].plot(time[:-1], pressed(motion, ARMS, "cart"), lw=0.7, label="arms on the cart")
    axes[1, 0].plot(time[:-1], pressed(motion, ("box",), "cart"), lw=0.7, label="box on the cart")
    axes[1, 0].axhline(3 * 9.81, color="0.6", ls="--", label="weight of the box")
    axes[1, 0].set_ylim(0, 150)
    axes[1, 1].plot(time[:-1], contact_counts(motion), "k", lw=0.7, label="contact points")
    label_panels(axes, ("m", "mm", "N", ""))
    return figure


def motions(data: dict[str, Any]) -> dict[str, Motion]:
    """What the page plays: every tenth sample from the end of the walk on."""
    motion = data["cart"]
    rows = np.flatnonzero(motion.time >= 6.0)[::10]
    return {"cart": motion.rows(rows)}
