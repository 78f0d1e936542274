"""Memory that is freed and needed again a moment later stays with the process."""

import ctypes
import sys


def keep_freed_memory() -> None:
    """Ask the C library to keep freed arrays for the next ones instead of returning their pages; glibc on Linux only.

    A training step frees and allocates the same large arrays again and again; mapping them anew costs up to a third.
    This holds for the whole process and to its end: its memory stays at the most it ever needed. No result changes.
    """
    if not sys.platform.startswith("linux"):
        return
    try:
        libc = ctypes.CDLL("libc.so.6")
        for option in (-3, -1):  # M_MMAP_THRESHOLD, M_TRIM_THRESHOLD
            libc.mallopt(option, 1 << 30)
    except (OSError, AttributeError):
        return  # another C library: nothing to ask
