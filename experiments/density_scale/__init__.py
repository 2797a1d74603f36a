"""What density as a change of variables does to a map, beside other methods."""
