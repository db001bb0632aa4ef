"""Sensors of a batch on CUDA against the CPU; a program of its own, see `tests/batch/`."""

import numpy as np

import stiction as st

SENSORS = [
    st.Sensor("imu", kind="imu", link="ball"),
    st.Sensor("touch", kind="touch", link="ball", noise=0.5),
    st.Sensor("late", kind="framelinvel", link="ball", delay=0.002),
]
for sensors in (SENSORS[:2], SENSORS):  # without a delay the record stays on the device
    world = st.World(st.robots.ball().with_sensors(sensors))
    state = world.standing()
    state.v[0] = 0.3
    read = []
    for device in ("cpu", "cuda"):
        batch = st.BatchSimulation(world, 2, states=state, device=device, sensors=True)
        batch.step(4)
        batch.step(1)
        read.append(batch.sensors)
    ours, theirs = read
    print(max(np.abs(ours[name] - theirs[name]).max() for name in ours))
