"""Transforms of images and texts, and the chance in them: new each epoch, and the same for a run taken up."""

import json

import numpy as np
import pytest
from fake_cupy import installed

import ddl
from ddl.data import DataLoader, MappedDataset, TensorDataset
from ddl.data.transforms import (
    Compose,
    Encode,
    Lower,
    Normalize,
    Pad,
    RandomCrop,
    RandomHorizontalFlip,
    RandomRotation,
    RandomShift,
    RandomTransform,
    Strip,
    ToFloat,
    Truncate,
)
from ddl.data.transforms.images import rotated
from ddl.text import CharTokenizer

IMAGE = np.arange(24.0).reshape(2, 3, 4)
BYTES = np.arange(48, dtype=np.uint8).reshape(1, 6, 8) * 5
AUGMENT = Compose([ToFloat(), RandomCrop(6, padding=2), RandomHorizontalFlip(), RandomShift(1), RandomRotation(20)])


def rng(seed=0):
    return np.random.default_rng(seed)


def outcomes(transform, x, n=400):
    """What comes out, and how often."""
    seen = {}
    for seed in range(n):
        out = np.asarray(transform(x, rng(seed)))
        key = out.tobytes()
        seen[key] = (out, seen.get(key, (None, 0))[1] + 1)
    return list(seen.values())


# Images


def test_floats_and_their_scale():
    out = ToFloat()(BYTES)
    assert out.dtype == np.float32
    assert out.max() == np.float32(235) / np.float32(255)
    assert ToFloat()(np.full((2, 2), 255, np.uint8)).tolist() == [[1, 1], [1, 1]]
    assert ToFloat()(np.array([[True, False]])).tolist() == [[1, 0]]
    assert ToFloat()(IMAGE)[1, 2, 3] == 23
    assert ToFloat()([[0.5]]).dtype == np.float32


def test_normalizing_each_channel():
    out = Normalize([1.0, 2.0], [2.0, 4.0])(IMAGE)
    np.testing.assert_array_equal(out, (IMAGE - [[[1]], [[2]]]) / [[[2]], [[4]]])
    assert out.dtype == np.float64
    assert Normalize(0.5, 0.25)(np.ones((3, 4), np.float32)).dtype == np.float32
    assert (Normalize(0.5, 0.25)(np.ones((3, 4), np.float32)) == 2).all()
    assert (Normalize([0.5], [0.25])(np.ones((1, 3, 4))) == 2).all()


def test_a_flip_happens_as_often_as_asked():
    flips = outcomes(RandomHorizontalFlip(0.3), IMAGE)
    assert len(flips) == 2
    (changed, often), _ = sorted(flips, key=lambda pair: pair[1])
    np.testing.assert_array_equal(changed, IMAGE[:, :, ::-1])
    assert abs(often / 400 - 0.3) < 0.08
    assert [len(outcomes(RandomHorizontalFlip(p), IMAGE, 20)) for p in (0, 1)] == [1, 1]


def test_a_crop_is_a_piece_of_the_padded_image_and_every_piece_comes():
    around = np.pad(IMAGE, ((0, 0), (1, 1), (1, 1)), constant_values=-7)
    pieces = {around[:, i : i + 2, j : j + 3].tobytes() for i in range(4) for j in range(4)}
    assert {out.tobytes() for out, _ in outcomes(RandomCrop((2, 3), padding=1, fill=-7), IMAGE)} == pieces
    assert all(out.shape == (2, 2, 2) for out, _ in outcomes(RandomCrop(2), IMAGE, 20))
    (whole,) = outcomes(RandomCrop((3, 4)), IMAGE, 20)
    np.testing.assert_array_equal(whole[0], IMAGE)


def test_a_shift_keeps_the_size_and_fills_up():
    image = np.ones((2, 2), np.uint8)
    seen = {tuple(out.ravel().tolist()) for out, _ in outcomes(RandomShift(1), image)}
    assert seen == {
        (1, 1, 1, 1), (0, 0, 1, 1), (1, 1, 0, 0), (0, 1, 0, 1), (1, 0, 1, 0),
        (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1),
    }  # fmt: skip
    assert {out.dtype for out, _ in outcomes(RandomShift(1), image, 20)} == {np.dtype(np.uint8)}


@pytest.mark.parametrize("size", [1, 2, 5, 8])
@pytest.mark.parametrize("quarters", [-2, -1, 0, 1, 2])
def test_quarter_turns_are_exact(size, quarters):
    image = np.arange(2.0 * size * size).reshape(2, size, size)
    np.testing.assert_array_equal(rotated(image, 90 * quarters, 0), np.rot90(image, quarters, (1, 2)))


