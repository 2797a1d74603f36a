"""Fitted models and unfinished fits in files: plain data, checked byte by byte, replaced as a whole."""
