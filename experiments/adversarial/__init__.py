"""Adversarial digits: what a fooled classifier reads, and whether importance explains it."""
