"""Wrong answers to the exercises of chapter 13, as learners give them, and right ones written in another way."""

import math

import numpy as np
from answers import Answers

import ddl
from ddl.nn import functional as F

ANSWERS = Answers()
wrong, right = ANSWERS.wrong, ANSWERS.right

right("13.paths")(sum(math.comb(24, k) for k in range(3)))
wrong("13.paths", "blocks were counted for halves")(1 + 12 + 66)
wrong("13.paths", "exactly two")(math.comb(24, 2))
wrong("13.paths", "the path past all is left out")(24 + 276)
wrong("13.paths", "an order of two")(1 + 24 + 24 * 23)
wrong("13.paths", "all paths")(16_777_216)
wrong("13.paths")(25)
wrong("13.paths")(1 + 24 + 24**2 // 2)

right("13.growth")(6.5)
wrong("13.growth", "the mean square")(42.28)
wrong("13.growth", "blocks for halves")(4.652)
wrong("13.growth", "a power of depth")(math.exp(48 * math.log(1.43)))
wrong("13.growth", "the law of post-norm")(1.0)
wrong("13.growth", "it shrinks")(1 / math.sqrt(42.28))
wrong("13.growth")((0.43 * 96) ** 0.5)
wrong("13.growth")(1 + (0.43 * 96) ** 0.5)


def right_pre(x, attn, ln_1, mlp, ln_2):
    for f, norm in ((attn, ln_1), (mlp, ln_2)):
        x = f(norm(x)) + x
    return x


def right_post(x, attn, ln_1, mlp, ln_2):
    summed = attn(x) + x
    middle = ln_1(summed)
    return ln_2(np.add(middle, mlp(middle)))


def order(pre=right_pre, post=right_post):
    return pre, post


right("13.places")(order())


def stream_normed(x, attn, ln_1, mlp, ln_2):
    first = ln_1(x)
    second = ln_2(first + attn(first))
    return second + mlp(second)


def attention_alone_normed(x, attn, ln_1, mlp, ln_2):
    x = ln_1(x)
    x = x + attn(x)
    return x + mlp(ln_2(x))


def norm_of_the_added(x, attn, ln_1, mlp, ln_2):
    x = ln_1(attn(x)) + x
    return ln_2(mlp(x)) + x


def at_once(x, attn, ln_1, mlp, ln_2):
    return attn(ln_1(x)) + mlp(ln_2(x)) + x


def first_norm_twice(x, attn, ln_1, mlp, ln_2):
    return right_pre(x, attn, ln_1, mlp, ln_1)


def norms_crossed(x, attn, ln_1, mlp, ln_2):
    return right_pre(x, attn, ln_2, mlp, ln_1)


def no_sums(x, attn, ln_1, mlp, ln_2):
    return mlp(ln_2(attn(ln_1(x))))


def one_norm_at_the_end(x, attn, ln_1, mlp, ln_2):
    x = x + attn(x)
    return ln_2(x + mlp(x))


def old_stream(x, attn, ln_1, mlp, ln_2):
    return x + mlp(ln_2(x + attn(ln_1(x))))


wrong("13.places", "the stream itself is normed")(order(stream_normed))
wrong("13.places", "the norm stands inside the sum")(order(post=norm_of_the_added))
wrong("13.places", "the two are exchanged")(order(right_post, right_pre))
wrong("13.places", "the MLP does not read what attention wrote")(order(at_once))
wrong("13.places", "one norm for both halves")(order(first_norm_twice))
wrong("13.places", "nothing is added")(order(no_sums))
wrong("13.places")(order(stream_normed, norm_of_the_added))
wrong("13.places")(order(attention_alone_normed))
wrong("13.places")(order(norms_crossed))
wrong("13.places")(order(post=one_norm_at_the_end))
wrong("13.places")(order(old_stream))


def walk(step, turned=True):
    def back(g, halves):
        for f_back, norm_back in reversed(halves) if turned else halves:
            g = step(g, f_back, norm_back)
        return g

    return back


def past_and_through(g, f, n):
    return n(f(g)) + g


def norm_then_both(g, f, n):
    h = n(g)
    return f(h) + h


def recursive_pre(g, halves):
    if not halves:
        return g
    f_back, norm_back = halves[-1]
    return recursive_pre(g + norm_back(f_back(g)), halves[:-1])


right("13.back")((recursive_pre, walk(norm_then_both)))
wrong("13.back", "from the first half on")((walk(past_and_through, False), walk(norm_then_both, False)))
wrong("13.back", "the norm before the half")((walk(lambda g, f, n: f(n(g)) + g), walk(norm_then_both)))
wrong("13.back", "the norm goes around the half alone")((walk(past_and_through), walk(lambda g, f, n: f(n(g)) + g)))
wrong("13.back", "the stream's own gradient is lost")((walk(lambda g, f, n: n(f(g))), walk(lambda g, f, n: f(n(g)))))
wrong("13.back", "the half sees what came before the norm")((walk(past_and_through), walk(lambda g, f, n: f(g) + n(g))))
wrong("13.back", "the two are exchanged")((walk(norm_then_both), walk(past_and_through)))
wrong("13.back")((walk(past_and_through), walk(norm_then_both, False)))
wrong("13.back")((walk(lambda g, f, n: g - n(f(g))), walk(norm_then_both)))
wrong("13.back")((walk(past_and_through), walk(lambda g, f, n: g + f(g))))
wrong("13.back")((walk(past_and_through), walk(lambda g, f, n: n(g + f(g)))))
wrong("13.back")((lambda g, halves: g + sum(n(f(g)) for f, n in halves), walk(norm_then_both)))


@right("13.looks")
def copied(ids):
    after, out = {}, []
    for t, now in enumerate(ids):
        if t:
            after[ids[t - 1]] = now
        out.append(after.get(now, -1))
    return out


def search(ids, order=lambda places: places[-1], step=1, end=lambda t: t, missing=lambda t: -1):
    out = []
    for t, now in enumerate(ids):
        places = [s for s, token in enumerate(ids) if s < end(t) and s != t and token == now and s + step < len(ids)]
        out.append(ids[order(places) + step] if places else missing(ids[t]))
    return out


def searched(**how):
    return lambda ids: search(ids, **how)


wrong("13.looks", "the first time it came")(searched(order=lambda places: places[0]))
wrong("13.looks", "the token itself")(searched(step=0))
wrong("13.looks", "0 where nothing was found")(searched(missing=lambda now: 0))
wrong("13.looks", "it does not see the neighbour")(searched(end=lambda t: t - 1))
wrong("13.looks")(searched(missing=lambda now: now))


@wrong("13.looks", "the token before it")
def copied(ids):
    out = []
    for t in range(len(ids)):
        place = max((s for s in range(t) if ids[s] == ids[t]), default=0) - 1
        out.append(ids[place] if place >= 0 else -1)
    return out


@wrong("13.looks", "it looks into the future")
def copied(ids):
    out = []
    for t in range(len(ids)):
        places = [s for s in range(len(ids)) if s != t and ids[s] == ids[t]]
        out.append(ids[places[-1] + 1] if places and places[-1] + 1 < len(ids) else -1)
    return out


@wrong("13.looks")
def copied(ids):
    after = {}
    return [
        after.setdefault(now, ids[t + 1] if t + 1 < len(ids) else -1) if now in ids[:t] else -1
        for t, now in enumerate(ids)
    ]


@wrong("13.looks")
def copied(ids):
    """What two tokens in a row were followed by."""
    after, out = {}, []
    for t, now in enumerate(ids):
        if t > 1:
            after[ids[t - 2], ids[t - 1]] = now
        out.append(after.get((ids[t - 1], now), -1) if t else -1)
    return out


@right("13.shrink")
def shrink(blocks):
    s = np.float32(1 / np.sqrt(2 * max(1, len(blocks))))
    for block in blocks:
        for name, p in block.named_parameters():
            if name.endswith(("proj.weight", "down.weight")):
                p.data[...] *= s


def scaled(names, factor=lambda n: 1 / math.sqrt(n + n)):
    def shrink(blocks):
        for block in blocks:
            for name, p in block.named_parameters():
                p.data[...] *= np.float32(factor(len(blocks)) if name in names else 1)

    return shrink


ENDS = ("attn.proj.weight", "mlp.down.weight")
STARTS = ("attn.qkv.weight", "mlp.up.weight")
wrong("13.shrink", "blocks were counted for halves")(scaled(ENDS, lambda n: 1 / math.sqrt(n)))
wrong("13.shrink", "mean squares for sizes")(scaled(ENDS, lambda n: 0.5 / n))
wrong("13.shrink", "the MLP was forgotten")(scaled(ENDS[:1]))
wrong("13.shrink", "the matrices that read")(scaled(STARTS))
wrong("13.shrink", "all matrices")(scaled(ENDS + STARTS))
wrong("13.shrink", "larger")(scaled(ENDS, lambda n: math.sqrt(2 * n)))
wrong("13.shrink")(scaled(ENDS[1:]))
wrong("13.shrink")(scaled((*ENDS, "attn.proj.bias", "mlp.down.bias")))
wrong("13.shrink")(scaled(ENDS, lambda n: 0.25))
wrong("13.shrink")(lambda blocks: scaled(ENDS, lambda n: 1 / math.sqrt(2 * len(blocks)))(blocks[1:]))


def by_autograd(g, x, gate, up, down):
    given = [ddl.tensor(a, requires_grad=True) for a in (x, gate, up, down)]
    x, gate, up, down = given
    out = (F.silu(x @ gate.T) * (x @ up.T)) @ down.T
    return [d.numpy() for d in ddl.grad((out * ddl.tensor(g)).sum(), given)]


def there(x, gate, up, down, act=lambda h, s: h * s):
    h = np.einsum("nc,kc->nk", x, gate)
    return np.einsum("nk,nk,ck->nc", act(h, (1 + np.tanh(h / 2)) / 2), np.einsum("nc,kc->nk", x, up), down)


def back_again(slope=lambda h, s: s + h * s * (1 - s), opened=lambda h, s: h * s, of_x=(1, 1), seen=None, turn=False):
    def vjp(g, x, gate, up, down):
        h, u, from_down = x @ gate.T, x @ up.T, g @ down
        s = ((1 + np.tanh(h / 2)) / 2).astype(h.dtype)
        dh, du = slope(h, s) * u * from_down, opened(h, s) * from_down
        hidden = (seen or (lambda h, s, u: h * s * u))(h, s, u)
        dgate, dup = np.einsum("nk,nc->kc", dh, x), np.einsum("nk,nc->kc", du, x)
        dx = of_x[0] * (dh @ gate) + of_x[1] * (du @ up)
        return dx, *((dup, dgate) if turn else (dgate, dup)), np.einsum("nc,nk->ck", g, hidden)

    return vjp


right("13.gated")((there, back_again()))
right("13.gated")((there, by_autograd))
wrong("13.gated", "the slope of the sigmoid alone")((there, back_again(lambda h, s: s * (1 - s))))
wrong("13.gated", "the sigmoid is taken for a constant")((there, back_again(lambda h, s: s)))
wrong("13.gated", "x hears from the gate alone")((there, back_again(of_x=(1, 0))))
wrong("13.gated", "x hears from up alone")((there, back_again(of_x=(0, 1))))
wrong("13.gated", "u is left out of what down sees")((there, back_again(seen=lambda h, s, u: h * s)))
wrong("13.gated", "h is taken for the gate")((there, back_again(opened=lambda h, s: h)))
wrong("13.gated", "a sigmoid for the gate")(
    (lambda x, gate, up, down: there(x, gate, up, down, lambda h, s: s), back_again())
)


def crossed(g, x, gate, up, down):
    dx, dup, dgate, ddown = back_again()(g, x, up, gate, down)
    return dx, dgate, dup, ddown


wrong("13.gated", "gate and up are exchanged")((lambda x, gate, up, down: there(x, up, gate, down), crossed))

wrong("13.gated")((there, back_again(turn=True)))
wrong("13.gated")((there, back_again(lambda h, s: s + h * (1 - s))))
wrong("13.gated")((there, back_again(seen=lambda h, s, u: s * u)))
wrong("13.gated")((lambda x, gate, up, down: there(x, gate, up, down, lambda h, s: h * (h > 0)), back_again()))
