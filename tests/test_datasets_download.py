"""Downloaded data sets: each format is read correctly, the cache is used, and no damaged file stays in it."""

from __future__ import annotations

import gzip
import re
import sys

import numpy as np
import pytest

from featmap import DatasetError, MissingExtraError, datasets
from featmap.datasets.loading import SOURCES
from published import FileServer, encoded, idx, publish_mnist, tar_gz, zipped

LABELS_FILE = "t10k-labels-idx1-ubyte.gz"
COIL_FILE = "coil-20-proc.zip"
CIFAR_FILE = "cifar-10-binary.tar.gz"
LABELS = idx(np.arange(3))


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.delenv("FEATMAP_DATA", raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("FEATMAP_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def server(cache, monkeypatch):
    server = FileServer(monkeypatch)
    yield server
    server.close()


def files_in(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


# Formats


@pytest.mark.parametrize(
    ("name", "load"), [("mnist", datasets.load_mnist), ("fashion_mnist", datasets.load_fashion_mnist)]
)
def test_idx_files(server, rng, name, load):
    made = publish_mnist(server, name, rng)
    for subset, parts in (("all", ["train", "test"]), ("train", ["train"]), ("test", ["test"])):
        loaded = load(subset=subset)
        np.testing.assert_array_equal(loaded.data, np.concatenate([made[p][0] for p in parts]).reshape(-1, 784))
        np.testing.assert_array_equal(loaded.target, np.concatenate([made[p][1] for p in parts]))
        assert loaded.data.dtype == np.uint8
        assert loaded.target.dtype == np.int64


def test_files_of_the_same_name_are_apart_in_the_cache_and_only_those_asked_for_are_downloaded(server, rng):
    digits, clothes = publish_mnist(server, "mnist", rng), publish_mnist(server, "fashion_mnist", rng)
    for load, made in ((datasets.load_mnist, digits), (datasets.load_fashion_mnist, clothes)):
        np.testing.assert_array_equal(load(subset="test").data, made["test"][0].reshape(-1, 784))
    parts = ("images-idx3", "labels-idx1")
    assert server.requested == [
        f"/{name}/t10k-{part}-ubyte.gz" for name in ("mnist", "fashion_mnist") for part in parts
    ]


@pytest.fixture(scope="module")
def coil_images():
    """Images that differ in one corner: the corners, and the files by their names in the archive."""
    corners = np.random.default_rng(0).integers(256, size=(20, 72, 2, 2), dtype=np.uint8)
    images_by_name = {}
    for number in range(20):
        for step in range(72):
            image = np.zeros((128, 128), np.uint8)
            image[:2, :2] = corners[number, step]
            images_by_name[f"coil-20-proc/obj{number + 1}__{step}.png"] = encoded(image)
    return corners, images_by_name


def test_coil20(server, tmp_path, coil_images):
    corners, images_by_name = coil_images
    server.publish("coil20", COIL_FILE, zipped({"../../evil.png": b"", **images_by_name}))
    loaded = datasets.load_coil20()
    np.testing.assert_array_equal(loaded.data.reshape(-1, *loaded.image_shape)[:, :2, :2], corners.reshape(-1, 2, 2))
    np.testing.assert_array_equal(loaded.target, np.repeat(np.arange(1, 21), 72))
    np.testing.assert_array_equal(loaded.angle, np.tile(np.arange(0, 360, 5), 20))
    assert loaded.data.dtype == np.uint8
    assert files_in(tmp_path) == [f"cache/coil20/{COIL_FILE}"], "archives are read in memory"


@pytest.mark.parametrize(
    ("image", "says"),
    [(None, r"obj7__3\.png.* delete it and load again"), (encoded(np.zeros((128, 128), np.uint8), "GIF"), "")],
    ids=["missing", "not png"],
)
def test_coil20_with_a_wrong_image(server, coil_images, image, says):
    images_by_name = coil_images[1] | {"coil-20-proc/obj7__3.png": image}
    server.publish("coil20", COIL_FILE, zipped({name: data for name, data in images_by_name.items() if data}))
    with pytest.raises(DatasetError, match=rf"{COIL_FILE} cannot be read .*{says}"):
        datasets.load_coil20()


def cifar_batches(rng):
    """Make two images per batch: images (6, 2, 32, 32, 3), classes (6, 2), and the files of the archive."""
    names = [*(f"data_batch_{number}.bin" for number in range(1, 6)), "test_batch.bin"]
    images, labels = rng.integers(256, size=(6, 2, 32, 32, 3), dtype=np.uint8), rng.integers(10, size=(6, 2))
    planes = images.transpose(0, 1, 4, 2, 3).reshape(6, 2, -1)
    records = np.concatenate([labels[..., None].astype(np.uint8), planes], axis=2)
    return (
        images,
        labels,
        {f"cifar-10-batches-bin/{name}": batch.tobytes() for name, batch in zip(names, records, strict=True)},
    )


def test_cifar10(server, tmp_path, rng):
    images, labels, batches = cifar_batches(rng)
    server.publish("cifar10", CIFAR_FILE, tar_gz({"../../evil": b"", **batches}))
    for subset, part in (("all", slice(None)), ("train", slice(5)), ("test", slice(5, None))):
        loaded = datasets.load_cifar10(subset=subset)
        np.testing.assert_array_equal(
            loaded.data.reshape(-1, *loaded.image_shape), images[part].reshape(-1, 32, 32, 3)
        )
        np.testing.assert_array_equal(loaded.target, labels[part].ravel())
    assert loaded.feature_names[:4] == ["r0c0 red", "r0c0 green", "r0c0 blue", "r0c1 red"]
    assert loaded.filename is None
    assert files_in(tmp_path) == [f"cache/cifar10/{CIFAR_FILE}"], "archives are read in memory"


def test_cifar10_with_a_truncated_batch(server, rng):
    _, _, batches = cifar_batches(rng)
    batches["cifar-10-batches-bin/test_batch.bin"] = batches["cifar-10-batches-bin/test_batch.bin"][:-1]
    server.publish("cifar10", CIFAR_FILE, tar_gz(batches))
    with pytest.raises(DatasetError, match=f"{CIFAR_FILE} cannot be read"):
        datasets.load_cifar10(subset="test")


# Download and cache


def test_the_second_load_needs_no_network_unless_a_file_in_the_cache_is_damaged(server, cache, rng):
    publish_mnist(server, "mnist", rng)
    first = datasets.load_mnist()
    (cache / "mnist" / LABELS_FILE).write_bytes(b"damaged")
    np.testing.assert_array_equal(datasets.load_mnist(subset="test").target, first.target[-3:])
    server.close()
    np.testing.assert_array_equal(datasets.load_mnist().data, first.data)


def test_a_file_put_into_the_cache_by_hand_is_used(server, cache, rng):
    publish_mnist(server, "mnist", rng)
    server.close()
    (cache / "mnist").mkdir(parents=True)
    for name in ("t10k-images-idx3-ubyte.gz", LABELS_FILE):
        (cache / "mnist" / name).write_bytes(server.files[f"/mnist/{name}"])
    assert len(datasets.load_mnist(subset="test").data) == 3


def test_wrong_checksum(server, cache, rng):
    publish_mnist(server, "mnist", rng)
    server.publish("mnist", LABELS_FILE, idx(np.arange(3)), checksum=f"md5:{'0' * 32}")
    expected = rf"does not have the published checksum md5:0{{32}} .* save it as .*{LABELS_FILE}"
    with pytest.raises(DatasetError, match=expected):
        datasets.load_mnist(subset="test")
    assert files_in(cache) == ["mnist/t10k-images-idx3-ubyte.gz"], "the wrong file must be deleted"


def test_a_download_that_breaks_off(server, cache, rng):
    _, _, batches = cifar_batches(rng)
    server.cut_short.add(server.publish("cifar10", CIFAR_FILE, tar_gz(batches)))
    with pytest.raises(DatasetError, match=rf"could not be downloaded.* save it as .*{CIFAR_FILE}"):
        datasets.load_cifar10()
    assert files_in(cache) == []
    server.cut_short.clear()
    assert datasets.load_cifar10().data.shape == (12, 3072)


def test_a_file_that_has_moved_and_no_network(server, cache):
    del server.files[server.publish("cifar10", CIFAR_FILE, b"")]
    with pytest.raises(DatasetError, match="404"):
        datasets.load_cifar10()
    assert files_in(cache) == []
    server.close()
    with pytest.raises(DatasetError, match=r"could not be downloaded into .*cifar10 .* try again later"):
        datasets.load_cifar10()
    assert files_in(cache) == []


@pytest.mark.parametrize(
    ("content", "says"),
    [
        *((content, "") for content in (b"", b"not gzip", LABELS[:-9], LABELS[:10] + b"\xff" * 20)),
        (gzip.compress(gzip.decompress(LABELS)[:-1]), r".*2 values, expected \(3,\).*"),
    ],
    ids=["empty", "not gzip", "truncated", "wrong bytes", "too few values"],
)
def test_a_published_file_that_cannot_be_read(server, rng, content, says):
    """The file has the published checksum, but it is not an idx file."""
    publish_mnist(server, "mnist", rng)
    server.publish("mnist", LABELS_FILE, content)
    with pytest.raises(DatasetError, match=rf"{LABELS_FILE} cannot be read {says}.*delete it and load again"):
        datasets.load_mnist(subset="test")


@pytest.mark.parametrize(("name", "load"), [("pooch", datasets.load_mnist), ("PIL", datasets.load_coil20)])
def test_the_error_for_a_missing_package_names_the_extra(cache, monkeypatch, name, load):
    for module in [module for module in sys.modules if module.split(".")[0] == name]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtraError, match=rf"needs {name}: pip install 'featmap\[datasets\]'.*FEATMAP_DATA"):
        load()


def test_the_table_of_sources():
    """Addresses are those of folders, and checksums have the lengths of their kinds."""
    for source in SOURCES.values():
        assert re.fullmatch(r"https?://.*/", source.address)
        for file, checksum in source.checksums.items():
            assert re.fullmatch(r"sha256:[0-9a-f]{64}|md5:[0-9a-f]{32}", checksum), file
