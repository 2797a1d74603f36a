"""Where the published files lie, and the checksums that were published for them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Source:
    """A published file. Where no checksum was published there is none here: the loader checks what the file holds."""

    url: str
    checksum: str | None


_MNIST = "https://storage.googleapis.com/cvdf-datasets/mnist/"
_FASHION = "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/"
_COIL = "http://www.cs.columbia.edu/CAVE/databases/SLAM_coil-20_coil-100/coil-20/"
_PBMC = "https://cf.10xgenomics.com/samples/cell-exp/1.1.0/pbmc3k/"
_PENGUINS = "https://raw.githubusercontent.com/allisonhorst/palmerpenguins/8957207b78d6ccd1b4654a9dd9c9041b657478ab/"
_MAMMOTH = "https://raw.githubusercontent.com/YingfanWang/PaCMAP/4a6949f110520dfcb187d1dd18f768f81c386296/data/"

# Data set → file → source. The comment says who published the checksums.
SOURCES: dict[str, dict[str, Source]] = {
    "mnist": {  # TensorFlow Datasets
        "train-images-idx3-ubyte.gz": Source(
            _MNIST + "train-images-idx3-ubyte.gz",
            "sha256:440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609",
        ),
        "train-labels-idx1-ubyte.gz": Source(
            _MNIST + "train-labels-idx1-ubyte.gz",
            "sha256:3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c",
        ),
        "t10k-images-idx3-ubyte.gz": Source(
            _MNIST + "t10k-images-idx3-ubyte.gz",
            "sha256:8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6",
        ),
        "t10k-labels-idx1-ubyte.gz": Source(
            _MNIST + "t10k-labels-idx1-ubyte.gz",
            "sha256:f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6",
        ),
    },
    "fashion_mnist": {  # TensorFlow Datasets; the set's own page has MD5 sums
        "train-images-idx3-ubyte.gz": Source(
            _FASHION + "train-images-idx3-ubyte.gz",
            "sha256:3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84",
        ),
        "train-labels-idx1-ubyte.gz": Source(
            _FASHION + "train-labels-idx1-ubyte.gz",
            "sha256:a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845",
        ),
        "t10k-images-idx3-ubyte.gz": Source(
            _FASHION + "t10k-images-idx3-ubyte.gz",
            "sha256:346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073",
        ),
        "t10k-labels-idx1-ubyte.gz": Source(
            _FASHION + "t10k-labels-idx1-ubyte.gz",
            "sha256:67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5",
        ),
    },
    "coil20": {  # the loaders of the NEVIS'22 benchmark
        "coil-20-proc.zip": Source(_COIL + "coil-20-proc.zip", "md5:464dec76a6abfcd00e8de6cf1e7d0acc"),
    },
    "cifar10": {  # TensorFlow Datasets; the set's own page has the MD5 sum
        "cifar-10-binary.tar.gz": Source(
            "https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz",
            "sha256:c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd",
        ),
    },
    "pbmc3k": {  # Bioconductor's TENxPBMCData
        "pbmc3k_filtered_gene_bc_matrices.tar.gz": Source(
            _PBMC + "pbmc3k_filtered_gene_bc_matrices.tar.gz", "md5:f76d73bf7a582aaf32b798bcae9574d3"
        ),
    },
    "paul15": {  # Scanpy
        "paul15.h5": Source(
            "https://exampledata.scverse.org/scanpy/paul15.h5",
            "sha256:6161984f758dd464992edc23f1a8ab89b2081600130c6aa93a1ab12b3ada5bfb",
        ),
    },
    "olivetti_faces": {  # scikit-learn
        "olivettifaces.mat": Source(
            "https://ndownloader.figshare.com/files/5976027",
            "sha256:b612fb967f2dc77c9c62d3e1266e0c73d5fca46a4b8906c18e454d41af987794",
        ),
    },
    "penguins": {  # many users of the file; the address is that of one commit
        "penguins.csv": Source(
            _PENGUINS + "inst/extdata/penguins.csv",
            "sha256:f204db2c753b0937caac3cb35258562c14f073e4bbc76be24b4c51ce22767a93",
        ),
    },
    "mammoth": {  # nobody; the addresses are those of one commit
        "mammoth_3d.json": Source(_MAMMOTH + "mammoth_3d.json", None),
        "mammoth_3d_50k.json": Source(_MAMMOTH + "mammoth_3d_50k.json", None),
    },
}
