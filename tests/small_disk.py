"""File systems of a few kilobytes, for tests of full and read-only disks."""

import os
import subprocess
from contextlib import contextmanager

import pytest


@contextmanager
def mounted(folder, size):
    """A file system of `size` bytes in a new folder; skips the test where none can be mounted."""
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={size},mode=700", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(command, capture_output=True).returncode:
        pytest.skip("mounting a file system needs root")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def made_read_only(folder):
    """Mount the file system in a folder again, as one that cannot be written to."""
    subprocess.run(["mount", "-o", "remount,ro", str(folder)], check=True)
