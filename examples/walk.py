"""A small humanoid walks ten steps that were planned for it; the floor is one of many models."""

import numpy as np

import stiction as st

pattern = st.patterns.walk(st.robots.hoap1(), steps=10)
print(
    f"planned {pattern.duration:.1f} s, zero-moment point {pattern.zmp_margin * 1e3:.0f} mm inside"
)
world = st.World(pattern.robot)
floor = st.GaussSeidel(mu_static=0.8, mu_kinetic=0.6)
motion = st.simulate(
    world,
    floor,
    state=pattern.state,
    controller=pattern.tracking(),
    duration=pattern.duration,
    dt=0.001,
)
walked = motion.q[-1, :3] - motion.q[0, :3]
missed = np.linalg.norm(motion.q[-1, :3] - pattern.q[-1, :3])
print(f"walked {walked[0]:.3f} m, {missed * 1e3:.2f} mm off the plan, friction {floor.mu_static}")
motion.plot().savefig("walk.png", dpi=60)
