"""The map: where it starts, the forces on it, and the descent."""
