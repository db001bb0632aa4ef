"""One module has all that the author of a plug-in imports."""

import re
from pathlib import Path

import pytest

from stiction import extend

DOCS = Path(__file__).parents[1] / "docs"


def test_every_name_is_there():
    assert [name for name in extend.__all__ if not hasattr(extend, name)] == []


@pytest.mark.parametrize("plug_in", ["a_contact_model", "an_integrator", "a_controller"])
def test_plug_ins_of_the_docs_import_nothing_else_of_ours(plug_in):
    text = (DOCS / f"adding_{plug_in}.md").read_text()
    imported = re.findall(r"^(?:from|import) (stiction[\w.]*)", text, re.MULTILINE)
    assert set(imported) == {"stiction", "stiction.extend"}
