"""Local density on MNIST's digit 1."""
