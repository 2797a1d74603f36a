from pathlib import Path

import numpy as np

from featmap import FeatMAP
from featmap.tables.reading import read_source

Path("table.csv").write_text("a,b\n1,2\n3,4\n")
assert read_source("table.csv").n_rows == 2

import h5py  # noqa: E402 - nothing of featmap imports these two: users give their arrays
import zarr  # noqa: E402

X = np.random.default_rng(0).normal(size=(60, 3))
zarr.save("X.zarr", X)
with h5py.File("X.h5", "w") as file:
    file["X"] = X
    maps = [FeatMAP(n_epochs=5, random_state=0).fit_transform(rows) for rows in (X, file["X"], zarr.open("X.zarr"))]
assert (maps[0] == maps[1]).all()
assert (maps[0] == maps[2]).all()
