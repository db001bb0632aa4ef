"""Steps in portions: between two of them Python answers Ctrl-C and shows progress."""

from __future__ import annotations

import time
from collections.abc import Iterator

CHUNK_SECONDS = 0.1  # wall time of a portion
FIRST_CHUNK = 10  # [steps]
FASTER = 10.0  # largest ratio of a portion to the one before


def chunks(steps: int) -> Iterator[int]:
    """Numbers of steps that add up to `steps`; each is taken before the next one is requested.

    Each is chosen from the time that the one before took.
    """
    done, chunk = 0, FIRST_CHUNK
    while done < steps:
        count = min(chunk, steps - done)
        begun = time.perf_counter()
        yield count
        took = time.perf_counter() - begun
        done += count
        chunk = max(1, int(count * min(FASTER, CHUNK_SECONDS / max(took, 1e-9))))
