"""Pictures of the contact models: what each does to a falling ball and to a brick that is pulled.

python docs/tools/figures.py [model ...] : writes docs/pictures/models/NAME.png

Left, compliant models: the normal force on a ball that lands at 0.5 m/s, against its depth.
Left, rigid models: the height of a ball that falls from 5 cm. Right, all models: the friction of a
brick that is pulled with a slowly growing force. Grey: Coulomb's law, 0.6 before it slides and 0.4
after.
"""

import sys
import warnings
from pathlib import Path

import matplotlib

import stiction as st

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

FOLDER = Path(__file__).parents[1] / "pictures" / "models"
MU = {"mu_static": 0.6, "mu_kinetic": 0.4}
WEIGHT = 2.0 * 9.81  # of the brick [N]
# of each model: what its curves are called, and the parameters that differ between them
RIGID = {
    "Coulomb": {f"restitution {e}": {"restitution": e} for e in (0.0, 0.5, 0.8)},
    "GaussSeidel": {f"restitution {e}": {"restitution": e} for e in (0.0, 0.5, 0.8)},
    "FacetedLCP": {f"restitution {e}": {"restitution": e} for e in (0.0, 0.5, 0.8)},
    "Multipoint": {f"restitution {e}": {"restitution": e} for e in (0.0, 0.5, 0.8)},
    "Bilateral": {"fixed where it lands": {}},
}
SOFT = {
    "Balanced": {f"relaxation {x} kg$^{{-2}}$": {"relaxation": x} for x in (0.1, 1.0, 10.0)},
    "Feedback": {f"$k_v$ = {x:.0f} 1/s": {"velocity_gain": x} for x in (50.0, 100.0, 250.0)},
    "SpringDamper": {f"damping {c:.0f} N s/m": {"damping": c} for c in (0.0, 30.0, 100.0)},
    "ImplicitSpringDamper": {
        f"dt = {1e3 * dt:g} ms": {"damping": 0.0, "dt": dt} for dt in (1e-4, 1e-3, 3e-3)
    },
    "HuntCrossley": {
        "Hertz": {"damping": 0.0},
        "Kelvin-Voigt": {"damping": 100.0, "beta": 0.0},
        "Hunt-Crossley": {"damping": 3e5},
    },
    "Distributed": {
        f"$\\beta$ = {beta}": {"beta": beta, "damping": damping}
        for beta, damping in ((0.02, 60.0), (0.5, 600.0), (1.0, 6000.0))
    },
}
RATTLE = ("Feedback", "Multipoint")  # whose force changes from step to step where a brick slides
STIFF = {"SpringDamper": 5e3, "ImplicitSpringDamper": 5e3, "HuntCrossley": 1e5, "Distributed": 1e4}


def model(name: str, **values: float) -> tuple:
    """A contact model with the parameters that it has."""
    kind = getattr(st, name)
    return kind(**{key: value for key, value in values.items() if key in kind._fields})


def normal(axes: plt.Axes, name: str) -> None:
    """Draw what happens to a ball."""
    world = st.World(st.robots.ball(radius=0.05, mass=1.0))
    for label, values in (RIGID | SOFT)[name].items():
        dt = values.get("dt", 1e-3 if name in RIGID else 1e-4)
        given = {"stiffness": STIFF.get(name, 5e3), "damping": 30.0, **MU, **values}
        if name in RIGID:
            state = world.standing(above=0.05)
            motion = st.simulate(world, model(name, **given), state=state, duration=0.6, dt=dt)
            axes.plot(motion.time, 1e3 * (motion.q[:, 2] - 0.05), label=label)
            continue
        state = world.standing(above=1e-6)
        state.v[2] = -0.5
        motion = st.simulate(world, model(name, **given), state=state, duration=0.12, dt=dt)
        force, depth = motion.force[:-1, 0, 2], motion.depth[:-1, 0]
        first = np.argmax(depth > 0)
        left = np.flatnonzero(depth[first:] <= 0)  # moments after it has rebounded
        touches = slice(first, first + left[0] if len(left) else None)
        axes.plot(1e3 * depth[touches], force[touches], label=label)
    if name in RIGID:
        axes.set(xlabel="time [s]", ylabel="height of the ball [mm]")
    else:
        scale = "log" if name == "Balanced" else "linear"  # the macro model stops a ball in a step
        axes.set(xlabel="depth [mm]", ylabel="normal force [N]", yscale=scale)
    axes.legend(fontsize=8)


def friction(axes: plt.Axes, name: str) -> None:
    """Draw the friction of a brick against the force that pulls it."""
    brick = st.robots.brick(mass=2.0)
    world = st.World(brick)
    soft = {"stiffness": 2e4, "damping": 100.0, "alpha": 1.0, "beta": 0.0, "thickness": 0.0005}
    soft |= {"tangential_stiffness": 2e4, "tangential_damping": 100.0}
    contact = model(name, **(soft if name not in ("HuntCrossley", "Balanced") else {}), **MU)
    if name == "Feedback":
        contact = contact._replace(mu_kinetic=0.6)
    pull = st.TabulatedForce(
        brick.link_name[0], (0, 0, -0.02), [0.0, 0.2, 1.2], [[0, 0, 0], [0, 0, 0], [WEIGHT, 0, 0]]
    )
    dt = 2e-4 if name in STIFF else 1e-3
    motion = st.simulate(world, contact, forces=[pull], state=world.standing(), duration=1.1, dt=dt)
    pulled = np.interp(motion.time, pull.time, np.array(pull.force)[:, 0]) / WEIGHT
    rubs = -motion.total_force()[:, 0] / WEIGHT
    shown = motion.time > 0.2
    exact = np.where(pulled < 0.6, pulled, 0.4)
    if name in ("Bilateral",):
        exact = pulled
    elif name in ("SpringDamper", "ImplicitSpringDamper", "HuntCrossley"):
        exact = np.minimum(pulled, 0.4)
    elif name == "Feedback":
        exact = np.minimum(pulled, 0.6)
    axes.plot(pulled[shown], exact[shown], color="0.75", lw=4, label="Coulomb's law")
    axes.plot(pulled[shown], rubs[shown], lw=0.6 if name in RATTLE else 1.2, label=name)
    if name in RATTLE:
        mean = np.convolve(rubs[:-1], np.full(40, 1 / 40), mode="same")
        axes.plot(pulled[:-1][shown[:-1]], mean[shown[:-1]], lw=2, label="mean of 40 ms")
    axes.set(xlabel="pull / weight", ylabel="friction / weight", xlim=(0, 0.9), ylim=(0, 0.95))
    axes.legend(fontsize=8)


def draw(name: str) -> None:
    """Write the picture of a model."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(8.0, 3.0), layout="constrained")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # springs without damping gain energy
        normal(left, name)
        friction(right, name)
    left.set_title("a ball lands" if name in SOFT else "a ball falls from 5 cm", fontsize=10)
    right.set_title("a brick is pulled ever harder", fontsize=10)
    for axes in (left, right):
        axes.grid(alpha=0.3)
    FOLDER.mkdir(parents=True, exist_ok=True)
    figure.savefig(FOLDER / f"{name}.png", dpi=80)
    plt.close(figure)
    print(name, flush=True)


if __name__ == "__main__":
    for chosen in sys.argv[1:] or [*RIGID, *SOFT]:
        draw(chosen)
