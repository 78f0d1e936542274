"""The cases of the table with names in place of sizes."""

import numpy as np

import ddl


def called(n):
    return f"N{n}"


def attempts(case):
    """The case's inputs with the axes of one size named, each size in turn, and with all of them."""
    inputs = case.inputs(np.float32)
    found = sorted({n for x in inputs for n in x.shape if n > 1})
    for chosen in [*({n} for n in found), *([set(found)] if len(found) > 1 else [])]:
        yield [ddl.Spec([called(n) if n in chosen else n for n in x.shape], x.dtype) for x in inputs]


NUMBERS = {called(n): n for n in range(100)}
