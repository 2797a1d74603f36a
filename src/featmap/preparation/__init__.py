"""Tables of any columns made ready for a map, and answers that speak of these columns again."""
