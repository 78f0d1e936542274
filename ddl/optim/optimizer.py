"""What every optimizer does: hold parameter groups and their state, step, save and load."""

from collections.abc import Iterable, Iterator
from numbers import Real
from typing import Any

import numpy as np

from ..arrays import as_array, device_of, to_device
from ..checks import at_least
from ..core import Tensor, mark_changed
from ..nn import Module, Parameter
from .clip import clip_grad_norm_


def check_optimizer(owner: str, optimizer: Any) -> None:
    """Refuse what has no learning rate to move."""
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"{owner} moves an optimizer's rate, but {type(optimizer).__name__} was given")


def are_betas(value: Any) -> bool:
    return (
        isinstance(value, (tuple, list))
        and len(value) == 2
        and all(isinstance(beta, Real) and 0 <= beta < 1 for beta in value)
    )


def one_or_more(params: Any) -> list[Any]:
    return [params] if isinstance(params, Tensor) else list(params)


class Optimizer:
    """The base of optimizers; a subclass says in `update` what one step does to one parameter.

    `params` is parameters, or groups: dicts with "params" and any option that should differ from `defaults`. Options
    are numbers of 0 or more, and betas two below 1. State is kept by the parameter's number, in the order given.
    """

    def __init__(self, params: Iterable[Any], **defaults: Any):
        if isinstance(params, Tensor):
            raise TypeError(f"{type(self).__name__} takes a list of parameters, but one tensor was given; write [p]")
        if isinstance(params, Module):
            raise TypeError(f"{type(self).__name__} was given a module; pass its parameters, module.parameters()")
        given = list(params)
        if not given:
            raise ValueError(
                f"{type(self).__name__} was given no parameters; "
                "make the model first, then the optimizer from model.parameters()"
            )
        groups = given if isinstance(given[0], dict) else [{"params": given}]
        for group in groups:
            if "params" not in group:
                raise ValueError(f'a parameter group has options {sorted(group)} alone; give it its "params" too')
            unknown = set(group) - set(defaults) - {"params"}
            if unknown:
                raise ValueError(
                    f"a parameter group has options {sorted(unknown)}, "
                    f"but {type(self).__name__} knows {sorted(defaults)}"
                )
        self.param_groups: list[dict[str, Any]] = [
            {**defaults, **g, "params": one_or_more(g["params"])} for g in groups
        ]
        self._check()
        self.state: dict[int, dict[str, Any]] = {}
        self.steps = 0

    def _check(self) -> None:
        """Refuse options and parameters that no step could use."""
        kind = type(self).__name__
        for group in self.param_groups:
            for option, value in group.items():
                if option == "betas" and not are_betas(value):
                    raise ValueError(f"{kind} needs two betas from 0 up to, not including, 1, but {value!r} was given")
                if option not in ("params", "betas"):
                    at_least(kind, 0, **{option: value})
        for p in self.parameters():
            if not isinstance(p, Parameter) and not (isinstance(p, Tensor) and p.requires_grad and p.is_leaf):
                given = type(p).__name__
                raise TypeError(
                    f"{kind} moves parameters and leaf tensors that require a gradient, but {given} was given"
                )
        if len({id(p) for p in self.parameters()}) < len(list(self.parameters())):
            raise ValueError(f"{kind} was given the same parameter twice; give each once")

    def parameters(self) -> Iterator[Parameter]:
        return (p for group in self.param_groups for p in group["params"])

    def zero_grad(self) -> None:
        for p in self.parameters():
            p.grad = None

    def step(self) -> None:
        """Move every parameter that has a gradient."""
        self.steps += 1
        number = 0
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    state = self.state.setdefault(number, {})
                    self.update(p.data, p.grad.data, state, group)
                    mark_changed(p)
                number += 1

    def update(self, p: Any, g: Any, state: dict[str, Any], group: dict[str, Any]) -> None:
        """Change the array p in place, given its gradient g."""
        raise NotImplementedError(f"{type(self).__name__} has no update; define what one step does to one parameter")

    def backward_step(self, loss: Tensor, max_norm: float | None = None) -> float | None:
        """One training step from a loss: old gradients dropped, backward, clipping, step; the graph is freed.

        Returns the gradients' norm before clipping where `max_norm` is given; when it is not finite, nothing moves.
        """
        self.zero_grad()
        loss.backward(retain_graph=False)
        norm = None if max_norm is None else clip_grad_norm_(self.parameters(), max_norm)
        if norm is None or np.isfinite(norm):
            self.step()
        return norm

    def state_dict(self) -> dict[str, Any]:
        """{"steps", "param_groups": options with parameter numbers, "state": arrays by parameter number}."""
        groups, start = [], 0
        for group in self.param_groups:
            numbers = list(range(start, start + len(group["params"])))
            groups.append({**{k: v for k, v in group.items() if k != "params"}, "params": numbers})
            start += len(numbers)
        return {"steps": self.steps, "param_groups": groups, "state": {n: dict(s) for n, s in self.state.items()}}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Continue from a saved state; it must have as many groups and parameters as this optimizer."""
        own, saved = [len(g["params"]) for g in self.param_groups], [len(g["params"]) for g in state["param_groups"]]
        if own != saved:
            raise ValueError(
                f"the optimizer state is of groups of {saved} parameters, but this optimizer has groups of {own}"
            )
        params = list(self.parameters())
        for n, s in state["state"].items():
            if not 0 <= int(n) < len(params):
                raise ValueError(
                    f"the optimizer state is of a parameter {n}, but this optimizer has {len(params)} parameters"
                )
            for name, v in s.items():
                if getattr(v, "shape", ()) not in ((), params[int(n)].shape):
                    raise ValueError(
                        f"the optimizer state has {name} of shape {tuple(v.shape)} for parameter {n}, "
                        f"but this parameter has shape {params[int(n)].shape}"
                    )
        self.steps = state["steps"]
        for group, old in zip(self.param_groups, state["param_groups"]):
            group.update({k: tuple(v) if isinstance(v, list) else v for k, v in old.items() if k != "params"})
        self.state = {
            int(n): {
                k: to_device(as_array(v), device_of(params[int(n)].data)) if hasattr(v, "shape") else v
                for k, v in s.items()
            }
            for n, s in state["state"].items()
        }
