"""What `benchmarks/` and `experiments/` share: methods to compare with, data sets, quality of maps, files."""
