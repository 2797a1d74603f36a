"""Keep a fitted model in a file, and go on with a fit that was killed."""

import numpy as np
from sklearn.datasets import load_digits

from featmap import FeatMAP

X = load_digits().data
model = FeatMAP(random_state=0).fit(X, checkpoint="fit.featmap")  # killed? run the line again: it goes on
model.save("digits.featmap")  # plain data and checksums: loading runs no code

loaded = FeatMAP.load("digits.featmap")
np.testing.assert_array_equal(loaded.embedding_, model.embedding_)
np.testing.assert_array_equal(loaded.arrows([0]), model.arrows([0]))
