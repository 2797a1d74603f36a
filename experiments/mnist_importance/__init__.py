"""MNIST: clusters and edges."""