def test_a_rotation_keeps_the_middle_and_brings_in_fill():
    image = np.ones((9, 9), np.float32)
    out = rotated(image, 45, -1)
    assert out[4, 4] == 1
    assert [out[i, j] for i, j in ((0, 0), (0, 8), (8, 0), (8, 8))] == [-1] * 4
    assert out.dtype == np.float32
    angles = [RandomRotation(30)(np.eye(15), rng(seed)).tobytes() for seed in range(30)]
    assert len(set(angles)) > 10
    np.testing.assert_array_equal(RandomRotation(0)(IMAGE, rng()), IMAGE)


@pytest.mark.parametrize(
    "t", [ToFloat(), Normalize(0.5, 2.0), RandomCrop(2, 1), RandomHorizontalFlip(1), RandomShift(2), RandomRotation(90)]
)
def test_images_stay_on_their_device_and_tensors_give_their_array(t):
    apply = lambda x: t(x, rng(3)) if isinstance(t, RandomTransform) else t(x)
    expected = apply(IMAGE)
    np.testing.assert_array_equal(apply(ddl.tensor(IMAGE)), expected)
    with installed() as cupy:
        out = apply(cupy.asarray(IMAGE))
        assert type(out) is cupy.ndarray
        np.testing.assert_array_equal(out.get(), expected)


def test_the_image_given_stays_as_it_was():
    before = BYTES.copy()
    AUGMENT(BYTES, rng())
    np.testing.assert_array_equal(BYTES, before)


# Texts


def test_a_text_becomes_a_row_of_ids_of_one_length():
    tokenizer = CharTokenizer("abcdef")
    t = Compose([Strip(), Lower(), Encode(tokenizer), Truncate(4), Pad(4, value=9)])
    assert [t(text).tolist() for text in (" AB ", "fedcba", "")] == [[0, 1, 9, 9], [5, 4, 3, 2], [9, 9, 9, 9]]
    assert t("a").dtype == np.int64
    texts = [("ab", 0), ("CDEF", 1), ("a\n", 0)]
    ids, labels = next(iter(DataLoader(texts, 3, transform=t)))
    assert ids.tolist() == [[0, 1, 9, 9], [2, 3, 4, 5], [0, 9, 9, 9]]
    assert labels.tolist() == [0, 1, 0]
    assert next(iter(DataLoader(MappedDataset(["ab"], t)))).tolist() == [[0, 1, 9, 9]]


# Chance


def augmented(seed=5, **options):
    images = np.arange(10 * 48, dtype=np.uint32).reshape(10, 1, 6, 8) % 251
    dataset = TensorDataset(images.astype(np.uint8), np.arange(10))
    return DataLoader(dataset, 4, seed=seed, transform=AUGMENT, **({"shuffle": True} | options))


def told(batches):
    return [(x.tobytes(), y.tolist()) for x, y in batches]


def test_a_transform_sees_the_first_part_and_leaves_the_others():
    x, y = next(iter(augmented()))
    assert (x.shape, x.dtype, y.shape) == ((4, 1, 6, 6), np.float32, (4,))
    whole = DataLoader(np.ones((3, 2, 2)), 3, transform=lambda image: image * 2)
    assert (next(iter(whole)) == 2).all()


def test_each_epoch_changes_a_sample_in_another_way():
    loader = augmented(shuffle=False)
    first, second = ([x for x, _ in loader] for _ in range(2))
    assert all(a.tobytes() != b.tobytes() for a, b in zip(first, second))
    same = DataLoader(TensorDataset(np.ones((40, 4, 4)) * np.arange(4)), 40, seed=0, transform=RandomHorizontalFlip())
    (batch,) = next(iter(same))
    assert 8 < (batch[:, 0, 0] == 3).sum() < 32, "each sample has a chance of its own"


@pytest.mark.parametrize("prefetch", [0, 2])
@pytest.mark.parametrize("at", [1, 2, 3, 4])
def test_a_run_taken_up_sees_the_same_images(at, prefetch):
    running = augmented()
    batches = running.forever()
    for _ in range(at):
        next(batches)
    state = json.loads(json.dumps(running.state_dict()))
    expected = told(next(batches) for _ in range(7))
    resumed = augmented(seed=6, prefetch=prefetch)
    resumed.load_state_dict(state)
    ahead = resumed.forever()
    assert told(next(ahead) for _ in range(7)) == expected
    ahead.close()
    assert told(augmented()) != told(augmented(seed=6))


