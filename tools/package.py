"""Builds the sdist and the wheel into dist/, checks what is in them, and tries them.

    make package                 what CI does: the wheel is installed beside the packages of .venv
    make release-check           also in an environment of its own, with everything it needs: how
                                 large that is, how quick, and whether README.md's example runs
    make package URL=https://... for an index: links of README.md lead there, to the tag of this
                                 version, and the package names it; as github.com has its pages

Nothing outside dist/ is written. Exit status 0 only if all holds.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import tomllib
import venv
import zipfile
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NOT_SHIPPED = (".ci/", ".gitignore")  # of the repository, in no sdist
LINK = re.compile(r"(!?)\[([^]]*)\]\((?!https?:|#)([^)]+)\)")
REPEATS = 10
LARGEST = 12  # packages that are printed
TIMED = {
    "import stiction [s]": ["-c", "import stiction"],
    "first use, as st.World [s]": ["-c", "import stiction; stiction.World"],
    "stiction --help [s]": ["-m", "stiction", "--help"],
}


def run(*command: str | Path, cwd: Path | None = None) -> str:
    """Output of a command, which may not fail; without PYTHONPATH, which would hide the wheel."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, cwd=cwd, env=kept, text=True, capture_output=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def shipped() -> list[str]:
    """The files of the repository that an sdist holds, committed or not."""
    names = run("git", "ls-files", "--cached", "--others", "--exclude-standard", cwd=ROOT)
    return [name for name in names.splitlines() if not name.startswith(NOT_SHIPPED)]


def copied(folder: Path, url: str) -> Path:
    """A copy of these files, with links to a host if there is one."""
    for name in shipped():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, folder / name)
    if url:
        project = folder / "pyproject.toml"
        text = project.read_text()
        tag = f"v{tomllib.loads(text)['project']['version']}"
        urls = {"Homepage": url, "Issues": f"{url}/issues"}
        urls["Changelog"] = f"{url}/blob/{tag}/CHANGELOG.md"
        table = "".join(f'{name} = "{address}"\n' for name, address in urls.items())
        project.write_text(f"{text}\n[project.urls]\n{table}")
        readme = folder / "README.md"
        readme.write_text(absolute(readme.read_text(), url, tag))
    return folder


def absolute(text: str, url: str, tag: str) -> str:
    """Markdown whose relative links and pictures lead to a host."""

    def link(found: re.Match[str]) -> str:
        picture, words, target = found.groups()
        return f"{picture}[{words}]({url}/{'raw' if picture else 'blob'}/{tag}/{target})"

    return LINK.sub(link, text)


def check_contents(sdist: Path, wheel: Path) -> None:
    """Stop if a file is missing, or there is one too many."""
    with tarfile.open(sdist) as archive:
        packed = {name.partition("/")[2] for name in archive.getnames()}
    missing = sorted(set(shipped()) - packed)
    code = {name for name in shipped() if name.startswith("stiction/")}
    with zipfile.ZipFile(wheel) as archive:
        installed = {name for name in archive.namelist() if ".dist-info/" not in name}
    differing = sorted(code ^ installed)
    if missing or differing:
        sys.exit(f"not in the sdist: {missing}; in the repository or the wheel only: {differing}")
    print(f"{sdist.name}: {len(packed)} files; {wheel.name}: {len(installed)} files")


def check_beside(wheel: Path, folder: Path) -> None:
    """Try the wheel beside the packages of this environment."""
    run(sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", folder, wheel)
    code = f"import sys; sys.path.insert(0, {str(folder)!r}); import stiction; "
    asked = f"{code} print(stiction.__version__, stiction.__file__)"
    found = run(sys.executable, "-c", asked, cwd=folder)
    if not found.split()[1].startswith(str(folder)):
        sys.exit(f"another stiction was imported: {found}")
    scenes = f"{code} from stiction.cli import main; sys.exit(main(['scenes']))"
    run(sys.executable, "-c", scenes, cwd=folder)
    print(f"stiction {found.split()[0]} is imported from the wheel, and lists its scenes")


def check_fresh(wheel: Path, sdist: Path, folder: Path) -> None:
    """Try the wheel in an environment of its own."""
    python = folder / "bin" / "python"
    venv.create(folder, with_pip=True)
    empty = megabytes(folder)
    run(python, "-m", "pip", "install", "--quiet", wheel)
    site = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
    print(f"install size: {megabytes(folder) - empty:.0f} MB beside Python and pip; largest [MB]:")
    sizes = {entry.name: megabytes(entry) for entry in site.iterdir()}
    for name in sorted(sizes, key=sizes.__getitem__, reverse=True)[:LARGEST]:
        print(f"  {sizes[name]:4.0f} {name}")
    for what, words in TIMED.items():
        print(f"{what}: {best(lambda words=words: run(python, *words, cwd=folder)):.3f}")
    example = (ROOT / "README.md").read_text().partition("```python\n")[2].partition("```")[0]
    place = folder / "example"
    place.mkdir()
    (place / "example.py").write_text(example)
    print(run(python, "example.py", cwd=place).strip())
    print(f"README.md's example wrote {sorted(path.name for path in place.iterdir())}")
    run(python, "-m", "pip", "install", "--quiet", "twine")
    print(run(python, "-m", "twine", "check", "--strict", wheel, sdist).strip())


def best(call: Callable[[], object]) -> float:
    """Shortest time of some calls [s]."""
    times = []
    for _ in range(REPEATS):
        begun = time.perf_counter()
        call()
        times.append(time.perf_counter() - begun)
    return min(times)


def megabytes(path: Path) -> float:
    """Size of a file or of all files of a folder."""
    files = [path] if path.is_file() else [one for one in path.rglob("*") if one.is_file()]
    return sum(one.lstat().st_size for one in files) / 1e6


def main() -> None:
    """Build, check, try."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--url", default="", help="where the repository is public")
    parser.add_argument("--fresh", action="store_true", help="also in an environment of its own")
    args = parser.parse_args()
    shutil.rmtree(ROOT / "dist", ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix="stiction-") as name:
        folder = Path(name)
        source = copied(folder / "source", args.url.rstrip("/"))
        run(sys.executable, "-m", "build", "--outdir", ROOT / "dist", source)
        (sdist,), (wheel,) = ROOT.glob("dist/*.tar.gz"), ROOT.glob("dist/*.whl")
        check_contents(sdist, wheel)
        check_beside(wheel, folder / "beside")
        if args.fresh:
            check_fresh(wheel, sdist, folder / "fresh")


if __name__ == "__main__":
    main()
