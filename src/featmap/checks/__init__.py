"""Checks of what users give: parameters, data, counts, labels and rows. Errors name the argument and a remedy."""
