"""MuJoCo's renderer on an off-screen EGL context."""

from __future__ import annotations

import atexit
from typing import TYPE_CHECKING, Any

import numpy as np

from stiction.errors import ViewError
from stiction.render.camera import Shot
from stiction.render.model import Stage

if TYPE_CHECKING:
    from mujoco import MjvScene

MOST_GEOMS = 20_000  # in a picture


def opened_context(width: int, height: int) -> Any:
    """An EGL context for pictures of that size, made current."""
    try:
        from mujoco.egl import GLContext

        context = GLContext(width, height)
        context.make_current()
    except Exception as error:  # whatever PyOpenGL, EGL and its drivers raise
        told = " ".join(str(error).split())[:200] or type(error).__name__
        raise ViewError(
            f"pictures need EGL, which does not start here ({told}); on Debian: "
            "apt install libegl1 libgl1-mesa-dri; motion.save_html() and motion.show() need none"
        ) from None
    return context


class Canvas:
    """Draws the pictures of a stage; `close` it, or use it in a `with` statement."""

    def __init__(self, stage: Stage, width: int, height: int) -> None:
        """Open the context; sizes in pixels."""
        import mujoco

        self.stage, self.width, self.height = stage, width, height
        self.context = opened_context(width, height)
        atexit.register(self.close)
        self.scene: MjvScene = mujoco.MjvScene(stage.model, maxgeom=MOST_GEOMS)
        self.renderer = mujoco.MjrContext(stage.model, mujoco.mjtFontScale.mjFONTSCALE_150.value)
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN.value, self.renderer)
        self.option, self.camera = mujoco.MjvOption(), mujoco.MjvCamera()

    def __enter__(self) -> Canvas:
        """Nothing more to open."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the context."""
        self.close()

    def close(self) -> None:
        """Free the context; later calls do nothing."""
        atexit.unregister(self.close)
        if self.context is not None:
            self.renderer.free()
            self.context.free()
            self.context = None

    def begin(self, k: int, shot: Shot) -> None:
        """Start picture k: place the bodies and the camera."""
        import mujoco

        self.context.make_current()
        self.stage.place(k)
        self.camera.type = mujoco.mjtCamera.mjCAMERA_FREE
        self.camera.lookat[:] = shot.target[min(k, len(shot.target) - 1)]
        self.camera.distance = shot.distance
        self.camera.azimuth, self.camera.elevation = shot.view
        mujoco.mjv_updateScene(
            self.stage.model, self.stage.data, self.option, None, self.camera,
            mujoco.mjtCatBit.mjCAT_ALL.value, self.scene,
        )  # fmt: skip

    def pixels(self) -> np.ndarray:
        """Finish the picture: red, green and blue of each pixel, (height, width, 3)."""
        import mujoco

        area = mujoco.MjrRect(0, 0, self.width, self.height)
        mujoco.mjr_render(area, self.scene, self.renderer)
        pixels = np.empty((self.height, self.width, 3), np.uint8)
        mujoco.mjr_readPixels(pixels, None, area, self.renderer)
        return pixels[::-1].copy()

    # ------------------------------------------------------------------------- marks in the picture

    def ball(self, centre: np.ndarray, radius: float, colour: tuple) -> None:
        """Add a ball."""
        import mujoco

        self._add(mujoco.mjtGeom.mjGEOM_SPHERE, [radius] * 3, centre, colour)

    def connect(self, kind: str, ends: np.ndarray, width: float, colour: tuple) -> None:
        """Add an "arrow" or a "capsule" of that radius [m]."""
        import mujoco

        shape = getattr(mujoco.mjtGeom, f"mjGEOM_{kind.upper()}")
        if np.linalg.norm(ends[1] - ends[0]) < 1e-9:
            return
        geom = self._add(shape, np.zeros(3), np.zeros(3), colour)
        mujoco.mjv_connector(geom, shape, width, ends[0], ends[1])

    def _add(self, shape: Any, size: Any, centre: np.ndarray, colour: tuple) -> Any:
        import mujoco

        if self.scene.ngeom >= MOST_GEOMS:
            raise ViewError(f"a picture has more than {MOST_GEOMS} parts; draw fewer motions")
        geom = self.scene.geoms[self.scene.ngeom]
        rgba = np.array([*colour, 1.0][:4], np.float32)
        mujoco.mjv_initGeom(
            geom, shape, np.array(size, float), np.array(centre, float), np.eye(3).ravel(), rgba
        )
        geom.category = mujoco.mjtCatBit.mjCAT_DECOR
        self.scene.ngeom += 1
        return geom
