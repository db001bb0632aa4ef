"""claims.toml: what is read, and what is refused with its line."""

import math

import pytest

from papers import made_up
from stiction.errors import ClaimsFileError, InputError
from stiction.papers.claims import FOLDER, paper_keys, read_claims, read_paper
from stiction.papers.figures import figure_names

pytestmark = pytest.mark.interpreted


def test_a_claim_has_its_band(tmp_path):
    made_up.paper(tmp_path, "numbers", made_up.claim())
    (found,) = read_claims("numbers", tmp_path)
    assert (found.id, found.figure, found.measure, found.unit) == ("two", "fig01", "two", "m")
    assert [found.holds(value) for value in (0.99, 1.0, 3.0, 3.01, math.nan)] == [
        *(False, True, True, False, False)
    ]
    assert found.band == "1 to 3"
    assert found.explained is None


def test_a_band_may_be_open(tmp_path):
    text = made_up.claim().replace("low = 1.0\n", "")
    made_up.paper(tmp_path, "numbers", text)
    (found,) = read_claims("numbers", tmp_path)
    assert found.band == "at most 3"
    assert found.holds(-1e300)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('id = "two"', 'id = "two words"', "line 8: claim[0].id: is 'two words'; give a name of"),
        ('unit = "m"\n', "", "claim[0].unit: is missing; give a unit"),
        ("low = 1.0", 'low = "1"', "line 16: claim[0].low: is '1'; give a number"),
        ("low = 1.0", "low = 4.0", "claim[0].low: is 4, above 'high' 3"),
        ("low = 1.0\nhigh = 3.0\n", "", "claim[0]: has neither 'low' nor 'high'; give a band"),
        ("quote", "quoted", "unknown key; did you mean 'quote'?"),
        ("quote = ", "quote ", "not TOML"),
        ('figure = "fig01"', 'figure = "../fig01"', "give the name of a module"),
        ("[paper]", "[papers]", "unknown key; did you mean 'paper'?"),
        ('title = "On numbers"', "", "paper.title: is missing"),
    ],
)
def test_a_bad_file_is_told_with_its_line(old, new, message, tmp_path):
    folder = made_up.paper(tmp_path, "numbers", made_up.claim())
    path = folder / "claims.toml"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    with pytest.raises(ClaimsFileError) as error:
        read_paper("numbers", tmp_path)
    assert message in str(error.value)
    assert str(path) in str(error.value)


def test_two_claims_with_one_id_are_refused(tmp_path):
    made_up.paper(tmp_path, "numbers", made_up.claim() + made_up.claim())
    with pytest.raises(ClaimsFileError, match="'two' is the id of another claim"):
        read_paper("numbers", tmp_path)


def test_a_paper_without_claims_is_refused(tmp_path):
    made_up.paper(tmp_path, "numbers", "")
    with pytest.raises(ClaimsFileError, match="at least one"):
        read_paper("numbers", tmp_path)


def test_an_unknown_paper_is_told_what_there_is(tmp_path):
    made_up.paper(tmp_path, "numbers", made_up.claim())
    with pytest.raises(InputError, match="no paper 'number'; known are numbers; did you mean"):
        read_paper("number", tmp_path)


@pytest.mark.parametrize("key", paper_keys())
def test_every_claim_of_ours_names_a_figure_that_exists(key):
    figures = figure_names(FOLDER / key)
    assert [claim.id for claim in read_claims(key) if claim.figure not in figures] == []


@pytest.mark.parametrize("key", paper_keys())
def test_every_paper_of_ours_says_what_differs(key):
    assert (FOLDER / key / "README.md").is_file()
