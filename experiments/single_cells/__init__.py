"""Single cells: important genes and known markers."""
