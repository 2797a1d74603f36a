"""
A classifier: what it gets wrong, and examples made to mislead it
=================================================================

A map of the data does not know the classifier. So it can tell whether the rows that the classifier gets wrong are
unusual rows, and what sets them apart from those that it gets right.
"""

import numpy as np
from matplotlib import pyplot as plt
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.neighbors import KNeighborsClassifier

from featmap import FeatMAP, plot

digits = load_digits()
X, y = digits.data / 16, digits.target  # 0 is white, 1 black
classifier = LogisticRegression(max_iter=500)
read_as = cross_val_predict(classifier, X, y, cv=5)
verdict = np.where(read_as == y, "right", "wrong")
print(f"{(verdict == 'wrong').sum()} of {len(y)} digits are read wrongly")

# %%
# Where on the map are they?
# --------------------------

model = FeatMAP(random_state=0).fit(X)
plot.embedding(model, verdict)
plt.show()

# %%
# What is different about them?
# -----------------------------
# Compare within one digit, or the answer will be that some digits are harder than others. So take the digit
# with the most errors. The groups come from the classifier, not from the map, so p-values can be read as usual.

digit = np.bincount(y[verdict == "wrong"]).argmax()
wrong, right = (y == digit) & (verdict == "wrong"), (y == digit) & (verdict == "right")
print(f"digit {digit}: {wrong.sum()} wrong, {right.sum()} right")
misread = model.contrast(wrong, right)
print(misread)
plot.contrast(misread, groups=(f"{digit}, read wrongly", f"{digit}, read rightly"), image_shape=(8, 8))
plt.show()

# %%
# Are they unusual rows?
# ----------------------
# If a row's neighbours in the data have other labels, the data themselves mislead, and any classifier that looks at
# neighbours would be misled too.

neighbors = model.neighbors_[0]
agreement = (y[neighbors] == y[:, None]).mean(axis=1)
for group in ("right", "wrong"):
    print(f"{group}: {agreement[verdict == group].mean():.0%} of the neighbours have the row's own label")

# %%
# Adversarial examples
# --------------------
# A small step of every pixel against the classifier: for a linear one its direction is known exactly. The step is
# an eighth of the way from white to black. Classifier and map know the even rows, and the odd ones are attacked.

known, known_labels, attacked, labels = X[::2], y[::2], X[1::2], y[1::2]
classifier.fit(known, known_labels)
scores = classifier.decision_function(attacked)
scores[np.arange(len(labels)), labels] = -np.inf
wanted = scores.argmax(axis=1)  # the strongest wrong answer
step = 0.125 * np.sign(classifier.coef_[wanted] - classifier.coef_[labels])
after = np.clip(attacked + step, 0, 1)
for name, rows in (("before", attacked), ("after", after)):
    print(f"accuracy {name} the attack: {classifier.score(rows, labels):.2f}")

# %%
# Where does the map put those that fool the classifier? It places each by its nearest rows, and knows nothing of the
# classifier. The colours are the true digits; the known rows are grey.

fooled = classifier.predict(after) != labels
map_of_known = FeatMAP(random_state=0).fit(known)
placed = map_of_known.explain(after[fooled])
plot.embedding(placed, labels[fooled])
plt.show()

# %%
# Most of them lie among their own kind: the attack has misled this classifier more than it has changed the image.
# The outlier score, of which about 1 is usual, tells that attacked rows are a little further from the data.

nearest = KNeighborsClassifier(10).fit(map_of_known.embedding_, known_labels)
right = nearest.score(placed.embedding_, labels[fooled])
print(f"the classifier reads none of them rightly, ten neighbours on the map {right:.0%}")
for name, rows in (("before", attacked), ("after", after)):
    print(f"median outlier score {name} the attack: {np.median(map_of_known.outlier_score(rows)):.2f}")
