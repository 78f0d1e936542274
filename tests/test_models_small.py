"""The MLP and the CNN of ddl.models: shapes, names, PyTorch's numbers, and what they refuse."""

import numpy as np
import pytest

import ddl
from ddl.models import CNN, MLP


def test_an_mlp_is_linear_layers_with_relu_between():
    ddl.manual_seed(0)
    model = MLP(3, 5, 4, 2)
    assert list(model.state_dict()) == [f"layers.{i}.{name}" for i in (0, 2, 4) for name in ("weight", "bias")]
    x = np.random.default_rng(0).standard_normal((2, 7, 3)).astype(np.float32)
    y = x
    for i in (0, 2, 4):
        layer = model.layers[i]
        y = y @ layer.weight.numpy().T + layer.bias.numpy()
        y = np.maximum(y, 0) if i < 4 else y
    np.testing.assert_allclose(model(x).numpy(), y, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize(
    ("settings", "shape"),
    [
        ({}, (3, 1, 28, 28)),
        ({"image_size": 8}, (3, 1, 8, 8)),
        ({"image_size": (9, 12), "classes": 4, "in_channels": 3, "channels": (2, 3, 5)}, (2, 3, 9, 12)),
    ],
)
def test_a_cnn_gives_a_score_for_each_class(settings, shape):
    model = CNN(**settings)
    assert model(ddl.randn(*shape)).shape == (shape[0], settings.get("classes", 10))
    with ddl.shapes_only():
        assert CNN(**settings)(ddl.Tensor(ddl.Spec(shape))).shape == (shape[0], settings.get("classes", 10))


@pytest.mark.torch
def test_a_cnn_computes_what_pytorch_does():
    import torch
    from torch import nn

    ddl.manual_seed(0)
    model = CNN(8, classes=3, channels=(4, 5)).double()
    twin = nn.Module()
    layers = [nn.Conv2d(1, 4, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)]
    layers += [nn.Conv2d(4, 5, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten()]
    twin.features, twin.head = nn.Sequential(*layers), nn.Linear(20, 3)
    twin.double().load_state_dict({path: torch.tensor(t.numpy()) for path, t in model.state_dict().items()})
    x, y = np.random.default_rng(0).standard_normal((6, 1, 8, 8)), np.arange(6) % 3
    ddl.nn.functional.cross_entropy(model(x), y).backward()
    loss = nn.functional.cross_entropy(twin.head(twin.features(torch.tensor(x))), torch.tensor(y))
    loss.backward()
    for path, p in model.named_parameters():
        np.testing.assert_allclose(p.grad.numpy(), twin.get_parameter(path).grad.numpy(), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: MLP(3), ("MLP", "(3,)")),
        (lambda: MLP(3, 0, 2), ("MLP", "size 1", "but 0 was")),
        (lambda: CNN(3), ("CNN", "image_size", "4 or more", "3")),
        (lambda: CNN(8, channels=(2, -1)), ("out_channels", "-1")),
        (lambda: CNN(8, classes=0), ("classes", "but 0 was")),
        (lambda: CNN(8)(ddl.ones(2, 1, 9, 8)), ("CNN", "(8, 8)", "(2, 1, 9, 8)")),
        (lambda: CNN(8)(ddl.ones(2, 3, 8, 8)), ("1 channels", "have 3")),
    ],
)
def test_nonsense_is_refused(call, words):
    with pytest.raises(ValueError) as error:
        call()
    assert all(word in str(error.value) for word in words)
