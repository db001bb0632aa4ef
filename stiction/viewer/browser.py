"""Opening a browser, or saying where to find the page if there is none."""

from __future__ import annotations

import os
import sys
import webbrowser


def open_browser(address: str) -> bool:
    """Open a page in the user's browser; without one, say where to find it. True if one opened."""
    on_screen = (
        sys.platform != "linux" or os.environ.get("DISPLAY") or "WAYLAND_DISPLAY" in os.environ
    )
    try:
        opened = bool(on_screen) and webbrowser.open(address)
    except webbrowser.Error:
        opened = False
    if not opened:
        print(f"stiction: no browser can be opened here; open {address} in one", file=sys.stderr)
    return opened
