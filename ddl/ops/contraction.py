"""Products that sum over a shared axis."""

import math

from .. import matrices
from ..define import op
from ..sums import summed
from .shaping import permute, rows


@op(r"{x}\,{y}", binds=2)
def matmul(x, y):
    """The matrix product over the last two axes; a vector is a row on the left, a column on the right."""
    return matrices.product(x, y)


def _of_the_left(g, y, x_shape):
    if y.ndim == 1:  # (.., n, k) (k,) -> (.., n)
        return g.reshape(*g.shape, 1) * y
    if len(x_shape) == 1:  # (k,) (.., k, m) -> (.., m)
        return matrices.product(y, g.reshape(*g.shape, 1)).reshape(y.shape[:-1])
    return matrices.product(g, y.swapaxes(-1, -2))


def _of_the_right(g, x, y_shape):
    if x.ndim == 1:
        return g * x if len(y_shape) == 1 else x.reshape(-1, 1) * g.reshape(*g.shape[:-1], 1, g.shape[-1])
    if len(y_shape) == 1:
        return matrices.product(rows(x).swapaxes(0, 1), g.reshape(math.prod(g.shape)))
    if len(y_shape) == 2:  # one product over all of x's matrices
        return matrices.product(rows(x).swapaxes(0, 1), rows(g))
    return matrices.product(x.swapaxes(-1, -2), g)


matmul.vjp(x=_of_the_left, y=_of_the_right)


@op(r"{x}\,{weight}^\top + {bias}", binds=1)
def linear(x, weight, bias=None):
    """x weight^T + bias: (.., in), (out, in), (out,) -> (.., out), as torch.nn.functional.linear."""
    out = matrices.product(x, weight.swapaxes(0, 1))
    return out if bias is None else out + bias


linear.vjp(
    x=lambda g, x, weight: matrices.product(rows(g), weight).reshape(x.shape),
    weight=lambda g, x: matrices.product(rows(g).swapaxes(0, 1), rows(x)),
    bias=lambda g: summed(rows(g), axis=0),
)


@linear.kernel("shapes")
def _(x, weight, bias=None):
    if weight.ndim != 2 or (bias is not None and bias.ndim and bias.shape[-1] not in (1, weight.shape[0])):
        beside = "" if bias is None else f" and a bias of shape {tuple(bias.shape)}"
        raise ValueError(
            f"linear takes a weight (out, in) and a bias (out,), but a weight of shape {tuple(weight.shape)}{beside} "
            "was given"
        )
    return linear.forward(x, weight, bias)


@op(r"\operatorname{{einsum}}_{{{equation}}}({xs})")
def contract(*xs, equation):
    """Einstein's sum of products: `equation` names the axes of each input and of the result, as in "ij,jk->ik".

    An axis has one letter, and a letter stands once in a term and in two terms at least. The inputs are multiplied from
    left to right; a letter is summed over as soon as no later term has it.
    """
    terms, out = _terms(equation)
    (x, *later), (letters, *names) = xs, terms
    for place, (y, others) in enumerate(zip(later, names)):
        x, letters = _product(x, letters, y, others, set(out).union(*names[place + 1 :]))
    return x if letters == out else permute(x, dims=tuple(letters.index(c) for c in out))


def _terms(equation):
    left, out = equation.split("->")
    return left.split(","), out


def _product(x, s, y, t, wanted):
    """x with axes s times y with axes t, and the letters of its axes: one matrix product over those not wanted."""
    sizes = dict(zip(s + t, (*x.shape, *y.shape)))
    both = [c for c in s if c in t]
    batch, summed = [c for c in both if c in wanted], [c for c in both if c not in wanted]
    mine, yours = [c for c in s if c not in t], [c for c in t if c not in s]
    x = permute(x, dims=tuple(s.index(c) for c in batch + mine + summed))
    y = permute(y, dims=tuple(t.index(c) for c in batch + summed + yours))
    b, m, k, n = (tuple(sizes[c] for c in group) for group in (batch, mine, summed, yours))
    if summed:
        z = matrices.product(x.reshape((*b, math.prod(m), math.prod(k))), y.reshape((*b, math.prod(k), math.prod(n))))
        z = z.reshape((*b, *m, *n))
    else:
        z = x.reshape((*b, *m, *(1 for _ in n))) * y.reshape((*b, *(1 for _ in m), *n))
    return z, "".join(batch + mine + yours)


@contract.vjp
def _(g, xs, equation):
    """The gradient of each input is again such a sum: of g and the other inputs, over the letters that it lacks."""
    terms, out = _terms(equation)
    others = lambda things, k: (*things[:k], *things[k + 1 :])
    return tuple(
        contract(g, *others(xs, k), equation=f"{','.join((out, *others(terms, k)))}->{term}")
        for k, term in enumerate(terms)
    )
