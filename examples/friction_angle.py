"""A brick on slopes around the friction angle: it rests below it and slides above it."""

import matplotlib.pyplot as plt
import numpy as np

import stiction as st

floor = st.Coulomb(mu_static=0.5, mu_kinetic=0.5)
limit = np.arctan(0.5)
for share in (0.9, 0.99, 1.01, 1.1):
    angle = share * limit
    turn = (np.cos(angle / 2), 0.0, -np.sin(angle / 2), 0.0)  # flat on the slope
    brick = st.robots.brick().at((0.0, 0.0, 0.1), turn=turn)
    world = st.World(brick, ground=st.Slope(angle))
    motion = st.simulate(world, floor, state=world.standing(), duration=1.0, dt=0.001)
    distance = np.linalg.norm(motion.q[:, :3] - motion.q[0, :3], axis=1)
    print(f"{100 * share:.0f} % of the friction angle: {1e3 * distance[-1]:.3g} mm in a second")
    plt.plot(motion.time, 1e3 * distance, label=f"{100 * share:.0f} %")
plt.gca().set(xlabel="time [s]", ylabel="distance [mm]", title="slope / friction angle")
plt.legend()
plt.savefig("friction_angle.png", dpi=60)
