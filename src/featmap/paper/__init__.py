"""The method as the paper prints it, beside ours: radii, their correlation, its force, the layout, the estimator.

`estimator.PaperFeatMAP` says what was chosen where the print is silent or contradicts itself.
"""
