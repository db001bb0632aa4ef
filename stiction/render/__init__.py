"""Motion -> pictures and videos, without a display, by MuJoCo's renderer through EGL."""

from stiction.render.camera import VIEWS
from stiction.render.pictures import image
from stiction.render.videos import video

__all__ = ["VIEWS", "image", "video"]
