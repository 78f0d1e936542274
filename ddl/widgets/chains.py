"""Chains of views, written as in Python, x[::2].T.reshape(2, -1): read, never evaluated."""

import ast

CALLS = """
transpose permute swapaxes movedim reshape view flip expand squeeze unsqueeze flatten diagonal roll clone
""".split()
FLAGS = ("T", "mT")
LONGEST = 12  # operations in a chain


def parsed(text):
    """[(text of one operation, what applies it to a tensor), ..] of a chain that begins with x."""
    try:
        tree = ast.parse(text.strip() or "x", mode="eval").body
    except (SyntaxError, AttributeError, ValueError):
        raise ValueError(f"a chain of views is written as x[::2].T, but {text!r} was given") from None
    steps = []
    while not (isinstance(tree, ast.Name) and tree.id == "x"):
        inner, step = _step(tree, text)
        steps.insert(0, step)
        if len(steps) > LONGEST:
            raise ValueError(f"a chain of up to {LONGEST} operations is shown, but {text!r} has more")
        tree = inner
    return steps


def _step(tree, text):
    if isinstance(tree, ast.Subscript):
        index = _index(tree.slice, text)
        return tree.value, (f"[{ast.unparse(tree.slice).strip('()')}]", lambda x: x[index])
    if isinstance(tree, ast.Attribute) and tree.attr in FLAGS:
        return tree.value, (f".{tree.attr}", lambda x: getattr(x, tree.attr))
    if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Attribute) and not tree.keywords:
        name, args = tree.func.attr, [_sizes(arg, text) for arg in tree.args]
        if name in CALLS:
            said = f".{name}({', '.join(map(ast.unparse, tree.args))})"
            return tree.func.value, (said, lambda x: getattr(x, name)(*args))
    raise ValueError(
        f"{ast.unparse(tree)!r} is no view that is known here: begin with x, and use an index, {', '.join(FLAGS)} or "
        f"{', '.join(CALLS)} with numbers (in {text!r})"
    )


def _index(tree, text):
    if isinstance(tree, ast.Tuple):
        return tuple(_index(part, text) for part in tree.elts)
    if isinstance(tree, ast.Slice):
        return slice(*(part and _sizes(part, text) for part in (tree.lower, tree.upper, tree.step)))
    return _sizes(tree, text, also=(None, ...))


def _sizes(tree, text, also=()):
    """A whole number, or a tuple or list of them."""
    try:
        found = ast.literal_eval(tree)
    except ValueError:
        found = None if also == () else "?"
    parts = found if isinstance(found, (tuple, list)) else [found]
    if not all(type(part) is int or any(part is other for other in also) for part in parts):
        raise ValueError(f"{ast.unparse(tree)!r} is no whole number (in {text!r})")
    return found
