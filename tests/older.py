"""Motion files as earlier versions wrote them."""

import numpy as np

from stiction.motion.arrays import DENSE, LATER
from stiction.motion.file import attributes_of, robots_of
from stiction.motion.hdf5 import image
from stiction.step.record import STATE


def save_older(motion, path, number=2):
    """Write a file of format 1, without a checksum, or 2: dense arrays, and no contact states."""
    import h5py

    arrays = {name: np.asarray(getattr(motion, name), float) for name in (*DENSE, *LATER)}
    arrays["between"] = arrays["between"][..., :STATE]
    attributes = attributes_of(motion) | {"format": number}
    del attributes["points"], attributes["points_between"]
    path.write_bytes(image(attributes, arrays, robots_of(motion.world)))
    if number == 1:
        with h5py.File(path, "r+") as file:
            del file.attrs["checksum"]
