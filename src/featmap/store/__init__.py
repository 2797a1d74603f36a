"""Fitted models and unfinished fits in files: plain data, with checksums, replaced as a whole."""
