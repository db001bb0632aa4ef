"""A brick put on a moving belt slides until it moves with the belt."""

import matplotlib.pyplot as plt

import stiction as st

for mu in (0.2, 0.4, 0.8):
    world = st.World(st.robots.brick(), ground=st.Plane(velocity=(1.0, 0.0, 0.0)))
    floor = st.Coulomb(mu_static=mu, mu_kinetic=mu)
    motion = st.simulate(world, floor, state=world.standing(), duration=0.8, dt=0.001)
    speed = motion.v[:, 0]
    print(
        f"friction {mu}: moves with the belt after {motion.time[speed > 0.9999][0]:.3f} s, "
        f"exact {1 / (mu * 9.81):.3f} s"
    )
    plt.plot(motion.time, speed, label=f"friction {mu}")
plt.gca().set(xlabel="time [s]", ylabel="speed of the brick [m/s]")
plt.legend()
plt.savefig("treadmill.png", dpi=60)
