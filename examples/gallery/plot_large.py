"""
Large data: know before you fit
===============================

What a fit will take can be asked before it begins. A long fit can be watched, stopped and resumed. A saved model is
read only as far as its answers need it. :doc:`The page about large data </scale>` has figures for millions of rows.
"""

import tempfile
from pathlib import Path

import numpy as np
from matplotlib import pyplot as plt
from sklearn.datasets import make_blobs

import featmap
from featmap import FeatMAP, plot

# %%
# How much memory?
# ----------------

for rows in (10_000, 100_000, 1_000_000):
    print(f"{rows:,} rows of 50 features: {featmap.estimate_memory((rows, 50))}")

# %%
# Data that stay in their file
# ----------------------------
# A memory map is never copied as a whole. Arrays of Zarr and HDF5 go in as well.

folder = Path(tempfile.mkdtemp())
X, group = make_blobs(4000, n_features=50, centers=6, cluster_std=4, random_state=0)
np.save(folder / "X.npy", X.astype(np.float32))
in_file = np.load(folder / "X.npy", mmap_mode="r")

# %%
# A fit that can be killed
# ------------------------
# With ``checkpoint`` the same line goes on where it was killed, and ends with the same bytes. ``verbose=True``
# shows a bar.

model = FeatMAP(random_state=0).fit(in_file, checkpoint=folder / "fit.featmap")
print(model.fit_report_)

# %%
# Look before you draw every point
# --------------------------------

plot.embedding(model, group)
plt.show()

# %%
# Save it, and ask the file
# -------------------------

model.save(folder / "model.featmap")
loaded = FeatMAP.load(folder / "model.featmap")
print(loaded.why(0).sentence)
