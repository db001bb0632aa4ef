"""Requirements of the tests of pictures and videos."""

import pytest


@pytest.fixture(autouse=True)
def _egl(egl):
    """All of them need EGL."""
