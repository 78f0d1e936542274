"""What is wrong with a model's layers, in words: which layer, what was measured there, and what likely causes it."""

from typing import Any

DEAD = 50.0  # percent of a layer's units
VANISHED = 1e-3  # of the largest gradient of all layers
EXPLODED = 1e3  # times the gradient at the model's end
LARGE = 1e4  # an output's root mean square
HASTY = 0.1  # of the weights, moved in one step
PATIENCE = 3  # steps in which a parameter may stay where it is


def alarms(layers: list[dict[str, Any]]) -> list[dict[str, str]]:
    """The alarms of a report of `LayerWatch`: {"layer", "kind", "words"}, the gravest first."""
    broken = [*_not_finite(layers)]
    return broken or [*_unmoved(layers), *_gradients(layers), *_large(layers), *_dead(layers)]


def _alarm(layer: dict[str, Any] | None, kind: str, words: str) -> dict[str, str]:
    return {"layer": layer["name"] if layer else "", "kind": kind, "words": words}


def _named(layer: dict[str, Any]) -> str:
    return f"{layer['name']} ({layer['kind']})"


def _not_finite(layers: list[dict[str, Any]]) -> Any:
    """Only where it began: forward the first layer, backward the last."""
    words = lambda row: row and isinstance(row["rms"], str)
    weights = next(((l, p) for l in layers for p in l["parameters"] if isinstance(p["norm"], str)), None)
    output = next((l for l in layers if words(l["output"])), None)
    gradient = next((l for l in reversed(layers) if words(l["gradient"])), None)
    if weights:
        layer, p = weights
        why = "a step was too large or had such a gradient; lower the learning rate or clip the gradient"
        yield _alarm(layer, "NaN", f"{p['name']} of {_named(layer)} holds NaN or infinity: {why}.")
    elif output:
        why = "its weights are finite, look at what comes in, and for an overflow, a division by 0 or a log of 0"
        yield _alarm(output, "NaN", f"{_named(output)} is the first layer to give NaN or infinity: {why}.")
    elif gradient:
        why = "all outputs are finite, so look at the slope of what follows: sqrt or log at 0, or a loss that overflows"
        yield _alarm(
            gradient, "NaN", f"The gradient that comes back to {_named(gradient)} holds NaN or infinity: {why}."
        )


def _unmoved(layers: list[dict[str, Any]]) -> Any:
    due = [(l, p) for l in layers for p in l["parameters"] if p["compared"] >= PATIENCE and not p["frozen"]]
    still = [(l, p) for l, p in due if not p["moved"]]
    arrived = [p for _, p in still if p["gradient"] not in (None, 0)]
    if due and len(still) == len(due) and len(arrived) == len(still):
        why = "was optimizer.step() called, with these parameters and a learning rate above 0?"
        yield _alarm(None, "never moved", f"No parameter has moved, though gradients arrive: {why}")
        return
    for layer, p in still:
        if p["gradient"] is None:
            why = "no gradient arrives; is it used, or is what it computes cut off by detach() or no_grad()?"
        elif p["gradient"] == 0:
            why = "its gradient is exactly 0; are the units after it dead, or the weights after it 0?"
        else:
            why = "a gradient arrives, so it is not among the optimizer's parameters, or its learning rate is 0."
        yield _alarm(layer, "never moved", f"{p['name']} of {_named(layer)} never moved: {why}")


def _gradients(layers: list[dict[str, Any]]) -> Any:
    sized = [l for l in layers if l["parameters"] and l["gradient"] and l["gradient"]["rms"]]
    if len(sized) < 2:
        return
    size = lambda layer: float(layer["gradient"]["rms"])
    least, most, end = min(sized, key=size), max(sized, key=size), sized[-1]
    if size(most) > EXPLODED * size(end):
        why = "each layer on the way back makes it larger; use a smaller initialisation, normalisation or clipping"
        share = f"{size(most) / size(end):.3g} times that at {_named(end)}"
        yield _alarm(most, "exploding", f"The gradient explodes: at {_named(most)} it is {share}; {why}.")
    elif size(least) < VANISHED * size(most):
        flat = sorted({l["kind"] for l in layers} & {"Sigmoid", "Tanh", "Hardsigmoid", "Hardtanh", "Softmax"})
        why = "each layer on the way back makes it smaller; use a larger initialisation, normalisation or residual sums"
        if flat:
            why = f"the slopes of {' and '.join(flat)} multiply, and are small where these saturate; use ReLU or GELU"
        share = f"{size(least) / size(most):.3g} of that at {_named(most)}"
        yield _alarm(least, "vanishing", f"The gradient vanishes: at {_named(least)} it is {share}; {why}.")


def _large(layers: list[dict[str, Any]]) -> Any:
    given = next((l for l in layers if l["output"] and float(l["output"]["rms"]) > LARGE), None)
    if given:
        why = "its weights, or the inputs, are too large; scale the inputs, initialise smaller or normalise"
        size = float(given["output"]["rms"])
        yield _alarm(given, "exploding", f"{_named(given)} gives numbers of size {size:.4g}: {why}.")
    hasty = [l for l in layers if l["update"] is not None and float(l["update"]) > HASTY]
    if hasty:
        most = max(hasty, key=lambda layer: float(layer["update"]))
        many = f" (and {len(hasty) - 1} more)" if len(hasty) > 1 else ""
        moved = f"One step moved {_named(most)}{many} by {100 * float(most['update']):.4g}% of its weights"
        yield _alarm(most, "exploding", f"{moved}, where 0.1% is usual: the learning rate is likely too high.")


def _dead(layers: list[dict[str, Any]]) -> Any:
    for layer in layers:
        if layer["dead"] is not None and layer["dead"] >= DEAD:
            why = "a step was too large or the biases too negative; lower the learning rate, or use LeakyReLU or GELU"
            if layer["parameters"]:
                why = "its weights are 0, or all that comes in is"
            yield _alarm(
                layer, "dead", f"{layer['dead']:.4g}% of the units of {_named(layer)} are dead, always 0: {why}."
            )
