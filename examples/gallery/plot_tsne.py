"""
A t-SNE you already have
========================

``featmap.explain`` takes the data and any map of them: t-SNE here, and UMAP, PaCMAP or an autoencoder in the same
way. Nothing is laid out again. The map stays as it is, and all questions can be asked of it. It was made of scaled
columns; ``in_original_units`` answers in the units of the table.
"""

from matplotlib import pyplot as plt
from sklearn.datasets import load_wine
from sklearn.manifold import TSNE

from featmap import FeatMAP, Prepare, explain, in_original_units, plot

wine = load_wine(as_frame=True)
preparation = Prepare().fit(wine.data)
X = preparation.transform(wine.data)
cultivar = wine.target_names[wine.target]
tsne = TSNE(random_state=0).fit_transform(X)

explanation = in_original_units(explain(X, tsne), preparation=preparation)
plot.embedding(explanation, cultivar)
plt.show()

# %%
# Why is this wine here?
# ----------------------

print(explanation.why(0))

# %%
# Where does alcohol grow?
# ------------------------
# Arrows are drawn where they beat chance, each as solid as the part of the variance that it shows.

plot.arrow_field(explanation, "alcohol")
plt.show()

# %%
# Which features set its regions apart?
# -------------------------------------

plot.features_on_map(explanation)
plt.show()

# %%
# How far to trust this map?
# --------------------------
# Arrows and trust belong to the map, so they differ from map to map. Importance belongs to the data and does not.

model = FeatMAP(random_state=0).fit(X)
print("t-SNE:", explanation.trust(), sep="\n")
print()
print("featMAP:", model.trust(), sep="\n")
plot.compare({"t-SNE": explanation, "featMAP": model}, cultivar)
plt.show()
