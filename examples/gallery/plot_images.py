"""
Images: which pixels matter
===========================

Rows are images here, and features are pixels. ``image_shape`` tells the pictures how to put pixels together again.
"""

from matplotlib import pyplot as plt
from sklearn.datasets import load_digits

from featmap import FeatMAP, plot

digits = load_digits()
X, y = digits.data, digits.target
model = FeatMAP(random_state=0).fit(X)
plot.embedding(model, y)
plt.show()

# %%
# Which pixels set the regions of the map apart?
# ----------------------------------------------
# Pixels are named by row and column, counted from 0 at the upper left.

plot.features_on_map(model, image_shape=(8, 8))
plt.show()

# %%
# Where does an image vary?
# -------------------------
# The saliency of an image is the importance of its pixels: how much each of them varies around this image in the
# data. It is high where handwriting differs, mostly at the edges of a stroke, and zero where all images around have
# the same value.

rows = [int((y == digit).argmax()) for digit in range(10)]
plot.saliency(model, rows, (8, 8), images=X[rows])
plt.show()

# %%
# What tells fours from nines?
# ----------------------------
# Importance says what varies among fours. What tells them from nines is another question, with another answer.

fours_nines = model.contrast(4, 9, labels=y)
plot.contrast(fours_nines, groups=("fours", "nines"), image_shape=(8, 8))
plt.show()

# %%
# Why is this one here?
# ---------------------
# The bars say what sets the images around row 42 apart from all images, the arrows which pixels change across them.

plot.why(model, 42, image_shape=(8, 8), image=X[42], labels=y)
plt.show()
