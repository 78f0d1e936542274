"""How a chapter's wrong.py writes down wrong answers, each with the mistake it makes, and right ones of other make."""


class Answers:
    """`@wrong("01.product", "each factor as its own slope")` and `@right("01.product")` collect what follows.

    A value that is no function is handed over: `wrong("01.paths", "only the paths")(2**30)`; an exercise that takes
    several things gets a tuple.
    """

    def __init__(self):
        self.of_wrong, self.of_right = {}, {}

    def wrong(self, id, mistake=""):
        return lambda answer: self.of_wrong.setdefault(id, []).append((answer, mistake)) or answer

    def right(self, id):
        return lambda answer: self.of_right.setdefault(id, []).append(answer) or answer
