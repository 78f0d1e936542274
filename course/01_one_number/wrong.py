"""Wrong answers to the exercises of chapter 1, as learners give them, and right ones written in another way."""

import math

from answers import Answers

import ddl

ANSWERS = Answers()
wrong, right = ANSWERS.wrong, ANSWERS.right


@right("01.product")
def product_slopes(a, b):
    slopes = [b, a]
    return tuple(slopes)


@wrong("01.product", "each factor as its own slope")
def product_slopes(a, b):
    return a, b


@wrong("01.product", "the slopes of a sum")
def product_slopes(a, b):
    return 1.0, 1.0


@wrong("01.product", "one slope for both")
def product_slopes(a, b):
    return b, b


@wrong("01.product")
def product_slopes(a, b):
    return b, -a


@wrong("01.product")
def product_slopes(a, b):
    return 3.0, 2.0


@right("01.divide")
def divide(a, b):
    inverse = 1 / b
    return a * inverse, inverse, -a * inverse * inverse


@wrong("01.divide", "the minus is missing")
def divide(a, b):
    return a / b, 1 / b, a / b**2


@wrong("01.divide", "the slope in b is that of 1/b alone")
def divide(a, b):
    return a / b, 1 / b, -1 / b**2


@wrong("01.divide", "b instead of its square")
def divide(a, b):
    return a / b, 1 / b, -a / b


@wrong("01.divide")
def divide(a, b):
    return a / b, b, -a / b**2


right("01.read")({"y": 2, "x": -2})
wrong("01.read", "only the product's path")({"x": -3, "y": 2})
wrong("01.read", "only the direct path")({"x": 1, "y": 2})
wrong("01.read", "x and y exchanged")({"x": 2, "y": -2})
wrong("01.read")({"x": -4, "y": 2})

right("01.paths")(sum(2**k for k in range(31)))
wrong("01.paths", "only the paths")(2**30)
wrong("01.paths", "one visit for each number")(31)
wrong("01.paths", "one power too many")(2**32 - 1)
wrong("01.paths")(2**31)


@right("01.nudge")
def nudge(f, x, h=1e-5):
    return f(x + h) / (2 * h) - f(x - h) / (2 * h)


@wrong("01.nudge", "a nudge to one side")
def nudge(f, x, h=1e-5):
    return (f(x + h) - f(x)) / h


@wrong("01.nudge", "divided by h")
def nudge(f, x, h=1e-5):
    return (f(x + h) - f(x - h)) / h


@wrong("01.nudge", "the points exchanged")
def nudge(f, x, h=1e-5):
    return (f(x - h) - f(x + h)) / (2 * h)


@wrong("01.nudge", "h is ignored")
def nudge(f, x, h=1e-5):
    return (f(x + 1e-5) - f(x - 1e-5)) / 2e-5


@right("01.tanh")
def tanh_slope(out):
    return (1 + out) * (1 - out)


@wrong("01.tanh", "a plus for the minus")
def tanh_slope(out):
    return 1 + out**2


@wrong("01.tanh", "not squared")
def tanh_slope(out):
    return 1 - out


@wrong("01.tanh", "computed from the output as if it were the input")
def tanh_slope(out):
    return 1 - math.tanh(out) ** 2


@wrong("01.tanh")
def tanh_slope(out):
    return out * (1 - out)


def numbers_of(result):
    found = [result]
    for number in found:
        for parent in number.parents:
            if all(parent is not other for other in found):
                found.append(parent)
    return sorted(found, key=lambda number: number.birth)


@right("01.backward")
def backward(result):
    result.grad = 1.0
    for number in numbers_of(result)[::-1]:
        for place, parent in enumerate(number.parents):
            parent.grad = parent.grad + number.grad * number.slopes[place]


@wrong("01.backward", "the gradient overwrites")
def backward(result):
    result.grad = 1.0
    for number in numbers_of(result)[::-1]:
        for parent, slope in zip(number.parents, number.slopes):
            parent.grad = slope * number.grad


@wrong("01.backward", "the arriving gradient is left out")
def backward(result):
    result.grad = 1.0
    for number in numbers_of(result)[::-1]:
        for parent, slope in zip(number.parents, number.slopes):
            parent.grad += slope


@wrong("01.backward", "oldest first")
def backward(result):
    result.grad = 1.0
    for number in numbers_of(result):
        for parent, slope in zip(number.parents, number.slopes):
            parent.grad += slope * number.grad


@wrong("01.backward")
def backward(result):
    result.grad = 1.0
    for number in numbers_of(result)[::-1]:
        for parent, slope in zip(number.parents, number.slopes):
            parent.grad = parent.grad or slope * number.grad


@right("01.order")
def newest_first(result):
    return numbers_of(result)[::-1] if result.birth < 100 else all_of_a_long_one(result)


def all_of_a_long_one(result):
    seen, waiting = {result}, [result]
    while waiting:
        new = set(waiting.pop().parents) - seen
        seen |= new
        waiting += new
    return sorted(seen, key=lambda number: number.birth, reverse=True)


@wrong("01.order", "along every path")
def newest_first(result):
    found = [result]
    for parent in result.parents:
        found += newest_first_by_paths(parent)
    return found


def newest_first_by_paths(number):
    found = [number]
    for parent in number.parents:
        found += newest_first_by_paths(parent)
    return found


@wrong("01.order", "level by level")
def newest_first(result):
    found = [result]
    for number in found:
        found += [parent for parent in number.parents if all(parent is not other for other in found)]
    return list(dict.fromkeys(found))


@wrong("01.order", "oldest first")
def newest_first(result):
    return all_of_a_long_one(result)[::-1]


@wrong("01.order")
def newest_first(result):
    different = {number.data: number for number in all_of_a_long_one(result)}
    return sorted(different.values(), key=lambda number: -number.birth)


def trained(points, steps, rate, clear=True, share=None):
    w, b = ddl.Scalar(0.0), ddl.Scalar(0.0)
    for _ in range(steps):
        if clear:
            w.grad, b.grad = 0.0, 0.0
        total = ddl.Scalar(0.0)
        for x, y in points:
            total = total + (w * x + b - y) ** 2
        (total / (share or len(points))).backward()
        w.data, b.data = w.data - rate * w.grad, b.data - rate * b.grad
    return w.data, b.data


right("01.fit")(trained)


@wrong("01.fit", "gradients pile up")
def fit(points, steps, rate):
    return trained(points, steps, rate, clear=False)


@wrong("01.fit", "a sum for a mean")
def fit(points, steps, rate):
    return trained(points, steps, rate, share=1)


@wrong("01.fit", "uphill")
def fit(points, steps, rate):
    return trained(points, steps, -rate)


@wrong("01.fit")
def fit(points, steps, rate):
    return trained(points, max(steps - 1, 0), rate)


@wrong("01.fit")
def fit(points, steps, rate):
    return trained(points, steps, rate, share=max(len(points) - 1, 1))
