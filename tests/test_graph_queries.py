"""Questions to a graph: memory kept, the longest chain, what takes no part and what gets no gradient."""

import ddl
from ddl import nn


class Half(nn.Module):
    """Of its layers one is not used, one is used behind a step, one as it should be."""

    def __init__(self):
        self.used, self.stepped, self.left = nn.Linear(2, 2), nn.Linear(2, 2), nn.Linear(2, 2)

    def forward(self, x, y):
        self.used(y).exp()
        return self.used(x) + self.stepped(x).argmax(-1, keepdims=True)


def test_what_takes_no_part_is_named():
    graph = ddl.trace(Half(), ddl.Spec((3, 2)), ddl.Spec((3, 2)))
    assert [n.op or n.name for n in graph.unused()] == ["y", "linear", "exp", "left.weight", "left.bias"]
    lost = [n.name for n in graph.without_gradient()]
    assert lost == ["y", "stepped.weight", "stepped.bias", "left.weight", "left.bias"]
    assert graph.parameters == Half().num_parameters()


def test_a_part_of_a_model_is_not_asked_for_the_rest():
    model = Half()
    assert ddl.trace(lambda x: model.used(x), ddl.Spec((3, 2))).unused() == []


def test_all_is_used_in_a_decoder():
    with ddl.shapes_only():
        model = ddl.models.GPT2(ddl.models.GPT2Config(50, 16, 8, 2, 2))
    graph = ddl.trace(model, ddl.Spec(("B", "T"), "int64"))
    assert graph.unused() == graph.without_gradient() == []


def test_the_longest_path_is_the_deepest_chain():
    graph = ddl.trace(lambda x, y: (x.exp().log() + y).sum() + y.sum(), ddl.ones(2), ddl.ones(2))
    assert [n.op or n.name for n in graph.longest_path()] == ["x", "exp", "log", "add", "sum", "add"]
    assert ddl.graph.Graph().longest_path() == []


def test_memory_kept_is_the_sum_over_the_ops():
    graph = ddl.trace(lambda x: (x.exp() * x.exp()).tanh(), ddl.Spec(("N",)))
    assert str(graph.kept_bytes()) == "12*N"
