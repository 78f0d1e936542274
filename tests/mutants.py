"""Wrong programs made from a right one by a single small change each, as a slip of the pen would make it."""

import ast
import copy

SWAPS = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.And: ast.Or,
    ast.Or: ast.And,
}
CALLS = {"sum": "mean", "mean": "sum", "max": "min", "min": "max", "exp": "log", "tanh": "exp", "zeros": "ones"}


def changed(node):
    """The single changes of one node: what may stand in its place."""
    if isinstance(node, ast.BinOp):
        if type(node.op) in SWAPS:
            yield ast.BinOp(node.left, SWAPS[type(node.op)](), node.right)
        yield node.left  # a term or a factor is dropped
        yield node.right
        if isinstance(node.op, (ast.Sub, ast.Div, ast.MatMult, ast.Pow)):
            yield ast.BinOp(node.right, node.op, node.left)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.Not)):
        yield node.operand
    elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
        yield ast.Constant(node.value + 1)
        if node.value:
            yield ast.Constant(-node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield ast.Constant(not node.value)
    elif isinstance(node, ast.Compare) and type(node.ops[0]) in SWAPS:
        yield ast.Compare(node.left, [SWAPS[type(node.ops[0])](), *node.ops[1:]], node.comparators)
    elif isinstance(node, ast.BoolOp):
        yield ast.BoolOp(SWAPS[type(node.op)](), node.values)
        yield from node.values
    elif isinstance(node, ast.Attribute) and node.attr in ("T", "mT"):
        yield node.value
    elif isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute) and node.func.attr in CALLS:
            yield ast.Call(ast.Attribute(node.func.value, CALLS[node.func.attr], ast.Load()), node.args, node.keywords)
        for i in range(len(node.keywords)):
            yield ast.Call(node.func, node.args, [*node.keywords[:i], *node.keywords[i + 1 :]])
        if len(node.args) == 2:
            yield ast.Call(node.func, node.args[::-1], node.keywords)
    elif isinstance(node, ast.AugAssign):
        if type(node.op) in SWAPS:
            yield ast.AugAssign(node.target, SWAPS[type(node.op)](), node.value)
        yield ast.Assign([node.target], node.value)
        yield ast.Pass()
    elif isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple):
        parts = node.value.elts
        yield ast.Return(ast.Tuple(parts[::-1], ast.Load()))
        for i, part in enumerate(parts):
            yield ast.Return(part)
            for new in off(part):
                yield ast.Return(ast.Tuple([*parts[:i], new, *parts[i + 1 :]], ast.Load()))
    elif isinstance(node, ast.Return) and node.value is not None:
        yield from (ast.Return(new) for new in off(node.value))
    elif isinstance(node, (ast.Assign, ast.Expr)) and not isinstance(getattr(node, "value", None), ast.Constant):
        yield ast.Pass()
    elif isinstance(node, ast.If):
        yield ast.If(ast.Constant(True), node.body, node.orelse)
        yield ast.If(ast.Constant(False), node.body, node.orelse)
    if isinstance(node, ast.BinOp):
        yield ast.UnaryOp(ast.USub(), node)


def off(node):
    """A value with the wrong sign, one too large, and twice as large."""
    yield ast.UnaryOp(ast.USub(), node)
    yield ast.BinOp(node, ast.Add(), ast.Constant(1))
    yield ast.BinOp(ast.Constant(2), ast.Mult(), node)


def confused(tree):
    """Every parameter of a function in the place of every other one, once at each use: (path, what stands there)."""
    for path in paths(tree):
        node = at(tree, path)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            around = [at(tree, path[:n]) for n in range(len(path))]
            names = [a.arg for f in around if isinstance(f, ast.FunctionDef) for a in f.args.args if a.arg != "self"]
            if node.id in names:
                yield from ((path, ast.Name(other, ast.Load())) for other in names if other != node.id)


def mutants(source):
    """Every single change of a program, as (the line where it was made, what it says now, the whole program)."""
    tree = ast.parse(source)
    found = {}
    slips = [(path, new) for path in paths(tree) for new in changed(at(tree, path))]
    for path, new in slips + [*confused(tree)]:
        other = copy.deepcopy(tree)
        put(other, path, copy.deepcopy(new))
        text = ast.unparse(ast.fix_missing_locations(other))
        if text != ast.unparse(tree):
            line, said = getattr(at(tree, path), "lineno", 0), ast.unparse(ast.fix_missing_locations(new))
            found.setdefault(text, (line, said, text))
    return list(found.values())


def paths(node, path=()):
    """The way to every node of the bodies of a program, past decorators, parameters and annotations."""
    yield path
    for name, value in ast.iter_fields(node):
        if name in ("decorator_list", "args", "returns", "annotation") and isinstance(node, (ast.FunctionDef, ast.arg)):
            continue
        if isinstance(value, ast.AST):
            yield from paths(value, (*path, name))
        elif isinstance(value, list):
            for i, child in enumerate(value):
                if isinstance(child, ast.AST):
                    yield from paths(child, (*path, name, i))


def at(node, path):
    for step in path:
        node = node[step] if isinstance(step, int) else getattr(node, step)
    return node


def put(tree, path, new):
    holder = at(tree, path[:-1])
    if isinstance(path[-1], int):
        holder[path[-1]] = new
    else:
        setattr(holder, path[-1], new)
