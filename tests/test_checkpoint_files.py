"""A file appears whole, in place of what was there, or not at all, whatever fails."""

import errno
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

import ddl.files
from ddl.files import write_whole

ROOT = Path(__file__).resolve().parents[1]
OLD, NEW = b"old " * 1000, b"new!" * 3000


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "file.bin"
    write_whole(path, OLD)
    return path


def test_a_new_file_takes_the_place_of_the_old_one(path):
    write_whole(str(path), NEW)
    assert path.read_bytes() == NEW
    assert os.listdir(path.parent) == ["file.bin"]


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(IsADirectoryError, match="was to be written as a file, but it is a folder; give the name of a"):
        write_whole(tmp_path, NEW)
    assert os.listdir(tmp_path) == []


def test_folders_are_made_and_the_file_has_the_rights_of_any_new_file(tmp_path):
    write_whole(tmp_path / "a" / "b" / "file.bin", NEW)
    (tmp_path / "plain").write_bytes(NEW)
    assert (tmp_path / "a" / "b" / "file.bin").read_bytes() == NEW
    assert stat.S_IMODE((tmp_path / "a/b/file.bin").stat().st_mode) == stat.S_IMODE((tmp_path / "plain").stat().st_mode)


class Stopping:
    """A file that takes half of what it is given, and then fails."""

    def __init__(self, path, mode, error):
        self.file, self.error = open(path, mode), error  # noqa: SIM115

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()

    def write(self, data):
        self.file.write(data[: len(data) // 2])
        raise self.error


def fail(error):
    def failing(*_, **__):
        raise error

    return failing


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()], ids=repr)
@pytest.mark.parametrize("where", ["open", "write", "fsync", "replace"])
def test_whatever_fails_the_old_file_stays_and_no_draft_is_left(path, monkeypatch, where, error):
    if where == "open":
        monkeypatch.setattr(ddl.files, "open", fail(error), raising=False)
    elif where == "write":
        monkeypatch.setattr(ddl.files, "open", lambda *a: Stopping(*a, error), raising=False)
    else:
        monkeypatch.setattr(os, where, fail(error))
    with pytest.raises(type(error)) as caught:
        write_whole(path, NEW)
    monkeypatch.undo()
    assert path.read_bytes() == OLD
    assert os.listdir(path.parent) == ["file.bin"]
    note = f"{path} was to be written; what stood there before is as it was"
    assert getattr(caught.value, "__notes__", [])[-1:] == ([note] if isinstance(error, OSError) else [])
    write_whole(path, NEW)
    assert path.read_bytes() == NEW


def test_a_disk_that_is_really_full(path):
    """The system itself cuts the write short: no file may grow beyond 2000 bytes."""
    resource = pytest.importorskip("resource", reason="this system has no limits on a file's size")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, before[1]))
    try:
        with pytest.raises(OSError, match="File too large"):
            write_whole(path, NEW)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert path.read_bytes() == OLD
    assert os.listdir(path.parent) == ["file.bin"]


def test_the_data_are_on_the_disk_before_the_name_is_theirs(path, monkeypatch):
    order = []
    fsync, replace = os.fsync, os.replace

    def looking_fsync(handle):
        order.append("folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else os.fstat(handle).st_size)
        fsync(handle)

    def looking_replace(*names):
        order.append("name")
        replace(*names)

    monkeypatch.setattr(os, "fsync", looking_fsync)
    monkeypatch.setattr(os, "replace", looking_replace)
    write_whole(path, NEW)
    assert order == [len(NEW), "name"] + (["folder"] if hasattr(os, "O_DIRECTORY") else [])


@pytest.mark.skipif(not hasattr(os, "O_DIRECTORY"), reason="folders cannot be opened here")
def test_a_disk_that_cannot_sync_a_folder_is_no_failure(path, monkeypatch):
    fsync = os.fsync

    def files_only(handle):
        if stat.S_ISDIR(os.fstat(handle).st_mode):
            raise OSError(errno.EINVAL, "Invalid argument")
        fsync(handle)

    monkeypatch.setattr(os, "fsync", files_only)
    write_whole(path, NEW)
    assert path.read_bytes() == NEW


def test_drafts_of_killed_writes_are_removed_once_they_are_old(path):
    young, old = (path.parent / f".{name}.bin.0123abcd{ddl.files.DRAFT}" for name in ("one", "two"))
    for draft in (young, old):
        draft.write_bytes(b"half")
    os.utime(old, (time.time() - 3600,) * 2)
    mine = path.parent / ".hidden"
    mine.write_bytes(b"not a draft")
    os.utime(mine, (0, 0))
    write_whole(path, NEW)
    assert set(os.listdir(path.parent)) == {"file.bin", young.name, ".hidden"}


WRITER = """
import sys
from ddl.files import write_whole
while True:
    for letter in (b"a", b"b"):
        write_whole(sys.argv[1], letter * 1_000_000)
        print(flush=True)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no kill -9")
def test_two_writers_that_are_killed_leave_a_whole_file(path):
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(path)], cwd=ROOT, stdout=subprocess.PIPE) for _ in range(2)
    ]
    seen = set()
    for writer in writers:
        writer.stdout.readline()
    for _ in range(50):
        seen.add(path.read_bytes())
    for writer in writers:
        writer.kill()
        writer.communicate()
    assert {*seen, path.read_bytes()} <= {b"a" * 1_000_000, b"b" * 1_000_000}
