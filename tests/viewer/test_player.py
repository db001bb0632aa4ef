"""`motion.show()` in a browser: it plays, steps, and shows and hides marks."""

import socket

import pytest

import stiction as st
from browsing import chromium, until
from drawn import fallen_brick

pytestmark = pytest.mark.plain


@pytest.fixture
def player():
    made = fallen_brick().show(wait=False, fps=25)
    yield made
    made.close()


def test_the_player_plays_pauses_steps_and_hides(player):
    with chromium() as browser:
        opened = browser.opened(player.address)
        opened.page.get_by_text("Legend").wait_for(state="attached")
        seen = set()
        until(lambda: seen.add(int(player.now)) or len(seen) >= 3)  # it plays
        opened.press("Pause", lambda: not player.playing)
        player.show(1)
        opened.press("forward", lambda: int(player.now) == 2)
        node = player.stage.actors[0].links[1]
        before = node.position[2]
        opened.press("forward", lambda: node.position[2] < before)  # the robot moved
        player.show(9)
        marks = player.stage.actors[0].marks
        assert marks.nodes["forces"].visible
        opened.page.get_by_label("forces", exact=True).click(force=True)
        until(lambda: not marks.nodes["forces"].visible)
        assert opened.errors == []
        assert opened.elsewhere(player.address) == []


def test_a_port_in_use_is_named():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(st.StictionError, match=f"port {port} of 127.0.0.1 cannot be used"):
            fallen_brick().show(wait=False, host="127.0.0.1", port=port)


@pytest.mark.parametrize("port", [0, -3, 70000, "8080"])
def test_a_port_is_a_number(port):
    with pytest.raises(st.StictionError, match="from 1 to 65535"):
        fallen_brick().show(wait=False, port=port)


def test_another_host_is_warned_of():
    with pytest.warns(UserWarning, match="everyone who reaches this machine"):
        fallen_brick().show(wait=False, host="0.0.0.0").close()