def test_a_sample_drawn_twice_is_changed_twice():
    loader = DataLoader(np.arange(16.0).reshape(1, 4, 4), 8, sampler=[0] * 8, seed=1, transform=RandomShift(2))
    assert len({x.tobytes() for x in next(iter(loader))}) > 4


def test_a_plain_compose_needs_no_chance_and_a_random_one_says_so():
    assert (Compose([ToFloat(), Normalize(0, 2)])(np.ones((2, 2))) == 0.5).all()
    for t in (Compose([ToFloat(), RandomShift(1)]), Compose([Compose([RandomShift(1)])])):
        with pytest.raises(ValueError, match=r"RandomShift was called without an rng; give it to a DataLoader"):
            t(np.ones((2, 2)))
    assert Compose([Compose([RandomShift(1)])])(np.ones((2, 2)), rng()).shape == (2, 2)


def test_a_transform_says_what_it_is():
    assert repr(AUGMENT) == (
        "Compose([ToFloat(), RandomCrop((6, 6), padding=2, fill=0), RandomHorizontalFlip(p=0.5), "
        "RandomShift(1, fill=0), RandomRotation(20, fill=0)])"
    )
    assert repr(Compose([Lower(), Strip(), Encode(CharTokenizer("ab")), Truncate(3), Pad(3)])) == (
        "Compose([Lower(), Strip(), Encode(CharTokenizer('ab')), Truncate(3), Pad(3, value=0)])"
    )
    assert repr(Normalize([0.5], [0.25])) == "Normalize(mean=[0.5], std=[0.25])"


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: ToFloat()(np.ones(3)), TypeError, "takes an image (H, W) or (C, H, W), but float64 of shape (3,)"),
        (lambda: ToFloat()(np.ones((1, 1, 2, 2))), TypeError, "(C, H, W), but float64 of shape (1, 1, 2, 2) was given"),
        (lambda: ToFloat()("image"), TypeError, "ToFloat takes an image"),
        (lambda: Normalize(0, 0), ValueError, "Normalize takes a mean and a std above 0"),
        (lambda: Normalize([1, 2], [1]), ValueError, "one number or one a channel, but [1, 2] and [1] were given"),
        (lambda: Normalize(0, 1)(BYTES), TypeError, "takes floats, but uint8 was given; put ToFloat() before it"),
        (lambda: Normalize([1.0] * 3, [1.0] * 3)(IMAGE), ValueError, "has 3 channels, but an image of 2 was given"),
        (lambda: RandomHorizontalFlip(1.5), ValueError, "a probability p between 0 and 1, but 1.5 was given"),
        (lambda: RandomCrop(0), ValueError, "a size of one or two whole numbers of 1 or more, but 0 was given"),
        (lambda: RandomCrop((2, 3, 4)), ValueError, "one or two whole numbers of 1 or more, but (2, 3, 4) was given"),
        (lambda: RandomCrop(2, padding=-1), ValueError, "RandomCrop needs padding to be a whole number of 0 or more"),
        (
            lambda: RandomCrop(5, 1)(IMAGE[:, :2], rng()),
            ValueError,
            "asked for 5 x 5 of an image of 4 x 6, its padding",
        ),
        (lambda: RandomShift(0.5), ValueError, "needs pixels to be a whole number of 0 or more, but 0.5 was given"),
        (lambda: RandomRotation(-3), ValueError, "needs degrees between 0 and 180, but -3 was given"),
        (lambda: Compose([3]), TypeError, "Compose takes functions and transforms, but int was given"),
        (lambda: RandomTransform()(1, rng()), NotImplementedError, "RandomTransform has no __call__"),
        (lambda: Lower()(3), TypeError, "Lower takes a text, but int was given"),
        (lambda: Strip()(b"a"), TypeError, "Strip takes a text, but bytes was given"),
        (lambda: Encode(3), TypeError, "Encode takes a tokenizer with a method encode, but int was given"),
        (lambda: Truncate(0), ValueError, "Truncate needs length to be a whole number of 1 or more, but 0 was given"),
        (lambda: Truncate(2)("text"), TypeError, "Truncate(2) takes a row of ids, but <U4 of shape () was given"),
        (lambda: Pad(-1), ValueError, "Pad needs length to be a whole number of 1 or more, but -1 was given"),
        (lambda: Pad(2)([1, 2, 3]), ValueError, "was given 3 ids, which are more; put Truncate(2) before it"),
        (lambda: Pad(4)([[1, 2]]), TypeError, "takes a row of ids, but int64 of shape (1, 2) was given"),
        (lambda: Pad(4)([0.5]), TypeError, "takes a row of ids, but float64 of shape (1,) was given"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(make, error, message):
    with pytest.raises(error) as caught:
        make()
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
