"""The process in which one notebook runs: cell by cell, each for a limited time, checked where it asks for it."""

import json
import os
import resource
import sys

from ..check import Missing, _named, checked
from ..limits import TooSlow, at_most
from ..tasks import find
from .guard import Snapshot, Watch, disarm


class Run:
    """The notebook's names, what was reported of them, and the state of the library before it."""

    def __init__(self, order):
        self.order = order
        self.names = {"__name__": "__main__", "__builtins__": __builtins__}
        self.tasks = [find(id) for id in order["tasks"]]
        self.cases = {task.id: task.cases() for task in self.tasks}  # loads what they need
        self.before = Snapshot(*self.tasks)
        self.done = set()

    def tell(self, *what):
        text = f"{self.order['nonce']}{json.dumps(what)}\n".encode()
        while text:
            text = text[os.write(self.order["out"], text) :]

    def cell(self, text):
        """Run a cell; what it raises ends the cell and nothing else."""
        try:
            with at_most(self.order["limits"]["cell"]):
                exec(compile(plain(text), "<cell>", "exec"), self.names)
        except TooSlow:
            return "was not done in time"
        except BaseException as error:  # sys.exit and a raised KeyboardInterrupt as well
            return f"raised {type(error).__name__}"
        return ""

    def check(self, task):
        changed = self.before.put_back()
        for name in changed[:5]:
            self.tell("remark", f"changes {name}, which was put back")
        answer = _named(task, self.names)
        report = checked(task, answer)
        words = "There is no answer." if isinstance(answer, Missing) else repr(report)
        self.before.put_back()
        self.done.add(task.id)
        self.tell("checked", task.id, report.passed, words)


def plain(text):
    """A cell without IPython's own lines, which do nothing here."""
    lines = text.splitlines()
    if lines and lines[0].lstrip().startswith("%%"):
        return ""
    return "\n".join("pass" if line.lstrip().startswith(("%", "!")) else line for line in lines)


def main():
    order = json.loads(sys.stdin.buffer.read())
    disarm()
    run = Run(order)
    megabytes = order["limits"]["memory"] * 2**20
    resource.setrlimit(resource.RLIMIT_AS, (megabytes, megabytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (2**28, 2**28))
    sys.addaudithook(Watch(order["folder"], order["scratch"], lambda what: run.tell("remark", what)))
    for number, (text, asked) in enumerate(order["cells"]):
        if number not in order["skip"]:
            run.tell("cell", number)
            if trouble := run.cell(text):
                run.tell("remark", f"cell {number + 1} {trouble}")
        for id in asked:
            run.check(find(id))
    for task in run.tasks:
        if task.id not in run.done:
            run.check(task)
    run.tell("done")
    os._exit(0)  # what the notebook registered for the end is not run


if __name__ == "__main__":
    main()
