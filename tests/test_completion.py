"""bash, zsh and fish complete the command line as docs/command_line.md sets them up."""

import os
import pty
import re
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from conftest import missing

pytestmark = pytest.mark.plain

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "command_line.md").read_text().partition("## Completion in the shell")[2]
LINES = {  # typed -> completed
    "stiction rob": "stiction robots",
    "stiction bench lel": "stiction bench lelidec",
    "stiction run ball --conta": "stiction run ball --contact",
    "stiction run ball --contact Bal": "stiction run ball --contact Balanced",
    "stiction run walk-on-i": "stiction run walk-on-ice",
    "stiction reproduce mul": "stiction reproduce multipoint",
    "stiction robots her": "stiction robots here.xml",
}
LONGEST = 60  # that a shell may take to answer on a machine with other work [s]


def set_up(shell):
    """What the page says for a shell."""
    (block,) = (text for text in re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL) if shell in text)
    if shell == "zsh":
        return block
    return next(line for line in block.splitlines() if f"# {shell}:" in line) + "\n"


def home(folder, shell, file):
    """Make a home with a file that a shell reads first; returns its environment."""
    if shutil.which(shell) is None:
        missing("shells", f"{shell} is not installed")
    (folder / file).parent.mkdir(parents=True, exist_ok=True)
    (folder / file).write_text(set_up(shell))
    (folder / "here.xml").touch()
    command = folder / "bin" / "stiction"
    command.parent.mkdir()
    command.write_text(f"#!{sys.executable}\nfrom stiction.cli import main\nmain()\n")
    command.chmod(0o755)
    paths = [command.parent, Path(sys.executable).parent, os.environ["PATH"]]
    return {
        **{"HOME": str(folder), "TERM": "xterm", "PATH": os.pathsep.join(map(str, paths))},
        **{"PYTHONPATH": str(ROOT), "LC_ALL": "C.UTF-8"},
    }


@pytest.mark.parametrize(("shell", "file"), [("bash", ".bashrc"), ("zsh", ".zshrc")])
def test_the_tab_key_completes(shell, file, tmp_path):
    """Typed at a terminal; each completed line is printed instead of being run."""
    environment = home(tmp_path, shell, file)
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(tmp_path)
        os.execvpe(shell, [shell, "-i"], environment)
    try:
        for typed, completed in LINES.items():
            os.write(terminal, f"{typed}\t\x01echo got \r".encode())
            assert completed_line(terminal) == completed
    finally:
        os.write(terminal, b"exit\r")
        os.close(terminal)
        os.waitpid(child, 0)


def completed_line(terminal):
    """The next line that a terminal shows after "got", without control sequences."""
    seen, end = b"", time.monotonic() + LONGEST
    while time.monotonic() < end:
        if select.select([terminal], [], [], 0.1)[0]:
            seen += os.read(terminal, 65536)
        text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]|\r", "", seen.decode(errors="replace"))
        if found := re.search(r"\ngot (.*)\n", text):
            return found[1].strip()
    return seen


def test_fish_completes(tmp_path):
    environment = home(tmp_path, "fish", ".config/fish/config.fish")
    for typed, completed in LINES.items():
        asked = ["fish", "-c", f"complete -C '{typed}'"]
        done = subprocess.run(
            asked, env=environment, cwd=tmp_path, capture_output=True, text=True, check=True
        )
        words = [line.partition("\t")[0] for line in done.stdout.splitlines()]
        assert completed.rpartition(" ")[2] in words, done
