"""A file appears whole, in place of what was there, or not at all."""

import os
import time
from contextlib import suppress
from pathlib import Path

DRAFT = ".unfinished"
ABANDONED = 600.0  # seconds after which a draft that nobody writes to is what a killed process left


def write_whole(path: str | os.PathLike[str], data: bytes) -> None:
    """Put `data` at `path`: whoever looks, and whatever happens, finds the old file or the new one, never a part.

    It is written beside `path`, brought to the disk and renamed. Drafts in that folder that a killed process left
    behind are removed when they are ten minutes old.
    """
    path = Path(path)
    if path.is_dir():
        raise IsADirectoryError(f"{path} was to be written as a file, but it is a folder; give the name of a file")
    path.parent.mkdir(parents=True, exist_ok=True)
    _remove_abandoned(path.parent)
    draft = path.with_name(f".{path.name}.{os.urandom(4).hex()}{DRAFT}")
    try:
        with open(draft, "xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
    except BaseException as error:
        with suppress(OSError):
            draft.unlink()
        if isinstance(error, OSError):
            error.add_note(f"{path} was to be written; what stood there before is as it was")
        raise
    _sync(path.parent)


def _remove_abandoned(folder: Path) -> None:
    for draft in folder.glob(f".*{DRAFT}"):
        with suppress(OSError):  # another process may have been quicker
            if time.time() - draft.stat().st_mtime > ABANDONED:
                draft.unlink()


def _sync(folder: Path) -> None:
    """Bring the rename itself to the disk, where the system lets a folder be opened."""
    if hasattr(os, "O_DIRECTORY"):
        with suppress(OSError):
            handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)
