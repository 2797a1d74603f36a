"""The data as the method uses them: scaled, dense or sparse, and their principal components."""
