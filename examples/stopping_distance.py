"""Bricks slide to a stop in any direction, as far as constant friction says: v^2 / (2 mu g)."""

import matplotlib.pyplot as plt
import numpy as np

import stiction as st

world = st.World(st.robots.brick())
floor = st.Coulomb(mu_static=0.5, mu_kinetic=0.5)
exact = 1.0 / (2 * 0.5 * 9.81)
for heading in np.radians(range(0, 360, 30)):
    state = world.standing()
    state.v[:2] = np.cos(heading), np.sin(heading)
    motion = st.simulate(world, floor, state=state, duration=0.3, dt=0.001)
    path = motion.q[:, :2] - motion.q[0, :2]
    plt.plot(*path.T)
    error = np.linalg.norm(path[-1]) / exact - 1
    print(f"heading {np.degrees(heading):3.0f} degrees: {abs(error):.0e} of the distance off")
plt.gca().add_patch(plt.Circle((0, 0), exact, fill=False, ls=":"))
plt.gca().set(xlabel="x [m]", ylabel="y [m]", aspect="equal")
plt.savefig("stopping_distance.png", dpi=60)
