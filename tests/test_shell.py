"""The command line among other programs: JSON, pipes, full disks, completion by the shell."""

import errno
import json
import os
import subprocess
import sys

import numpy as np
import pytest

from stiction.cli import Command, document, main

pytestmark = pytest.mark.plain


def test_json_has_identifiers_as_keys_and_their_units_beside_them():
    result = {
        "name": "a",
        "total mass [kg]": 2.0,
        "GaussSeidel even": 1,
        "links": [{"mass [kg]": 0.5}, {"mass [kg]": 1.5}],
        "largest": {"creep, mean [m/s]": np.nan, "99 % slope": True},
        "odd [% width]": 3,
        "odd [deg]": 4,
    }
    assert document(result) == {
        "name": "a",
        "total_mass": 2.0,
        "GaussSeidel_even": 1,
        "links": [{"mass": 0.5}, {"mass": 1.5}],
        "largest": {"creep_mean": None, "_99_percent_slope": True},
        "odd_percent_width": 3,
        "odd_deg": 4,
        "units": {
            "total_mass": "kg",
            "links.mass": "kg",
            "largest.creep_mean": "m/s",
            "odd_percent_width": "% width",
            "odd_deg": "deg",
        },
    }


def keys_of(value):
    """All keys of a document."""
    if isinstance(value, list):
        return {key for entry in value for key in keys_of(entry)}
    if not isinstance(value, dict):
        return set()
    return {*value, *(key for one in value for key in keys_of(value[one]) if one != "units")}


@pytest.mark.parametrize(
    "line",
    ["robots", "robots hoap1", "models", "models Coulomb", "scenes", "scenes walk"]
    + ["run ball --contact none --duration 0.01"],
)
def test_keys_of_commands_are_identifiers(line, capsys):
    assert main([*line.split(), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [key for key in keys_of(found) if not key.isidentifier()] == []
    for path in found.get("units", ()):
        assert set(path.split(".")) <= keys_of(found)


def shell(line):
    """Status and stderr of a line of the shell, in which `stiction` is this one."""
    line = line.replace("stiction", f"{sys.executable} -m stiction")
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", line], env=buffered, capture_output=True, text=True
    )
    return done.returncode, done.stderr


@pytest.mark.parametrize("words", ["--help", "bench gym --help", "scenes --json"])
def test_a_reader_may_stop_and_a_full_disk_is_one_line(words):
    assert shell(f"stiction {words} | head -1") == (0, "")
    told = "stiction: error: the output cannot be written: No space left on device\n"
    assert shell(f"stiction {words} > /dev/full") == (1, told)


def failing(error):
    """A command line with one command, which raises an error."""

    def run(args):
        raise error

    return (Command("try", "tries something", lambda parser: None, run),)


def test_a_full_disk_is_one_line_whoever_finds_it(capsys):
    full = OSError(errno.ENOSPC, "No space left on device", "page.html")
    assert main(["try"], failing(full)) == 1
    told = "stiction: error: page.html cannot be written: No space left on device\n"
    assert capsys.readouterr() == ("", told)
    with pytest.raises(OSError, match="no such device"):
        main(["try"], failing(OSError(errno.ENODEV, "no such device")))


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("stiction rob", ["robots "]),
        ("stiction bench l", ["lcp", "lelidec"]),
        ("stiction run ball --cont", ["--contact", "--controller"]),
        ("stiction run ball --inertia r", ["repair "]),
        ("stiction run ball --contact Bal", ["Balanced "]),
        ("stiction run walk-on", ["walk-on-ice", "walk-on-rough-ground"]),
        ("stiction run hoa", ["hoap1 "]),
        ("stiction robots her", ["here.xml "]),
        ("stiction tune sole hoa", ["hoap1 "]),
        ("stiction view hoa", ["hoap1 "]),
        ("stiction reproduce b", ["balanced "]),
        ("stiction bench lelidec --scene st", ["stack "]),
        ("stiction bench dynamics --robot h", ["here.xml "]),
    ],
)
def test_the_shell_completes(line, words, tmp_path):
    (tmp_path / "here.xml").touch()
    asked = {"_ARGCOMPLETE": "1", "COMP_LINE": line, "COMP_POINT": str(len(line))}
    asked |= {"_ARGCOMPLETE_STDOUT_FILENAME": str(tmp_path / "answer")}
    run = [
        sys.executable,
        "-c",
        "import sys; sys.argv[0] = 'stiction'; from stiction.cli import main; main()",
    ]
    subprocess.run(run, env=os.environ | asked, cwd=tmp_path, capture_output=True)
    assert sorted((tmp_path / "answer").read_text().split("\013")) == words
