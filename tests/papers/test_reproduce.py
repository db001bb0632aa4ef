"""`stiction reproduce` on made-up papers: verdicts, exit status, resuming, pages."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from papers import made_up
from stiction.cli import main
from stiction.papers.claims import read_paper
from stiction.papers.figures import digest, figure_names, title
from stiction.papers.stored import job_of, read_result, write_result

pytestmark = pytest.mark.interpreted

KEY = "tiny_paper"
PATIENCE = 240.0  # processes start slowly on a busy machine [s]
MISSING = "raise MissingData('walks.csv is missing; it comes from a laboratory')"
CLAIMS = (
    made_up.claim()
    + made_up.claim("fails", low=2.5)
    + made_up.claim("explained", low=2.5, more='explained = "two is less than 2.5"')
    + made_up.claim("unmeasured", measure="three")
    + made_up.claim("absent", "fig02")
    + made_up.claim("bug", "fig03")
    + made_up.claim("crash", "fig04")
    + made_up.claim("nowhere", "fig05")
)


def command(root, *words):
    return ["reproduce", "--papers", str(root / "papers"), "--out", str(root / "out"), *words]


def verdicts(result):
    return {row["claim"]: row["verdict"] for row in result["claims"]}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The folder of a paper in which everything happens, and the result of running it all."""
    root = tmp_path_factory.mktemp("whole")
    missing = "from stiction.errors import MissingData\n"
    made_up.paper(
        root / "papers",
        KEY,
        CLAIMS,
        fig01=made_up.figure(),
        fig02=made_up.figure("Fig. 2: needs data", MISSING, missing),
        fig03=made_up.figure("Fig. 3: has a bug", "1 / 0"),
        fig04=made_up.figure("Fig. 4: crashes", "import os; os._exit(7)"),
    )
    argv = [sys.executable, "-m", "stiction", *command(root, "--json")]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    return root, json.loads(done.stdout)


def test_every_claim_has_a_verdict(whole):
    _, result = whole
    assert verdicts(result) == {
        "two": "holds",
        "fails": "fails",
        "explained": "fails, explained",
        "unmeasured": "fails",
        "absent": "not run",
        "bug": "fails",
        "crash": "fails",
        "nowhere": "fails",
    }
    assert result["claims"][0]["measured"] == 2.0
    assert result["papers"] == [
        {"paper": KEY, "claims": 8, "holds": 1, "fails_explained": 1, "fails": 5, "not_run": 1}
    ]
    assert result["explained"] == [{"claim": f"{KEY}/explained", "why": "two is less than 2.5"}]


def test_what_was_not_measured_is_told(whole):
    _, result = whole
    three, missing, bug, crash, nowhere = result["not_measured"]
    assert three == f"{KEY}/fig01: {KEY}/fig01 measures two; not 'three'"
    assert missing == f"{KEY}/fig02: walks.csv is missing; it comes from a laboratory"
    assert "ZeroDivisionError" in bug
    assert crash == f"{KEY}/fig04: its process ended with exit status 7"
    assert nowhere == f"{KEY}/fig05: there is no module fig05.py with data, measures and draw"


def test_figures_and_pages_are_written_and_ask_no_host(whole):
    out = whole[0] / "out"
    assert (out / KEY / "fig01.png").read_bytes().startswith(b"\x89PNG")
    assert b"<svg" in (out / KEY / "fig01.svg").read_bytes()
    page = (out / f"{KEY}.html").read_text()
    assert "It is &lt;two&gt;." in page
    assert "<code>1</code>" in page and "<strong>2</strong>" in page  # of its README
    assert "data:image/svg+xml;base64," in page
    assert "walks.csv is missing" in page
    assert 'src="http' not in page and "url(" not in page
    assert f"{KEY}.html" in (out / "index.html").read_text()


