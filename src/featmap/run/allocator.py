"""Memory that the allocator holds free goes back to the system.

The C library of Linux keeps freed blocks of up to 32 MB for later. After a stage of a million rows these are hundreds
of megabytes that lie between arrays still in use, and the large arrays of the next stage do not fit into them.
"""

from __future__ import annotations

import ctypes
from contextlib import suppress


def return_free_memory() -> None:
    """Give free memory back to the system, where the C library can: glibc has a function for it."""
    with suppress(OSError, TypeError, AttributeError):  # Windows has no library of this name, others no such function
        ctypes.CDLL(None).malloc_trim(0)
