"""Pieces that the functions of `featmap.plot` share."""
