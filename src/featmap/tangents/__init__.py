"""The tangent space of every point: which features vary around it, and how it rotates between neighbours."""
