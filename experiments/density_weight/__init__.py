"""What the weight of density does to a map."""
