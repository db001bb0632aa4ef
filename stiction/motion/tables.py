"""A `Motion` as a table: pandas, xarray, CSV, and OpenSim."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from stiction.errors import InputError, not_installed
from stiction.files.written import check_kind, write_whole
from stiction.kernels.tree import FREE, PRISMATIC, Q_SIZE, REVOLUTE, SPHERICAL

if TYPE_CHECKING:
    from stiction.world.world import World

QUATERNION = ("qw", "qx", "qy", "qz")
PARTS = {FREE: ("x", "y", "z", *QUATERNION), SPHERICAL: QUATERNION}
AXES = ("x", "y", "z")
Q_UNITS = {FREE: "m m m 1 1 1 1", REVOLUTE: "rad", PRISMATIC: "m", SPHERICAL: "1 1 1 1"}
V_UNITS = {
    FREE: "m/s m/s m/s rad/s rad/s rad/s",
    REVOLUTE: "rad/s",
    PRISMATIC: "m/s",
    SPHERICAL: "rad/s rad/s rad/s",
}
UNITS = {  # of whole arrays
    "time": "s",
    "q": "m, rad, or 1 for quaternions",
    "v": "m/s or rad/s",
    "torque": "N or N m",
    "passive": "N or N m",
    "force": "N",
    "depth": "m",
}


class Tables:
    """The methods of `Motion` that hand its arrays to other libraries."""

    def to_pandas(self) -> Any:
        """Return a data frame with a row per sample and the time as index [s].

        Columns: `q NAME` and `v NAME` of every coordinate, `torque NAME`, `passive NAME`, and the
        contact force on everything, `force x`, `force y`, `force z` [N]. `attrs["units"]` has the
        unit of every column, and of the time.
        """
        pandas = _imported("pandas")
        names, values = columns_of(self)
        index = pandas.Index(values[:, 0], name="time")
        frame = pandas.DataFrame(values[:, 1:], index=index, columns=names[1:])
        frame.attrs["units"] = dict(zip(names, units_of(_motion(self).world), strict=True))
        return frame

    def to_xarray(self) -> Any:
        """Return a data set: q, v, torque, passive, force and depth with named coordinates.

        `attrs["units"]` of a variable is its unit.
        """
        xarray, motion = _imported("xarray"), _motion(self)
        velocities = velocity_names(motion.world)
        points = [
            f"{k} {name}" for k, name in enumerate(motion.parameters.get("contact_points", []))
        ]
        if len(points) != motion.depth.shape[1]:
            points = [str(k) for k in range(motion.depth.shape[1])]
        along = ("time", "velocity")
        data = xarray.Dataset(
            {
                "q": (("time", "position"), motion.q),
                "v": (along, motion.v),
                "torque": (along, motion.torque),
                "passive": (along, motion.passive),
                "force": (("time", "point", "axis"), motion.force),
                "depth": (("time", "point"), motion.depth),
            },
            coords={
                "time": motion.time,
                "position": position_names(motion.world),
                "velocity": velocities,
                "point": points,
                "axis": list(AXES),
            },
        )
        for name, unit in UNITS.items():
            data[name].attrs["units"] = unit
        return data

    def save_csv(self, path: str | Path) -> Path:
        """Write the columns of `to_pandas` as text, the time first; numbers keep all digits."""
        path = check_kind(path, (".csv",), "save_csv", InputError)
        names, values = columns_of(self)
        lines = [",".join(f'"{name}"' for name in names)]
        lines += [",".join(map(repr, row)) for row in values.tolist()]
        write_whole(path, ("\n".join(lines) + "\n").encode(), "a table", InputError)
        return path

    def save_sto(self, path: str | Path) -> Path:
        """Write the coordinates as a storage file of OpenSim (.sto), in rad and m.

        `stiction.interchange.opensim` says how free and spherical joints are told.
        """
        from stiction.interchange.opensim import save_sto

        return save_sto(_motion(self), path)


def columns_of(tables: Tables) -> tuple[list[str], np.ndarray]:
    """Names and values, (n, columns), the time first."""
    motion = _motion(tables)
    velocities = velocity_names(motion.world)
    parts = {
        "time": motion.time[:, None],
        **{f"q {name}": motion.q[:, [k]] for k, name in enumerate(position_names(motion.world))},
    }
    for array in ("v", "torque", "passive"):
        values = getattr(motion, array)
        parts |= {f"{array} {name}": values[:, [k]] for k, name in enumerate(velocities)}
    force = motion.total_force()
    parts |= {f"force {axis}": force[:, [k]] for k, axis in enumerate(AXES)}
    return list(parts), np.hstack(list(parts.values()))


def units_of(world: World) -> list[str]:
    """Units of the columns."""
    kinds = world.tree.joint_type[1:].tolist()  # link 0 is the world
    positions = [unit for kind in kinds for unit in Q_UNITS[kind].split()]
    velocities = [unit for kind in kinds for unit in V_UNITS[kind].split()]
    forces = ["N" if unit == "m/s" else "N m" for unit in velocities]
    return ["s", *positions, *velocities, *forces, *forces, "N", "N", "N"]


def position_names(world: World) -> list[str]:
    """A name for every number of q."""
    tree, found = world.tree, [""] * world.nq
    for link, name in enumerate(world.joint_names):
        if link == 0:  # the world
            continue
        kind = int(tree.joint_type[link])
        parts = PARTS.get(kind, ("",))
        for k in range(Q_SIZE[kind]):
            found[tree.q_index[link] + k] = f"{name} {parts[k]}".strip()
    return found


def velocity_names(world: World) -> list[str]:
    """A name for every number of v."""
    return [world.dof_name(d) for d in range(world.nv)]


def _motion(tables: Tables) -> Any:
    return tables


def _imported(name: str) -> Any:
    from importlib import import_module

    try:
        return import_module(name)
    except ImportError:
        raise not_installed("a motion as a table", name, "stiction[tables]") from None
