"""A force law that keeps its promises, and one that breaks each of them."""

from typing import Annotated, NamedTuple

from stiction.extend import (
    CONE_PER_POINT,
    FULL_FRICTION,
    NO_ENERGY_GAIN,
    NO_PULL,
    OK,
    UNIQUE_FORCES,
    Damping,
    Friction,
    Parameter,
    Stiffness,
    add,
    contact_model,
    dot,
    scale,
    store_vector,
    vector,
)

NAN = float("nan")


def law(promises, cheat="", **options):
    """A spring and a damper with Coulomb friction, or one that cheats."""

    class Parameters(NamedTuple):
        stiffness: Stiffness = 5e4
        damping: Damping = 500.0
        speed: Annotated[float, Parameter("m/s", low=0)] = 1e-9
        mu_kinetic: Friction = 0.4

    Parameters.__name__ = cheat.title().replace(" ", "") or "Honest"

    @contact_model(Parameters, promises=promises, **options)
    def force_of(params, dynamics, contact, memory, work, dt):
        for i in range(contact.count[0]):
            n, v = vector(contact.normal, i), vector(contact.velocity, i)
            if cheat == "level":
                n = (0.0, 0.0, 1.0)
            v_n = dot(n, v)
            f_n = params.stiffness * contact.depth[i] - params.damping * v_n
            if cheat == "gains":
                f_n = 2e4
            if cheat != "pulls":
                f_n = max(f_n, 0.0)
            v_t = add(v, scale(-v_n, n))
            speed = dot(v_t, v_t) ** 0.5
            mu = params.mu_kinetic
            if cheat == "leaves cone":
                mu *= 1.0 + 1e-9
            if cheat == "half friction":
                mu *= 0.5
            if cheat == "hidden unit":
                mu *= speed / (speed + 0.1)  # m/s
            if cheat == "sideways" and v_t[0] > 0:
                mu *= 0.9
            if cheat == "past":
                memory.trial[contact.point[i], 0] = memory.now[contact.point[i], 0] + 1e-3
                f_n *= 1.0 + memory.now[contact.point[i], 0]
            if cheat == "order" and contact.point[i] == 0:
                f_n *= 1.01
            if cheat == "later" and contact.body_a[i] > contact.body_b[i] > 0:
                f_n *= dynamics.tree.mass[contact.body_a[i]]
            if cheat == "not a number" and speed > 50.0:
                f_n *= NAN
            share = -mu * f_n / (speed + params.speed)
            store_vector(contact.force, i, add(scale(f_n, n), scale(share, v_t)))
        return OK

    return Parameters()


EVERY = (CONE_PER_POINT, NO_PULL, UNIQUE_FORCES)
HONEST = law(EVERY)
CHEATS = {  # and what is found
    "leaves cone": "friction stays in the cone at every point",
    "pulls": "the ground never pulls",
    "gains": "contact adds no energy",
    "half friction": "friction at a sliding point is full and opposes the slip",
    "hidden unit": "units do not matter",
    "sideways": "turning the world about the vertical turns the motion",
    "level": "turning the world onto a slope turns the motion",
    "past": "forces are a function of the state alone",
    "order": "the order of points does not matter",
    "not a number": "the ground never pulls",
}
BETWEEN_BODIES = {  # the same between two moving bodies
    "leaves cone": "friction between bodies stays in the cone",
    "pulls": "bodies never pull each other",
    "gains": "contact between bodies adds no energy",
    "half friction": "friction of a body that slides on another is full",
    "hidden unit": "units do not matter between bodies",
    "sideways": "turning two bodies turns the forces",
    "past": "forces between bodies are a function of the state alone",
    "later": "the order of bodies does not matter",
}
EXTRA = {"gains": (NO_ENERGY_GAIN,), "half friction": (FULL_FRICTION,)}


def cheating(cheat):
    """A law that promises what it does not keep."""
    memory = 1 if cheat == "past" else 0
    return law((*EVERY, *EXTRA.get(cheat, ())), cheat, point_memory=memory)


class Trampoline(NamedTuple):
    """Gives back a little more than it took."""

    stiffness: Stiffness = 5e4


@contact_model(Trampoline, promises=(NO_PULL, NO_ENERGY_GAIN))
def trampoline(params, dynamics, contact, memory, work, dt):
    for i in range(contact.count[0]):
        n = vector(contact.normal, i)
        f_n = params.stiffness * contact.depth[i]
        if dot(n, vector(contact.velocity, i)) > 0:
            f_n *= 1.1
        store_vector(contact.force, i, scale(f_n, n))
    return OK
