"""A small humanoid squats as planned for it, and ends close to the plan."""

import numpy as np

import stiction as st

pattern = st.patterns.squat(st.robots.hoap1())
motion = st.simulate(
    st.World(pattern.robot),
    st.Coulomb(mu_static=0.8, mu_kinetic=0.6),
    state=pattern.state,
    controller=pattern.tracking(),
    duration=pattern.duration,
)
missed = np.linalg.norm(motion.q[-1, :3] - pattern.q[-1, :3])
print(f"base from {motion.q[:, 2].min():.3f} to {motion.q[:, 2].max():.3f} m high")
print(f"{1e3 * missed:.2f} mm off the plan at the end, {motion.unsolved.count} unsolved steps")
motion.plot("base height", "contact force").savefig("squat.png", dpi=60)
