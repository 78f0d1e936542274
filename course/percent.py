"""A chapter's source, a Python file in py:percent form, read into the cells of a notebook."""

import hashlib
import json
import re
from collections import Counter

from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

HEADER = re.compile(r"# %%(?P<markdown> \[markdown\])?(?P<options>( \w+=\S.*)?)")
OPTION = re.compile(r' (\w+)=("[^"]*"|\[[^\]]*\])')


def read(text, where="lesson.py"):
    """The notebook written in `text`, without outputs.

    A cell begins with `# %%` or `# %% [markdown]`, followed where wanted by `tags=["raises-exception"]`, a lasting
    `id="first-try"` or, where it holds the answer to an exercise, `task="01.product"`; the lines of markdown begin
    with `# `. What stands before the first cell is left out. A cell without an id gets one from its text, so that a
    change touches one id only. ValueError where a line can't be read.
    """
    parts = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("# %%"):
            parts.append((_header(line, f"{where}:{number}"), []))
        elif parts:
            (markdown, _), lines = parts[-1]
            if markdown and line and not line.startswith("#"):
                raise ValueError(f"{where}:{number} is in a markdown cell, where lines begin with '# ': {line!r}")
            lines.append(re.sub("^# ?", "", line) if markdown else line)
    seen, cells = Counter(), []
    for (markdown, options), lines in parts:
        source = "\n".join(lines).strip("\n")
        cell = new_markdown_cell(source) if markdown else new_code_cell(source)
        digest = hashlib.sha256(source.encode()).hexdigest()[:10]
        seen[digest] += 1
        cell["id"] = options.get("id") or (digest if seen[digest] == 1 else f"{digest}-{seen[digest]}")
        cell.metadata |= {name: options[name] for name in ("tags", "task") if options.get(name)}
        cells.append(cell)
    kernel = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
    return new_notebook(cells=cells, metadata={"kernelspec": kernel, "language_info": {"name": "python"}})


def _header(line, where):
    """Whether a cell is markdown, and its options."""
    match = HEADER.fullmatch(line)
    if match:
        options = {name: json.loads(value) for name, value in OPTION.findall(match["options"])}
        if not OPTION.sub("", match["options"]).strip() and options.keys() <= {"tags", "id", "task"}:
            return bool(match["markdown"]), options
    raise ValueError(
        f'{where} cannot be read: write # %%, # %% [markdown], then tags=["..."], id="..." or task="...": {line!r}'
    )
