"""What a view asks for while a cell runs: a busy kernel reads no messages, so a loop lets some in between steps.

From ipykernel 7 on, JupyterLab sends what views ask for to a thread of its own, where it is answered at once. Other
frontends and older kernels send it to the thread that runs the cells. `let_in` takes from there, without waiting, what
concerns widgets and what a page that was loaded anew asks first; all else waits for the end of the cell, in its order.
"""

import inspect
import json
import threading
from functools import partial

LET_IN = {"comm_open", "comm_msg", "comm_close", "comm_info_request", "kernel_info_request"}


def let_in():
    """Answer what came in for widgets since the cell began. Outside of a kernel's main thread nothing happens."""
    kernel = _kernel()
    if kernel is None or threading.current_thread() is not threading.main_thread():
        return
    import zmq

    stream, answers, later = _shell(kernel)
    if stream is None:
        return
    while True:
        try:
            frames = stream.socket.recv_multipart(zmq.NOBLOCK, copy=False)
        except zmq.Again:
            return
        if (kind := _kind(kernel.session, frames)) in LET_IN:
            _answer(kernel, kind, answers, frames)
        else:
            kernel.io_loop.add_callback(later, frames)


def _kernel():
    try:
        from IPython import get_ipython
    except ImportError:
        return None
    return getattr(get_ipython(), "kernel", None)


def _shell(kernel):
    """The stream on which requests wait, the one for answers, and who takes requests once the cell has ended."""
    if getattr(kernel, "_supports_kernel_subshells", False):
        manager = kernel.shell_channel_thread.manager
        waiting = getattr(manager, "_shell_channel_to_main", None)
        return (
            getattr(waiting, "to_stream", None),
            manager.get_subshell_to_shell_channel_socket(None),
            partial(kernel.shell_main, None),
        )
    stream = getattr(kernel, "shell_stream", None)
    if hasattr(kernel, "schedule_dispatch"):
        return stream, stream, partial(kernel.schedule_dispatch, kernel.dispatch_shell)
    return stream, stream, partial(kernel.shell_main, None)


def _kind(session, frames):
    """The kind of a message, read without taking it: a signature is accepted once only."""
    try:
        _, parts = session.feed_identities(frames, copy=False)
        return json.loads(bytes(parts[1].bytes))["msg_type"]
    except (ValueError, KeyError, IndexError):
        return None


def _answer(kernel, kind, stream, frames):
    sender, parts = kernel.session.feed_identities(frames, copy=False)
    message = kernel.session.deserialize(parts, content=True, copy=False)
    kernel._publish_status("busy", "shell", message)
    try:
        done = kernel.shell_handlers[kind](stream, sender, message)
        if inspect.isawaitable(done):
            _finish(done)
    finally:
        kernel._publish_status("idle", "shell", message)
        kernel._publish_status("busy", "shell")  # for the cell runs on


def _finish(coroutine):
    """Run a coroutine that waits for nothing."""
    try:
        coroutine.send(None)
    except StopIteration:
        return
    coroutine.close()
