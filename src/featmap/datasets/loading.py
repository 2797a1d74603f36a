"""What the loaders share: files of the folder FEATMAP_DATA or of the web, and the Bunch that they return."""

from __future__ import annotations

import os
import tarfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import DatasetError, MissingExtraError

if TYPE_CHECKING:
    from sklearn.utils import Bunch

DOWNLOAD = "unset FEATMAP_DATA to download the published files"
# What the readers of npz, gzip, zip, tar and PNG files raise if a file is truncated or of another format.
UNREADABLE = (OSError, EOFError, ValueError, TypeError, LookupError, zipfile.BadZipFile, tarfile.TarError, zlib.error)


def arrays_in_folder(file: str, shapes: Mapping[str, tuple[int, ...]]) -> dict[str, np.ndarray] | None:
    """Return arrays of a file in the folder and check their shapes; return None if FEATMAP_DATA is not set."""
    folder = data_folder()
    if folder is None:
        return None
    path = folder / file
    if not path.is_file():
        raise DatasetError(f"FEATMAP_DATA={folder}: {file} is missing in this folder; put it there, or {DOWNLOAD}")
    advice = f"replace it with a good copy, or {DOWNLOAD}"
    # numpy does not close a file that it opened by name and cannot read.
    with reading(path, advice), path.open("rb") as opened, np.load(opened) as npz:
        arrays = {name: npz[name] for name in shapes}
    for name, shape in shapes.items():
        if arrays[name].shape != shape:
            raise DatasetError(
                f"{path} is not the expected file: {name} has shape {arrays[name].shape}, expected {shape}; "
                f"replace it, or {DOWNLOAD}"
            )
    return arrays


def data_folder() -> Path | None:
    """Return the folder that FEATMAP_DATA names, or None if it is not set."""
    folder = os.environ.get("FEATMAP_DATA")
    return Path(folder) if folder else None


@contextmanager
def published(data_set: str, file: str) -> Iterator[Path]:
    """Give the path of a published file, downloaded once, to a reader, whose errors then name the file."""
    path = fetch(data_set, file)
    with reading(path, "delete it and load again"):
        yield path


def fetch(data_set: str, file: str) -> Path:
    """Download a published file unless it is in the cache. A file with a wrong checksum is deleted."""
    pooch = optional_package("pooch")
    source = SOURCES[data_set]
    url, checksum = source.address + file, source.checksums[file]
    folder = Path(os.environ.get("FEATMAP_CACHE") or pooch.os_cache("featmap")) / data_set
    by_hand = f"or download it by hand and save it as {folder / file}"
    try:
        return Path(pooch.retrieve(url, checksum, fname=file, path=folder))
    except OSError as error:
        raise DatasetError(
            f"{url} could not be downloaded into {folder} ({error}): try again later, {by_hand}"
        ) from error
    except ValueError as error:
        raise DatasetError(
            f"the file downloaded from {url} does not have the published checksum {checksum} and was "
            f"deleted: try again, {by_hand}"
        ) from error


def optional_package(name: str) -> Any:
    """Import a package that only downloads need."""
    try:
        return import_module(name)
    except ImportError as error:
        raise MissingExtraError(
            f"downloading data sets needs {name.split('.')[0]}: pip install 'featmap[datasets]'; without it, "
            "FEATMAP_DATA must name a folder with the data sets as npz files"
        ) from error


@contextmanager
def reading(path: Path, advice: str) -> Iterator[None]:
    """Turn any error of a reader into one that names the file and says what to do."""
    try:
        yield
    except UNREADABLE as error:
        raise DatasetError(f"{path} cannot be read ({type(error).__name__}: {error}): {advice}") from error


def bunch_or_pair(
    return_X_y: bool, *, data: np.ndarray, target: np.ndarray, DESCR: str, **fields: Any
) -> Bunch | tuple[np.ndarray, np.ndarray]:
    """Return a Bunch of all fields, or the pair (data, target)."""
    if return_X_y:
        return data, target
    from sklearn.utils import Bunch  # here, because it imports pandas if that is installed

    return Bunch(data=data, target=target, DESCR=DESCR.strip(), **fields)


@dataclass(frozen=True)
class Source:
    """The address under which files are published, and the checksum of each file as ``algorithm:digest``."""

    address: str
    checksums: Mapping[str, str]


# The comments say who published the checksums.
SOURCES = {
    "mnist": Source(  # TensorFlow Datasets
        "https://storage.googleapis.com/cvdf-datasets/mnist/",
        {
            "train-images-idx3-ubyte.gz": "sha256:440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609",
            "train-labels-idx1-ubyte.gz": "sha256:3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c",
            "t10k-images-idx3-ubyte.gz": "sha256:8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6",
            "t10k-labels-idx1-ubyte.gz": "sha256:f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6",
        },
    ),
    "fashion_mnist": Source(  # TensorFlow Datasets; the set's own page has MD5 sums
        "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/",
        {
            "train-images-idx3-ubyte.gz": "sha256:3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84",
            "train-labels-idx1-ubyte.gz": "sha256:a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845",
            "t10k-images-idx3-ubyte.gz": "sha256:346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073",
            "t10k-labels-idx1-ubyte.gz": "sha256:67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5",
        },
    ),
    "coil20": Source(  # the loaders of the NEVIS'22 benchmark
        "http://www.cs.columbia.edu/CAVE/databases/SLAM_coil-20_coil-100/coil-20/",
        {"coil-20-proc.zip": "md5:464dec76a6abfcd00e8de6cf1e7d0acc"},
    ),
    "cifar10": Source(  # TensorFlow Datasets; the set's own page has the MD5 sum
        "https://www.cs.toronto.edu/~kriz/",
        {"cifar-10-binary.tar.gz": "sha256:c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd"},
    ),
}
