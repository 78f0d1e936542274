"""What a notebook must not do to its grader: changes are put back, other people's files and processes are refused."""

import contextlib
import os
import signal
import sys
import threading
import types
from pathlib import Path

from ...define import Op
from ..task import Mistake, Task

OURS = ("ddl", "numpy", "math", "builtins", "copy", "inspect", "linecache", "contextlib", "json", "signal", "io")
PROCESSES = ("os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.exec", "os.system", "subprocess.Popen")
CHANGES = ("os.remove", "os.rename", "os.rmdir", "os.truncate", "os.link", "os.symlink", "os.chmod", "shutil.rmtree")
KILLS = ("kill", "killpg", "tgkill", "pidfd_send_signal", "syscall")  # by their names in the C library
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
PARTS = ("__code__", "__defaults__", "__kwdefaults__")
UNSEEN = ("__doc__", "__warningregistry__", "_")


class Snapshot:
    """What a grade depends on: the names of modules, the library's classes, ops and tasks, and all their functions.

    What lies in lists and tables, and what closures hold, is gone through for functions, but is not itself kept.
    """

    def __init__(self, *roots):
        self.kept, self.seen = [], {}
        for name, module in list(sys.modules.items()):
            if name.split(".")[0] in OURS and module is not None:
                self.keep(module)
        self.keep(roots)

    def keep(self, *things):
        """Keep what is reached from here, without a recursion: some of it lies deep."""
        waiting = [*things]
        while waiting:
            thing = waiting.pop()
            if id(thing) in self.seen:
                continue
            if label := _label(thing):
                self.kept.append((label, thing, _state(thing)))
            within = _within_it(thing)
            if label or within:
                self.seen[id(thing)] = thing
                waiting += within

    def put_back(self):
        """Undo what was changed; returns the names of it."""
        found = []
        for label, holder, before in self.kept:
            now = _state(holder)
            for name in before.keys() | now.keys():
                if name in UNSEEN or now.get(name) is before.get(name):
                    continue
                if name not in before and isinstance(holder, types.ModuleType):
                    continue  # a new name changes nothing, and imports make some
                found.append(f"{label}.{name}")
                _set(holder, name, before)
        return sorted(found)


def _label(thing):
    """What a holder of names is called, "" where the thing is none."""
    if isinstance(thing, types.ModuleType):
        return thing.__name__
    if isinstance(thing, types.FunctionType):
        return f"{thing.__module__}.{thing.__qualname__}"
    if isinstance(thing, type):
        return thing.__qualname__ if str(thing.__module__).split(".")[0] == "ddl" else ""
    if isinstance(thing, Op):
        return f"ddl.ops.{thing.name}"
    if isinstance(thing, Task):
        return f"exercise {thing.id}"
    return f"mistake {thing.name}" if isinstance(thing, Mistake) else ""


def _state(holder):
    if isinstance(holder, types.FunctionType):
        return {part: getattr(holder, part) for part in PARTS}
    return dict(vars(holder))


def _set(holder, name, before):
    if isinstance(holder, (type, types.ModuleType, types.FunctionType)):
        setattr(holder, name, before[name]) if name in before else delattr(holder, name)
    elif name in before:
        vars(holder)[name] = before[name]
    else:
        del vars(holder)[name]


def _within_it(thing):
    """What a thing holds that may be, or may hold, a function."""
    if isinstance(thing, types.FunctionType):
        return [*vars(thing).values(), *_closed_over(thing)]
    if isinstance(thing, (staticmethod, classmethod)):
        return [thing.__func__]
    if isinstance(thing, property):
        return [thing.fget, thing.fset]
    if isinstance(thing, dict):
        return [*thing.values()]
    if isinstance(thing, (list, tuple)):
        return [*thing]
    if isinstance(thing, types.ModuleType):
        return [*vars(thing).values()] if thing.__name__.split(".")[0] in OURS else []
    if _label(thing):
        return [*vars(thing).values()]
    names = getattr(thing, "__dict__", None)
    return [names["__wrapped__"]] if isinstance(names, dict) and "__wrapped__" in names else []


def _closed_over(function):
    for cell in function.__closure__ or ():
        with contextlib.suppress(ValueError):  # an empty one
            yield cell.cell_contents


class Watch:
    """An audit hook: tells of what is read outside the notebook's folder, refuses what is changed or started there."""

    def __init__(self, folder, scratch, tell):
        self.mine = (os.path.realpath(scratch),)
        library = [sys.prefix, sys.base_prefix, str(Path(__file__).parents[3]), *sys.path, "/usr", "/lib", "/etc/ssl"]
        readable = [folder, *library, "/proc", "/sys", "/dev", "/etc/localtime", "/etc/mime.types"]
        self.readable = self.mine + tuple(os.path.realpath(p) for p in readable if p)
        self.tell, self.looking, self.told = tell, threading.local(), set()
        self.pid = os.getpid()

    def __call__(self, event, args):
        if vars(self.looking):
            return
        self.looking.on = True  # what is done in here is not looked at
        try:
            refused = self.looked_at(event, args)
        finally:
            del self.looking.on
        if refused:
            raise PermissionError(refused)

    def looked_at(self, event, args):
        """Tells what is worth telling, and returns why it is refused where it is."""
        if event in PROCESSES:
            return self.say("starts other processes, which was refused")
        if event in ("os.kill", "os.killpg") and args[0] not in (0, self.pid, -self.pid):  # it leads its own group
            return self.say("sends signals to other processes, which was refused")
        if event == "ctypes.dlsym" and args[1] in KILLS:
            return self.say(f"looks for the C library's {args[1]}, which was refused")
        if event == "socket.connect":
            self.say(f"connects to {args[1]}")
        if event == "open" and isinstance(args[0], (str, bytes, os.PathLike)):
            place = os.path.realpath(os.fsdecode(args[0]))
            writes = bool(set(args[1] or "") & set("wax+")) or bool((args[2] or 0) & WRITING)
            if writes and place != os.devnull and not _within(place, self.mine):
                return self.say(f"writes to {place}, which was refused")
            if not _within(place, self.readable):
                self.say(f"reads {place}")
        elif event in CHANGES:
            for path in (p for p in args if isinstance(p, (str, bytes, os.PathLike))):
                place = os.path.realpath(os.fsdecode(path))
                if not _within(place, self.mine):
                    return self.say(f"changes {place}, which was refused")
        return ""

    def say(self, what):
        if what not in self.told and len(self.told) < 20:
            self.told.add(what)
            self.tell(what)
        return f"the notebook {what}"


def disarm():
    """Take away what sends signals without an audit event."""
    for module in (signal, sys.modules["_signal"]):
        vars(module).pop("pidfd_send_signal", None)


def _within(place, folders):
    return any(place == folder or place.startswith(folder.rstrip(os.sep) + os.sep) for folder in folders)
