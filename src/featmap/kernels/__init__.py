"""Compiled loops over bare arrays. Each writes only the rows ``start:stop`` it is given; none knows featmap."""
