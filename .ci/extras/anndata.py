import featmap.tl

import anndata  # isort: skip - featmap is asked first, since it names the extra
import numpy as np  # isort: skip

rng = np.random.default_rng(0)
cells = anndata.AnnData(rng.normal(size=(60, 5)), obsm={"X_pca": rng.normal(size=(60, 3))})
cells.varm["PCs"] = rng.normal(size=(5, 3))
featmap.tl.featmap(cells, n_epochs=5)
assert cells.obsm["X_featmap"].shape == (60, 2)
