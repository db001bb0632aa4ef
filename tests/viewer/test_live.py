"""A running simulation in a browser: it runs, is pushed, starts again, and changes its model."""

import numpy as np
import pytest

import stiction as st
from browsing import chromium, until

pytestmark = pytest.mark.interpreted


@pytest.fixture
def live():
    world = st.World(st.robots.brick())
    floor = st.ImplicitSpringDamper(stiffness=2e3, damping=50.0)
    simulation = st.Simulation(world, floor, dt=0.002, state=world.standing(above=0.05))
    made = st.view(simulation, speed=0.25, wait=False)
    yield made
    made.close()


def test_the_live_view_runs_is_pushed_switches_models_and_starts_again(live):
    with chromium() as browser:
        opened = browser.opened(live.address)
        opened.page.get_by_text("Contact model").wait_for(state="attached")
        until(lambda: live.simulation.contacts)  # it came down
        forces = live.stage.actors[0].marks.nodes
        until(lambda: "forces" in forces and forces["forces"].visible)

        def pushed():  # again and again: on a busy machine one push may come while it bounces
            opened.click("left")
            return live.simulation.state.q[1] > 0.001

        until(pushed)
        opened.page.get_by_label("Model", exact=True).click(force=True)
        opened.page.get_by_role("option", name="SpringDamper", exact=True).click(force=True)
        until(lambda: type(live.simulation.contact) is st.SpringDamper)
        until(lambda: len(live.controls.fields) == len(st.SpringDamper._fields))
        time = live.simulation.time
        opened.press("Start again", lambda: live.simulation.time < time)
        assert opened.errors == []
        assert opened.elsewhere(live.address) == []


def test_a_model_that_cannot_be_keeps_the_present_one(live):
    live.ask(lambda: live.controls._chosen(st.SpringDamper(stiffness=-1.0)))
    until(lambda: "stiffness" in live.message)
    assert type(live.simulation.contact) is st.ImplicitSpringDamper


def test_a_pull_moves_the_link(live):
    live.ask(lambda: live.pull(1, np.zeros(3), np.array([0.0, -20.0, 0.0]), 0.2))
    until(lambda: live.simulation.state.q[1] < -0.001)


def test_only_simulations_are_viewed_live():
    with pytest.raises(st.StictionError, match="motion.show"):
        st.view(st.World(st.robots.brick()))
