"""The layout of the map: the start, the forces and the descent."""
