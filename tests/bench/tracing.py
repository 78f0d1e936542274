"""What it takes to see GPT-2 of 124M parameters as a graph, from shapes alone: trace, costs and backward graphs."""

import tracemalloc

import numpy as np
from timing import interleaved, machine

import ddl

MOST = 2.0  # seconds for the trace, model included


def model():
    with ddl.shapes_only():
        return ddl.models.GPT2(ddl.models.GPT2Config())


def trace():
    return ddl.trace(model(), ddl.Spec(("B", "T"), np.int64))


def main():
    graph = trace()
    back = graph.backward()
    steps = {"trace": trace, "costs": graph.costs, "backward": graph.backward, "backward of backward": back.backward}
    seconds = interleaved(steps, rounds=5)
    tracemalloc.start()
    trace()
    _, peak = tracemalloc.get_traced_memory()
    nodes = {"trace": graph, "costs": graph, "backward": back, "backward of backward": back.backward()}
    print("GPT-2, 124,439,808 parameters, from shapes\n")
    print("| | seconds | nodes |\n|---|---|---|")
    for name, s in seconds.items():
        print(f"| {name} | {s:.3f} | {len(nodes[name].nodes)} |")
    print(f"\nThe trace takes {peak / 1e6:.1f} MB at most. {machine()}")
    assert graph.parameters == 124_439_808
    assert seconds["trace"] < MOST, f"the trace took {seconds['trace']:.2f} s, and {MOST} s is the most"


if __name__ == "__main__":
    main()
