"""Notebooks as JupyterLab opens them: a widget whose kernel is gone is its picture, where else an error would stand."""

from jupyter_server.services.contents.largefilemanager import AsyncLargeFileManager
from tornado.web import HTTPError

VIEW = "application/vnd.jupyter.widget-view+json"


class Contents(AsyncLargeFileManager):
    """The usual files, but for views whose kernel does not run: where an output has another form, they are left out."""

    async def get(self, path, content=True, *args, **kwargs):
        model = await super().get(path, content, *args, **kwargs)
        if content and model["type"] == "notebook":
            still(model["content"], await self.process(path))
        return model

    async def process(self, path):
        """The number of the process that runs this notebook's kernel, or None."""
        try:
            session = await self.parent.session_manager.get_session(path=path.strip("/"))
            return self.parent.kernel_manager.get_kernel(session["kernel"]["id"]).provisioner.pid
        except (AttributeError, HTTPError, KeyError):  # no session, or a kernel that runs elsewhere
            return None


def still(notebook, process=None):
    """Leave out of a notebook the views that process number `process` has not made, if their outputs have more."""
    for cell in notebook["cells"]:
        for output in cell.get("outputs", ()):
            data, about = output.get("data", {}), output.get("metadata", {})
            gone = process is None or about.get(VIEW, {}).get("process", process) != process
            if gone and VIEW in data and data.keys() - {VIEW, "text/plain"}:
                del data[VIEW]
                about.pop(VIEW, None)