def test_a_rerun_redoes_only_what_has_no_result_and_explained_failures_are_status_0(whole, capsys):
    """claims.toml is no source of a figure: fig01 is judged anew, and not run again."""
    root, _ = whole
    folder = root / "papers" / KEY
    kept = made_up.claim() + made_up.claim(
        "explained", low=2.5, more='explained = "two is less than 2.5"'
    )
    (folder / "claims.toml").write_text(made_up.HEAD + kept + made_up.claim("absent", "fig02"))
    for name in ("fig03", "fig04"):
        (folder / f"{name}.py").unlink()
    assert main(command(root)) == 0
    out, err = capsys.readouterr()
    assert f"1/1 {KEY}/fig02: missing data, walks.csv is missing" in err
    assert "two is less than 2.5" in out
    assert [made_up.times_run(folder, name) for name in ("fig01", "fig02")] == [1, 2]
    with_data = made_up.figure("Fig. 2: has its data now")
    (folder / "fig02.py").write_text(with_data)
    assert main(command(root, f"{KEY}/fig02")) == 0
    out, err = capsys.readouterr()
    assert f"1/1 {KEY}/fig02: 1 holds" in err
    assert "absent" in out and "two" not in out.split()  # fig01 was not asked for
    assert [made_up.times_run(folder, name) for name in ("fig01", "fig02")] == [1, 3]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["tiny_papr"], "no paper 'tiny_papr'; known are tiny_paper; did you mean 'tiny_paper'?"),
        ([f"{KEY}/fig1"], "has no figure 'fig1'; it has fig01; did you mean 'fig01'?"),
        ([f"{KEY}/"], f"paper '{KEY}' has no figure ''"),
        (["--papers", "nowhere/at/all"], "nowhere/at/all: no such folder"),
    ],
)
def test_an_unknown_paper_figure_or_folder_is_status_2(words, message, tmp_path, capsys):
    made_up.paper(tmp_path / "papers", KEY, made_up.claim(), fig01=made_up.figure())
    assert main(command(tmp_path, *words)) == 2
    assert message in capsys.readouterr().err


def test_bad_claims_are_status_1_with_the_line(tmp_path, capsys):
    text = made_up.claim().replace("low = 1.0", "low = true")
    made_up.paper(tmp_path / "papers", KEY, text, fig01=made_up.figure())
    assert main(command(tmp_path)) == 1
    assert "claims.toml, line 16: claim[0].low: is True" in capsys.readouterr().err


def test_a_killed_run_resumes_without_redoing_what_is_done(tmp_path, capsys):
    go = tmp_path / "go"
    slow = f"""import os, time
    while not os.path.exists({str(go)!r}):
        time.sleep(0.05)"""
    folder = made_up.paper(
        tmp_path / "papers",
        KEY,
        made_up.claim() + made_up.claim("other", "fig02"),
        fig01=made_up.figure(),
        fig02=made_up.figure(body=slow),
    )
    argv = [sys.executable, "-m", "stiction", *command(tmp_path, "--jobs", "1")]
    process = subprocess.Popen(argv)
    begun = time.monotonic()
    while not made_up.times_run(folder, "fig02"):
        assert process.poll() is None and time.monotonic() - begun < PATIENCE
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    go.touch()
    assert main(command(tmp_path, "--json")) == 0
    result = json.loads(capsys.readouterr().out)
    assert verdicts(result) == {"two": "holds", "other": "holds"}
    assert [made_up.times_run(folder, name) for name in ("fig01", "fig02")] == [1, 2]


# ------------------------------------------------------------------------------------------ sources


def test_the_digest_of_a_figure_is_that_of_what_it_imports(tmp_path):
    uses = made_up.figure(extra=f"from {KEY} import helper\n")
    folder = made_up.paper(
        tmp_path, KEY, made_up.claim(), fig01=uses, fig02=made_up.figure(), helper="NUMBER = 1\n"
    )
    assert figure_names(folder) == ["fig01", "fig02"]
    assert title(folder, "fig01") == "Fig. 1: a number."
    before = [digest(tmp_path, KEY, name) for name in ("fig01", "fig02")]
    (folder / "helper.py").write_text("NUMBER = 2\n")
    after = [digest(tmp_path, KEY, name) for name in ("fig01", "fig02")]
    assert after[0] != before[0]
    assert after[1] == before[1]
    (folder / "claims.toml").write_text(made_up.HEAD + made_up.claim(low=0.0))
    assert digest(tmp_path, KEY, "fig02") == before[1]


def test_a_result_counts_only_if_it_is_whole_and_of_these_sources(tmp_path):
    made_up.paper(tmp_path / "papers", KEY, made_up.claim(), fig01=made_up.figure())
    job = job_of(read_paper(KEY, tmp_path / "papers"), "fig01", tmp_path / "out")
    assert read_result(job) is None
    job.file(".json").parent.mkdir(parents=True)
    write_result(job, {"measures": {"two": 2.0}, "motions": {"walk": "fig01-walk.html"}})
    assert read_result(job) is None  # its files are not there
    for ending in (".png", ".svg", "-walk.html"):
        job.file(ending).touch()
    found = read_result(job)
    assert found is not None and found["measures"] == {"two": 2.0}
    assert read_result(job._replace(digest="other")) is None
    text = job.file(".json").read_text()
    job.file(".json").write_text(text[:40])
    assert read_result(job) is None


def test_an_output_folder_that_cannot_be_made_is_told(tmp_path, capsys):
    made_up.paper(tmp_path / "papers", KEY, made_up.claim(), fig01=made_up.figure())
    (tmp_path / "out").write_text("a file")
    assert main(command(tmp_path)) == 1
    assert "no folder can be made there" in capsys.readouterr().err
