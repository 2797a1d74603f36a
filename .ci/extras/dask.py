from featmap.dask import FeatMAP

import dask.array as da  # isort: skip - featmap is asked first, since it names the extra

if __name__ == "__main__":
    X = da.random.default_rng(0).normal(size=(90, 4), chunks=(30, 4))
    model = FeatMAP(n_epochs=5, random_state=0).fit(X, path="map.featmap", force=True)
    assert model.feature_importance().compute().shape == (90, 4)
