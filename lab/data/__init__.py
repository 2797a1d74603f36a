"""Data sets, prepared once and the same for every method: images, single cells, manifolds with a known shape."""
