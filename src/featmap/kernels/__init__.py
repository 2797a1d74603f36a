"""Compiled loops over plain arrays. Each writes only the rows ``start:stop`` and imports nothing else of featmap."""
