"""The local frame of a digit 1."""
