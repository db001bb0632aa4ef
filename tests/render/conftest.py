"""Requirements of the tests of pictures and videos."""

import pytest

from conftest import missing
from stiction.errors import ViewError
from stiction.render.canvas import opened_context


@pytest.fixture(autouse=True)
def egl():
    """Skip, or fail where EGL is required, if there is none."""
    try:
        opened_context(16, 16).free()
    except ViewError as error:
        missing("egl", str(error))
