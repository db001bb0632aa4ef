"""`make package`: what goes into an index; the wheel itself is built and tried by .ci/run."""

import importlib.util
import re
import tomllib
from pathlib import Path

import pytest

pytestmark = pytest.mark.plain

ROOT = Path(__file__).parents[1]
SPEC = importlib.util.spec_from_file_location("package", ROOT / "tools" / "package.py")
package = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(package)
HOST = "https://host.example/owner/stiction"


def test_links_and_pictures_lead_to_the_host():
    text = (
        "![a walk](docs/walk.gif), [a\npage](docs/a.md#part), [far](https://x.example), [here](#b)"
    )
    assert package.absolute(text, HOST, "v1") == (
        f"![a walk]({HOST}/raw/v1/docs/walk.gif), [a\npage]({HOST}/blob/v1/docs/a.md#part), "
        "[far](https://x.example), [here](#b)"
    )


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="git tells what belongs to the package")
def test_a_package_for_an_index_names_the_host_and_has_no_relative_link(tmp_path):
    package.copied(tmp_path, HOST)
    project = tomllib.loads((tmp_path / "pyproject.toml").read_text())["project"]
    assert project["urls"]["Homepage"] == HOST
    assert set(re.findall(r"\]\((?!https://)", (tmp_path / "README.md").read_text())) == set()
    assert (tmp_path / "docs" / "walking.gif").is_file()
    assert not (tmp_path / ".ci").exists()


def test_extras_are_what_pip_is_told_to_install():
    """Messages name extras; each of them is there."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
        "optional-dependencies"
    ]
    told = {
        name
        for path in [*ROOT.glob("stiction/**/*.py"), *ROOT.glob("docs/**/*.md")]
        for name in re.findall(r"stiction\[(\w+)\]", path.read_text(encoding="utf-8"))
    }
    assert {"video", "gym", "gpu", "tables", "peers", "ray"} <= told <= set(extras)
