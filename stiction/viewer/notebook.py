"""Robots, worlds and motions as short tables with a picture, for notebooks."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from html import escape
from io import BytesIO
from typing import TYPE_CHECKING

import numpy as np

from stiction.errors import StictionError
from stiction.render.pictures import image
from stiction.world.world import World

if TYPE_CHECKING:
    from stiction.motion.motion import Motion
    from stiction.robot.robot import Robot

SIZE = (240, 240)  # of a picture [pixels]
SNAPSHOTS = 5


def robot_table(robot: Robot) -> str:
    """Name, numbers and source of a robot, and its picture at home."""
    rows = {
        "robot": robot.name,
        "from": robot.source,
        "links": len(robot.link_name),
        "nq, nv": f"{robot.nq}, {robot.nv}",
        "mass": f"{robot.total_mass:.4g} kg",
        "shapes": f"{len(robot.shape_name)}, {int(robot.shape_collides.sum())} collide",
        "visual meshes": len(robot.visual_link),
    }
    return _table(rows, _picture_of(World(robot, ground=None)))


def world_table(world: World) -> str:
    """Robots, scenery and ground of a world, and its picture."""
    fixed = [robot.name for robot in world.robots if robot.nv == 0]
    rows = {
        "moves": ", ".join(robot.name for robot in world.moving) or "nothing",
        "scenery": ", ".join(fixed) or "none",
        "ground": repr(world.ground)[:90],
        "nq, nv": f"{world.nq}, {world.nv}",
        "mass": f"{world.total_mass:.4g} kg",
    }
    return _table(rows, _picture_of(world))


def motion_table(motion: Motion) -> str:
    """Duration, contact model and extremes of a motion, and a strip of snapshots."""
    settings = motion.parameters
    deepest = float(np.nanmax(motion.deepest(), initial=0.0))
    rows = {
        "moves": ", ".join(robot.name for robot in motion.world.moving) or "nothing",
        "time": f"{motion.time[0]:.4g} to {motion.time[-1]:.4g} s, {len(motion)} samples",
        "contact": (settings.get("contact") or {}).get("model", "none"),
        "dt": f"{settings['dt']:g} s" if "dt" in settings else "unknown",
        "largest depth": f"{1000 * deepest:.3g} mm",
        "unsolved steps": motion.unsolved.count,
    }
    return _table(rows, _drawn(motion, min(SNAPSHOTS, len(motion))))


def _picture_of(world: World) -> str:
    """A picture of a world at home; "" where none can be made."""
    from stiction.motion.motion import Motion

    state = world.home()
    zeros, points = np.zeros((1, world.nv)), np.zeros((1, 0, 3))
    still = Motion(
        *(world, np.zeros(1), state.q[None], state.v[None], zeros, zeros),
        *(points, points[..., 0], points),
    )
    return _drawn(still, 1)


def _drawn(motion: Motion, count: int) -> str:
    """A strip of snapshots as an HTML element; "" where none can be made, without EGL for one."""
    from PIL import Image

    try:
        pixels = image(motion, times=count, size=SIZE, legend=False)
    except StictionError:
        return ""
    buffer = BytesIO()
    Image.fromarray(pixels).save(buffer, "png")
    data = base64.b64encode(buffer.getvalue()).decode()
    return f'<img src="data:image/png;base64,{data}">'


def _table(rows: Mapping[str, object], picture: str) -> str:
    lines = [
        f"<tr><th style='text-align:left'>{escape(name)}</th>"
        f"<td style='text-align:left'>{escape(str(value))}</td></tr>"
        for name, value in rows.items()
    ]
    return f"<table>{''.join(lines)}</table>{picture}"
