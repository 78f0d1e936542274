"""What feature maps show: each layer called by hand, on a model that stays as it was."""

import numpy as np
import pytest

pytest.importorskip("anywidget")

import ddl
from ddl import nn
from ddl.models import CNN
from ddl.widgets import features
from ddl.widgets.features import CHANNELS, SIDE

IMAGES = np.random.default_rng(0).random((3, 8, 8))


def test_each_layer_shows_what_it_gives():
    model = CNN(8, channels=(3, 2))
    widget = features(model, IMAGES)
    for place in range(3):
        state = widget.change(place) if place else widget.state
        x = ddl.tensor(IMAGES[place, None, None].astype(np.float32))
        assert np.array_equal(state.layers[0].maps, IMAGES[place, None])
        for layer, module in zip(state.layers[1:], list(model.features)[:-1], strict=True):
            x = module(x)
            assert np.allclose(layer.maps, x.numpy()[0])
            assert np.allclose(layer.means, x.numpy()[0].mean((1, 2)), atol=1e-6)
    assert [layer["kind"] for layer in widget.data["layers"]] == ["input", *["Conv2d", "ReLU", "MaxPool2d"] * 2]


def test_kernels_are_shown_where_each_is_one_picture():
    model = CNN(8, channels=(3, 2))
    layers = features(model, IMAGES).state.layers
    assert np.array_equal(layers[1].kernels, model.features[0].weight.numpy()[:, 0])
    assert [layer.kernels is None for layer in layers] == [True, False, *[True] * 5]


def test_a_large_map_is_shown_by_means_of_its_parts_and_of_many_channels_the_first():
    image = np.random.default_rng(1).random((60, 50))
    model = nn.Sequential(nn.Conv2d(1, 40, 1))
    first, layer = features(model, image).state.layers
    assert first.maps.shape == (1, SIDE, SIDE)
    rows, columns = (np.linspace(0, n, SIDE + 1).astype(int) for n in image.shape)
    for i, j in [(0, 0), (5, 20), (23, 23)]:
        part = image[rows[i] : rows[i + 1], columns[j] : columns[j + 1]]
        assert first.maps[0, i, j] == pytest.approx(part.mean())
    assert (layer.shape, len(layer.maps)) == ((40, 60, 50), CHANNELS)


def test_the_model_stays_as_it_was():
    model = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.Dropout(0.5))
    before = {path: t.numpy().copy() for path, t in model.state_dict().items()}
    streams = ddl.random.get_state()
    first, again = (features(model, IMAGES).state.layers[-1].maps for _ in range(2))
    assert np.array_equal(first, again)
    assert all(np.array_equal(t.numpy(), before[path]) for path, t in model.state_dict().items())
    assert (ddl.random.get_state(), model.training, model[2].training) == (streams, True, True)
    assert not any(module._hooks and module._hooks.after for module in model.modules())


def test_hooks_are_taken_off_when_the_model_refuses():
    model = CNN(8, channels=(3, 2))
    with pytest.raises(ValueError, match="CNN takes images"):
        features(model, np.zeros((9, 9)))
    assert not any(module._hooks and module._hooks.after for module in model.modules())


@pytest.mark.parametrize(
    ("model", "images", "words"),
    [
        (3, IMAGES, "takes a model with layers"),
        (nn.Sequential(nn.Flatten(), nn.Linear(64, 2)), IMAGES, "this model has none"),
        (CNN(8), np.zeros(8), "features shows images"),
        (CNN(8), np.zeros((65, 8, 8)), "N up to 64"),
    ],
)
def test_what_has_no_maps_is_refused(model, images, words):
    with pytest.raises(ValueError, match=words):
        features(model, images)


@pytest.mark.parametrize("place", [-1, 3, 1.5, "0"])
def test_an_image_that_is_not_there_is_refused(place):
    with pytest.raises(ValueError, match="images are 0 to 2"):
        features(CNN(8), IMAGES).change(place)
