"""Whether the map and the data agree on which of two points is nearer to a third, after Wang et al. (2021)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import cdist

from ..checks.arguments import checked_count
from ..data.scaling import ScaledData, scale_data
from ..data.sparse import Matrix, up_to_translation
from ..errors import InvalidDataError
from ..run import Run
from ..values import IntArray
from .checks import check_jobs, checked_labels, checked_pair, documented

TRIPLETS_PER_POINT = 5


@documented
def triplet_accuracy(
    X: ArrayLike,
    Y: ArrayLike,
    labels: ArrayLike | None = None,
    *,
    n_triplets: int = TRIPLETS_PER_POINT,
    random_state: int = 0,
    n_jobs: int | None = -1,
) -> float:
    """
    Measure whether the map keeps which of two rows, or of two classes, is nearer to a third.

    Without labels it is the share of random triplets of rows for which map and data agree, with labels the share of
    triplets of class centroids [1]_; a random map reaches about 0.5. Random rows are hardly ever neighbours, so both
    judge the global arrangement. In many dimensions the distances between random rows differ little, and then their
    order is mostly noise. Centroids say little of few classes, which make few triplets (3 for 3 classes, 12 for 4),
    and of classes in several pieces, whose centroid lies between the pieces.

    Parameters
    ----------
    {X, Y}
    labels : array-like of shape (n_samples,) or None, default=None
        The class of each row, of at least 3 classes: numbers or strings, none missing.
    n_triplets : int, default=5
        The number of random pairs of other rows for each row. Of centroids all triplets count.
    random_state : int, default=0
        The seed of the random triplets.
    {n_jobs}

    Returns
    -------
    float
        The share of triplets, from 0 to 1; 1 is best.

    Notes
    -----
    A centroid is the mean of a class, in the data and on the map. Three classes count three times, once from each of
    their centroids. The authors' own code also compares distances that have no centroid in common.

    References
    ----------
    .. [1] Y. Wang, H. Huang, C. Rudin and Y. Shaposhnik, "Understanding how dimension reduction tools work",
       Journal of Machine Learning Research 22, 1-73 (2021).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.decomposition import PCA
    >>> from featmap import metrics
    >>> X, labels = load_iris(return_X_y=True)
    >>> Y = PCA(2).fit_transform(X)
    >>> metrics.triplet_accuracy(X, Y) > 0.95
    True
    >>> metrics.triplet_accuracy(X, Y, labels)
    1.0
    """
    check_jobs("triplet_accuracy", n_jobs)
    table, embedding = checked_pair("triplet_accuracy", X, Y)
    n_triplets = checked_count("triplet_accuracy", "n_triplets", n_triplets, 1, 2**20)
    if labels is not None:
        groups = checked_labels("triplet_accuracy", labels, len(embedding))
        if groups.max(initial=0) < 2:
            raise InvalidDataError(
                "triplet_accuracy(labels=…): labels must name at least 3 groups, to compare their distances"
            )
        in_data = nearer_centroids(scale_data(table).matrix, groups)
        return agreement(in_data, nearer_centroids(embedding, groups))
    if len(embedding) < 3:
        raise InvalidDataError(f"triplet_accuracy(X): X must have at least 3 rows; got {len(embedding)}")
    pairs = random_pairs(len(embedding), n_triplets, random_state)
    with Run(n_jobs) as run:
        in_data = nearer_in_data(scale_data(table), pairs, run)
    return agreement(in_data, nearer_of_pairs(embedding, embedding[pairs]))


def agreement(in_data: np.ndarray, on_map: np.ndarray) -> float:
    """The share of the triplets for which the map agrees with the data on which of two is nearer."""
    return float((in_data == on_map).mean())


def random_pairs(n_points: int, n_triplets: int, seed: int) -> IntArray:
    """Two different other points for each point and triplet, as random steps around the circle of all points."""
    rng = np.random.default_rng(seed)
    first = rng.integers(1, n_points, (n_points, n_triplets))
    second = rng.integers(1, n_points - 1, (n_points, n_triplets))
    second += second >= first
    steps = np.stack([first, second], axis=2)
    return ((steps + np.arange(n_points)[:, None, None]) % n_points).astype(np.int32)


def nearer_in_data(data: ScaledData, pairs: IntArray, run: Run) -> np.ndarray:
    """Whether the first of each pair is nearer in the data: (points, triplets)."""

    def body(start: int, stop: int) -> tuple[np.ndarray]:
        anchors = data.rows(np.arange(start, stop, dtype=np.int32))
        others = data.rows(pairs[start:stop].ravel()).reshape(*pairs[start:stop].shape, -1)
        return (nearer_of_pairs(anchors, others),)

    return run.by_blocks(len(pairs), body, data.rows_per_block(2 * pairs.shape[1] + 1))[0]


def nearer_of_pairs(anchors: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Whether the first of each pair is nearer: (points, n) and (points, triplets, 2, n) → (points, triplets)."""
    steps = others.astype(np.float64) - anchors[:, None, None]
    squared = np.einsum("ptsn,ptsn->pts", steps, steps)
    return squared[..., 0] < squared[..., 1]


def nearer_centroids(matrix: Matrix, groups: IntArray) -> np.ndarray:
    """For groups a, b < c: whether the centroid of b is nearer than that of c to that of a."""
    matrix = up_to_translation(matrix)
    centroids = np.array(
        [
            np.asarray(matrix[groups == group].mean(axis=0, dtype=np.float64)).ravel()
            for group in range(groups.max() + 1)
        ]
    )
    distances = cdist(centroids, centroids)
    first, second = np.triu_indices(len(centroids), 1)
    anchors = np.arange(len(centroids))[:, None]
    apart = (first != anchors) & (second != anchors)
    return (distances[:, first] < distances[:, second])[apart]
