"""The data as the method sees them: scaled, sparse or dense, and their principal components."""
