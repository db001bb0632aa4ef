"""Balls bounce; each bounce multiplies the height by the square of the restitution."""

import matplotlib.pyplot as plt

import stiction as st

world = st.World(st.robots.ball(radius=0.05, mass=1.0))
for restitution in (0.0, 0.5, 0.8, 0.95):
    floor = st.Coulomb(restitution=restitution)
    motion = st.simulate(world, floor, state=world.standing(above=0.5), duration=2.0, dt=0.001)
    height = motion.q[:, 2] - 0.05
    second = height[motion.time > 0.33].max()
    print(
        f"restitution {restitution}: second height {second:.4f} m, exact {restitution**2 / 2:.4f}"
    )
    plt.plot(motion.time, height, label=f"restitution {restitution}")
plt.gca().set(xlabel="time [s]", ylabel="height [m]")
plt.legend()
plt.savefig("bouncing_ball.png", dpi=60)
