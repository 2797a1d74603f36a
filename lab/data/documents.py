"""Made documents: words of Zipf's law from a mixture of topics, weighted by tf-idf."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfTransformer

N_TOPICS = 50
LEAST_WORDS, MOST_WORDS = 50, 300
MIXING = 0.05  # of Dirichlet's distribution over topics: most documents are of one to three
OWN_WORDS = 0.2  # shape of the gamma distribution that a topic changes the common frequencies by


def documents(n_rows: int = 12_000, n_words: int = 3_000, seed: int = 0) -> tuple[sp.csr_matrix, np.ndarray]:
    """tf-idf of documents as a sparse matrix of float32 with rows of length 1, and the main topic of each."""
    rng = np.random.default_rng(seed)
    mixtures = rng.dirichlet(np.full(N_TOPICS, MIXING), n_rows)
    document = np.repeat(np.arange(n_rows), rng.integers(LEAST_WORDS, MOST_WORDS, size=n_rows))
    words = words_of(topics_of(mixtures, document, rng), n_words, rng)
    counts = sp.csr_matrix((np.ones(len(words)), (document, words)), (n_rows, n_words))
    return TfidfTransformer().fit_transform(counts).astype(np.float32), mixtures.argmax(axis=1)


def topics_of(mixtures: np.ndarray, document: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A topic for every word, by the mixture of its document."""
    bounds = mixtures.cumsum(axis=1)[document, :-1]
    return (rng.uniform(size=(len(document), 1)) > bounds).sum(axis=1)


def words_of(topics: np.ndarray, n_words: int, rng: np.random.Generator) -> np.ndarray:
    """A word for every topic. A topic has the frequencies of Zipf's law, each multiplied by a factor of its own."""
    zipf = 1 / np.arange(1, n_words + 1)
    words = np.empty(len(topics), np.int64)
    for topic in range(N_TOPICS):
        weights = zipf * rng.gamma(OWN_WORDS, size=n_words)
        here = topics == topic
        words[here] = rng.choice(n_words, here.sum(), p=weights / weights.sum())
    return words
