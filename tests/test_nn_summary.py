"""The table of a model's layers: what it says is what the layers are, and nothing is computed or left behind."""

import re

import numpy as np
import pytest

import ddl
from ddl import nn


def picture_model():
    return nn.Sequential(
        nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dropout(0.5), nn.Linear(8, 1234, bias=False), nn.Softmax()
    )


SAYS = """
layer  type         output     parameters  trainable   memory
-------------------------------------------------------------
(all)  Sequential   (2, 1234)
0      Linear       (2, 8)             56         56    224 B
1      BatchNorm1d  (2, 8)             16         16    136 B
2      ReLU         (2, 8)
3      Dropout      (2, 8)
4      Linear       (2, 1234)       9,872          0  39.5 KB
5      Softmax      (2, 1234)
-------------------------------------------------------------
total                               9,944         72  39.8 KB
"""


def test_a_model_is_a_table():
    model = picture_model()
    model[4].requires_grad_(False)
    assert repr(model.summary(ddl.Spec((2, 6)))) == SAYS.strip()


def test_without_inputs_there_is_no_column_of_shapes():
    text = repr(nn.Sequential(nn.Linear(3, 2)).summary())
    assert "output" not in text
    assert re.search(r"^0 +Linear +8 +8 +32 B$", text, re.MULTILINE)


def test_the_totals_are_the_models_own():
    model = nn.TransformerBlock(8, 2, rotary=nn.RotaryEmbedding(4))
    summary = model.summary(ddl.Spec((2, 3, 8)))
    assert summary.parameters == summary.trainable == model.num_parameters() == sum(r.parameters for r in summary.rows)
    assert summary.nbytes == 4 * summary.parameters
    assert [row.path for row in summary.rows] == [path for path, _ in model.named_modules()]
    outputs = {row.path: row.output for row in summary.rows}
    assert outputs["attn.rotary"] == "(2, 2, 3, 4)"
    assert outputs["mlp.up"] == "(2, 3, 32)"


def test_a_tied_weight_is_counted_where_it_is_met_first():
    class Tied(nn.Module):
        def __init__(self):
            self.wte = nn.Embedding(5, 4)
            self.head = nn.Linear(4, 5, bias=False)
            self.head.weight = self.wte.weight

        def forward(self, ids):
            return self.head(self.wte(ids))

    summary = Tied().summary(ddl.Spec((2, 3), np.int64))
    assert summary.parameters == 20
    assert "(weight = wte.weight)" in repr(summary)
    assert [row.output for row in summary.rows] == ["(2, 3, 5)", "(2, 3, 4)", "(2, 3, 5)"]


def test_several_outputs_and_several_inputs():
    rows = nn.LSTM(4, 8).summary(ddl.Spec((5, 2, 4))).rows
    assert rows[0].output == "(5, 2, 8), (1, 2, 8), (1, 2, 8)"
    decoder = nn.TransformerDecoderLayer(8, 2, 16).summary(ddl.Spec((2, 3, 8)), ddl.ones(2, 5, 8))
    assert decoder.rows[0].output == "(2, 3, 8)"


def test_nothing_is_changed_by_looking():
    model = picture_model()
    model[3].eval()
    state = {path: t.numpy().copy() for path, t in model.state_dict().items()}
    model.summary(ddl.Spec((2, 6)))
    for path, t in model.state_dict().items():
        np.testing.assert_array_equal(t.numpy(), state[path])
    assert [layer.training for layer in model] == [True, True, True, False, True, True]
    assert not any(m._hooks and m._hooks.after for m in model.modules())


def test_a_model_without_memory_is_as_heavy_as_it_would_be():
    with ddl.shapes_only():
        model = nn.Linear(100_000, 100_000)
    assert repr(model.summary(ddl.Spec((2, 100_000)))).endswith("10,000,100,000  10,000,100,000  40.0 GB")


def test_as_html_its_text_is_text():
    class Odd(nn.Module):
        def forward(self, x):
            return x

    Odd.__name__ = "<script>"
    html = nn.Sequential(Odd()).summary(ddl.Spec((2,)))._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
    assert html.count("<tr>") == html.count("</tr>") == 4


def test_a_fault_says_which_layer_and_what_is_no_input_is_refused():
    model = nn.Sequential(nn.Linear(3, 4), nn.Linear(5, 2))
    with pytest.raises(ValueError, match=r"whose last axis is 5, but \(2, 4\)") as error:
        model.summary(ddl.Spec((2, 3)))
    assert "called from Linear '1'" in error.value.__notes__
    assert model[0]._hooks is None or not model[0]._hooks.after
    with pytest.raises(TypeError, match=r"summary takes what the model is called on.*ddl\.Spec\(\(2, 3\)\)"):
        model.summary((2, 3))
