"""Explain a map that another method made: t-SNE here, and UMAP, PaCMAP or PCA in the same way."""

from matplotlib import pyplot as plt
from sklearn.datasets import load_wine
from sklearn.manifold import TSNE
from sklearn.preprocessing import StandardScaler

from featmap import explain, plot

wine = load_wine(as_frame=True)
X = StandardScaler().set_output(transform="pandas").fit_transform(wine.data)
explanation = explain(X, TSNE(random_state=0).fit_transform(X))
print("the three features that set row 0 apart:", explanation.top_features([0], k=3)[0])

plot.arrow_field(explanation, "alcohol")  # where on the map alcohol grows
plt.savefig("any_map.png")
