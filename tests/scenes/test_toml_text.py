"""Scene files that would keep Python's reader busy, or break it, are refused at once."""

from pathlib import Path

import pytest

from stiction.errors import SceneFileError
from stiction.scenes.reader import parse_scene
from stiction.scenes.toml_text import values_of

pytestmark = pytest.mark.interpreted

SCENE = 'shows = "a"\nduration = 1\n[robot]\nmodel = "ball"\n'


def refusal(text):
    with pytest.raises(SceneFileError) as caught:
        parse_scene(text, Path("scene.toml"))
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a = " + "[" * 100_000, "line 1: brackets in more than 50 others"),
        ("\na = " + "[" * 60 + "]" * 60, "line 2: brackets in more than 50 others"),
        ("a = " + "{a=" * 100_000, "line 1: brackets in more than 50 others"),
        (".".join("a" * 100_000) + " = 1", "line 1: a key of more than 20 parts"),
        ("[" + " . ".join("a" * 100_000) + "]", "line 1: a key of more than 20 parts"),
        (".".join(['"a b"'] * 30) + " = 1", "line 1: a key of more than 20 parts"),
        ("\n".join(f"a{k} = 1" for k in range(200_001)), "more than 200000 keys"),
        ("# " + "x" * 9_000_000, "has 9000002 characters; the maximum is 8000000"),
        ("a = " + "1" * 5000, "not TOML"),
        ('a = "' + '"""' * 50_001, "not TOML"),
    ],
    ids=[
        "arrays",
        "closed",
        "tables",
        "keys",
        "header",
        "quoted",
        "many",
        "long",
        "digits",
        "quotes",
    ],
)
def test_text_without_end_is_refused(text, words):
    assert words in refusal(text)


def test_brackets_dots_and_signs_in_strings_and_comments_are_text():
    text = f'a = "{"[" * 60}"\nb = \'{"x." * 30}\'\n# {"[" * 60}\nc = """\n{"[" * 60}"""\n'
    assert set(values_of(text, Path("scene.toml"))) == {"a", "b", "c"}


@pytest.mark.parametrize("number", ["1e300", "-1e16", "inf", "nan", "1" * 400, "9" * 4000])
@pytest.mark.parametrize(
    "place",
    [
        "duration = {}",
        "dt = {}",
        "gravity = [0, 0, {}]",
        "[ground]\nkind = 'plane'\nheight = {}",
        "[ground]\nkind = 'steps'\nrise = 0.1\nrun = 0.3\ncount = {}",
        "[ground]\nkind = 'rough'\namplitude = 0.1\nspacing = {}\nsize = [1, 1]",
        "[robot]\nmodel = 'ball'\nposition = [0, 0, {}]",
        "[robot]\nmodel = 'ball'\n[robot.options]\nradius = {}",
        "[[push]]\nbody = 'ball'\nforce = [0, 0, {}]\nstart = 0\nstop = 1",
        "[contact]\nmodel = 'Coulomb'\nmu_static = {}",
    ],
)
def test_an_absurd_number_is_refused_with_its_line(place, number):
    text = place.format(number)
    if "[robot]" not in text:
        text += "\n[robot]\nmodel = 'ball'"
    text = text if "duration" in text else "duration = 1\n" + text
    message = refusal("shows = 'a'\n" + text)
    assert message.startswith("scene.toml, line ")
    assert len(message) < 2000
