"""The ball of Fig. 4 and the walk of Fig. 11 under all models: what the choice of model changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import stiction as st
from stiction.bench.closed_forms.models import Contender, Load, Material, model_for
from stiction.contact.contact_model import FORCE_LAW, MODELS, our_models
from stiction.papers.feedback import ball
from stiction.papers.feedback.walk import FEET, MU, plan
from stiction.papers.feedback.walk import SCENE as WALK
from stiction.papers.others import walk_row, walking_models
from stiction.papers.peer import NAME, Peer, mujoco_motion

if TYPE_CHECKING:
    from matplotlib.figure import Figure

G, DURATION = 9.81, 0.8  # of the fall [s]
DT, DT_LAW = 1e-3, 1e-4  # [s]


def fallen() -> dict[str, tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
    """Time, height, speed and force of the ball under every model."""
    scene, found = st.scenes.scene(ball.SCENE), {}
    for kind in our_models():
        dt = DT_LAW if MODELS[kind].family == FORCE_LAW else DT
        contender = Contender(kind.__name__, kind, {}, st.Midpoint())
        model = model_for(contender, Load(Material(speed=ball.SPEED), ball.MASS, dt))
        motion = scene.simulate(contact=model, dt=dt, duration=DURATION)
        force = ball.normal_force(motion)
        found[kind.__name__] = (motion.time, ball.height(motion), motion.v[:, 2], force)
    peer = Peer("sphere", (ball.RADIUS,), ball.MASS, ball.RADIUS + 0.1)
    theirs = mujoco_motion(peer, DURATION, DT)
    height = theirs.q[:, 2] - ball.RADIUS
    found[NAME] = (theirs.time, height, theirs.v[:, 2], theirs.force[:, 2])
    return found


def data() -> dict[str, Any]:
    """Both experiments under every model."""
    pattern, scene = plan(), st.scenes.scene(WALK)
    walks = []
    for name, other in walking_models(pattern.body.mass, MU, MU).items():
        if name == "Feedback":
            other = other._replace(model=other.model._replace(steady_depth=1e-4))
        walks.append(walk_row(name, other, scene, pattern, FEET))
    return {"balls": fallen(), "walks": walks}


def ball_rows(data: dict[str, Any]) -> list[dict[str, Any]]:
    """The ball under every model, in numbers."""
    rows = []
    for name, (time, height, speed, force) in data["balls"].items():
        hit = int(np.argmax(force > 0))
        after = slice(hit + 1, None)
        rows.append(
            {
                "model": name,
                "step [ms]": 1000 * float(time[1] - time[0]),
                "rebound speed / impact speed": float(max(0.0, speed[after].max()) / ball.SPEED),
                "greatest depth [mm]": -1000 * float(height.min()),
                "depth at the end [mm]": -1000 * float(height[-1]),
                "peak force / weight": float(force.max() / (ball.MASS * G)),
            }
        )
    return rows


def measures(data: dict[str, Any]) -> dict[str, float]:
    """How many models walk, and how their rebounds differ."""
    rebounds = [row["rebound speed / impact speed"] for row in ball_rows(data)]
    return {
        "models that walk": sum(row["walks"] for row in data["walks"]),
        "largest rebound": max(rebounds),
    }


def draw(data: dict[str, Any]) -> Figure:
    """Height of the ball around its impact, and chatter of the walks."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 8), layout="constrained")
    left, right = figure.subplots(2, 1)
    for k, (name, (time, height, _, _)) in enumerate(data["balls"].items()):
        line = "-" if k < 6 else "--"
        left.plot(time, 1000 * height, line, lw=0.9, label=name)
    left.set(xlabel="time (s)", ylabel="height of the ball (mm)", xlim=(0.13, 0.3), ylim=(-11, 8))
    left.legend(fontsize=7, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    rows = [row for row in data["walks"] if row["walks"]]
    right.barh([row["model"] for row in rows], [row["chatter [%]"] for row in rows])
    right.set(xscale="log", xlabel="chatter of the stance foot's force (% of the weight)")
    return figure


def tables(data: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Both experiments."""
    return {
        "The ball, 10 cm, no restitution asked for": ball_rows(data),
        "The walk of five steps": data["walks"],
    }
