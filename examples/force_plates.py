"""Two force plates under a walking humanoid, as in a gait laboratory."""

import matplotlib.pyplot as plt
import numpy as np

import stiction as st

walk = st.patterns.walk(st.robots.hoap1(), steps=4)
motion = st.simulate(
    st.World(walk.robot),
    st.Coulomb(mu_static=0.8, mu_kinetic=0.6),
    state=walk.state,
    controller=walk.tracking(),
    duration=walk.duration,
)
weight = walk.robot.total_mass * 9.81
for side, y in (("left", 0.15), ("right", -0.15)):
    plate = st.ForcePlate(side, centre=(0.0, y), size=(2.0, 0.3))
    reading = motion.force_plate(plate)
    peak = np.nanmax(reading.force[:, 2]) / weight
    print(f"{side} plate: largest vertical force {peak:.2f} of body weight")
    plt.plot(motion.time, reading.force[:, 2] / weight, label=side)
plt.gca().set(xlabel="time [s]", ylabel="vertical force / body weight")
plt.legend()
plt.savefig("force_plates.png", dpi=60)
