"""The memory of the process: how much it holds, and that what is freed and needed again a moment later stays."""

import ctypes
import os
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


def resident() -> int | None:
    """How many bytes of memory the process holds now, or, where the system tells only that, held at most; else None."""
    try:
        with open("/proc/self/statm") as told:
            return int(told.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, AttributeError):
        pass
    try:
        import resource
    except ImportError:  # Windows
        return None
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024
