"""Fashion-MNIST and COIL-20: edges, rotation, loops."""
