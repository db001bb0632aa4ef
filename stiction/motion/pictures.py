"""How a `Motion` shows itself: browser, pages, videos, pictures, figures, and as text."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from stiction.description.plain import counted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from stiction.motion.motion import Motion


class Pictures:
    """The methods of `Motion` that draw it; what they need is imported when they are called."""

    def show(self, *others: Motion, **options: Any) -> Any:
        """Show the motion, and others beside it, in the browser or in the notebook.

        Options: those of `stiction.viewer.player.show`.
        """
        from stiction.viewer.player import show

        return show(_all(self, others), **options)

    def save_html(self, path: str | Path, *others: Motion, **options: Any) -> Path:
        """Write a page that plays the motion, and others beside it, in any browser.

        Options: fps, follow, marks and layout, as in `stiction.viewer.page.page`.
        """
        from stiction.viewer.page import save_html

        return save_html(_all(self, others), path, **options)

    def video(self, path: str | Path, *others: Motion, **options: Any) -> Path:
        """Write a video (.mp4, .webm, .gif) of the motion, and of others beside it.

        Options: fps, speed, and those of `stiction.render.look.Look`.
        """
        from stiction.render.videos import video

        return video(_all(self, others), path, **options)

    def image(self, path: str | Path | None = None, *others: Motion, **options: Any) -> np.ndarray:
        """Return a picture, (height, width, 3), also written to a file if a path is given.

        Options: times [s] or their number, for a strip, and those of `stiction.render.look.Look`.
        """
        from stiction.render.pictures import image

        return image(_all(self, others), path, **options)

    def save_gltf(self, path: str | Path, fps: float = 30.0) -> Path:
        """Write a .glb file with one animation, for Blender and game engines."""
        from stiction.interchange.gltf import save_gltf

        return save_gltf(_all(self, ())[0], path, fps)

    def save_rerun(self, path: str | Path, fps: float = 60.0) -> Path:
        """Write a recording (.rrd) for the Rerun viewer; needs the extra `rerun`."""
        from stiction.interchange.rerun import save_rerun

        return save_rerun(_all(self, ())[0], path, fps)

    def plot(self, *what: str) -> Figure:
        """Draw items over time: joints by name, or those of `stiction.plot.ITEMS`.

        Default: base height, force on each foot and contact phases; energy, momentum and centre of
        mass if nothing touched the ground.
        """
        from stiction.plot import plot

        return plot(_all(self, ())[0], *what)

    def __repr__(self) -> str:
        """What was simulated, for how long, under which contact model, in four lines."""
        motion = _all(self, ())[0]
        names = [robot.name for robot in motion.world.robots]
        settings, n = motion.parameters, len(motion)
        model = (settings.get("contact") or {}).get("model", "no contact")
        lasted = motion.time[-1] - motion.time[0] if n else 0.0
        step = f", dt {settings['dt']:g} s" if "dt" in settings else ""
        return (
            f"Motion of {_listed(names)}\n"
            f"  {lasted:.4g} s in {counted(n, 'sample')}{step}, under {model}\n"
            f"  {motion.q.shape[1]} positions, {motion.v.shape[1]} velocities, "
            f"{counted(motion.point_count, 'contact point')}\n"
            f"  unsolved steps: {motion.unsolved.count}"
        )

    def _repr_html_(self) -> str:
        """The same as a table with a strip of snapshots, for notebooks."""
        from stiction.viewer.notebook import motion_table

        return motion_table(_all(self, ())[0])


def _all(motion: Any, others: tuple) -> tuple:
    return (motion, *others)


def _listed(names: list[str]) -> str:
    """At most three names."""
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(names[:3]) + more
