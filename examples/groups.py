"""Which features tell two groups apart, with permutation tests."""

from matplotlib import pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler

from featmap import FeatMAP, plot

tumours = load_breast_cancer(as_frame=True)
diagnosis = tumours.target_names[
    tumours.target
]  # known beforehand: for groups found on the map p-values are too small
X = StandardScaler().set_output(transform="pandas").fit_transform(tumours.data)
contrast = FeatMAP(random_state=0).fit(X).contrast("malignant", "benign", labels=diagnosis)
print(contrast.to_frame().head())  # the largest effects first

plot.contrast(contrast, k=8)
plt.savefig("groups.png")
